"""What is planted on a board of the protocol: labels as people return them, and the truth."""

from truerate.config.layout import Layout
from truerate.core.keys import digest
from truerate.core.schemas import Fact, Generation, Item, Judgement, Reject, load
from truerate_world.steps import world_of
from truerate_world.wildhallucinations import annotate as people
from truerate_world.wildhallucinations.truth import planted_scores, verifier_scores
from truerate_world.wildhallucinations.truth_funnel import funnel_scores


def annotate(at: Layout, board: str, tasks: list[dict]) -> list[dict]:
    """Every labeller's labels of a board's tasks, as rows of a label file."""
    return people.annotate(tasks, world_of(at), at.p.seed, n_annotators=at.p.track(board).n_annotators)


def truth(at: Layout, board: str) -> list[dict]:
    """The planted values of a board, as rows of `Score`."""
    track, items = at.p.track(board), load(Item, at.dataset(board, "items"))
    shared = {"world": world_of(at), "items": items, "inputs": digest(at.dataset(board))}
    rows = planted_scores(
        board,
        models={alias: at.p.models[alias].model for alias in track.subjects},
        generations=load(Generation, at.dataset(board, "generations")),
        panel=track.panel,
        domains_above=track.domains_above,
        **shared,
    )
    rows += verifier_scores(
        board,
        facts=load(Fact, at.dataset(board, "facts")),
        judgements=load(Judgement, at.dataset(board, "judgements")),
        **shared,
    )
    chats = load(Item, at.source(at.p.board(board).source, "items"))
    rejects = load(Reject, at.dataset(board, "rejects"))
    return rows + funnel_scores(board, chats=chats, rejects=rejects, **shared)
