"""The planted truth of a board from its tables: rates of turns and dialogues, judges, broken rules."""

import polars as pl
import pytest

from tests.rows import document, item
from tests.rows import generation as generation_of
from truerate.core.schemas import Document, Generation, Item, Judgement, Sample, frame, pairs
from truerate_world.halludial.models.profiles import PROFILES
from truerate_world.halludial.sources import spoken
from truerate_world.halludial.truth import planted_scores
from truerate_world.halludial.truth_judges import slices_of

from .asking import KNOWN, WORLD, turns

MODELS = {"elm": "sim-elm", "quill": "sim-quill"}


def rows_of(dialogues):
    return [row for row in turns(40) if row["dialogue"] in dialogues]


def items(rows):
    """Items and documents of turns as the reader of the format leaves them."""
    names = ("Human", "Assistant")
    made, texts = [], []
    for row in rows:
        name = f"{row['dialogue']}-{row['turn']}"
        lines = [f"[{names[place % 2]}]: {text}" for place, text in enumerate(row["history"])]
        known = {"group_id": f"d{row['dialogue']}", "document_ids": [name], "right_answer": row["reference"]}
        known |= {"history": "\n".join(lines[:-1]), "question": row["history"][-1]}
        made.append(item(name, "dialogue", attributes=pairs(turn=row["turn"]), **known))
        texts.append(document(name, row["knowledge"]))
    return frame(Item, made), frame(Document, texts)


def generation(row, text, purpose="respond", model="elm", *, sample=0, status="ok", **attributes):
    name = f"{purpose}-{model}-{row['dialogue']}-{row['turn']}-{sample}"
    known = {"sample_index": sample, "status": status, "prompt_key": name, "attributes": pairs(**attributes)}
    return generation_of(name, f"{row['dialogue']}-{row['turn']}", purpose, model, text, **known)


def response(row, text, history="gold", temperature="1", **more):
    group = f"d{row['dialogue']}"
    place = {"group_id": group, "split": "test", "history": history, "temperature": temperature}
    return generation(row, text, sample=len(history) + len(temperature), **place, **more)


def planted(rows, generations, samples=(), judgements=()):
    tables = dict(zip(("items", "documents"), items(rows), strict=True))
    told = planted_scores(
        "b",
        world=WORLD,
        models=MODELS,
        generations=frame(Generation, generations),
        samples=frame(Sample, list(samples)),
        judgements=frame(Judgement, list(judgements)),
        **tables,
    )
    return {
        (row["metric"], row["subject"], *sorted(f"{one['key']}={one['value']}" for one in row["slice"])): row
        for row in told
    }


@pytest.fixture(scope="module")
def two():
    """The turns of two dialogues."""
    return rows_of({1, 2})


def wrong(row):
    """A response that nothing holds."""
    return KNOWN.writer.vague("invented", 5, row["dialogue"], row["turn"])


def test_rates_are_those_of_the_boards_own_responses(two):
    """Of the two dialogues the second holds one false turn."""
    false = next(row for row in two if row["dialogue"] == 2)
    generations = [response(row, wrong(row) if row is false else row["reference"]) for row in two]
    found = planted(two, generations)
    place = ("estimator=planted", "history=gold", "temperature=1")
    turn = found["hallucination_rate", "elm", *place, "unit=turn"]
    assert (turn["value"], turn["n"]) == (round(1 / len(two), 6), len(two))
    dialogue = found["hallucination_rate", "elm", *place, "unit=dialogue"]
    assert (dialogue["value"], dialogue["n"]) == (0.5, 2)


def test_a_dialogue_with_a_lost_turn_counts_its_turns_alone(two):
    kept = [row for row in two if (row["dialogue"], row["turn"]) != (2, 0)]
    found = planted(two, [response(row, row["reference"]) for row in kept])
    place = ("estimator=planted", "history=gold", "temperature=1")
    assert found["hallucination_rate", "elm", *place, "unit=turn"]["n"] == len(two) - 1
    assert found["hallucination_rate", "elm", *place, "unit=dialogue"]["n"] == 1


