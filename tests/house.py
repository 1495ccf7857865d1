"""A copy of the project in an empty folder, built by the real commands with small sizes and a store of its own."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import yaml

from tests.warm import warm

ROOT = Path(__file__).parents[1]
# where the simulated endpoint writes a line per call: its own count, beside the store's
CALLS = "build/calls.log"
# Of the committed results of real boards a copy has one: each of the others is pages that every build renders anew.
RESULTS, ONE_RESULT = "results/", ("results/README.md", "results/faithbench/")
TINY = {"qa": 12, "dialogue": 12, "summarization": 8, "general": 8, "general_pool": 12}
MFAVA = {
    "train": 20,
    "held_out": 4,
    "silver": 6,
    "articles": 6,
    "natural": 16,
    "seeds": [42],
    "scopes": ["multi"],
    "labels": ["binary"],
}


@dataclass(frozen=True)
class House:
    """A working copy at `folder`, with its response store beside it."""

    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """Of commands that are run by processes which have imported their packages already: see tests.warm."""
        own = self.cold_environment
        return own | {"PATH": f"{warm().folder}{os.pathsep}{own['PATH']}"}

    @property
    def cold_environment(self) -> dict[str, str]:
        """Of commands that Python starts as everywhere."""
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        own = {
            "TRUERATE_STORE": str(self.folder.parent / "store.sqlite"),
            "PYTHONPATH": str(self.folder / "src"),
        }
        return os.environ | own | {"PATH": path}

    def run(self, *command: str, check: bool = True, **environment: str) -> subprocess.CompletedProcess:
        """Run a module of this Python in the copy; `environment` is added to the copy's own."""
        whole = [warm().python, "-m", *command]
        own = self.environment | environment
        done = subprocess.run(whole, cwd=self.folder, env=own, capture_output=True, text=True, timeout=540)
        assert not check or done.returncode == 0, f"{command}: {done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        return done

    def start(self, *command: str) -> subprocess.Popen:
        """Start a module of this Python in a session of its own, so that the whole group can be killed; it and
        all that it starts are processes as everywhere.
        """
        whole = [sys.executable, "-m", *command]
        quiet = subprocess.DEVNULL
        return subprocess.Popen(
            whole,
            cwd=self.folder,
            env=self.cold_environment,
            stdout=quiet,
            stderr=quiet,
            start_new_session=True,
        )

    def edit(self, change) -> None:
        """Change params.yaml by a function of its mapping."""
        path = self.folder / "params.yaml"
        params = yaml.safe_load(path.read_text("utf-8"))
        change(params)
        path.write_text(yaml.safe_dump(params, sort_keys=False), "utf-8")

    def table(self, path: str) -> pl.DataFrame:
        return pl.read_parquet(self.folder / path)

    def calls(self) -> dict[str, int]:
        """Replies that were paid for, by model as its endpoint knows it."""
        stats = json.loads(self.run("truerate", "llm", "stats", "--json").stdout)
        return {row["identity"].split("@")[0]: row["n_calls"] for row in stats}

    def tasks_of_calls(self) -> set[str]:
        """What the simulated models took their prompts for."""
        return {line.split()[1] for line in (self.folder / CALLS).read_text("utf-8").splitlines()}

    def bytes_under(self, *folders: str) -> dict[str, bytes]:
        """Every file below these folders, by path."""
        found = [
            path for folder in folders for path in sorted((self.folder / folder).rglob("*")) if path.is_file()
        ]
        return {path.relative_to(self.folder).as_posix(): path.read_bytes() for path in found}


def lines_of_error(done: subprocess.CompletedProcess) -> list[str]:
    """The lines of a command's stderr, but for those that name what it waits for: a busy machine has more."""
    return [line for line in done.stderr.splitlines() if not line.startswith("truerate: still waiting: ")]


def claims_no_certainty(rows: pl.DataFrame) -> bool:
    """Whether each interval of a leaderboard has both ends or none, a width, and its value inside."""
    ranged = rows.filter(pl.col("low").is_not_null() | pl.col("high").is_not_null())
    inside = (
        (pl.col("low") <= pl.col("value"))
        & (pl.col("value") <= pl.col("high"))
        & (pl.col("low") < pl.col("high"))
    )
    return ranged.height > 0 and ranged.select(inside.fill_null(False).all()).item()


def track_of(params: dict, board: str) -> str:
    """The track that a board runs."""
    return params["boards"][board]["track"]


def move_in(
    folder: Path, sizes: dict[str, int] | None = None, *, board: str = "halueval-closed-world"
) -> House:
    """Copy the project into a fresh repository, with one board, and make its demo small."""
    for name in copied_names():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target)
    bring_bytecode(folder)
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    house = House(folder)
    house.edit(lambda p: shrink(p, board, sizes))
    house.edit(
        lambda p: p["endpoints"]["world"].update(launch=p["endpoints"]["world"]["launch"] + f" --log {CALLS}")
    )
    return house


def copied_names() -> list[str]:
    """What git tracks, and what it would track, without what a build writes and all committed results but one."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [
        name
        for name in listed.stdout.splitlines()
        if (ROOT / name).is_file()
        and name != "dvc.lock"
        and (not name.startswith(RESULTS) or name.startswith(ONE_RESULT))
    ]


def bring_bytecode(folder: Path) -> None:
    """The package's bytecode, so far as this Python has it: a copy keeps the times of its files, by which Python
    tells whether it still holds; to compile the package anew takes a second.
    """
    for cache in (ROOT / "src").rglob("__pycache__"):
        target = folder / cache.relative_to(ROOT)
        if target.parent.is_dir():
            shutil.copytree(cache, target, dirs_exist_ok=True)


def copied(house: House, folder: Path) -> House:
    """A copy of a house in an empty folder, with its response store and what it built, as it was built."""
    shutil.copytree(house.folder.parent, folder, symlinks=True, dirs_exist_ok=True)
    return House(folder / house.folder.name)


def shrink(params: dict, board: str, sizes: dict[str, int] | None = None) -> None:
    """Leave one board in settings, with its source and families of detectors, in small sizes."""
    track = track_of(params, board)
    params["sizes"]["demo"].update({track: sizes or TINY})
    params["sources"] = {name: params["sources"][name] for name in [params["boards"][board]["source"]]}
    params["boards"] = {board: params["boards"][board]}
    params["detectors"] = {name: one for name, one in params["detectors"].items() if track in one["tracks"]}
    params["statistics"].update(n_bootstrap=200)


def shrink_mfava(params: dict) -> None:
    """Leave two languages, two subjects and one network of a few steps on the board of mFAVA."""
    params["tracks"]["mfava"] |= {"languages": ["en", "zh"], "subjects": ["aster", "elm"]}
    params["detectors"] = {
        "tokens": {"tracks": ["mfava"], "members": ["mark-all", "mark-none", "token-lr", "tiny-prefix"]}
    }
    params["sources"]["closed-world-wiki"]["languages"] = ["en", "zh"]
    for backbone in params["backbones"].values():
        backbone |= {"max_steps": 6, "checkpoint_steps": 3}
