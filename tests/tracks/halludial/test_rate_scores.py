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

from .made_scores import WRITER, item, judgement, reply, sample, values

# three dialogues: two of two turns, one of one
ITEMS = [item(name, name[0], int(name[1])) for name in ("a0", "a1", "b0", "b1", "c0")]
GOLD = {"a0": True, "a1": False, "b0": False, "b1": False, "c0": True}
SELF = {"a0": False, "a1": False, "b0": False, "b1": True, "c0": False}
REPLIES = [reply(name, name) for name in GOLD]
REPLIES += [reply(f"self-{name}", name, more={"history": "self"}) for name in SELF]
WHERE = {"history": "gold", "temperature": "1", "estimator": "raw"}


def near(value: float):
    return pytest.approx(value, abs=1e-6)


def flags_of(flags: dict[str, bool | None], **more) -> list[dict]:
    """What the detector says of texts."""
    return [judgement(name, flag, judge="detector", variant=None, more=more) for name, flag in flags.items()]


FLAGS = flags_of(GOLD | {f"self-{name}": flag for name, flag in SELF.items()})


def scored(
    samples=(), judgements=FLAGS, replies=REPLIES, items=ITEMS, detector: str | None = "detector"
) -> list[dict]:
    rows = ((Item, items), (Sample, samples), (Judgement, judgements), (Generation, replies))
    tables = [frame(model, list(of_table)) for model, of_table in rows]
    result = score_rates(*tables, detector=detector, base="1", writer=WRITER)
    validate(Score, frame(Score, result), where="scores")
    return result


def rate(result: list[dict], unit: str, **more) -> tuple | None:
    return values(result, **{"unit": unit, **WHERE, **more}).get("hallucination_rate")


def test_turns_and_dialogues_are_counted_apart():
    result = scored()
    for history, turn, dialogue in (("gold", 2 / 5, 2 / 3), ("self", 1 / 5, 1 / 3)):
        assert rate(result, "turn", history=history) == (near(turn), 5)
        assert rate(result, "dialogue", history=history) == (near(dialogue), 3)
    # by their number of turns
    assert [rate(result, "dialogue", turns=n) for n in ("2", "1")] == [(1 / 2, 2), (1, 1)]


def test_several_seeds_are_averaged_per_text_and_per_dialogue():
    first = flags_of(GOLD, seed=1)
    # the second seed flags b1 besides and not c0: turns 2/5 and 2/5 of them; dialogues a, c and a, b of three
    second = flags_of(GOLD | {"b1": True, "c0": False}, seed=2)
    none = flags_of(dict.fromkeys(GOLD, False), seed=2)  # half of 2/5, and of 2/3
    for other, turn, dialogue in ((second, 2 / 5, 2 / 3), (none, 1 / 5, 1 / 3)):
        for flags in (first + other, other + first):  # whichever seed comes first
            result = scored(judgements=flags)
            assert (rate(result, "turn"), rate(result, "dialogue")) == ((near(turn), 5), (near(dialogue), 3))


def test_a_dialogue_counts_where_each_of_its_turns_was_judged():
    result = scored(judgements=flags_of(GOLD | {"a1": None}))
    assert (rate(result, "turn"), rate(result, "dialogue")) == ((2 / 4, 4), (1 / 2, 2))
    lost = [row for row in REPLIES if row["generation_id"] != "b0"]
    assert rate(scored(replies=lost), "dialogue") == (1, 2)


def labelled(name: str, is_hallucinated: bool) -> dict:
    more = {"generation": name}
    return sample(f"gold-{name}", is_hallucinated, scenario="natural", label_source="gold", more=more)


def test_a_dialogue_has_a_label_where_each_of_its_turns_has():
    gold = frame(Sample, [labelled("a0", True), labelled("a1", False), labelled("b0", False)])
    flags = verdicts_of(frame(Judgement, FLAGS), "detector")
    turns = judged_turns(frame(Item, ITEMS), gold, flags, frame(Generation, REPLIES))
    of_gold = judged_dialogues(turns).filter(history="gold")
    assert dict(of_gold.select("group_id", "label").iter_rows()) == {"a": True, "b": None, "c": None}


def test_what_has_no_rate():
    assert scored(replies=[reply(name, name, more={"split": "train"}) for name in GOLD]) == []
    assert scored(detector=None) == [] == scored(judgements=[], replies=[])
    result = scored(items=[item(name, name, None) for name in GOLD])  # single turns
    assert (rate(result, "turn"), rate(result, "dialogue")) == ((2 / 5, 5), (None, 0))


def test_gold_less_self_is_paired_by_dialogue():
    actual = values(scored(), unit="turn", temperature="1", estimator="raw")
    assert actual["gold_minus_self"] == (near(2 / 5 - 1 / 5), 3) and 0 < actual["gold_minus_self_p"][0] <= 1
    only_gold = scored(replies=[row for row in REPLIES if not row["generation_id"].startswith("self")])
    assert not [row for row in only_gold if row["metric"].startswith("gold_minus_self")]


# ---- corrections: 200 single-turn dialogues, of which the first 60 are flagged -----------------------------

