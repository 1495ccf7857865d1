"""Induced and matched texts: what is asked and the rules that a text breaks; samples out of replies, and what
is rejected.
"""

import pytest

from truerate.core.schemas import Sample, frame, validate
from truerate.llm.generation import facts, generation
from truerate.tracks.halludial import silver
from truerate.tracks.halludial.context import side_by_sample, side_of

from .rows_by_hand import RIGHT, annotated, context, dead, questions, response, row, settings

CONTEXTS = {"i0": context(), "i1": context("i1", group_id="other")}


def induced(text: str, segment: str = "Porto"):
    read = silver.read_induced(f'{text}\n#Segment#: "{segment}"\n#Rationale#: It is Lisbon.', RIGHT, 6)
    return read, silver.broken({name: value for name, value in read.attributes.items() if value})


def test_both_kinds_and_the_paraphrase_are_asked_of_each_turn_with_a_reference():
    asked = silver.induce_requests([context(), context("i1", right_answer=None)], "writer", questions())
    kinds = [("induce", "factuality"), ("induce", "faithfulness"), ("match", "matched")]
    assert [(question.item_id, question.purpose, question.attributes["kind"]) for question in asked] == [
        ("i0", *kind) for kind in kinds
    ]
    assert asked[0].request.messages[-1]["content"].endswith("#Kind#: factuality\n#Induced Response#:")
    # a refusal in a field of its own
    assert {generation(question, dead("refusal"))["status"] for question in asked} == {"abstained"}


@pytest.mark.parametrize(
    ("text", "segment", "reasons"),
    [
        ("It is Porto, on the Tagus.", "Porto", []),
        ("It is Porto, on the Tagus, a b c d e f.", "Porto", []),  # six words more are allowed
        ("It is Porto, on the Tagus, as every one of us has always known well.", "Porto", ["too-long"]),  # 14, the right one 6
        ("It is Lisbon, on the Tagus!", "Lisbon", ["right-restated"]),
        ("It is Braga, on the Tagus.", "Porto", ["not-located"]),
    ],
)  # fmt: skip
def test_an_induced_response_keeps_its_segment_its_reason_and_the_rules_that_it_breaks(
    text, segment, reasons
):
    read, broken = induced(text, segment)
    assert (read.status, read.text, broken) == ("ok", text, reasons)
    assert read.attributes["rationale"] == "It is Lisbon."
    assert (read.attributes["segments"] is None) == ("not-located" in reasons)


def test_a_paraphrase_that_is_the_right_response_is_noted_and_a_refusal_abstains():
    texts = ("it is lisbon on the Tagus", "On the Tagus: Lisbon.")
    assert [silver.read_matched(text, RIGHT, 6).attributes["unchanged"] for text in texts] == ["yes", None]
    assert silver.read_induced("Refused", RIGHT, 6).status == "abstained"


# ---- samples -----------------------------------------------------------------------------------------------


def written(kind: str, text: str = "It is Porto.", **attributes) -> dict:
    purpose = "match" if kind == "matched" else "induce"
    return row(purpose, f"w-{kind}", text, model="writer", kind=kind, **attributes)


TURN = [written("factuality", segments="6-11", rationale="No."), written("faithfulness"), written("matched")]


def built(rows, **changes):
    samples, dropped = silver.samples(rows, CONTEXTS, settings(**changes))
    validate(Sample, frame(Sample, samples), where="samples")
    return samples, dropped


def test_a_response_and_its_annotation_are_a_sample_of_the_responses_id():
    (sample,), _ = built([response("r"), annotated("r", 'Yes. "Lisbon" is.', "yes", segments="6-12")])
    assert (sample["sample_id"], sample["is_hallucinated"], sample["generator"]) == ("r", True, "gen")
    assert sample["spans"] == [{"start": 6, "end": 12, "type": "unspecified", "p": None}]
    assert (sample["rationale"], sample["pattern"]) == ('"Lisbon" is.', None)
    assert facts(sample)["scenario"] == "spontaneous"


@pytest.mark.parametrize("columns", [{"history": "self"}, {"temperature": "0.5"}, {"status": "dead"}])
def test_other_responses_are_no_samples(columns):
    assert built([response("r", **columns), annotated("r")]) == ([], [])


@pytest.mark.parametrize(
    ("annotation", "why"),
    [
        (annotated("other"), "no annotation"),
        (annotated("r", status="unparsed", reason="absent"), "unparsed: absent"),
    ],
)
def test_a_response_without_an_annotation_is_a_reject(annotation, why):
    samples, dropped = built([response("r"), annotation])
    assert samples == [] and [(row["reason"], row["detail"]) for row in dropped] == [
        ("unread-annotation", why)
    ]


def test_of_two_replies_to_one_question_the_one_that_stands_counts():
    first = annotated("r", status="unparsed", reason="absent", reasked="yes") | {"generation_id": "first"}
    assert len(built([response("r"), first, annotated("r")])[0]) == 1


def test_a_turn_gives_the_reference_two_wrong_responses_and_a_paraphrase():
    samples, dropped = built(TURN)
    actual = {
        facts(row)["kind"]: (row["is_hallucinated"], row["generator"], row["pattern"]) for row in samples
    }
    assert dropped == [] and actual == {
        "reference": (False, None, None),
        "factuality": (True, "writer", "factuality"),
        "faithfulness": (True, "writer", "faithfulness"),
        "matched": (False, "writer", None),
    }
    pairs: dict[str, set] = {}
    for sample in samples:
        pairs.setdefault(sample["pair_id"], set()).add(facts(sample)["kind"])
    assert sorted(map(sorted, pairs.values())) == [["factuality", "reference"], ["faithfulness", "matched"]]
    assert built(TURN[2:])[0] == []  # a paraphrase alone makes no reference


def test_a_broken_turn_is_kept_or_goes_whole():
    rows = [TURN[0], written("faithfulness", too_long="yes"), TURN[2]]
    assert len(built(rows)[0]) == 4
    samples, dropped = built(rows, on_broken="reject")
    reasons = {"w-factuality": "turn-rejected", "w-faithfulness": "too-long", "w-matched": "turn-rejected"}
    assert samples == [] and {row["target_id"]: row["reason"] for row in dropped} == reasons
    # with one induced response it is whole only where broken ones are kept
    assert len(built(TURN[:1])[0]) == 2 and built(TURN[:1], on_broken="reject")[0] == []


def test_all_texts_of_a_dialogue_are_on_one_side_and_the_published_split_is_by_text():
    ours = settings()
    samples, _ = built([*TURN, response("r"), annotated("r")])
    assert {row["split"] for row in samples} == {side_of("g", ours)}
    sides = [side_by_sample(row["sample_id"], ours) for row in samples]
    assert [facts(row)["split_by_sample"] for row in samples] == sides
    for side in (side_of, side_by_sample):
        assert abs(sum(side(str(n), ours) == "train" for n in range(2000)) / 2000 - 0.6) < 0.03
