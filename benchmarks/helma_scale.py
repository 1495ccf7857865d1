"""What HaluEval costs at HELMA's size: CPU seconds and memory of every step, from 1,000 to 35,000 items.

    python benchmarks/helma_scale.py [--items 1000 5000 35000] [--asked 3500] [--write benchmarks/RESULTS.md]

A made source of the papers' proportions (10,000 questions, dialogues and documents each and 5,000 of 7,500
general queries in 35,000 items; Zipf's words, lengths of HotpotQA, OpenDialKG, CNN/DailyMail and Alpaca) runs
through the track's own steps. Each step is a process of its own that reads and writes the tables of the flow;
replies are made from the prompts and nothing is sent, so what is measured is all but the asking. `--asked`: of
so many items one subject is asked whole against a server on loopback. CPU seconds (user and system) and peak
memory are the kernel's account of the process (`getrusage`), start and imports apart from the work; machines
and loads differ, limits stand beside. `--write` puts the table between the markers `<!-- bench:helma -->` and
`<!-- /bench:helma -->` of a file. Exit code 1 where a limit is passed.
"""

import argparse
import hashlib
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("POLARS_MAX_THREADS", "2")

ROOT = Path(__file__).parents[1]
BOARD = "halueval-closed-world"
SUBJECT, WRITER = "aster", "quill"
# words of each text: knowledge of a question and of a dialogue, a document, an answer, a response, a summary
WORDS = {"qa": 90, "dialogue": 30, "summarization": 680, "answer": 6, "turn": 18, "summary": 55, "reply": 120}
N_VOCABULARY = 30_000
HELMA = 35_000
POOL = 52_000
LIMITS = {  # CPU seconds and GB at HELMA's size, written down before anything was tuned
    "recognise": (40.0, 1.0),
    "select": (600.0, 1.5),
}
EXPONENT = 1.05
STEPS = ("import", "sample", "filter", "respond", "select", "recognise", "export", "score")


@dataclass(frozen=True)
class Spent:
    """CPU seconds of the work and of start and imports, and peak memory in GB."""

    work: float
    start: float
    memory: float
    n: int = 0

    @property
    def whole(self) -> float:
        """All CPU seconds of the process."""
        return self.work + self.start


def sizes_of(n: int) -> dict[str, int]:
    """HELMA's proportions: of 35,000 items 10,000 of each task that is sampled, 5,000 general ones of 7,500."""
    each = n * 10 // 35
    return {
        "qa": each,
        "dialogue": each,
        "summarization": each,
        "general": n * 5 // 35,
        "general_pool": n * 75 // 350,
    }


# ---- what is asked about -----------------------------------------------------------------------------------
def made_source(n: dict[str, int], seed: int) -> Iterator[tuple[str, dict]]:
    """Rows of the public formats' content: task and fields."""
    import numpy as np

    rng = np.random.default_rng(seed)

    def text(n_words: int) -> str:
        count = max(2, int(rng.normal(n_words, n_words / 4)))
        ranks = np.minimum(rng.zipf(1.15, count), N_VOCABULARY).tolist()
        return " ".join(f"word{rank}" for rank in ranks).capitalize() + "."

    for task in ("qa", "dialogue", "summarization"):
        for place in range(n[task]):
            answer = {"qa": "answer", "dialogue": "turn", "summarization": "summary"}[task]
            yield task, {
                "knowledge": text(WORDS[task]),
                "question": "" if task == "summarization" else f"{place} {text(16)}?",
                "history": f"[Human]: {text(14)}\n[Assistant]: {text(WORDS['turn'])}" if task == "dialogue" else "",
                "right": text(WORDS[answer]),
            }
    for place in range(n["general_pool"]):
        yield "general", {"knowledge": "", "question": f"{place} {text(20)}", "history": "", "right": None}


