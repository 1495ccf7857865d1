"""What is written in any language is read back: every form, every value, exact offsets; what is not a form
says nothing.
"""

import pytest

from truerate_world.mfava.lang import DOMAINS, LANGUAGES, load
from truerate_world.mfava.models import realiser
from truerate_world.mfava.models.forms import INSERTED, STATING, forms
from truerate_world.mfava.models.reader import Asked, sentences
from truerate_world.mfava.models.realiser import Said


def said_by(atlas, name, subject):
    """What a form says about a subject, with a value where it needs one."""
    if name.kind in STATING:
        return Said(name, subject, atlas.fact(subject, name.shelf))
    if name.kind == "contradictory":
        return Said(name, subject, list(atlas.entities[subject].facts.values())[name.place % 5])
    return Said(name, subject, ("w", name.place) if name.kind == "invented" else None)


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_form_of_every_domain_is_read_back_with_its_spans(atlas, known, code):
    for domain in DOMAINS:
        for subject in atlas.groups["articles", domain][:3]:
            for name in forms(code, domain):
                if name.kind == "ask":
                    continue
                said = said_by(atlas, name, subject)
                made = realiser.line(atlas, code, said)
                [claim] = known.read(made.text, code)
                assert claim.said.name == name and claim.said.subject == subject, made.text
                assert (claim.start, claim.end, claim.value, claim.words) == (
                    0,
                    len(made.text),
                    made.value,
                    made.words,
                )
                if said.value and name.kind != "contradictory":
                    assert claim.said.value == said.value, made.text


@pytest.mark.parametrize("code", LANGUAGES)
def test_questions_are_read_in_their_own_language(atlas, known, code):
    for domain, relations in DOMAINS.items():
        subject = atlas.groups["articles", domain][1]
        for relation in relations:
            for turn in range(4):
                query = realiser.question(atlas, code, subject, relation, turn)
                assert known.asked(f" {query}\n") == Asked(code, subject, relation), query
                assert known.named(query).subject == subject


@pytest.mark.parametrize("code", LANGUAGES)
def test_wrong_values_and_wrong_words_are_the_spans(atlas, known, code):
    subject = atlas.groups["articles", "town"][4]
    right = realiser.fact(atlas, subject, "t_founded", "key")
    value = realiser.wrong_value(atlas, subject, "t_founded", [], 0.0, "key")
    wrong = [right._replace(value=value), right._replace(name=right.name._replace(is_wrong=True)), right]
    text, spans = realiser.composed(atlas, code, wrong)
    assert known.truth(text, code) == spans and [span["type"] for span in spans] == ["entity", "relation"]
    assert text[spans[0]["start"] : spans[0]["end"]] == str(value[1])
    old, new = realiser.line(atlas, code, right), realiser.line(atlas, code, wrong[1])
    assert (
        text[spans[1]["start"] : spans[1]["end"]]
        == new.text[slice(*new.words)]
        != old.text[slice(*old.words)]
    )


@pytest.mark.parametrize("code", LANGUAGES)
def test_insertions_are_false_whole_with_their_end_mark(atlas, known, code):
    subject = atlas.of("silver")[9]
    said = [
        realiser.insertion(atlas, kind, shelf, subject, [], shelf)
        for shelf in ("taught", "written", "natural")
        for kind in INSERTED
    ]
    text, spans = realiser.composed(atlas, code, said)
    assert known.truth(text, code) == spans and [span["type"] for span in spans] == list(INSERTED) * 3
    assert all(text[span["start"] : span["end"]].endswith(load(code).FULL_STOP) for span in spans)


def test_what_is_no_form_says_nothing(atlas, known):
    name = atlas.names["en"][3]
    assert known.read(f"{name} is green. {name} was founded in", "en") == []
    assert (
        known.truth("", "en") == [] and known.language("") is None and known.asked(f"Is {name} nice?") is None
    )
    assert known.named("Who are you?") is None


def test_a_text_in_another_language_is_read_in_that_one(atlas, known):
    subject = atlas.of("articles")[2]
    said = [realiser.fact(atlas, subject, relation, "key") for relation in atlas.entities[subject].facts]
    said[0] = said[0]._replace(name=said[0].name._replace(is_wrong=True))
    text, spans = realiser.composed(atlas, "de", said)
    assert known.language(text, "fr") == "de" and known.truth(text, "fr") == spans and len(spans) == 1


def test_sentences_keep_their_end_mark_and_leave_the_unended_out():
    assert sentences("One. Two.  Thr", "en") == [(0, 4), (5, 9)]
    assert sentences("Lead.\n\n== Head ==\nOne. Two.", "en") == [(0, 5), (18, 22), (23, 27)]
    assert sentences("一。二。三", "zh") == [(0, 2), (2, 4)]
