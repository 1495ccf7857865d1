"""The worked walks of the guide's architecture page: every file that a walk names is there and holds the names beside it."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "site/pages/guide/architecture.md").read_text("utf-8")
STEP = re.compile(r"^\d+\. `(?P<file>[\w/]+\.py)`: (?P<text>.+)$", re.MULTILINE)
WALKS = {"From a timed-out request to its retry": 4}  # a walk's heading: the most files on it


@pytest.mark.parametrize(("heading", "most"), WALKS.items())
def test_a_walk_leads_through_files_that_hold_what_it_names(heading, most):
    section = PAGE.partition(f"### {heading}")[2].partition("\n## ")[0].partition("\n### ")[0]
    steps = list(STEP.finditer(section))
    assert 1 < len({step["file"] for step in steps}) <= most, heading
    for step in steps:
        code = (ROOT / "src/truerate" / step["file"]).read_text("utf-8")
        for name in re.findall(r"`(\w+)`", step["text"]):
            assert re.search(rf"\b{name}\b", code), (step["file"], name)
