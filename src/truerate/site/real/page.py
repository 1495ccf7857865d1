"""One real board's page: figure, table, slices, and the rows behind every number."""

import polars as pl

import truerate.site.real.judges as judges
import truerate.site.real.label_audit as label_audit
from truerate.site.real.forest import SMALL, forest
from truerate.site.real.heat import maps
from truerate.site.real.home import measured_by, sentence, units_in_words
from truerate.site.real.results import FIELDS, JUDGE, Printed, RealBoard, RealScore
from truerate.site.real.scatter import scatter
from truerate.site.safety import script

REPRODUCED, CONSISTENT, NOT_MEASURED = "reproduced", "consistent", "not measured here"
REDISTRIBUTION = {
    "yes": "its texts may be republished",
    "ids-only": "ids and labels may be shown, its texts may not",
    "no": "nothing of its texts may be shown",
}
N_OTHER = 4  # other metrics that stand beside the headline in the table


def context(board: RealBoard) -> dict:
    """What real/board.md.j2 shows of a board."""
    others = board.other_metrics[:N_OTHER]
    return {
        "board": board,
        "card": board.card,
        "forest": forest(board, board.ranked),
        "narrow": forest(board, board.ranked, SMALL),
        "scatter": scatter(board),
        "first": sentence([model for model in board.models if model.is_first], len(board.models)),
        "what": measured_by(board),
        "rights": REDISTRIBUTION.get(str(board.card["set"]["redistribution"]), "rights not stated"),
        "lead": lead(board),
        "units": units_in_words(board, board.card["n_units"]),
        "others": others,
        "lines": lines(board, [measure.name for measure in others]),
        "maps": maps(board),
        "orders": board.orders,
        "swapped": judges.swapped(board),
        "audit": label_audit.context(board),
        "n_open": sum(board.spans_scale(score) for score in board.scores),
        "n_rows": board.rows.height,
        "has_more": bool(board.more_units),
        "rest": rest(board),
        "published": published(board),
    }


def lead(board: RealBoard) -> str:
    """What the board's number is: the first sentence of its definition, and where a judge alone says it, who."""
    told = board.headline.told.partition(". ")[0].rstrip(".")
    if board.is_judged and not board.card["labelled_by"]:
        return f"{told}. Here it is {board.card['judge']} that says so; nobody labelled these replies."
    return f"{told}."


def lines(board: RealBoard, others: list[str]) -> list[dict]:
    """The table's lines, best first: the headline, what separates it from the next, other metrics."""
    beside = [board.overall(name) for name in others]
    after = {first: (second, n) for (first, second), n in board.more_units.items()}
    return [
        {
            "score": one,
            "next": after.get(one.subject, ("", None))[0],
            "more": after.get(one.subject, ("", None))[1],
            "others": [scores.get(one.subject) for scores in beside],
            "is_open": board.spans_scale(one),
        }
        for one in board.ranked
    ]


def rest(board: RealBoard) -> list[RealScore]:
    """Scores that neither the table nor a map shows: slices of several keys, and of other metrics."""
    return [
        score
        for score in board.scores
        if len(score.slice) > 1
        or (score.slice and score.metric != board.headline.name and score.slice[0][0] != JUDGE)
    ]


def published(board: RealBoard) -> list[Printed]:
    """Figures printed elsewhere: what differs first, then what is not measured here, then as they stand there."""
    return sorted(
        board.published,
        key=lambda one: (one.verdict == REPRODUCED, one.verdict in (CONSISTENT, NOT_MEASURED)),
    )


def rows_script(board: RealBoard) -> str:
    """The rows behind the numbers as a data script: units and clusters once, then per metric, slice and subject the
    places of its units and their values. No text of the set is in it.
    """
    units = board.rows.select("unit_id", "cluster_id").unique().sort("unit_id", "cluster_id")
    places = {pair: place for place, pair in enumerate(units.iter_rows())}
    sets = [
        {"metric": metric, "slice": where, "subject": subject, **_packed(some, places)}
        for (metric, where, subject), some in sorted(
            board.rows.group_by("metric", "slice", "subject", maintain_order=True), key=lambda found: found[0]
        )
    ]
    labels = {name: measure.label for name, measure in board.measures.items()}
    told = {"units": units["unit_id"].to_list(), "clusters": units["cluster_id"].to_list(), "labels": labels}
    return script(
        "truerateRows", told | {"unit": board.card["unit"], "headline": board.headline.name, "sets": sets}
    )


def _packed(rows: pl.DataFrame, places: dict[tuple[str, str], int]) -> dict:
    """The places of a subject's units, left out where it has all of them, and its values in that order."""
    found = sorted(
        (places[unit, cluster], value)
        for unit, cluster, value in rows.select("unit_id", "cluster_id", "value").iter_rows()
    )
    values = [None if value is None else round(value, 6) for _, value in found]
    short = [int(value) if value is not None and value == int(value) else value for value in values]
    return {"v": short} | ({} if len(found) == len(places) else {"u": [place for place, _ in found]})


def scores_csv(board: RealBoard) -> tuple[tuple[str, ...], list[tuple]]:
    """The scores as committed, to be downloaded: header and lines."""
    told = [
        tuple(
            ";".join(f"{k}={v}" for k, v in score.slice) if name == "slice" else getattr(score, name)
            for name in FIELDS
        )
        for score in board.scores
    ]
    return FIELDS, told
