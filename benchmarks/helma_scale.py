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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from loopback import serve, served

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
LIMITS = {  # CPU seconds and GB, written down before anything was tuned: of a subject at HELMA's size, of the whole pool
    ("built", HELMA): (40.0, 1.0),
    ("select", POOL): (600.0, 1.5),
}
EXPONENT = 1.05
STEPS = ("import", "sample", "filter", "respond", "select", "built", "recognise", "export", "score")
WHAT = {
    "import": "rows of the source to tables",
    "sample": "candidates of one generator",
    "filter": "one judge's choices",
    "respond": "three responses per general query",
    "select": "general queries compared and selected (chrF)",
    "built": "a subject's requests built, not sent",
    "recognise": "a subject's requests, and replies read",
    "export": "data set and judgements of one subject",
    "score": "scores of one subject",
    "asked": "a subject asked whole, over HTTP",
}


@dataclass(frozen=True)
class Spent:
    """CPU seconds of the work and of start and imports, and peak memory in GB."""

    work: float
    start: float
    memory: float
    n: int = 0
    wall: float = 0.0

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
            yield (
                task,
                {
                    "knowledge": text(WORDS[task]),
                    "question": "" if task == "summarization" else f"{place} {text(16)}?",
                    "history": f"[Human]: {text(14)}\n[Assistant]: {text(WORDS['turn'])}"
                    if task == "dialogue"
                    else "",
                    "right": text(WORDS[answer]),
                },
            )
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
def layout(n: int, url: str = ""):
    """The project's settings with these sizes, one generator and one subject; `url`: where it is asked."""
    from truerate.config import Params, load_params
    from truerate.config.layout import Layout

    values = load_params(str(ROOT / "params.yaml")).model_dump()
    sizes = only_pool() if n == POOL else sizes_of(n)
    values["sizes"]["demo"]["halueval"] = {name: max(1, size) for name, size in sizes.items()}
    values |= {"profile": "demo", "n_shards": 1}
    values["tracks"]["halueval"] |= {"generators": (WRITER,), "subjects": (SUBJECT,)}
    if url:
        values["endpoints"]["loop"] = {"base_url": url, "concurrency": 64}
        values["models"][SUBJECT] = {"endpoint": "loop", "model": "m", "family": "m", "size_b": 1}
    return Layout(Params.model_validate(values)).on(BOARD)


def unsent(requests: Sequence, at, *, label: str) -> list:
    """A dead letter to each request: nothing is asked and nothing is read."""
    from truerate.llm.request import Reply

    return [Reply(f"{n:064x}", "dead", "", None, "", None, None, 0.0, False) for n in range(len(requests))]


def replied(requests: Sequence, at, *, label: str) -> list:
    """A reply to each request, drawn by its prompt; nothing is asked."""
    from truerate.llm.request import Reply

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


def run_step(name: str, folder: Path, n: int, url: str = "") -> int:
    """One step on the tables of those before it; the rows that it gives."""
    from truerate.core.schemas import Generation, Judgement, read, write
    from truerate.llm.ask import ask
    from truerate.tracks.halueval import steps
    from truerate.tracks.protocol import graph_of_track

    config = layout(n, url)
    if name == "import":
        return import_(config, folder, n)
    tables = tables_in(folder)
    known = {step.name: [one.step for one in step.reads] for step in graph_of_track("halueval")}
    if name in ("export", "score"):
        return finish(name, config, tables, folder)
    step = "recognise" if name in ("built", "asked") else name
    upstream = {one: read(Generation, folder / f"{one}.parquet") for one in known[step]}
    model = SUBJECT if step == "recognise" else WRITER
    asking = {"built": unsent, "asked": ask}.get(name, replied)
    given = getattr(steps, step)(config, BOARD, model, tables, 0, upstream, asking=asking)
    rows, beside = given if isinstance(given, tuple) else (given, {})
    if name == "asked" and (n_dead := rows.filter(status="dead").height):
        raise SystemExit(f"{n_dead} dead letters: {rows.filter(status='dead')['reason'][0]}")
    if step != name:
        return rows.height
    write(Generation, rows, folder / f"{name}.parquet")
    for table, data in beside.items():
        write(Judgement, data, folder / f"{table}.parquet")
    return rows.height


