"""What models are asked about texts, what is read of it, and the judgements that come of it."""

from collections import Counter
from functools import partial

import pytest

from truerate.core.schemas import pairs
from truerate.llm.generation import facts
from truerate.tracks.halludial import judging
from truerate.tracks.halludial.judging import Judged, Pair, Target, judgements, rationale, read_located, spans
from truerate.tracks.halludial.prompting import DETECT, LOCATE

from .rows_by_hand import context, ok, questions, row, rows

CONTEXTS = {"i0": context()}
TARGETS = [Target("t1", "i0", "It is Porto."), Target("t2", "i0", "It is Lisbon.")]
TEXTS = {target.target_id: target.text for target in TARGETS}
RESPONSE = "It is Porto, on the Tagus."
PAIR = Pair("i0", "factuality", "ref", "It is Lisbon.", "hal", "It is Porto.")


# ---- verdicts with place and reason, as rows hold them -----------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "text", "places", "columns"),
    [
        (
            '#Annotation#: Yes. The segment "Porto" is wrong, because no mention is made of it.',
            'Yes. The segment "Porto" is wrong, because no mention is made of it.',
            [(6, 11)],
            {"verdict": "yes", "n_quoted": "1"},
        ),
        # a quotation that stands nowhere is counted
        (
            'Yes. The segment "Madrid" is wrong.',
            'Yes. The segment "Madrid" is wrong.',
            [],
            {"verdict": "yes", "n_quoted": "1", "n_not_located": "1"},
        ),
        ("No", "No.", [], {"verdict": "no"}),
    ],
)
def test_a_verdict_keeps_its_segments_and_its_reason(reply, text, places, columns):
    read = read_located(reply, RESPONSE, "Annotation", "Lisbon lies on the Tagus.")
    assert read.text == text and rationale(text) == (text.partition(" ")[2] or None)
    attributes = {name: value for name, value in read.attributes.items() if value is not None}
    assert {name: attributes.get(name) for name in columns} == columns
    assert spans(attributes) == [{"start": a, "end": b, "type": "unspecified", "p": None} for a, b in places]
    assert [name for name in ("n_quoted", "n_not_located") if name in attributes] == list(columns)[1:]


def test_a_reply_without_a_verdict_is_unparsed():
    read = read_located("The response speaks of Porto.", RESPONSE, "Annotation", "")
    assert (read.status, read.reason) == ("unparsed", "absent")


# ---- detection and localization ----------------------------------------------------------------------------


def judgement(purpose: str, *replies: str, **changes) -> list[dict]:
    asked = judging.detect_requests(purpose, TARGETS, CONTEXTS, "judge", questions(**changes))
    read = partial(judging.read_verdict, texts=TEXTS, contexts=CONTEXTS)
    return judgements(rows(asked, map(ok, replies), read), "v")


def test_by_the_papers_definition_a_no_keeps_no_reason():
    replies = ('Yes. The segment "Porto" is wrong.', "No. It is the capital.")
    for definition, of_no in (("ours", "It is the capital."), ("paper", None)):
        result = judgement(LOCATE, *replies, definition=definition)
        assert {row["verdict"]: row["rationale"] for row in result} == {
            True: 'The segment "Porto" is wrong.',
            False: of_no,
        }


def sample(name: str, item: str, text: str, is_hallucinated: bool, split: str = "test", **attributes) -> dict:
    values = {"sample_id": name, "item_id": item, "text": text, "is_hallucinated": is_hallucinated}
    return values | {"split": split, "attributes": pairs(**attributes)}


def test_only_texts_of_test_dialogues_are_judged():
    samples = [sample(split, "i0", "", True, split, scenario="induced") for split in ("test", "train")]
    assert [target.target_id for target in judging.targets(samples)] == ["test"]


