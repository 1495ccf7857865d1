"""Detection and localization: who is asked what, and what is read of it."""

from collections import Counter
from functools import partial

from truerate.core.schemas import pairs
from truerate.llm.generation import facts
from truerate.tracks.halludial import detecting
from truerate.tracks.halludial.detecting import Target, judgements, located_of, requests
from truerate.tracks.halludial.prompting import DETECT, LOCATE

from .made import context, ok, questions, rows

FOUND = {"i0": context()}
TARGETS = [Target("t1", "i0", "It is Porto."), Target("t2", "i0", "It is Lisbon.")]
TEXTS = {target.target_id: target.text for target in TARGETS}


def said(purpose: str, *replies: str) -> list[dict]:
    asked = requests(purpose, TARGETS, FOUND, "judge", questions())
    read = partial(detecting.read, texts=TEXTS, contexts=FOUND)
    return judgements(rows(asked, [ok(reply) for reply in replies], read), "v")


def test_only_texts_of_test_dialogues_are_judged():
    samples = [
        {
            "sample_id": name,
            "item_id": "i0",
            "text": "",
            "split": split,
            "is_hallucinated": True,
            "attributes": pairs(scenario="induced"),
        }
        for name, split in (("b", "test"), ("a", "train"))
    ]
    assert [target.target_id for target in detecting.targets(samples)] == ["b"]


def test_a_larger_number_keeps_those_that_are_located():
    many = [Target(f"t{n}", "i0", "") for n in range(20)]
    few, more = located_of(many, 3, 7), located_of(many, 9, 7)
    assert len(few) == 3 and set(few) < set(more)


def test_each_stratum_has_its_share_of_what_is_located():
    many = [Target(f"t{n}", "i0", "", ("spontaneous", "", str(n % 4 == 0))) for n in range(40)]
    for n in (8, 20):
        assert Counter(target.stratum[-1] for target in located_of(many, n, 7)) == {
            "True": n // 4,
            "False": 3 * n // 4,
        }


def test_a_verdict_alone_and_a_located_one():
    assert [(one["verdict"], one["spans"]) for one in said(DETECT, "Yes", "No")] == [(True, []), (False, [])]
    first, second = said(LOCATE, 'Yes. The segment "Porto" is wrong.', "No. It holds.")
    assert [span["start"] for span in first["spans"]] == [6] and first["rationale"].endswith("wrong.")
    assert (second["verdict"], second["rationale"]) == (False, "It holds.")
    assert (facts(first)["variant"], facts(said(DETECT, "Yes", "No")[0])["variant"]) == (
        "three-shot",
        "zero-shot",
    )


def test_a_reply_without_a_verdict_is_counted_and_has_none():
    first = said(DETECT, "Hard to say.", "No")[0]
    assert (first["verdict"], first["status"]) == (None, "unparsed")


def test_the_prompt_of_a_located_verdict_shows_three_demonstrations():
    system = requests(LOCATE, TARGETS[:1], FOUND, "judge", questions())[0].request.messages[0]
    assert system["content"].count("#Judgement And Reason#: ") == 3
