"""What building HalluDial's data set costs without models: every step asked over HTTP of a server that answers at once.

    python benchmarks/halludial_built.py [--dialogues 205 819] [--write benchmarks/RESULTS.md]

The closed world writes so many dialogues in FaithDial's format (819 are a fifth of the paper's 4,094), and the
track's own steps build on them what the `full` profile does, all sizes in proportion: responses of five models in both
histories and at every temperature, annotations, induced and matched texts, one subject's judgements with place,
reason and pairs, and the exported data set. The server on loopback answers in form, with a place and a reason, and
each reply is stored, as it would be of a paid model. Each step is a process of its own; CPU seconds (user and
system) and peak memory are the kernel's account of it, start and imports apart; the server's own are not in it.
`--write` puts the table between the markers `<!-- bench:halludial-built -->` and `<!-- /bench:halludial-built -->`.
Exit code 1 where a step's CPU grows faster than LIMIT allows or takes more than MEMORY.
"""

import argparse
import hashlib
import json
import math
import os
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("POLARS_MAX_THREADS", "2")

from loopback import serve, served

ROOT = Path(__file__).parents[1]
BOARD, PAPER = "halludial-closed-world", 4094
RESPONDERS = tuple(f"responder-{n}" for n in range(1, 6))
ANNOTATOR, JUDGE = "writer", "judge"
TABLES = ("documents", "items", "samples", "judgements", "rejects")
ASKED = ("respond", "annotate", "induce", "detect")
WHAT = {
    "import": "the source read",
    "respond": "responses of five models",
    "annotate": "annotations of all responses",
    "induce": "induced and matched texts",
    "detect": "one subject's judgements",
    "export": "the data set exported",
}
LIMIT, MEMORY = 1.05, 2.0  # exponent of a step's CPU, GB of a step at the largest size
BLOCK = re.compile(r"#([^#\n]+)#:\n<data-[^>]*>\n?(.*?)\n?</data-", re.DOTALL)


@dataclass(frozen=True)
class Spent:
    """CPU seconds of the work, start and imports apart, and peak memory in GB; rows that came out."""

    work: float
    memory: float
    n: int


# ---- what is answered --------------------------------------------------------------------------------------
def said_to(prompt: str) -> str:
    """A reply in the form that the last line of a prompt asks for, drawn by the prompt."""
    drawn = int(hashlib.sha256(prompt.encode()).hexdigest()[:8], 16)
    told = {name: text.strip() for name, text in BLOCK.findall(prompt)}
    reply = ANSWERS[prompt.rstrip().rsplit("\n", 1)[-1].strip("#: ")]
    return reply(told, drawn)


def segment_of(text: str) -> str:
    """The last four words of a text."""
    return " ".join(text.split()[-4:])


def responded(told: Mapping[str, str], drawn: int) -> str:
    """The knowledge with a word of the model's own."""
    return f"I have read that {told['Knowledge']} It was called word{drawn % 977} then."


def located(told: Mapping[str, str], drawn: int) -> str:
    """A verdict with place and reason; a quarter is hallucinated."""
    if drawn % 4:
        return "No. All that the response states stands in the knowledge."
    return f'Yes. The segment "{segment_of(told["Response"])}" is wrong, because the knowledge says nothing of it.'


def induced(told: Mapping[str, str], drawn: int) -> str:
    """The right response with another end, its place and its reason."""
    right = told["Correct Response"].split()
    text = " ".join([*right[:-2], f"near word{drawn % 977}", "today."])
    return f'#Induced Response#: {text}\n#Segment#: "{segment_of(text)}"\n#Rationale#: The knowledge has another.'


ANSWERS: Mapping[str, Callable[[Mapping[str, str], int], str]] = {
    "Next Response": responded,
    "Annotation": located,
    "Judgement And Reason": located,
    "Is It Hallucinated": lambda told, drawn: "No" if drawn % 4 else "Yes",
    "Hallucinated One": lambda told, drawn: f"Response {1 + drawn % 2}",
    "Induced Response": induced,
    "Faithful Paraphrase": lambda told, drawn: f"As one says, {told['Correct Response']}",
}


