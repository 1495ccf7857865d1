"""What a trained judge says of a response of a person's own: verdict, segments and reason."""

from collections.abc import Iterator
from contextlib import chdir, nullcontext
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from truerate.config.layout import Layout
from truerate.core.errors import TruerateError, listed


class Judged(NamedTuple):
    """A response with a judge's prediction.

    `verdict`: p > `threshold`; `spans`: its segments {start, end, type, p} in code points; `rationale`: the
    reason (both empty if faithful); `composed`: counted, not written by a model. `detector`, `board`: which
    judge, trained where.
    """

    text: str
    verdict: bool
    p: float
    threshold: float
    spans: list[dict]
    rationale: str | None
    composed: bool
    detector: str
    board: str


def judge_response(
    answer: str,
    reference: str,
    *,
    history: str = "",
    question: str = "",
    detector: str | None = None,
    params: str | PathLike[str] = "params.yaml",
) -> Judged:
    """Return whether a response says what neither its knowledge (`reference`) nor the conversation supports,
    by a trained judge.

    `history`: the turns before, a line each; `question`: the turn that is answered. `detector`: a judge
    (default: the first trained one). Raises TruerateError for an empty text, and for a judge that is absent,
    untrained or had no data.
    """
    for text, what in ((answer, "answer"), (reference, "reference")):
        if not text.strip():
            raise TruerateError(f"checking the {what} {text!r}: it holds no text; give a text to check")
    path = Path(params).expanduser()
    with nullcontext() if path.parent == Path() else chdir(path.parent):
        config = Layout.load(path.name)
        return _judged(config, trained_judge(config, detector), answer, (reference, history, question))


def _judged(
    config: Layout, judge: tuple[str, str, str], answer: str, context: tuple[str, str, str]
) -> Judged:
    from truerate.detectors.judges.family import fitted, judge_one
    from truerate.detectors.judges.judged import load_decision

    board, family, member = judge
    how = config.p.detectors[family].judges[member]
    reader = next(fitted(member, how, config.p.backbones, Path(config.detector(family, board))))
    knowledge, history, question = context
    judged = judge_one(reader, answer, knowledge=knowledge, history=history, question=question)
    if judged is None or judged.verdict is None or judged.p is None:
        raise TruerateError(
            f"judge {member!r} on board {board!r} had nothing to learn from; name another with --detector"
        )
    threshold, is_composed = load_decision(reader.folder).threshold, how.is_composed
    return Judged(
        answer,
        judged.verdict,
        judged.p,
        threshold,
        judged.spans,
        judged.rationale,
        is_composed,
        member,
        board,
    )


def is_judge(config: Layout, name: str) -> bool:
    """Return whether a name is that of a judge in params.yaml."""
    return name in {member for *_, member in judges_of(config)}


def trained_judge(config: Layout, detector: str | None) -> tuple[str, str, str]:
    """Board, family and member of a trained judge: the named or first one. Raises TruerateError."""
    judges = list(judges_of(config))
    names = {member for *_, member in judges}
    if detector is not None and detector not in names:
        raise TruerateError(
            f"detector {detector!r} is no judge of responses, so it takes no history and no question; "
            f"judges: {listed(names)}"
        )
    for board, family, member in judges:
        if detector in (None, member) and (Path(config.detector(family, board)) / member).is_dir():
            return board, family, member
    if not judges:
        raise TruerateError(
            "checking a response: no detector in params.yaml is a judge; add a family with `judges` to "
            "`detectors`"
        )
    raise TruerateError(
        f"judge {detector or judges[0][2]!r} is not trained yet; run `make demo` or `dvc repro train`"
    )


def judges_of(config: Layout) -> Iterator[tuple[str, str, str]]:
    """Board, family and member of every judge, where it learns, in the order of params.yaml."""
    for board in config.p.boards:
        for family in config.p.fitted(board):
            if config.p.detectors[family].kind == "judges":
                members = config.p.members(family, board)
                yield from ((board, family, member) for member in members)
