"""Rates and counts of replies in the wild against fractions derived by hand."""

import json
from pathlib import Path

import pytest

from truerate.core.schemas import pairs
from truerate.core.spans.tags import Tagged, parse_tags
from truerate.metrics.rates import hr_est
from truerate.metrics.tokens import offsets_by
from truerate.tracks.mfava import marking

from .made_scores import (
    ITEMS,
    SAID,
    SILVER,
    TEXT,
    item,
    judged,
    reply,
    sample,
    scored,
    span,
    tables,
    values_of,
    wild,
    words,
)

GOLD_FILE = Path(__file__).parents[4] / "shared/data/mfava/gold.jsonl"
RATE, HEADLINE = "hallucination_rate", ("natural", "prediction-powered")


def near(value: float):
    return pytest.approx(value, abs=1e-6)


def labelled(row: dict, *places: int) -> dict:
    """A reply with the words that people marked."""
    name = row["item_id"]
    values = {"source": "gold", "task": "wild", "lang": name[:2], "group": f"article-{name[:2]}-{name[2:]}"}
    columns = {"sample_id": f"gold-{row['generation_id']}", "generator": row["model"]}
    gold = sample(name, row["text"], *words(*places), **values)
    return gold | columns | {"attributes": pairs(generation=row["generation_id"])}


def rated(*boards, samples=SILVER):
    """What is scored of replies beside the silver passages."""
    items, replies, judgements = (sum(parts, []) for parts in zip(*boards, strict=True))
    return scored([*ITEMS, *items], samples, replies, [*SAID, *judgements])


def test_rates_of_replies():
    actual, outcomes = rated(wild(8))
    # 2 of 11 words; P = R = .75 on silver; TPR .75, FPR 1/16
    raw = actual[RATE, "large", "raw", "en", "all"]
    assert (raw["value"], raw["n"], actual[RATE, "large", "raw", "en", "kept"]["n"]) == (near(2 / 11), 8, 7)
    assert actual[RATE, "large", "silver", "hr_est", "en", "all"]["value"] == near(2 / 11)
    assert actual[RATE, "large", "raw", "all", "all"]["value"] == raw["value"]
    std = actual[f"{RATE}_std", "large", "raw", "en", "all"]
    assert (std["value"], std["n"]) == (0, 2)
    band = values_of(actual, "sensitivity_low", "sensitivity_high", where=("large", "silver", "en", "all"))
    flagged, tpr, fpr = 2 / 11, 0.75, 1 / 16
    assert band == [
        near((flagged - 2 * fpr) / (tpr - 2 * fpr)),
        near((flagged - fpr / 2) / (tpr / 2 - fpr / 2)),
    ]
    # nobody labelled a reply: no rate is identified, and what is flagged takes no rank
    assert {actual[RATE, "large", *HEADLINE, lang, "all"]["value"] for lang in ("en", "all")} == {None}
    assert outcomes.is_empty() and actual["n_labelled", "large", "en"]["value"] == 0
    # two clusters cannot tell what a detector does
    key = ("large", "silver", "rogan-gladen", "en", "all")
    assert values_of(actual, "is_identified", RATE, where=key) == [0, None]


def test_rogan_gladen_where_it_is_identified():
    items, replies, judgements = wild(8)
    silver = [sample(f"s{k}", TEXT, *words(0, 1)) for k in range(30)]
    columns = [judged(row["sample_id"], *words(0, 1 if k % 5 else 8)) for k, row in enumerate(silver)]
    actual, _ = scored([item(f"s{k}") for k in range(30)] + items, silver, replies, [*columns, *judgements])
    key = ("large", "silver", "rogan-gladen", "en", "all")
    row = actual[RATE, *key]
    # TPR 54/60, FPR 6/240
    assert row["value"] == near((2 / 11 - 0.025) / (0.9 - 0.025)) and row["low"] < row["value"] < row["high"]
    assert actual["is_identified", *key]["value"] == 1


def test_natural_labels_take_the_place_of_the_band():
    board = wild(8)
    natural = [labelled(row, 0, 5) for row in board[1] if row["model"] == "large"]
    actual, outcomes = rated(board, samples=[*SILVER, *natural])
    # gold 2 of 11 in every reply of `large`, the same words flagged or not; of `small` nothing is known
    rates = [actual[RATE, model, *HEADLINE, "en", "all"]["value"] for model in ("large", "small")]
    assert rates == [near(2 / 11), None]
    ranked = outcomes.filter(metric=RATE)
    assert set(ranked["subject"]) == {"large"} and set(ranked["value"]) == {round(2 / 11, 6)}
    assert [actual["n_labelled", model, "all"]["value"] for model in ("large", "small")] == [8, 0]
    assert not any(key[0].startswith("sensitivity") for key in actual)
    # marked 0, 1; gold 0, 5: P = R = .5, so the estimate is the flagged share
    assert actual[RATE, "large", "natural", "hr_est", "en", "all"]["value"] == near(2 / 11)
    assert actual["iou", "token-lr", "natural", "binary", "en", "multi"]["value"] == near(1 / 3)


