"""The page of a board: figures, table, slices, judges, label audit, and the rows behind every number."""

import json
from dataclasses import asdict, astuple, dataclass, fields
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from truerate.config.track_blocks import track_names
from truerate.results import analyses, figures
from truerate.results.board import JUDGE, RealBoard, RealScore, Swap
from truerate.results.labels import by_rule, labelled_anew, rates_by_model
from truerate.results.published import Verdict
from truerate.results.published_table import parts
from truerate.results.ranges import page
from truerate.results.texts.records import records
from truerate.site.downloads.boards import packed_table
from truerate.site.downloads.citation import bibtex_of_board
from truerate.site.downloads.embedding import snippets
from truerate.site.measures import signed
from truerate.site.safety import csv_text, script
from truerate.site.tables import Fill
from truerate.tracks.protocol import card_of_track

REDISTRIBUTION = {
    "yes": "its texts may be republished",
    "ids-only": "ids and labels may be shown, its texts may not",
    "no": "nothing of its texts may be shown",
}
RULES = "Only baselines that ask no model: what a judge of these texts has to beat."
N_OTHER = 4  # other metrics that stand beside the headline in the table
N_TINTS = 10  # of a heat map
FEW, MANY = 2, 16  # values of a key that are worth a map, and that fit a page
LABELS = ("not hallucinated", "hallucinated")
AS_EXPECTED = {Verdict.CONSISTENT: 1, Verdict.NOT_MEASURED: 1, Verdict.REPRODUCED: 2}  # behind what differs
NO_PARTS: dict[str, Any] = {"pictures": [], "efforts": []}  # of a board with rows
LEAST_P = 1e-6  # smaller ones are told as less than .001
LEAST_SHOWN = 0.001  # of p, in a comparison
N_SUSPECTS = 20  # on the page; the file has all


@dataclass(frozen=True)
class DrawnBoard(RealBoard):
    """A board with its page, and its line in the list of boards."""

    def files(self, fill: Fill) -> dict[str, str]:
        """Return the page, and beside it what is made of the board (`downloads`), and its rows, tests
        of pairs and differences as scripts, by path; and the page of its ranges.
        """
        path = f"real/{self.name}"
        more = {f"{path}-suspects.csv": csv_text(*suspects_csv(self))} if self.suspects else {}
        more |= {f"{path}-rows.js": rows_script(self)} if self.table is None else {}
        more |= {f"{path}-pairs.js": pairs_script(self)} if any(score.rank for score in self.ranked) else {}
        more |= {f"{path}-differences.js": differences_script(self)} if self.has_models else {}
        if self.multiverse is not None:
            more[f"{path}-range.md"] = fill("real/range.md.j2", "..", **page.context(self, self.multiverse))
            more[f"{path}-range.csv"] = csv_text(*page.csv_of(self.multiverse))
        return more | {
            f"{path}.md": fill("real/board.md.j2", "..", **context(self)),
            f"{path}-scores.csv": csv_text(*scores_csv(self)),
            f"{path}-card.json": json.dumps(dict(self.card), indent=1, sort_keys=True) + "\n",
            f"{path}.json": scores_json(self),
            f"{path}.svg": fill("real/figure.svg.j2", "..", **figures.standalone(self)),
        }

    @property
    def downloads(self) -> dict[str, str]:
        """The files beside the page, each with what it holds; rows, labels and tables lie in results/."""
        is_there = {
            "-rows.parquet": ("ids, clusters and values behind the scores", self.table is None),
            "-labels.parquet": ("labels behind the rows", self.n_labels > 0),
            "-texts.parquet": ("some of the texts, to read", self.texts is not None),
            "-table.csv": ("the published figures", self.table is not None),
            "-scores.csv": ("every score", True),
            "-suspects.csv": ("labels to look at", bool(self.suspects)),
            "-range.csv": ("every rate under every rule of counting", self.multiverse is not None),
            "-card.json": ("what was measured, by whom", True),
            ".json": ("card and scores", True),
            ".svg": ("the figure, to be embedded", True),
        }
        return {f"{self.name}{end}": what for end, (what, is_file) in is_there.items() if is_file}

    @cached_property
    def records(self) -> tuple[list[dict], dict]:
        """Its texts as records of the sample browser, and their index (`texts.records`)."""
        return records(self)

    def in_short(self) -> dict:
        """Its size, who may be the best, and who labelled or judged, for the list of boards."""
        return {
            "board": self,
            "size": size(self),
            "first": who_leads(self).partition(": ")[0].rstrip("."),
            "what": measured_by(self),
        }


