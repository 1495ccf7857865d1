"""What the suite leaves out has been run: each file with a longer proof stands in the committed table, and held."""

import re
from pathlib import Path

from truerate.results.markers import read_between

ROOT = Path(__file__).parents[1]
MARK = "mark." + "proof"


def is_marked(path: Path) -> bool:
    """Whether a test of a file, or what all files of its folder share, is marked."""
    shared = path.with_name("conftest.py")
    return any(MARK in file.read_text("utf-8") for file in (path, shared) if file.is_file())


def test_every_longer_proof_stands_in_the_committed_table_and_held():
    _, table, _ = read_between(ROOT / "benchmarks/RESULTS.md", "bench:proofs")
    rows = re.findall(r"^\| `(\S+)` \| .+ \| (\d+) \| (\d+) \| (\d+) \| \d+ \|$", table, re.MULTILINE)
    marked = [
        path.relative_to(ROOT).as_posix()
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        if is_marked(path)
    ]
    assert [file for file, *_ in rows] == marked
    assert all(int(passed) > 0 and (failed, skipped) == ("0", "0") for _, passed, failed, skipped in rows)
