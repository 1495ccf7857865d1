"""The configs of a board: tasks with what they are about, tables, licences apart, ids alone where texts may
not go out.
"""

import hashlib
from dataclasses import replace

import polars as pl
import pytest

from tests.hub import small_board as small
from truerate.core.errors import TruerateError
from truerate.core.schemas import pairs
from truerate.hub.configs import configs_of, slug
from truerate.hub.licences import Licence, licence_of


def configs(tables: dict | None = None, **card) -> dict:
    """The configs of the small board by name."""
    results = configs_of(
        small.tables() if tables is None else tables,
        card=small.CARD | card,
        source=small.SOURCE,
        tasks=small.TASKS,
    )
    assert len({entry.name for entry in results}) == len(results)
    return {entry.name: entry for entry in results}


def test_tasks_come_first_then_tables_and_the_first_task_is_the_default():
    results = configs()
    assert list(results) == [
        "qa", "held-out", "items", "documents", "generations", "counts", "scores", "leaderboard",
    ]  # fmt: skip
    assert [name for name, entry in results.items() if entry.is_default] == ["qa"]


def test_of_a_task_in_several_licences_the_largest_config_is_the_default():
    """Of the twelve texts of qa six are about i1, whose reference is under CC BY (two of them are kept), and
    six about i3.
    """
    tables = small.tables(24, licences=("MIT", "CC BY 4.0", "MIT", "MIT"))
    tables["samples"] = tables["samples"].filter((pl.col("item_id") != "i1") | (pl.col("sample_id") < "s06"))
    sizes = {
        name: sum(data.height for data in entry.splits.values())
        for name, entry in configs(tables).items()
        if name.startswith("qa")
    }
    assert sizes == {"qa-cc-by-4.0": 2, "qa-mit": 6}
    assert [name for name, entry in configs(tables).items() if entry.is_default] == ["qa-mit"]


def test_without_samples_the_leaderboard_is_the_default():
    tables = small.tables()
    results = configs(tables | {"samples": tables["samples"].clear()})
    assert [name for name, entry in results.items() if entry.is_default] == ["leaderboard"]


def test_nothing_gives_no_config():
    assert configs({name: data.clear() for name, data in small.tables().items()}) == {}
    assert configs({}) == {}


def test_a_split_without_rows_is_not_there():
    results = configs()
    assert list(results["held-out"].splits) == ["test"]
    assert list(results["qa"].splits) == ["train", "test"]
    assert list(results["items"].splits) == ["full"]


def test_samples_stand_beside_their_item_and_the_texts_of_its_documents():
    rows = pl.concat(configs()["qa"].splits.values()).sort("sample_id")
    assert rows.columns[:9] == [
        "sample_id", "item_id", "group_id", "pair_id", "lang", "question", "history", "knowledge",
        "right_answer",
    ]  # fmt: skip
    assert "task" not in rows.columns and "split" not in rows.columns
    # s01, s03, … are about i1, i3, …, whose documents are d<i> and one that is not there
    assert rows["knowledge"].to_list()[:3] == ["Text 1.", "Text 3.", "Text 1."]
    assert rows["question"].to_list()[:2] == ["Question 1?", "Question 3?"]


def test_knowledge_joins_documents_in_the_order_of_the_item():
    tables = small.tables()
    items = tables["items"].with_columns(document_ids=pl.lit(["d2", "d0"]))
    assert set(configs(tables | {"items": items})["qa"].splits["test"]["knowledge"]) == {"Text 2.\n\nText 0."}


def test_an_item_without_documents_has_no_knowledge():
    # i0 has none; s00, s04, s08 are about it
    assert configs()["held-out"].splits["test"].filter(item_id="i0")["knowledge"].to_list() == [None] * 3


def test_evidence_of_a_text_stands_in_for_its_items_documents():
    tables = small.tables()
    named = tables["samples"].with_columns(
        attributes=pl.lit(pairs(evidence="d3:0-4 d0:5-6"), dtype=tables["samples"].schema["attributes"])
    )
    assert set(configs(tables | {"samples": named})["qa"].splits["test"]["knowledge"]) == {"Text\n\n0"}


def test_evidence_that_names_no_passage_is_refused():
    tables = small.tables()
    named = tables["samples"].with_columns(
        attributes=pl.lit(pairs(evidence="nowhere:0-4"), dtype=tables["samples"].schema["attributes"])
    )
    with pytest.raises(TruerateError, match="evidence of sample 's00': 'nowhere:0-4' is no passage"):
        configs(tables | {"samples": named})


