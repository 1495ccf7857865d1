"""Rates of turns and dialogues by hand."""

import polars as pl
import pytest

from truerate.core.schemas import Generation, Item, Judgement, Sample, Score, frame, validate
from truerate.tracks.halludial.rate_scores import (
    judged_dialogues,
    judged_turns,
    score_rates,
    score_written,
    verdicts_of,
)

from .made_scores import WRITER, item, reply, said, sample, values

# three dialogues: two of two turns, one of one
ITEMS = [item("a0", "a", 0), item("a1", "a", 1), item("b0", "b", 0), item("b1", "b", 1), item("c0", "c", 0)]
GOLD = {"a0": True, "a1": False, "b0": False, "b1": False, "c0": True}
SELF = {"a0": False, "a1": False, "b0": False, "b1": True, "c0": False}
REPLIES = [reply(name, name) for name in GOLD]
REPLIES += [reply(f"self-{name}", name, more={"history": "self"}) for name in SELF]
FLAGS = [said(name, flag, judge="detector", variant=None) for name, flag in GOLD.items()]
FLAGS += [said(f"self-{name}", flag, judge="detector", variant=None) for name, flag in SELF.items()]
WHERE = {"history": "gold", "temperature": "1", "estimator": "raw"}


def scored(
    samples=(), judgements=None, replies=None, items=None, detector: str | None = "detector"
) -> list[dict]:
    made = score_rates(
        frame(Item, ITEMS if items is None else items),
        frame(Sample, list(samples)),
        frame(Judgement, FLAGS if judgements is None else judgements),
        frame(Generation, REPLIES if replies is None else replies),
        detector=detector,
        base="1",
        writer=WRITER,
    )
    validate(Score, frame(Score, made), where="scores")
    return made


def test_turns_and_dialogues_are_counted_apart():
    made = scored()
    assert values(made, unit="turn", **WHERE)["hallucination_rate"] == (2 / 5, 5)
    assert values(made, unit="dialogue", **WHERE)["hallucination_rate"] == (pytest.approx(2 / 3, abs=1e-6), 3)
    own = WHERE | {"history": "self"}
    assert values(made, unit="turn", **own)["hallucination_rate"] == (1 / 5, 5)
    assert values(made, unit="dialogue", **own)["hallucination_rate"] == (pytest.approx(1 / 3, abs=1e-6), 3)


def of_seed(seed: int, flags: dict[str, bool]) -> list[dict]:
    return [
        said(name, flag, judge="detector", variant=None, more={"seed": seed}) for name, flag in flags.items()
    ]


def test_several_seeds_are_averaged_per_text_and_per_dialogue():
    # the second seed flags b1 besides and not c0: turns 2/5 and 2/5 of them; dialogues a, c and a, b of three
    other = GOLD | {"b1": True, "c0": False}
    first, second = of_seed(1, GOLD), of_seed(2, other)
    for told in (first + second, second + first):
        made = scored(judgements=told)
        assert values(made, unit="turn", **WHERE)["hallucination_rate"] == (2 / 5, 5)
        assert values(made, unit="dialogue", **WHERE)["hallucination_rate"] == (
            pytest.approx(2 / 3, abs=1e-6),
            3,
        )
    none = of_seed(2, dict.fromkeys(GOLD, False))  # half of 2/5, and of 2/3, whichever seed comes first
    for told in (first + none, none + first):
        made = scored(judgements=told)
        assert values(made, unit="turn", **WHERE)["hallucination_rate"] == (1 / 5, 5)
        assert values(made, unit="dialogue", **WHERE)["hallucination_rate"] == (
            pytest.approx(1 / 3, abs=1e-6),
            3,
        )


def test_dialogues_by_their_number_of_turns():
    made = scored()
    assert values(made, unit="dialogue", turns="2", **WHERE)["hallucination_rate"] == (1 / 2, 2)
    assert values(made, unit="dialogue", turns="1", **WHERE)["hallucination_rate"] == (1, 1)