def size(board: RealBoard) -> str:
    """Return how many models or rules stand on a board, and on how much: `46 models, 511 replies each`."""
    counts = [model.n for model in board.models] or [0]
    n, most, kind = len(board.models), max(counts), "model" if board.has_models else "rule"
    bound = "" if most == min(counts) else "up to "
    return f"{n} {kind}{'' if n == 1 else 's'}, {bound}{most:,} {units_in_words(board, most)} each"


def units_in_words(board: RealBoard, n: int) -> str:
    """The name of a board's units, of n of them: `reply`, `replies`."""
    word = str(board.card["unit"])
    return word if n == 1 else f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"


def who_leads(board: RealBoard) -> str:
    """Return which models may be the best, in a sentence."""
    first = [model for model in board.models if board.is_best(model)]
    n_ranked = sum(bool(model.rank) for model in board.models)
    how = f"comparisons with the best, {100 * (1 - board.card['alpha']):g} %."
    if not board.has_models:
        return RULES
    if not n_ranked:
        return "Nothing is ranked."
    if not first:
        return f"No model may be the best, as each is worse than some other line: {how}"
    if len(first) == 1:
        return f"{first[0].subject} alone may be the best: {how}"
    return f"{len(first)} of {n_ranked} may be the best: {how}"


def measured_by(board: RealBoard) -> list[tuple[str, bool]]:
    """Return who labelled or judged, each with whether it is a warning."""
    card = board.card
    words = [(f"labelled by {card['labelled_by']}", False)] if card["labelled_by"] else []
    words += [(f"judged by {card['judge']}", False)] if board.is_judged else []
    if card["aggregate"]:
        words.append(("published counts only, so tests are unpaired", True))
    words += [("judge error unknown", True)] if board.is_judged and not card["labelled_by"] else []
    if board.judges_own:
        words.append((f"{len(board.judges_own)} of {len(board.models)} are from the judge’s maker ⚑", True))
    return words


def context(board: RealBoard) -> dict[str, Any]:
    """The values of real/board.md.j2."""
    others = board.other_metrics[:N_OTHER]
    lead = board.headline.description.partition(". ")[0].rstrip(".")
    if board.is_judged and not board.card["labelled_by"]:
        lead += f". The judge is {board.card['judge']}; no annotator labelled these replies"
    return {
        "board": board,
        "card": board.card,
        **taken(board),
        "forest": figures.forest(board, board.ranked),
        "narrow": figures.forest(board, board.ranked, figures.SMALL),
        "scatter": figures.responding(board),
        **(NO_PARTS if board.table is None else parts(board, board.table)),
        "first": who_leads(board),
        "what": measured_by(board),
        "rights": REDISTRIBUTION.get(str(board.card["set"]["redistribution"]), "rights not stated"),
        "lead": f"{lead}.",
        "units": units_in_words(board, board.card["n_units"]),
        "others": others,
        "lines": lines(board, [measure.name for measure in others]),
        "maps": [heat_map(board, *key) for key in board.slice_keys.items() if FEW <= len(key[1]) <= MANY],
        "orders": board.orders,
        "swapped": swapped(board),
        "audit": label_audit(board),
        "moved": "" if board.multiverse is None else page.sentences(board, board.multiverse),
        "raters": rates_by_model(board),
        "reannotation": labelled_anew(board),
        "units_word": units_in_words(board, 2),
        "n_open": sum(board.spans_scale(score) for score in board.scores),
        "n_rows": board.rows.height,
        "has_more": bool(board.more_units),
        "rest": [score for score in board.scores if _is_beside(board, score)],
        # what differs first, then what is not measured here, then as they stand there
        "published": sorted(board.published, key=lambda figure: AS_EXPECTED.get(figure.verdict, 0)),
    }


def taken(board: RealBoard) -> dict[str, Any]:
    """What take.html.j2 shows: BibTeX of the board, and HTML that embeds its figure."""
    card, track = board.card, str(board.card["track"])
    return {
        "bibtex": bibtex_of_board(
            board.name,
            str(card["title"]),
            card["set"],
            dated=str(card.get("dated") or ""),
            provenance=(score.provenance for score in board.ranked),
            track=card_of_track(track) if track in track_names() else None,
        ),
        "snippets": snippets(board.name, str(card["title"]), figures.standalone(board)["size"]),
    }


def _is_beside(board: RealBoard, score: RealScore) -> bool:
    """Return whether neither the table nor a map shows a score: of a slice of several keys, or of another
    metric.
    """
    is_other = bool(score.slice) and score.metric != board.headline.name and score.slice[0][0] != JUDGE
    return len(score.slice) > 1 or is_other


