"""One small mFAVA board of the closed world, made by the track's own steps over HTTP, and detectors whose
error is planted.
"""

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl

from truerate.annotation.labels import Labelled
from truerate.config import Params, load_params
from truerate.config.layout import Layout
from truerate.core.schemas import Judgement, frame, pairs
from truerate.metrics.tokens import marked, offsets_by, token_counts, total
from truerate.sources.raw import wiki_files
from truerate.sources.tables import SourceTables
from truerate.tracks.mfava import dataset, labels, scores, steps
from truerate_world.draws import draw
from truerate_world.encyclopedia import build as build_world
from truerate_world.mfava import annotate
from truerate_world.mfava.models import simulated_model
from truerate_world.mfava.models.entity_table import build
from truerate_world.mfava.models.reader import Reader, reader, sentences
from truerate_world.prompt import BARE, Asked

from .board import ROOT
from .cells import CONFIDENCE, family_wise

BOARD = "mfava-closed-world"
LANGS = ("en", "tr", "zh")
SUBJECTS = ("aster", "dogwood", "elm")  # few errors; says that it does not know; many errors and flaws
SEEDS = (101, 202)
SIZES = {"train": 120, "silver": 24, "articles": 22, "natural": 96}  # of 132 replies a language
REPLIES = ("all", "kept")
N_CELLS = len(SUBJECTS) * len(LANGS) * len(SEEDS) * len(REPLIES)
N_BOOTSTRAP = 2 * round(
    N_CELLS / (1 - CONFIDENCE)
)  # resamples, so that a tail of the family-wise level holds one
N_REDRAWN = 6  # more replies to every query, whose mean rate is what is planted
DETECTOR = {"scope": "multi", "labels": "binary"}


Errors = tuple[float, float]  # that a false span is marked, and that what is true of a sentence is
LATE = 3  # sentences of a text from this place on tell what its reference lacks


@dataclass(frozen=True)
class Marker:
    """A detector with planted error: that a false span is marked, and that what is true of a sentence is, of
    inserted and of natural texts.

    Both are shares of tokens, too, because what is drawn is marked as a whole. `of_model`: its errors on the
    natural texts of each model, where these differ; `late`: how many times as often it is alarmed by the later
    sentences of a natural text, so that longer replies alarm it more.
    """

    name: str
    hit: Errors
    alarm: Errors
    of_model: Mapping[str, Errors] = field(default_factory=dict, hash=False)
    late: float = 1.0

    def spans(self, known: Reader, text: str, lang: str, *, model: str | None) -> list[dict]:
        """What it marks of a text; `model`: who wrote a natural one, None of an inserted one."""
        code = known.language(text, lang) or lang
        hit, alarm = self.of_model.get(
            model or "", (self.hit[model is not None], self.alarm[model is not None])
        )
        false = [
            (span["start"], span["end"]) for claim in known.read(text, code) for span in known.false_in(claim)
        ]
        found = [(span,) for span in false if draw("marker", self.name, text, *span) < hit]
        alarmed = [
            one
            for place, one in enumerate(sentences(text, code))
            if draw("marker", self.name, "alarm", text, *one)
            < alarm * (self.late if model is not None and place >= LATE else 1.0)
        ]
        found += [tuple(between(start, end, false)) for start, end in alarmed]
        kept = sorted(place for places in found for place in places)
        return [{"start": start, "end": end, "type": "hallucination", "p": 1.0} for start, end in kept]