# ---- the steps ---------------------------------------------------------------------------------------------
def layout(n: int, url: str):
    """The project's settings with the `full` sizes in proportion, and models that all stand behind one address."""
    from truerate.config import Params, load_params
    from truerate.config.layout import Layout

    values = load_params(str(ROOT / "params.yaml")).model_dump()
    full = values["sizes"]["full"]["halludial"]
    sizes = {name: math.ceil(size * n / PAPER) for name, size in full.items() if isinstance(size, int)}
    values["sizes"]["demo"]["halludial"] = full | sizes
    values |= {"profile": "demo", "n_shards": 1}
    values["tracks"]["halludial"] |= {"responders": RESPONDERS, "annotator": ANNOTATOR, "inducer": ANNOTATOR}
    values["tracks"]["halludial"] |= {"subjects": (JUDGE,), "meta_judge": None}
    values["endpoints"]["loop"] = {"base_url": url or "http://127.0.0.1:1/v1", "concurrency": 64}
    for name in (*RESPONDERS, ANNOTATOR, JUDGE):
        values["models"][name] = {"endpoint": "loop", "model": name, "family": name, "size_b": 1}
    return Layout(Params.model_validate(values)).on(BOARD)


def import_(folder: Path, n: int) -> int:
    """The tables of the dialogues that the closed world wrote."""
    from truerate.sources.papers import faithdial

    tables = faithdial.read(folder / "dialogues", name="dialogues", on_bad_row="stop")
    for name, data in tables.tables.items():
        data.write_parquet(folder / f"{name}.parquet")
    return tables.items.height


def run_step(step: str, model: str, folder: Path, n: int, url: str) -> int:
    """One step of one model on the tables of those before it; the rows that it gives."""
    import polars as pl

    from truerate.core.schemas import Generation, Judgement, read, write
    from truerate.llm.ask import ask
    from truerate.sources.collection import SourceTables
    from truerate.tracks.halludial import steps

    if step == "import":
        return import_(folder, n)
    config = layout(n, url)
    tables = SourceTables(**{name: pl.read_parquet(folder / f"{name}.parquet") for name in TABLES}, card={})
    replies = {one: pl.concat([read(Generation, file) for file in files])
               for one in ASKED if (files := sorted(folder.glob(f"{one}-*.parquet")))}  # fmt: skip
    if step == "export":
        made, _ = steps.exported(
            config, BOARD, tables, replies, {"judgements": read(Judgement, folder / "said.parquet")}
        )
        return sum(data.height for data in made.values())
    given = getattr(steps, step)(config, BOARD, model, tables, 0, replies, asking=ask)
    rows, beside = given if isinstance(given, tuple) else (given, {})
    if unread := rows.filter(~rows["status"].is_in(["ok"])).height:
        raise SystemExit(f"{unread} replies were not read: {rows.filter(rows['status'] != 'ok').row(0)}")
    write(Generation, rows, folder / f"{step}-{model}.parquet")
    if beside:
        write(Judgement, beside["judgements"], folder / "said.parquet")
    return rows.height


# ---- measuring ---------------------------------------------------------------------------------------------
def child(given: argparse.Namespace) -> None:
    """Run one step and tell what it took."""
    import truerate.llm.ask  # noqa: F401  what every step loads
    import truerate.tracks.halludial.steps  # noqa: F401
    from truerate.pipeline.dataset import collect_rarely

    collect_rarely()  # as every step of the flow
    start = used()
    n = run_step(given.step, given.model, Path(given.folder), given.n, given.url)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(json.dumps({"work": used() - start, "memory": memory, "n": n}))


def used() -> float:
    """User and system seconds of this process so far."""
    mine = resource.getrusage(resource.RUSAGE_SELF)
    return mine.ru_utime + mine.ru_stime


