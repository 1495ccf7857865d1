"""Articles, queries, subsets, the requests for replies, and who labels what."""

from collections import Counter

import pytest

from truerate.core.schemas import Item, frame, pairs, validate
from truerate.llm.generation import facts
from truerate.tracks.asking import read_rows
from truerate.tracks.mfava import dataset, steps, wild
from truerate.tracks.mfava.context import contexts

from . import made_scores
from .tiny_wiki import SEEDS, article, dead, fields, item, ok, prompter, sample, settings, tables

RULES = settings().wild


@pytest.mark.parametrize(
    ("expected", "columns", "has_lead"),
    [
        (None, {}, True),
        (None, {"depth": None}, True),  # not known: not excluded
        (None, {"tags": "Good article; Use dmy dates"}, True),
        ("too-short", {"n_characters": 49}, True),
        ("too-shallow", {"depth": 4.9}, True),
        ("excluded-tag", {"tags": "Good article; UNREFERENCED"}, True),
        ("excluded-tag", {"tags": "Good article; under_construction"}, True),
        ("no-lead", {}, False),
    ],
)
def test_which_articles_are_asked_about(expected, columns, has_lead):
    result = tables([article("Casp", "en", **columns)])
    documents = result.documents if has_lead else result.documents.clear()
    (candidate,) = contexts(result.items, documents).values()
    assert ((why := wild.excluded(candidate, RULES)) and why[0]) == expected
    assert [row["reason"] for row in wild.rejected_articles([candidate], RULES)] == (
        [expected] if expected else []
    )


