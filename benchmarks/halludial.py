"""What HalluDial costs at its own size: 146,856 labelled responses and 11 judges, split, read and scored.

    python benchmarks/halludial.py [--dialogues 1024 4094] [--write benchmarks/RESULTS.md]

Invented dialogues of the paper's numbers (4,094 of them, 18,357 turns; five responders and three texts of an
inducer per turn; a fourth, the paraphrase, is ours and left out). Nothing is asked: replies of the judges are drawn
in the forms in which models answer. Measured are the product's own functions: both splits; every reply of a judge
read (a verdict on each test text, place and reason on 3,200, both orders of 2,000 pairs of either kind), two judges
at a time on two cores; and all Score and Outcome rows with their intervals, resamples as in params.yaml. Each part is
a process of its own; CPU seconds (user and system) and peak memory are the kernel's account of it. On two quiet
cores the whole lasts as long as the parts one after the other, reading halved.

The scores are then held against scikit-learn, sacrebleu and rouge-score on the same rows. `--write` puts the table
between the markers `<!-- bench:halludial -->` and `<!-- /bench:halludial -->` of a file. Exit code 1 where a limit is
passed or a value differs.
"""

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("POLARS_MAX_THREADS", "2")

import polars as pl
from halludial_peers import check
from halludial_rows import (
    JUDGES,
    PAPER,
    RESPONDERS,
    generations_of,
    judgements_of,
    make,
    pairs_of,
    replies_of,
    with_gold,
)

from truerate.config import load_params

SECONDS, MEMORY, EXPONENT = 60.0, 1.0, 1.05  # limits: seconds on two cores, GB of a part, growth
WORK: dict[str, float] = {}  # CPU seconds of the product alone, by part, where a part also invents rows
WHAT = {
    "split": "both splits of all texts",
    "read": "replies of 11 judges read and located",
    "score": "all scores and outcomes, with intervals",
}


@dataclass(frozen=True)
class Spent:
    """CPU seconds of the work, start and imports apart, and peak memory in GB; rows that came out."""

    work: float
    memory: float
    n: int


# ---- both splits -------------------------------------------------------------------------------------------


def split(folder: Path, n_dialogues: int) -> int:
    """The Sample table with both splits."""
    from truerate.core.schemas import SPANS, Sample, save
    from truerate.tracks.halludial.context import side_by_sample, side_of

    made = pl.read_parquet(folder / "texts.parquet")
    settings = settings_of()
    groups = made["group_id"].unique().to_list()
    side = {group: side_of(group, settings) for group in groups}
    by_sample = [side_by_sample(name, settings) for name in made["sample_id"].to_list()]
    end = pl.col("start") + 25
    span = pl.struct("start", end.alias("end"), type=pl.lit("unspecified"), p=pl.lit(None, dtype=pl.Float64))
    label = pl.col("is_hallucinated")
    known = {
        "dialogue": pl.col("group_id"),
        "split_by_sample": pl.col("side"),
        "scenario": pl.col("scenario"),
    }
    with_kind = pairs_of(**known, kind=pl.col("kind"))
    attributes = pl.when(pl.col("kind").is_null()).then(pairs_of(**known)).otherwise(with_kind)
    segment = pl.col("text").str.slice(pl.col("start"), 25)
    samples = made.with_columns(side=pl.Series(by_sample)).select(
        "sample_id",
        "item_id",
        pair_id=pl.lit(None, dtype=pl.String),
        group_id="group_id",
        task=pl.lit("dialogue"),
        lang=pl.lit("en"),
        text="text",
        is_hallucinated="is_hallucinated",
        label_source=pl.lit("silver"),
        generator="generator",
        pattern=pl.when(label).then("kind"),
        spans=pl.when(label).then(pl.concat_list(span)).otherwise(pl.lit([], dtype=SPANS)).cast(SPANS),
        rationale=pl.when(label).then(pl.lit('The segment "') + segment + '" is wrong: ' + pl.col("reason")),
        split=pl.col("group_id").replace_strict(side),
        attributes=attributes,
    )
    save(Sample, samples, folder / "samples.parquet")
    return samples.height


