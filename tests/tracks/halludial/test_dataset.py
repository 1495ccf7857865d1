"""Samples out of replies, what is rejected, the splits, and what detectors learn from and judge."""

import polars as pl
import pytest

from truerate.core.schemas import Generation, Sample, frame, validate
from truerate.llm.generation import facts
from truerate.tracks.halludial import dataset
from truerate.tracks.halludial.context import side_by_sample, side_of

from .made import context, response, row, settings, tables

FOUND = {"i0": context(), "i1": context("i1", group_id="other")}


def annotated(target: str, text: str = "No. It holds.", verdict: str = "no", **known) -> dict:
    return row("annotate", f"a-{target}", text, model="judge", target=target, verdict=verdict, **known)


def written(kind: str, text: str = "It is Porto.", **known) -> dict:
    purpose = "match" if kind == "matched" else "induce"
    return row(purpose, f"w-{kind}", text, model="writer", kind=kind, **known)


TURN = [written("factuality", segments="6-11", rationale="No."), written("faithfulness"), written("matched")]


def made(rows, **changes):
    samples, dropped = dataset.samples(rows, FOUND, settings(**changes))
    validate(Sample, frame(Sample, samples), where="samples")
    return samples, dropped


# ---- spontaneous -------------------------------------------------------------------------------------------
def test_a_response_and_its_annotation_are_a_sample_of_the_responses_id():
    samples, _ = made([response("r"), annotated("r", 'Yes. "Lisbon" is.', "yes", segments="6-12")])
    assert [(one["sample_id"], one["is_hallucinated"], one["generator"]) for one in samples] == [
        ("r", True, "gen")
    ]
    assert samples[0]["spans"] == [{"start": 6, "end": 12, "type": "unspecified", "p": None}]
    assert samples[0]["rationale"] == '"Lisbon" is.'
    assert facts(samples[0])["scenario"] == "spontaneous" and samples[0]["pattern"] is None


@pytest.mark.parametrize("known", [{"history": "self"}, {"temperature": "0.5"}, {"status": "dead"}])
def test_other_responses_are_no_samples(known):
    assert made([response("r", **known), annotated("r")]) == ([], [])


@pytest.mark.parametrize(
    ("annotation", "why"),
    [
        (annotated("other"), "no annotation"),
        (annotated("r", status="unparsed", reason="absent"), "unparsed: absent"),
    ],
)
def test_a_response_without_an_annotation_is_a_reject(annotation, why):
    samples, dropped = made([response("r"), annotation])
    assert samples == [] and [(one["reason"], one["detail"]) for one in dropped] == [
        ("unread-annotation", why)
    ]


def test_of_two_replies_to_one_question_the_one_that_stands_counts():
    first = annotated("r", status="unparsed", reason="absent", reasked="yes") | {"generation_id": "first"}
    assert len(made([response("r"), first, annotated("r")])[0]) == 1


# ---- induced -----------------------------------------------------------------------------------------------
def test_a_turn_gives_the_reference_two_wrong_responses_and_a_paraphrase():
    samples, dropped = made(TURN)
    told = {facts(one)["kind"]: (one["is_hallucinated"], one["generator"], one["pattern"]) for one in samples}
    assert dropped == [] and told == {
        "reference": (False, None, None),
        "factuality": (True, "writer", "factuality"),
        "faithfulness": (True, "writer", "faithfulness"),
        "matched": (False, "writer", None),
    }
    pairs = {}
    for one in samples:
        pairs.setdefault(one["pair_id"], set()).add(facts(one)["kind"])
    assert sorted(map(sorted, pairs.values())) == [["factuality", "reference"], ["faithfulness", "matched"]]


def test_a_broken_turn_is_kept_or_goes_whole():
    rows = [TURN[0], written("faithfulness", too_long="yes"), TURN[2]]
    assert len(made(rows)[0]) == 4
    samples, dropped = made(rows, on_broken="reject")
    assert samples == []
    assert {one["target_id"]: one["reason"] for one in dropped} == {
        "w-factuality": "turn-rejected", "w-faithfulness": "too-long", "w-matched": "turn-rejected",
    }  # fmt: skip


def test_a_turn_with_one_induced_response_is_whole_only_where_broken_ones_are_kept():
    assert len(made(TURN[:1])[0]) == 2
    assert made(TURN[:1], on_broken="reject")[0] == []


def test_a_paraphrase_alone_makes_no_reference():
    assert made(TURN[2:])[0] == []


# ---- splits ------------------------------------------------------------------------------------------------
def test_all_texts_of_a_dialogue_are_on_one_side_and_the_published_split_is_by_text():
    ours = settings()
    samples, _ = made([*TURN, response("r"), annotated("r")])
    assert {one["split"] for one in samples} == {side_of("g", ours)}
    assert [facts(one)["split_by_sample"] for one in samples] == [
        side_by_sample(one["sample_id"], ours) for one in samples
    ]
    shares = [
        sum(side(str(n), ours) == "train" for n in range(2000)) / 2000 for side in (side_of, side_by_sample)
    ]
    assert all(abs(share - 0.6) < 0.03 for share in shares)


# ---- a source's own samples --------------------------------------------------------------------------------
def test_a_sources_samples_are_natural_where_it_names_no_scenario():
    samples, _ = made([*TURN, response("r"), annotated("r")])
    items, _ = tables(1, 1)
    published = frame(Sample, samples).with_columns(attributes=pl.Series([[]] * 5, dtype=pl.List(pl.Null)).cast(
        frame(Sample)["attributes"].dtype))  # fmt: skip
    assert {facts(one)["scenario"] for one in dataset.source_samples(published, items).to_dicts()} == {
        "natural"
    }
    kept = dataset.source_samples(frame(Sample, samples), items).to_dicts()
    assert {facts(one)["scenario"] for one in kept} == {"induced", "spontaneous"}


def test_what_people_labelled_is_tested_on_and_other_samples_keep_their_side():
    items, _ = tables(1, 1)
    samples, _ = made(TURN[:1])
    rows = [
        one | {"label_source": source, "split": "train"}
        for one, source in zip(samples, ("gold", "published"), strict=True)
    ]
    told = dataset.source_samples(frame(Sample, rows), items)
    assert dict(told.select("label_source", "split").iter_rows()) == {"gold": "test", "published": "train"}


# ---- detectors ---------------------------------------------------------------------------------------------
def side(name: str, split: str, label_source: str = "silver", **known) -> dict:
    samples, _ = made([response(name), annotated(name)])
    more = [{"key": key, "value": value} for key, value in known.items()]
    return samples[0] | {
        "split": split,
        "label_source": label_source,
        "group_id": f"g-{split}",
        "attributes": more,
    }


def test_detectors_learn_from_the_train_dialogues_and_judge_the_others():
    samples = frame(Sample, [side("a", "train"), side("b", "test"), side("c", "train", "gold"),
                             side("d", "test", "gold", generation="r")])  # fmt: skip
    responses = [response("r"), response("b"), response("t", split="train"), response("s", history="self"),
                 response("x", status="dead")]  # fmt: skip
    assert dataset.training(samples)["target_id"].to_list() == ["a"]
    targets = dataset.targets(samples, frame(Generation, responses))
    # `c` is of a dialogue that was learned from; what people say of `r` is held against the judgement of `r`
    assert targets["target_id"].to_list() == ["b", "r", "s"]
    assert targets.schema == dataset.TEXT == dataset.training(samples).schema
