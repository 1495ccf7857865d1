"""Slips in params.yaml that the check of settings accepts: does a build with them end well, or in one line?

    python benchmarks/mutations.py [--n 20] [--write FILE]

Of the seeded mutations that the tests give to the check (tests/mutations.py) `--n` accepted ones are drawn
and built by `dvc repro`, each in a copy of a small build of one board, with its replies: the board that the
changed setting concerns. `--write` puts the table between the markers `<!-- bench:mutations -->` and `<!--
/bench:mutations -->` of a file. The exit code is 1 where a build ended in a traceback.
"""

import argparse
import copy
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.house import House, move_in, shrink, track_of  # noqa: E402
from tests.mutations import SEED, Mutation, N, mutations  # noqa: E402
from truerate.core.errors import TruerateError  # noqa: E402

COMMITTED = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
SMALL = {
    "halueval": {"qa": 12, "dialogue": 12, "summarization": 8, "general": 8, "general_pool": 12},
    "mfava": {
        **{"train": 24, "held_out": 6, "silver": 4, "articles": 4, "natural": 6},
        **{"seeds": [42], "scopes": ["multi"], "labels": ["binary"]},
    },
    "halludial": {
        **{"dialogues": 10, "tempered": 3, "located": 12, "compared": 6, "natural": 12, "meta": 6},
        **{"seeds": [42], "scopes": ["multi"], "labels": ["binary"]},
    },
    "wildhallucinations": {"chats": 60, "entities": 8, "labelled": 6, "reviewed": 8, "checked": 4},
}
N_SHOWN = 160  # characters of a line in the table
CONCERNED = {
    "backbones": "mfava",
    "tokens": "mfava",
    "aster-search": "wildhallucinations",
}  # what no track, board or source names


def main() -> None:
    """Draw, build, print the table, and fail where anything ended in a traceback."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--n", type=int, default=20)
    options.add_argument("--write", help="file whose marked block is replaced")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        rows = [built(mutation, Path(scratch)) for mutation in drawn(given.n, Path(scratch))]
    table = "\n".join(["| mutation | board of | outcome | seconds |", "| --- | --- | --- | --: |", *rows])
    print(table)
    if given.write:
        from truerate.results.markers import write_between

        write_between(Path(given.write), "bench:mutations", table)
    raise SystemExit(int("traceback" in table))


def drawn(n: int, scratch: Path) -> list[Mutation]:
    """`n` of the mutations that the check accepts, in the order in which they were made."""
    accepted = [
        mutation
        for mutation in mutations(COMMITTED, n=N, seed=SEED)
        if is_accepted(mutation.applied(COMMITTED), scratch)
    ]
    chosen = random.Random(SEED).sample(range(len(accepted)), min(n, len(accepted)))
    print(f"{len(accepted)} of {N} mutations are accepted", file=sys.stderr)
    return [accepted[place] for place in sorted(chosen)]


def is_accepted(params: dict, scratch: Path) -> bool:
    """Whether the check of settings says nothing."""
    from truerate.config.layout import Layout
    from truerate.config.places import check_places
    from truerate.pipeline.checks.check_names import check_names

    (scratch / "params.yaml").write_text(yaml.safe_dump(params, sort_keys=False), "utf-8")
    try:
        layout = Layout.load(str(scratch / "params.yaml"))
        check_names(layout)
        check_places(layout)
    except TruerateError:
        return False
    return True


def concerned(mutation: Mutation) -> str:
    """The track of the board that a mutation is built on."""
    place = [str(part) for part in mutation.place]
    for part in place:
        if part in SMALL:
            return part
        if part in COMMITTED["boards"]:
            return track_of(COMMITTED, part)
        if track := next(
            (board["track"] for board in COMMITTED["boards"].values() if board["source"] == part),
            CONCERNED.get(part),
        ):
            return track
    return "halueval"


def built(mutation: Mutation, scratch: Path) -> str:
    """The row of the table on one mutation."""
    track = concerned(mutation)
    house = copied(base(track, scratch), scratch)
    is_size = mutation.place[:2] == ("sizes", "demo")  # a size that is changed is changed in the small sizes
    params = copy.deepcopy(COMMITTED) if is_size else mutation.applied(COMMITTED)
    board = next((name for name, board in params["boards"].items() if board["track"] == track), None)
    if board is None:  # it was taken away: what is left of it is built
        board, track = next((name, board["track"]) for name, board in params["boards"].items())
    shrink(params, board, SMALL[track])
    params = mutation.applied(params) if is_size else params
    (house.folder / "params.yaml").write_text(yaml.safe_dump(params, sort_keys=False), "utf-8")
    start = time.monotonic()
    done = house.run("dvc", "repro", check=False)
    seconds, said = time.monotonic() - start, done.stdout + done.stderr
    lines = [line for line in said.splitlines() if line.startswith("truerate: ") and "waiting" not in line]
    what = (
        "built"
        if not done.returncode
        else f"exit 2: {lines[-1].removeprefix('truerate: ')}"
        if lines
        else "failed without a line"
    )
    what = "**traceback**" if "Traceback (most recent call last)" in said else what
    print(f"{mutation} | {what} | {seconds:.0f} s", file=sys.stderr, flush=True)
    if "built" != what and not lines or "**" in what:
        print(said[-4000:], file=sys.stderr)
    shown = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1", what)  # a free port is another each time
    shown = shown if len(shown) <= N_SHOWN else f"{shown[:N_SHOWN]}…"
    return f"| {_cell(str(mutation))} | {track} | {_cell(shown)} | {seconds:.0f} |"


def base(track: str, scratch: Path) -> House:
    """A small build of the committed settings, made when it is first asked for."""
    house = House(scratch / track / "house")
    if not house.folder.exists():
        house.folder.mkdir(parents=True)
        board = next(name for name, board in COMMITTED["boards"].items() if board["track"] == track)
        move_in(house.folder, SMALL[track], board=board)
        (house.folder / "params.yaml").write_text((ROOT / "params.yaml").read_text("utf-8"), "utf-8")
        house.edit(lambda p: shrink(p, board, SMALL[track]))  # without the log of calls that tests count
        house.run("dvc", "repro")
    return house


def copied(house: House, scratch: Path) -> House:
    """A copy of a build, with its store of replies."""
    place = Path(tempfile.mkdtemp(dir=scratch))
    subprocess.run(["cp", "-a", *map(str, house.folder.parent.iterdir()), str(place)], check=True)
    return House(place / house.folder.name)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


if __name__ == "__main__":
    main()
