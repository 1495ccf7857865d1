"""Only functions that make a published number are called formulas of it."""

import ast
from pathlib import Path

import pytest

from truerate.pipeline.publishing.formulas import published_formulas, published_names, reached, references

ROOT = Path(__file__).parents[2] / "src/truerate"

METRICS = '''
"""Formulas."""

WAYS = {"mean": lambda x: halved(x)}


def used(x):
    """Called by a score."""
    return _inner(x)


def _inner(x):
    return deep(x)


def deep(x):
    """Called by what a score calls."""


def halved(x):
    """Named by a constant that a score names."""


def called_by_class(x):
    """Called by a method."""


class Writer:
    def row(self):
        return called_by_class(1)


def idle(x):
    """Called by a function that no score calls."""


def alone(x):
    """Called by nothing."""
'''
SCORES = """
from pkg.metrics import formulas
from pkg.metrics.formulas import Writer


def score(writer: Writer):
    from pkg.metrics.formulas import used as known

    return known(1), formulas.WAYS, other()


def other():
    pass


def idle_too():
    return formulas.idle(1)
"""


@pytest.fixture
def package(tmp_path):
    for name, code in {"metrics/formulas.py": METRICS, "tracks/paper/steps.py": SCORES}.items():
        path = tmp_path / "pkg" / name
        path.parent.mkdir(parents=True)
        path.write_text(code)
    return tmp_path / "pkg"


def test_what_a_score_reaches_is_shown_with_its_docstring(package):
    shown = published_formulas(package)
    assert [doc["name"] for doc in shown] == ["used", "deep", "halved", "called_by_class"]
    assert shown[0] == {"name": "used", "module": "formulas", "doc": "Called by a score."}


def test_a_name_that_stands_for_nothing_here_is_passed_over(package):
    assert reached({}, [("pkg.other", "f")]) == set()
    assert ("pkg.tracks.paper.steps", "idle_too") not in published_names(package)


def test_no_function_on_the_methods_page_makes_no_number():
    """Of the package itself: what is shown is reached, and some of what detectors alone use is not shown."""
    names = published_names(ROOT)
    shown = {(doc["module"], doc["name"]) for doc in published_formulas(ROOT)}
    assert shown <= {(module.rsplit(".", 1)[-1], name) for module, name in names}
    assert {"fleiss_kappa", "macro_f1", "hr_est", "rogan_gladen", "share_interval", "chrf"} <= {
        n for _, n in shown
    }
    assert not {"fit_ngrams", "ngram_probabilities", "token_counts"} & {name for _, name in shown}


def test_every_function_of_metrics_is_called_by_something():
    """A formula that tests alone call is no formula of ours."""
    rooms = [path.name for path in ROOT.iterdir() if path.is_dir()]
    refers = references(ROOT, rooms) | references(ROOT.parent / "truerate_world", [""])
    used = reached(refers, [name for name in refers if not name[0].startswith("truerate.metrics")])
    declared = {
        (f"truerate.metrics.{path.stem}", node.name)
        for path in (ROOT / "metrics").glob("*.py")
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef)
    }
    assert declared - used == set()
