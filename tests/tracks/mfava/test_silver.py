"""Passages under way: rounds, what each shows its writer, what closes a draft, and the rules of one
insertion.
"""

import pytest

from truerate.core.spans.tags import TYPES
from truerate.llm.generation import facts
from truerate.tracks.mfava import silver
from truerate.tracks.mfava.context import contexts

from .tiny_wiki import dead, fields, ok, prompter, source, writer_reply

TABLES = source()
FOUND = [passage for passage in contexts(TABLES.items, TABLES.documents).values() if passage.task == "silver"]
RAW = "I would rather write about <b>cheese</b>."


def run(answer, contexts=FOUND, **changes):
    """All drafts after all rounds, and of each round its type, size and seeds."""
    rounds = []

    def answered(asked, drafts, type_):
        rounds.append((type_, len(asked), {question.request.params["seed"] for question in asked}))
        return [answer(question.request.messages[-1]["content"], type_, len(rounds)) for question in asked]

    return silver.run(contexts, "m", prompter(**changes), answered), rounds


def sizes(rounds) -> list[int]:
    return [n for _, n, _ in rounds]


def ends(drafts) -> set[tuple]:
    return {(draft.rows[-1]["status"], draft.rows[-1]["reason"]) for draft in drafts}


def test_a_round_per_type_over_all_open_passages():
    drafts, rounds = run(lambda prompt, *_: ok(writer_reply(prompt)))
    assert [asked_round[:2] for asked_round in rounds] == [(type_, 4) for type_ in (None, *TYPES)]
    assert not any(draft.is_closed for draft in drafts)
    assert all([row["purpose"] for row in draft.rows] == ["write"] + ["insert"] * 6 for draft in drafts)
    assert all([facts(row).get("type") for row in draft.rows] == [None, *TYPES] for draft in drafts)
    english = next(draft for draft in drafts if draft.context.lang == "en")
    assert english.marked.count("</") == 6 + 2 * 2  # six elements; two of them hold a deleted and a new piece


def test_only_the_writers_of_two_types_see_the_reference():
    shown = {}
    run(
        lambda prompt, type_, _: (shown.setdefault(type_, fields(prompt)[0]), ok(writer_reply(prompt)))[1],
        FOUND[:1],
    )
    referred = {type_ for type_, given in shown.items() if "Reference" in given}
    assert referred == {None, "contradictory", "unverifiable"}
    assert all(given["Subject"] == "Arlo" for type_, given in shown.items() if type_)
    assert shown[None]["Language"] == "English" and shown["relation"]["Passage"].count("<entity>") == 1


def test_a_reply_that_is_refused_again_and_again_closes_its_passage_and_every_raw_text_is_kept():
    drafts, rounds = run(
        lambda prompt, type_, _: ok(RAW if type_ == "relation" and "Arlo" in prompt else writer_reply(prompt))
    )
    # the passages, entity, relation for all and twice again for the two that were refused, then the two left
    assert sizes(rounds) == [4, 4, 4, 2, 2, 2, 2, 2, 2]
    for draft in (draft for draft in drafts if draft.is_closed):
        refused = [(row["text"], row["status"], row["reason"]) for row in draft.rows[-3:]]
        assert refused == [(RAW, "unparsed", "touched-tags")] * 3
        columns = [facts(row) for row in draft.rows[-3:]]
        assert [row_facts.get("try") for row_facts in columns] == [None, "2", "3"]
        last = [row_facts["detail"].rpartition("; ")[2] for row_facts in columns]
        assert last == ["asked again", "asked again", "the passage is lost"]
        assert len({row["generation_id"] for row in draft.rows}) == len(draft.rows)


@pytest.mark.parametrize(("type_", "bad", "reason"), [("relation", RAW, "touched-tags"), (None, "", "empty")])
def test_a_second_try_is_another_draw_and_saves_the_passage(type_, bad, reason):
    is_first = {}
    drafts, rounds = run(
        lambda prompt, kind, number: ok(
            bad if kind == type_ and is_first.setdefault(kind, number) == number else writer_reply(prompt)
        )
    )
    assert [seeds for kind, _, seeds in rounds if kind == type_] == [{0}, {1}]
    assert not any(draft.is_closed for draft in drafts)
    refused = [[row["reason"] for row in draft.rows if row["status"] == "unparsed"] for draft in drafts]
    assert refused == [[reason]] * 4


def test_without_retries_the_first_refusal_closes():
    drafts, _ = run(lambda prompt, type_, _: ok(RAW if type_ else writer_reply(prompt)), retries=0)
    assert {len(draft.rows) for draft in drafts} == {2} and all(draft.is_closed for draft in drafts)


@pytest.mark.parametrize(
    ("answer", "rounds", "end"),
    [
        (lambda prompt, type_, _: dead("timeout"), [4], ("dead", "timeout")),
        (lambda prompt, type_, _: dead("refusal") if type_ else ok(writer_reply(prompt)), [4, 4], ("abstained", "refusal")),
        # of the paper's 3,371 public passages ten say that they cannot answer: hallucinations were put into
        # these
        (lambda *_: ok("I'm sorry, but I cannot help with that request."), [4], ("abstained", "refusal")),
        (lambda *_: ok("I'm sorry, but I cannot answer."), [4], ("abstained", "refusal")),
        (lambda *_: ok("Sorry, without a reference passage I cannot provide an answer."), [4], ("abstained", "refusal")),
    ],
)  # fmt: skip
def test_a_reply_that_never_came_or_declines_closes_at_once(answer, rounds, end):
    drafts, asked = run(answer)
    assert sizes(asked) == rounds + [0] * (7 - len(rounds)) and all(draft.is_closed for draft in drafts)
    assert ends(drafts) == {end}