def import_(at, folder: Path, n: int) -> int:
    """The source's tables, through the account that every reader keeps."""
    from truerate.sources.collection import Collection

    card = {"name": "made", "licence": "CC0", "redistribution": "yes", "lang": "en"}
    collection = Collection(folder, name="made", on_bad_row="stop", card=card)
    for task, row in made_source(sizes_of(n) if n != POOL else only_pool(), 7):
        ids = [collection.document(row["knowledge"])] if row["knowledge"] else []
        collection.item(
            task,
            question=row["question"],
            history=row["history"],
            right_answer=row["right"],
            document_ids=ids,
            group=(task, row["question"], *ids),
        )
    tables = collection.tables()
    for name, data in tables.tables.items():
        data.write_parquet(folder / f"{name}.parquet")
    return tables.items.height


def only_pool() -> dict[str, int]:
    """The pool that the paper selects from: all of Alpaca, and nothing else."""
    return {"qa": 0, "dialogue": 0, "summarization": 0, "general": 5_000, "general_pool": POOL}


# ---- the steps ---------------------------------------------------------------------------------------------
def layout(n: int):
    """The project's settings with these sizes and one generator."""
    from truerate.config import Params, load_params
    from truerate.config.layout import Layout

    values = load_params(str(ROOT / "params.yaml")).model_dump()
    sizes = only_pool() if n == POOL else sizes_of(n)
    values["sizes"]["demo"]["halueval"] = {name: max(1, size) for name, size in sizes.items()}
    values |= {"profile": "demo", "n_shards": 1}
    values["tracks"]["halueval"] |= {"generators": (WRITER,), "subjects": (SUBJECT,)}
    return Layout(Params.model_validate(values)).on(BOARD)


def replied(requests: Sequence, at, *, label: str) -> list:
    """A reply to each request, drawn by its prompt; nothing is asked."""
    from truerate.llm import Reply

    def one(place: int, request) -> Reply:
        said = request.messages[-1]["content"]
        key = hashlib.sha256(f"{label}{place}{request.sample_index}{said[-200:]}".encode()).hexdigest()
        return Reply(key, "ok", words_for(said, int(key[:8], 16)), "stop", None, 10, 5, 0.0, False)

    return [one(place, request) for place, request in enumerate(requests)]


def words_for(prompt: str, drawn: int) -> str:
    """What a model might say to a prompt, by its last line."""
    cue = prompt.rstrip().rsplit("\n", 1)[-1]
    if "Understood" in cue:
        return "Understood."
    if "Judgement" in cue:
        return f"{cue} {('Yes', 'No')[drawn % 2]}"
    if "Choice" in cue or "Best" in cue:
        noun = next(noun for noun in ("Answer", "Response", "Summary") if f"{noun} 1" in prompt)
        return f"{cue} {noun} {1 + drawn % 2}"
    n_words = 12 if cue.startswith("#") else WORDS["reply"]
    text = " ".join(f"word{(drawn * (place + 7)) % 977}" for place in range(n_words))
    return f"{cue} {text}" if cue.startswith("#") else text


def tables_in(folder: Path):
    """The source that `import` wrote."""
    import polars as pl

    from truerate.sources.collection import SourceTables

    names = ("documents", "items", "samples", "judgements", "rejects")
    return SourceTables(**{name: pl.read_parquet(folder / f"{name}.parquet") for name in names}, card={})


def run_step(name: str, folder: Path, n: int, asking: Callable | None = None) -> int:
    """One step on the tables of those before it; the rows that it gives."""
    import polars as pl

    from truerate.core.schemas import Generation, Judgement, read, write
    from truerate.tracks.halueval import graph, steps

    at = layout(n)
    if name == "import":
        return import_(at, folder, n)
    tables = tables_in(folder)
    known = {step.name: [one.step for one in step.reads] for step in graph.GRAPH}
    if name in ("export", "score"):
        return finish(name, at, tables, folder)
    upstream = {one: read(Generation, folder / f"{one}.parquet") for one in known[name]}
    model = {"recognise": SUBJECT}.get(name, WRITER)
    given = getattr(steps, name)(at, BOARD, model, tables, 0, upstream, asking=asking or replied)
    rows, beside = given if isinstance(given, tuple) else (given, {})
    write(Generation, rows, folder / f"{name}.parquet")
    for table, data in beside.items():
        write(Judgement, data, folder / f"{table}.parquet")
    return len(pl.concat([rows]))


