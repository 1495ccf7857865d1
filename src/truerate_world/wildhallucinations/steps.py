"""What is planted on a board of the protocol: labels as people return them, and the truth."""

from truerate.config.layout import Layout
from truerate.core.keys import digest
from truerate.core.schemas import Fact, Generation, Item, Judgement, Reject, load
from truerate_world.encyclopedia import World, build
from truerate_world.wildhallucinations import annotate as people
from truerate_world.wildhallucinations.truth import planted_scores, verifier_scores
from truerate_world.wildhallucinations.truth_funnel import funnel_scores


def annotate(at: Layout, board: str, tasks: list[dict]) -> list[dict]:
    """Every labeller's labels of a board's tasks, as rows of a label file."""
    return people.annotate(tasks, _world(at), at.p.seed, n_annotators=at.p.track(board).n_annotators)


def truth(at: Layout, board: str) -> list[dict]:
    """The planted values of a board, as rows of `Score`."""
    track, inputs, world = at.p.track(board), digest(at.dataset(board)), _world(at)
    items, generations = (
        load(Item, at.dataset(board, "items")),
        load(Generation, at.dataset(board, "generations")),
    )
    rows = planted_scores(
        board,
        world=world,
        models={alias: at.p.models[alias].model for alias in track.subjects},
        generations=generations,
        items=items,
        panel=track.panel,
        domains_above=track.domains_above,
        inputs=inputs,
    )
    chats, rejects = (
        load(Item, at.source(at.p.board(board).source, "items")),
        load(Reject, at.dataset(board, "rejects")),
    )
    rows += verifier_scores(
        board,
        world=world,
        items=items,
        facts=load(Fact, at.dataset(board, "facts")),
        judgements=load(Judgement, at.dataset(board, "judgements")),
        inputs=inputs,
    )
    return rows + funnel_scores(board, world=world, chats=chats, items=items, rejects=rejects, inputs=inputs)


def _world(at: Layout) -> World:
    return build(at.p.seed, tuple(at.p.languages))
