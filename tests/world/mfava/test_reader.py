"""What is written in any language is read back: every form, every value, exact offsets; what is not a form
says nothing.
"""

import pytest

from truerate_world.mfava.lang import DOMAINS, LANGUAGES, load
from truerate_world.mfava.models import realiser
from truerate_world.mfava.models.forms import INSERTED, STATING, forms
from truerate_world.mfava.models.reader import Asked, sentences
from truerate_world.mfava.models.realiser import Statement


def said_by(table, name, subject):
    """What a form says about a subject, with a value where it needs one."""
    if name.kind in STATING:
        return Statement(name, subject, table.fact(subject, name.shelf))
    if name.kind == "contradictory":
        return Statement(name, subject, list(table.entities[subject].facts.values())[name.number % 5])
    return Statement(name, subject, ("w", name.number) if name.kind == "invented" else None)


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_form_of_every_domain_is_read_back_with_its_spans(table, known, code):
    for domain in DOMAINS:
        for subject in table.groups["articles", domain][:3]:
            for name in forms(code, domain):
                if name.kind == "ask":
                    continue
                said = said_by(table, name, subject)
                made = realiser.line(table, code, said)
                [claim] = known.read(made.text, code)
                assert claim.statement.name == name and claim.statement.subject == subject, made.text
                assert (claim.start, claim.end, claim.value, claim.words) == (
                    0,
                    len(made.text),
                    made.value,
                    made.words,
                )
                if said.value and name.kind != "contradictory":
                    assert claim.statement.value == said.value, made.text


@pytest.mark.parametrize("code", LANGUAGES)
def test_questions_are_read_in_their_own_language(table, known, code):
    for domain, relations in DOMAINS.items():
        subject = table.groups["articles", domain][1]
        for relation in relations:
            for turn in range(4):
                query = realiser.question(table, code, subject, relation, turn)
                assert known.asked(f" {query}\n") == Asked(code, subject, relation), query
                assert known.named(query).subject == subject


@pytest.mark.parametrize("code", LANGUAGES)
def test_wrong_values_and_wrong_words_are_the_spans(table, known, code):
    subject = table.groups["articles", "town"][4]
    right = realiser.fact(table, subject, "t_founded", "key")
    value = realiser.wrong_value(table, subject, "t_founded", [], 0.0, "key")
    wrong = [right._replace(value=value), right._replace(name=right.name._replace(is_wrong=True)), right]
    text, spans = realiser.composed(table, code, wrong)
    assert known.truth(text, code) == spans and [span["type"] for span in spans] == ["entity", "relation"]
    assert text[spans[0]["start"] : spans[0]["end"]] == str(value[1])
    old, new = realiser.line(table, code, right), realiser.line(table, code, wrong[1])
    assert (
        text[spans[1]["start"] : spans[1]["end"]]
        == new.text[slice(*new.words)]
        != old.text[slice(*old.words)]
    )


@pytest.mark.parametrize("code", LANGUAGES)
def test_insertions_are_false_whole_with_their_end_mark(table, known, code):
    subject = table.of("silver")[9]
    said = [
        realiser.insertion(table, kind, shelf, subject, [], shelf)
        for shelf in ("training", "written", "natural")
        for kind in INSERTED
    ]
    text, spans = realiser.composed(table, code, said)
    assert known.truth(text, code) == spans and [span["type"] for span in spans] == list(INSERTED) * 3
    assert all(text[span["start"] : span["end"]].endswith(load(code).full_stop) for span in spans)


def test_what_is_no_form_says_nothing(table, known):
    name = table.names["en"][3]
    assert known.read(f"{name} is green. {name} was founded in", "en") == []
    assert (
        known.truth("", "en") == [] and known.language("") is None and known.asked(f"Is {name} nice?") is None
    )
    assert known.named("Who are you?") is None


def test_a_text_in_another_language_is_read_in_that_one(table, known):
    subject = table.of("articles")[2]
    said = [realiser.fact(table, subject, relation, "key") for relation in table.entities[subject].facts]
    said[0] = said[0]._replace(name=said[0].name._replace(is_wrong=True))
    text, spans = realiser.composed(table, "de", said)
    assert known.language(text, "fr") == "de" and known.truth(text, "fr") == spans and len(spans) == 1


def test_sentences_keep_their_end_mark_and_leave_the_unended_out():
    assert sentences("One. Two.  Thr", "en") == [(0, 4), (5, 9)]
    assert sentences("Lead.\n\n== Head ==\nOne. Two.", "en") == [(0, 5), (18, 22), (23, 27)]
    assert sentences("一。二。三", "zh") == [(0, 2), (2, 4)]
