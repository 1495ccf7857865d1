"""Which scratch files each step of mFAVA reads and writes: the graph of rules/mfava.smk, as lists of paths.

Only the models that may stand on a board are asked; where none may, a step's list is empty and the source's
texts stand alone.
"""

from truerate.config.layout import Layout

WEIGHTS = (
    "seq2seq"  # stands where a model's alias would: weights that are read here, named by params' `seq2seq`
)


def silvered(at: Layout, board: str) -> list[str]:
    """Written passages and the insertions into them."""
    return _files(at, board, "silver", at.p.track(board).writer)


def translated(at: Layout, board: str) -> list[str]:
    """Translated training passages and references, by a model or by weights."""
    p = at.p.track(board)
    return (
        at.scratch(board, "translate", WEIGHTS) if p.seq2seq else _files(at, board, "translate", p.translator)
    )


def queried(at: Layout, board: str) -> list[str]:
    """Queries about the articles."""
    return _files(at, board, "query", at.p.track(board).query_writer)


def checked(at: Layout, board: str) -> list[str]:
    """Whether a sample of the queries can be answered."""
    p = at.p.track(board)
    return _files(at, board, "check", p.checker, upstream=p.query_writer) if queried(at, board) else []


def answered(at: Layout, board: str) -> list[str]:
    """Every subject's replies to the queries."""
    p = at.p.track(board)
    return [
        path for name in p.subjects for path in _files(at, board, "answer", name, upstream=p.query_writer)
    ]


def before(at: Layout, board: str, step: str, model: str) -> list[str]:
    """What a step reads; it is the same for every model."""
    return queried(at, board) if step in ("check", "answer") else []


def for_export(at: Layout, board: str) -> list[str]:
    """All scratch files of a board."""
    return [
        *silvered(at, board),
        *translated(at, board),
        *queried(at, board),
        *checked(at, board),
        *answered(at, board),
    ]


def is_current(at: Layout, board: str, path: str) -> bool:
    """Whether a scratch path is one that the settings, code and sources of this moment name."""
    return path in set(for_export(at, board))


def _files(at: Layout, board: str, step: str, alias: str | None, *, upstream: str | None = None) -> list[str]:
    """The files of one model's step, none where it may not stand on the board; `upstream` wrote what it
    reads, if it may.
    """
    behind = at.p.models_on(board, [upstream])
    return [
        path for name in at.p.models_on(board, [alias]) for path in at.scratch(board, step, name, *behind)
    ]
