"""What `pip install truerate` downloads, and how long a first rate takes: the core in an empty environment.

    python benchmarks/core_size.py [--write benchmarks/RESULTS.md]

The wheel is built from the checkout, its dependencies are downloaded by pip with the pins of constraints.txt, both
are installed in an empty environment outside the checkout, and 1,000 answers are rated in an empty folder: seconds
from Enter to the end of the process and of CPU, which
other work on the machine does not lengthen as much; medians of five after a first run that compiles. `--write` puts the tables
between the markers `<!-- bench:core -->` and `<!-- /bench:core -->` of a file.
"""

import argparse
import json
import platform
import random
import resource
import shutil
import statistics
import subprocess
import tempfile
import time
import tomllib
import venv
from pathlib import Path

from truerate.results.markers import write_between

ROOT = Path(__file__).parents[1]
MOST_MB, MOST_S = 130, 1.5
N_ANSWERS, N_RUNS, N_SHOWN = 1_000, 5, 10


def download(pip: list[str], folder: Path) -> dict[str, float]:
    """Return the megabytes (10^6 bytes) of each file that the core needs, by distribution, largest first."""
    needs = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    with tempfile.TemporaryDirectory() as copy:  # a build leaves files beside the sources
        shutil.copytree(
            ROOT / "src", Path(copy, "src"), ignore=shutil.ignore_patterns("__pycache__", "*.egg-info")
        )
        for name in ("pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(ROOT / name, copy)
        run(*pip, "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, copy)
    run(*pip, "download", "--quiet", "--dest", folder, "-c", ROOT / "constraints.txt", *needs)
    sizes = {path.name.split("-")[0]: path.stat().st_size / 1e6 for path in folder.iterdir()}
    return dict(sorted(sizes.items(), key=lambda item: -item[1]))


def run(*command: object, **how: object) -> None:
    subprocess.run([*map(str, command)], check=True, **how)


def write_answers(path: Path) -> None:
    """Write answers of 20 words with references of 60."""
    draw = random.Random(7)
    words = [f"word{i}" for i in range(400)]
    rows = (
        {
            "id": i,
            "answer": " ".join(draw.choices(words, k=20)),
            "reference": " ".join(draw.choices(words, k=60)),
        }
        for i in range(N_ANSWERS)
    )
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")


def seconds(command: list[object], folder: Path) -> str:
    """Return the median time of a command and its median CPU time, in seconds, as two cells."""
    times, used = [], []
    for _ in range(N_RUNS + 1):
        start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        run(*command, cwd=folder, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(time.perf_counter() - start)
        used.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return f"{statistics.median(times[1:]):.2f} | {statistics.median(used[1:]):.2f}"


def tables() -> str:
    with tempfile.TemporaryDirectory() as name:
        wheels, home, here = (Path(name, part) for part in ("wheels", "env", "empty"))
        wheels.mkdir(), here.mkdir()
        venv.create(home, with_pip=True)
        pip = [home / "bin/python", "-m", "pip", "--disable-pip-version-check"]
        sizes = download(pip, wheels)
        run(*pip, "install", "--quiet", "--no-index", "--find-links", wheels, "truerate")
        write_answers(here / "answers.jsonl")
        rate = seconds([home / "bin/truerate", "rate", "answers.jsonl"], here)
        version = seconds([home / "bin/truerate", "--version"], here)
    shown = list(sizes.items())[:N_SHOWN]
    rest = list(sizes.values())[N_SHOWN:]
    lines = [
        f"| distribution (Python {platform.python_version()}, {platform.machine()}) | MB |",
        "| --- | ---: |",
    ]
    lines += [f"| {package} | {size:.1f} |" for package, size in shown]
    lines += [
        f"| {len(rest)} others | {sum(rest):.1f} |",
        f"| **all (goal: {MOST_MB})** | **{sum(sizes.values()):.1f}** |",
    ]
    lines += ["", "| from Enter to the end | seconds | of CPU |", "| --- | ---: | ---: |"]
    lines += [
        f"| `truerate rate`, {N_ANSWERS:,} answers (goal: {MOST_S}) | {rate} |",
        f"| `truerate --version` | {version} |",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--write", metavar="FILE")
    target = options.parse_args().write
    text = tables()
    print(text)
    if target:
        write_between(Path(target), "bench:core", text)
