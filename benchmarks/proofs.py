"""Run the longer proofs, those tests that are marked `proof`, and write what came of each.

    python benchmarks/proofs.py [--write benchmarks/RESULTS.md] [pytest's own arguments]

The suite leaves them out, so that it stays short: each repeats with more kinds of faults, sizes or tracks what a
shorter test of the suite holds once. `--write` puts a row per test file between the markers
`<!-- bench:proofs -->` and `<!-- /bench:proofs -->` of a file, also where some failed.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

from truerate.results.markers import write_between

ROOT = Path(__file__).parents[1]


def outcomes(report: Path) -> dict[str, Counter[str]]:
    """Numbers of tests that passed, failed and were skipped, and seconds, by test file, of a JUnit report."""
    found: dict[str, Counter[str]] = {}
    for case in ET.parse(report).iter("testcase"):
        counts = found.setdefault(case.attrib["classname"].replace(".", "/") + ".py", Counter())
        kinds = {child.tag for child in case}
        counts[
            "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
        ] += 1
        counts["seconds"] += float(case.attrib["time"])  # type: ignore[assignment]
    return found


def purpose(file: str) -> str:
    """What a test file proves: the first sentence of its docstring."""
    text = (ROOT / file).read_text("utf-8").split('"""')[1]
    return " ".join(text.split()).partition(". ")[0].rstrip(".")


def table(found: dict[str, Counter[str]]) -> str:
    """A row per file, and the sum."""
    lines = [
        "| proofs | of what | passed | failed | skipped | s |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
    ]
    total: Counter[str] = Counter()
    for file, counts in sorted(found.items()):
        total.update(counts)
        lines.append(f"| `{file}` | {purpose(file)} | {_counts(counts)} |")
    return "\n".join([*lines, f"| **all** | | {_counts(total)} |"])


def _counts(counts: Counter[str]) -> str:
    return " | ".join(
        [*(str(counts[name]) for name in ("passed", "failed", "skipped")), f"{counts['seconds']:.0f}"]
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--write", metavar="FILE")
    options, others = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        command = [sys.executable, "-m", "pytest", "-m", "proof", f"--junit-xml={report}", *others]
        code = subprocess.run(command, cwd=ROOT, env=os.environ).returncode
        text = table(outcomes(report))
    print(text)
    if options.write:
        write_between(Path(options.write), "bench:proofs", text)
    return code


if __name__ == "__main__":
    sys.exit(main())
