"""One small HalluDial board of the closed world, made by the track's own steps, and detectors whose error is planted.

What an endpoint would be asked is put to the simulated models' server in this process, body by body, and its
replies are judged as those that came over a connection: ten thousand of them cost about half of what they do with
one (tests/tracks/halludial/test_steps.py asks over HTTP).
"""

import subprocess
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import polars as pl

from truerate.annotation.labels import Labelled
from truerate.config import Params, load_params
from truerate.config.layout import Layout
from truerate.core.schemas import Judgement, Score, frame, pairs
from truerate.sources.papers import faithdial
from truerate.sources.tables import SourceTables
from truerate.tracks.halludial import dataset, labels, scores, steps
from truerate.tracks.protocol import graph_of_track
from truerate_world.draws import draw
from truerate_world.encyclopedia import build
from truerate_world.halludial import annotate
from truerate_world.halludial.given import Given, givens, responses
from truerate_world.halludial.models.claims import Checker, Finding, checker
from truerate_world.halludial.truth import planted_scores
from truerate_world.steps import attributes

from .board import ROOT
from .cells import family_wise
from .direct import served
from .mfava_board import flat

BOARD = "halludial-closed-world"
SUBJECTS = ("aster", "dogwood", "elm")  # few errors; sees little; many errors, and the strongest bias
SEEDS = (101, 202)
TEMPERATURES = (0.0, 0.5)  # beside the base of 1
SIZES = {"dialogues": 60, "tempered": 60, "located": 130, "compared": 60, "natural": 50, "meta": 60}
CELLS = [("gold", "0"), ("gold", "0.5"), ("gold", "1"), ("self", "1")]  # histories and temperatures
N_CELLS = len(SEEDS) * len(SUBJECTS) * len(CELLS) * 2  # of turns and of dialogues


@dataclass(frozen=True)
class Marker:
    """A detector with planted error: that a hallucinated response is flagged, and that a faithful one is; of
    induced texts and references, and of natural responses.
    """

    name: str
    hit: tuple[float, float]
    alarm: tuple[float, float]

    def flags(self, finding: Finding, *key: object, is_natural: bool) -> bool:
        """Whether it flags a text."""
        rate = (self.hit if finding.is_hallucinated else self.alarm)[is_natural]
        return draw("marker", self.name, *key) < rate


EVEN = Marker("even", hit=(0.85, 0.85), alarm=(0.06, 0.06))
BLINDER = Marker("blinder", hit=(0.97, 0.5), alarm=(0.03, 0.03))  # natural hallucinations are harder to see
MARKERS = (EVEN, BLINDER)


@dataclass(frozen=True)
class Board:
    """What a build of one seed holds."""

    at: Layout
    tables: SourceTables
    made: dict[str, pl.DataFrame]
    tasks: list[dict]
    labelled: Labelled

    @cached_property
    def known(self) -> Checker:
        return checker(build(self.at.p.seed, tuple(self.at.p.languages)))

    @cached_property
    def given(self) -> dict[str, Given]:
        return givens(self.tables.items, self.tables.documents)

    @cached_property
    def samples(self) -> pl.DataFrame:
        return pl.concat([self.made["samples"], self.labelled.samples])

    @cached_property
    def findings(self) -> dict[str, tuple[Finding, bool]]:
        """The truth about every text that detectors judge, and whether it is a natural response."""
        told = responses(self.known, self.given, self.made["generations"])
        natural = {one.generation_id: (one.finding, True) for one in told}
        texts = self.made["samples"].select("sample_id", "item_id", "text").iter_rows()
        return {name: (self.finding(item, text), False) for name, item, text in texts} | natural

    def finding(self, item_id: str, text: str) -> Finding:
        """The truth about a text in the gold conversation."""
        given = self.given[item_id]
        return self.known.finding(text, given.knowledge, given.conversation())

    def scores(self, marker: Marker, confidence: float | None = None) -> list[dict]:
        """The Score rows of the track's last step with this detector beside the subjects, with intervals of
        the family or of a confidence of their own.
        """
        at, p = self.at, self.at.p
        if confidence:
            own = p.statistics.model_copy(update={"confidence": confidence})
            at = Layout(p.model_copy(update={"statistics": own})).on(BOARD)
        judged = pl.concat([self.made["judgements"], self.judged(marker)])
        known = {"items": self.made["items"], "samples": self.samples, "judgements": judged}
        return flat(scores.score(at, BOARD, **known, generations=self.made["generations"], inputs="")[0])

    def judged(self, marker: Marker) -> pl.DataFrame:
        """What the planted detector says of every target."""
        names = dataset.targets(self.samples, self.made["generations"])["target_id"].to_list()
        rows = [
            judgement(name, marker.flags(found, name, is_natural=natural))
            for name in names
            for found, natural in [self.findings[name]]
        ]
        return frame(Judgement, rows)

    @cached_property
    def planted(self) -> list[dict]:
        """The planted Score rows."""
        rows = planted_scores(
            BOARD,
            world=self.known.world,
            models={name: self.at.p.models[name].model for name in self.at.p.models_of(BOARD)},
            items=self.tables.items,
            documents=self.tables.documents,
            generations=self.made["generations"],
            samples=self.samples,
            judgements=self.made["judgements"],
            reask=self.at.p.llm.reask,
        )
        return flat(frame(Score, rows))

    @cached_property
    def rows(self) -> list[dict]:
        """The Generation rows with their attributes beside their columns."""
        return [row | attributes(row) for row in self.made["generations"].iter_rows(named=True)]


