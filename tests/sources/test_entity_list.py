"""A ready list of entities: what is read of it, and what cannot be a name."""

import pytest

from truerate.config.data import Source
from truerate.core.errors import SourceError
from truerate.core.keys import content_id
from truerate.sources.reading import read_source


def test_a_csv_list(put, read):
    put("entities.csv", "name,domain,n_chats\nVarn,geographic,12\nAC/DC,,\n")
    got = read("entity_list")
    rows = {row["question"]: row for row in got.items.iter_rows(named=True)}
    assert (
        rows["Varn"]["item_id"] == rows["Varn"]["group_id"] == content_id("entity", "x", "varn")
        and rows["Varn"]["task"] == "entity"
    )
    assert {pair["key"]: pair["value"] for pair in rows["Varn"]["attributes"]} == {
        "domain": "geographic",
        "n_chats": "12",
        "name": "Varn",
    }
    assert {pair["key"] for pair in rows["AC/DC"]["attributes"]} == {"name"} and got.rejects.is_empty()


@pytest.mark.parametrize(
    ("name", "detail"),
    [
        ("x" * 201, "too-long"), ("x" * 10_000, "too-long"), ("Va\x00rn", "control-character"),
        ("Va\nrn", "control-character"), ("Va\u202ern", "control-character"),
        ("Va\u2028rn", "control-character"), ("../../etc/passwd", "path-like"),
        ("/etc/passwd", "path-like"), ("a/../b", "path-like"), ("~/x", "path-like"), ("C:/x", "path-like"),
        ("C:\\x", "path-like"), ("https://x.invalid", "path-like"),
    ],
)  # fmt: skip
def test_unusable_name(name, detail, put, read):
    put("entities.jsonl", [{"name": name}, {"name": "Varn"}])
    got = read("entity_list")  # even where a bad row would stop the build
    row = got.rejects.row(0, named=True)
    assert (
        row["reason"] == "unusable-name"
        and row["detail"].startswith(detail)
        and got.items["question"].to_list() == ["Varn"]
    )
    assert len(row["text"]) <= 300


def test_a_list_of_the_papers_size_is_read_whole_and_each_name_once(put, read):
    """7,919 entities (WildHallucinations, section 2), every hundredth of them again in other letters."""
    names = [f"Varn Abbey {number}" for number in range(7_919)]
    second = [name.upper() for name in names[::100]]
    put("entities.jsonl", [{"name": name} for name in names + second])
    tables = read("entity_list", on_bad_row="reject")
    assert sorted(tables.items["question"]) == sorted(names)
    assert tables.rejects["reason"].to_list() == ["duplicate"] * len(second)


def test_a_source_says_itself_what_is_done_with_its_bad_rows(tmp_path):
    """In place of the setting of all: what cannot be used is a reject with its reason, or stops the run."""
    (tmp_path / "entities.jsonl").write_text('{"name": "Varn"}\n{"x": 1}\n', "utf-8")
    of_set = Source(reader="entity_list", path=str(tmp_path), on_bad_row="reject")
    results = read_source("x", of_set, tmp_path, "stop")
    assert results.items["question"].to_list() == ["Varn"] and results.rejects.height == 1
    with pytest.raises(SourceError, match="row 2"):
        read_source("x", of_set.model_copy(update={"on_bad_row": "stop"}), tmp_path, "reject")
    (tmp_path / "entities.jsonl").write_text('{"x": 1}\n', "utf-8")
    with pytest.raises(SourceError, match="none of its rows can be used; "):
        read_source("x", of_set, tmp_path, "stop")
