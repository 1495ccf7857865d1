"""Labels as people return them, with planted error; kinds of error by what world and pages say."""

from collections import Counter

import pytest

from truerate_world.distractors import wrong_value
from truerate_world.encyclopedia import build
from truerate_world.wildhallucinations.annotate import ANNOTATORS, annotate
from truerate_world.wildhallucinations.annotator_noise import CORRECT, KINDS, kind_of, readable
from truerate_world.wildhallucinations.models.pages import values_on_pages
from truerate_world.wildhallucinations.models.planted import AMBIGUOUS
from truerate_world.wildhallucinations.models.writing import text_of
from truerate_world.writer import Fact, language_tools

WORLD = build(7)
KNOWN = language_tools(WORLD)
ALL = range(len(WORLD.entities))


def name(entity):
    return WORLD.lexicon().name(entity)


def sentence(entity, relation, value=None):
    return KNOWN.writer.sentence(
        Fact(entity, relation, value or WORLD.fact(entity, relation)), entity, relation
    )


def fact_task(entity, relation, *, right=True, kind="fact", **more):
    value = None if right else wrong_value(WORLD, WORLD.fact(entity, relation), relation, "test")
    text = sentence(entity, relation, value)
    return {
        "task_id": f"{kind}-{entity}-{relation}-{right}",
        "kind": kind,
        "text": text,
        "entity": name(entity),
        "passages": [],
    } | more


def first_with(what, is_fit=lambda entity, relation, value: True):
    """An entity, relation and value of what pages say (`stated`, `stale`, …)."""
    for entity in ALL:
        for relation, value in getattr(values_on_pages(WORLD, entity), what).items():
            if is_fit(entity, relation, value):
                return entity, relation, value
    raise AssertionError(what)


# ---- kinds -------------------------------------------------------------------------------------------------


def kind(entity, text, passages, *, is_unsupported):
    return kind_of(WORLD, entity, text, passages, is_unsupported=is_unsupported)


def test_true_on_a_page_but_not_on_the_passages_is_retrieval():
    entity, relation, _ = first_with("stated")
    other = next(one for one in WORLD.entities[entity].facts if one != relation)
    assert (
        kind(entity, sentence(entity, relation), [sentence(entity, other)], is_unsupported=True)
        == "retrieval"
    )
    assert kind(entity, sentence(entity, relation), [], is_unsupported=True) == "retrieval"


def test_true_on_the_passages_is_entailment():
    entity, relation, _ = first_with("stated")
    assert (
        kind(entity, sentence(entity, relation), [sentence(entity, relation)], is_unsupported=True)
        == "entailment"
    )


def is_absent(entity, relation):
    """Whether no page states a fact in the words in which it is asked for here, and none is planned to."""
    texts = [text_of(WORLD, page) for page in readable(WORLD, entity)]
    return relation not in values_on_pages(WORLD, entity).stated and not any(
        sentence(entity, relation) in text for text in texts
    )


def test_true_but_on_no_page_is_unverifiable():
    entity, relation = next(
        (one, relation) for one in ALL for relation in WORLD.entities[one].facts if is_absent(one, relation)
    )
    assert kind(entity, sentence(entity, relation), [], is_unsupported=True) == "unverifiable"


def test_false_by_the_world_is_generation():
    task = fact_task(3, "birth_year", right=False)
    assert kind(3, task["text"], [], is_unsupported=True) == "generation"
    assert (
        kind(3, f"{name(3)} has ties to the Guild of Invisible Bakers.", [], is_unsupported=True)
        == "unverifiable"
    )


@pytest.mark.parametrize(("what", "expected"), [("contradicted", "contradictory-web"), ("stale", "outdated")])
def test_pages_that_say_otherwise(what, expected):
    entity, relation, value = first_with(
        what,
        lambda entity, relation, value: values_on_pages(WORLD, entity).stale.get(relation) in (None, value),
    )
    wrong, right = sentence(entity, relation, value), sentence(entity, relation)
    assert kind(entity, right, [wrong], is_unsupported=True) == expected  # the page led the verifier astray
    assert kind(entity, wrong, [right], is_unsupported=True) == expected  # the page led the reply astray
    assert kind(entity, wrong, [wrong], is_unsupported=False) == expected  # both


