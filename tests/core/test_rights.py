"""Which rows go out with their texts, which as ids and labels, and which not at all."""

import hashlib

import polars as pl
import pytest

from tests import rows as rows_of
from truerate.core.rights import KEYS, has_texts, open_tables, outgoing_tables, without_texts
from truerate.core.schemas import (
    Count,
    Document,
    Fact,
    Generation,
    Item,
    Judgement,
    Sample,
    frame,
    pairs,
    schema,
)

OURS, LENT = "ours", "lent"
YES, IDS, NO = {"redistribution": "yes"}, {"redistribution": "ids-only"}, {"redistribution": "no"}


def tables() -> dict[str, pl.DataFrame]:
    """Two items of ours, one of them to learn from, and one of another source; everything about each."""
    names = {"own": {}, "taught": {"task": "train"}, "lent": {"source": LENT}}
    words = {"history": "earlier", "question": "asked", "right_answer": "right"}
    page = {"title": "A title", "url": "https://example.org/1", "licence": "MIT"}
    of_item = {"attributes": pairs(title="A title", turn=2)} | words
    of_sample = {
        "attributes": pairs(scheme="one-pass", sentence="said", unheard_of="words"),
        "rationale": "because",
    }
    of_fact = {"sentence": "said", "evidence": ["d-ours:0-3"]}
    samples = [(f"s-{name}", name, "qa") for name in names] + [("s-train", "own", "train")]
    targets = [f"{kind}-{name}" for kind in "sgf" for name in names] + [*names, "s-train", "nowhere"]
    counted = {"step": "s", "model": "m", "slice": []}
    rows = {
        Item: [
            rows_of.item(name, **{"source": OURS} | of_item | more)
            | {"document_ids": [f"d-{more.get('source', OURS)}"]}
            for name, more in names.items()
        ],
        Document: [rows_of.document(f"d-{one}", "the page", source=one, **page) for one in (OURS, LENT)],
        Sample: [
            rows_of.sample(name, of, f"text of {name}", True, task=task, **of_sample)
            for name, of, task in samples
        ],
        Generation: [
            rows_of.generation(f"g-{name}", name, "answer", "m", "Zoë", prompt_key="k") for name in names
        ],
        Fact: [rows_of.fact(f"f-{name}", name, "a fact", **of_fact) for name in names],
        Judgement: [
            rows_of.judgement(f"j-{target}", "j", target, True, rationale="said") for target in targets
        ],
        Count: [counted | {name: 0 for name in schema(Count).names() if name.startswith("n_")}],
    }
    return {f"{table.__name__.lower()}s": frame(table, some) for table, some in rows.items()}


def ids(found: dict[str, pl.DataFrame]) -> dict[str, list[str]]:
    return {name: found[name][key].to_list() for name, key in KEYS.items()}


OWN = {
    "items": ["own"],
    "documents": ["d-ours"],
    "samples": ["s-own"],
    "generations": ["g-own"],
    "facts": ["f-own"],
    "judgements": ["j-s-own", "j-g-own", "j-f-own", "j-own"],
}


def test_all_of_it_where_the_source_allows():
    found = tables()
    assert all(data.equals(found[name]) for name, data in open_tables(found, card=YES, source=OURS).items())
    assert has_texts(YES) and list(outgoing_tables(found, card=YES, source=OURS)) == list(found)


@pytest.mark.parametrize("card", [YES, NO | {"own_redistribution": "yes"}, IDS])
def test_what_a_retrieving_model_was_given_never_goes_out(card):
    found = tables()
    told = pl.lit(
        pairs(order="a", retrieved="[words of others]"), dtype=found["generations"].schema["attributes"]
    )
    found["generations"] = found["generations"].with_columns(attributes=told)
    shown = outgoing_tables(found, card=card, source=OURS)["generations"]
    assert shown.height and {one["key"] for one in shown["attributes"].explode()} == {"order"}