def test_what_a_plan_assumes_keeps_the_rules_of_all_rounds():
    drafts = silver.run(
        FOUND,
        "m",
        prompter(),
        lambda asked, drafts, type_: [ok(silver.assumed(draft, type_)) for draft in drafts],
    )
    assert not any(draft.is_closed for draft in drafts)


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


# ---- one insertion -----------------------------------------------------------------------------------------

WHOLE = "<relation><delete>was founded in 1204</delete><mark>fell</mark></relation>"
TOWN = "Arlo is a town. It was founded in 1204."
ENTITY = "Arlo is a town. It was founded in <entity><delete>1204</delete><mark>1999</mark></entity>."
CHINESE = "阿洛是一座城市。它建于1204年。"
CASES = [
    (None, ENTITY, TOWN, "entity"),
    (None, f"{ENTITY} <contradictory>It has no name.</contradictory>", ENTITY, "contradictory"),
    (None, f"Arlo is a town. <invented>It flies.</invented>{ENTITY[15:]}", ENTITY, "invented"),
    (None, "Arlo is a town.\n<invented>It flies.</invented>\nIt was founded in 1204.\n", TOWN, "invented"),
    (None, CHINESE.replace("1204年", "<entity><delete>1204年</delete><mark>1999年</mark></entity>"), CHINESE, "entity"),
    (None, CHINESE.replace("它", "<invented>它会飞。</invented>它"), CHINESE, "invented"),
    ("empty", "  ", TOWN, "entity"),
    ("malformed", "Arlo is a <entity>town. It was founded in 1204.", TOWN, "entity"),
    # not asked for yet
    ("malformed", "Arlo is a town. <subjective>So nice.</subjective> It was founded in 1204.", TOWN, "entity"),
    ("empty-span", "Arlo is a town. <invented> </invented>It was founded in 1204.", TOWN, "invented"),
    ("altered", "Arlo was a town. <invented>It flies.</invented> It was founded in 1204.", TOWN, "invented"),
    # a tagged sentence has moved
    ("altered", f"{ENTITY[16:]} Arlo is a town. <invented>It flies.</invented>", ENTITY, "invented"),
    ("touched-tags", "Arlo is a town. It was founded in 1999. <invented>It flies.</invented>", ENTITY, "invented"),
    ("touched-tags", ENTITY.replace("1999", "1998") + " <invented>It flies.</invented>", ENTITY, "invented"),
    ("touched-tags", ENTITY.replace("1999", "<relation><mark>1999</mark></relation>"), ENTITY, "relation"),
    # an insertion around an earlier one
    ("malformed", f"<contradictory>Not so: {ENTITY}</contradictory>", ENTITY, "contradictory"),
    ("nothing-inserted", ENTITY, ENTITY, "relation"),
    ("not-replaced", "Arlo is a town. It was founded in 1204 <entity>by Bend</entity>.", TOWN, "entity"),
    ("not-replaced", "Arlo is a town. It was founded in <entity><delete>1204</delete><mark>1204</mark></entity>.", TOWN, "entity"),
    ("too-long", TOWN.replace("1204", "<entity><delete>1204</delete><mark>the year of snow</mark></entity>"), TOWN, "entity"),
    ("too-long", TOWN.replace("was founded in 1204", WHOLE), TOWN, "relation"),
    ("invented-first", f"<invented>It flies.</invented> {TOWN}", TOWN, "invented"),
    ("invented-first", "Arlo is <invented>made of cake and</invented> a town. It was founded in 1204.", TOWN, "invented"),
    ("invented-first", f"<invented>它会飞。</invented>{CHINESE}", CHINESE, "invented"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("expected", "reply", "before", "type_"), CASES, ids=[f"{case[0]}-{k}" for k, case in enumerate(CASES)]
)
def test_an_insertion_is_taken_or_refused_with_its_reason(expected, reply, before, type_):
    refused = silver.refusal_of(reply, before=before, type_=type_, max_words=3)
    assert (refused and refused.reason) == expected


def test_every_reason_has_an_example():
    assert {case[0] for case in CASES} - {None} == set(silver.REASONS)


def test_words_of_scripts_without_spaces():
    # four characters are a word: 4 → 1, 5 → 2, 12 → 3, 13 → 4; a number beside them is one more
    assert [silver.n_words("城" * n) for n in (4, 5, 12, 13)] == [1, 2, 3, 4]
    assert [silver.n_words(text) for text in ("1204年", "three small words", "")] == [2, 3, 0]


def test_headings_and_fences_round_a_reply_are_not_part_of_it():
    assert silver.read_passage("#Passage#:\n<data-1a2b3c4d>\nArlo.\n</data-1a2b3c4d>", "en").text == "Arlo."
    reply = "#Tagged Passage#: Arlo. <subjective>Good.</subjective>"
    read = silver.read_insertion(reply, "Arlo.", "subjective", max_words=3)
    assert (read.status, read.text) == ("ok", "Arlo. <subjective>Good.</subjective>")


def test_a_replacement_longer_than_usual_is_taken_up_to_the_limit_and_noted():
    long, short = (
        f"Arlo is a <entity><delete>town</delete><mark>{new}</mark></entity>."
        for new in ("very old small town", "river")
    )
    read = silver.read_insertion(long, "Arlo is a town.", "entity", max_words=4)
    assert (read.status, read.text, read.attributes["n_words"]) == ("ok", long, "4")
    refused = silver.read_insertion(f"```\n{long}\n```", "Arlo is a town.", "entity", max_words=3)
    assert (refused.status, refused.reason) == ("unparsed", "too-long")  # also where it stands in a fence
    assert "n_words" not in silver.read_insertion(short, "Arlo is a town.", "entity", max_words=3).attributes
