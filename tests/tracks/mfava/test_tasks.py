"""Who labels what."""

from collections import Counter

import pytest

from truerate.core.schemas import pairs
from truerate.tracks.mfava.context import contexts
from truerate.tracks.mfava.wild import INSERTED, NATURAL, annotation_tasks, n_labels, n_shared, natural

from .tiny_wiki import item, sample, settings, tables

NAMES = [f"N{k}" for k in range(10)]
MADE = tables(
    [item("silver", name, lang) for name in NAMES for lang in ("en", "de")]
    + [item("wild", name, "en") for name in NAMES]
)
FOUND = contexts(MADE.items, MADE.documents)
SPAN = {"start": 0, "end": 2, "type": "entity"}
SAMPLES = [
    sample(f"s-{name}-{lang}", f"silver-{name}-{lang}", f"{name} it is.", [SPAN], task="silver", lang=lang)
    for name in NAMES
    for lang in ("en", "de")
]
CHANGED = {"n_annotators": 3, "shared_rate": 0.4, "shared_natural_labels": 0.6, "n_plausibility": 2}
RULES = settings().labelling.model_copy(update=CHANGED)


def reply(name: str, model: str) -> dict:
    known = pairs(lang="en", task="wild")
    return {
        "generation_id": f"r-{model}-{name}",
        "item_id": f"wild-{name}-en",
        "model": model,
        "text": "It is.",
        "attributes": known,
    }


REPLIES = [reply(name, model) for name in NAMES for model in ("a", "b")] + [reply("N0", "c")]


def made(**changes):
    return annotation_tasks(SAMPLES, REPLIES, FOUND, RULES, n_natural=5, seed=7)


def test_shared_ones_go_to_all_the_others_to_one_each():
    tasks = made()
    for lang, kind, n, n_all in (
        ("en", "inserted", 10, 4),
        ("de", "inserted", 10, 4),
        ("en", "natural", 5, 2),  # .6 · 5 / (3 − .6 · 2) = 1.67: 6 of 9 labels
    ):
        group = [task for task in tasks if (task["lang"], task["kind"]) == (lang, kind)]
        assert len(group) == n and Counter(len(task["annotators"]) for task in group) == {
            3: n_all,
            1: n - n_all,
        }
        alone = Counter(name for task in group if len(task["annotators"]) == 1 for name in task["annotators"])
        assert max(alone.values()) - min(alone.values()) <= 1 and set(alone) == {
            "annotator-1",
            "annotator-2",
            "annotator-3",
        }


def test_silver_spans_stand_in_inserted_passages_alone():
    tasks = made()
    assert all(bool(task["spans"]) == (task["kind"] == "inserted") for task in tasks)
    assert tasks[0].keys() == {
        *(
            "task_id",
            "lang",
            "kind",
            "text",
            "reference",
            "question",
            "subject",
            "spans",
            "annotators",
            "rate_plausibility",
        )
    }
    first = next(task for task in tasks if task["kind"] == "inserted")
    assert first["spans"] == [SPAN] and first["reference"].startswith(first["subject"]) and first["question"]
    rated = Counter((task["lang"], task["kind"]) for task in tasks if task["rate_plausibility"])
    assert rated == {("en", "inserted"): 2, ("de", "inserted"): 2}


def test_replies_are_drawn_evenly_over_models():
    # 5 of 10 + 10 + 1: a turn of all three, then one of each of the two that are left
    assert Counter(row["model"] for row in natural(REPLIES, 5, 7)) == {"a": 2, "b": 2, "c": 1}
    assert natural(REPLIES, 5, 7) == natural(REPLIES[::-1], 5, 7) and natural(REPLIES, 0, 7) == []
    assert len(natural(REPLIES, 100, 7)) == 21
    assert {row["generation_id"] for row in natural(REPLIES, 4, 7)} < {
        row["generation_id"] for row in natural(REPLIES, 9, 7)
    }


def test_nothing_to_label_gives_no_tasks():
    assert annotation_tasks([], [], FOUND, RULES, n_natural=5, seed=7) == []


@pytest.mark.parametrize(
    ("n", "annotators", "share", "shared", "labels"),
    (
        (152, 5, 0.2, 7, 180),  # 7 · 5 + 145
        (60, 5, 5 / 6, 30, 180),  # the same labels, half of the texts shared
        (40, 5, 0.0, 0, 40),
        (40, 5, 1.0, 40, 200),
        (40, 1, 0.2, 8, 40),  # one person shares nothing with anybody
        (0, 5, 0.2, 0, 0),
    ),
)
def test_a_share_of_the_labels_of_replies_goes_to_replies_that_all_label(
    n, annotators, share, shared, labels
):
    rules = RULES.model_copy(update={"n_annotators": annotators, "shared_natural_labels": share})
    assert (n_shared(NATURAL, n, rules), n_labels(NATURAL, n, rules)) == (shared, labels)


def test_of_passages_a_share_of_the_texts_is_shared():
    rules = RULES.model_copy(update={"n_annotators": 5, "shared_rate": 0.5})
    assert (n_shared(INSERTED, 24, rules), n_labels(INSERTED, 24, rules)) == (12, 72)
