"""Rates and counts of replies in the wild against fractions derived by hand."""

import json
from pathlib import Path

import polars as pl
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
    wild,
    words,
)

GOLD_FILE = Path(__file__).parents[4] / "shared/data/mfava/gold.jsonl"


def labelled(row: dict, *places: int) -> dict:
    """A reply with the words that people marked."""
    gold = sample(
        row["item_id"],
        row["text"],
        *words(*places),
        source="gold",
        task="wild",
        lang=row["item_id"][:2],
        group=f"article-{row['item_id'][:2]}-{row['item_id'][2:]}",
    )
    known = {"sample_id": f"gold-{row['generation_id']}", "generator": row["model"]}
    return gold | known | {"attributes": pairs(generation=row["generation_id"])}


def test_rates_of_replies():
    items, replies, said = wild(8)
    found, outcomes = scored([*ITEMS, *items], SILVER, replies, [*SAID, *said])
    # 2 of 11 words; P = R = .75 on silver; TPR .75, FPR 1/16
    raw = found["hallucination_rate", "large", "raw", "en", "all"]
    assert raw["value"] == pytest.approx(2 / 11, abs=1e-6) and raw["n"] == 8
    assert found["hallucination_rate", "large", "raw", "en", "kept"]["n"] == 7
    assert found["hallucination_rate", "large", "silver", "hr_est", "en", "all"]["value"] == pytest.approx(
        2 / 11, abs=1e-6
    )
    assert found["hallucination_rate", "large", "raw", "all", "all"]["value"] == raw["value"]
    assert (
        found["hallucination_rate_std", "large", "raw", "en", "all"]["value"] == 0
        and found["hallucination_rate_std", "large", "raw", "en", "all"]["n"] == 2
    )
    band = [found[f"sensitivity_{end}", "large", "silver", "en", "all"]["value"] for end in ("low", "high")]
    flagged, tpr, fpr = 2 / 11, 0.75, 1 / 16
    assert band == pytest.approx(
        [(flagged - 2 * fpr) / (tpr - 2 * fpr), (flagged - fpr / 2) / (tpr / 2 - fpr / 2)], abs=1e-6
    )
    # nobody labelled a reply: no rate is identified, and what is flagged takes no rank
    headline = ("natural", "prediction-powered")
    assert {
        found["hallucination_rate", "large", *headline, lang, "all"]["value"] for lang in ("en", "all")
    } == {None}
    assert outcomes.is_empty() and found["n_labelled", "large", "en"]["value"] == 0


def test_two_clusters_cannot_tell_what_a_detector_does():
    items, replies, said = wild(8)
    found, _ = scored([*ITEMS, *items], SILVER, replies, [*SAID, *said])
    key = ("large", "silver", "rogan-gladen", "en", "all")
    assert found["is_identified", *key]["value"] == 0 and found["hallucination_rate", *key]["value"] is None


def test_rogan_gladen_where_it_is_identified():
    items, replies, said = wild(8)
    silver = [sample(f"s{k}", TEXT, *words(0, 1)) for k in range(30)]
    known = [judged(row["sample_id"], *words(0, 1 if k % 5 else 8)) for k, row in enumerate(silver)]
    found, _ = scored([item(f"s{k}") for k in range(30)] + items, silver, replies, [*known, *said])
    key = ("large", "silver", "rogan-gladen", "en", "all")
    # TPR 54/60, FPR 6/240
    row = found["hallucination_rate", *key]
    assert found["is_identified", *key]["value"] == 1
    assert (
        row["value"] == pytest.approx((2 / 11 - 0.025) / (0.9 - 0.025), abs=1e-6)
        and row["low"] < row["value"] < row["high"]
    )


