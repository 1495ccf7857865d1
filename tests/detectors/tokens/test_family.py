"""The grid of detectors on disk: what is fitted, what is fitted again, and what they say."""

import functools
import json
import shutil
from types import SimpleNamespace

import polars as pl
import pytest
from pydantic import ValidationError

from tests.cases import case_table
from truerate.config.detectors import Detector as FamilyOfDetectors
from truerate.config.detectors import GridPart, RateOf
from truerate.core.schemas import Judgement, pair, scan, validate
from truerate.detectors.tokens import predict
from truerate.detectors.tokens.cells import OF_JUDGES, PACKAGE, Cell, cells, code_key, key_of
from truerate.detectors.tokens.family import judge_tokens, mark_texts
from truerate.tracks.mfava.settings import Sizes

from ..fitting import fit_tokens
from .lessons import backbone, lessons

CASES = case_table(__file__)

RULES = ["mark-all", "mark-none", "reference-blind", "token-lr"]


@pytest.fixture
def params():
    """What of params.yaml the family reads: two networks that learn in a moment."""
    backbones = {"quick": backbone(max_steps=3), "other": backbone(max_steps=2, features=[])}
    return SimpleNamespace(backbones=backbones)


def sizes(**changes):
    values = {"train": 1, "silver": 1, "articles": 1, "natural": 0}
    values |= {"seeds": [42], "scopes": ["multi"], "labels": ["binary"]}
    return Sizes.model_validate(values | changes)


def fitted(params, size, tmp_path, members, passages, name="out"):
    folder = tmp_path / name
    folder.mkdir()
    fit_tokens(members, passages, params, size, folder=folder, scratch=tmp_path / "scratch")
    return folder


def judged_by(members, passages, params, size, *, folder, kept=None, **stated):
    """The rows of the files of what was judged."""
    index = folder / ".judged" if kept is None else kept
    files = judge_tokens(members, passages, params, size, folder=folder, kept=index, **stated)
    return scan(Judgement, files).collect()


def contents(folder):
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_the_grid():
    size = sizes(seeds=[42, 47], scopes=["multi", "mono"], labels=["binary", "category"])
    result = list(cells(["mark-all", "quick"], ["tr", "en"], size))
    # a rule: one seed x two labels x (one multi + two mono); a network: two seeds
    assert len(result) == 2 * 3 + 2 * 2 * 3
    assert result[-1] == Cell("quick", "mono", "category", 47, "tr")
    assert all(Cell.of(cell.member, cell.name) == cell for cell in result)


def test_members_that_parts_of_the_grid_name_are_fitted_there_alone():
    size = sizes(seeds=[42, 47], scopes=["multi", "mono"], labels=["binary", "category"])
    parts = [
        GridPart(members=("causal",), scopes=("multi",)),
        GridPart(members=("causal", "mark-all"), labels=("binary",), seeds=(42,)),
    ]
    result = list(cells(["causal", "mark-all", "quick"], ["en"], size, parts))
    single = [cell for cell in result if cell.member == "causal"]
    # multi × two labels × two seeds, and mono × binary × seed 42: multi, binary, 42 stands in both parts
    assert len(single) == 4 + 1 and len([cell for cell in single if cell.scope == "mono"]) == 1
    of_rule = [cell.name for cell in result if cell.member == "mark-all"]
    assert of_rule == ["multi-binary-42", "mono-binary-42-en"]
    assert len([cell for cell in result if cell.member == "quick"]) == 2 * 2 * 2


def test_texts_that_nobody_labelled_are_judged_by_the_detector_of_the_rates_alone(params, tmp_path):
    size = sizes(scopes=["multi", "mono"])
    folder = fitted(params, size, tmp_path, RULES, lessons(20))
    texts = lessons(4, start=500).with_columns(is_labelled=pl.int_range(pl.len()) % 3 > 0)
    asked = functools.partial(judged_by, RULES, texts, params, size, folder=folder)
    kept = {"kept": tmp_path / "judged", "texts": "one"}
    whole, rates = asked(**kept), RateOf(member="token-lr", scope="multi", labels="binary")
    result = asked(**kept, of_rates=rates)
    is_of_rates = (pl.col("judge") == "token-lr") & (pair("attributes", "scope") == "multi")
    labelled = texts.filter("is_labelled")["target_id"].to_list()
    assert result.equals(whole.filter(is_of_rates | pl.col("target_id").is_in(labelled)))
    assert whole.height > result.height and asked(**kept).equals(whole)  # neither is taken for the other


