"""The records of a track: steps of its graph (`graph.yaml`), what each reads, what a job needs."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truerate.core.data_files import read_data


@dataclass(frozen=True)
class Resources:
    """What one job of a step needs of a machine, for Snakemake and a cluster: GPUs, memory, minutes."""

    gpus: int = 0
    memory_mb: int = 2_000
    minutes: int = 60


@dataclass(frozen=True)
class Reads:
    """What a step reads of an earlier one: its files of all models, of those of a `role` alone, or (`is_own`)
    of the model that the step itself is about. `is_of_shard`: of its own shard alone, where both steps go by
    the same items, so that a job never holds what belongs to the others. `is_needed`: where the earlier step
    has no file, this one has none either.
    """

    step: str
    role: str = ""
    is_own: bool = False
    is_needed: bool = False
    is_of_shard: bool = False


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


def read_graph(path: Path) -> tuple[Step, ...]:
    """Return the steps that a graph.yaml lists; its keys are the fields of `Step`, and a step that is read
    whole may stand as its name. A track without the file has no step. Raises TruerateError where it does not
    hold.
    """

    def step(of: dict[str, Any]) -> Step:
        reads = [{"step": row} if isinstance(row, str) else row for row in of.get("reads", ())]
        stand_in = of.get("stand_in")
        records = {
            "reads": tuple(Reads(**row) for row in reads),
            "asks": tuple(of.get("asks", ())),
            "beside": tuple(of.get("beside", ())),
            "stand_in": StandIn(**stand_in) if stand_in else None,
            "resources": Resources(**of.get("resources", {})),
        }
        return Step(**of | records)

    return (
        read_data(path, lambda values: tuple(step(row) for row in values["steps"])) if path.is_file() else ()
    )
