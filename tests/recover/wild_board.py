"""A whole WildHallucinations board of the closed world, made by the track's own steps; its models are called
as functions.

Pages come as a recorded search of their texts, so that nothing is fetched: what HTTP does to pages is tested
where it is done.
"""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import polars as pl

from truerate.annotation.labels import Labelled
from truerate.config import Params, load_params
from truerate.config.layout import Layout
from truerate.core.keys import content_id
from truerate.core.schemas import Score, frame
from truerate.llm.request import Reply, answered
from truerate.sources.papers import wildchat
from truerate.sources.tables import SourceTables
from truerate.tracks.wildhallucinations import dataset, evidence, labels, scores, steps
from truerate_world.completions import completion_of
from truerate_world.encyclopedia import World, build
from truerate_world.wildhallucinations.annotate import annotate
from truerate_world.wildhallucinations.annotator_noise import readable
from truerate_world.wildhallucinations.chats import write_chats
from truerate_world.wildhallucinations.models.pages import web
from truerate_world.wildhallucinations.models.writing import text_of
from truerate_world.wildhallucinations.truth import planted_scores, verifier_scores
from truerate_world.wildhallucinations.truth_funnel import funnel_scores

from .board import ROOT
from .broken_models import (
    answering,
    long_paragraphs,
    saying,
    with_other_scripts,
)
from .cells import family_wise
from .mfava_board import flat
from .misreading import Recorded

BOARD = "wildhallucinations-closed-world"
SEEDS = (101, 202)
SUBJECTS = ("aster", "birch", "cedar", "dogwood", "elm")
SIZES = {"chats": 1500, "entities": 10_000, "labelled": 120, "replies": 120, "reviewed": 300, "checked": 60}
N_CHECKED = 100  # facts of each model that are verified one by one, too
N_CELLS = 120  # intervals that are held against a planted value, at most


@dataclass(frozen=True)
class Board:
    """What a build holds. `tasks` are those that people were given."""

    at: Layout
    world: World
    tables: SourceTables
    made: dict[str, pl.DataFrame]
    tasks: list[dict]
    labelled: Labelled
    purposes: frozenset[str]
    prompts: tuple[Recorded, ...]
    breaks: frozenset[str] = frozenset()

    @cached_property
    def scores(self) -> list[dict]:
        """The Score rows of the track's last step and of its labels, the keys of their slices beside their
        columns.
        """
        known = {name: self.made[name] for name in ("items", "generations", "judgements", *dataset.SCORED)}
        samples = pl.concat([self.made["samples"], self.labelled.samples])
        found, _ = scores.score(self.at, BOARD, samples=samples, inputs="", **known)
        return flat(pl.concat([found, self.labelled.scores]))

    @cached_property
    def planted(self) -> list[dict]:
        """The planted Score rows of the same texts."""
        known = {"world": self.world, "items": self.made["items"]}
        track = self.at.p.track(BOARD)
        models = {alias: self.at.p.models[alias].model for alias in track.subjects}
        known |= {"models": models, "saying": saying(self.breaks)}
        generations = self.made["generations"]
        rows = planted_scores(BOARD, generations=generations, domains_above=track.domains_above, **known)
        known = {"world": self.world, "items": self.made["items"]}
        rows += verifier_scores(BOARD, facts=self.made["facts"], judgements=self.made["judgements"], **known)
        rows += funnel_scores(BOARD, chats=self.tables.items, rejects=self.made["rejects"], **known)
        return flat(frame(Score, rows))


def settings(seed: int, folder: Path, sizes: dict, subjects: tuple[str, ...]) -> Layout:
    """The project's own settings, the search recorded; every interval holds so surely that all of them do so
    together.
    """
    values = load_params(str(ROOT / "params.yaml")).model_dump()
    values["sizes"]["demo"]["wildhallucinations"] = sizes
    values["statistics"] |= {"n_bootstrap": 200, "confidence": family_wise(N_CELLS)}
    track = values["tracks"]["wildhallucinations"]
    track |= {"subjects": subjects}
    track["answering"] |= {"max_tokens": 4096}
    track["search"] |= {"endpoint": None, "url": None, "recorded": str(folder / "searches.jsonl")}
    track["fetch"] |= {"proxy": None}
    track["verification"] |= {"n_checked": N_CHECKED}
    return Layout(Params.model_validate(values | {"profile": "demo", "seed": seed, "n_shards": 1})).on(BOARD)


