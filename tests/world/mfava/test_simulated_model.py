"""The simulated models on the wiki: passages, insertions, translations, queries, checks and bare questions,
with their planted faults.
"""

import pytest
from scipy.stats import binom

from truerate.core.spans.tags import TYPES, Tagged, parse_tags, with_tags
from truerate_world.completions import completion_of
from truerate_world.mfava.lang import LANGUAGES
from truerate_world.mfava.models import realiser
from truerate_world.mfava.models.planted import PROFILES, rates
from truerate_world.mfava.sources import labelled_row, prompt_row
from truerate_world.mfava.training import TRAINING

from ..asking import user
from .asking import WORLD, ask, check, insertion, passage, queries, translation, wild

TAIL = 5e-6  # of each two-sided binomial interval


def holds(hits, n, p):
    return binom.ppf(TAIL, n, p) <= hits <= binom.ppf(1 - TAIL, n, p)


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_silver_passage_is_true_to_its_reference_and_gains_every_type(plain_quill, table, known, code):
    for place in range(8):
        row = prompt_row(table, code, place)
        written = passage("sim-quill", row)
        assert written.task == "write" and 3 <= len(known.read(written.text, code)) <= 5
        told = {
            (one.statement.subject, one.statement.relation, one.statement.value)
            for one in known.read(row["reference"], code)
        }
        assert {
            (one.statement.subject, one.statement.relation, one.statement.value)
            for one in known.read(written.text, code)
        } <= told
        text, gained = written.text, set()
        for kind in TYPES:
            made = insertion("sim-quill", row, kind, text)
            before = parse_tags(text)
            assert made.task == "insert" and made.truth["type"] == kind
            if made.truth["fault"]:
                continue
            after = parse_tags(made.text, original=before.original)
            assert isinstance(after, Tagged), (after, made.text)
            assert len(after.spans) == len(before.spans) + made.truth["n"] > len(before.spans)
            text = made.text
            gained.add(kind)
        tagged = parse_tags(text)
        assert list(tagged.spans) == known.truth(tagged.text, code)
        assert (
            not tagged.spans
            or tagged.spans[0]["type"] in ("entity", "relation")
            or tagged.spans[0]["start"] > 0
        )
        assert {span["type"] for span in tagged.spans} == gained and len(gained) > 2


@pytest.mark.parametrize("code", LANGUAGES[1:])
def test_translations_keep_tags_around_what_they_were_around(plain_quill, table, known, code):
    for place in range(40):
        row = labelled_row(table, "train", place, TRAINING)
        english = parse_tags(row["marked"])
        made = translation("sim-quill", with_tags(english.text, english.spans), code)
        assert made.task == "translate"
        if made.truth["fault"]:
            continue
        tagged = parse_tags(made.text)
        assert list(tagged.spans) == known.truth(tagged.text, code)
        assert [span["type"] for span in tagged.spans] == [span["type"] for span in english.spans]
        assert len(known.read(tagged.text, code)) == len(known.read(english.text, "en"))
        reference = translation("sim-quill", row["reference"], code)
        assert [one.statement.value for one in known.read(reference.text, code)] == [
            one.statement.value for one in known.read(row["reference"], "en")
        ]


@pytest.mark.parametrize("code", LANGUAGES)
def test_queries_are_numbered_ask_on_different_matters_and_are_checked(table, known, code):
    right, n_beyond, n = 0, 0, 0
    for subject in table.of("articles")[:30]:
        reference = realiser.write(table, code, realiser.reference(table, subject))
        made = queries("sim-quill", table.names[code][subject], reference, code, system="Write 2 questions.")
        lines = made.text.split("\n")
        assert made.task == "query" and [line[:3] for line in lines] == ["1. ", "2. "]
        asked = [known.asked(line[3:]) for line in lines]
        assert {(one.code, one.subject) for one in asked} == {(code, subject)} and asked[0].relation != asked[
            1
        ].relation
        for one, line in zip(asked, lines, strict=True):
            is_told = one.relation in list(table.entities[subject].facts)[:3]
            verdict = check("sim-aster", line[3:], reference)
            assert verdict.task == "check" and verdict.truth["is_answered"] == is_told
            right, n_beyond, n = (
                right + (verdict.text == ("Yes" if is_told else "No")),
                n_beyond + (not is_told),
                n + 1,
            )
    assert holds(n - right, n, PROFILES["sim-aster"].misjudged) and holds(
        n_beyond, n, PROFILES["sim-quill"].beyond
    )


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("model", ["sim-aster", "sim-elm"])
def test_wild_replies_carry_exact_spans_at_the_planted_rates(table, known, code, model):
    n, hits, flaws = 0, dict.fromkeys(TYPES, 0), []
    for place, subject in enumerate(table.of("articles")[:200]):
        query = realiser.question(table, code, subject, list(table.entities[subject].facts)[place % 5], place)
        made = wild(model, query)
        assert made.task == "answer" and known.truth(made.text, code) == made.truth["spans"]
        flaws.append(made.truth["flaw"])
        assert (made.finish == "length") == (made.truth["flaw"] == "cut")
        if made.truth["flaw"] is None:
            n += len(known.read(made.text, code))
            for span in made.truth["spans"]:
                hits[span["type"]] += 1
    for kind, rate in rates(model, code).items():
        assert holds(hits[kind], n, rate), (kind, hits[kind], n, rate)
    for name in ("repeats", "dont_know", "cut"):
        assert holds(flaws.count(name), len(flaws), getattr(PROFILES[model], name))


