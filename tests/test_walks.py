"""The worked walks of the guide's page on architecture: their files exist, are few, hold what is named, one leads to the next."""

import ast
import re
from pathlib import Path

import pytest

from tests import records
from truerate.core.metric import read_metrics
from truerate.site.layout import read_page
from truerate.site.measures import Measure
from truerate.site.panels import panels
from truerate.site.registry import PARTS, TRACKS
from truerate.site.vocabulary import Vocabulary

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "site/pages/guide/architecture.md").read_text("utf-8")
STEP = re.compile(r"^\d+\. `(?P<file>[\w/.]+\.(?:py|yaml|j2))`: (?P<text>.+)$", re.MULTILINE)
WALKS = {
    "From a timed-out request to its retry": 4,
    "From a metric to its page": 8,
}  # a walk's heading: the most files on it


@pytest.mark.parametrize(("heading", "most"), WALKS.items())
def test_a_walk_leads_through_files_that_hold_what_it_names(heading, most):
    section = PAGE.partition(f"### {heading}")[2].partition("\n## ")[0].partition("\n### ")[0]
    steps = list(STEP.finditer(section))
    assert 1 < len({step["file"] for step in steps}) <= most, heading
    for step in steps:
        folder = ROOT if step["file"].startswith("site/templates/") else ROOT / "src/truerate"
        code = (folder / step["file"]).read_text("utf-8")
        for name in re.findall(r"`(\w+)`", step["text"]):
            assert re.search(rf"\b{name}\b", code), (step["file"], name)


MOST = {"walk-accuracy": 12}  # files of a walk, by its anchor


def steps(walk: str) -> list[tuple[Path, str]]:
    """The files of a walk, each with what is said of it."""
    section = PAGE.split(f"{{ #{walk} }}")[1].partition("\n## ")[0].partition("\n### ")[0]
    return [(ROOT / "src/truerate" / name, text) for name, text in STEP.findall(section)]


def imported(path: Path) -> set[Path]:
    """The modules of truerate that a file imports, a name of a package as its module of that name."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("truerate"):
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return {ROOT / "src" / f"{name.replace('.', '/')}.py" for name in names}


@pytest.mark.parametrize("walk", MOST)
def test_a_walk_is_short_and_each_file_is_imported_by_one_before_it(walk):
    files = [path for path, _ in steps(walk)]
    assert 1 < len(files) <= MOST[walk] and len(set(files)) == len(files)
    assert [path for path in files if not path.is_file()] == []
    for number, path in enumerate(files[1:], start=1):
        assert any(path in imported(earlier) for earlier in files[:number]), path


@pytest.mark.parametrize("walk", MOST)
def test_a_walk_names_functions_that_its_files_define(walk):
    for path, text in steps(walk):
        defined = {
            node.name for node in ast.walk(ast.parse(path.read_text("utf-8"))) if hasattr(node, "name")
        }
        named = re.findall(r"`(\w+)`", text)
        assert named and not [name for name in named if name not in defined and name != "score"], path


def test_a_new_metric_is_named_in_its_metrics_yaml_alone(tmp_path):
    """Its record beside the others of a table, a row of it, and no other file: it has a column."""
    record = "  share_of_doubt:\n    label: Doubt\n    definition: Share of doubtful verdicts.\n    interval: share\n"
    metrics = (TRACKS / "halueval/metrics.yaml").read_text("utf-8")
    (tmp_path / "metrics.yaml").write_text(metrics.replace("recognition:\n", f"recognition:\n{record}", 1))
    (tmp_path / "page.yaml").write_text((TRACKS / "halueval/page.yaml").read_text("utf-8"))
    page = read_page(tmp_path / "page.yaml", parts=PARTS["halueval"], functions={})
    measures = {one.name: Measure.of(one, "halueval") for one in read_metrics(tmp_path / "metrics.yaml")}
    blank = dict.fromkeys(("low", "high", "rank_low", "rank_high", "is_leading", "provenance", "std"))
    row = blank | {"table": "recognition", "subject": "aster", "kind": "model", "value": 0.25, "n": 8}
    row |= {"metric": "share_of_doubt", "slice": {"task": "qa", "scheme": "one-pass", "variant": "plain"}}
    (panel,) = panels([row], page.sections[0].views[0], Vocabulary(measures))
    assert [(column.heading, column.is_extra) for column in panel.columns] == [("Doubt", True)]
    assert "share_of_doubt" not in records.records("halueval")
