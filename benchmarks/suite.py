"""Where the test suite's CPU time goes: seconds of processor time per test file, its child processes included.

    python benchmarks/suite.py [--workers 2] [--slowest 30] [--write benchmarks/RESULTS.md] [pytest's own arguments]

The same module is the plugin that pytest loads: it notes what each test, with the fixtures that are made for
it, takes of `os.times`; a child process counts when it has been waited for. Processor time hardly depends on
what else a machine does, wall-clock time does. `--write` puts the table between the markers
`<!-- bench:suite -->` and `<!-- /bench:suite -->` of a file.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import pytest

FOLDER = "TRUERATE_SUITE"  # where each worker writes what it noted
LIMIT_S = 1_000  # of the whole suite: under ten minutes on two quiet cores
SHOWN_S = 10  # files that take less are shown by folder

seconds: Counter[str] = Counter()
tests: Counter[str] = Counter()
each: Counter[str] = Counter()


def _used() -> float:
    """Processor seconds of this process, of the children that it waited for and of what runs commands for it."""
    from tests import warm

    return sum(os.times()[:4]) + warm.used()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    """Note what one test takes, with what is set up before and torn down after it."""
    before = _used()
    yield
    name, used = item.location[0], _used() - before
    seconds[name] += used
    tests[name] += 1
    each[item.nodeid.partition("@")[0]] += used


def pytest_sessionfinish(session) -> None:
    """Write what this worker noted."""
    if (folder := os.environ.get(FOLDER)) and tests:
        noted = {"seconds": seconds, "tests": tests, "each": each}
        Path(folder, f"{os.getpid()}.json").write_text(json.dumps(noted), "utf-8")


def gathered(folder: Path) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """Seconds and numbers of tests by file, and seconds by test, over all workers."""
    taken: Counter[str] = Counter()
    n: Counter[str] = Counter()
    one: Counter[str] = Counter()
    for path in folder.glob("*.json"):
        noted = json.loads(path.read_text("utf-8"))
        taken.update(noted["seconds"])
        n.update(noted["tests"])
        one.update(noted["each"])
    return taken, n, one


def table(taken: Counter[str], n: Counter[str]) -> str:
    """The files that take longest, the rest by folder, and the sum beside its limit."""
    rows: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for name, value in taken.items():
        shown = name if value >= SHOWN_S else f"{name.rpartition('/')[0]}/ (each below {SHOWN_S} s)"
        rows[shown] += value
        counts[shown] += n[name]
    total = sum(taken.values())
    lines = ["| tests | number | CPU s | share |", "| --- | ---: | ---: | ---: |"]
    for name, value in rows.most_common():
        lines.append(f"| `{name}` | {counts[name]:,} | {value:.0f} | {100 * value / total:.0f} % |")
    lines.append(f"| **all** (limit {LIMIT_S:,} s) | {sum(n.values()):,} | **{total:.0f}** | 100 % |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--slowest", type=int, default=30, help="tests to be named, with their seconds")
    parser.add_argument("--write", metavar="FILE")
    options, others = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as folder:
        root = str(Path(__file__).parents[1])
        path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
        environment = os.environ | {FOLDER: folder, "PYTHONPATH": path}
        parallel = ["-n", str(options.workers), "--dist", "loadgroup"]
        command = [sys.executable, "-m", "pytest", "-p", "benchmarks.suite", *parallel, *others]
        code = subprocess.run(command, env=environment, cwd=root).returncode
        taken, n, one = gathered(Path(folder))
    text = table(taken, n)
    print(
        "\n".join([text, "", *(f"{value:6.1f} {name}" for name, value in one.most_common(options.slowest))])
    )
    if options.write and code == 0:
        from truerate.results.markers import write_between

        write_between(Path(options.write), "bench:suite", text)
    return code


if __name__ == "__main__":
    sys.exit(main())
