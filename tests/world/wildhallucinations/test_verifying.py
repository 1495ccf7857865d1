"""Simulated fact writers and verifiers: they read what stands in the prompt, and err as often as planted."""

import pytest

from truerate.core.text import sentences
from truerate_world.distractors import wrong_value
from truerate_world.encyclopedia import build
from truerate_world.manners import MANNERS, Manners
from truerate_world.wildhallucinations.models.behaviour_profile import PROFILES, profile_of
from truerate_world.wildhallucinations.models.planted import INVENTED
from truerate_world.wildhallucinations.models.reading import fact_is_true, stated_by
from truerate_world.wildhallucinations.models.replying import spoken_of
from truerate_world.wildhallucinations.models.verifying import verdict_of, verified, written
from truerate_world.wildhallucinations.models.writing import INJECTION
from truerate_world.writer import Fact, language_tools

WORLD = build(7)
KNOWN = language_tools(WORLD)
ALL = range(len(WORLD.entities))


def name(entity):
    return WORLD.lexicon().name(entity)


def write(model, entity, parts, sample=0):
    lines = "\n".join(f"[{place}] {part}" for place, part in enumerate(parts, 1))
    return written(WORLD, model, {"Subject": name(entity), "Sentences": lines}, sample)


def fact(entity, relation, value=None, key="test"):
    """A sentence that states a relation of an entity, the true value by default."""
    return KNOWN.writer.sentence(Fact(entity, relation, value or WORLD.fact(entity, relation)), key)


def verify(claims, passages, *, model="sim-quill", subjects=(0,), sample=0):
    fields = {
        "Subject": "; ".join(name(one) for one in subjects),
        "Passages": "\n".join(f"({place}) {text}" for place, text in enumerate(passages, 1)),
        "Claims": "\n".join(f"[{place}] {text}" for place, text in enumerate(claims, 1)),
    }
    return verified(WORLD, model, fields, sample)


@pytest.fixture
def faultless(monkeypatch):
    """A judge and writer that never errs and is always plain."""
    from dataclasses import replace

    own = replace(
        PROFILES["sim-quill"],
        missed=0.0,
        merged=0.0,
        malformed=0.0,
        tpr=1.0,
        fpr=0.0,
        slips=0.0,
        unparsed=0.0,
    )
    monkeypatch.setitem(PROFILES, "sim-quill", own)
    monkeypatch.setitem(MANNERS, "sim-quill", Manners())


# ---- facts -------------------------------------------------------------------------------------------------


def test_every_statement_becomes_one_line_and_reads_as_it_was_meant(faultless):
    for entity in range(0, 492, 9):
        said = spoken_of(WORLD, "sim-elm", entity, 0)
        if said.is_abstention:
            continue
        parts = sentences(said.text)
        lines = write("sim-quill", entity, parts).text.split("\n")
        expected = [(place, one) for place, found in enumerate(stated_by(WORLD, parts), 1) for one in found]
        told = [line for line in lines if not line.endswith(" none")]
        assert len(told) == len(expected)
        for line, (place, one) in zip(told, expected, strict=True):
            number, _, text = line.partition("] ")
            assert number == f"[{place}" and fact_is_true(WORLD, entity, text) == one.is_true(WORLD)


def test_compounds_are_split_and_pronouns_replaced(faultless):
    entity = WORLD.by_domain["rivers"][0]
    facts = [Fact(entity, relation, WORLD.fact(entity, relation)) for relation in ("country", "length")]
    parts = [
        KNOWN.writer.joined(*facts, "compound"),
        "It teems with " + WORLD.lexicon().text(WORLD.fact(entity, "fish"), "fish") + ".",
        "Indeed!",
    ]
    lines = write("sim-quill", entity, parts).text.split("\n")
    assert [line[:4] for line in lines] == ["[1] ", "[1] ", "[2] ", "[3] "] and lines[3] == "[3] none"
    assert all(line[4:].startswith(name(entity)) for line in lines[:3])


def test_a_pronoun_in_the_first_sentence_is_the_subjects(faultless):
    entity = WORLD.by_domain["rivers"][0]
    assert write("sim-quill", entity, ["It lies in Oria."]).text == "[1] none"  # Oria is none of this world
    value = WORLD.lexicon().text(WORLD.fact(entity, "country"), "country")
    assert name(entity) in write("sim-quill", entity, [f"It lies in {value}."]).text


def test_the_same_fact_is_always_in_the_same_words(faultless):
    entity, relation = 3, "birth_year"
    texts = {write("sim-quill", entity, [fact(entity, relation, key=key)]).text for key in range(20)}
    assert len(texts) == 1


def test_planted_faults_of_the_writer_are_recovered():
    own, n_sentences, n_missed, n_lines, n_malformed = profile_of("sim-quill"), 0, 0, 0, 0
    for model in ("sim-birch", "sim-cedar", "sim-elm"):
        for entity in ALL:
            parts = sentences(spoken_of(WORLD, model, entity, 0).text)
            stated = sum(bool(found) for found in stated_by(WORLD, parts))
            truth = write("sim-quill", entity, parts).truth
            n_facts = sum(fact is not None for _, fact in truth["read"] or ()) + truth["n_malformed"]
            n_sentences, n_missed = n_sentences + stated, n_missed + len(truth["missed"])
            if truth["read"] is not None:
                n_lines, n_malformed = n_lines + n_facts, n_malformed + truth["n_malformed"]
    assert abs(n_missed / n_sentences - own.missed) < 4 * (own.missed / n_sentences) ** 0.5
    assert abs(n_malformed / n_lines - own.malformed) < 4 * (own.malformed / n_lines) ** 0.5


def test_prompts_without_what_is_needed_are_not_understood():
    assert written(WORLD, "sim-quill", {"Subject": "x"}, 0) is None
    assert verified(WORLD, "sim-quill", {"Subject": "x"}, 0) is None