def finish(name: str, at, tables, folder: Path) -> int:
    """The whole data set from the scratch files, or its scores."""
    from truerate.core.schemas import (
        Generation,
        Item,
        Judgement,
        Outcome,
        Sample,
        Score,
        read,
        validate,
        write,
    )
    from truerate.tracks.halueval import steps
    from truerate.tracks.halueval.scores import score

    if name == "export":
        replies = {
            one: read(Generation, folder / f"{one}.parquet")
            for one in ("sample", "filter", "select", "recognise")
        }
        made, _ = steps.exported(
            at, BOARD, tables, replies, {"judgements": read(Judgement, folder / "judgements.parquet")}
        )
        for table, model in {"items": Item, "samples": Sample, "generations": Generation}.items():
            write(model, validate(model, made[table], where=table), folder / f"whole-{table}.parquet")
        return made["generations"].height
    whole = {table: read(model, folder / f"whole-{table}.parquet")
             for table, model in {"items": Item, "samples": Sample, "generations": Generation}.items()}  # fmt: skip
    judgements = read(Judgement, folder / "judgements.parquet")
    scores, outcomes = score(at, BOARD, **whole, judgements=judgements, inputs="")
    return (
        validate(Score, scores, where="scores").height + validate(Outcome, outcomes, where="outcomes").height
    )


# ---- the server --------------------------------------------------------------------------------------------
def said_to(prompt: str) -> str:
    """What the server answers: words that the prompt draws."""
    return words_for(prompt, int(hashlib.sha256(prompt.encode()).hexdigest()[:8], 16))


# ---- measuring ---------------------------------------------------------------------------------------------
def child(given: argparse.Namespace) -> None:
    """Run one step and tell what it took."""
    import truerate.llm.ask  # noqa: F401  what every step loads
    import truerate.tracks.halueval.steps  # noqa: F401
    from truerate.pipeline.dataset import collect_rarely

    collect_rarely()  # as every step of the flow
    start, since = used(), time.monotonic()
    n = run_step(given.step, Path(given.folder), given.n, given.url)
    wall = time.monotonic() - since
    print(json.dumps({"work": used() - start, "start": start, "memory": peak(), "n": n, "wall": wall}))


def used() -> float:
    """User and system seconds of this process so far."""
    mine = resource.getrusage(resource.RUSAGE_SELF)
    return mine.ru_utime + mine.ru_stime


