"""How the cost of each stage grows with the size of a board: CPU seconds and peak memory of one process, at several
times the size of the demo.

    python benchmarks/growth.py [--boards mfava-closed-world ...] [--factors 1 9 27] [--stages judge score ...]
        [--replies] [--built DIR] [--measured FILE] [--write benchmarks/RESULTS.md]

The stages from `train` to `render` are measured, each by its own command in a process of its own, on a project that
holds one board alone. A board of k times the size is the tables of the built one (`--built`: a folder in which `dvc
repro` ran) repeated k times, every copy under ids of its own: as many rows, items and clusters as a board of that
size has, but no new words. With `--replies` replies in the wild alone are repeated, with what is asked and said of
them: a board of mFAVA grows so, while what people label hardly does, and the detector of the rates alone judges what
nobody labelled. A reply of WildHallucinations' demo has four
facts and one of its paper thirty: each fact and what the verifier says of it is seven before the board is repeated,
or the size at which there are 3.5 M facts would have seven times the paper's replies and entities. Networks learn in
as few steps as there can be: what grows is what is read before. CPU is that of a stage's process and of all that it
started, peak memory that of its largest process (`whole_cost.py`).

The exponent is log(CPU at k / CPU at j) / log(k / j) between the two largest factors, less what the stage takes on
the smallest board, which is mostly imports; memory at the paper's size is the straight line through the same two.
`--measured` names a JSON file to which runs add what they measured, so that boards, stages and sizes may be measured
one after the other; `--write` puts the tables of all that between the markers `<!-- bench:growth -->` and `<!--
/bench:growth -->` of a file.
"""

import argparse
import json
import math
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import polars as pl
import yaml

HERE = Path(__file__).resolve().parents[1]
ID = r"\b([0-9a-f]{16})\b"  # a content id, also within a value that names several
IDS = ("_id", "document_ids", "evidence", "attributes")  # ends of the names of columns that hold ids
PAPER = {  # times the demo's size at which a board is as large as its paper's, and what that is reckoned by
    "halueval": (113, "35,000 items"),
    "mfava": (220, "300,000 training passages, all else as often"),
    "wildhallucinations": (366, "3.5 M facts, seven for each of the demo's"),
    "halludial": (102, "4,094 dialogues"),
}
DENSER = {"wildhallucinations": 7}  # facts for each of the demo's
PAPER_REPLIES = (468, "562,000 replies")
REPLIES = ", replies in the wild alone"  # ends the title of a board of which these alone were repeated
LEAST_S = 0.5  # CPU seconds of growth below which an exponent would be of noise
COMMANDS = {
    "train": ("train", "{board}"),
    "judge": ("judge", "{board}"),
    "audit": ("audit", "--save", "{board}"),
    "score": ("score", "{board}"),
    "leaderboard": ("leaderboard",),
    "render": ("render",),
}


class Cost(NamedTuple):
    """What one stage took at one size: seconds of CPU and the peak memory of its largest process in MB."""

    cpu: float
    memory: float


Measured = dict[str, dict[str, dict[int, Cost]]]  # by board, stage and factor


# ---- larger boards -----------------------------------------------------------------------------------------
def repeated(table: pl.DataFrame, k: int) -> pl.DataFrame:
    """The rows k times, those of each copy but the first under ids of their own, wherever a row names one."""
    return pl.concat([table, *(copied(table, copy) for copy in range(1, k))])


def copied(table: pl.DataFrame, copy: int) -> pl.DataFrame:
    """The rows under ids of their own, wherever a row names one."""
    named = [name for name in table.columns if name.endswith(IDS)]
    return table.with_columns(_renamed(table.schema[name], pl.col(name), f"${{1}}x{copy}") for name in named)


def _renamed(kind: pl.DataType, column: pl.Expr, name: str) -> pl.Expr:
    """A column of texts, lists of texts or key–value pairs with every id in it under another name."""
    if kind == pl.String:
        return column.str.replace_all(ID, name)
    if kind == pl.List(pl.String):
        return column.list.eval(pl.element().str.replace_all(ID, name))
    value = pl.element().struct.field("value").str.replace_all(ID, name)
    return column.list.eval(pl.element().struct.with_fields(value.alias("value")))


