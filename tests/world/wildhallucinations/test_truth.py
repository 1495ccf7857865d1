"""The planted truth of a board: what its own replies state, held against the world."""

import polars as pl
import pytest

from tests import rows
from truerate.core.keys import content_id
from truerate.core.schemas import Fact, Item, Judgement, Score, frame, pairs, validate
from truerate.llm.generation import generations
from truerate_world.distractors import wrong_value
from truerate_world.encyclopedia import build
from truerate_world.wildhallucinations.models.planted import PAPER_DOMAIN
from truerate_world.wildhallucinations.models.reading import fact_is_true
from truerate_world.wildhallucinations.models.replying import spoken_of
from truerate_world.wildhallucinations.truth import planted_scores, verifier_scores
from truerate_world.writer import Fact as Stated
from truerate_world.writer import language_tools

WORLD = build(7)
KNOWN = language_tools(WORLD)
MODELS = {"aster": "sim-aster", "elm": "sim-elm"}
RIVER = WORLD.by_domain["rivers"][0]


def item(entity, **more):
    name, domain = WORLD.lexicon().name(entity), PAPER_DOMAIN[WORLD.entities[entity].domain]
    known = {"domain": domain, "rarity_group": "10^2", "is_wikipedia": "true"} | more
    return rows.item(f"e{entity}", "entity", question=name, attributes=pairs(name=name, **known))


def reply(model, entity, text=None, status="ok"):
    text = spoken_of(WORLD, MODELS[model], entity, 0).text if text is None else text
    known = {"status": status, "prompt_key": "k", "attributes": pairs(lang="en")}
    return rows.generation(content_id(model, entity), f"e{entity}", "generate", model, text, **known)


def sentence(relation, *, right=True, entity=RIVER):
    value = WORLD.fact(entity, relation)
    value = value if right else wrong_value(WORLD, value, relation, "test")
    return KNOWN.writer.sentence(Stated(entity, relation, value), relation)


def scores(replies, items, **more):
    made = planted_scores(
        "b", world=WORLD, models=MODELS, generations=generations(replies), items=frame(Item, items), **more
    )
    validate(Score, frame(Score, made), where="test")
    return {
        (row["metric"], row["subject"], tuple((one["key"], one["value"]) for one in row["slice"])): (
            row["value"],
            row["n"],
        )
        for row in made
    }


def all_(metric, subject="aster", **where):
    where = {
        "set": "all",
        **({"estimator": "planted"} if metric in ("wildfactscore", "wildfactscore_strict") else {}),
        **where,
    }
    return metric, subject, tuple(sorted(where.items()))


def test_a_reply_by_hand():
    # country twice (true), length false, title: 3 of 4 true; of 3 different ones 2 true; 1 of 4 repeated, 1
    # of 4 the title
    name = WORLD.lexicon().name(RIVER)
    text = " ".join(
        [
            sentence("country"),
            sentence("length", right=False),
            f"The name of this subject is {name}.",
            sentence("country"),
        ]
    )
    found = scores([reply("aster", RIVER, text)], [item(RIVER)])
    assert found[all_("wildfactscore")] == (0.75, 1) and found[all_("wildfactscore_strict")] == (0.0, 1)
    assert found[all_("wildfactscore_dedup")] == (0.666667, 1)
    assert found[all_("duplicate_fact_rate")] == (0.25, 4) and found[all_("title_fact_rate")] == (0.25, 4)
    assert found["facts_per_response", "aster", ()] == (4.0, 1) and found[
        "responding_rate", "aster", (("rule", "planted"),)
    ] == (1.0, 1)
    assert (
        found[all_("wildfactscore", domain="geographic")]
        == found[all_("wildfactscore", rarity="10^2")]
        == (0.75, 1)
    )
    assert found[all_("wildfactscore", wikipedia="yes")] == (0.75, 1)


def test_an_abstention_is_zero_in_strict_and_nothing_in_the_mean():
    silent = next(one for one in range(492) if spoken_of(WORLD, "sim-aster", one, 0).is_abstention)
    rows = [reply("aster", silent, status="abstained"), reply("aster", RIVER, sentence("country"))]
    found = scores(rows, [item(silent), item(RIVER)])
    assert found[all_("wildfactscore")] == (1.0, 1) and found[all_("wildfactscore_strict")] == (0.5, 2)
    assert found["responding_rate", "aster", (("rule", "planted"),)] == (0.5, 2)


def test_an_abstention_that_the_rule_missed_is_one_all_the_same():
    silent = next(one for one in range(492) if spoken_of(WORLD, "sim-aster", one, 0).is_abstention)
    assert scores([reply("aster", silent)], [item(silent)])[
        "responding_rate", "aster", (("rule", "planted"),)
    ] == (0.0, 1)


