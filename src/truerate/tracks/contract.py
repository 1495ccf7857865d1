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
    """

    step: str
    role: str | None = None
    is_own: bool = False


@dataclass(frozen=True)
class Step:
    """One step of a track's data set, in the paper's words; a rule per step, a job per model and shard.

    `role`: the setting of the track that names the model or models whose files these are; `asks`: further
    roles that the step asks; `beside`: tables that it gives besides replies.
    """

    name: str
    role: str
    does: str
    reads: tuple[Reads, ...] = ()
    asks: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    resources: Resources = Resources()