def enlarge(folder: Path, k: int, replies: pl.Series | None) -> None:
    """Repeat the tables of a folder in place; counts are of steps, not of rows, and stay. With `replies` (ids of
    replies) those rows alone that are of replies, of what is asked in the wild, or said of a reply.
    """
    from truerate.core.schemas import write_parquet

    for path in sorted(folder.glob("*.parquet")):
        if path.stem not in ("counts", "scores"):
            table = pl.read_parquet(path)
            grows = pl.lit(True) if replies is None else is_of_replies(table, replies)
            more = repeated(table.filter(grows), k)
            write_parquet(pl.concat([table, more[table.filter(grows).height :]]), path)


def densify(folder: Path, times: int) -> None:
    """Each fact of a data set and each verdict of it as many times, the copies under ids of their own within the same
    reply; people label as many as before.
    """
    from truerate.core.keys import content_id
    from truerate.core.schemas import write_parquet

    known = pl.read_parquet(folder / "facts.parquet")["fact_id"].to_list()
    for table, columns in (("facts", ("fact_id",)), ("judgements", ("target_id", "judgement_id"))):
        rows = pl.read_parquet(folder / f"{table}.parquet")
        own = rows.filter(pl.col(columns[0]).is_in(known))
        copies = []
        for copy in range(1, times):
            named = {
                name: own[name].map_elements(lambda one, n=copy: content_id(one, n), return_dtype=pl.String)
                for name in columns
            }
            copies.append(own.with_columns(**named))
        write_parquet(pl.concat([rows, *copies]), folder / f"{table}.parquet")


def is_of_replies(table: pl.DataFrame, replies: pl.Series) -> pl.Expr:
    """Which rows of a table there are more of where more is asked in the wild."""
    for name in ("generation_id", "target_id"):
        if name in table.columns:
            return pl.col(name).is_in(replies.implode())
    return pl.col("task") == "wild" if "question" in table.columns else pl.lit(False)


