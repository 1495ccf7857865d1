"""Whether a judge's errors on induced texts carry over to natural ones, by hand."""

import pytest

from truerate.core.schemas import Judgement, Sample, Score, frame, validate
from truerate.tracks.halludial.judged_texts import judged_texts
from truerate.tracks.halludial.scores import score_transfer

from .made_scores import WRITER, judgement, sample, values

# A judge finds 9 of 10 induced hallucinations and 4 of 10 natural ones, and flags 1 of 10 right texts of
# both. Of 100 spontaneous responses 40 are hallucinated: it flags .4 · 40 + .1 · 60 = 22.
INDUCED = [(f"i{n}", True, n < 9, "factuality") for n in range(10)]
INDUCED += [(f"r{n}", False, n < 1, "reference") for n in range(10)]
INDUCED += [
    (f"m{n}", False, True, "matched") for n in range(10)
]  # a paraphrase is our addition: it counts nowhere
SPONTANEOUS = [(f"s{n}", n < 40, n < 16 or n >= 94) for n in range(100)]
LABELLED = range(100)  # people label all: of 40 they call hallucinated 16 are flagged, of the others 6 of 60


def scored(**changes) -> list[dict]:
    samples = [sample(name, label, scenario="induced", kind=kind) for name, label, _, kind in INDUCED]
    samples += [sample(name, label) for name, label, _ in SPONTANEOUS]
    people = {"scenario": "natural", "label_source": "gold"}
    for n in changes.get("labelled", LABELLED):
        samples.append(sample(f"gold{n}", SPONTANEOUS[n][1], more={"generation": f"s{n}"}, **people))
    flags = {name: flag for name, _, flag, *_ in [*INDUCED, *SPONTANEOUS]}
    judgements = [
        judgement(name, flag) for name, flag in flags.items() if name not in changes.get("unread", ())
    ]
    judgements += [judgement(name, None) for name in changes.get("unread", ())]
    result = score_transfer(judged_texts(frame(Sample, samples), frame(Judgement, judgements)), WRITER)
    validate(Score, frame(Score, result), where="scores")
    return result


def rate(result: list[dict], **where: str) -> tuple:
    return values(result, **where)["rate_by_judge"]


def test_a_correction_by_induced_texts_takes_the_judge_for_better_than_it_is():
    result = scored()
    assert rate(result, estimator="raw") == (0.22, 100)
    # (.22 − .1) / (.9 − .1) = .15 where .40 is true, and (.22 − .1) / (.4 − .1) = .40
    assert rate(result, estimator="rogan-gladen", calibration="induced") == (pytest.approx(0.15), 100)
    assert rate(result, estimator="rogan-gladen", calibration="natural") == (pytest.approx(0.4), 100)


def test_a_verdict_that_was_not_read_counts_nowhere():
    assert rate(scored(unread=["s50", "s51"]), estimator="raw") == (pytest.approx(22 / 98, abs=1e-6), 98)


def test_without_people_s_labels_only_induced_ones_correct():
    result = scored(labelled=())
    assert {row["metric"] for row in result} == {"rate_by_judge", "is_identified"}
    assert "natural" not in {pair["value"] for row in result for pair in row["slice"]}


def test_a_judge_of_no_spontaneous_response_has_no_row():
    samples = [sample(name, label, scenario="induced", kind=kind) for name, label, _, kind in INDUCED]
    judgements = [judgement(name, flag) for name, _, flag, _ in INDUCED]
    assert score_transfer(judged_texts(frame(Sample, samples), frame(Judgement, judgements)), WRITER) == []


def test_of_two_seeds_each_text_counts_once_with_the_share_that_flags_it():
    samples = [sample(name, label) for name, label, _ in SPONTANEOUS]
    judgements = [judgement(name, flag, more={"seed": 1}) for name, _, flag in SPONTANEOUS]  # flags 22 of 100
    judgements += [judgement(name, False, more={"seed": 2}) for name, *_ in SPONTANEOUS]  # none
    result = score_transfer(judged_texts(frame(Sample, samples), frame(Judgement, judgements)), WRITER)
    assert rate(result, estimator="raw") == (0.11, 100)
