"""Which scratch files each step of WildHallucinations reads and writes: the graph of
rules/wildhallucinations.smk, as lists of paths.

Only the models that may stand on a board are asked; where none may, a step's list is empty and the source's
texts stand alone.
"""

from truerate.config.layout import Layout

WEB = "web"  # stands where a model's alias would: pages are searched for and fetched, no model is asked


def extracted(at: Layout, board: str) -> list[str]:
    """The proper nouns of users' messages."""
    return _files(at, board, "extract", at.p.track(board).extractor)


def curated(at: Layout, board: str) -> list[str]:
    """What each name is: an entity, private, ambiguous, of which domain."""
    p = at.p.track(board)
    return _files(at, board, "curate", p.curator, p.extractor)


def evidence(at: Layout, board: str) -> list[str]:
    """The web pages of each entity; none where nobody is asked about them."""
    is_asked = at.p.models_on(board, at.p.track(board).subjects)
    return at.scratch(board, "evidence", WEB, *_curators(at, board)) if is_asked else []


def generated(at: Layout, board: str, subject: str) -> list[str]:
    """One subject's replies."""
    return (
        at.scratch(board, "generate", subject, *_curators(at, board))
        if at.p.models_on(board, [subject])
        else []
    )


def checked(at: Layout, board: str, subject: str) -> list[str]:
    """The facts of one subject's replies and their verdicts."""
    p = at.p.track(board)
    behind = at.p.models_on(board, [p.fact_writer, p.verifier])
    if not at.p.models_on(board, [subject]) or len(behind) < 2:
        return []
    return at.scratch(board, "facts", subject, *_curators(at, board), *behind)


def before(at: Layout, board: str, step: str, model: str) -> list[str]:
    """What a step reads; of `facts`, `model` is the one whose replies are checked."""
    made = {"extract": [], "curate": extracted(at, board)}
    if step in made:
        return made[step]
    chosen = extracted(at, board) + curated(at, board)
    if step == "evidence":
        return chosen
    found = chosen + evidence(at, board)
    return found if step == "generate" else found + generated(at, board, model)


def for_export(at: Layout, board: str) -> list[str]:
    """All scratch files of a board."""
    subjects = at.p.track(board).subjects
    replies = [path for one in subjects for path in generated(at, board, one) + checked(at, board, one)]
    return extracted(at, board) + curated(at, board) + evidence(at, board) + replies


def is_current(at: Layout, board: str, path: str) -> bool:
    """Whether a scratch path is one that the settings, code and sources of this moment name."""
    return path in set(for_export(at, board))


def _curators(at: Layout, board: str) -> tuple[str, ...]:
    """The models that decide which entities there are."""
    p = at.p.track(board)
    return at.p.models_on(board, [p.extractor, p.curator])


def _files(at: Layout, board: str, step: str, alias: str | None, *upstream: str | None) -> list[str]:
    """The files of one model's step, none where it may not stand on the board; `upstream` wrote what it
    reads, if it may.
    """
    behind = at.p.models_on(board, upstream)
    return [
        path for name in at.p.models_on(board, [alias]) for path in at.scratch(board, step, name, *behind)
    ]