def project(built: Path, board: str, k: int, folder: Path, *, is_replies: bool = False) -> None:
    """A project with one board alone, its tables repeated, or of them what is of replies in the wild, and the code
    as it is here.
    """
    from truerate.config.layout import Layout

    for name in ("src", "site", "rules", "profiles", "inputs"):
        shutil.copytree(HERE / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    settings = yaml.safe_load((HERE / "params.yaml").read_text("utf-8"))
    settings["boards"] = {board: settings["boards"][board]}
    if is_replies:
        settings["detectors"]["tokens"]["unlabelled"] = "rates"  # as in profiles/paper-mfava.yaml
    for backbone in settings["backbones"].values():
        backbone |= {"max_steps": 2, "checkpoint_steps": 2}
    (folder / "params.yaml").write_text(yaml.safe_dump(settings, sort_keys=False), "utf-8")
    at = Layout.load(str(folder / "params.yaml"))
    source = at.source(at.p.board(board).source)
    asked = pl.read_parquet(built / at.dataset(board, "generations")).filter(purpose="answer")
    for place in (source, at.dataset(board), at.labels(board), at.judged(board)):
        shutil.copytree(built / place, folder / place)
        if place == at.dataset(board) and (times := DENSER.get(at.p.board(board).track)):
            densify(folder / place, times)
        enlarge(folder / place, k, asked["generation_id"] if is_replies else None)
    for place in (at.trained(board), at.scores(board)):
        shutil.copytree(built / place, folder / place)
    for place in (at.audit(board), at.truth(board), at.leaderboard("rows"), at.leaderboard("ledger.json")):
        Path(folder / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(built / place, folder / place)


# ---- what it takes -----------------------------------------------------------------------------------------
def measured(command: Sequence[str], folder: Path) -> Cost:
    """What a command takes. Raises SystemExit with the end of what it said where it fails."""
    environment = os.environ | {"PYTHONPATH": str(folder / "src"), "TRUERATE_STORE": str(folder / "store")}
    counted = [sys.executable, HERE / "benchmarks" / "whole_cost.py", sys.executable, "-m", "truerate"]
    ran = subprocess.run(
        [*counted, *command],
        cwd=folder,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    *said, told = ran.stdout.splitlines()
    took = json.loads(told)
    if took["exit"]:
        raise SystemExit(f"{' '.join(command)}: exit {took['exit']}: {' '.join(said)[-600:]}")
    return Cost(took["cpu"], took["memory"])


def measure(
    measured_by_board: Measured,
    built: Path,
    board: str,
    factors: Sequence[int],
    stages: Sequence[str],
    *,
    is_replies: bool,
) -> Iterator[Measured]:
    """What was measured, after each stage of a board at each factor; what was measured before is measured anew."""
    for k in factors:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            apart = multiprocessing.get_context("spawn").Process(
                target=project, args=(built, board, k, folder), kwargs={"is_replies": is_replies}
            )
            apart.start()  # what a process starts counts that process's own memory as its own
            apart.join()
            if apart.exitcode:
                raise SystemExit(f"making {board} ×{k}: exit {apart.exitcode}")
            for stage in stages:
                cost = measured([part.format(board=board) for part in COMMANDS[stage]], folder)
                print(f"{board} {stage} ×{k}: {cost.cpu:.1f} CPU s, {cost.memory:,.0f} MB", flush=True)
                title = f"{board}{REPLIES if is_replies else ''}"
                measured_by_board.setdefault(title, {}).setdefault(stage, {})[k] = cost
                yield measured_by_board


def load_measured(path: Path | None) -> Measured:
    """What earlier runs measured."""
    if path is None or not path.is_file():
        return {}
    found = json.loads(path.read_text("utf-8"))
    return {
        board: {stage: {int(k): Cost(*one) for k, one in own.items()} for stage, own in stages.items()}
        for board, stages in found.items()
    }


def exponent(found: dict[int, Cost]) -> float | None:
    """By which power of the size CPU grows between the two largest factors, less what it is at the smallest; None
    of fewer than three sizes, and where the stage takes next to nothing.
    """
    if len(found) < 3:
        return None
    low, *_, middle, high = sorted(found)
    grown = [found[k].cpu - found[low].cpu for k in (middle, high)]
    if min(grown) < LEAST_S:
        return None
    return math.log(grown[1] / grown[0]) / math.log((high - low) / (middle - low))


def at_size(found: dict[int, Cost], size: int) -> float | None:
    """Memory in GB at a size, on the straight line through the two largest factors."""
    if len(found) < 2:
        return None
    low, high = sorted(found)[-2:]
    slope = (found[high].memory - found[low].memory) / (high - low)
    return max(found[high].memory, found[high].memory + slope * (size - high)) / 1024


def table(board: str, track: str, found: dict[str, dict[int, Cost]]) -> str:
    """The rows of one board."""
    size, words = PAPER_REPLIES if board.endswith(REPLIES) else PAPER[track]
    factors = sorted({k for own in found.values() for k in own})
    heads = [f"×{k}: CPU s, MB" for k in factors]
    lines = [
        f"| {board} | {' | '.join(heads)} | exponent | GB at ×{size:,} ({words}) |",
        f"| --- | {' | '.join('---:' for _ in heads)} | ---: | ---: |",
    ]
    for stage in [stage for stage in COMMANDS if stage in found]:
        own = found[stage]
        cells = [f"{own[k].cpu:.1f}, {own[k].memory:,.0f}" if k in own else "–" for k in factors]
        power, memory = exponent(own), at_size(own, size)
        ends = ["–" if power is None else f"{power:.2f}", "–" if memory is None else f"{memory:.1f}"]
        lines.append(f"| {stage} | {' | '.join([*cells, *ends])} |")
    return "\n".join(lines)


def main() -> int:
    from truerate.config.layout import Layout
    from truerate.results.markers import write_between

    at = Layout.load(str(HERE / "params.yaml"))
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--boards", nargs="*", choices=list(at.p.boards), default=list(at.p.boards))
    parser.add_argument("--factors", nargs="+", type=int, default=[1, 9, 27])
    parser.add_argument("--stages", nargs="+", choices=list(COMMANDS), default=list(COMMANDS))
    parser.add_argument("--built", type=Path, default=HERE, help="folder in which `dvc repro` ran")
    parser.add_argument("--replies", action="store_true", help="more replies in the wild alone (mFAVA)")
    parser.add_argument("--measured", type=Path, help="JSON file of what is measured, that runs add to")
    parser.add_argument("--write", type=Path, help="file with the markers")
    options = parser.parse_args()
    found = load_measured(options.measured)
    for board in options.boards:
        asked = options.factors, options.stages
        for told in measure(found, options.built.resolve(), board, *asked, is_replies=options.replies):
            if options.measured:
                options.measured.write_text(json.dumps(told, indent=1) + "\n", "utf-8")
    tracks = {title: at.p.board(title.removesuffix(REPLIES)).track for title in found}
    text = "\n\n".join(table(title, tracks[title], own) for title, own in sorted(found.items()))
    print(text)
    if options.write:
        write_between(options.write, "bench:growth", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
