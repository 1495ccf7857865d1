"""The contract of tracks: each folder is loaded once and checked; what it lacks is one line."""

import ast
import re
import sys
import types
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
import yaml

from truerate.config import load_params, track_blocks
from truerate.config.layout import Layout
from truerate.config.track_blocks import found
from truerate.core.errors import TruerateError
from truerate.flow import graph, tracks
from truerate.flow.check_names import check_names
from truerate.flow.tracks import load_track, refuse_other_tasks, tasks_of
from truerate.tracks.contract import Reads

ROOT = Path(__file__).parents[2]
# Rooms that know no track. Readers of sources bear the names of the papers' own file formats.
FREE = ("core", "config", "llm", "web", "sources", "detectors", "leaderboard", "hub", "flow", "real", "cli")


@pytest.mark.parametrize("name", found())
def test_every_track_keeps_the_contract(name):
    track = load_track(name)
    assert callable(track.exported) and callable(track.score) and callable(track.contexts)
    assert tasks_of(name) == tuple(track.card.tasks)


def test_only_a_track_with_spans_marks_tokens():
    assert [name for name in found() if load_track(name).marks_tokens] == ["halludial", "mfava"]


@pytest.mark.parametrize(
    ("module", "name", "value", "said"),
    [
        (
            "scores",
            "score",
            None,
            "lacks `score`, which tracks/halueval/steps.py or tracks/halueval/scores.py must hold; every track has: CARD",
        ),
        ("card", "CARD", "a card", "`CARD` of tracks/halueval/card.py is a str; it must be a Card"),
        ("steps", "label", 3, "`label` of tracks/halueval/steps.py is a int; it must be a function"),
    ],
)
def test_a_gap_is_one_line(monkeypatch, module, name, value, said):
    whole = f"truerate.tracks.halueval.{module}"
    real = tracks.import_module(whole)
    other = types.ModuleType(whole)
    vars(other).update({key: one for key, one in vars(real).items() if key != name})
    if value is not None:
        setattr(other, name, value)
    monkeypatch.setitem(sys.modules, whole, other)
    with pytest.raises(TruerateError, match=re.escape(said)) as caught:
        load_track.__wrapped__("halueval")
    assert "\n" not in str(caught.value)


def twice(metrics):
    return (*metrics, metrics[0])


def of_card(**changes):
    return "card", "CARD", lambda own: replace(own, **changes)


def of_step(**changes):
    return "graph", "GRAPH", lambda own: (replace(own[0], **changes), *own[1:])


def of_metric(**changes):
    return "metrics", "METRICS", lambda own: (*own, replace(own[0], name="x", **changes))


UNFIT = {
    "a step without a function": ("graph", "GRAPH", lambda own: (replace(own[0], name="mime"),), "'mime' of its graph has no function"),
    "what is no step": ("graph", "GRAPH", lambda own: ("sample",), "GRAPH holds 'sample'"),
    "a step of later": ("graph", "GRAPH", lambda own: tuple(reversed(own)), "steps before it"),
    "a role that is no setting": ("graph", "GRAPH", lambda own: (replace(own[0], role="nobody"),), "'nobody'"),
    "two records of one name": ("metrics", "METRICS", twice, "two records of metric"),
    "what is no record": ("metrics", "METRICS", lambda own: ("accuracy",), "METRICS holds 'accuracy'"),
    "a rank of what is not recorded": ("metrics", "METRICS", lambda own: own[-1:], "its card ranks 'accuracy'"),
    "no word on plans": ("plan", "assumed", lambda own: None, "plan.py must hold `assumed`"),
}  # fmt: skip
UNFIT |= {
    "a card without a summary": (*of_card(summary=""), "`summary` of its CARD is empty"),
    "a text for a list": (*of_card(caveats="one"), "`caveats` of its CARD is a str; it must be a tuple"),
    "a section that is none": (
        *of_card(steps=("one",)),
        "`steps` of its CARD holds 'one'; it must hold Section",
    ),
    "a rank by a word": (*of_card(ranks="f1"), "`ranks` of its CARD is a str; it must be a Ranked"),
    "an audit by a word": (*of_card(is_audited="no"), "`is_audited` of its CARD is a str; it must be a bool"),
    "a step that reads none": (
        *of_step(reads=(Reads("simple"),)),
        "step 'sample' reads 'simple', which does not stand before it",
    ),
    "a step that asks by no setting": (*of_step(asks=("nobody",)), "'nobody', which is no setting of it"),
    "a step that gives no table": (
        *of_step(beside=("pages",)),
        "step 'sample' of its graph gives 'pages' beside replies; allowed: documents",
    ),
    "a table that a data set has not": (
        *("steps", "SCORED", lambda own: ("fact",)),
        "`SCORED` of its steps.py names 'fact'; did you mean 'facts'?",
    ),
    "a query of what a source has not": (
        *("steps", "QUERIED", lambda own: ("document",)),
        "`QUERIED` of its steps.py names 'document'; did you mean 'documents'?",
    ),
    "slices of no step": (
        *("steps", "SLICED", lambda own: ("simple",)),
        "`SLICED` of its steps.py names 'simple'; did you mean 'sample'?",
    ),
    "columns of no table": (
        *("steps", "SCORED_COLUMNS", lambda own: {"fact": ("text",)}),
        "`SCORED_COLUMNS` of its steps.py names 'fact'; allowed: ",
    ),
    "a column that a table has not": (
        *("steps", "SCORED_COLUMNS", lambda own: {"facts": ("texts",)}),
        "`SCORED_COLUMNS` of its steps.py names column 'texts' of 'facts'; did you mean 'text'?; allowed: ",
    ),
    "columns that labels read of no table": (
        *("steps", "LABELLED_COLUMNS", lambda own: {"fact": ("text",)}),
        "`LABELLED_COLUMNS` of its steps.py names 'fact'; allowed: ",
    ),
    "a table that is nearly one": (
        *of_metric(table="recogniton"),
        "metric 'x': table 'recogniton' is none of its pages; did you mean 'recognition'?",
    ),
    "a table of all tracks": (
        *of_metric(table="audit"),
        "metric 'x': table 'audit' is that of the shortcut audit",
    ),
    "a table without a name": (*of_metric(table=""), "metric 'x': table '' is no name"),
    "a unit that is none": (
        *of_metric(unit="shares"),
        "metric 'x': unit 'shares' is not known; did you mean 'share'?; allowed: 'share', 'number'",
    ),
}