def build_board(
    seed: int, folder: Path, *, breaks=frozenset(), sizes: dict = SIZES, subjects: tuple[str, ...] = SUBJECTS
) -> Board:
    """Make the board: chats, entities, pages, replies, facts, verdicts, people; names and models broken as `breaks`
    says (`truerate_world.wildhallucinations.breaks.MODELS`).
    """
    at, world = settings(seed, folder, sizes, subjects), build(seed)
    world = with_other_scripts(world) if "other-scripts" in breaks else world
    reply = answering(breaks)
    purposes: set[str] = set()
    asked: list[Recorded] = []
    track = at.p.track(BOARD)
    write_chats(folder / "chats", seed, sizes["chats"], world=world)
    tables = wildchat.read(folder / "chats", name="closed-world-chats", on_bad_row="stop")
    record(world, folder / "searches.jsonl", is_long="long-replies" in breaks)

    def asking(requests, at, *, label):
        asked.extend(_prompt(request) for request in requests)
        return [_said(at, world, reply, request, purposes) for request in requests]

    replies = {"extract": steps.extract(at, BOARD, track.extractor, tables, 0, {}, asking=asking)}
    replies["curate"] = steps.curate(at, BOARD, track.curator, tables, 0, replies, asking=asking)
    replies["evidence"], beside = evidence.evidence(at, BOARD, "web", tables, 0, replies)
    replies["documents"] = beside["documents"]
    said = [steps.generate(at, BOARD, model, tables, 0, replies, asking=asking) for model in subjects]
    replies["generate"] = pl.concat(said)
    checked = [steps.facts(at, BOARD, model, tables, 0, replies, asking=asking) for model in subjects]
    replies["facts"] = pl.concat([rows for rows, _ in checked])
    beside |= {"judgements": pl.concat([more["judgements"] for _, more in checked])}
    made, tasks = dataset.exported(at, BOARD, tables, replies, beside)
    # which a build writes part by part
    made["documents"] = pl.concat([tables.documents, beside["documents"]])
    rows = list(enumerate(annotate(tasks, world, seed, n_annotators=track.n_annotators), start=1))
    labelled = labels.label(at, BOARD, tables, made, tasks, rows, where="labels.jsonl", inputs="")
    return Board(at, world, tables, made, tasks, labelled, frozenset(purposes), tuple(asked), breaks)


def _prompt(request) -> Recorded:
    params = request.params
    messages = tuple(request.messages)
    return Recorded(messages, params["temperature"], params.get("seed"), params.get("max_tokens"))


def _said(config: Layout, world: World, reply, request, purposes: set[str]) -> Reply:
    """What a simulated model says; its endpoint is left out."""
    model, params = config.p.models[request.model].model, request.params
    found = reply(
        world, model, list(request.messages), temperature=params["temperature"], seed=params.get("seed")
    )
    purposes.add(found.task)
    key = content_id(model, request.messages, params, request.sample_index)
    body = {"model": model, "messages": request.messages, "max_tokens": params.get("max_tokens")}
    sent = completion_of(body, found.text, key, found.finish)["choices"][0]
    return answered(key, sent["message"]["content"], sent["finish_reason"], 1, 1, is_stored=False)


def record(world: World, path: Path, *, is_long: bool) -> None:
    """The pages that a search gives for each entity, those that can be read with their text; the others come
    to nothing.
    """

    def text(page) -> str:
        return "\n".join(long_paragraphs(world, page)) if is_long else text_of(world, page)

    with path.open("w", encoding="utf-8") as file:
        for entity in range(len(world.entities)):
            items = [
                {"link": page.url, "title": page.title, "text": text(page)}
                for page in readable(world, entity)
            ]
            file.write(json.dumps({"query": world.lexicon().name(entity), "items": items}) + "\n")
        for name, found in web(world).referents.items():
            items = [{"link": page.url, "title": page.title, "text": text(page)} for page in found]
            file.write(json.dumps({"query": name, "items": items}) + "\n")
