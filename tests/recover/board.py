"""One closed-world board, made from its seed files up by the project's own steps: seed files, the models' server, track, labels."""

import subprocess
import sys
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace

import polars as pl

from truerate.config import Params, load_params
from truerate.config.layout import Layout
from truerate.core.schemas import Judgement, Score, frame
from truerate.sources.raw import seed_files
from truerate.sources.tables import SourceTables
from truerate.tracks.asking import Asking
from truerate.tracks.halueval import steps
from truerate.tracks.halueval.labels import label
from truerate.tracks.halueval.scores import score
from truerate_world.encyclopedia import World, build
from truerate_world.halueval.annotate import annotate
from truerate_world.halueval.truth import planted_scores

from .direct import served
from .misreading import Recorded

BOARD = "halueval-closed-world"
ROOT = Path(__file__).parents[2]
N = 50  # items of each task


def sizes(n: int) -> dict[str, int]:
    """The sizes of a board with n items of each task."""
    return {"qa": n, "dialogue": n, "summarization": n, "general": n, "general_pool": n * 3 // 2}


@dataclass(frozen=True)
class Board:
    """What a build of one seed holds. `samples` are those of the data set and the general responses that
    people labelled; `prompts` what the models of this process were asked.
    """

    at: Layout
    world: World
    tables: SourceTables
    dataset: SimpleNamespace
    samples: pl.DataFrame
    judgements: pl.DataFrame
    labelled: pl.DataFrame
    prompts: tuple[Recorded, ...]

    @property
    def seed(self) -> int:
        return self.at.p.seed

    @cached_property
    def scores(self) -> list[dict]:
        """The Score rows of the track's last step."""
        known = {"items": self.dataset.items, "samples": self.samples, "judgements": self.judgements}
        found, _ = score(self.at, BOARD, **known, generations=self.dataset.generations, inputs="")
        return found.to_dicts()

    def planted(self) -> list[dict]:
        """The planted Score rows of the same texts."""
        rows = planted_scores(
            BOARD,
            world=self.world,
            models={alias: self.at.p.models[alias].model for alias in self.at.p.track(BOARD).models()},
            samples=self.samples,
            items=self.dataset.items,
            documents=self.tables.documents,
            variants=self.at.p.track(BOARD).variants,
            generations=self.dataset.generations.select("purpose", "model", "attributes"),
            reask=self.at.p.llm.reask,
        )
        return frame(Score, rows).to_dicts()


def settings(seed: int, n: int) -> Layout:
    """The project's own settings for one seed, small, with every simulated model a generator and a subject."""
    values = load_params(str(ROOT / "params.yaml")).model_dump()
    values["sizes"]["demo"]["halueval"] = sizes(n)
    values |= {"profile": "demo", "seed": seed, "n_shards": 1}
    values["statistics"]["n_bootstrap"] = 100  # intervals are made here, from counts
    # asked for again, nearly every reply would be read: too few would be left to measure how many are not
    values["llm"]["reask"] = 0
    models = tuple(
        name for name, model in values["models"].items() if not model["retrieval"]
    )  # those are the wild track's
    values["tracks"]["halueval"] |= {"generators": models, "subjects": models, "refinement": False}
    return Layout(Params.model_validate(values)).on(BOARD)


def build_board(
    seed: int, folder: Path, met: set[tuple], *, n: int = N, asking: Asking | None = None
) -> Board:
    """Make a board. `met` holds what was asked before, of this and other seeds; items that repeat it are left
    out, new ones are added.

    Its 11,000 prompts are put to the models' server in this process, which takes a tenth of what HTTP takes,
    unless `asking` is another way.
    """
    at, world = settings(seed, n), build(seed, ("en",))
    tables = seed_tables(seed, folder, met, n_pool=sizes(n)["general_pool"])
    asked, track = at.p.track(BOARD).models(), at.p.track(BOARD)
    direct = served(at, "halueval")
    how = {"asking": asking or direct}
    replies = {"sample": pl.concat([steps.sample(at, BOARD, model, tables, 0, {}, **how) for model in asked])}
    filtered = [steps.filter(at, BOARD, judge, tables, 0, replies, **how) for judge in asked]
    own = asked.index(track.filter_judge)
    responded = {"respond": steps.respond(at, BOARD, track.responder, tables, 0, {}, **how)}
    replies |= {"filter": filtered[own], "select": steps.select(at, BOARD, "", tables, 0, responded)}
    data, tasks = steps.exported(at, BOARD, tables, replies, {"judgements": frame(Judgement)})
    recognised = [steps.recognise(at, BOARD, subject, tables, 0, replies, **how) for subject in asked]
    judgements = pl.concat([beside["judgements"] for _, beside in recognised])
    others = [rows for place, rows in enumerate(filtered) if place != own]
    generations = pl.concat([data["generations"], *others])
    dataset = SimpleNamespace(**data | {"generations": generations}, tasks=tasks)
    said = list(enumerate(annotate(dataset.tasks, world, seed), start=1))
    labelled = label(
        at,
        BOARD,
        tables,
        {"generations": dataset.generations, "samples": dataset.samples},
        dataset.tasks,
        said,
        where="labels.jsonl",
        inputs="",
    )
    samples = pl.concat([dataset.samples, labelled.samples])
    made = (dataset, samples, judgements, labelled.judgements)
    return Board(at, world, tables, *made, tuple(direct.prompts))


def seed_tables(seed: int, folder: Path, met: set[tuple], *, n_pool: int) -> SourceTables:
    """The source tables of a seed's files, without items whose draws would repeat those of an item met before."""
    write = [
        "-m",
        "truerate_world",
        "write",
        str(folder),
        "--seed",
        str(seed),
        "--items",
        str(n_pool),
        "--languages",
        "en",
    ]
    subprocess.run([sys.executable, *write], check=True, capture_output=True, cwd=ROOT)
    tables = seed_files.read(folder, name="closed-world", on_bad_row="stop")
    return replace(tables, items=unmet(tables.items, met))


def unmet(items: pl.DataFrame, met: set[tuple]) -> pl.DataFrame:
    """The items that no draw has seen: a simulated model's draws are keyed by what it judges, so an item that
    comes twice is one draw.

    Everything is keyed by the question and the dialogue, summaries by the right one and their document, which
    stand and fall together.
    """
    kept = []
    for row in items.iter_rows(named=True):
        said = (
            row["right_answer"] if row["task"] == "summarization" else f"{row['history']}\n{row['question']}"
        )
        claim = (row["task"], *said.casefold().split())
        if claim not in met:
            met.add(claim)
            kept.append(row["item_id"])
    return items.filter(pl.col("item_id").is_in(kept))
