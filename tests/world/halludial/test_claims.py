"""The truth about a response: what knowledge and history hold, and nothing else."""

import pytest

from truerate_world.halludial.models.claims import BLATANT, CONTRADICTS, SUBTLE, UNVERIFIABLE
from truerate_world.writer import Fact

from .asking import finding


@pytest.fixture(scope="module")
def town(known):
    """A town, and what is true of it."""
    return next(one for one in known.world.entities if one.domain == "towns")


def row(known, town, knowledge, *history):
    return {"knowledge": knowledge, "history": [f"Tell me of {known.lexicon.name(town.index)}.", *history]}


def told(known, town, relation, value=None):
    return known.writer.sentence(Fact(town.index, relation, value or town.facts[relation]), "test", relation)


def test_what_the_knowledge_says_is_faithful_in_any_words(known, town):
    name, year = known.lexicon.name(town.index), town.facts["founded"][1]
    given = row(known, town, f"{name} was founded in {year}.")
    assert not finding(given, f"Oh, nice! I think {name} traces its origins to {year}. Pretty cool!").flaws


def test_what_contradicts_the_knowledge_is_marked_at_its_value(known, town):
    name, year = known.lexicon.name(town.index), town.facts["founded"][1]
    given = row(known, town, f"{name} was founded in {year}.")
    for other, level in ((year + 3, SUBTLE), (year + 70, BLATANT)):
        text = f"Sure! {name} was founded in {other}."
        (flaw,) = finding(given, text).flaws
        assert (flaw.kind, flaw.level, text[slice(*flaw.span)]) == (CONTRADICTS, level, str(other))
        assert flaw.right == ("n", year)


def test_what_is_true_of_the_world_and_not_given_is_unverifiable(known, town):
    name = known.lexicon.name(town.index)
    given = row(known, town, told(known, town, "founded"))
    country = known.lexicon.text(town.facts["country"], "country")
    for text in (f"{name} lies in {country}.", f"{country} is the country of {name}."):
        (flaw,) = finding(given, text).flaws
        assert (flaw.kind, flaw.level, text[slice(*flaw.span)]) == (UNVERIFIABLE, SUBTLE, country)


def test_what_no_source_can_settle_is_marked_as_a_whole(known, town):
    given = row(known, town, told(known, town, "founded"))
    text = f"{known.lexicon.name(town.index)} has ties to the Guild of Invisible Bakers."
    (flaw,) = finding(given, text).flaws
    assert (flaw.kind, flaw.level) == (UNVERIFIABLE, BLATANT)
    assert text[slice(*flaw.span)] == "has ties to the Guild of Invisible Bakers"


def test_what_was_said_before_is_held_too_even_where_it_is_false_of_the_world(known, town):
    name = known.lexicon.name(town.index)
    other = next(one for one in known.world.by_domain["countries"] if ("e", one) != town.facts["country"])
    text = f"{name} lies in {known.lexicon.name(other)}."
    given = row(known, town, told(known, town, "founded"))
    assert finding(given, text).sight == (UNVERIFIABLE, BLATANT)
    assert not finding(row(known, town, told(known, town, "founded"), text, "I see."), text).flaws


def test_the_knowledge_comes_before_the_history(known, town):
    name, year = known.lexicon.name(town.index), town.facts["founded"][1]
    wrong = f"{name} was founded in {year + 2}."
    given = row(known, town, f"{name} was founded in {year}.", wrong, "Really?")
    assert finding(given, wrong).sight == (CONTRADICTS, SUBTLE)


def test_talk_questions_and_generic_turns_are_faithful(known, town):
    given = row(known, town, told(known, town, "founded"))
    for text in ("That sounds like a lovely thing to look into.", "Sure! Shall I go on?", "", "Thank you!"):
        assert not finding(given, text).flaws


def test_a_name_that_nothing_holds_in_words_that_cannot_be_read_is_hallucinated(known, town):
    given = row(known, town, told(known, town, "founded"))
    stranger = next(one for one in known.world.entities if one.domain == "novels")
    assert finding(given, f"Nobody likes {known.lexicon.name(stranger.index)} as much.").is_hallucinated
    assert not finding(given, f"Nobody likes {known.lexicon.name(town.index)} as much.").is_hallucinated


def test_the_places_of_a_responses_flaws_are_words_of_it(responses):
    for given, text in responses:
        found = finding(given, text)
        for start, end in (*found.spans, *found.sound):
            assert 0 <= start < end <= len(text)
            assert text[start:end].strip() == text[start:end]


def test_what_the_last_turn_asks_for_is_understood(known, rows):
    asked = [known.asked_for(f"User: {row['history'][-1]}") for row in rows if row["turn"]]
    assert None not in asked
