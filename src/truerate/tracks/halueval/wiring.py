"""Which scratch files each step of HaluEval reads and writes: the graph of rules/halueval.smk, as lists of
paths.

Only the models that may stand on a board are asked; where none may, a step's list is empty and the published
texts stand alone.
"""

from truerate.config.layout import Layout


def sampled(at: Layout, board: str) -> list[str]:
    """Candidates of every generator."""
    return [
        path
        for name in at.p.models_on(board, at.p.track(board).generators)
        for path in at.scratch(board, "sample", name)
    ]


def sampled_for_dataset(at: Layout, board: str) -> list[str]:
    """Candidates of the one generator whose candidates become the data set."""
    return [
        path
        for name in at.p.models_on(board, [at.p.track(board).dataset_generator])
        for path in at.scratch(board, "sample", name)
    ]


def filtered(at: Layout, board: str) -> list[str]:
    """Choices of the filter judge between the two candidates of an item."""
    p = at.p.track(board)
    upstream = at.p.models_on(board, [p.dataset_generator])
    return [
        path
        for name in at.p.models_on(board, [p.filter_judge])
        for path in at.scratch(board, "filter", name, *upstream)
    ]


def responded(at: Layout, board: str) -> list[str]:
    """Answers to the general queries."""
    return [
        path
        for name in at.p.models_on(board, [at.p.track(board).responder])
        for path in at.scratch(board, "respond", name)
    ]


def for_dataset(at: Layout, board: str) -> list[str]:
    """All that the texts to be judged are made of."""
    return [*sampled_for_dataset(at, board), *filtered(at, board), *responded(at, board)]


def before(at: Layout, board: str, step: str, model: str) -> list[str]:
    """What a step reads; it is the same for every model."""
    reads = {"filter": sampled_for_dataset, "recognise": for_dataset}
    return reads[step](at, board) if step in reads else []


def recognised(at: Layout, board: str) -> list[str]:
    """Recognition replies of every subject; its judgements lie beside them."""
    p = at.p.track(board)
    upstream = at.p.models_on(board, [p.dataset_generator, p.filter_judge, p.responder])
    return [
        path
        for name in at.p.models_on(board, p.subjects)
        for path in at.scratch(board, "recognise", name, *upstream)
    ]


def for_export(at: Layout, board: str) -> list[str]:
    """All scratch files of a board."""
    return [*sampled(at, board), *filtered(at, board), *responded(at, board), *recognised(at, board)]


def is_current(at: Layout, board: str, path: str) -> bool:
    """Whether a scratch path is one that the settings, code and sources of this moment name."""
    return path in {*for_export(at, board), *for_dataset(at, board)}