def test_the_mean_over_languages_needs_every_language():
    actual, _ = rated(wild(4), wild(4, lang="de", n_marked=4))
    assert actual[RATE, "large", "raw", "all", "all"]["value"] == near(3 / 11)
    assert (RATE, "large", "silver", "hr_est", "all", "all") not in actual  # German has no silver passages
    items, replies, judgements = wild(4, lang="de", n_marked=4)
    alone = [
        row for row in replies if row["model"] == "large"
    ]  # a model without a reply in one language has no mean
    actual, _ = rated(wild(4), (items, alone, judgements))
    rates = [
        actual[RATE, *key, "all"]["value"]
        for key in (("large", "raw", "all"), ("small", "raw", "all"), ("small", "raw", "en"))
    ]
    assert rates == [near(3 / 11), None, near(3 / 11)]


def test_counts():
    items, replies, judgements = wild(4)
    actual, _ = scored(items, [], replies, judgements)
    names = ("n_replies", "n_tokens", "n_detected", "tokens_per_reply", "repeats_rate", "cut_rate")
    assert values_of(actual, *names, where=("small", "en")) == [4, 44, 12, 11, 0.25, 0]
    assert actual["detected_per_reply", "small", "all"]["value"] == 3


def estimated(texts: list[dict], judgements: list[dict]) -> float | None:
    """HR_est of the very texts that it is calibrated on."""
    result = tables(samples=texts, judgements=judgements)
    board = marking.board_texts(
        result["samples"], marking.answers(result["generations"], result["items"]), offsets_by("words")
    )
    silver, runs = (
        marking.labelled(result["samples"], board, "silver"),
        marking.runs_of(result["judgements"], board),
    )
    n, gold, detected, both = marking.token_sums(silver, next(iter(runs.values()))[0], board.line).sum(axis=0)
    return hr_est(both / detected, both / gold, detected, n)


@pytest.mark.parametrize("flagged", [(0,), (0, 1, 2), (3, 4, 9), tuple(range(10))])
def test_on_the_calibration_rows_themselves_hr_est_is_the_gold_rate(flagged):
    """P · H / (R · N) = (both / H) · H / ((both / gold) · N) = gold / N, whatever the detector does, once it
    finds a token.
    """
    texts = [sample(f"s{k}", TEXT, *words(*range(k % 4 + 1))) for k in range(6)]
    judgements = [judged(row["sample_id"], *words(*flagged)) for row in texts]
    assert estimated(texts, judgements) == pytest.approx((1 + 2 + 3 + 4 + 1 + 2) / 60, abs=1e-12)


@pytest.mark.skipif(not GOLD_FILE.is_file(), reason="no mFAVA files beside this checkout")
@pytest.mark.parametrize("lang", ["ar", "zh", "de"])
def test_on_the_published_gold_hr_est_is_the_gold_rate(lang):
    rows = [row for row in map(json.loads, GOLD_FILE.read_text("utf-8").splitlines()) if row["lang"] == lang]
    read = [actual for row in rows if isinstance(actual := parse_tags(row["gold_annotations"]), Tagged)]
    kept = [(actual.text, actual.spans) for actual in read if len(actual.text) > 2]
    texts = [
        sample(f"s{k}", text, *(mark | {"p": None} for mark in spans), lang=lang)
        for k, (text, spans) in enumerate(kept)
    ]
    # a detector that marks every third part of a text, wherever it is
    judgements = [
        judged(row["sample_id"], span(len(row["text"]) // 3, 2 * len(row["text"]) // 3)) for row in texts
    ]
    tokens = [(spans, token) for text, spans in kept for token in offsets_by("words")(text)]
    gold = sum(
        any(mark["start"] < end and start < mark["end"] for mark in spans) for spans, (start, end) in tokens
    )
    assert len(texts) > 150 and estimated(texts, judgements) == pytest.approx(gold / len(tokens), abs=1e-12)


DEAD = {"status": "dead", "reason": "rejected"}


def test_a_model_that_never_answered_stands_there_without_a_rate():
    """In German none of its queries was answered; large was never answered at all."""
    items = [*ITEMS, item("w1", "wild"), item("w2", "wild", lang="de")]
    replies = [reply("w1", "small", TEXT), reply("w2", "small", "", lang="de", **DEAD)]
    replies += [reply("w1", "large", "", **DEAD), reply("w2", "large", "", lang="de", **DEAD)]
    actual, outcomes = scored(items, SILVER, replies, [*SAID, judged("answer-w1-small-", *words(0))])
    silent = {key[1:3]: row["value"] for key, row in actual.items() if key[0] == "no_answers"}
    assert silent == {("small", "de"): 1, ("large", "de"): 1, ("large", "en"): 1, ("large", "all"): 2}
    raw = {
        key[1:]: row["value"]
        for key, row in actual.items()
        if key[0] == RATE and (key[2], key[4]) == ("raw", "all")
    }
    # nobody answered in German: the board is of one language
    judgements = {key: value for key, value in raw.items() if value is not None}
    assert judgements == {("small", "raw", lang, "all"): 0.1 for lang in ("en", "all")}
    assert {key[2] for key in raw if key[0] == "large"} == {"en", "de", "all"}
    headline = {key[1] for key in actual if key[0] == RATE and "natural" in key}
    assert headline == {"small", "large"} and outcomes.is_empty()


def test_nobody_answered():
    actual, _ = scored([*ITEMS, item("w1", "wild")], SILVER, [reply("w1", "small", "", **DEAD)], SAID)
    assert actual["no_answers", "small", "en", "all"]["value"] == 1
    assert actual[RATE, "small", "raw", "en", "all"]["n"] == 0
