import polars as pl
import pytest

from truerate.core.schemas import Document, Generation, Item, Reject, frame, pairs, validate
from truerate.llm.generation import facts, generations
from truerate.tracks.wildhallucinations.entities import with_evidence
from truerate.tracks.wildhallucinations.evidence import (
    Read,
    amounts,
    gathered,
    outcomes,
    searched_row,
    tables_of,
)
from truerate.web.outcomes import Outcome, Text


def read(url, text="", outcome=Outcome.OK, **more):
    return Read(url, more.pop("final_url", url), "a title", Text(outcome, text, **more))


def item(name, **changes):
    row = {"item_id": f"i-{name}", "source": "s", "task": "entity", "lang": "en", "group_id": f"i-{name}"}
    row |= {"document_ids": [], "history": ""}
    return row | {"question": name, "right_answer": None, "attributes": pairs(name=name, n_chats=2)} | changes


VARN = [
    read("http://a.invalid/1", "Varn is a town."),
    read("http://b.invalid/", outcome=Outcome.STATUS, detail="404"),
    read("http://c.invalid/", "varn is  a Town."),  # the same text in other spacing and case
    read(
        "http://go.invalid/",
        "Varn lies on the Odla.",
        final_url="http://en.wikipedia.invalid/wiki/Varn",
        dated="2019-05-04",
        licence="CC BY-SA 4.0",
    ),
]


def searched(**results):
    """Search rows, documents and rejects of entities with their results."""
    pages_of = {name: gathered(f"i-{name}", reads) for name, reads in results.items()}
    rows = [
        searched_row(item(name), gathered_pages, n_results=len(results[name]), prompt_key="k", params="{}")
        for name, gathered_pages in pages_of.items()
    ]
    beside = tables_of(
        *(
            [row for gathered_pages in pages_of.values() for row in getattr(gathered_pages, part)]
            for part in ("documents", "rejects")
        )
    )
    return generations(rows), beside["documents"], beside["rejects"]


def test_pages_become_documents_in_the_order_of_results_and_the_rest_rejects():
    rows, documents, rejects = searched(Varn=VARN)
    for model, data in ((Generation, rows), (Document, documents), (Reject, rejects)):
        validate(model, data, where="here")
    values = facts(rows.row(0, named=True))
    assert values["name"] == "Varn"
    assert values["n_results"] == "4"
    assert rows["text"][0].split("\n")[1] == "http://en.wikipedia.invalid/wiki/Varn"
    first, second = (
        documents.row(by_predicate=pl.col("document_id") == name, named=True)
        for name in values["documents"].split()
    )
    assert (first["licence"], second["licence"]) == ("not stated", "CC BY-SA 4.0")
    assert (first["text"], first["title"], first["dated"], first["is_wikipedia"]) == (
        "Varn is a town.",
        "a title",
        None,
        False,
    )
    assert (second["url"], second["dated"], second["is_wikipedia"]) == (
        "http://en.wikipedia.invalid/wiki/Varn",
        "2019-05-04",
        True,
    )
    assert rejects.select("target_id", "reason", "detail").rows() == [
        ("i-Varn", "status", "http://b.invalid/: 404"),
        ("i-Varn", "duplicate", "http://c.invalid/"),
    ]


def test_entities_get_their_documents_and_those_without_a_page_are_rejects():
    rows, documents, _ = searched(Varn=VARN, Odla=[VARN[1]], Tolm=VARN[:1])
    kept, rejects = with_evidence(
        [item("Varn"), item("Odla"), item("Tolm"), item("Unasked")], rows, documents
    )
    validate(Item, frame(Item, kept), where="here")
    assert [(row["question"], len(row["document_ids"]), facts(row)["is_wikipedia"]) for row in kept] == [
        ("Varn", 2, "true"),
        ("Tolm", 1, "false"),
    ]
    assert facts(kept[0])["n_chats"] == "2"
    assert [(row["target_id"], row["reason"], row["text"]) for row in rejects] == [
        ("i-Odla", "no-page", "Odla"),
        ("i-Unasked", "no-page", "Unasked"),
    ]


@pytest.mark.parametrize("label", ["True", "False", None])
def test_what_a_list_says_of_wikipedia_comes_before_what_addresses_say(label):
    rows, documents, _ = searched(Varn=VARN[:1])
    by_pages = str(documents["is_wikipedia"].any()).lower()
    entity = item("Odla", document_ids=documents["document_id"].to_list())
    entity = entity | {"attributes": pairs(**facts(entity), wiki=label)}
    kept, _ = with_evidence([entity], generations([]), documents)
    assert facts(kept[0])["is_wikipedia"] == (label or by_pages).lower()


def test_amounts_count_entities_without_a_page_too():
    rows, documents, _ = searched(Varn=VARN, Odla=[VARN[1]])
    # 4 and 5 words
    assert amounts(rows, documents).rows() == [("i-Odla", 0, 0, False), ("i-Varn", 2, 9, True)]
    assert amounts(generations([]), documents).is_empty()


@pytest.mark.parametrize(
    "outcome", [gathered_pages for gathered_pages in Outcome if gathered_pages is not Outcome.OK]
)
def test_every_outcome_is_counted_by_its_name(outcome):
    reads = [VARN[0], VARN[2] if outcome is Outcome.DUPLICATE else read("http://x.invalid/", outcome=outcome)]
    rows, _, rejects = searched(Varn=reads)
    results = outcomes(rows, rejects)
    assert set(results) == {gathered_pages.value for gathered_pages in Outcome}
    assert results.pop("ok") == 1
    assert results.pop(outcome.value) == 1
    assert not any(results.values())