def test_a_dialogue_counts_where_each_of_its_turns_was_judged():
    told = [row for row in FLAGS if row["target_id"] != "a1"] + [
        said("a1", None, judge="detector", variant=None)
    ]
    made = scored(judgements=told)
    assert values(made, unit="turn", **WHERE)["hallucination_rate"] == (2 / 4, 4)
    assert values(made, unit="dialogue", **WHERE)["hallucination_rate"] == (1 / 2, 2)
    lost = [row for row in REPLIES if row["generation_id"] != "b0"]
    assert values(scored(replies=lost), unit="dialogue", **WHERE)["hallucination_rate"] == (1, 2)


def test_a_dialogue_has_a_label_where_each_of_its_turns_has():
    gold = [labelled("a0", True), labelled("a1", False), labelled("b0", False)]
    turns = judged_turns(frame(Item, ITEMS), frame(Sample, gold), verdicts(), frame(Generation, REPLIES))
    of_gold = judged_dialogues(turns).filter(history="gold")
    assert dict(of_gold.select("group_id", "label").iter_rows()) == {"a": True, "b": None, "c": None}


def labelled(name: str, is_hallucinated: bool) -> dict:
    more = {"generation": name}
    return sample(f"gold-{name}", is_hallucinated, scenario="natural", label_source="gold", more=more)


def verdicts() -> pl.DataFrame:
    return verdicts_of(frame(Judgement, FLAGS), "detector")


def test_responses_to_train_dialogues_are_left_out():
    train = [reply(name, name, more={"split": "train"}) for name in GOLD]
    assert scored(replies=train) == []


def test_no_detector_no_rates():
    assert scored(detector=None) == [] == scored(judgements=[], replies=[])


def test_single_turns_have_no_rate_of_dialogues():
    alone = [item(name, name, None) for name in GOLD]
    made = scored(items=alone)
    assert values(made, unit="turn", **WHERE)["hallucination_rate"] == (2 / 5, 5)
    assert values(made, unit="dialogue", **WHERE)["hallucination_rate"] == (None, 0)


# ---- corrections -------------------------------------------------------------------------------------------


def many(n: int, n_flagged: int) -> tuple[list[dict], list[dict], list[dict]]:
    """Items, responses and flags of n single-turn dialogues, of which the first are flagged."""
    names = [f"n{place}" for place in range(n)]
    flags = [
        said(name, place < n_flagged, judge="detector", variant=None) for place, name in enumerate(names)
    ]
    return [item(name, name) for name in names], [reply(name, name) for name in names], flags


def induced(n: int, n_found: int, n_alarms: int) -> tuple[list[dict], list[dict]]:
    """n induced texts and references, of which so many are flagged, and as many paraphrases, all flagged."""
    samples, flags = [], []
    for place in range(n):
        for kind, flag in (
            ("factuality", place < n_found),
            ("reference", place < n_alarms),
            ("matched", True),
        ):
            name = f"{kind}-{place}"
            samples.append(sample(name, kind == "factuality", scenario="induced", kind=kind))
            flags.append(said(name, flag, judge="detector", variant=None))
    return samples, flags


def test_corrected_by_the_errors_on_induced_texts():
    items, replies, flags = many(200, 60)
    samples, more = induced(100, 90, 10)
    made = scored(samples, [*flags, *more], replies, items)
    where = {"unit": "turn", "history": "gold", "temperature": "1", "calibration": "induced"}
    found = values(made, **where, estimator="rogan-gladen")
    # (60/200 - 10/100) / (90/100 - 10/100), paraphrases left out
    assert found["hallucination_rate"] == (pytest.approx(0.2 / 0.8, abs=1e-6), 200)
    assert found["is_identified"] == (1, 200)
    dialogue = values(made, **where | {"unit": "dialogue"}, estimator="rogan-gladen")
    assert dialogue == {}  # nobody knows errors on dialogues of induced texts


