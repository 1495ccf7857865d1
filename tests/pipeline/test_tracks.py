"""The contract of tracks: each folder is loaded once and checked; what it lacks is one line."""

import ast
import re
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from truerate.config import load_params
from truerate.config.layout import Layout
from truerate.config.track_blocks import track_names
from truerate.core.errors import TruerateError
from truerate.pipeline import graph, tracks
from truerate.pipeline.checks.check_names import check_names
from truerate.pipeline.tracks import load_track, refuse_other_tasks, tasks_of
from truerate.tracks.contract import Reads
from truerate.tracks.halueval.protocol import HaluEval

ROOT = Path(__file__).parents[2]
# Rooms that know no track. Readers of sources bear the names of the papers' own file formats.
FREE = (
    "core",
    "config",
    "llm",
    "web",
    "sources",
    "detectors",
    "leaderboard",
    "hub",
    "pipeline",
    "real",
    "cli",
)


@pytest.mark.parametrize("name", track_names())
def test_every_track_keeps_the_contract(name):
    track = load_track(name)
    assert callable(track.exported) and callable(track.score) and callable(track.contexts)
    assert tasks_of(name) == tuple(track.card.tasks)


def test_a_part_that_every_protocol_has_must_be_there(monkeypatch):
    monkeypatch.delattr(HaluEval, "score")
    with pytest.raises(
        TruerateError, match="'halueval': its HaluEval lacks `score`; every protocol has: contexts"
    ) as caught:
        load_track.__wrapped__("halueval")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("part", "value", "said"),
    [
        ("label", 3, "has a int as `label`; it must be a function"),
        ("scored", "facts", "has a str as `scored`; it must be a tuple"),
        ("reasons", (), "has a tuple as `reasons`; it must be a mapping"),
    ],
)
def test_a_part_of_another_kind_is_one_line(monkeypatch, part, value, said):
    monkeypatch.setattr(HaluEval, part, value)
    with pytest.raises(TruerateError, match=re.escape(said)) as caught:
        load_track.__wrapped__("halueval")
    assert "\n" not in str(caught.value)


def twice(metrics):
    return (*metrics, metrics[0])


def of_step(**changes):
    return "graph", lambda own: (replace(own[0], **changes), *own[1:])


def of_metric(**changes):
    return "metrics", lambda own: (*own, replace(own[0], name="x", **changes))


UNFIT = {
    "a step without a function": ("graph", lambda own: (replace(own[0], name="mime"),), "'mime' of its graph has no function"),
    "a step of later": ("graph", lambda own: tuple(reversed(own)), "steps before it"),
    "a role that is no setting": ("graph", lambda own: (replace(own[0], role="nobody"),), "'nobody'"),
    "two records of one name": ("metrics", twice, "two records of metric"),
    "a rank of what is not recorded": ("metrics", lambda own: own[-1:], "its card ranks 'accuracy'"),
    "no word on plans": ("assumed", lambda own: None, "its protocol must have `assumed`"),
}  # fmt: skip
UNFIT |= {
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
        *("scored", lambda own: ("fact",)),
        "`scored` of its protocol names 'fact'; did you mean 'facts'?",
    ),
    "a query of what a source has not": (
        *("queried", lambda own: ("document",)),
        "`queried` of its protocol names 'document'; did you mean 'documents'?",
    ),
    "slices of no step": (
        *("sliced", lambda own: ("simple",)),
        "`sliced` of its protocol names 'simple'; did you mean 'sample'?",
    ),
    "columns of no table": (
        *("scored_columns", lambda own: {"fact": ("text",)}),
        "`scored_columns` of its protocol names 'fact'; allowed: ",
    ),
    "a column that a table has not": (
        *("scored_columns", lambda own: {"facts": ("texts",)}),
        "`scored_columns` of its protocol names column 'texts' of 'facts'; did you mean 'text'?; allowed: ",
    ),
    "columns that labels read of no table": (
        *("labelled_columns", lambda own: {"fact": ("text",)}),
        "`labelled_columns` of its protocol names 'fact'; allowed: ",
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
}


@pytest.mark.parametrize("case", UNFIT)
def test_parts_that_do_not_fit_together_are_one_line(monkeypatch, case):
    part, change, said = UNFIT[case]
    monkeypatch.chdir(ROOT)
    changed = change(getattr(load_track("halueval"), part))
    monkeypatch.setattr(HaluEval, part, changed)
    if part in ("card", "metrics"):  # which are read without the protocol
        read = getattr(tracks, f"{part}_of_track")
        monkeypatch.setattr(
            tracks, f"{part}_of_track", lambda track: changed if track == "halueval" else read(track)
        )
    for known in (load_track, graph.steps):
        known.cache_clear()
    with pytest.raises(TruerateError) as caught:
        check_names(Layout(load_params(ROOT / "params.yaml")))
    for known in (load_track, graph.steps):
        known.cache_clear()
    assert said in str(caught.value) and "\n" not in str(caught.value)


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
    named = re.compile("|".join(track_names()))
    formats = set(track_names())  # a later version of a format has a number behind its name
    for path in (ROOT / "src/truerate" / room).rglob("*.py"):
        is_format = path.stem.rstrip("0123456789") in formats and room == "sources"
        is_table = (room, path.stem) in (("hub", "forms"), ("sources", "registry"))  # of forms, of formats
        if is_format or is_table:
            continue
        held = [text for text in words(path) if named.search(text.lower())]
        assert not held, (path, held)
