"""Samples in the columns of public formats, and read back by the readers of these."""

import polars as pl
import pytest

from tests.hub import small_board as small
from truerate.config import Source
from truerate.core.errors import TruerateError
from truerate.core.schemas import PAIRS, SPANS, pair, pairs
from truerate.hub.dataset import draft_of
from truerate.hub.forms import in_forms, target_of
from truerate.hub.kept import Kept
from truerate.hub.licences import LICENCES
from truerate.hub.release import Stamp
from truerate.hub.shards import Config
from truerate.sources.reading import read_source

LICENCE = LICENCES["mit"]
SCHEMA = {
    "sample_id": pl.String, "group_id": pl.String, "history": pl.String, "question": pl.String,
    "knowledge": pl.String, "text": pl.String, "is_hallucinated": pl.Boolean, "label_source": pl.String,
    "rationale": pl.String, "spans": SPANS, "attributes": PAIRS,
}  # fmt: skip
ROW = {
    "sample_id": "a",
    "group_id": "g1",
    "history": "[Human]: Hello!\n[Assistant]: Hi.",
    "question": "When?",
    "knowledge": "It opened in 1913.",
    "text": "In 1931, by Ann Lee.",
    "is_hallucinated": True,
    "label_source": "silver",
    "rationale": 'The segment "In 1931" contradicts "opened in 1913".',
    "spans": [{"start": 0, "end": 7, "type": None, "p": None}],
    "attributes": pairs(scenario="spontaneous", dialogue="7", turn="1"),
}
FIRST = {
    "sample_id": "b", "history": "", "question": "Hello!", "text": "Hi.", "is_hallucinated": False, "spans": [],
    "rationale": "Nothing is claimed.", "attributes": pairs(scenario="spontaneous", dialogue="7", turn="0"),
}  # fmt: skip
INDUCED = {"sample_id": "c", "attributes": pairs(scenario="induced", kind="factuality", turn="1")}


def config(*rows, name="dialogue", **more):
    return Config(
        name, {"train": pl.DataFrame([ROW | row for row in rows], SCHEMA)}, LICENCE, "one text", **more
    )


def rows_of(configs):
    """Rows by config and split."""
    return {(entry.name, split): data.rows() for entry in configs for split, data in entry.splits.items()}


def test_halludial_s_columns():
    other = INDUCED | {"group_id": "g0", "rationale": None, "spans": []}
    forms = in_forms([config({}, FIRST, other, is_default=True)], ["halludial"])
    assert rows_of(forms) == {
        ("halludial-spontaneous", "train"): [
            (1, ROW["knowledge"], "[Human]: Hello!", 0, "Hi.", "No. Nothing is claimed."),
            (1, ROW["knowledge"], "[Human]: Hello! [Assistant]: Hi. [Human]: When?", 1, ROW["text"], f"Yes. {ROW['rationale']}"),
        ],
        ("halludial-induced", "train"): [
            (0, ROW["knowledge"], "[Human]: Hello! [Assistant]: Hi. [Human]: When?", 1, ROW["text"], "Yes."),
        ],
    }  # fmt: skip
    assert not any(form.is_default for form in forms) and {form.licence for form in forms} == {LICENCE}


LEFT_OUT = {
    "no knowledge": {"knowledge": None},
    "no question": {"question": ""},
    "another scenario": {"attributes": pairs(scenario="natural", turn="1")},
    "no turn": {"attributes": pairs(scenario="induced")},
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_rows_that_the_format_cannot_hold_stay_out(name):
    assert in_forms([config(LEFT_OUT[name])], ["halludial"]) == []


def test_configs_without_texts_or_of_other_tasks_have_no_form():
    others = [config({}, has_texts=False), config({}, name="qa"), config({}, name="documents")]
    assert in_forms(others, ["halludial"]) == [] == in_forms([config({})], [])
    forms = in_forms([config({}, name="dialogue-mit"), config(INDUCED, name="dialogue-cc0")], ["halludial"])
    assert [form.name for form in forms] == ["halludial-spontaneous-mit", "halludial-induced-cc0"]


def test_an_unknown_form_is_one_line():
    with pytest.raises(
        TruerateError, match="publishing in the columns of 'x': not known; allowed: halludial"
    ):
        in_forms([], ["x"])


def test_a_target_quotes_every_segment():
    spans = ROW["spans"]
    assert target_of(ROW["text"], "It was 1913.", spans, is_hallucinated=True) == (
        'Yes. The response is wrong in "In 1931". It was 1913.'
    )
    assert target_of(ROW["text"], None, [], is_hallucinated=False) == "No."
    assert target_of(ROW["text"], "So “In 1931” is wrong.", spans, is_hallucinated=True).startswith("Yes. So")


def test_the_reader_of_the_format_reads_back_what_was_written(tmp_path):
    configs = [config({}, FIRST, INDUCED | {"rationale": "It was 1913."}, is_default=True)]
    configs += in_forms(configs, ["halludial"])
    draft = draft_of(small.facts(), configs, rows_per_shard=1, licence=None, repo="org/little")
    for path, content in draft.files(stamp=Stamp("2026-01-05"), changelog="", kept=Kept()).items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)
    got = read_source("x", Source(reader="halludial", path=str(tmp_path)), tmp_path, "stop")
    samples = got.samples.with_columns(pair("attributes", "scenario").alias("scenario"))
    whole = samples.join(got.items.drop("attributes"), on="item_id").sort("scenario", "history")
    assert got.rejects.height == 0 and got.items["group_id"].n_unique() == 1
    assert whole.select("text", "is_hallucinated", "rationale", "scenario").rows() == [
        (ROW["text"], True, 'The response is wrong in "In 1931". It was 1913.', "induced"),
        ("Hi.", False, "Nothing is claimed.", "spontaneous"),
        (ROW["text"], True, ROW["rationale"], "spontaneous"),
    ]
    assert whole["spans"].to_list() == [ROW["spans"], [], ROW["spans"]]
    assert whole["question"].to_list() == ["When?", "Hello!", "When?"]
