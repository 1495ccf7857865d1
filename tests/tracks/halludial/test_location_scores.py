"""Place and reason against fractions derived by hand."""

import polars as pl
import pytest

from truerate.core.schemas import Judgement, Sample, Score, frame, validate
from truerate.metrics.similarity import chrf
from truerate.tracks.halludial.location_scores import in_words, located, score_location

from .made_scores import WRITER, judgement, sample, span, values

TEXT = "The cat is blue today"  # five words; the segment "blue" is characters 11 to 15
SAMPLES = [
    sample("bad-1", True, text=TEXT, spans=[span(11, 15)], rationale="blue is not said"),
    sample("bad-2", True, text=TEXT, spans=[span(4, 15)], rationale="cat is not said"),
    sample("good", False, text=TEXT),
    sample("match", False, scenario="induced", kind="matched", text=TEXT),
]


def judged(
    name: str, verdict: bool | None, reason: str | None = None, *places: tuple[int, int], **more
) -> dict:
    return judgement(
        name,
        verdict,
        variant="three-shot",
        rationale=reason,
        spans=[span(*bounds) for bounds in places],
        **more,
    )


# one is found, with a wider segment; one is missed; the right one is passed
JUDGED = [judged("bad-1", True, "blue is absent", (8, 15)), judged("bad-2", False), judged("good", False)]


def scored(judgements: list[dict], samples: list[dict] | None = None, **how: bool) -> pl.DataFrame:
    tables = frame(Sample, SAMPLES if samples is None else samples), frame(Judgement, judgements)
    result = score_location(*tables, WRITER, measure=chrf, similarity="chrf", **how)
    return validate(Score, frame(Score, result), where="scores")


def of(result: pl.DataFrame, judge: str, over: str, **more: str) -> dict:
    where = {"scenario": "spontaneous", "variant": "three-shot", "over": over}
    return values(result.filter(subject=judge).to_dicts(), **{**where, **more})


def test_words_by_hand():
    # bad-1: "yes blue is absent" (4 words) and "yes blue is not said" (5) share 3: 2·3/9
    # bad-2: "no" and "yes cat is not said" share none; good: "no" and "no": 1
    result = scored(JUDGED)
    assert of(result, "judge", "all")["rouge_l"] == (pytest.approx((6 / 9 + 0 + 1) / 3, abs=1e-6), 3)
    assert of(result, "judge", "positives")["rouge_l"] == (pytest.approx((6 / 9 + 0) / 2, abs=1e-6), 2)
    assert of(result, "judge", "found")["rouge_l"] == (pytest.approx(6 / 9, abs=1e-6), 1)


def test_reasons_behind_a_no_move_nothing_by_the_papers_definition():
    """`No. all is said` against `No. it was said before`: 2 of 4 and 5 words are shared, 2·2/9; bare: 1."""
    labels = [*SAMPLES[:2], sample("good", False, text=TEXT, rationale="it was said before")]
    verdicts = [*JUDGED[:2], judged("good", False, "all is said")]
    for is_bare_no, of_good in ((False, 4 / 9), (True, 1)):
        result = of(scored(verdicts, labels, is_bare_no=is_bare_no), "judge", "all")["rouge_l"]
        assert result == (pytest.approx((6 / 9 + 0 + of_good) / 3, abs=1e-6), 3)


def test_characters_and_words_by_hand():
    # bad-1: gold 4, marked 7, both 4; bad-2: gold 11, nothing marked; good: neither
    actual = of(scored(JUDGED), "judge", "all")
    assert actual["span_f1"] == (pytest.approx(2 * 4 / (15 + 7), abs=1e-6), 3)
    assert actual["span_precision"][0] == pytest.approx(4 / 7, abs=1e-6)
    assert actual["span_recall"][0] == pytest.approx(4 / 15, abs=1e-6)
    # words: gold "blue"; "cat is blue"; marked "is blue": both 1; 15 words in all
    assert actual["token_f1"][0] == pytest.approx(2 * 1 / (4 + 2), abs=1e-6)
    assert actual["marked_rate"][0] == pytest.approx(2 / 15, abs=1e-6)
    assert of(scored(JUDGED), "judge", "found")["span_recall"][0] == 1