def lines(board: RealBoard, others: list[str]) -> list[dict]:
    """The table's lines, best first: the headline, what separates it from the next, other metrics."""
    columns = [board.overall(name) for name in others]
    after = {first: (second, n) for (first, second), n in board.more_units.items()}
    return [
        {
            "score": score,
            "next": after.get(score.subject, ("", None))[0],
            "more": after.get(score.subject, ("", None))[1],
            "others": [scores.get(score.subject) for scores in columns],
            "is_open": board.spans_scale(score),
        }
        for score in board.ranked
    ]


def heat_map(board: RealBoard, key: str, values: list[str]) -> dict:
    """The headline by the values of a slice key: subjects down in the order of the board, values across; a
    number, an interval and a tint per cell, darker where worse. A cell is None where nothing was measured.
    """
    columns = [board.overall(board.headline.name, ((key, value),)) for value in values]
    values_of = [score.value for scores in columns for score in scores.values()]
    measured = [value for value in values_of if value is not None] or [0.0]
    low, high = min(measured), max(measured)

    def cell(score: RealScore | None) -> dict | None:
        if score is None or score.value is None:
            return None
        share = (score.value - low) / (high - low) if high > low else 0.0
        has_interval = score.low is not None and score.high is not None
        return {
            "score": score,
            "tint": min(N_TINTS - 1, int((share if board.headline.is_lower_better else 1 - share) * N_TINTS)),
            "is_open": board.spans_scale(score),
            "text": board.headline.text(score.value),
            "interval": board.ends(score, "–") if has_interval else "",
        }

    table = [(model, [cell(scores.get(model.subject)) for scores in columns]) for model in board.ranked]
    return {"key": key, "values": values, "lines": table, "ends": (low, high)}


def swapped(board: RealBoard) -> dict | None:
    """The board as each judge of the same replies would rank it, and how far two judges agree, as
    real/judges.html.j2 shows it; None where one judge alone read the replies.
    """
    if not board.swaps:
        return None
    lead = board.lead
    columns = {lead: board.overall(board.headline.name)} | board.judges()
    against = [swap for swap in board.swaps if not swap.order.first]
    return {
        "lead": lead,
        "columns": list(columns),
        "lines": [
            (model, [_judged(board, judge, scores.get(model.subject)) for judge, scores in columns.items()])
            for model in board.models
        ],
        "against": against,
        "others": [swap for swap in board.swaps if swap.order.first],
        "summary": summary([swap for swap in against if not swap.order.key], lead),
        "picture": figures.places(board, columns) if len(columns) > 2 else None,
        "firm": [swap for swap in against if swap.order.apart],
    }


def _judged(board: RealBoard, judge: str, score: RealScore | None) -> dict | None:
    """A rate with its rank range and the slice that its rows stand in; None where nothing was judged."""
    if score is None or score.value is None:
        return None
    text, where = board.measures[score.metric].text(score.value), f"judge={judge}" if score.slice else ""
    return {"score": score, "text": text, "rank": score.rank or "–", "where": where}


def summary(against: list[Swap], lead: str) -> str:
    """Return how far the order by other judges is that of what leads, in one sentence."""
    taus = [(swap.order.tau, swap.order.second) for swap in against if swap.order.tau is not None]
    if not taus:
        return "No other judge ranks the subjects."
    (low, worst), (high, best) = min(taus), max(taus)
    if len(taus) == 1:
        return f"Kendall’s τ between the order by {lead} and that by {best} is {signed(high)}."
    ends = f"between {signed(low)} ({worst}) and {signed(high)} ({best})"
    return f"Kendall’s τ between the order by {lead} and those by {len(taus)} other judges is {ends}."


def label_audit(board: RealBoard) -> dict | None:
    """Return the labels that judges contradict, and the ranks with and without errata; None without both."""
    corrected = by_rule(board, "uncorrected")
    if not board.suspects and not corrected:
        return None
    return {
        "n": len(board.suspects),
        "n_labels": sum(model.n for model in board.models),
        "first": [(suspect, LABELS[suspect.is_hallucinated]) for suspect in board.suspects[:N_SUSPECTS]],
        "corrected": corrected,
        "n_moved": sum(after.rank != score.rank for after, score in corrected),
    }


def suspects_csv(board: RealBoard) -> tuple[tuple[str, ...], list[tuple]]:
    """Every suspect label, to be downloaded: header and lines. `id` is what errata name a reply by."""
    return ("id", "label", "bits", "n_against", "n_judges"), [
        (suspect.id, LABELS[suspect.is_hallucinated], suspect.bits, suspect.n_against, suspect.n_judges)
        for suspect in board.suspects
    ]


