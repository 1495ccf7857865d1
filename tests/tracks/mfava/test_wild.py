"""Articles, queries, subsets and the requests for replies."""

from collections import Counter

import pytest

from truerate.core.schemas import Item, frame, pairs, validate
from truerate.llm.generation import facts
from truerate.tracks.mfava import wild
from truerate.tracks.mfava.context import contexts

from .tiny_wiki import SEEDS, article, dead, fields, ok, settings, tables

RULES = settings().wild


def one(**known):
    made = tables([article("Casp", "en", **known)])
    return next(iter(contexts(made.items, made.documents).values()))


@pytest.mark.parametrize(
    ("expected", "known"),
    [
        (None, {}),
        (None, {"depth": None}),  # not known: not excluded
        (None, {"tags": "Good article; Use dmy dates"}),
        ("too-short", {"n_characters": 49}),
        ("too-shallow", {"depth": 4.9}),
        ("excluded-tag", {"tags": "Good article; UNREFERENCED"}),
        ("excluded-tag", {"tags": "under construction"}),
        ("excluded-tag", {"tags": "Good article; under_construction"}),
    ],
)
def test_which_articles_are_asked_about(expected, known):
    why = wild.excluded(one(**known), RULES)
    assert (why and why[0]) == expected and (expected is None or expected in wild.EXCLUDED)
    assert [row["reason"] for row in wild.rejected_articles([one(**known)], RULES)] == (
        [expected] if expected else []
    )


def test_an_article_without_a_lead_is_not_asked_about():
    made = tables([article("Casp", "en")])
    bare = next(iter(contexts(made.items, made.documents.clear()).values()))
    assert wild.excluded(bare, RULES)[0] == "no-lead"


@pytest.mark.parametrize(
    ("reason", "reply"),
    [
        (None, "1. What is Casp?\n2. Where is it?"),
        (None, "#Queries#:\n\n1) What is Casp?\n\n 2) Where is it?\n"),
        (None, "1、卡斯普是什么？\n2、它在哪里？"),
        ("empty", ""),
        ("absent", "#Queries#:"),
        ("absent", "What is Casp? Where is it?"),
        ("malformed", "1. What is Casp?\n2. Where is it?\n3. Why?"),
        ("malformed", "1. What is Casp?\n3. Where is it?"),
        (None, "Here they are:\n1. What is Casp?\n2. Where is it?\n\nI hope this helps!"),
        (None, '**1.** What is Casp?\n**2.** "Where is it?"'),
        ("malformed", "1. What is Casp?\n2. Where is it?\nAnd why is it?"),
        ("malformed", "2. What is Casp?\n1. Where is it?"),
    ],
)
def test_queries_are_numbered_lines_and_nothing_else(reason, reply):
    read = wild.read_queries(reply, 2)
    assert read.reason == reason and (reason is None or reason in wild.REASONS)
    if reason is None:
        assert len(read.text.split("\n")) == 2 and not read.text.startswith("1")


@pytest.mark.parametrize(
    "reply",
    ["1. What is Casp?", "2. What is Casp?", "1. What is Casp?\n2.", "1. What is Casp?\n2. What is CASP?"],
)
def test_one_query_of_two_is_kept_as_in_the_paper(reply):
    read = wild.read_queries(reply, 2)
    assert (read.status, read.text, read.attributes["detail"]) == ("ok", "What is Casp?", "1 of 2 queries")


def queried():
    made = tables([article(name, lang) for name in "ABCDEFGHIJ" for lang in ("en", "de")])
    found = contexts(made.items, made.documents)
    asked = wild.query_requests(list(found.values()), "m", settings(), prompts_dir=None)
    replies = [
        ok(f"1. What is {fields(q.request.messages[-1]['content'])[0]['Title']}?\n2. Where?") for q in asked
    ]
    return wild.collect_queries(asked, replies, n=2), found