def settings_of() -> Any:
    """The track's settings of params.yaml, with these responders and judges."""
    track = load_params(str(Path(__file__).parents[1] / "params.yaml")).tracks["halludial"]
    more = {"responders": RESPONDERS, "subjects": JUDGES, "detector": JUDGES[0]}
    return track.model_copy(update=more | {"annotator": "annotator", "inducer": "inducer"})


# ---- replies read ------------------------------------------------------------------------------------------


def read_replies(folder: Path, n_dialogues: int, judge: str) -> int:
    """What one judge's replies say, from the replies: verdicts, located verdicts, choices."""
    from truerate.llm.replies.choices import choice
    from truerate.llm.replies.located import located_verdict
    from truerate.llm.replies.verdicts import yes_no

    drawn = replies_of(folder, n_dialogues, judge)
    start = used()
    verdicts = [yes_no(reply, "Is It Hallucinated", asks="hallucination").value for reply in drawn["verdict"]]
    located = [
        located_verdict(reply, text, "Judgement And Reason")
        for reply, text in zip(drawn["located"], drawn["located_text"], strict=True)
    ]
    names = ("Response 1", "Response 2")
    chosen = [
        choice(reply, names, "Hallucinated One", asks="hallucinated").value for reply in drawn["choice"]
    ]
    work = used() - start
    told = {"verdict": verdicts, "target": drawn["verdict_id"]}
    pl.DataFrame(told).write_parquet(folder / f"{judge}-verdicts.parquet")
    places = [[{"start": a, "end": b} for a, b in one.segments] for one in located]
    spans = pl.List(pl.Struct({"start": pl.Int64, "end": pl.Int64}))
    told = {"verdict": [one.value for one in located], "rationale": [one.rationale for one in located]}
    types = {"verdict": pl.Boolean, "rationale": pl.String}
    told |= {"target": drawn["located_id"]}
    located_rows = pl.DataFrame(told, schema_overrides=types)
    located_rows = located_rows.with_columns(spans=pl.Series(places, dtype=spans))
    located_rows.write_parquet(folder / f"{judge}-located.parquet")
    told = {"said": chosen, "target": drawn["choice_id"], "order": drawn["order"], "kind": drawn["kind"]}
    pl.DataFrame(told, schema_overrides={"said": pl.String}).write_parquet(folder / f"{judge}-chosen.parquet")
    WORK["read"] = work
    return len(verdicts) + len(located) + len(chosen)


def tables(folder: Path, n_dialogues: int) -> None:
    """Write the tables that scores are made of, but for the samples that stand."""
    items, samples = (pl.read_parquet(folder / f"{name}.parquet") for name in ("items", "samples"))
    judgements = judgements_of(folder, items)
    judgements.write_parquet(folder / "judgements.parquet")
    generations_of(items, samples, judgements).write_parquet(folder / "generations.parquet")
    with_gold(samples, n_dialogues).write_parquet(folder / "labelled.parquet")


def score(folder: Path, n_dialogues: int) -> int:
    """All Score and Outcome rows."""
    from truerate.tracks.halludial.scores import score as score_board

    statistics = load_params(str(Path(__file__).parents[1] / "params.yaml")).statistics
    names = {"samples": "labelled"} | {name: name for name in ("items", "judgements", "generations")}
    known = {name: pl.read_parquet(folder / f"{file}.parquet") for name, file in names.items()}
    p = SimpleNamespace(track=lambda board: settings_of(), statistics=statistics, seed=7)
    scores, outcomes = score_board(SimpleNamespace(p=p), "bench", **known, inputs="")
    scores.write_parquet(folder / "scores.parquet")
    outcomes.write_parquet(folder / "outcomes.parquet")
    return scores.height + outcomes.height


# ---- measuring ---------------------------------------------------------------------------------------------


def used() -> float:
    """User and system seconds of this process so far."""
    mine = resource.getrusage(resource.RUSAGE_SELF)
    return mine.ru_utime + mine.ru_stime


def child(given: argparse.Namespace) -> None:
    """Run one part and tell what it took; what a part prints of its own work counts instead of all it did."""
    import truerate.metrics.intervals  # noqa: F401  what every part loads
    import truerate.tracks.halludial.scores  # noqa: F401

    start, folder = used(), Path(given.folder)
    parts: Mapping[str, Callable[[], Any]] = {
        "make": lambda: make(folder, given.n),
        "split": lambda: split(folder, given.n),
        "read": lambda: read_replies(folder, given.n, given.judge),
        "tables": lambda: tables(folder, given.n),
        "score": lambda: score(folder, given.n),
        "check": lambda: check(folder),
    }
    n = parts[given.part]()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(json.dumps({"work": WORK.get(given.part, used() - start), "memory": memory, "n": n or 0}))