def scores_csv(board: RealBoard) -> tuple[tuple[str, ...], list[tuple]]:
    """The scores as committed, to be downloaded: header and lines."""
    return tuple(field.name for field in fields(RealScore)), [
        tuple(";".join(map("=".join, cell)) if isinstance(cell, tuple) else cell for cell in astuple(score))
        for score in board.scores
    ]


def scores_json(board: RealBoard) -> str:
    """The card and every score for other programs, `slice` as an object: the leading one is empty."""
    names = [field.name for field in fields(RealScore)]
    rows = [asdict(score) | {"slice": dict(score.slice)} for score in board.scores]
    return packed_table(rows, names, card=dict(board.card))


def rows_script(board: RealBoard) -> str:
    """The rows behind the numbers as a data script: units and clusters once, then per metric, slice and
    subject the places of its units and their values. No text of the set is in it.
    """
    units = board.rows.select("unit_id", "cluster_id").unique().sort("unit_id", "cluster_id")
    places = {pair: position for position, pair in enumerate(units.iter_rows())}
    sets = [
        {"metric": metric, "slice": where, "subject": subject, **_packed(rows, places)}
        for (metric, where, subject), rows in sorted(
            board.rows.group_by("metric", "slice", "subject", maintain_order=True), key=lambda group: group[0]
        )
    ]
    whole = {
        "units": units["unit_id"].to_list(),
        "clusters": units["cluster_id"].to_list(),
        "labels": {name: measure.label for name, measure in board.measures.items()},
        "unit": board.card["unit"],
        "headline": board.headline.name,
        "sets": sets,
    }
    return script("truerateRows", whole)


def pairs_script(board: RealBoard) -> str:
    """The tests of pairs behind the rank ranges, as a data script: the subjects as the table has them, and for each
    of them with each below it the p-value, corrected as for the ranks and to three digits; below 0 where the lower
    one is better, null where they were not compared.
    """
    names, compared = analyses.comparisons(board)
    row_of = {score.subject: row for row, score in enumerate(board.ranked)}
    order = sorted(names, key=lambda name: row_of[name])
    sign = -1 if board.headline.is_lower_better else 1
    p_of, alpha = {}, board.card["alpha"]
    for test in compared:
        first, second, gap = names[test.first], names[test.second], sign * test.difference
        p = max(float(f"{test.p_holm:.3g}"), LEAST_P)
        # rounding moves no p to the other side of alpha
        p = min(p, alpha) if test.p_holm <= alpha else max(p, 1.02 * alpha)
        p_of[first, second], p_of[second, first] = (p, -p) if gap >= 0 else (-p, p)
    n = len(compared)
    kind = "independent shares" if board.table is not None else "paired tests"
    whole = {
        "names": order,
        "p": [p_of.get(pair) for pair in combinations(order, 2)],
        "alpha": alpha,
        "how": f"p: {kind} of all {n:,} pair{'s' * (n > 1)}, corrected by Holm.",
    }
    return script("truerateRanks", whole)


def differences_script(board: RealBoard) -> str:
    """The difference of every pair of models as a data script, for compare.html: the subjects, and per pair the
    places of both as one number, the difference and its ends in tenths of a point, p in thousandths (cut off
    below one), common units, and 1 where it is paired. Empty where the headline is no share.
    """
    subjects, pairs = analyses.model_differences(board) if board.headline.unit == "share" else ([], [])
    tenths = [[None if np.isnan(x) else round(1000 * x) for x in pair[2:5]] for pair in pairs]
    whole = {
        "subjects": subjects,
        "at": [pair.first * len(subjects) + pair.second for pair in pairs],
        "gap": [gap for gap, _, _ in tenths],
        "low": [low for _, low, _ in tenths],
        "high": [high for _, _, high in tenths],
        "p": [round(1000 * pair.p) if pair.p >= LEAST_SHOWN else 0 for pair in pairs],
        "n": [pair.n for pair in pairs] if board.table is None else [],
        "paired": [int(pair.is_paired) for pair in pairs] if board.table is None else [],
    }
    return script("truerateDifferences", board.name, whole)


def _packed(rows: pl.DataFrame, places: dict[tuple[str, str], int]) -> dict:
    """The places of a subject's units, left out where it has all of them, and its values in that order."""
    table = rows.select("unit_id", "cluster_id", "value").iter_rows()
    units = sorted((places[unit, cluster], value) for unit, cluster, value in table)
    values = [None if value is None else round(value, 6) for _, value in units]
    short = [int(value) if value is not None and value == int(value) else value for value in values]
    return {"v": short} | ({} if len(units) == len(places) else {"u": [position for position, _ in units]})
