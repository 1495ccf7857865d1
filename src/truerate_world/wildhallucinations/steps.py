"""What is planted on a board of the protocol: labels as people return them, and the truth."""

from truerate.config.layout import Layout
from truerate.core.keys import digest
from truerate.core.schemas import Fact, Generation, Item, Judgement, Reject, load
from truerate_world.steps import world_of
from truerate_world.wildhallucinations import annotate as people
from truerate_world.wildhallucinations.truth import planted_scores, verifier_scores
from truerate_world.wildhallucinations.truth_funnel import funnel_scores


def annotate(config: Layout, board: str, tasks: list[dict]) -> list[dict]:
    """Every labeller's labels of a board's tasks, as rows of a label file."""
    return people.annotate(
        tasks, world_of(config), config.p.seed, n_annotators=config.p.track(board).n_annotators
    )


def truth(config: Layout, board: str) -> list[dict]:
    """The planted values of a board, as rows of `Score`."""
    track, items = config.p.track(board), load(Item, config.dataset(board, "items"))
    shared = {"world": world_of(config), "items": items, "inputs": digest(config.dataset(board))}
    rows = planted_scores(
        board,
        models={alias: config.p.models[alias].model for alias in track.subjects},
        generations=load(Generation, config.dataset(board, "generations")),
        panel=track.panel,
        bases={alias: base for alias in track.subjects if (base := config.p.models[alias].base)},
        domains_above=track.domains_above,
        **shared,
    )
    rows += verifier_scores(
        board,
        facts=load(Fact, config.dataset(board, "facts")),
        judgements=load(Judgement, config.dataset(board, "judgements")),
        **shared,
    )
    chats = load(Item, config.source(config.p.board(board).source, "items"))
    rejects = load(Reject, config.dataset(board, "rejects"))
    return rows + funnel_scores(board, chats=chats, rejects=rejects, **shared)
