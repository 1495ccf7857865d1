"""Which texts of a built board are kept: by kind, in turn from each writer, as far as rights allow."""

import pytest
from results_made import BOARD, result

from truerate.core.schemas import Document, Item, Judgement, Sample, frame, pairs
from truerate.results.texts.drawn import N_EACH, cut_around, last_of, texts_of
from truerate.results.texts.table import CUT, DIFFER, RANDOM, WORST

OPEN = {"licence": "CC BY 4.0", "redistribution": "yes"}


def item(name, **more):
    return {
        "item_id": name, "source": "made", "task": "qa", "lang": "en", "group_id": name, "document_ids": [],
        "history": "", "question": f"What of {name}?", "right_answer": None, "attributes": [],
    } | more  # fmt: skip


def sample(name, unit, *, writer="aster", wrong=False, **more):
    return {
        "sample_id": name, "item_id": unit, "pair_id": None, "group_id": unit, "task": "qa", "lang": "en",
        "text": f"{name} says so", "is_hallucinated": wrong, "label_source": "gold", "generator": writer,
        "pattern": None, "spans": [], "rationale": None, "split": "test", "attributes": [],
    } | more  # fmt: skip


def span(start, end, p=None):
    return {"start": start, "end": end, "type": "invented", "p": p}


def fact(reply, place, *, wrong):
    about = pairs(generation=reply, place=place, label="no" if wrong else "yes")
    return sample(f"{reply}-{place}", "u0", wrong=wrong, task="fact", attributes=about)


def judgement(target, judge, verdict):
    return {
        "judgement_id": f"{target}{judge}", "judge": judge, "judge_version": "1", "target_id": target, "verdict": verdict,
        "status": "ok", "reason": None, "spans": [], "p": None, "rationale": None, "attributes": [],
    }  # fmt: skip


def drawn(*samples, items=None, documents=(), judgements=(), card=OPEN):
    tables = {
        "samples": frame(Sample, list(samples)),
        "items": frame(Item, items or [item(f"u{k}") for k in range(10)]),
        "documents": frame(Document, list(documents)),
        "judgements": frame(Judgement, list(judgements)),
    }
    return texts_of(result(), "made", card, tables)


def kinds(texts):
    return dict(texts.select("unit_id", "drawn").rows())


def test_a_text_is_of_its_unit_by_what_the_rows_call_it():
    by_item = drawn(sample("s1", "u3"), sample("s2", "u4", writer=None, attributes=pairs(system="birch")))
    assert by_item.select("board", "subject", "unit_id").rows() == [
        (BOARD, "aster", "u3"),
        (BOARD, "birch", "u4"),
    ]
    by_unit = drawn(sample("s1", "u3", attributes=pairs(unit="u7")))
    assert by_unit["unit_id"].to_list() == ["u7"]
    assert drawn(sample("s1", "elsewhere"), items=[item("elsewhere")]).is_empty()


@pytest.mark.parametrize(
    "card",
    [
        {"licence": "CC BY 4.0", "redistribution": "ids-only"},
        {"licence": "not stated", "redistribution": "yes"},
        {"licence": "CC BY-NC-ND 4.0", "redistribution": "yes"},
        {"licence": "MIT", "own_licence": "not stated", "redistribution": "no", "own_redistribution": "yes"},
    ],
)
def test_a_licence_that_allows_none_gives_none(card):
    assert drawn(sample("s1", "u3"), card=card).is_empty()


def test_of_two_sources_the_texts_of_the_own_one_are_kept():
    card = {
        "licence": "MIT; not stated",
        "own_licence": "MIT",
        "redistribution": "no",
        "own_redistribution": "yes",
    }
    items = [item("u1"), item("u2", source="other")]
    assert drawn(sample("s1", "u1"), sample("s2", "u2"), items=items, card=card)["unit_id"].to_list() == [
        "u1"
    ]


def test_a_text_is_drawn_for_the_first_reason_that_holds():
    texts = drawn(
        sample("s1", "u1", wrong=True),
        sample("s2", "u2", wrong=True),
        sample("s3", "u3"),
        judgements=[judgement("s1", "w1", True), judgement("s1", "w2", False), judgement("s2", "w1", True)],
    )
    assert kinds(texts) == {"u1": DIFFER, "u2": WORST, "u3": RANDOM}
    assert [rater["rater"] for rater in texts.filter(unit_id="u1")["raters"][0]] == ["w1", "w2"]


def test_the_worst_have_most_of_their_facts_or_words_wrong():
    many = [sample(f"s{k:03}", f"u{k % 10}", writer=f"m{k // 10}", wrong=True) for k in range(200)]
    for number, one in enumerate(many):
        one["text"], one["spans"] = "0123456789", [span(0, 1 + number // 20)]
    texts = drawn(*many).filter(drawn=WORST)
    assert texts.height == N_EACH and texts["subject"].n_unique() == 20  # three of each writer
    each = texts.filter(subject="m19")["spans"].to_list()
    assert [one[0]["end"] for one in each] == [10, 10, 10]


def test_facts_stand_in_their_order_beside_the_reply():
    texts = drawn(sample("s1", "u0", wrong=True), fact("s1", 1, wrong=True), fact("s1", 0, wrong=False))
    (row,) = texts.to_dicts()
    assert [(part["label"], part["is_hallucinated"]) for part in row["parts"]] == [
        ("yes", False),
        ("no", True),
    ]


def test_rows_in_another_order_give_the_same_texts():
    rows = [sample(f"s{k:03}", f"u{k % 10}", writer=f"m{k // 10}", wrong=k % 3 == 0) for k in range(300)]
    assert drawn(*rows).equals(drawn(*reversed(rows)))


def test_an_address_or_a_long_text_is_left_out():
    texts = drawn(sample("s1", "u1", text="write to me@example.org"), sample("s2", "u2", text="x" * 3001))
    assert texts.is_empty()


def test_a_reference_whose_licence_allows_nothing_is_left_out():
    page = {
        "lang": "en",
        "title": "Page",
        "text": "words",
        "url": None,
        "source": "made",
        "dated": None,
        "is_wikipedia": False,
    }
    pages = [
        page | {"document_id": "d1", "licence": "CC BY-SA 4.0"},
        page | {"document_id": "d2", "licence": "copyright"},
    ]
    items = [item("u1", document_ids=["d1", "d2"])]
    (row,) = drawn(sample("s1", "u1"), items=items, documents=pages).to_dicts()
    assert (row["reference"], row["reference_licence"]) == ("words", "CC BY-SA 4.0")


def test_a_long_reference_is_cut_around_the_marked_words():
    text = "alpha beta " * 300 + "the tower was built in Lisbon " + "gamma delta " * 300
    part = cut_around(text, "tower Lisbon", 400)
    assert "tower was built in Lisbon" in part and len(part) <= 400 + 2 * len(CUT) + 2
    assert part.startswith(CUT) and part.endswith(CUT)
    assert cut_around("short", "x") == "short"
    assert cut_around(text, "alpha", 400).startswith(
        "alpha"
    )  # of equal parts the first, which nothing precedes


def test_of_a_long_history_the_end_is_kept():
    assert last_of("a " * 1000 + "end", 10) == f"{CUT} a a a end"
    assert last_of("short") == "short"