def test_in_self_history_what_the_model_said_before_is_held(two):
    """A false claim that the model said itself is held by its own history when it says it again, not by the
    reference's.
    """
    first, second = [row for row in two if row["dialogue"] == 2][:2]
    fact = KNOWN.facts_of(first["reference"])[0]
    other = KNOWN.world.entities[fact.subject].facts
    relation = next(
        name for name in other
        if (fact.subject, name) not in {one[:2] for one in KNOWN.facts_of(second["knowledge"])}
        and not KNOWN.context(second["knowledge"], spoken(second["history"])).right(fact.subject, name)
    )  # fmt: skip
    text = KNOWN.writer.sentence(fact._replace(relation=relation, value=other[relation]), "again")
    told = [response(row, text, history) for row in (first, second) for history in ("gold", "self")]
    found = planted(two, told)
    gold, own = (
        found[
            "hallucination_rate", "elm", "estimator=planted", f"history={name}", "temperature=1", "unit=turn"
        ]
        for name in ("gold", "self")
    )
    assert gold["value"] == own["value"] + 0.5
    assert found["gold_minus_self", "elm", "estimator=planted", "temperature=1", "unit=turn"]["value"] == 0.5


def test_responses_of_train_dialogues_make_no_rate(two):
    told = [response(row, row["reference"]) for row in two]
    for row in told:
        row["attributes"] = [
            one | {"value": "train"} if one["key"] == "split" else one for one in row["attributes"]
        ]
    assert not [key for key in planted(two, told) if key[0] == "hallucination_rate"]


def test_tpr_and_tnr_are_means_over_the_labelled_texts(two):
    row = two[0]
    texts = {
        "false": (wrong(row), True),
        "true": (row["reference"], False),
        "mislabelled": (row["reference"], True),
    }
    samples = [
        {
            "sample_id": name,
            "item_id": f"{row['dialogue']}-{row['turn']}",
            "group_id": "d",
            "task": "dialogue",
            "lang": "en",
            "text": text,
            "is_hallucinated": label,
            "label_source": "silver",
            "split": "test",
            "spans": [],
            "attributes": pairs(scenario="spontaneous"),
        }
        for name, (text, label) in texts.items()
    ]
    rows = [
        generation(row, "Yes", "detect", sample=place, target=name, verdict="yes")
        for place, name in enumerate(texts)
    ]
    found = planted(two, rows, samples)
    elm = PROFILES["sim-elm"]
    place = ("elm", "scenario=spontaneous", "variant=zero-shot")
    sight = ("unverifiable", "blatant")
    assert found["tpr", *place]["value"] == round((elm.tpr[sight] + elm.fpr) / 2, 6)
    assert found["tnr", *place]["value"] == 1 - elm.fpr
    assert found["unparsed_rate", *place] | {"slice": None} == found["unparsed_rate", *place] | {
        "slice": None
    }
    assert found["unparsed_rate", *place]["value"] == elm.unparsed
    assert found["unparsed_rate", *place]["n"] == 3


def test_broken_rules_are_those_of_the_profile(two):
    rows = [
        generation(row, "text", "induce", "quill", sample=place, kind=kind)
        for row in two
        for place, kind in enumerate(("factuality", "faithfulness"))
    ]
    found = planted(two, rows)
    failures = PROFILES["sim-quill"].failures
    row = found["restated_rate", "quill", "kind=factuality", "step=induce"]
    assert row["n"] == len(two) and abs(row["value"] - failures.restated / (1 - failures.declined)) < 1e-6


def test_nothing_asked_gives_no_row(two):
    assert planted(two, []) == {}
    assert planted(two, [generation(two[0], "", status="dead", history="gold", temperature="1")]).keys() == {
        ("unread_rate", "elm", "step=respond")
    }


def test_the_slices_of_a_sample_are_those_of_the_boards_scores():
    kinds = {"factuality", "reference", "matched"}
    told = slices_of({"scenario": "induced", "kind": "factuality"}, True)
    assert {one.get("kind") for one in told} == {None} | kinds
    told = slices_of({"scenario": "induced", "kind": "reference"}, False)
    assert {one.get("kind") for one in told} == {None, "factuality", "faithfulness", "reference"}
    assert slices_of({"scenario": "induced", "kind": "matched"}, False) == [
        {"scenario": "induced", "kind": "matched"}
    ]
    assert slices_of({"scenario": "spontaneous"}, True) == [{"scenario": "spontaneous"}, {"scenario": "all"}]


def test_rows_of_other_models_are_left_out(two):
    rows = [generation(two[0], "x", model="stranger", history="gold", temperature="1")]
    assert planted(two, rows) == {} and isinstance(frame(Generation, rows), pl.DataFrame)