NAMES = [f"n{index}" for index in range(200)]
MANY = {"items": [item(name, name) for name in NAMES], "replies": [reply(name, name) for name in NAMES]}
MANY_FLAGS = flags_of({name: index < 60 for index, name in enumerate(NAMES)})
CORRECTED = {"estimator": "rogan-gladen", "history": "gold", "temperature": "1"}


def test_corrected_by_induced_texts():
    """100 induced texts of which 90 are flagged, as many references, 10 of them, and as many paraphrases, all
    flagged.
    """
    n_flagged = {"factuality": 90, "reference": 10, "matched": 100}
    names = [(f"{kind}{n}", kind, n < n_flagged[kind]) for kind in n_flagged for n in range(100)]
    samples = [sample(name, kind == "factuality", scenario="induced", kind=kind) for name, kind, _ in names]
    result = scored(samples, MANY_FLAGS + flags_of({name: flag for name, _, flag in names}), **MANY)
    actual = values(result, unit="turn", calibration="induced", **CORRECTED)
    # (60/200 - 10/100) / (90/100 - 10/100), paraphrases left out
    assert actual["hallucination_rate"] == (near(0.2 / 0.8), 200) and actual["is_identified"] == (1, 200)
    # nobody knows errors on dialogues of induced texts
    assert values(result, unit="dialogue", calibration="induced", **CORRECTED) == {}


@pytest.mark.parametrize(("scenario", "source"), [("spontaneous", "published"), ("natural", "gold")])
def test_corrected_by_labels_that_a_source_brought(scenario, source):
    """100 hallucinated responses of others of which 50 are flagged, 100 right ones, 10 of them."""
    flags = {f"{label}{n}": n < (50 if label else 10) for label in (True, False) for n in range(100)}
    texts = [sample(name, name[0] == "T", scenario=scenario, label_source=source) for name in flags]
    # no text that models labelled, and none that detectors learn from
    others = [
        sample("silver", True, scenario=scenario),
        sample("train", True, scenario=scenario, label_source=source, split="train"),
    ]
    result = scored([*texts, *others], MANY_FLAGS + flags_of(flags | {"silver": True, "train": True}), **MANY)
    actual = values(result, unit="turn", calibration=scenario, **CORRECTED)
    assert actual["hallucination_rate"] == (near((0.3 - 0.1) / (0.5 - 0.1)), 200)


def test_corrected_by_the_labels_of_people():
    # labelled: 20 flagged of which 16 are hallucinated, 30 others of which 4 are
    places = [*range(20), *range(100, 130)]
    gold = [labelled(f"n{index}", index < 16 or 100 <= index < 104) for index in places]
    result, natural = scored(gold, MANY_FLAGS, **MANY), {"calibration": "natural"}
    corrected = rate(result, "turn", **natural, **CORRECTED)
    assert corrected[0] == near((0.3 - 4 / 30) / (16 / 20 - 4 / 30))
    assert (
        rate(result, "dialogue", **natural, **CORRECTED) == corrected
    )  # one turn each: a dialogue is its turn
    # slope 16/20 - 4/30 of labels on flags; λ·60/200 + mean label 20/50 - λ·20/50
    slope = 16 / 20 - 4 / 30
    powered = rate(result, "turn", **natural, estimator="prediction-powered")
    assert powered == (near(slope * 0.3 + 0.4 - slope * 0.4), 200)


# ---- responses that a source brought -----------------------------------------------------------------------


def test_labelled_responses_of_a_source_by_corpus_and_writer():
    def of_source(name: str, label: bool, writer: str | None, corpus: str = "cmu") -> dict:
        more = {"corpus": corpus, "system": writer or "people"}
        return sample(name, label, scenario="natural", label_source="gold", generator=writer, more=more)

    def written(samples, flags, detector):
        result, outcomes = score_written(
            frame(Sample, samples), frame(Judgement, flags), detector=detector, writer=WRITER
        )
        return result, [row for row in result if row["subject"] == "doha"], outcomes

    samples = [of_source("r1", True, "doha"), of_source("r2", False, "doha"), of_source("r3", True, None)]
    result, doha, outcomes = written(samples, flags_of({"r1": True, "r2": True}), "detector")
    where = {"scenario": "natural", "corpus": "cmu"}
    assert values(doha, **where)["labelled_rate"] == (1 / 2, 2) and {row["subject"] for row in result} == {
        "doha",
        "people",
    }
    for unit, expected in (("turn", (1, 2)), ("dialogue", (None, 0))):
        assert values(doha, **where, estimator="raw", unit=unit)["hallucination_rate"] == expected
    # of one corpus there is no rate over all
    assert not [row for row in result if {pair["key"] for pair in row["slice"]} == {"scenario"}]
    _, both, _ = written([*samples, of_source("r4", True, "doha", "tc")], [], None)
    assert values(both, scenario="natural")["labelled_rate"] == (near(2 / 3), 3)
    # the mean of a writer's units is its rate, and two responses to one turn are two units
    means = outcomes.group_by("subject").agg(pl.col("value").mean())
    assert dict(means.iter_rows()) == {"doha": 1 / 2, "people": 1}
    assert not outcomes.select("subject", "unit_id").is_duplicated().any()