@pytest.mark.parametrize("case", UNFIT)
def test_parts_that_do_not_fit_together_are_one_line(monkeypatch, case):
    module, name, change, said = UNFIT[case]
    whole = tracks.import_module(f"truerate.tracks.halueval.{module}")
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(whole, name, change(getattr(whole, name, None)), raising=False)
    for known in (load_track, graph.steps):
        known.cache_clear()
    with pytest.raises(TruerateError) as caught:
        check_names(Layout(load_params(ROOT / "params.yaml")))
    for known in (load_track, graph.steps):
        known.cache_clear()
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_a_module_that_cannot_be_imported_is_one_line(tmp_path, monkeypatch):
    folder = tmp_path / "torn"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "settings.py").write_text("class Settings(:")
    monkeypatch.setattr("truerate.tracks.__path__", [str(tmp_path)])
    with pytest.raises(TruerateError, match="torn/settings.py cannot be imported: SyntaxError") as caught:
        track_blocks.declared("torn", "Settings")
    assert "\n" not in str(caught.value)


def test_a_family_that_marks_tokens_needs_a_track_that_has_some(tmp_path, monkeypatch):
    params = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
    params["detectors"]["tokens"]["tracks"] = ["halueval"]
    del params["boards"]["mfava-closed-world"]
    path = tmp_path / "params.yaml"
    path.write_text(yaml.safe_dump(params), "utf-8")
    monkeypatch.chdir(ROOT)
    with pytest.raises(TruerateError) as caught:
        load_params(path)
    assert str(caught.value) == (
        "params.yaml: detectors.tokens.tracks: track 'halueval' has no tokens to mark, and a family without `folds` "
        "marks tokens; tracks with tokens: halludial, mfava"
    )


def test_rows_of_a_task_that_no_card_names_are_refused():
    rows = {"items": pl.DataFrame({"task": ["qa", "qua"]})}
    with pytest.raises(TruerateError, match="here: items of task 'qua'; allowed: general, qa"):
        refuse_other_tasks(rows, ["qa", "general"], where="here")
    refuse_other_tasks(rows, ["qa", "qua"], where="here")


def words(path: Path) -> list[str]:
    """The texts of a module that are no docstrings, and the modules that it imports."""
    tree = ast.parse(path.read_text("utf-8"))
    docs = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    texts = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs
    ]
    return texts + [node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)]


@pytest.mark.parametrize("room", FREE)
def test_no_room_below_the_tracks_names_one(room):
    named = re.compile("|".join(found()))
    formats = set(found())  # a later version of a format has a number behind its name
    for path in (ROOT / "src/truerate" / room).rglob("*.py"):
        if path.stem.rstrip("0123456789") in formats and (room == "sources" or path.parent.name == "forms"):
            continue
        held = [text for text in words(path) if named.search(text.lower())]
        assert not held, (path, held)