@pytest.mark.parametrize(
    "card",
    [NO, {}, {"redistribution": "maybe"}, NO | {"own_redistribution": "no"}, {"own_redistribution": None}],
)
def test_nothing_where_it_does_not_or_nobody_said(card):
    for shown in (
        open_tables(tables(), card=card, source=OURS),
        outgoing_tables(tables(), card=card, source=OURS),
    ):
        assert ids(shown) == dict.fromkeys(KEYS, [])
        assert shown["counts"].height == 1  # counts hold no texts
    assert not has_texts(card)


@pytest.mark.parametrize("strict", [NO, IDS])
def test_its_own_part_without_what_it_learned_from(strict):
    card = strict | {"own_redistribution": "yes"}
    assert ids(open_tables(tables(), card=card, source=OURS)) == OWN
    assert ids(outgoing_tables(tables(), card=card, source=OURS)) == OWN and has_texts(card)
    assert outgoing_tables(tables(), card=card, source=OURS)["samples"]["text"].to_list() == ["text of s-own"]


def test_tables_that_are_not_there():
    card = NO | {"own_redistribution": "yes"}
    some = {name: data for name, data in tables().items() if name in ("items", "samples", "judgements")}
    shown = open_tables(some, card=card, source=OURS)
    assert list(shown) == list(some) and shown["judgements"]["target_id"].to_list() == ["s-own", "own"]
    without_items = {name: data for name, data in tables().items() if name != "items"}
    assert open_tables(without_items, card=card, source=OURS)[
        "samples"
    ].is_empty()  # nobody says whose they are


def test_ids_and_labels_alone():
    shown = outgoing_tables(tables(), card=IDS, source=OURS)
    assert ids(shown) == ids(tables()) and not has_texts(IDS)
    assert open_tables(tables(), card=IDS, source=OURS)["samples"].is_empty()
    words = {"question", "history", "right_answer", "text", "rationale", "sentence", "title"}
    assert not [name for name, data in shown.items() if words & set(data.columns)]
    assert {"url", "text_sha256"} <= set(shown["documents"].columns) and "evidence" in shown["facts"].columns
    row = shown["samples"].row(0, named=True)
    assert row["is_hallucinated"] and row["text_sha256"] == hashlib.sha256(b"text of s-own").hexdigest()
    assert row["attributes"] == pairs(scheme="one-pass")  # neither words nor what nobody has looked at
    assert shown["items"]["attributes"].to_list() == [pairs(turn=2)] * 3
    everything = str([data.to_dicts() for data in shown.values()])
    assert not [
        text
        for text in ("text of", "asked", "earlier", "because", "said", "the page", "A title")
        if text in everything
    ]


def test_ids_of_its_own_part():
    shown = outgoing_tables(tables(), card=NO | {"own_redistribution": "ids-only"}, source=OURS)
    assert ids(shown) == OWN and "text" not in shown["samples"].columns


def test_the_digest_is_of_the_utf_8_bytes_and_stands_where_the_text_stood():
    data = pl.DataFrame({"id": [1, 2, 3], "text": ["Zoë", "", None], "n": [1, 2, 3]})
    found = without_texts({"any": data})["any"]
    assert found.columns == ["id", "text_sha256", "n"]
    # sha256sum of the bytes 5a 6f c3 ab, and of no bytes
    digest = hashlib.sha256(b"Zo\xc3\xab").hexdigest()
    assert found["text_sha256"].to_list() == [
        digest,
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        None,
    ]
    assert without_texts({"any": found})["any"].equals(found)
    assert without_texts({"any": data.clear()})["any"].schema["text_sha256"] == pl.String


@pytest.mark.parametrize(
    "card", [YES, IDS, NO, NO | {"own_redistribution": "yes"}, NO | {"own_redistribution": "ids-only"}]
)
def test_queries_are_let_out_as_frames_are(card):
    found = tables()
    asked = {
        name: data.lazy() if name in ("documents", "generations", "judgements") else data
        for name, data in found.items()
    }
    shown = outgoing_tables(asked, card=card, source=OURS)
    expected = outgoing_tables(found, card=card, source=OURS)
    for name, data in shown.items():
        assert type(data) is type(asked[name]) and data.lazy().collect().equals(expected[name]), name