def test_the_order_of_rows_does_not_matter():
    tables = small.tables()
    turned = {name: data.reverse() for name, data in tables.items()}
    for entry, other in zip(configs(tables).values(), configs(turned).values(), strict=True):
        assert all(data.equals(other.splits[split]) for split, data in entry.splits.items()), entry.name


def test_rows_under_another_licence_are_a_config_of_their_own():
    results = configs(small.tables(licences=("MIT", "CC BY-SA 4.0")))
    assert {"documents-mit", "documents-cc-by-sa-4.0"} <= set(results) and "documents" not in results
    assert results["documents-cc-by-sa-4.0"].splits["full"]["document_id"].to_list() == ["d1", "d3"]
    # all of qa is about i1 and i3, whose texts are share-alike: one licence, the plain name
    assert results["qa"].licence == licence_of("CC BY-SA 4.0")
    assert results["held-out"].licence == licence_of("MIT")  # i0 and i2


def test_one_task_under_two_licences_is_two_configs():
    results = configs(small.tables(licences=("MIT", "MIT", "MIT", "CC BY-SA 4.0")))
    assert set(results["qa-mit"].splits["train"]["item_id"]) == {"i1"}
    assert {item for data in results["qa-cc-by-sa-4.0"].splits.values() for item in data["item_id"]} == {"i3"}
    assert sum(entry.is_default for entry in results.values()) == 1


def test_knowledge_whose_licence_cannot_be_joined_stays_out():
    results = configs(small.tables(licences=("CC BY-SA 4.0",)), licence="CC BY-NC 4.0")
    assert results["qa"].licence == licence_of("CC BY-NC 4.0")
    assert all(data["knowledge"].null_count() == data.height for data in results["qa"].splits.values())
    assert results["qa"].splits["test"].schema["knowledge"] == pl.String
    assert results["documents"].licence == licence_of("CC BY-SA 4.0")


def test_documents_of_which_nobody_says_who_may_pass_them_on_go_without_text():
    results = configs(small.tables(licences=("MIT", "not stated")))
    bare = results["documents-ids"]
    assert not bare.has_texts and bare.licence == licence_of("MIT")
    assert "text" not in bare.splits["full"].columns
    assert bare.splits["full"]["text_sha256"].to_list() == [
        hashlib.sha256(text.encode()).hexdigest() for text in ("Text 1.", "Text 3.")
    ]
    assert results["documents"].has_texts and results["documents"].splits["full"]["text"].to_list() == [
        "Text 0.",
        "Text 2.",
    ]
    assert all(
        data["knowledge"].null_count() == data.height for data in results["qa"].splits.values()
    )  # i1, i3


def test_a_source_of_ids_alone_gives_no_text_at_all():
    results = configs(redistribution="ids-only")
    words = {"question", "history", "knowledge", "right_answer", "text", "rationale", "sentence"}
    for entry in results.values():
        assert not any(words & set(data.columns) for data in entry.splits.values()), entry.name
    texts = {
        text
        for entry in results.values()
        for data in entry.splits.values()
        for text in data.write_json().split('"')
    }
    assert not texts & {"Text 1.", "Question 1?", "A reply."}
    sums = results["qa"].splits["test"]["text_sha256"]
    assert sums.str.len_chars().unique().to_list() == [64]
    assert results["qa"].splits["test"]["is_hallucinated"].dtype == pl.Boolean
    assert not results["qa"].has_texts and results["qa"].is_default
    assert [name for name, entry in results.items() if entry.has_texts] == [
        "counts",
        "scores",
        "leaderboard",
    ]  # which never hold any


def test_documents_in_two_tables_are_there_once():
    tables = small.tables()
    assert (
        configs(tables | {"documents": pl.concat([tables["documents"]] * 2)})["documents"]
        .splits["full"]
        .height
        == 4
    )


def test_rows_that_differ_in_their_slice_alone_have_one_order():
    tables = small.tables()
    turned = tables | {"counts": tables["counts"].reverse()}
    assert [entry["value"] for row in configs(turned)["counts"].splits["full"]["slice"] for entry in row] == [
        "general",
        "qa",
    ]


def test_a_licence_of_its_own_name_is_a_slug():
    other = Licence("other", "Creative Commons, variant: not stated / <b>")
    assert slug(other) == "creative-commons-variant-not-stated-b"
    assert slug(replace(other, name="***")) == "other"