def test_wild_items_are_named_by_article_place_and_text():
    rows, found = queried()
    items = wild.wild_items(rows, found)
    validate(Item, frame(Item, items), where="items")
    assert len(items) == 40 and {row["question"] for row in items} >= {"What is A?", "Where?"}
    assert items == wild.wild_items(rows[::-1], found)
    first = next(row for row in items if row["question"] == "What is A?" and row["lang"] == "de")
    assert (first["group_id"], first["document_ids"], facts(first)["place"]) == ("g-A", ["d-A-de"], "0")
    assert wild.wild_items([row | {"status": "unparsed"} for row in rows], found) == []


def test_subsets_are_disjoint_balanced_per_language_and_free_of_order():
    rows, found = queried()
    items = wild.wild_items(rows, found)
    made = wild.with_subsets(items, (42, 43, 44, 47, 49), 7)
    sizes = Counter((row["lang"], facts(row)["subset"], facts(row)["subset_seed"]) for row in made)
    seeds = {"0": "42", "1": "43", "2": "44", "3": "47", "4": "49"}
    assert sizes == {
        (lang, *pair): 4 for lang in ("en", "de") for pair in seeds.items()
    }  # 20 queries over five subsets
    again = {row["item_id"]: row for row in wild.with_subsets(items[::-1], (42, 43, 44, 47, 49), 7)}
    assert all(again[row["item_id"]] == row for row in made)
    other = wild.with_subsets(items, (42, 43, 44, 47, 49), 8)
    assert other != made


def test_items_that_a_source_put_into_subsets_keep_theirs():
    rows, found = queried()
    row = wild.wild_items(rows, found)[0]
    kept = wild.with_subsets([row | {"attributes": pairs(subset=3, subset_seed=99)}], SEEDS, 7)
    assert facts(kept[0]) == {"subset": "3", "subset_seed": "99"}


def test_the_query_stands_alone_with_the_seed_of_its_subset():
    rows, found = queried()
    items = wild.with_subsets(wild.wild_items(rows, found), SEEDS, 7)[:1]
    changed = settings(wild=settings().wild.model_dump() | {"replicates": 3})
    asked = wild.answer_requests(items, "m", changed, prompts_dir=None)
    seed = int(facts(items[0])["subset_seed"])
    assert [q.request.params["seed"] for q in asked] == [seed, seed + 1000, seed + 2000]
    assert [q.request.sample_index for q in asked] == [0, 1, 2]
    assert all(q.request.messages == ({"role": "user", "content": items[0]["question"]},) for q in asked)
    assert asked[0].request.params["top_p"] == changed.answering.top_p


def test_what_is_found_in_replies_stands_in_their_rows():
    rows, found = queried()
    items = wild.with_subsets([row for row in wild.wild_items(rows, found) if row["lang"] == "en"], SEEDS, 7)[
        :4
    ]
    asked = wild.answer_requests(items, "m", settings(), prompts_dir=None)
    replies = [
        ok("Casp is a town by a river."),
        ok("I do not know."),
        ok("It is a", finish="length"),
        dead("length"),
    ]
    made = [facts(row) for row in wild.collect_answers(asked, replies, ("en", "de"))]
    marks = ("repeats", "dont_know", "cut", "wrong_language")
    assert [{name for name in marks if name in known} for known in made] == [
        set(),
        {"dont_know"},
        {"cut"},
        {"cut"},
    ]
    assert (
        made[0]["lang"] == "en"
        and made[0]["task"] == "wild"
        and made[0]["replicate"] == "0"
        and made[0]["group_id"]
    )


def test_checks_are_read_as_yes_or_no():
    rows, found = queried()
    items = wild.wild_items(rows, found)[:3]
    context = list(contexts(frame(Item, items), tables([article("A", "en")]).documents).values())
    asked = wild.check_requests(context, "m", settings(), prompts_dir=None)
    assert asked[0].request.params["temperature"] == 0
    made = wild.collect_checks(asked, [ok("Yes"), ok("#Answerable#: No."), ok("Perhaps")])
    assert [(row["status"], facts(row).get("answerable")) for row in made] == [
        ("ok", "yes"),
        ("ok", "no"),
        ("unparsed", None),
    ]
    assert [facts(row).get("answerable") for row in wild.with_answerable(items, made)] == ["yes", "no", None]
