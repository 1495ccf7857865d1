"""What is planted on a board of the protocol: labels as people return them, and the truth."""

from truerate.config.layout import Layout
from truerate.core.keys import digest
from truerate.core.schemas import Generation, load
from truerate_world.mfava import annotate as people
from truerate_world.mfava.truth import planted_scores
from truerate_world.models import COVERAGE, base


def annotate(at: Layout, board: str, tasks: list[dict]) -> list[dict]:
    """Every labeller's labels of a board's tasks, as rows of a label file."""
    return people.annotate(tasks, at.p.seed)


def truth(at: Layout, board: str) -> list[dict]:
    """The planted values of a board, as rows of `Score`."""
    models = {alias: at.p.models[alias].model for alias in at.p.models_of(board)}
    return planted_scores(
        board,
        seed=at.p.seed,
        models=[alias for alias in at.p.track(board).subjects if at.p.models[alias].model in COVERAGE],
        simulated={alias: model for alias, model in models.items() if base(model) in COVERAGE},
        generations=load(Generation, at.dataset(board, "generations")),
        tokenizer=at.p.track(board).tokenizer,
        inputs=digest(at.dataset(board)),
    )
