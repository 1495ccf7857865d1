"""Token detectors that params.yaml names, and which of them is trained."""

from collections.abc import Iterator
from pathlib import Path

from truerate.config.layout import Layout
from truerate.core.errors import TruerateError, listed
from truerate.pipeline.judges.judging import judges_of

USUAL = ("multi", "binary")  # scope and labels, where a board's settings prefer none


def trained(config: Layout, detector: str | None) -> tuple[str, str, str, tuple[str, str]]:
    """Board, family and member of a trained token detector, with its track's preferred scope and labels.
    Raises TruerateError for a detector that does not exist or is not trained.
    """
    members = list(members_of(config))
    judges = {member for *_, member in judges_of(config)}
    beside = f"; judges of responses in dialogues: {listed(judges)}" if judges else ""
    if not members:
        raise TruerateError(
            "checking a text: no detector in params.yaml marks tokens; add a family without `folds` to "
            "`detectors`"
            f"{beside}"
        )
    if detector is not None and detector not in {member for _, _, member in members}:
        raise TruerateError(
            f"detector {detector!r} marks no tokens; allowed: "
            f"{listed({member for _, _, member in members})}{beside}"
        )
    for board, family, member in members:
        preferred = config.p.rate_of(board)
        wanted = detector or (preferred.member if preferred else member)
        if (Path(config.detector(family, board)) / member).is_dir() and member == wanted:
            return board, family, member, (preferred.scope, preferred.labels) if preferred else USUAL
    raise TruerateError(
        f"detector {detector or 'of no board'!r} is not trained yet; run `make demo` or `dvc repro train`"
    )


def members_of(config: Layout) -> Iterator[tuple[str, str, str]]:
    """Board, family and member of every token detector that params.yaml names, in its order."""
    for board in config.p.boards:
        for family in config.p.fitted(board):
            if config.p.detectors[family].kind == "tokens":
                yield from ((board, family, member) for member in config.p.members(family, board))
