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


RAW = "I would rather write about <b>cheese</b>."


def test_a_reply_that_is_refused_again_and_again_closes_its_passage_and_every_raw_text_is_kept():
    drafts, rounds = run(
        lambda prompt, type_: ok(RAW if type_ == "relation" and "Arlo" in prompt else said(prompt))
    )
    # the passages, entity, relation for all and twice again for the two that were refused, then the two left
    assert [n for _, n in rounds] == [4, 4, 4, 2, 2, 2, 2, 2, 2]
    for draft in (one for one in drafts if one.is_closed):
        refused = draft.rows[-3:]
        assert [(row["text"], row["status"], row["reason"]) for row in refused] == [
            (RAW, "unparsed", "touched-tags")
        ] * 3
        assert [facts(row).get("try") for row in refused] == [None, "2", "3"]
        ends = [facts(row)["detail"].rpartition("; ")[2] for row in refused]
        assert ends == ["asked again", "asked again", "the passage is lost"]
        assert len({row["generation_id"] for row in draft.rows}) == len(draft.rows)


def test_a_second_try_is_another_draw_and_saves_the_passage():
    seeds = []

    def answered(asked, drafts, type_):
        if type_ == "relation":
            seeds.append({(one.request.params["seed"], one.request.sample_index) for one in asked})
        is_first = type_ == "relation" and len(seeds) == 1
        return [ok(RAW if is_first else said(one.request.messages[-1]["content"])) for one in asked]

    drafts = silver.run(FOUND, "m", settings(), answered, prompts_dir=None)
    assert seeds == [{(0, 0)}, {(1, 1)}] and not [draft for draft in drafts if draft.is_closed]
    assert all([row["status"] for row in draft.rows].count("unparsed") == 1 for draft in drafts)


def test_a_passage_that_is_none_is_asked_for_again_with_another_seed():
    seeds = []

    def answered(asked, drafts, type_):
        if type_ is None:
            seeds.append([one.request.params["seed"] for one in asked])
        is_none = type_ is None and len(seeds) < 3
        return [ok("" if is_none else said(one.request.messages[-1]["content"])) for one in asked]

    drafts = silver.run(FOUND, "m", settings(), answered, prompts_dir=None)
    assert seeds == [[0] * 4, [1] * 4, [2] * 4] and not [draft for draft in drafts if draft.is_closed]
    writes = [row for row in drafts[0].rows if row["purpose"] == "write"]
    assert [(row["reason"], facts(row).get("try")) for row in writes] == [
        ("empty", None),
        ("empty", "2"),
        (None, "3"),
    ]


def test_without_retries_the_first_refusal_closes():
    def answered(asked, drafts, type_):
        return [ok(RAW if type_ else said(one.request.messages[-1]["content"])) for one in asked]

    drafts = silver.run(FOUND, "m", settings(retries=0), answered, prompts_dir=None)
    assert {len(draft.rows) for draft in drafts} == {2} and all(draft.is_closed for draft in drafts)


def test_a_reply_that_never_came_is_dead():
    drafts, rounds = run(lambda prompt, type_: dead("timeout"))
    assert [n for _, n in rounds] == [4, 0, 0, 0, 0, 0, 0]
    assert {(draft.rows[-1]["status"], draft.rows[-1]["reason"]) for draft in drafts} == {("dead", "timeout")}


def test_a_writer_that_declines_to_insert_abstains_though_no_text_comes():
    drafts, rounds = run(lambda prompt, type_: dead("refusal") if type_ else ok(said(prompt)))
    assert [n for _, n in rounds] == [4, 4, 0, 0, 0, 0, 0]
    ends = {(draft.rows[-1]["status"], draft.rows[-1]["reason"]) for draft in drafts}
    assert ends == {("abstained", "refusal")}


@pytest.mark.parametrize(
    "reply",
    [
        "I'm sorry, but I cannot help with that request.",
        "I'm sorry, but I cannot answer.",
        "I'm sorry, but without a reference passage I cannot provide an answer.",
    ],
)
def test_a_writer_that_declines_to_write_gives_no_passage(reply):
    """Of the paper's 3,371 public passages ten say that they cannot answer: hallucinations were put into these."""
    drafts, rounds = run(lambda prompt, type_: ok(reply))
    assert [n for _, n in rounds] == [4, 0, 0, 0, 0, 0, 0] and all(draft.is_closed for draft in drafts)
    assert {(draft.rows[-1]["status"], draft.rows[-1]["reason"]) for draft in drafts} == {
        ("abstained", "refusal")
    }


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("#Passage#:", "empty"),
        ("Es tut mir leid, aber dabei kann ich nicht helfen.", "refusal"),
        ("A <invented>b</invented>.", "malformed"),
        ("A <b>c</b>.", "malformed"),
        ("A < b and c > d.", None),
    ],
)
def test_what_is_read_as_a_passage(text, reason):
    assert silver.read_passage(text, "en").reason == reason


def test_headings_and_fences_round_a_reply_are_not_part_of_it():
    assert silver.read_passage("#Passage#:\n<data-1a2b3c4d>\nArlo.\n</data-1a2b3c4d>", "en").text == "Arlo."
    read = silver.read_insertion(
        "#Tagged Passage#: Arlo. <subjective>Good.</subjective>", "Arlo.", "subjective", max_words=3
    )
    assert (read.status, read.text) == ("ok", "Arlo. <subjective>Good.</subjective>")


def test_what_a_plan_assumes_keeps_the_rules_of_all_rounds():
    def answered(asked, drafts, type_):
        return [ok(silver.assumed(draft, type_)) for draft in drafts]

    drafts = silver.run(FOUND, "m", settings(), answered, prompts_dir=None)
    assert not [draft for draft in drafts if draft.is_closed]


def test_a_replacement_longer_than_usual_is_taken_up_to_the_limit_and_told():
    long = "Arlo is a <entity><delete>town</delete><mark>very old small town</mark></entity>."
    read = silver.read_insertion(long, "Arlo is a town.", "entity", max_words=4)
    assert (read.status, read.text, read.attributes["n_words"]) == ("ok", long, "4")
    refused = silver.read_insertion(f"```\n{long}\n```", "Arlo is a town.", "entity", max_words=3)
    assert (refused.status, refused.reason) == ("unparsed", "too-long")  # also where it stands in a fence
    short = "Arlo is a <entity><delete>town</delete><mark>river</mark></entity>."
    assert "n_words" not in silver.read_insertion(short, "Arlo is a town.", "entity", max_words=3).attributes