def test_natural_labels_take_the_place_of_the_band():
    items, replies, said = wild(8)
    natural = [labelled(row, 0, 5) for row in replies if row["model"] == "large"]
    found, outcomes = scored([*ITEMS, *items], [*SILVER, *natural], replies, [*SAID, *said])
    # gold 2 of 11 in every reply of `large`, the same words flagged or not; of `small` nothing is known
    headline = ("natural", "prediction-powered")
    assert found["hallucination_rate", "large", *headline, "en", "all"]["value"] == pytest.approx(
        2 / 11, abs=1e-6
    )
    assert found["hallucination_rate", "small", *headline, "en", "all"]["value"] is None
    outcomes = outcomes.filter(metric="hallucination_rate")
    assert set(outcomes["subject"]) == {"large"} and set(outcomes["value"]) == {round(2 / 11, 6)}
    assert [found["n_labelled", model, "all"]["value"] for model in ("large", "small")] == [8, 0]
    assert not any(key[0].startswith("sensitivity") for key in found)
    # marked 0, 1; gold 0, 5: P = R = .5, so the estimate is the flagged share
    assert found["hallucination_rate", "large", "natural", "hr_est", "en", "all"]["value"] == pytest.approx(
        2 / 11, abs=1e-6
    )
    assert found["iou", "token-lr", "natural", "binary", "en", "multi"]["value"] == pytest.approx(
        1 / 3, abs=1e-6
    )


def test_the_mean_over_languages_needs_every_language():
    items, replies, said = (
        sum(parts, []) for parts in zip(wild(4), wild(4, lang="de", n_marked=4), strict=True)
    )
    found, _ = scored([*ITEMS, *items], SILVER, replies, [*SAID, *said])
    assert found["hallucination_rate", "large", "raw", "all", "all"]["value"] == pytest.approx(
        3 / 11, abs=1e-6
    )
    assert (
        "hallucination_rate",
        "large",
        "silver",
        "hr_est",
        "all",
        "all",
    ) not in found  # German has no silver passages


def test_a_model_without_a_reply_in_one_language_has_no_mean_over_languages():
    items, replies, said = (
        sum(parts, []) for parts in zip(wild(4), wild(4, lang="de", n_marked=4), strict=True)
    )
    replies = [row for row in replies if row["model"] == "large" or row["item_id"].startswith("en")]
    found, _ = scored([*ITEMS, *items], SILVER, replies, [*SAID, *said])
    assert found["hallucination_rate", "large", "raw", "all", "all"]["value"] == pytest.approx(
        3 / 11, abs=1e-6
    )
    assert found["hallucination_rate", "small", "raw", "all", "all"]["value"] is None
    assert found["hallucination_rate", "small", "raw", "en", "all"]["value"] == pytest.approx(
        3 / 11, abs=1e-6
    )


def test_counts():
    items, replies, said = wild(4)
    found, _ = scored(items, [], replies, said)
    values = {
        name: found[name, "small", "en"]["value"]
        for name in ("n_replies", "n_tokens", "n_detected", "tokens_per_reply", "repeats_rate")
    }
    assert values == {
        "n_replies": 4,
        "n_tokens": 44,
        "n_detected": 12,
        "tokens_per_reply": 11,
        "repeats_rate": 0.25,
    }
    assert (
        found["detected_per_reply", "small", "all"]["value"] == 3
        and found["cut_rate", "small", "en"]["value"] == 0
    )


@pytest.mark.parametrize("flagged", [(0,), (0, 1, 2), (3, 4, 9), tuple(range(10))])
def test_on_the_calibration_rows_themselves_hr_est_is_the_gold_rate(flagged):
    """P · H / (R · N) = (both / H) · H / ((both / gold) · N) = gold / N, whatever the detector does, once it
    finds a token.
    """
    texts = [sample(f"s{k}", TEXT, *words(*range(k % 4 + 1))) for k in range(6)]
    said = [judged(row["sample_id"], *words(*flagged)) for row in texts]
    assert _estimated(texts, said) == pytest.approx((1 + 2 + 3 + 4 + 1 + 2) / 60, abs=1e-12)


