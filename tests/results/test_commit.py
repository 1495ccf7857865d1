"""From a built board to its committed result: labels come by their reader, and scores stand by labelled
parts.
"""

import sys
from pathlib import Path

import polars as pl
import pytest
import yaml

from truerate import sources
from truerate.config.layout import Layout
from truerate.core.schemas import Outcome, pairs, save, schema
from truerate.results.commit import SOURCE, by_labelled_parts, labels_behind
from truerate.results.labels import LABELS, Label, save_labels
from truerate.sources.reading import read_source
from truerate.sources.registry import labels_by, readers

ROOT = Path(__file__).parents[2]
READS = '''
"""Mines: replies, of which people said whether they are right."""

from truerate.sources.collection import Collection
from truerate.sources.cuts import json_lines

CARD = {"name": "Mines", "citation": "us", "licence": "CC0", "redistribution": "yes", "url": None, "lang": "en"}


def read(folder, *, name, on_bad_row):
    collection = Collection(folder, name=name, on_bad_row=on_bad_row, card=CARD)

    def keep(row):
        item = collection.item("qa", group=("question", row.number), question=row.text("question"))
        wrong = row.text("said") == "wrong"
        collection.sample(item, row.text("reply"), is_hallucinated=wrong, label_source="gold", generator="m", said=row.text("said"))

    collection.read("mines.jsonl", json_lines, keep)
    return collection.tables()
'''
LABELLED = """

from truerate.sources.public.unit_labels import WRONG, Unit, attributes_of, label_row


def labels(tables):
    return [
        label_row(
            Unit(one["generator"], one["text"], one["group_id"], []),
            "people say",
            attributes_of(one)["said"],
            of=WRONG,
            gives=float(one["is_hallucinated"]),
        )
        for one in tables.samples.to_dicts()
    ]
"""


@pytest.fixture
def board(tmp_path, monkeypatch):
    """The layout of a board whose source a module reads that lies beside those of the package, and is
    imported.
    """

    def put(code):
        (tmp_path / "more").mkdir()
        (tmp_path / "more/mines.py").write_text(code, "utf-8")
        monkeypatch.setattr(sources, "__path__", [*sources.__path__, str(tmp_path / "more")])
        (tmp_path / "mines.jsonl").write_text(
            '{"question": "Where?", "reply": "Here.", "said": "right"}\n'
            '{"question": "When?", "reply": "Never.", "said": "wrong"}\n',
            "utf-8",
        )
        params = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
        params["sources"]["mines"] = {"reader": "mines", "path": str(tmp_path)}
        params["boards"]["mines"] = {"track": "labelled_replies", "source": "mines"}
        (tmp_path / "params.yaml").write_text(yaml.safe_dump(params, sort_keys=False), "utf-8")
        at = Layout.load(str(tmp_path / "params.yaml"))
        tables = read_source("mines", at.p.source("mines"), tmp_path, "stop").tables
        for name, table in SOURCE.items():
            save(table, tables[name], tmp_path / at.source("mines", name))
        return at

    yield put
    sys.modules.pop("truerate.sources.mines", None)
    vars(sources).pop("mines", None)


def test_a_reader_that_brings_labels_is_found_by_its_name(board, tmp_path):
    at = board(READS + LABELLED)
    assert "mines" in readers()
    labels = labels_behind(at, tmp_path, "mines")
    rows = labels.select("board", "unit_id", "question", "label", "metric", "gives").rows()
    assert rows == [
        ("mines", "Here.", "people say", "right", "hallucination_rate", 0.0),
        ("mines", "Never.", "people say", "wrong", "hallucination_rate", 1.0),
    ]
    save_labels(labels, tmp_path)
    assert (tmp_path / LABELS).is_file(), "its columns are those of a result's labels"


def test_a_reader_without_labels_needs_nothing(board, tmp_path):
    at = board(READS)
    assert "mines" in readers() and labels_by("mines") is None
    assert labels_behind(at, tmp_path, "mines") is None


def test_labels_of_the_committed_results_are_brought_by_their_readers():
    """By name of reader; of the others no result has a file of labels."""
    p = Layout.load(str(ROOT / "params.yaml")).p
    entries = {name: entry for name, entry in p.public_data.items() if (ROOT / "results" / name).is_dir()}
    with_file = {name for name in entries if (ROOT / "results" / name / LABELS).is_file()}
    assert with_file == {name for name, entry in entries.items() if labels_by(entry.reader)}


# ---- scores by the parts of a set that its labels tell apart


def outcome(unit, value, **where):
    row = {"board": "b", "metric": "rate", "subject": "m", "slice": pairs(**where), "unit_id": unit}
    return row | {"cluster_id": unit, "value": value}


def label(unit, part="", **where):
    row = {"board": "b", "subject": "m", "slice": pairs(**where), "unit_id": unit, "cluster_id": unit}
    row |= {"part": part}
    row |= {"question": "q", "rater": "", "label": "yes", "metric": "rate", "where": "set=all", "gives": 1.0}
    return row


def parted(outcomes, labels):
    parts_of = by_labelled_parts(
        pl.DataFrame(outcomes, schema=schema(Outcome)), pl.DataFrame(labels, schema=schema(Label))
    )
    return {
        (tuple(pair.values()), row["unit_id"]): row["value"]
        for row in parts_of.to_dicts()
        for pair in row["slice"]
    }


def test_each_unit_stands_once_more_under_each_pair_of_its_labels():
    # two labels of u1 say the same of it; u2 is of another rarity; what no label is the value of stays whole
    outcomes = [
        outcome("u1", 1.0, set="all"),
        outcome("u2", None, set="all"),
        outcome("u1", 0.0, set="common"),
    ]
    labels = [label("u1", "0", rarity="rare"), label("u1", "1", rarity="rare"), label("u2", rarity="freq")]
    assert parted(outcomes, labels) == {
        (("rarity", "rare"), "u1"): 1.0,
        (("set", "all"), "u1"): 1.0,
        (("rarity", "freq"), "u2"): None,
        (("set", "all"), "u2"): None,
    }


def test_slices_that_the_board_has_itself_are_not_made_anew():
    outcomes = [outcome("u1", 1.0, set="all"), outcome("u1", 1.0, set="all", task="qa")]
    assert parted(outcomes, [label("u1", task="qa")]) == {}


def test_a_set_without_labels_has_no_parts():
    empty = pl.DataFrame([], schema=schema(Outcome))
    assert by_labelled_parts(empty, None).is_empty()