def test_a_missed_one_is_an_empty_text_for_bleu_and_nothing_for_similarity():
    result = scored([judged("bad-1", False), judged("bad-2", None), judged("good", False)])
    actual = of(result, "judge", "positives")
    assert actual["bleu"] == (0, 2) and actual["rouge_l"] == (0, 2) and actual["span_f1"] == (0, 2)
    assert of(result, "judge", "positives", measure="chrf")["rationale_similarity"] == (0, 2)


def test_a_verdict_that_was_not_read_is_an_empty_text():
    assert (in_words(None, "x"), in_words(True, None), in_words(False, "why")) == ("", "Yes.", "No. why")


def test_both_reference_rows():
    result = scored(JUDGED)
    # always No is right once in three and says nothing of the two that matter
    never = of(result, "always-no", "all")
    assert never["rouge_l"] == (pytest.approx(1 / 3, abs=1e-6), 3) and never["span_f1"][0] == 0
    assert of(result, "always-no", "positives")["rouge_l"][0] == 0
    whole = of(result, "template", "all")
    assert whole["span_recall"][0] == 1 and whole["marked_rate"][0] == 1
    # gold 15 characters; all 21 of three texts are marked
    assert whole["span_f1"][0] == pytest.approx(2 * 15 / (15 + 63), abs=1e-6)


def test_a_hallucinated_text_without_reason_or_place_counts_where_it_can():
    samples = [
        sample("bad-1", True, text=TEXT, spans=[span(11, 15)]),
        sample("bad-2", True, text=TEXT, rationale="why"),
    ]
    actual = of(scored([judged("bad-1", True, "x", (11, 15)), judged("bad-2", True, "why", (0, 3))], samples), "judge", "all")  # fmt: skip
    assert actual["rouge_l"] == (1, 1)  # bad-1 has no reason to compare with
    assert actual["span_f1"] == (1, 1)  # of bad-2 nobody knows the place


def test_labels_of_people_give_places_and_no_reasons():
    gold = {"scenario": "natural", "label_source": "gold", "text": TEXT}
    samples = [sample("bad-1", True, spans=[span(11, 15)], **gold), sample("good", False, **gold)]
    result = scored([judged("bad-1", True, "x", (11, 15)), judged("good", False, "why")], samples)
    actual = of(result, "judge", "all", scenario="natural")
    assert actual["span_f1"] == (1, 2) and actual["rouge_l"] == (None, 0) and actual["bleu"] == (None, 0)


def test_detectors_stand_on_the_texts_that_subjects_were_asked_of():
    samples = [*SAMPLES, sample("more", True, text=TEXT, spans=[span(0, 3)])]
    marks = [
        judgement(name, True, judge="detector", variant=None, spans=[span(11, 15)])
        for name in ("bad-1", "more")
    ]
    plain = [judgement("bad-1", True, judge="plain", variant=None)]
    result = scored([*JUDGED, *marks, *plain], samples)
    actual = of(result, "detector", "all", variant="zero-shot")
    assert actual["span_f1"] == (1, 1) and actual["rouge_l"] == (None, 0)  # it gives no reasons
    assert result.filter(subject="plain").is_empty()


def test_who_was_never_read_has_no_value():
    result = scored([judged(name, None) for name in ("bad-1", "bad-2", "good")])
    assert result.filter(subject="judge")["value"].drop_nulls().is_empty()
    assert not result.filter(subject="template")["value"].drop_nulls().is_empty()


def test_nothing_was_located():
    assert scored([judgement("good", False)]).is_empty()
    columns = {"variant": pl.String, "judge": pl.String, "sample_id": pl.String, "rationale": pl.String}
    assert located(pl.DataFrame(schema=columns | {"spans": pl.List(pl.Int64)})).is_empty()