def between(start: int, end: int, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """What of a sentence lies in none of the spans."""
    borders = [start, *(place for span in sorted(spans) if start <= span[0] < end for place in span), end]
    return [(a, b) for a, b in zip(borders[::2], borders[1::2], strict=True) if a < b]


EVEN = Marker("even", hit=(0.85, 0.85), alarm=(0.08, 0.08))
BLINDER = Marker(
    "blinder", hit=(0.9, 0.45), alarm=(0.03, 0.03)
)  # natural hallucinations are harder to see (type shift)
SHIER = Marker(
    "shier", hit=(0.85, 0.85), alarm=(0.02, 0.15)
)  # truths beyond the reference alarm it (grounding shift)
MARKERS = (EVEN, BLINDER, SHIER)
# Errs otherwise on each model, and more in long replies: worst on the best model, blind to the one that is short.
PARTIAL = Marker(
    "partial",
    hit=(0.85, 0.7),
    alarm=(0.05, 0.1),
    of_model={"aster": (0.9, 0.22), "dogwood": (0.45, 0.03), "elm": (0.7, 0.08)},
    late=2.5,
)


@dataclass(frozen=True)
class Board:
    """What a build of one seed holds."""

    at: Layout
    tables: SourceTables
    made: dict[str, pl.DataFrame]
    tasks: list[dict]
    labelled: Labelled

    @cached_property
    def known(self) -> Reader:
        return reader(build(self.at.p.seed))

    @cached_property
    def samples(self) -> pl.DataFrame:
        return pl.concat([self.made["samples"], self.labelled.samples])

    @cached_property
    def answers(self) -> list[dict]:
        """The replies in the wild with the facts of their rows."""
        rows = self.made["generations"].filter(purpose="answer", status="ok").to_dicts()
        return [row | {pair["key"]: pair["value"] for pair in row["attributes"]} for row in rows]

    def scores(self, marker: Marker) -> tuple[list[dict], pl.DataFrame]:
        """The Score rows of the track's last step with this detector, and the outcomes that models are ranked by."""
        texts = dataset.targets(self.samples, self.made["generations"]).select("target_id", "text", "lang")
        writer = {row["generation_id"]: row["model"] for row in self.answers}
        told = [
            (name, marker.spans(self.known, text, lang, model=writer.get(name)))
            for name, text, lang in texts.iter_rows()
        ]
        judged = frame(Judgement, [judgement(name, spans) for name, spans in told])
        known = {"items": self.made["items"], "samples": self.samples, "judgements": judged}
        # what is tested of these scores is not resampled
        few = self.at.p.statistics.model_copy(update={"n_bootstrap": 200})
        at = replace(self.at, p=self.at.p.model_copy(update={"statistics": few}))
        found = scores.score(at, BOARD, **known, generations=self.made["generations"], inputs="")
        return flat(found[0]), found[1]

    @cached_property
    def inserted(self) -> dict[str, float]:
        """The share of hallucinated tokens of the silver passages, by language."""
        counts: dict[str, list] = {}
        for lang, text, spans in (
            self.made["samples"].filter(task="silver").select("lang", "text", "spans").iter_rows()
        ):
            counts.setdefault(lang, []).append(
                token_counts(offsets_by("words")(text), [(one["start"], one["end"]) for one in spans], [])
            )
        return {lang: (whole := total(found)).gold / whole.n for lang, found in counts.items()}

    @cached_property
    def planted(self) -> dict[tuple, float]:
        """The rates behind them: the share in many other replies of the same models to the same queries, by
        (model, language, replies).
        """
        counts: dict[tuple, list] = {}
        queries = self.made["items"].filter(task="wild").select("lang", "question").rows()
        world = build_world(self.at.p.seed, tuple(self.at.p.languages))
        for alias in SUBJECTS:
            model = self.at.p.models[alias].model
            for lang, query in queries:
                for turn in range(N_REDRAWN):
                    reply = simulated_model.answer(world, model, Asked(BARE, message=query), 10_000 + turn)
                    spans = [(span["start"], span["end"]) for span in reply.truth["spans"]]
                    for which in REPLIES[: 1 if reply.truth["flaw"] else 2]:
                        counts.setdefault((alias, lang, which), []).append(
                            token_counts(offsets_by("words")(reply.text), spans, [])
                        )
        whole = {key: total(found) for key, found in counts.items()}
        return {key: found.gold / found.n for key, found in whole.items()}


def judgement(target: str, spans: list[dict]) -> dict:
    """A row of what the planted detector says of a text."""
    known = {"judgement_id": target, "judge": "planted", "judge_version": "", "target_id": target}
    known |= {"verdict": bool(spans), "status": "ok"}
    return known | {"spans": spans, "attributes": pairs(seed=42, **DETECTOR)}


def flat(scores: pl.DataFrame) -> list[dict]:
    """Score rows with the keys of their slices beside their columns."""
    return [row | {pair["key"]: pair["value"] for pair in row.pop("slice")} for row in scores.to_dicts()]


def settings(seed: int) -> Layout:
    """The project's own settings for one seed, small; every interval holds so surely that all rates of all
    seeds do so together.
    """
    values = load_params(str(ROOT / "params.yaml")).model_dump()
    values["sizes"]["demo"]["mfava"] |= SIZES
    values["statistics"] |= {"n_bootstrap": N_BOOTSTRAP, "confidence": family_wise(N_CELLS)}
    values["tracks"]["mfava"] |= {
        "languages": LANGS,
        "subjects": SUBJECTS,
        "detector": {"member": "planted", **DETECTOR},
    }
    return Layout(Params.model_validate(values | {"profile": "demo", "seed": seed, "n_shards": 1})).on(BOARD)


def build_board(seed: int, folder: Path) -> Board:
    """Make a board: seed files, server, model layer, track, people."""
    at = settings(seed)
    track, sizes = at.p.track(BOARD), [f"--{name}={SIZES[name]}" for name in ("train", "silver", "articles")]
    command = [
        "-m",
        "truerate_world",
        "write-wiki",
        str(folder),
        f"--seed={seed}",
        f"--languages={','.join(LANGS)}",
        *sizes,
    ]
    subprocess.run([sys.executable, *command], check=True, capture_output=True, cwd=ROOT)
    tables = wiki_files.read(folder, name="closed-world-wiki", on_bad_row="stop")
    asked = {"silver": track.writer, "translate": track.translator, "query": track.query_writer}
    replies = {name: getattr(steps, name)(at, BOARD, model, tables, 0, {}) for name, model in asked.items()}
    replies |= {
        "answer": pl.concat([steps.answer(at, BOARD, model, tables, 0, replies) for model in SUBJECTS])
    }
    made, tasks = steps.exported(at, BOARD, tables, replies, {"judgements": frame(Judgement)})
    said = list(enumerate(annotate.annotate(tasks, seed), start=1))
    labelled = labels.label(at, BOARD, tables, made, tasks, said, where="labels.jsonl", inputs="")
    return Board(at, tables, made, tasks, labelled)


# ---- what people with planted errors should agree on -------------------------------------------------------


def p_marked(text: annotate.Text, person: annotate.Annotator) -> np.ndarray:
    """The probability that a person marks each token of a text, (tokens,), from how they err; two people err
    independently.
    """
    units, p = text.units, np.zeros(len(text.units))
    for span in text.spans:
        inside = np.flatnonzero(marked(units, [(span["start"], span["end"])]))
        found, one_way = (
            1 - person.missing,
            0.5 * (0.5 if len(inside) > 1 else 1.0),
        )  # one token can only grow
        p[inside] += found
        for edge, beside in ((inside[0], inside[0] - 1), (inside[-1], inside[-1] + 1)):
            p[edge] -= found * person.shifting * 0.25 if len(inside) > 1 else 0.0
            if 0 <= beside < len(units):
                p[beside] += found * person.shifting * one_way
    for place, value in text.true.items():
        p[marked(units, [value or place])] += person.alarm
    return np.clip(p, 0.0, 1.0)


def expected_kappa(texts: list[list[np.ndarray]]) -> float:
    """Cohen's κ over tokens that annotators should have, the mean over their pairs, from each one's
    `p_marked` of each text.
    """
    each = []
    for a, b in combinations(range(len(texts[0])), 2):
        first, second = (np.concatenate([text[one] for text in texts]) for one in (a, b))
        observed = np.mean(first * second + (1 - first) * (1 - second))
        chance = first.mean() * second.mean() + (1 - first.mean()) * (1 - second.mean())
        each.append((observed - chance) / (1 - chance))
    return float(np.mean(each))
