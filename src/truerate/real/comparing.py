"""A submission beside a board's committed results: the table that a pull request shows."""

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from truerate.config.layout import Layout
from truerate.core.errors import SourceError, listed
from truerate.flow.result_files import FILES, Result, ResultCard, load_result
from truerate.flow.tracks import card_of
from truerate.hub.markdown import inert
from truerate.real.committing import result_of
from truerate.real.recompute import recomputed
from truerate.real.submission import known_boards, load_submission

WORDS = ("title", "set", "unit", "labelled_by", "judge", "caveats")  # of a card


def check_submission(at: Layout, folder: Path, results: Path) -> list[str]:
    """The Markdown lines of the comparison of a submission with its board. Raises SourceError for an unknown board, and as
    `load_submission` does.
    """
    board = folder.parent.name
    if board not in (known := known_boards(at, results)):
        raise SourceError(f"submission {folder.name!r}: board {board!r} is not known; known: {listed(known)}")
    submitted, committed = load_submission(folder), _committed(at, board, results)
    if committed and (name := _other(submitted.card, committed.card)):
        raise SourceError(f"submission {folder.name!r}: card.json has another {name} than the board's result")
    fixed = card_of(at, board).ranks.slice if board in at.p.boards else {}
    return table(submitted, committed, fixed)


def _other(card: ResultCard, board: ResultCard) -> str:
    """What of a card decides figures and is not as the board's; empty where all is."""
    own = {name: (one.unit, one.direction) for name, one in card.records.items()}
    all_ = {name: (one.unit, one.direction) for name, one in board.records.items()}
    wrong = {
        "track": card.track != board.track,
        "leading metric": card.headline.metric != board.headline.metric,
        "metric, or unit or direction of one,": not own.items() <= all_.items(),
    }
    return next((name for name, is_wrong in wrong.items() if is_wrong), "")


def _committed(at: Layout, board: str, results: Path) -> Result | None:
    """The board's result: the committed one, else that of the build here; None where there is neither."""
    if all((results / board / name).is_file() for name in FILES):
        return load_result(results / board)
    is_built = (
        board in at.p.boards
        and Path(at.leaderboard("rows")).is_file()
        and Path(at.scores(board, "outcomes")).is_file()
    )
    return result_of(at, Path("."), board) if is_built else None


def table(submitted: Result, committed: Result | None, fixed: Mapping[str, str]) -> list[str]:
    """The headline of a board with the submitted model among the others, ranks made anew over all of them together.
    `fixed`: the keys of slices whose value leads.
    """
    card, model = submitted.card, submitted.rows["subject"][0]
    others = committed.rows.filter(pl.col("subject") != model) if committed else submitted.rows.clear()
    whole = pl.concat([others, submitted.rows])
    kinds = dict(committed.scores.select("subject", "kind").rows()) if committed else {}
    scores = recomputed(whole, committed.card if committed else card, kinds | {model: "model"})
    board = (committed or submitted).card
    lead = board.headline
    lines = [f"**{inert(model)}** on `{card.board}`, {inert(board.title)}: {inert(lead.what)}", ""]
    for where in _leading(scores, lead.metric, lead.slice, fixed):
        shown = scores.filter(metric=lead.metric, slice=where)
        shown = shown.sort("rank_low", "rank_high", "value", nulls_last=True)
        head = f"| {inert(where) if where else ''} | {inert(lead.label)} | {100 * board.confidence:g} % interval | rank | n |"
        lines += [head, "| --- | ---: | --- | --- | ---: |"]
        lines += [*(_line(row, is_new=row["subject"] == model) for row in shown.to_dicts()), ""]
    return [*lines, *_remarks(submitted, committed, model)]


def _leading(scores: pl.DataFrame, metric: str, lead: str, fixed: Mapping[str, str]) -> list[str]:
    """The slices of a metric that stand beside the one that leads: with the same keys, and the values that are
    `fixed`, as one per task.
    """
    keys = [pair.partition("=")[0] for pair in lead.split(";")]
    wanted = {f"{key}={value}" for key, value in fixed.items()}
    found = scores.filter(metric=metric)["slice"].unique().sort().to_list()
    alike = [where for where in found if [pair.partition("=")[0] for pair in where.split(";")] == keys]
    return [where for where in alike if wanted <= set(where.split(";"))] or [lead]


def _line(row: dict, *, is_new: bool) -> str:
    name = f"**{inert(row['subject'])}** (submitted)" if is_new else str(inert(row["subject"]))
    interval = "–" if row["low"] is None else f"{row['low']:.3f} to {row['high']:.3f}"
    rank = "–" if row["rank_low"] is None else f"{row['rank_low']}–{row['rank_high']}"
    value = "–" if row["value"] is None else f"{row['value']:.3f}"
    return f"| {name} | {value} | {interval} | {rank} | {row['n']} |"


def _remarks(submitted: Result, committed: Result | None, model: str) -> list[str]:
    if committed is None:
        return ["The board has no committed result here: the model stands alone, and has no rank."]
    units, known = set(submitted.rows["unit_id"]), set(committed.rows["unit_id"])
    lines = [f"{len(units & known)} of the board's {len(known)} units are in it."]
    if units - known:
        lines.append(
            f"{len(units - known)} units are not the board's: made with another source, seed or size."
        )
    other = [name for name in WORDS if getattr(submitted.card, name) != getattr(committed.card, name)]
    if other:
        lines.append(f"Its card.json words {', '.join(other)} otherwise than the board's, which stand.")
    if model in set(committed.rows["subject"]):
        lines.append(f"The board has {inert(model)} already: this result would replace it.")
    return lines