# ---- verdicts ----------------------------------------------------------------------------------------------


def test_the_passages_decide_not_the_world(faultless):
    right, wrong = (
        fact(0, "birth_year"),
        fact(0, "birth_year", wrong_value(WORLD, WORLD.fact(0, "birth_year"), "birth_year", 1)),
    )
    place = fact(0, "birth_place")
    assert (
        verify([right, wrong, place], [right]).text == "[1] supported\n[2] not supported\n[3] not supported"
    )
    assert (
        verify([right, wrong, place], [wrong]).text == "[1] not supported\n[2] supported\n[3] not supported"
    )
    assert verify([right], []).text == "[1] not supported"


def test_most_of_the_passages_that_speak_of_it_decide(faultless):
    right, wrong = (
        fact(0, "birth_year"),
        fact(0, "birth_year", wrong_value(WORLD, WORLD.fact(0, "birth_year"), "birth_year", 1)),
    )
    other = fact(0, "birth_place")
    assert verify([wrong], [right, right, wrong, other]).text == "[1] not supported"
    assert verify([right], [right, right, wrong, other]).text == "[1] supported"
    assert (
        verify([right], [right, wrong]).text == "[1] supported"
    )  # a passage states it, and no more say otherwise


@pytest.mark.parametrize("order", INJECTION)
def test_orders_in_a_page_are_not_heeded(faultless, order):
    right, wrong = (
        fact(0, "birth_year"),
        fact(0, "birth_year", wrong_value(WORLD, WORLD.fact(0, "birth_year"), "birth_year", 1)),
    )
    page = f"{name(0)}: {order}\n  {right}\n  {order}"
    assert verify([wrong, right], [page]).text == "[1] not supported\n[2] supported"
    assert verify([wrong], [f"{name(0)}: {order}"]).text == "[1] not supported"


def test_a_merged_fact_holds_only_where_both_parts_do(faultless):
    facts = [Fact(0, relation, WORLD.fact(0, relation)) for relation in ("birth_year", "birth_place")]
    both = KNOWN.writer.joined(*facts, "both")
    assert verify([both], [both]).text == "[1] supported"
    assert verify([both], [fact(0, "birth_year")]).text == "[1] not supported"


def test_a_pronoun_in_a_passage_means_whom_the_passage_was_found_for(faultless):
    year = WORLD.fact(0, "birth_year")[1]
    pronoun = {"he": "He", "she": "She", "it": "It"}[WORLD.entities[0].gender]
    claim = fact(0, "birth_year")
    assert (
        verify([claim], [f"{name(0)}: {pronoun} was born in {year}."], subjects=(0, 1)).text
        == "[1] supported"
    )
    assert (
        verify([claim], [f"{name(1)}: {pronoun} was born in {year}."], subjects=(0, 1)).text
        == "[1] not supported"
    )


def test_names_are_supported_and_inventions_never(faultless):
    claims = [
        f"{name(0)} is known as {name(0)}.",
        f"{name(0)} has ties to the Guild of Invisible Bakers.",
        f"{INVENTED[0]} is a place.",
    ]
    assert verify(claims, [" ".join(claims)]).text == "[1] supported\n[2] not supported\n[3] not supported"


@pytest.mark.parametrize("model", list(PROFILES))
def test_planted_errors_are_recovered(model):
    own = profile_of(model)
    claims = [fact(entity, relation) for entity in ALL for relation in WORLD.entities[entity].facts]
    for holds, p in ((True, own.fpr), (False, own.tpr)):
        verdicts = [verdict_of(model, claim, holds=holds, is_batch=False) for claim in claims]
        read = [verdict for verdict in verdicts if verdict is not None]
        assert abs(1 - len(read) / len(verdicts) - own.unparsed) < 4 * (own.unparsed / len(claims)) ** 0.5
        assert (
            abs(sum(not verdict for verdict in read) / len(read) - p) < 4 * (p * (1 - p) / len(read)) ** 0.5
        )


def test_batches_differ_from_single_calls_by_the_planted_slips():
    own = profile_of("sim-quill")
    claims = [fact(entity, relation) for entity in ALL for relation in WORLD.entities[entity].facts]
    pairs = [
        tuple(verdict_of("sim-quill", claim, holds=True, is_batch=batch) for batch in (True, False))
        for claim in claims
    ]
    read = [pair for pair in pairs if None not in pair]
    assert abs(sum(a != b for a, b in read) / len(read) - own.slips) < 4 * (own.slips / len(read)) ** 0.5


def test_verdicts_do_not_depend_on_the_other_claims_of_a_batch():
    claims = [fact(entity, "country") for entity in WORLD.by_domain["rivers"][:8]]
    said = {}
    for order in (claims, claims[::-1]):
        lines = dict(
            line.split("] ")
            for line in verify(order, claims, subjects=WORLD.by_domain["rivers"][:8]).text.split("\n")
            if "] " in line
        )
        said[tuple(order)] = {claim: lines.get(f"[{place}") for place, claim in enumerate(order, 1)}
    assert said[tuple(claims)] == said[tuple(claims[::-1])]


@pytest.mark.parametrize("entity", ALL[:40])
def test_a_single_claim_without_a_verdict_is_answered_all_the_same(entity, monkeypatch):
    from dataclasses import replace

    monkeypatch.setitem(MANNERS, "sim-quill", Manners())
    monkeypatch.setitem(PROFILES, "sim-quill", replace(PROFILES["sim-quill"], unparsed=1.0))
    claims = [fact(entity, relation) for relation in WORLD.entities[entity].facts]
    for claim in claims:
        assert verify([claim], [claim]).text in ("hard to say", "[1] hard to say")