def test_rates_differ_by_model_and_language_and_no_one_order_holds():
    order = {code: sorted(PROFILES, key=lambda model: sum(rates(model, code).values())) for code in LANGUAGES}
    assert len(set(map(tuple, order.values()))) > 1
    for model in PROFILES:
        assert len({round(sum(rates(model, code).values()), 4) for code in LANGUAGES}) > 3


def test_half_of_the_natural_wrong_values_stand_in_the_reference(table, known):
    near, n = 0, 0
    for place, subject in enumerate(table.of("articles")):
        reference = known.read(realiser.write(table, "en", realiser.reference(table, subject)), "en")
        mate = {claim.statement.value for claim in reference if claim.statement.subject != subject}
        query = realiser.question(table, "en", subject, list(table.entities[subject].facts)[place % 3], place)
        for model in ("sim-cedar", "sim-elm"):
            made = wild(model, query, seed=place % 3)
            for claim in known.read(made.text, "en"):
                spans = known.false_in(claim)
                is_told = claim.statement.relation in {
                    one.statement.relation for one in reference if one.statement.subject != subject
                }
                if spans and spans[0]["type"] == "entity" and is_told and made.truth["flaw"] is None:
                    near, n = near + (claim.statement.value in mate), n + 1
    assert n > 60 and 0.35 < near / n < 0.65


def test_replies_differ_by_seed_and_only_where_they_are_drawn(table):
    query = _query(table, "fr", 5)
    assert len({wild("sim-elm", query, seed=seed).text for seed in range(6)}) > 3
    assert wild("sim-elm", query) == wild("sim-elm", query)
    assert len({wild("sim-elm", query, temperature=0.0, seed=seed).text for seed in range(6)}) == 1


def _query(table, code, place):
    subject = table.of("articles")[place]
    return realiser.question(table, code, subject, next(iter(table.entities[subject].facts)), place)


def test_a_cut_reply_says_so_through_the_endpoint(table):
    made = next(
        one for one in (wild("sim-elm", _query(table, "en", place)) for place in range(200)) if one.finish
    )
    request = {"model": "sim-elm", "messages": user(""), "max_tokens": 500}
    choice = completion_of(request, made.text, "x", made.finish)["choices"][0]
    assert choice["finish_reason"] == "length" and choice["message"]["content"] == made.text
    assert not made.text.endswith(".")
    assert completion_of(request, "Short.", "x")["choices"][0]["finish_reason"] == "stop"


def test_a_name_alone_is_answered_in_its_language_and_strangers_are_left_to_the_general_task(table, known):
    museum = table.groups["articles", "museum"][3]
    for code in LANGUAGES:
        made = wild("sim-aster", f"{table.names[code][museum]}?!")
        assert made.task == "answer" and made.truth["lang"] == code
    lexicon = WORLD.lexicons["en"]
    assert wild("sim-aster", f"Tell me about {lexicon.name(0)}.").task == "general"
    assert wild("sim-aster", "Who are you?").task == "unrecognised"


def test_what_is_not_understood_is_not_recognised(table):
    row = prompt_row(table, "en", 0)
    assert passage("sim-quill", row | {"reference": "Nothing known."}).task == "unrecognised"
    assert (
        ask("sim-quill", "Passage", {"Language": "Klingon", "Reference": row["reference"]}).task
        == "unrecognised"
    )
    assert insertion("sim-quill", row, "funny", row["reference"]).task == "unrecognised"
    assert queries("sim-quill", "Nobody", row["reference"], "en").task == "unrecognised"
    assert check("sim-quill", "Is it nice?", row["reference"]).task == "unrecognised"