def peak() -> float:
    """Peak resident memory of this process in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def measured(step: str, folder: Path, n: int, url: str = "") -> Spent:
    """One step in a process of its own."""
    words = [sys.executable, __file__, "--step", step, "--folder", str(folder), "--n", str(n), "--url", url]
    store = os.environ | {"TRUERATE_STORE": str(folder / "store.sqlite")}
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=store)
    if done.returncode:
        raise SystemExit(f"{step} at {n}: {done.stderr[-3000:]}")
    spent = Spent(**json.loads(done.stdout.splitlines()[-1]))
    print(f"{n:>6} {step:10} {spent.work:8.1f} s {spent.memory:.2f} GB", file=sys.stderr, flush=True)
    return spent


def run_all(scratch: Path, n: int, steps: Sequence[str]) -> dict[str, Spent]:
    """These steps at one size, each on what those before it wrote."""
    folder = scratch / str(n)
    folder.mkdir(exist_ok=True)
    return {step: measured(step, folder, n) for step in steps}


def exponent(small: tuple[int, Spent], large: tuple[int, Spent]) -> float:
    """How the CPU seconds of the work grow with the items: 1 is in proportion."""
    return math.log(large[1].work / small[1].work) / math.log(large[0] / small[0])


def table(
    found: dict[int, dict[str, Spent]], pool: Spent | None, asked: tuple[int, Spent] | None
) -> tuple[str, bool]:
    """What was measured as Markdown, and whether every limit is held."""
    sizes = sorted(found)
    heads = " / ".join(f"{n:,}" for n in sizes)
    lines = [
        f"| step | {heads} items: CPU s of the work | exponent {sizes[0]:,} to {sizes[-1]:,} | memory GB at {sizes[-1]:,} | rows there |",
        "| --- |" + " ---: |" * 4,
    ]
    is_held = True
    for step in found[sizes[0]]:
        row = [found[n][step] for n in sizes]
        grows = exponent((sizes[0], row[0]), (sizes[-1], row[-1])) if len(sizes) > 1 else 0.0
        is_held &= grows <= EXPONENT
        seconds = " / ".join(f"{spent.work:,.1f}" for spent in row)
        lines.append(f"| {WHAT[step]} | {seconds} | {grows:.2f} | {row[-1].memory:.2f} | {row[-1].n:,} |")
    told = []
    limited = {("built", HELMA): found.get(HELMA, {}).get("built"), ("select", POOL): pool}
    for (step, n), spent in limited.items():
        if spent:
            seconds, memory = LIMITS[step, n]
            is_fit = spent.whole <= seconds and spent.memory <= memory
            is_held &= is_fit
            word = "held" if is_fit else "**passed**"
            told.append(
                f"- {WHAT[step]}, {n:,}: {spent.whole:,.1f} CPU s with start and {spent.memory:.2f} GB; "
                f"limit {seconds:g} s and {memory:g} GB, {word}."
            )
    if asked:
        n, spent = asked
        scaled = (
            ""
            if n == HELMA
            else (
                f"; scaled in proportion to {HELMA:,} items: {spent.work * HELMA / n:,.0f} CPU s, "
                f"{spent.n * HELMA // n:,} replies"
            )
        )
        told.append(
            f"- {WHAT['asked']}, {n:,} items: {spent.n:,} replies in {spent.work:,.1f} CPU s "
            f"({1000 * spent.work / spent.n:.2f} ms each), {spent.memory:.2f} GB{scaled}."
        )
    limit = f"Limit of every exponent: {EXPONENT}. CPU is user and system time of the step's own process, start apart."
    return "\n".join([*lines, "", *told, "", limit]), is_held


def main() -> int:
    """Measure, print, and write where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, nargs="+", default=[1_000, 5_000, HELMA])
    parser.add_argument(
        "--asked", type=int, default=3_500, help="items of which a subject is asked whole; 0: none"
    )
    parser.add_argument("--no-pool", action="store_true", help="the paper's pool is not selected from")
    parser.add_argument("--write", type=Path, help="file with the markers")
    for name in ("--step", "--folder", "--url"):
        parser.add_argument(name, help=argparse.SUPPRESS)
    parser.add_argument("--n", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    os.chdir(ROOT)
    if given.step:
        serve(said_to) if given.step == "serve" else child(given)
        return 0
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        found = {n: run_all(scratch, n, STEPS) for n in given.items}
        pool = None if given.no_pool else run_all(scratch, POOL, ("import", "respond", "select"))["select"]
        asked = None
        if given.asked:
            run_all(scratch, given.asked, STEPS[: STEPS.index("built")])
            with served([__file__, "--step", "serve"]) as url:
                asked = given.asked, measured("asked", scratch / str(given.asked), given.asked, url)
    text, is_held = table(found, pool, asked)
    print(text)
    if given.write:
        from truerate.results.markers import write_between

        write_between(given.write, "bench:helma", text)
    return int(not is_held)


if __name__ == "__main__":
    sys.exit(main())
