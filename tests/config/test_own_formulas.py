"""Which formulas the code of a stage uses: those that it imports, at any remove, and no other."""

from pathlib import Path

import pytest

from truerate.config.own_formulas import CALLERS, FORMULAS, SHARED_BY, formulas_in, formulas_of_track
from truerate.config.track_blocks import found
from truerate.core.imports import imported

ROOT = Path(__file__).parents[2]
# Rooms of which no stage of a board runs what calls a formula: commands and pages alone.
OF_NO_STAGE = (
    "src/truerate/results/",
    "src/truerate/answers/",
    "src/truerate/leaderboard/",
    "src/truerate/site/",
    "src/truerate/flow/detector_curves.py",
)


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Two tracks and three formulas: one that both use, one of each."""
    texts = {
        "metrics/__init__.py": "",
        "metrics/both.py": "",
        "metrics/of_one.py": "from truerate.metrics.both import x",
        "metrics/of_two.py": "",
        "metrics/of_nobody.py": "",
        "metrics/of_detectors.py": "",
        "core/text.py": "from truerate.metrics.of_nobody import x",
        "tracks/__init__.py": "",
        "tracks/asking.py": "from truerate.core import text",
        "tracks/one/steps.py": "def score():\n    from truerate.metrics import of_one",
        "tracks/two/steps.py": "from . import more",
        "tracks/two/more.py": "from ...metrics.of_two import x\nimport truerate.metrics.both as y",
        "detectors/rule.py": "from truerate.metrics import of_detectors",
    }
    for name, text in texts.items():
        path = tmp_path / "src/truerate" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "src/truerate"


def names(paths) -> set[str]:
    return {Path(path).stem for path in paths} - {"__init__"}


def test_a_formula_is_reached_through_functions_modules_and_dots(package):
    assert names(formulas_of_track("one")) == {"of_one", "both"}
    assert names(formulas_of_track("two")) == {"of_two", "both"}
    assert names(formulas_of_track("one", *SHARED_BY["train"])) == {"of_one", "both", "of_detectors"}
    assert names(formulas_in(())) == set()


def test_code_outside_of_the_package_is_followed(package):
    (package.parent / "planted.py").write_text("import helper")
    (package.parent / "helper.py").write_text("from truerate.metrics.of_two import x")
    assert names(formulas_in(("src/planted.py",))) == {"of_two"}


def test_a_file_that_is_no_python_is_one_line(package):
    from truerate.core.errors import TruerateError

    (package / "tracks/one/torn.py").write_text("def f(:")
    with pytest.raises(
        TruerateError, match=r"'src/truerate/tracks/one/torn.py' is no Python: .* in line 1; mend"
    ):
        formulas_of_track("one")


def test_no_track_watches_all_formulas(monkeypatch):
    monkeypatch.chdir(ROOT)
    own = {track: names(formulas_of_track(track)) for track in found()}
    assert all({"intervals", "score_writer"} <= one for one in own.values())
    assert [track for track in own if "wildfact" in own[track]] == ["wildhallucinations"]
    assert [track for track in own if "token_rates" in own[track]] == ["mfava"]


def test_formulas_are_called_where_they_are_looked_for(monkeypatch):
    """A room that calls one and is not followed would make stale numbers."""
    monkeypatch.chdir(ROOT)
    for path in map(str, sorted(Path("src/truerate").rglob("*.py"))):
        calls = any(one.startswith(FORMULAS) for one in imported(path))
        assert not calls or path.startswith((*CALLERS, *OF_NO_STAGE)), path
