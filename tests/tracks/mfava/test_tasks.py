"""Who labels what."""

from collections import Counter

from truerate.core.schemas import pairs
from truerate.tracks.mfava.context import contexts
from truerate.tracks.mfava.tasks import annotation_tasks, natural

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
RULES = settings().labelling.model_copy(update={"n_annotators": 3, "shared_rate": 0.4, "n_plausibility": 2})


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
    for lang, kind, n, n_shared in (
        ("en", "inserted", 10, 4),
        ("de", "inserted", 10, 4),
        ("en", "natural", 5, 2),
    ):
        group = [task for task in tasks if (task["lang"], task["kind"]) == (lang, kind)]
        assert len(group) == n and Counter(len(task["annotators"]) for task in group) == {
            3: n_shared,
            1: n - n_shared,
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
