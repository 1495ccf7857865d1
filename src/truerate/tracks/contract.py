"""What a track offers: typed records and functions, some of them optional; the only list of them there is.

A track is a folder of `truerate.tracks` with four modules, found by the name of the folder:

- `card.py`: `CARD`, a `Card`;
- `settings.py`: `Settings` and `Sizes`, the blocks of params.yaml that are the track's own;
- `graph.py`: `GRAPH`, its steps in the paper's words, from which rules, scratch keys and the plan follow;
- `metrics.py`: `METRICS`, a record of each number that it publishes.
"""

from dataclasses import dataclass

from truerate.core.card import Card, Ranked, Section
from truerate.core.metric import Direction, Metric, Unit

__all__ = ["Card", "Direction", "Metric", "Ranked", "Reads", "Resources", "Section", "Step", "Unit"]


@dataclass(frozen=True)
class Resources:
    """What one job of a step needs of a machine, for Snakemake and a cluster: GPUs, memory, minutes."""

    gpus: int = 0
    memory_mb: int = 2_000
    minutes: int = 60


@dataclass(frozen=True)
class Reads:
    """What a step reads of an earlier one: its files of all models, of those of a `role` alone, or (`is_own`)
    of the model that the step itself is about.

    `is_needed`: where the earlier step has no file, this one has none either.
    """

    step: str
    role: str = ""
    is_own: bool = False
    is_needed: bool = False


@dataclass(frozen=True)
class StandIn:
    """What does a step's work where no model is asked: weights that are read here, the web.

    `name` stands in paths where a model's alias would. `setting` is the setting of the track that puts it in
    the place of the step's model; empty where it does the work always, once for all models of the role.
    """

    name: str
    setting: str = ""


@dataclass(frozen=True)
class Step:
    """One step of a track's data set, in the paper's words: a rule per step, a job per model and shard.

    `role`: the setting of the track that names the model or models whose files these are; `asks`: the
    settings that name who is asked in their place, without all of whom the step has no file; `reads`: earlier
    steps of the graph; `beside`: tables that it gives besides replies; `does`: what happens in it.
    """

    name: str
    role: str
    does: str
    reads: tuple[Reads, ...] = ()
    asks: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    stand_in: StandIn | None = None
    resources: Resources = Resources()
