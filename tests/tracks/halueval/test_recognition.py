"""Recognition: which texts are asked in which variant, and what replies become."""

import pytest

from truerate.core.schemas import Generation, Judgement, validate
from truerate.llm.generation import facts, generations
from truerate.tracks.halueval import recognition, refinement
from truerate.tracks.halueval.recognition import Target, judgements

from .builders import context, dead, ok, prompter

FOUND = {
    "i1": context(item_id="i1"),
    "i2": context("summarization", "i2"),
    "i3": context("general", "i3"),
    "i4": context("dialogue", "i4"),
}
TARGETS = [
    Target("h1", "i1", "Porto", "p1", True),
    Target("r1", "i1", "Lisbon", "p1", False),
    Target("h2", "i2", "Porto.", "p2", True),
    Target("g3", "i3", "Who knows"),
]


def asked(**changes):
    return recognition.requests(
        TARGETS, FOUND, "judge", prompter(**changes), knowledge={"i1": "K", "i2": "K"}
    )


def test_variants_per_task():
    kinds = [(question.attributes["variant"], question.attributes["task"]) for question in asked()]
    assert {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)} == {
        ("plain", "qa"): 2,
        ("plain", "summarization"): 1,
        ("plain", "general"): 1,
        ("knowledge", "qa"): 2,  # never for summaries, and only where there is knowledge
        ("chain-of-thought", "qa"): 2,
        ("chain-of-thought", "summarization"): 1,
        ("chain-of-thought", "general"): 1,
        ("contrast", "qa"): 2,  # both orders of the one pair with two sides
    }
    params = [question.request.params for question in asked()]
    assert all(of["temperature"] == 0 and "seed" not in of for of in params)


def judge(reply, *, variant="plain", index=0):
    question = asked(variants=(variant,))[index]
    generated, judged = recognition.collect([question], [reply], version="judge@1")
    validate(Generation, generations(generated), where="made")
    validate(Judgement, judgements(judged), where="judged")
    return judged


@pytest.mark.parametrize(
    ("text", "verdict"), [("Yes", True), ("No.", False), ("#Your Judgement#: yes", True)]
)
def test_verdicts(text, verdict):
    row = judge(ok(text))[0]
    assert (row["verdict"], row["status"], row["target_id"], row["rationale"]) == (verdict, "ok", "h1", None)
    assert facts(row) == {"variant": "plain"}


@pytest.mark.parametrize(("text", "reason"), [("Maybe", "absent"), ("Yes and No", "ambiguous")])
def test_unparsed(text, reason):
    row = judge(ok(text))[0]
    assert (row["verdict"], row["status"], row["reason"]) == (None, "unparsed", reason)


def test_chain_of_thought_keeps_its_reasons_and_counts_the_last_line():
    text = "No capital is named Porto.\n#Your Judgement#: Yes"
    row = judge(ok(text), variant="chain-of-thought")[0]
    assert (row["verdict"], row["rationale"]) == (True, text)


def test_contrast_judges_both_sides():
    # in the first order the right side stands first
    rows = {row["target_id"]: row["verdict"] for row in judge(ok("Answer 2"), variant="contrast")}
    assert rows == {"h1": True, "r1": False}
    rows = {row["target_id"]: row["verdict"] for row in judge(ok("Answer 2"), variant="contrast", index=1)}
    assert rows == {"h1": False, "r1": True}
    assert {row["verdict"] for row in judge(ok("both"), variant="contrast")} == {None}


def test_a_rewriting_that_changes_nothing_is_the_text_as_it_was():
    asked = refinement.requests(TARGETS, FOUND, "judge", prompter(), knowledge={"i1": "K"})
    before = {question.target_id: question.text for question in TARGETS}[asked[0].attributes["sample"]]
    for answer in ("The answer is already correct.", before, f"#Refined Answer#: {before}"):
        row = refinement.collect(asked[:1], [ok(answer)], TARGETS)[0]
        assert (row["status"], row["text"], facts(row)["outcome"]) == ("ok", before, "unchanged")
    row = refinement.collect(asked[:1], [ok("I'm sorry, I can't help with that.")], TARGETS)[0]
    assert (row["status"], row["reason"]) == ("abstained", "refusal")


def test_refinement_rewrites_what_plain_flagged_and_judges_it_again():
    rows = judge(ok("Yes")) + judge(ok("Yes"), variant="chain-of-thought", index=1) + judge(ok("No"), index=1)
    assert refinement.flagged(rows) == {"h1"}
    asked_again = refinement.requests(TARGETS, FOUND, "judge", prompter(), knowledge={"i1": "K", "i3": "K"})
    assert [question.attributes["sample"] for question in asked_again] == ["h1", "r1", "h2", "g3"]
    last = ok("#Refined Response#: Nobody knows.")
    declined = refinement.collect(
        asked_again, [ok("Refused"), dead("refusal"), dead("length"), last], TARGETS
    )
    assert [row["status"] for row in declined] == ["abstained", "abstained", "dead", "ok"]
    replies = [ok("#Refined Answer#: Lisbon"), ok(" "), dead("timeout"), last]
    refined = refinement.collect(asked_again, replies, TARGETS)
    assert [(row["status"], row["text"]) for row in refined] == [
        ("ok", "Lisbon"),
        ("unparsed", " "),
        ("dead", ""),
        ("ok", "Nobody knows."),
    ]
    next_asked = refinement.judging_requests(refined, FOUND, "judge", prompter())
    assert [question.attributes["sample"] for question in next_asked] == ["h1", "g3"]
    judged = recognition.collect(next_asked[:1], [ok("No")], version="judge@1")[1][0]
    assert facts(judged) == {"sample": "h1", "stage": "refined", "variant": "plain"}
    assert judged["target_id"] == refined[0]["generation_id"]
    elsewhere = refinement.judging_requests(refined, FOUND, "other", prompter())
    judged = recognition.collect(elsewhere[:1], [ok("Yes")], version="other@1")[1][0]
    assert facts(judged) == {"refined_by": "judge", "sample": "h1", "stage": "refined", "variant": "plain"}
    assert (judged["judge"], judged["verdict"]) == ("other", True)