def test_a_reply_without_a_fact_is_counted_and_in_no_score():
    rows = [
        reply("aster", RIVER, f"{WORLD.lexicon().name(RIVER)} is simply the best there has ever been."),
        reply("aster", 3),
    ]
    found = scores(rows, [item(RIVER), item(3)])
    assert found[all_("wildfactscore")][1] == 1 and found[all_("no_fact_rate")] == (0.5, 2)


def test_the_common_set_is_what_all_of_the_panel_respond_to():
    silent = next(
        one
        for one in range(492)
        if spoken_of(WORLD, "sim-aster", one, 0).is_abstention
        and not spoken_of(WORLD, "sim-elm", one, 0).is_abstention
    )
    rows = [reply(model, entity) for model in MODELS for entity in (3, silent)]
    found = scores(rows, [item(3), item(silent)])
    assert found[all_("wildfactscore", "elm")][1] == 2
    assert found[all_("wildfactscore", "elm", set="common")][1] == 1
    assert (
        scores(rows, [item(3), item(silent)], panel=["elm"])[all_("wildfactscore", "elm", set="common")][1]
        == 2
    )


def test_small_domains_are_one():
    found = scores([reply("aster", one) for one in (RIVER, 3)], [item(RIVER), item(3)], domains_above=1)
    assert found[all_("wildfactscore", domain="other")][1] == 2
    assert all_("wildfactscore", domain="geographic") not in found


def test_what_is_dead_or_of_another_model_or_of_no_item_is_left_out():
    rows = [reply("aster", RIVER, "", "dead"), reply("elm", 3), reply("elm", 5) | {"item_id": "gone"}]
    assert {key[1] for key in scores(rows, [item(RIVER), item(3)])} == {"elm"}
    assert scores([], []) == {}
    rows, kept = [reply("aster", 3)], frame(Item, [item(3)])
    assert (
        planted_scores(
            "b", world=WORLD, models={"aster": "some/real-model"}, generations=generations(rows), items=kept
        )
        == []
    )


def test_replies_of_a_whole_board_show_what_is_planted():
    rows = [reply(model, entity) for model in MODELS for entity in range(0, 492, 3)]
    found = scores(rows, [item(entity) for entity in range(0, 492, 3)])
    assert found[all_("wildfactscore", "aster")][0] > 0.8 > 0.6 > found[all_("wildfactscore", "elm")][0]
    assert found["responding_rate", "elm", (("rule", "planted"),)][0] > 0.9


# ---- facts -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (sentence("country"), True),
        (sentence("length", right=False), False),
        (f"{sentence('country')[:-1]} and {sentence('length').split(' ', 2)[2]}", None),
        (f"{WORLD.lexicon().name(RIVER)} has ties to the Guild of Invisible Bakers.", False),
        (f"{WORLD.lexicon().name(RIVER)} is known as {WORLD.lexicon().name(RIVER)}.", True),
        ("Colourless green ideas sleep furiously.", None),
        ("", None),
    ],
)
def test_facts_are_true_by_the_world_or_cannot_be_read(text, expected):
    found = fact_is_true(WORLD, RIVER, text)
    assert found is expected or (expected is None and found in (None, True))


def test_verifier_scores_by_hand():
    texts = {"f1": sentence("country"), "f2": sentence("length", right=False), "f3": sentence("fish")}
    texts |= {"f4": sentence("spring", right=False)}
    known = {"generation_id": "g", "item_id": f"e{RIVER}", "subject": "aster", "sentence_index": 0}
    known |= {"sentence": "s", "evidence": []}
    facts = frame(
        Fact,
        [
            known | {"fact_id": name, "text": text, "is_duplicate": False, "is_title": False}
            for name, text in texts.items()
        ],
    )

    def judged(name, verdict, **more):
        return {
            "judgement_id": content_id(name, more),
            "judge": "quill",
            "judge_version": "v",
            "target_id": name,
            "verdict": verdict,
        } | {
            "status": "ok" if verdict is not None else "unparsed",
            "spans": [],
            "attributes": pairs(**more),
        }

    rows = [
        judged("f1", True),
        judged("f2", True),
        judged("f3", False),
        judged("f4", None),
        judged("f2", False, stage="single"),
    ]
    made = verifier_scores(
        "b", world=WORLD, items=frame(Item, [item(RIVER)]), facts=facts, judgements=frame(Judgement, rows)
    )
    # of the false f2 and f4 only f2 has a verdict (not supported): 1/1; of the true f1 and f3 one is not
    # supported: 1/2; right: f2, f3 of 3
    assert {row["metric"]: (row["value"], row["n"]) for row in made} == {
        "verifier_tpr": (1.0, 1),
        "verifier_fpr": (0.5, 2),
        "verifier_accuracy": (0.666667, 3),
    }
    validate(Score, frame(Score, made), where="test")
    assert pl.DataFrame(made)["method"].unique().to_list() == ["planted"]