@pytest.mark.parametrize(("change", "reply"), CASES["refused"])
def test_a_grid_that_cannot_be_is_refused(change, reply):
    with pytest.raises(ValidationError, match=reply):
        FamilyOfDetectors.model_validate({"tracks": ["mfava"], "members": ["a"]} | change)


def test_rules_fit_and_judge(params, tmp_path):
    folder = fitted(params, sizes(scopes=["multi", "mono"]), tmp_path, RULES, lessons(20))
    texts = lessons(6, start=500)
    judged = judged_by(RULES, texts, params, sizes(scopes=["multi", "mono"]), folder=folder)
    validate(Judgement, judged, where="test")
    # every text once by multi and once by its language's own
    assert judged.height == len(RULES) * texts.height * 2
    whole = judged.filter(judge="mark-all")
    lengths = dict(texts.select("target_id", pl.col("text").str.len_chars()).iter_rows())
    assert all(
        [item["end"] for item in spans] == [lengths[target]]
        for target, spans in whole.select("target_id", "spans").iter_rows()
    )
    assert not judged.filter(judge="mark-none")["verdict"].any()
    langs = judged.select(pair("attributes", "scope"), pair("attributes", "lang")).unique()
    assert langs.sort("scope", "lang").rows() == [("mono", "en"), ("mono", "zh"), ("multi", None)]


def test_a_threshold_is_chosen_on_what_was_held_back_and_decides(params, tmp_path):
    folder = fitted(params, sizes(), tmp_path, ["token-tree", "mark-all"], lessons(30))
    texts = lessons(6, start=500)
    facts = json.loads((folder / "token-tree" / "multi-binary-42" / "facts.json").read_text())
    judged = judged_by(["token-tree", "mark-all"], texts, params, sizes(), folder=folder)
    single = judged.filter(judge="token-tree").with_columns(pair("attributes", "threshold"))
    assert set(single["threshold"]) == {str(facts["validation"]["threshold"])}
    assert single["verdict"].equals(single["p"] > facts["validation"]["threshold"])
    assert single["verdict"].any()
    constant = judged.filter(judge="mark-all").select(pair("attributes", "threshold"))
    assert constant["threshold"].null_count() == texts.height  # nothing was chosen


def test_networks_fit_in_processes_and_twice_is_the_same(params, tmp_path):
    members, passages, size = ["quick", "other", "mark-none"], lessons(10), sizes(epochs=1)
    first = contents(fitted(params, size, tmp_path, members, passages))
    assert json.loads(first["quick/multi-binary-42/facts.json"])["steps"] < 3  # as many by its own settings
    assert "quick/multi-binary-42/network/model.safetensors" in first
    scratch = tmp_path / "scratch"
    runs = {path: path.stat().st_mtime_ns for path in scratch.glob("*/run.json")}
    assert first == contents(fitted(params, size, tmp_path, members, passages, "again"))
    # copied, not trained again
    assert runs == {path: path.stat().st_mtime_ns for path in scratch.glob("*/run.json")}
    assert not list(scratch.glob("*/checkpoint.pt")) and not list(scratch.rglob("*.tmp"))
    judged = judged_by(members, passages, params, size, folder=tmp_path / "out")
    assert judged.height == 3 * passages.height and judged["judgement_id"].is_unique().all()
    once_a_cell(members, passages, params, size, tmp_path, judged)


