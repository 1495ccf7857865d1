"""Passages under way: rounds, what each shows its writer, and what closes a draft."""

import pytest

from truerate.core.tags import TYPES
from truerate.llm.generation import facts
from truerate.tracks.mfava import silver
from truerate.tracks.mfava.context import contexts

from .tiny_wiki import dead, fields, ok, said, settings, source

TABLES = source()
FOUND = [one for one in contexts(TABLES.items, TABLES.documents).values() if one.task == "silver"]


def run(answer, found=FOUND):
    rounds = []

    def answered(asked, drafts, type_):
        rounds.append((type_, len(asked)))
        return [answer(one.request.messages[-1]["content"], type_) for one in asked]

    return silver.run(found, "m", settings(), answered, prompts_dir=None), rounds


def test_a_round_per_type_over_all_open_passages():
    drafts, rounds = run(lambda prompt, type_: ok(said(prompt)))
    assert rounds == [(type_, 4) for type_ in (None, *TYPES)]
    assert all(
        [row["purpose"] for row in draft.rows] == ["write"] + ["insert"] * 6 and not draft.is_closed
        for draft in drafts
    )
    assert all([facts(row).get("type") for row in draft.rows] == [None, *TYPES] for draft in drafts)
    english = next(draft for draft in drafts if draft.context.lang == "en")
    assert english.marked.count("</") == 6 + 2 * 2  # six elements; two of them hold a deleted and a new piece


def test_only_the_writers_of_two_types_see_the_reference():
    shown = {}
    run(lambda prompt, type_: (shown.setdefault(type_, fields(prompt)[0]), ok(said(prompt)))[1], FOUND[:1])
    assert {type_ for type_, given in shown.items() if "Reference" in given} == {
        None,
        "contradictory",
        "unverifiable",
    }
    assert all(given["Subject"] == "Arlo" for type_, given in shown.items() if type_)
    assert shown[None]["Language"] == "English" and shown["relation"]["Passage"].count("<entity>") == 1


def test_a_refused_reply_closes_its_passage_and_keeps_the_raw_text():
    raw = "I would rather write about <b>cheese</b>."
    drafts, rounds = run(
        lambda prompt, type_: ok(raw if type_ == "relation" and "Arlo" in prompt else said(prompt))
    )
    assert [n for _, n in rounds] == [4, 4, 4, 2, 2, 2, 2]
    closed = [draft.rows[-1] for draft in drafts if draft.is_closed]
    assert [(row["text"], row["status"], row["reason"]) for row in closed] == [
        (raw, "unparsed", "touched-tags")
    ] * 2
    assert "earlier tags" in facts(closed[0])["detail"]


def test_a_reply_that_never_came_is_dead():
    drafts, rounds = run(lambda prompt, type_: dead("timeout"))
    assert [n for _, n in rounds] == [4, 0, 0, 0, 0, 0, 0]
    assert {(draft.rows[-1]["status"], draft.rows[-1]["reason"]) for draft in drafts} == {("dead", "timeout")}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("#Passage#:", "empty"),
        ("A <invented>b</invented>.", "malformed"),
        ("A <b>c</b>.", "malformed"),
        ("A < b and c > d.", None),
    ],
)
def test_what_is_read_as_a_passage(text, reason):
    assert silver.read_passage(text).reason == reason


def test_headings_and_fences_round_a_reply_are_not_part_of_it():
    assert silver.read_passage("#Passage#:\n<data-1a2b3c4d>\nArlo.\n</data-1a2b3c4d>").text == "Arlo."
    read = silver.read_insertion(
        "#Tagged Passage#: Arlo. <subjective>Good.</subjective>", "Arlo.", "subjective"
    )
    assert (read.status, read.text) == ("ok", "Arlo. <subjective>Good.</subjective>")


def test_what_a_plan_assumes_keeps_the_rules_of_all_rounds():
    def answered(asked, drafts, type_):
        return [ok(silver.assumed(draft, type_)) for draft in drafts]

    drafts = silver.run(FOUND, "m", settings(), answered, prompts_dir=None)
    assert not [draft for draft in drafts if draft.is_closed]