def measured(step: str, models: Sequence[str], folder: Path, n: int, url: str) -> Spent:
    """One step, each of its models in a process of its own: their seconds together, the largest memory."""
    each = []
    for model in models:
        words = ["--step", step, "--model", model, "--folder", str(folder), "--n", str(n), "--url", url]
        done = subprocess.run(
            [sys.executable, __file__, *words],
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | {"TRUERATE_STORE": str(folder / "store.sqlite")},
        )
        if done.returncode:
            raise SystemExit(f"{step} of {n} dialogues: {done.stderr[-3000:]}")
        each.append(Spent(**json.loads(done.stdout.splitlines()[-1])))
    spent = Spent(sum(one.work for one in each), max(one.memory for one in each), sum(one.n for one in each))
    print(f"{n:>5} dialogues {step:8} {spent.work:7.1f} s {spent.memory:.2f} GB", file=sys.stderr, flush=True)
    return spent


def run_all(folder: Path, n: int, url: str) -> dict[str, Spent]:
    """Every step at one size, each on what those before it wrote."""
    write = [sys.executable, "-m", "truerate_world", "write-dialogues", str(folder / "dialogues")]
    subprocess.run([*write, "--seed", "7", "--dialogues", str(n)], check=True)
    models = {"import": ("",), "respond": RESPONDERS, "annotate": (ANNOTATOR,), "induce": (ANNOTATOR,)}
    models |= {"detect": (JUDGE,), "export": ("",)}
    return {step: measured(step, models[step], folder, n, url) for step in WHAT}


def report(found: Mapping[int, Mapping[str, Spent]]) -> tuple[str, bool]:
    """What was measured as Markdown, and whether every limit is held."""
    small, large = min(found), max(found)
    lines = [
        f"| step | CPU s at {small:,} / {large:,} dialogues | exponent | memory GB | rows | ms a row |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    is_held = True
    for step, what in WHAT.items():
        first, last = found[small][step], found[large][step]
        grows = math.log(last.work / first.work) / math.log(large / small) if small < large else 0.0
        is_held &= grows <= LIMIT and last.memory <= MEMORY
        each = 1000 * last.work / last.n
        lines.append(
            f"| {what} | {first.work:.1f} / {last.work:.1f} | {grows:.2f} | {last.memory:.2f} | {last.n:,} | {each:.2f} |"
        )
    whole = sum(one.work for one in found[large].values())
    calls = sum(found[large][step].n for step in ASKED)
    told = (
        f"{calls:,} replies asked over HTTP, stored and read in {whole:.0f} CPU s, by the same share {whole * PAPER / large / 60:.0f} "
        f"CPU minutes at {PAPER:,} dialogues. Limits: exponent {LIMIT}, {MEMORY:g} GB a step: "
        f"{'held' if is_held else '**passed**'}."
    )
    return "\n".join([*lines, "", told]), is_held


def main() -> int:
    """Measure, print, and write where asked."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--dialogues", type=int, nargs="+", default=[205, 819])
    options.add_argument("--write", type=Path, help="file with the markers")
    for name in ("--step", "--model", "--folder", "--url"):
        options.add_argument(name, default="", help=argparse.SUPPRESS)
    options.add_argument("--n", type=int, default=0, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.step:
        serve(said_to) if given.step == "serve" else child(given)
        return 0
    from truerate.results.markers import write_between

    found = {}
    with tempfile.TemporaryDirectory() as scratch, served([__file__, "--step", "serve"]) as url:
        for n in given.dialogues:
            folder = Path(scratch) / str(n)
            folder.mkdir()
            found[n] = run_all(folder, n, url)
    text, is_held = report(found)
    print(text)
    if given.write:
        write_between(given.write, "bench:halludial-built", text)
    return 0 if is_held else 1


if __name__ == "__main__":
    sys.exit(main())