def test_a_supported_fact_is_correct_or_its_verdict_an_error():
    entity, relation, _ = first_with("stated")
    wrong = fact_task(entity, relation, right=False)["text"]
    assert kind(entity, sentence(entity, relation), [], is_unsupported=False) == CORRECT
    assert kind(entity, wrong, [sentence(entity, relation)], is_unsupported=False) == "entailment"


def test_what_cannot_be_read_is_unverifiable():
    assert kind(3, "Colourless green ideas sleep.", [], is_unsupported=True) == "unverifiable"


# ---- labels ------------------------------------------------------------------------------------------------


def test_rows_are_as_people_return_them():
    tasks = [
        fact_task(3, "birth_year"),
        fact_task(3, "award", kind="review", verdict="unsupported", passages=["nothing"]),
    ]
    tasks.append(
        {
            "task_id": "entity-3",
            "kind": "entity",
            "entity": name(3),
            "passages": [sentence(3, "award"), sentence(5, "award")],
        }
    )
    rows = annotate(tasks, WORLD, 7)
    assert rows == sorted(rows, key=lambda row: (row["task_id"], row["labeller"])) and len(rows) == 9
    assert {tuple(row) for row in rows} == {("task_id", "labeller", "label")} and len(
        {row["labeller"] for row in rows}
    ) == 3
    labels = {row["task_id"].split("-")[0]: row["label"] for row in rows}
    assert labels["fact"] in ("supported", "unsupported") and labels["review"] in (*KINDS, CORRECT)
    assert set(labels["entity"]) == {"unambiguous", "relevant", "pages"} and labels["entity"]["pages"] == 2
    assert annotate(tasks[::-1], WORLD, 7) == rows and len(annotate(tasks, WORLD, 7, n_annotators=5)) == 15
    assert annotate([], WORLD, 7) == []


def test_planted_errors_of_the_labellers_are_recovered():
    tasks = [
        fact_task(entity, relation, right=right)
        for entity in ALL
        for relation in list(WORLD.entities[entity].facts)[:2]
        for right in (True, False)
    ]
    truth = {task["task_id"]: task["task_id"].endswith("True") for task in tasks}
    rows = annotate(tasks, WORLD, 7, n_annotators=5)
    for person in ANNOTATORS:
        for right, p in ((True, person.alarm), (False, person.missing)):
            wrong = [
                (row["label"] == "supported") != right
                for row in rows
                if row["labeller"] == person.name and truth[row["task_id"]] == right
            ]
            assert abs(sum(wrong) / len(wrong) - p) < 4 * (p / len(wrong)) ** 0.5


def test_most_reviewers_name_the_kind():
    tasks = [
        fact_task(
            entity, "country", kind="review", verdict="unsupported", passages=[sentence(entity, "country")]
        )
        for entity in WORLD.by_domain["rivers"]
    ]
    labels = Counter(row["label"] for row in annotate(tasks, WORLD, 7))
    assert labels["entailment"] / labels.total() > 0.8 and len(labels) > 1


def test_entities_are_checked_by_what_their_pages_say():
    tasks = []
    for entity in range(0, 492, 7):
        pages = [f"{page.title}\n{text_of(WORLD, page)}" for page in readable(WORLD, entity)]
        tasks.append(
            {"task_id": f"{entity:03d}", "kind": "entity", "entity": name(entity), "passages": pages}
        )
    tasks.append(
        {
            "task_id": "a",
            "kind": "entity",
            "entity": next(iter(AMBIGUOUS)),
            "passages": ["A town.", "A film."],
        }
    )
    rows = annotate(tasks, WORLD, 7)
    own = [row["label"] for row in rows if row["task_id"] != "a"]
    assert sum(label["unambiguous"] for label in own) / len(own) > 0.9
    assert (
        0.75 < sum(label["relevant"] for label in own) / sum(label["pages"] for label in own) < 1.0
    )  # namesakes and related pages are not
    assert [row["label"]["unambiguous"] for row in rows if row["task_id"] == "a"].count(False) >= 2
