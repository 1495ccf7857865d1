"""Scratch keys: what decides a reply moves them, what does not leaves them."""

from pathlib import Path

import pytest
import yaml

from tests.cases import cases
from truerate.config import Params
from truerate.config.layout import Layout

ROOT = Path(__file__).parents[2]
BOARD = "halueval-closed-world"
TABLE = Path(__file__).with_suffix(".yaml")


@pytest.fixture
def params(tmp_path, monkeypatch):
    """The committed settings, with a source of one file."""
    monkeypatch.chdir(ROOT)
    found = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
    found["paths"]["sources"] = str(tmp_path)
    (tmp_path / "closed-world").mkdir()
    (tmp_path / "closed-world" / "items.parquet").write_bytes(b"items")
    return found


def key(params, alias="birch", *upstream) -> str:
    return Layout(Params.model_validate(params)).key(BOARD, alias, *upstream)


def test_shards_follow_from_the_size_where_none_are_set_and_the_demos_rows_keep_their_place(params):
    as_set = Layout(Params.model_validate(params))
    free = Layout(Params.model_validate(params | {"n_shards": None}))
    for board in params["boards"]:
        assert free.on(board).p.n_shards == as_set.on(board).p.n_shards == 1, board
    assert free.scratch(BOARD, "answer", "birch") == as_set.scratch(BOARD, "answer", "birch")
    full = Layout(Params.model_validate(params | {"n_shards": None, "profile": "full"}))
    # sizes together, of which 5,000 make a shard: 10,000 · 3 + 5,000 + 7,500 = 42,500; 10,000 + 300 + 300 + 500 +
    # 760 = 11,860 in each of 6 languages; 40,000 + 10 · 8,000 + 200 + 100 + 400 + 100 = 120,800; 4,094 + 400 + 3,200 + 2,000 +
    # 200 + 850 = 10,744
    expected = {"halueval": 9, "mfava": 15, "wildhallucinations": 25, "halludial": 3}
    for board, told in params["boards"].items():
        assert full.on(board).p.n_shards == expected[told["track"]], board
    # a layout at work on a board names the same files as one that is not
    files = full.scratch(BOARD, "answer", "birch")
    assert full.on(BOARD).scratch(BOARD, "answer", "birch") == files and len(files) == 9
    set_so = Layout(Params.model_validate(params | {"n_shards": 3, "profile": "full"}))
    assert {set_so.on(board).p.n_shards for board in params["boards"]} == {3}


@cases(TABLE, "same")
def test_what_decides_no_reply_moves_no_key(params, change):
    before = key(params)
    change(params)
    assert key(params) == before


@cases(TABLE, "other")
def test_what_decides_a_reply_moves_the_key(params, change):
    before = key(params)
    change(params)
    assert key(params) != before


def test_what_answers_moves_the_key(params):
    before = key(params)
    params["endpoints"]["world"]["launch"] += " --fault search-rate"
    assert key(params) != before


def test_the_place_where_a_model_is_asked_moves_its_key_for_dead_letters_are_of_one_place(params):
    params["models"]["birch"]["endpoint"] = "mine"
    found = set()
    for url in ("http://one.example/v1", "http://one.example/v1/", "http://two.example/v1"):
        params["endpoints"]["mine"] = {"base_url": url}
        found.add(key(params))
    assert len(found) == 2


def test_the_store_stands_where_the_environment_says(params, monkeypatch, tmp_path):
    monkeypatch.setenv("TRUERATE_STORE", str(tmp_path / "s.sqlite"))
    assert Layout(Params.model_validate(params)).store == tmp_path / "s.sqlite"
