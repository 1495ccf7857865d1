"""What is planted on a board of the protocol: labels as people return them, and the truth."""

from truerate.config.layout import Layout
from truerate.core.keys import digest
from truerate.core.schemas import Generation, load
from truerate_world.mfava import annotate as people
from truerate_world.mfava.truth import planted_scores
from truerate_world.models import COVERAGE, base


def annotate(config: Layout, board: str, tasks: list[dict]) -> list[dict]:
    """Every labeller's labels of a board's tasks, as rows of a label file."""
    return people.annotate(tasks, config.p.seed)


def truth(config: Layout, board: str) -> list[dict]:
    """The planted values of a board, as rows of `Score`."""
    models = {alias: config.p.models[alias].model for alias in config.p.models_of(board)}
    return planted_scores(
        board,
        seed=config.p.seed,
        models=[
            alias for alias in config.p.track(board).subjects if config.p.models[alias].model in COVERAGE
        ],
        simulated={alias: model for alias, model in models.items() if base(model) in COVERAGE},
        generations=load(Generation, config.dataset(board, "generations")),
        tokenizer=config.p.track(board).tokenizer,
        inputs=digest(config.dataset(board)),
    )
