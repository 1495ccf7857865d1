"""Replies about entities: what is planted in them can be read in them, and rates are those that the profiles name."""

import pytest

from truerate.core.text import sentences
from truerate.llm.replies.texts.abstaining import is_abstention
from truerate.tracks.wildhallucinations.names import is_paper_abstention
from truerate_world.encyclopedia import build
from truerate_world.lang import load
from truerate_world.models import IDS
from truerate_world.simulated_model import reply
from truerate_world.wildhallucinations.models.behaviour_profile import PROFILES, p_false, profile_of
from truerate_world.wildhallucinations.models.planted import AMBIGUOUS, INVENTED, is_known
from truerate_world.wildhallucinations.models.reading import stated_by
from truerate_world.wildhallucinations.models.replying import (
    NOBODY,
    abstentions,
    asked_name,
    knows,
    replied,
    spoken_of,
    subject_of,
)

WORLD = build(7)
SUBJECTS = ["sim-aster", "sim-birch", "sim-cedar", "sim-dogwood", "sim-elm"]
ALL = range(len(WORLD.entities))
QUESTION = "What do you know about {}? Please answer in one paragraph."


def said(model, entity, sample=0):
    return spoken_of(WORLD, model, entity, sample)


@pytest.mark.parametrize(
    "question",
    [
        QUESTION,
        "In a paragraph, could you tell me what you know about {}?",
        "What can you tell me about {} in one paragraph?",
    ],
)
def test_the_question_is_understood_in_several_wordings(question):
    for entity in (0, 150, 491):
        assert subject_of(WORLD, question.format(WORLD.lexicon().name(entity))) == entity


def test_other_messages_are_none_of_this():
    name = WORLD.lexicon().name(3)
    words = load("en")
    for query, _ in (*words.queries, *words.pair_queries, *words.probe_queries):
        assert subject_of(WORLD, query.format(x=name, y=name)) is None
    assert subject_of(WORLD, f"Do you know anything about {name}?") is None and subject_of(WORLD, "") is None


def test_a_name_that_means_no_entity_is_nobody():
    for name in (*AMBIGUOUS, *INVENTED, "Nowhere Special"):
        assert subject_of(WORLD, QUESTION.format(name)) == NOBODY
        assert asked_name(QUESTION.format(name)) == name
        answer = replied(WORLD, "sim-elm", {"User Query": QUESTION.format(name)}, 0)
        text, truth = answer.text, answer.truth
        assert name in text and (truth["is_abstention"] or set(truth["kinds"]) == {"invented"})


def test_the_model_answers_over_its_usual_door():
    messages = [{"role": "user", "content": QUESTION.format(WORLD.lexicon().name(5))}]
    answer = reply(WORLD, "sim-birch", messages, temperature=1.0, seed=2)
    assert answer.task == "generate" and answer.text == said("sim-birch", 5, 2).text
    assert answer.truth["entity"] == 5
    assert reply(WORLD, "sim-birch-search", messages, temperature=1.0, seed=2).task == "generate"


@pytest.mark.parametrize("model", SUBJECTS)
def test_what_was_planted_is_what_is_read(model):
    for entity in ALL:
        one = said(model, entity)
        if one.is_abstention:
            continue
        parts = sentences(one.text)
        assert len(parts) == len(one.kinds) <= 10
        for kind, stated in zip(one.kinds, stated_by(WORLD, parts), strict=True):
            if kind in ("vague", "polite"):
                assert stated == []
            elif kind == "titled":
                assert [what.kind for what in stated] == ["title"]
            elif kind == "invented":
                assert [what.kind for what in stated] == ["invented"]
            elif kind == "repeated":
                assert len(stated) == 1
            else:
                assert [what.is_true(WORLD) for what in stated] == [one == "true" for one in kind.split("+")]