def test_each_stratum_has_its_share_of_what_is_located_and_a_larger_number_keeps_them():
    many = [Target(f"t{n}", "i0", "", ("spontaneous", "", str(n % 4 == 0))) for n in range(40)]
    located = {n: judging.located_of(many, n, 7) for n in (8, 20)}
    for n, targets in located.items():
        assert Counter(target.stratum[-1] for target in targets) == {"True": n // 4, "False": 3 * n // 4}
    assert set(located[8]) < set(located[20])


def test_a_verdict_alone_and_a_located_one():
    plain, (first, second) = (
        judgement(DETECT, "Yes", "No"),
        judgement(LOCATE, 'Yes. The segment "Porto" is wrong.', "No. It holds."),
    )
    assert [(row["verdict"], row["spans"]) for row in plain] == [(True, []), (False, [])]
    assert [span["start"] for span in first["spans"]] == [6] and first["rationale"].endswith("wrong.")
    assert (second["verdict"], second["rationale"]) == (False, "It holds.")
    assert [facts(row)["variant"] for row in (first, plain[0])] == ["three-shot", "zero-shot"]
    unread = judgement(DETECT, "Hard to say.", "No")[0]  # is counted and has none
    assert (unread["verdict"], unread["status"]) == (None, "unparsed")


def test_the_prompt_of_a_located_verdict_shows_three_demonstrations():
    asked = judging.detect_requests(LOCATE, TARGETS[:1], CONTEXTS, "judge", questions())
    assert asked[0].request.messages[0]["content"].count("#Judgement And Reason#: ") == 3


# ---- comparison --------------------------------------------------------------------------------------------


def turn(item: str, split: str = "test") -> list[dict]:
    texts = {"reference": ("right", False), "factuality": ("wrong", True), "faithfulness": ("right", True)}
    texts |= {"matched": ("same", False)}
    induced = [
        sample(f"{item}-{kind}", item, *text, split, scenario="induced", kind=kind)
        for kind, text in texts.items()
    ]
    values = (("yes", "odd", True), ("no", "fine", False))
    return induced + [
        sample(f"{item}-{name}", item, *text, split, scenario="spontaneous") for name, *text in values
    ]


def test_pairs_are_of_test_turns_a_hallucinated_response_beside_the_reference():
    pairs_of = judging.sample_pairs([*turn("a"), *turn("b", "train")], 10, 7)
    # the unfaithful response of this turn says the right one again: nothing to tell apart
    expected = [("factuality", "a-factuality"), ("spontaneous", "a-yes")]
    assert [(pair.kind, pair.hallucinated_id) for pair in pairs_of] == expected
    samples = [response_row for name in "abcdef" for response_row in turn(name)]
    few, more = (judging.sample_pairs(samples, n, 7) for n in (2, 4))
    assert Counter(pair.kind for pair in more) == {"factuality": 4, "spontaneous": 4} and set(few) < set(more)


@pytest.mark.parametrize(
    ("replies", "verdicts"),
    [
        (("Response 2", "Response 2"), [False, True, False, True]),
        (("Neither.", "Both of them."), [None] * 4),  # a choice that cannot be read judges neither
    ],
)
def test_both_orders_are_asked_and_a_choice_judges_both_sides(replies, verdicts):
    asked = judging.compare_requests([PAIR], CONTEXTS, "judge", questions())
    assert [question.attributes["order"] for question in asked] == ["reference-first", "induced-first"]
    result = judgements(rows(asked, map(ok, replies), judging.read_choice), "v")
    assert [question["target_id"] for question in result] == ["ref", "hal", "hal", "ref"]
    assert [question["verdict"] for question in result] == verdicts


# ---- the meta-judge ----------------------------------------------------------------------------------------


def judged_one(number: int, is_positive: bool, judge: str = "a") -> Judged:
    return Judged(f"{judge}{number}{is_positive}", judge, "i0", "text", "Yes.", is_positive)


def test_located_judgements_that_were_read_are_judged():
    located = [
        row("locate", "g1", "No. Fine.", target="t", verdict="no"),
        row("locate", "g2", "?", target="t", status="unparsed"),
        row("detect", "g3", "Yes", target="t", verdict="yes"),
    ]
    name = judging.judgement_id(located[0], "v", "t")
    expected = [Judged(name, "gen", "i0", "It is Lisbon.", "No. Fine.", False)]
    assert judging.judged(located, {"t": "It is Lisbon."}, {"gen": "v"}) == expected
    assert name == judgements(located[:1], "v")[0]["judgement_id"]


def test_as_many_of_one_verdict_as_of_the_other_as_far_as_there_are():
    plenty = [
        judged_one(n, positive, judge) for judge in "ab" for n in range(10) for positive in (True, False)
    ]
    kept = judging.drawn(plenty, 6, 7)
    counts = Counter((each.judge, each.is_positive) for each in kept)
    assert counts == dict.fromkeys([(judge, verdict) for judge in "ab" for verdict in (True, False)], 3)
    assert set(judging.drawn(plenty, 4, 7)) < set(kept)
    few = [judged_one(0, True), *(judged_one(n, False) for n in range(9))]
    assert Counter(each.is_positive for each in judging.drawn(few, 6, 7)) == {True: 1, False: 5}
    # the paper's are those that say Yes, as many as there are
    positives = judging.drawn(plenty, 6, 7, of="positives")
    assert Counter((each.judge, each.is_positive) for each in positives) == {("a", True): 6, ("b", True): 6}
    assert judging.drawn(few, 6, 7, of="positives") == few[:1]


def test_accurate_and_inaccurate_are_read():
    asked = judging.meta_requests([judged_one(0, True), judged_one(1, True)], CONTEXTS, "judge", questions())
    assert "#Evaluation#:\n<data-" in asked[0].request.messages[-1]["content"]
    result = rows(asked, [ok("Inaccurate."), ok("Who knows?")], judging.read_accuracy)
    assert [(facts(row).get("accurate"), row["status"]) for row in result] == [
        ("no", "ok"),
        (None, "unparsed"),
    ]