def test_corrected_by_the_labels_of_people():
    items, replies, flags = many(200, 60)
    # labelled: 20 flagged of which 16 are hallucinated, 30 others of which 4 are
    gold = [labelled(f"n{place}", place < 16) for place in range(20)]
    gold += [labelled(f"n{place}", place < 104) for place in range(100, 130)]
    made = scored(gold, flags, replies, items)
    where = {"unit": "turn", "history": "gold", "temperature": "1", "calibration": "natural"}
    corrected = values(made, **where, estimator="rogan-gladen")["hallucination_rate"]
    assert corrected[0] == pytest.approx((0.3 - 4 / 30) / (16 / 20 - 4 / 30), abs=1e-6)
    # slope 16/20 - 4/30 of labels on flags; λ·60/200 + mean label 20/50 - λ·20/50
    slope = 16 / 20 - 4 / 30
    powered = values(made, **where, estimator="prediction-powered")["hallucination_rate"]
    assert powered == (pytest.approx(slope * 0.3 + 0.4 - slope * 0.4, abs=1e-6), 200)
    # one turn each: a dialogue is its turn
    assert (
        values(made, **where | {"unit": "dialogue"}, estimator="rogan-gladen")["hallucination_rate"]
        == corrected
    )


def test_gold_less_self_is_paired_by_dialogue():
    made = scored()
    found = values(made, unit="turn", temperature="1", estimator="raw")
    assert found["gold_minus_self"] == (pytest.approx(2 / 5 - 1 / 5, abs=1e-6), 3)
    assert 0 < found["gold_minus_self_p"][0] <= 1
    only_gold = [row for row in REPLIES if not row["generation_id"].startswith("self")]
    assert not [row for row in scored(replies=only_gold) if row["metric"].startswith("gold_minus_self")]


# ---- responses that a source brought -----------------------------------------------------------------------


def test_labelled_responses_of_a_source_by_corpus_and_writer():
    def one(name: str, label: bool, writer: str | None) -> dict:
        more = {"corpus": "cmu", "system": writer or "people"}
        return sample(name, label, scenario="natural", label_source="gold", generator=writer, more=more)

    samples = [one("r1", True, "doha"), one("r2", False, "doha"), one("r3", True, None)]
    told = [
        said("r1", True, judge="detector", variant=None),
        said("r2", True, judge="detector", variant=None),
    ]
    made, outcomes = score_written(
        frame(Sample, samples), frame(Judgement, told), detector="detector", writer=WRITER
    )
    doha = [row for row in made if row["subject"] == "doha"]
    assert values(doha, scenario="natural", corpus="cmu")["labelled_rate"] == (1 / 2, 2)
    where = {"scenario": "natural", "corpus": "cmu", "estimator": "raw"}
    assert values(doha, **where, unit="turn")["hallucination_rate"] == (1, 2)
    assert values(doha, **where, unit="dialogue")["hallucination_rate"] == (None, 0)
    assert {row["subject"] for row in made} == {"doha", "people"}
    assert not [
        row for row in made if {pair["key"] for pair in row["slice"]} == {"scenario"}
    ]  # of one corpus
    other = sample(
        "r4", True, scenario="natural", label_source="gold", generator="doha", more={"corpus": "tc"}
    )
    both, _ = score_written(
        frame(Sample, [*samples, other]), frame(Judgement, []), detector=None, writer=WRITER
    )
    assert values([row for row in both if row["subject"] == "doha"], scenario="natural")["labelled_rate"] == (
        0.666667,
        3,
    )
    # the mean of a writer's units is its rate, and two responses to one turn are two units
    assert outcomes.group_by("subject").agg(pl.col("value").mean()).sort("subject").rows() == [
        ("doha", 1 / 2),
        ("people", 1),
    ]
    assert not outcomes.select("subject", "unit_id").is_duplicated().any()
