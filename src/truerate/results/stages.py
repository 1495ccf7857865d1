"""The stages of the boards of public files: one per board, in one process, of the same steps as the stages of
dvc.yaml; what one board ends with takes no other along.

A process that starts costs more than most of these steps do. What is made in one process is watched as one: a
board is made again as a whole where any of what it is made from has changed.
"""

import os
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import yaml

from truerate.config.layout import Layout
from truerate.config.places import clear
from truerate.config.stage_settings import Stage
from truerate.core.errors import TruerateError
from truerate.core.process import parents
from truerate.core.process.terminal import announced_wait, say
from truerate.core.schemas import Score, frame, save
from truerate.pipeline import dataset, detect, evaluate, graph, sources
from truerate.pipeline.causes import BUILD
from truerate.pipeline.guard import write_text
from truerate.pipeline.run_tools import make
from truerate.results.sets import MARK, ended_with

COMMAND = "board-of-files"
STAGE = "board"  # of dvc.yaml in the work folder, a case per board
STEPS = ("sources", "dataset", "annotate", "label", "train", "judge", "audit", "truth", "score")
WATCHED = ("dataset", "label", "train", "judge", "audit", "score")  # whose settings a board's stage watches
# of a board's stage: folders per board, and files
OUTS = ("sources", "datasets", "annotations", "labels", "detectors", "judgements", "scores")
FILES = ("audits", "truth")
LOG = "real.log"  # in the work folder: all that DVC, Snakemake and the steps print
RUNNING = "Running stage '"  # how DVC begins a stage, passes one over, and says that one failed
SAME, FAILED = "' didn't change, skipping", "WARNING: failed to run: "
N_KEPT = 200  # lines of a command in which its reason is looked for


def write_stages(work: Path) -> None:
    """Write the work folder's dvc.yaml anew: the stages of a board as one."""
    path = work / "dvc.yaml"
    path.write_text(yaml.safe_dump(joined(yaml.safe_load(path.read_text("utf-8"))), sort_keys=False), "utf-8")


def joined(pipeline: dict) -> dict:
    """A pipeline (dvc.yaml as it is read) whose stages of STEPS are one stage `board`, a case per board. It
    watches what they watch and do not write themselves, and the board's digest of the public files.
    """
    stages = pipeline["stages"]
    watched = [dep for name in STEPS for dep in stages[name].get("do", stages[name])["deps"]]
    code = [dep for dep in watched if dep.startswith(("src/", "rules/"))]
    settings = [f"${{paths.build}}/settings/{name}/${{key}}.json" for name in WATCHED]
    outs = [f"${{paths.{name}}}/${{key}}" for name in OUTS]
    outs += [f"${{paths.{name}}}/${{key}}.parquet" for name in FILES]
    stage = {
        "desc": "public files become a board: read, laid out by its track, judged and scored",
        "cmd": f"python -m truerate {COMMAND} ${{key}}",
        "deps": list(dict.fromkeys([*settings, "${paths.inputs}/${key}.digest", *code])),
        "outs": [{out: {"persist": True}} for out in outs],
    }
    rest = {name: value for name, value in stages.items() if name not in (*STEPS, "check")}
    board = {STAGE: {"foreach": "${boards}", "do": stage}}
    return pipeline | {"stages": {"check": stages["check"], **board, **rest}}


def make_board(config: Layout, board: str) -> None:
    """Make a board of public files from its files to its scores, in this process. Nobody labels it anew and
    nothing is planted in it, so those tables are empty. Where models of the user's are asked about it, the
    rules of its track lay it out, as in any build.
    """
    sources.import_source(config, config.p.board(board).source)
    if not graph.for_export(config, board):
        clear(config, Stage("dataset", board))
        dataset.export(config, board, config.dataset(board, "card.json"), [])
    else:
        say(f"{board}: models are asked")
        if make("rules/track.smk", config.dataset(board, "card.json")):
            raise TruerateError(f"board {board!r}: asking its models ended early; the lines above say why")
    write_text(config.annotations(board), "")
    evaluate.label(config, board)
    detect.train(config, board)
    detect.judge(config, board)
    evaluate.audit(config, board)
    save(Score, frame(Score), config.truth(board))
    evaluate.score(config, board)


def run_boards(work: Path, boards: Sequence[str]) -> dict[str, str]:
    """Run the stage of each board, one board after the other; returns why a board ended early, by board.

    A line says which board is made, and one in how many seconds it was. A board that DVC neither ran nor
    passed over has the reason that DVC ended with.
    """
    lines: dict[str, deque[str]] = {}
    codes: dict[str, int] = {}
    last: deque[str] = deque(maxlen=N_KEPT)
    board, started = "", 0.0

    def say_time() -> None:
        if board and not codes[board]:
            say(f"{board}: made in {time.monotonic() - started:.0f} s")

    with _repro(work, "--keep-going", *(f"{STAGE}@{name}" for name in boards)) as (process, output):
        for line in output:
            last.append(line)
            # DVC names a board in a line as `… 'board@name' …`
            name = line.partition("'")[2].partition("'")[0].removeprefix(f"{STAGE}@")
            if line.startswith(RUNNING) and name in boards:
                say_time()
                board, started, codes[name], lines[name] = name, time.monotonic(), 0, deque(maxlen=N_KEPT)
                say(f"{boards.index(name) + 1} of {len(boards)}: {name}")
            elif line.rstrip().endswith(SAME) and name in boards:
                codes[name] = 0
            elif board and line.startswith(FAILED):
                codes[board] = int(word) if (word := line.split()[-1]).lstrip("-").isdigit() else 1
                say(f"{board} ended early, the others go on")
            elif board:
                lines[board].append(line)
                if line.startswith(MARK):
                    say(line.removeprefix(MARK).rstrip())
        say_time()
    whole = ended_with(process.returncode, last, "`dvc repro`") or "DVC did not come to it"
    reasons = {
        name: ended_with(codes[name], lines.get(name, ()), f"the board {name!r}") if name in codes else whole
        for name in boards
    }
    return {name: reason for name, reason in reasons.items() if reason}


def run(work: Path, *targets: str) -> str | None:
    """Run stages of the work folder (all, where none are named); returns why that ended, None where it ended
    well.

    Lines for a person are passed on, a stage over some seconds is named, and all of it goes into LOG.
    """
    last: deque[str] = deque(maxlen=N_KEPT)
    with _repro(work, *targets) as (process, output), ExitStack() as waiting:
        for line in output:
            last.append(line)
            if line.startswith(RUNNING):
                waiting.close()
                waiting.enter_context(announced_wait(f"stage {line.removeprefix(RUNNING).split(chr(39))[0]}"))
            elif line.startswith(MARK):
                say(line.removeprefix(MARK).rstrip())
    return ended_with(process.returncode, last, f"`{' '.join(['dvc repro', *targets])}`")


@contextmanager
def _repro(work: Path, *words: str) -> Iterator[tuple[subprocess.Popen, Iterator[str]]]:
    """Run `dvc repro` in the work folder; its lines go into LOG, too. It ends when this process does."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    # what a stage says at its end is left to the end of the whole
    how = {"cwd": work, "env": os.environ | {BUILD: "1", "PATH": path}, "preexec_fn": parents.binding()}
    pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "errors": "replace"}
    with (
        (work / LOG).open("a", encoding="utf-8", errors="replace") as log,
        subprocess.Popen([sys.executable, "-m", "dvc", "repro", *words], **how, **pipe) as process,
    ):
        yield process, (line for line in process.stdout or () if log.write(line))