def judgement(target: str, verdict: bool) -> dict:
    """A row of what the planted detector says of a text."""
    known = {"judgement_id": target, "judge": "planted", "judge_version": "", "target_id": target}
    return known | {"verdict": verdict, "status": "ok", "spans": [], "attributes": pairs(seed=42)}


def settings(seed: int) -> Layout:
    """The project's own settings for one seed, small; intervals hold so surely that all rates of all seeds do
    so together.
    """
    values = load_params(str(ROOT / "params.yaml")).model_dump()
    values["sizes"]["demo"]["halludial"] |= SIZES
    values["statistics"] |= {"n_bootstrap": 100, "confidence": family_wise(N_CELLS)}
    values["llm"]["reask"] = 0  # asked for again, too few unread replies would be left to count
    values["tracks"]["halludial"] |= {
        "responders": SUBJECTS,
        "subjects": SUBJECTS,
        "temperatures": TEMPERATURES,
        "detector": "planted",
        "similarity": "chrf",
    }
    return Layout(Params.model_validate(values | {"profile": "demo", "seed": seed, "n_shards": 1})).on(BOARD)


def build_board(config: Layout, folder: Path) -> Board:
    """Make the board of some settings: seed files, models, track, people."""
    seed = config.p.seed
    command = ["-m", "truerate_world", "write-dialogues", str(folder), f"--seed={seed}"]
    command += [f"--dialogues={config.p.size_of(BOARD).dialogues}"]
    subprocess.run([sys.executable, *command], check=True, capture_output=True, cwd=ROOT)
    tables = faithdial.read(folder, name="closed-world-dialogues", on_bad_row="stop")
    asking = served(config, "halludial")
    replies: dict[str, pl.DataFrame] = {}
    judged: list[pl.DataFrame] = []
    for step in graph_of_track("halludial"):
        models = getattr(config.p.track(BOARD), step.role)
        models = (models,) if isinstance(models, str) else models
        came = [
            getattr(steps, step.name)(config, BOARD, model, tables, 0, replies, asking=asking)
            for model in models
        ]
        judged += [one[1]["judgements"] for one in came if isinstance(one, tuple)]
        replies[step.name] = pl.concat([one[0] if isinstance(one, tuple) else one for one in came])
    made, tasks = steps.exported(config, BOARD, tables, replies, {"judgements": pl.concat(judged)})
    said = list(enumerate(annotate.annotate(tasks, build(seed), seed), start=1))
    labelled = labels.label(config, BOARD, tables, made, tasks, said, where="labels.jsonl", inputs="")
    return Board(config, tables, made, tasks, labelled)