def once_a_cell(members, passages, params, size, tmp_path, judged):
    """What a cell said is kept: the next run asks none, an edit of one cell that one, other texts all."""
    folder, kept = tmp_path / "out", tmp_path / "judged"
    asked = functools.partial(judged_by, members, passages, params, size, folder=folder, kept=kept)
    assert asked(texts="one").equals(judged)
    files = {path: path.stat().st_mtime_ns for path in kept.iterdir()}
    assert len(files) == 3 and asked(texts="one").equals(judged)
    assert files == {path: path.stat().st_mtime_ns for path in kept.iterdir()}
    facts = folder / "other" / "multi-binary-42" / "facts.json"
    facts.write_text(facts.read_text().replace("{", '{"edited": true,', 1))
    asked(texts="one")
    (new,) = (path for path in kept.iterdir() if path not in files)
    assert new.name.split("@")[0] == "other-multi-binary-42"
    asked(texts="two")
    assert len(list(kept.iterdir())) == 4 + 3


def test_what_decides_a_cell_names_its_key():
    passages, cell, how = lessons(4), Cell("quick", "multi", "binary", 42, None), backbone(max_steps=3)
    key = key_of(cell, passages, how)
    assert key == key_of(cell, passages.reverse(), how)
    others = {
        key_of(cell, passages.head(3), how),
        key_of(cell._replace(seed=47), passages, how),
        key_of(cell, passages, backbone(max_steps=4)),
        key_of(cell, passages.with_columns(reference=pl.lit("other")), how),
    }
    assert len(others | {key}) == 5


@pytest.mark.parametrize("kind", ["none", "clean"])
def test_with_nothing_to_learn_from_they_say_so(params, tmp_path, kind):
    empty = pl.Series([[]] * 40, dtype=lessons(1)["spans"].dtype)
    passages = lessons(1).clear() if kind == "none" else lessons(10).with_columns(spans=empty)
    size, members = sizes(scopes=["multi", "mono"]), ["quick", "token-lr", "mark-all"]
    folder = fitted(params, size, tmp_path, members, passages)
    judged = judged_by(members, lessons(2), params, size, folder=folder)
    outcomes = judged.filter(pl.col("judge") != "mark-all").select("judge", "status", "reason").unique()
    expected = [(name, "unparsed", "not-fitted") for name in ("quick", "token-lr")]
    assert outcomes.sort("judge").rows() == expected


def test_how_many_texts_are_read_at_once_changes_nothing(params, tmp_path, monkeypatch):
    members, texts = ["quick", "token-tree", "mark-none"], lessons(6, start=500)
    folder = fitted(params, sizes(), tmp_path, members, lessons(20))
    blank = texts.head(1).with_columns(target_id=pl.lit("blank"), text=pl.lit(" "), spans=[])
    is_labelled = pl.int_range(pl.len()) % 2 > 0
    texts = pl.concat([texts, blank.cast(texts.schema)]).with_columns(is_labelled=is_labelled)
    asked = functools.partial(judged_by, members, texts, params, sizes(), folder=folder)
    whole = asked(kept=tmp_path / "whole").sort("judgement_id")
    monkeypatch.setattr(predict, "AT_ONCE", 3)
    assert asked(kept=tmp_path / "parts").sort("judgement_id").equals(whole)
    assert whole.height == 3 * texts.height
    assert whole.filter(target_id="blank")["p"].to_list() == [0, 0, 0]  # a text without a token


def test_one_text_is_marked_by_the_wanted_cell(params, tmp_path):
    folder = fitted(params, sizes(labels=["category", "binary"]), tmp_path, ["token-lr"], lessons(40))
    row = lessons(40, start=900).filter(pl.col("spans").list.len() > 0).row(0, named=True)
    for labels, types in {"binary": {"hallucination"}, "category": {"entity", "invented"}}.items():
        pairs = [(row["text"], row["reference"])]
        (spans,) = mark_texts("token-lr", pairs, params, folder=folder, wanted=("multi", labels))
        assert {span["type"] for span in spans if span["p"] > 0.5} <= types and spans


def test_a_copied_project_trains_nothing_anew(tmp_path):
    """Code is named by its paths within the package and its bytes, not by where it lies."""
    copied = tmp_path / "elsewhere"
    shutil.copytree(PACKAGE, copied, ignore=shutil.ignore_patterns("__pycache__"))
    assert code_key(OF_JUDGES, copied) == code_key(OF_JUDGES)
    with (copied / "detectors/tokens/train.py").open("a") as file:
        file.write("# changed")
    assert code_key(OF_JUDGES, copied) != code_key(OF_JUDGES)