def _estimated(texts: list[dict], said: list[dict]) -> float | None:
    samples = pl.DataFrame(tables(samples=texts)["samples"])
    board = marking.board_texts(
        samples, marking.answers(tables()["generations"], tables()["items"]), offsets_by("words")
    )
    held, runs = (
        marking.labelled(samples, board, "silver"),
        marking.runs_of(tables(judgements=said)["judgements"], board),
    )
    n, gold, detected, both = marking.token_sums(held, next(iter(runs.values()))[0], board.line).sum(axis=0)
    return hr_est(both / detected, both / gold, detected, n)


@pytest.mark.skipif(not GOLD_FILE.is_file(), reason="no mFAVA files beside this checkout")
@pytest.mark.parametrize("lang", ["ar", "zh", "de"])
def test_on_the_published_gold_hr_est_is_the_gold_rate(lang):
    rows = [row for row in map(json.loads, GOLD_FILE.read_text("utf-8").splitlines()) if row["lang"] == lang]
    read = [found for row in rows if isinstance(found := parse_tags(row["gold_annotations"]), Tagged)]
    texts = [
        sample(f"s{k}", found.text, *(one | {"p": None} for one in found.spans), lang=lang)
        for k, found in enumerate(read)
    ]
    # a detector that marks every third part of a text, wherever it is
    said = [
        judged(row["sample_id"], span(len(row["text"]) // 3, 2 * len(row["text"]) // 3))
        for row in texts
        if len(row["text"]) > 2
    ]
    texts = [row for row in texts if len(row["text"]) > 2]
    cut = offsets_by("words")
    n = sum(len(cut(row["text"])) for row in texts)
    gold = sum(
        any(one["start"] < end and start < one["end"] for one in row["spans"])
        for row in texts
        for start, end in cut(row["text"])
    )
    assert len(texts) > 150 and _estimated(texts, said) == pytest.approx(gold / n, abs=1e-12)


def test_a_model_that_never_answered_stands_there_without_a_rate():
    """In German none of its queries was answered; large was never answered at all."""
    items = [*ITEMS, item("w1", "wild"), item("w2", "wild", lang="de")]
    dead = {"status": "dead", "reason": "rejected"}
    replies = [reply("w1", "small", TEXT), reply("w2", "small", "", lang="de", **dead)]
    replies += [reply("w1", "large", "", **dead), reply("w2", "large", "", lang="de", **dead)]
    found, outcomes = scored(items, SILVER, replies, [*SAID, judged("answer-w1-small-", *words(0))])
    assert {key: row["value"] for key, row in found.items() if key[0] == "no_answers"} == {
        ("no_answers", "small", "de", "all"): 1.0,
        ("no_answers", "large", "de", "all"): 1.0,
        ("no_answers", "large", "en", "all"): 1.0,
        ("no_answers", "large", "all", "all"): 2.0,
    }
    rates = {
        key[1:]: row["value"]
        for key, row in found.items()
        if key[0] == "hallucination_rate" and key[2] == "raw" and key[4] == "all"
    }
    told = {key: value for key, value in rates.items() if value is not None}
    assert told == {
        ("small", "raw", lang, "all"): 0.1 for lang in ("en", "all")
    }  # nobody answered in German: the board is of one language
    assert {key for key in rates if key[0] == "large"} == {
        ("large", "raw", lang, "all") for lang in ("en", "de", "all")
    }
    headline = {key[1]: key[4:] for key in found if key[0] == "hallucination_rate" and "natural" in key}
    assert set(headline) == {"small", "large"} and outcomes.is_empty()


def test_nobody_answered():
    found, _ = scored(
        [*ITEMS, item("w1", "wild")],
        SILVER,
        [reply("w1", "small", "", status="dead", reason="rejected")],
        SAID,
    )
    assert (
        found["no_answers", "small", "en", "all"]["value"] == 1
        and found["hallucination_rate", "small", "raw", "en", "all"]["n"] == 0
    )