def finish(name: str, at, tables, folder: Path) -> int:
    """The whole data set from the scratch files, or its scores."""
    from truerate.core.schemas import Generation, Judgement, Outcome, Score, read, validate, write
    from truerate.core.schemas import Item, Sample
    from truerate.tracks.halueval import steps

    if name == "export":
        replies = {one: read(Generation, folder / f"{one}.parquet") for one in ("sample", "filter", "select", "recognise")}
        made, _ = steps.exported(at, BOARD, tables, replies, {"judgements": read(Judgement, folder / "judgements.parquet")})
        for table, model in {"items": Item, "samples": Sample, "generations": Generation}.items():
            write(model, validate(model, made[table], where=table), folder / f"whole-{table}.parquet")
        return made["generations"].height
    at = at_with(at, n_bootstrap=200)
    whole = {table: read(model, folder / f"whole-{table}.parquet")
             for table, model in {"items": Item, "samples": Sample, "generations": Generation}.items()}  # fmt: skip
    judgements = read(Judgement, folder / "judgements.parquet")
    scores, outcomes = steps.score(at, BOARD, **whole, judgements=judgements, inputs="")
    return validate(Score, scores, where="scores").height + validate(Outcome, outcomes, where="outcomes").height


def at_with(at, **statistics):
    """The layout with other settings of the statistics."""
    from dataclasses import replace

    own = at.p.model_copy(update={"statistics": at.p.statistics.model_copy(update=statistics)})
    return replace(at, p=own)


# ---- measuring ---------------------------------------------------------------------------------------------
def child(given: argparse.Namespace) -> None:
    """Run one step and tell what it took."""
    import truerate.llm  # noqa: F401  what every step loads
    import truerate.tracks.halueval.steps  # noqa: F401

    start = used()
    n = run_step(given.step, Path(given.folder), given.n)
    print(json.dumps({"work": used() - start, "start": start, "memory": peak(), "n": n}))


def used() -> float:
    """User and system seconds of this process so far."""
    mine = resource.getrusage(resource.RUSAGE_SELF)
    return mine.ru_utime + mine.ru_stime


def peak() -> float:
    """Peak resident memory of this process in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def measured(step: str, folder: Path, n: int, *more: str) -> Spent:
    """One step in a process of its own."""
    words = [sys.executable, __file__, "--step", step, "--folder", str(folder), "--n", str(n), *more]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{step} at {n}: {done.stderr[-3000:]}")
    return Spent(**json.loads(done.stdout.splitlines()[-1]))


def main() -> int:
    """Measure, print, and write where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, nargs="+", default=[1_000, 5_000, HELMA])
    parser.add_argument("--asked", type=int, default=3_500, help="items of which a subject is asked whole; 0: none")
    parser.add_argument("--pool", type=int, default=POOL, help="0: the paper's pool is not selected from")
    parser.add_argument("--write", type=Path, help="file with the markers")
    for name in ("--step", "--folder"):
        parser.add_argument(name, help=argparse.SUPPRESS)
    parser.add_argument("--n", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    os.chdir(ROOT)
    if given.step:
        child(given)
        return 0
    found: dict[int, dict[str, Spent]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for n in given.items:
            folder = Path(scratch) / str(n)
            folder.mkdir()
            found[n] = {}
            for step in STEPS:
                found[n][step] = measured(step, folder, n)
                print(n, step, found[n][step], file=sys.stderr, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