def test_replies_are_four_to_ten_sentences_long():
    lengths = [
        len(one.kinds)
        for model in SUBJECTS
        for entity in ALL
        if not (one := said(model, entity)).is_abstention
    ]
    assert max(lengths) <= 10 and sum(length >= 4 for length in lengths) / len(lengths) > 0.99


@pytest.mark.parametrize("model", SUBJECTS)
def test_planted_rates_are_recovered(model):
    own = profile_of(model)
    unknown = [entity for entity in ALL if not knows(WORLD, model, entity)]
    abstained = [said(model, entity).is_abstention for entity in unknown]
    assert abs(sum(abstained) / len(abstained) - own.abstention) < 4 * (0.25 / len(abstained)) ** 0.5
    assert not any(said(model, entity).is_abstention for entity in ALL if knows(WORLD, model, entity))
    for known in (True, False):
        for rare in (True, False):
            kinds = [
                kind for entity in ALL if _is(model, entity, known, rare) for kind in _facts(model, entity)
            ]
            p = p_false(own, is_known=known, is_rare=rare)
            if (
                len(kinds) >= 60
            ):  # facts about what an entity's facts name have other rates, and come in few replies
                assert (
                    abs(kinds.count("false") / len(kinds) - p) < 0.06 + 3 * (p * (1 - p) / len(kinds)) ** 0.5
                )


def _is(model, entity, known, rare):
    return (
        knows(WORLD, model, entity) == known
        and is_known(WORLD.entities[entity]) != rare
        and not said(model, entity).is_abstention
    )


def _facts(model, entity):
    return [
        one
        for kind in said(model, entity).kinds
        for one in kind.split("+")
        if one in ("true", "false", "invented")
    ]


def test_popular_entities_are_known_more_often():
    for model in SUBJECTS:
        rates = [
            [knows(WORLD, model, one.index) for one in WORLD.entities if is_known(one) == known]
            for known in (True, False)
        ]
        assert sum(rates[0]) / len(rates[0]) > sum(rates[1]) / len(rates[1])


@pytest.mark.parametrize("model", IDS[len(PROFILES) :])
def test_a_model_that_searches_knows_more_errs_less_and_still_errs(model):
    base = model.removesuffix("-search")
    known = [sum(knows(WORLD, name, entity) for entity in ALL) for name in (base, model)]
    false = [
        sum(_facts(name, entity).count("false") for entity in ALL)
        / sum(len(_facts(name, entity)) for entity in ALL)
        for name in (base, model)
    ]
    assert known[1] > known[0] and 0 < false[1] < false[0]


def test_samples_differ_in_words_not_in_what_is_known():
    differ = sum(
        said("sim-aster", entity, 0).text != said("sim-aster", entity, 1).text for entity in range(50)
    )
    assert differ > 40 and all(
        said("sim-aster", entity, 0).is_abstention == said("sim-aster", entity, 1).is_abstention
        for entity in ALL
    )


def test_duplicates_titles_and_opinions_are_planted():
    for model, own in PROFILES.items():
        if model == "sim-quill":
            continue
        replies = [one for entity in ALL if not (one := said(model, entity)).is_abstention]
        for kind, rate in (
            ("repeated", own.repeated),
            ("titled", own.titled),
            ("vague", own.vague),
            ("polite", own.polite),
        ):
            found = sum(kind in one.kinds for one in replies) / len(replies)
            assert abs(found - rate) < 0.05 + 4 * (rate / len(replies)) ** 0.5, (model, kind, found)


def test_abstentions_are_half_missed_by_the_papers_rule_and_polite_replies_flagged():
    texts = abstentions("River Orl")
    assert all(map(is_abstention, texts)) and 0.3 <= sum(map(is_paper_abstention, texts)) / len(texts) <= 0.7
    polite = [one for model in SUBJECTS for entity in ALL if "polite" in (one := said(model, entity)).kinds]
    assert len(polite) > 40 and not any(is_abstention(one.text) for one in polite)
    assert sum(is_paper_abstention(one.text) for one in polite) / len(polite) > 0.8
