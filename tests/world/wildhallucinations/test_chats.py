"""The chats' files: of WildChat's two forms, the same for the same seed, with everything in them that a
reader must tell apart.
"""

import json
from collections import Counter

import polars as pl
import pytest

from truerate.sources.papers import wildchat
from truerate_world.__main__ import main
from truerate_world.encyclopedia import build
from truerate_world.wildhallucinations.chats import JSONL, PARQUET, write_chats
from truerate_world.wildhallucinations.models.planted import AMBIGUOUS, INVENTED, PRIVATE, is_known, names_in

N = 400


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("chats")
    write_chats(path, 7, N)
    return path


@pytest.fixture(scope="module")
def tables(folder):
    return wildchat.read(folder, name="closed-world-chats", on_bad_row="stop")


def test_half_is_parquet_and_half_is_json_lines_of_the_older_form(folder):
    rows = [json.loads(line) for line in (folder / JSONL).read_text("utf-8").splitlines()]
    data = pl.read_parquet(folder / PARQUET)
    assert data.height == len(rows) == N // 2 and "conversation_hash" in data.columns
    assert "conversation_id" in rows[0]
    assert any("toxic" not in row["conversation"][0] for row in rows) and any(
        "toxic" in row["conversation"][0] for row in rows
    )


def test_the_same_seed_gives_the_same_bytes_and_a_smaller_folder_is_its_beginning(folder, tmp_path):
    for name, n in (("again", N), ("few", 10)):
        write_chats(tmp_path / name, 7, n)
    assert all(
        (tmp_path / "again" / path.name).read_bytes() == path.read_bytes() for path in folder.iterdir()
    )
    few = pl.read_parquet(tmp_path / "few" / PARQUET)
    assert few.equals(pl.read_parquet(folder / PARQUET).head(5))
    write_chats(tmp_path / "other", 8, 10)
    assert not pl.read_parquet(tmp_path / "other" / PARQUET).equals(few)


def test_every_reason_to_leave_a_turn_out_occurs(tables):
    n = tables.card["counts"]
    assert all(n[f"n_turns_{reason}"] > 3 for reason in ("toxic", "not-english", "redacted", "empty-turn"))
    assert n["n_user_turns"] == n["n_items"] + n["n_rejects"] and n["n_items"] > N / 2


def test_every_kind_of_name_in_every_spelling_occurs(tables):
    world, texts = build(7), tables.items["question"].to_list()
    found = [(one, text) for text in texts for one in names_in(world, text)]
    kinds = Counter(one.kind for one, _ in found)
    assert kinds["entity"] > 150 and min(kinds[kind] for kind in ("ambiguous", "invented", "private")) > 8
    known = {is_known(world.entities[one.entity]) for one, _ in found if one.kind == "entity"}
    assert known == {True, False}
    assert any(one.surface.islower() for one, _ in found) and any(
        f'"{one.surface}"' in text for one, text in found
    )
    assert any(f"{one.surface}{mark}s " in text for one, text in found for mark in "'’")
    n_names = Counter(len(names_in(world, text)) for text in texts)
    assert n_names[0] > 10 and n_names[2] > 10
    assert any("ignore all" in text.casefold() for text in texts) and any(
        "#Proper Nouns#:" in text for text in texts
    )


def test_each_planted_list_comes_up(tables):
    text = "\n".join(tables.items["question"])
    assert sum(name in text for name in (*AMBIGUOUS, *INVENTED, *PRIVATE)) > 25


def test_the_command_writes_a_folder(tmp_path):
    assert main(["write-chats", str(tmp_path / "x"), "--chats", "3", "--seed", "1"]) == 0
    assert sorted(path.name for path in (tmp_path / "x").iterdir()) == sorted([PARQUET, JSONL, "source.json"])
    assert main(["write-chats", str(tmp_path / "one"), "--chats", "1"]) == 0
    assert wildchat.read(tmp_path / "one", name="x", on_bad_row="stop").card["counts"]["n_conversations"] == 1