@pytest.mark.parametrize(
    ("reason", "reply"),
    [
        (None, "1. What is Casp?\n2. Where is it?"),
        (None, "#Queries#:\n\n1) What is Casp?\n\n 2) Where is it?\n"),
        (None, "1、卡斯普是什么？\n2、它在哪里？"),
        (None, "Here they are:\n1. What is Casp?\n2. Where is it?\n\nI hope this helps!"),
        (None, '**1.** What is Casp?\n**2.** "Where is it?"'),
        ("empty", ""),
        ("absent", "#Queries#:"),
        ("absent", "What is Casp? Where is it?"),
        ("malformed", "1. What is Casp?\n2. Where is it?\n3. Why?"),
        ("malformed", "1. What is Casp?\n3. Where is it?"),
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
    result = tables([article(name, lang) for name in "ABCDEFGHIJ" for lang in ("en", "de")])
    actual = contexts(result.items, result.documents)
    asked = wild.query_requests(actual.values(), "m", prompter())
    titles = [fields(question.request.messages[-1]["content"])[0]["Title"] for question in asked]
    return wild.collect_queries(asked, [ok(f"1. What is {text}?\n2. Where?") for text in titles], n=2), actual


ROWS, FOUND = queried()
ITEMS = wild.wild_items(ROWS, FOUND)


def test_wild_items_are_named_by_article_place_and_text():
    validate(Item, frame(Item, ITEMS), where="items")
    assert len(ITEMS) == 40 and {row["question"] for row in ITEMS} >= {"What is A?", "Where?"}
    assert wild.wild_items(ROWS[::-1], FOUND) == ITEMS
    first = next(row for row in ITEMS if row["question"] == "What is A?" and row["lang"] == "de")
    assert (first["group_id"], first["document_ids"], facts(first)["place"]) == ("g-A", ["d-A-de"], "0")
    assert wild.wild_items([row | {"status": "unparsed"} for row in ROWS], FOUND) == []


def test_subsets_are_disjoint_balanced_per_language_free_of_order_and_a_source_keeps_its_own():
    seeds = (42, 43, 44, 47, 49)
    result = wild.with_subsets(ITEMS, seeds, 7)
    sizes = Counter((row["lang"], facts(row)["subset"], facts(row)["subset_seed"]) for row in result)
    expected = {(lang, str(k), str(seed)): 4 for lang in ("en", "de") for k, seed in enumerate(seeds)}
    assert sizes == expected  # 20 queries over five subsets
    assert wild.with_subsets(ITEMS[::-1], seeds, 7) == result[::-1]
    assert wild.with_subsets(ITEMS, seeds, 8) != result
    kept = wild.with_subsets([ITEMS[0] | {"attributes": pairs(subset=3, subset_seed=99)}], SEEDS, 7)
    assert facts(kept[0]) == {"subset": "3", "subset_seed": "99"}


def test_the_query_stands_alone_with_the_seed_of_its_subset():
    items = wild.with_subsets(ITEMS, SEEDS, 7)[:1]
    changed = prompter(wild=RULES.model_dump() | {"replicates": 3})
    requests = [question.request for question in wild.answer_requests(items, "m", changed)]
    seed = int(facts(items[0])["subset_seed"])
    assert [request.params["seed"] for request in requests] == [seed, seed + 1000, seed + 2000]
    assert [request.sample_index for request in requests] == [0, 1, 2]
    shown = ({"role": "user", "content": items[0]["question"]},)
    assert all(request.messages == shown for request in requests)
    assert requests[0].params["top_p"] == changed.settings.answering.top_p


def test_what_is_seen_in_replies_stands_in_their_rows():
    items = wild.with_subsets([row for row in ITEMS if row["lang"] == "en"], SEEDS, 7)[:4]
    replies = [
        ok("Casp is a town by a river."),
        ok("I do not know."),
        ok("It is a", finish="length"),
        dead("length"),
    ]
    rows = wild.collect_answers(wild.answer_requests(items, "m", prompter()), replies, ("en", "de"))
    columns = [facts(row) for row in rows]
    flaws = [set(row_facts) & {"repeats", "dont_know", "cut", "wrong_language"} for row_facts in columns]
    assert flaws == [set(), {"dont_know"}, {"cut"}, {"cut"}]
    assert (columns[0]["lang"], columns[0]["task"], columns[0]["replicate"]) == ("en", "wild", "0")
    assert columns[0]["group_id"]


def test_checks_are_read_as_yes_or_no():
    items = ITEMS[:3]
    actual = contexts(frame(Item, items), tables([article("A", "en")]).documents)
    asked = wild.check_requests(actual.values(), "m", prompter())
    assert asked[0].request.params["temperature"] == 0
    rows = read_rows(asked, [ok("Yes"), ok("#Answerable#: No."), ok("Perhaps")], wild.read_check)
    assert [row["status"] for row in rows] == ["ok", "ok", "unparsed"]
    answerable = [facts(row).get("answerable") for row in wild.with_answerable(items, rows)]
    assert answerable == ["yes", "no", None] == [facts(row).get("answerable") for row in rows]


# ---- what people label -------------------------------------------------------------------------------------

NAMES = [f"N{k}" for k in range(10)]
LABELLED = tables(
    [item("silver", name, lang) for name in NAMES for lang in ("en", "de")]
    + [item("wild", name, "en") for name in NAMES]
)
CONTEXTS = contexts(LABELLED.items, LABELLED.documents)
SPAN = {"start": 0, "end": 2, "type": "entity"}
SAMPLES = [
    sample(f"s-{name}-{lang}", f"silver-{name}-{lang}", f"{name} it is.", [SPAN], task="silver", lang=lang)
    for name in NAMES
    for lang in ("en", "de")
]
CHANGED = {"n_annotators": 3, "shared_rate": 0.4, "shared_natural_labels": 0.6, "n_plausibility": 2}
LABELLING = settings().labelling.model_copy(update=CHANGED)
PAIRS = [(name, model) for name in NAMES for model in ("a", "b")] + [("N0", "c")]
REPLIES = [
    {"generation_id": f"r-{model}-{name}", "item_id": f"wild-{name}-en", "model": model, "text": "It is."}
    | {"attributes": pairs(lang="en", task="wild")}
    for name, model in PAIRS
]


def tasks_of(samples=SAMPLES, replies=REPLIES):
    return dataset.annotation_tasks(samples, replies, CONTEXTS, LABELLING, n_natural=5, seed=7)


def test_shared_ones_go_to_all_the_others_to_one_each():
    # of replies .6 · 5 / (3 − .6 · 2) = 1.67: 6 of 9 labels
    expected = {("en", "inserted"): (10, 4), ("de", "inserted"): (10, 4), ("en", "natural"): (5, 2)}
    for key, (n, n_shared) in expected.items():
        of_kind = [task["annotators"] for task in tasks_of() if (task["lang"], task["kind"]) == key]
        assert Counter(map(len, of_kind)) == {3: n_shared, 1: n - n_shared}
        alone = Counter(names[0] for names in of_kind if len(names) == 1)
        assert max(alone.values()) - min(alone.values()) <= 1
        assert set(alone) == {"annotator-1", "annotator-2", "annotator-3"}
    assert tasks_of([], []) == []


def test_silver_spans_stand_in_inserted_passages_alone():
    tasks = tasks_of()
    assert all(bool(task["spans"]) == (task["kind"] == "inserted") for task in tasks)
    shown = "task_id lang kind text reference question subject spans annotators rate_plausibility"
    assert tasks[0].keys() == set(shown.split())
    first = next(task for task in tasks if task["kind"] == "inserted")
    assert first["spans"] == [SPAN] and first["reference"].startswith(first["subject"]) and first["question"]
    rated = Counter((task["lang"], task["kind"]) for task in tasks if task["rate_plausibility"])
    assert rated == {("en", "inserted"): 2, ("de", "inserted"): 2}
    of_all = LABELLING.model_copy(update={"n_plausibility": None})
    tasks = dataset.annotation_tasks(SAMPLES, REPLIES, CONTEXTS, of_all, n_natural=5, seed=7)
    assert all(task["rate_plausibility"] == (task["kind"] == "inserted") for task in tasks)


def test_replies_are_drawn_evenly_over_models():
    # 5 of 10 + 10 + 1: a turn of all three, then one of each of the two that are left
    drawn = {n: dataset.natural(REPLIES, n, 7) for n in (0, 4, 5, 9, 100)}
    assert Counter(row["model"] for row in drawn[5]) == {"a": 2, "b": 2, "c": 1}
    assert drawn[5] == dataset.natural(REPLIES[::-1], 5, 7) and drawn[0] == [] and len(drawn[100]) == 21
    names = {n: {row["generation_id"] for row in rows} for n, rows in drawn.items()}
    assert names[4] < names[9]


def test_replies_are_drawn_from_columns_as_from_rows():
    rows = [
        made_scores.reply(f"i{k}", model, f"{k}", lang="en" if k % 2 else "de")
        for k in range(6)
        for model in ("small", "large")
    ]
    rows.append(made_scores.reply("dead", "small", "", status="dead", reason="timeout"))
    rows.append(made_scores.reply("q", "small", "why?", purpose="query"))
    whole = made_scores.tables(generations=rows)["generations"]
    came = [row for row in whole.to_dicts() if row["purpose"] == "answer" and row["status"] == "ok"]
    for n in (0, 1, 3, 100):
        drawn, expected = (
            sorted(row["generation_id"] for row in part)
            for part in (steps.drawn_replies(whole, n=n, seed=7), dataset.natural(came, n, 7))
        )
        assert drawn == expected and len(drawn) == min(2 * n, 12)


@pytest.mark.parametrize(
    ("kind", "n", "annotators", "share", "shared", "labels"),
    (
        ("natural", 152, 5, 0.2, 7, 180),  # 7 · 5 + 145
        ("natural", 60, 5, 5 / 6, 30, 180),  # the same labels, half of the texts shared
        ("natural", 40, 5, 0.0, 0, 40),
        ("natural", 40, 5, 1.0, 40, 200),
        ("natural", 40, 1, 0.2, 8, 40),  # one person shares nothing with anybody
        ("natural", 0, 5, 0.2, 0, 0),
        ("inserted", 24, 5, 0.5, 12, 72),  # of passages a share of the texts
    ),
)
def test_a_share_of_the_labels_of_replies_goes_to_replies_that_all_label(
    kind, n, annotators, share, shared, labels
):
    shares = {"shared_natural_labels": share, "shared_rate": share}
    rules = LABELLING.model_copy(update={"n_annotators": annotators, **shares})
    assert (dataset.n_shared(kind, n, rules), dataset.n_labels(kind, n, rules)) == (shared, labels)