def started(part: str, folder: Path, n: int, judge: str = "") -> subprocess.Popen[str]:
    """One part in a process of its own."""
    words = [
        sys.executable,
        __file__,
        "--part",
        part,
        "--folder",
        str(folder),
        "--n",
        str(n),
        "--judge",
        judge,
    ]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(part: str, process: subprocess.Popen[str]) -> Spent:
    """What a part took."""
    out, err = process.communicate()
    if process.returncode:
        raise SystemExit(f"{part}: {err[-3000:]}")
    return Spent(**json.loads(out.splitlines()[-1]))


def measured(folder: Path, n: int) -> dict[str, Spent]:
    """Every part at one size, each on what those before it wrote; judges are read two at a time."""
    spent = {
        "make": ended("make", started("make", folder, n)),
        "split": ended("split", started("split", folder, n)),
    }
    each: list[Spent] = []
    for place in range(0, len(JUDGES), 2):
        running = [started("read", folder, n, judge) for judge in JUDGES[place : place + 2]]
        each += [ended("read", process) for process in running]
    memory = 2 * max(one.memory for one in each)
    spent["read"] = Spent(sum(one.work for one in each), memory, sum(one.n for one in each))
    ended("tables", started("tables", folder, n))
    spent["score"] = ended("score", started("score", folder, n))
    for part in ("split", "read", "score"):
        one = spent[part]
        print(f"{n:>5} dialogues {part:6} {one.work:7.1f} s {one.memory:.2f} GB", file=sys.stderr, flush=True)
    return spent


def report(found: Mapping[int, Mapping[str, Spent]], held: int) -> tuple[str, bool]:
    """What was measured as Markdown, and whether every limit is held."""
    sizes = sorted(found)
    heads = " / ".join(f"{n:,}" for n in sizes)
    lines = [
        f"| part | CPU s at {heads} dialogues | exponent | memory GB | rows |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    is_held, last = True, found[sizes[-1]]
    for part, what in WHAT.items():
        first, most = found[sizes[0]][part], last[part]
        grows = math.log(most.work / first.work) / math.log(sizes[-1] / sizes[0]) if len(sizes) > 1 else 0.0
        is_held &= grows <= EXPONENT and most.memory <= MEMORY
        seconds = " / ".join(f"{found[n][part].work:.1f}" for n in sizes)
        lines.append(f"| {what} | {seconds} | {grows:.2f} | {most.memory:.2f} | {most.n:,} |")
    seconds = last["split"].work + last["read"].work / 2 + last["score"].work
    is_held &= seconds <= SECONDS or sizes[-1] < PAPER
    told = (
        f"On two quiet cores, reading halved: {seconds:.0f} s at {sizes[-1]:,} dialogues; limits {SECONDS:g} s, "
        f"{MEMORY:g} GB, exponent {EXPONENT}: {'held' if is_held else '**passed**'}. Reading is two judges at a time, "
        f"its memory that of both. {held:,} values held against scikit-learn, sacrebleu and rouge-score."
    )
    return "\n".join([*lines, "", told]), is_held


def main() -> int:
    """Measure, check, print, and write where asked."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--dialogues", type=int, nargs="+", default=[1024, PAPER])
    options.add_argument("--write", type=Path, help="file with the markers")
    for name in ("--part", "--folder", "--judge"):
        options.add_argument(name, default="", help=argparse.SUPPRESS)
    options.add_argument("--n", type=int, default=0, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.part:
        child(given)
        return 0
    from truerate.results.markers import write_between

    found, held = {}, 0
    with tempfile.TemporaryDirectory() as scratch:
        for n in given.dialogues:
            folder = Path(scratch) / str(n)
            folder.mkdir()
            found[n] = measured(folder, n)
            held = ended("check", started("check", folder, n)).n
    text, is_held = report(found, held)
    print(text)
    if given.write:
        write_between(given.write, "bench:halludial", text)
    return 0 if is_held else 1


if __name__ == "__main__":
    sys.exit(main())
