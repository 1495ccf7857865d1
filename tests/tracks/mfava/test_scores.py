"""Detectors, rates and counts against fractions derived by hand."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from truerate.core.schemas import Outcome, Score, pairs, validate
from truerate.core.tags import Tagged, parse_tags
from truerate.metrics.rates import hr_est
from truerate.metrics.tokens import offsets_by
from truerate.tracks.mfava import marking
from truerate.tracks.mfava.metrics import METRICS
from truerate.tracks.mfava.scores import score

from .made_scores import At, Detector, Params, Settings, by_key, item, judged, reply, sample, span, tables

GOLD_FILE = Path(__file__).parents[4] / "shared/data/mfava/gold.jsonl"
TEXT = "a b c d e f g h i j"  # ten words at 0, 2, …, 18


def words(*places: int, kind: str | None = "entity", p: float | None = None) -> list[dict]:
    """A span on each of these words."""
    return [span(2 * place, 2 * place + 1, kind, p) for place in places]


def scored(items, samples, generations, judgements, settings=None):
    at = At() if settings is None else At(replace(Params(models=At().p.models), settings=settings))
    scores, outcomes = score(at, "board", **tables(items, samples, generations, judgements), inputs="digest")
    validate(Score, scores, where="scores"), validate(Outcome, outcomes, where="outcomes")
    keys = scores.with_columns(pl.col("slice").list.eval(pl.element().struct.field("value")).list.join(" "))
    assert not keys.select("metric", "subject", "slice").is_duplicated().any()
    return by_key(scores), outcomes


# Two silver passages: gold 0, 1, 2 (invented: 2) and 5. Marked: 0, 1, 7 and 5. n 20, gold 4, detected 4, both
# 3.
SILVER = [sample("i1", TEXT, *words(0, 1), *words(2, kind="invented")), sample("i2", TEXT, *words(5))]
SAID = [
    judged("silver-i1", *words(0, 1, 7, kind="hallucination", p=0.9)),
    judged("silver-i2", *words(5, p=0.6), *words(6, p=0.5)),
]
ITEMS = [item("i1"), item("i2")]


def test_detection():
    found, _ = scored(ITEMS, SILVER, [], SAID)
    where = ("token-lr", "silver", "binary", "en", "multi")
    values = {name: found[f"token_{name}", *where]["value"] for name in ("precision", "recall", "f1", "fpr")}
    assert values == {"precision": 0.75, "recall": 0.75, "f1": 0.75, "fpr": 1 / 16}
    assert found["token_recall_by_type", *where, "entity"]["value"] == 1.0
    assert found["token_recall_by_type", *where, "invented"]["value"] == 0.0
    assert found["token_f1", *where]["n"] == 2 and found["token_f1_std", *where]["value"] is None
    assert found["token_f1", "token-lr", "silver", "binary", "all", "multi"]["value"] == 0.75
    assert not any(key[0] in ("token_f1_typed", "token_f1_by_type") for key in found)


def test_held_out_passages_are_scored_and_calibrate_nothing():
    # One passage: gold 0, 1; marked 1, 2. n 10, both 1: F1 = 2 · 1 / (2 + 2).
    held = sample("h", TEXT, *words(0, 1), task="held-out")
    known = [*ITEMS, item("h", "held-out"), item("w", "wild")]
    found, _ = scored(
        known,
        [*SILVER, held],
        [reply("w", "small", TEXT)],
        [*SAID, judged("silver-h", *words(1, 2)), judged("answer-w-small-")],
    )
    assert found["token_f1", "token-lr", "held-out", "binary", "en", "multi"]["value"] == 0.5
    assert found["token_f1", "token-lr", "silver", "binary", "en", "multi"]["value"] == 0.75
    assert found["hallucinated_token_rate", "texts", "held-out", "en"]["value"] == 0.2
    rates = [key for key in found if key[0] == "hallucination_rate"]
    assert any("silver" in key for key in rates) and not any("held-out" in key for key in rates)


def test_where_every_passage_agrees_the_interval_is_not_a_point():
    texts = [sample(f"s{k}", TEXT, *words(0)) for k in range(10)]
    found, _ = scored(
        [item(f"s{k}") for k in range(10)],
        texts,
        [],
        [judged(row["sample_id"], span(0, 19)) for row in texts],
    )
    row = found["token_recall", "token-lr", "silver", "binary", "en", "multi"]
    # Wilson, 10 of 10: 1 / (1 + 1.96² / 10)
    assert (row["value"], row["high"]) == (1.0, 1.0) and row["low"] == pytest.approx(10 / 13.8415, abs=1e-3)


def test_where_few_passages_hold_a_type_the_interval_counts_those_alone():
    texts = [sample(f"s{k}", TEXT, *words(0, kind="invented" if k < 4 else "entity")) for k in range(10)]
    found, _ = scored(
        [item(f"s{k}") for k in range(10)],
        texts,
        [],
        [judged(row["sample_id"], span(0, 19)) for row in texts],
    )
    row = found["token_recall_by_type", "token-lr", "silver", "binary", "en", "multi", "invented"]
    # Wilson, 4 of 4 and not 10 of 10: 1 / (1 + 1.96² / 4)
    assert row["value"] == 1.0 and row["low"] == pytest.approx(4 / 7.8415, abs=1e-3)


def test_a_reference_in_two_languages_does_not_make_their_mean_surer():
    def means(is_shared: bool):
        keys = [(lang, k) for lang in ("en", "de") for k in range(6)]
        texts = [
            sample(f"{lang}{k}", TEXT, *words(0, 1), lang=lang, group=f"r{k}" if is_shared else f"{lang}{k}")
            for lang, k in keys
        ]
        said = [
            judged(row["sample_id"], *words(0, *([1] if k % 2 else []), 5))
            for row, (_, k) in zip(texts, keys, strict=True)
        ]
        found, _ = scored([item(f"{lang}{k}", lang=lang) for lang, k in keys], texts, [], said)
        return [
            found["token_recall", "token-lr", "silver", "binary", lang, "multi"]
            for lang in ("en", "de", "all")
        ]

    en, de, whole = means(True)
    assert whole["low"] == pytest.approx((en["low"] + de["low"]) / 2, abs=1e-5) and en["low"] < en["value"]
    en, de, whole = means(False)
    assert whole["low"] > (en["low"] + de["low"]) / 2 + 0.01


def test_a_judgement_of_a_passage_counts_for_its_gold_twin():
    gold = [sample("i1", TEXT, *words(0), source="gold")]
    found, _ = scored(ITEMS, [*SILVER, *gold], [], [*SAID, judged("gold-i1", *words(9))])
    # the text was judged twice: the first judgement by id is the one on the gold sample's own id
    assert found["token_precision", "token-lr", "gold", "binary", "en", "multi"]["n"] == 1
    alone, _ = scored(ITEMS, [*SILVER, *gold], [], SAID)
    assert alone["token_precision", "token-lr", "gold", "binary", "en", "multi"]["value"] == pytest.approx(
        1 / 3, abs=1e-6
    )


def test_seeds_are_averaged_and_their_spread_is_shown():
    second = [
        judged("silver-i1", seed=47),
        judged("silver-i2", *words(5), seed=47),
    ]  # both 1, detected 1: F1 2 / (4 + 1)
    found, _ = scored(ITEMS, SILVER, [], [*SAID, *second])
    where = ("token-lr", "silver", "binary", "en", "multi")
    assert found["token_f1", *where]["value"] == pytest.approx((0.75 + 0.4) / 2)
    assert (
        found["token_f1_std", *where]["value"] == pytest.approx(0.35 / 2**0.5, abs=1e-6)
        and found["token_f1_std", *where]["n"] == 2
    )
    # P .75 and 1, R .75 and .25
    assert found["token_precision_std", *where]["value"] == pytest.approx(0.25 / 2**0.5, abs=1e-6)
    assert found["token_recall_std", *where]["value"] == pytest.approx(0.5 / 2**0.5, abs=1e-6)


def test_types_of_a_category_detector():
    said = [
        judged("silver-i1", *words(0), *words(1, 2, kind="invented"), labels="category"),
        judged("silver-i2", labels="category"),
    ]
    found, _ = scored(ITEMS, SILVER, [], said)
    where = ("token-lr", "silver", "category", "en", "multi")
    # right by type: 0 (entity), 2 (invented); detected 3, gold 4
    assert found["token_f1_typed", *where]["value"] == pytest.approx(4 / 7, abs=1e-6)
    assert found["token_f1_by_type", *where, "entity"]["value"] == 2 * 1 / (3 + 1)
    assert found["token_f1_by_type", *where, "invented"]["value"] == pytest.approx(2 * 1 / (1 + 2), abs=1e-6)
    assert found["token_recall_by_type", *where, "entity"]["value"] == pytest.approx(2 / 3, abs=1e-6)


def test_texts_that_were_not_judged_do_not_count():
    said = [SAID[0], judged("silver-i2", status="unparsed"), judged("silver-i2", lang="de", member="mono")]
    found, _ = scored(ITEMS, SILVER, [], said)
    assert found["token_recall", "token-lr", "silver", "binary", "en", "multi"]["value"] == pytest.approx(
        2 / 3, abs=1e-6
    )
    assert not any(
        key[1] == "mono" and key[0] == "token_f1" for key in found
    )  # a detector of German says nothing of English


# ---- rates -------------------------------------------------------------------------------------------------


def wild(n: int, *, lang: str = "en", n_marked: int = 2) -> tuple[list, list, list]:
    """`n` queries, answered by two models: `large` has `n_marked` words of ten marked, `small` one more; the
    first reply repeats itself.
    """
    items = [item(f"{lang}{k}", "wild", lang, f"article-{lang}-{k}") for k in range(n)]
    facts = [
        {"lang": lang, "subset_seed": (42, 43)[k % 2], "repeats": "yes" if k == 0 else None} for k in range(n)
    ]
    models = ("large", "small")
    replies = [
        reply(one["item_id"], model, f"{TEXT} {model}", **more)
        for one, more in zip(items, facts, strict=True)
        for model in models
    ]
    marked = {"large": n_marked, "small": n_marked + 1}
    said = [judged(row["generation_id"], *words(*range(marked[row["model"]]))) for row in replies]
    return items, replies, said


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


# ---- the threshold and the order of probabilities ---------------------------------------------------------


def test_a_detector_marks_above_its_own_threshold():
    # i1 gold 0, 1, 2: .3 and .6 above .25, .2 not · i2 gold 5: nothing above it
    spans = [*words(0, p=0.3), *words(1, p=0.6), *words(7, p=0.2)]
    said = [
        judged("silver-i1", *spans, threshold=0.25),
        judged("silver-i2", *words(5, p=0.2), threshold=0.25),
    ]
    where = ("token-lr", "silver", "binary", "en", "multi")
    found, _ = scored(ITEMS, SILVER, [], said)
    assert found["token_f1", *where]["value"] == pytest.approx(2 * 2 / (4 + 2), abs=1e-6)
    without, _ = scored(
        ITEMS, SILVER, [], [judged("silver-i1", *spans), judged("silver-i2", *words(5, p=0.2))]
    )
    assert without["token_f1", *where]["value"] == pytest.approx(2 * 1 / (4 + 1), abs=1e-6)


def test_the_order_of_probabilities_is_scikit_learns_and_averaged_over_seeds():
    said = [judged("silver-i1", *words(0, p=0.3), *words(7, p=0.6), *words(1, p=0.8)), judged("silver-i2")]
    other = [
        judged("silver-i1", *words(0, 1, 2, p=0.4), seed=47),
        judged("silver-i2", *words(5, p=0.1), seed=47),
    ]
    found, _ = scored(ITEMS, SILVER, [], [*said, *other])
    gold = [place in (0, 1, 2, 15) for place in range(20)]
    first = [{0: 0.3, 7: 0.6, 1: 0.8}.get(place, 0) for place in range(20)]
    where = ("token-lr", "silver", "binary", "en", "multi")
    for name, of in (("token_auroc", roc_auc_score), ("token_average_precision", average_precision_score)):
        assert found[name, *where]["value"] == pytest.approx((of(gold, first) + 1) / 2, abs=1e-6)
        assert found[name, *where]["n"] == 2
        assert (
            found[name, "token-lr", "silver", "binary", "all", "multi"]["value"]
            == found[name, *where]["value"]
        )


# ---- Mu-SHROOM, spans, rejects -----------------------------------------------------------------------------


def test_mushroom_baselines_are_of_whole_characters():
    soft = sample(
        "w1", "abcd", span(0, 2, None, 0.7), span(2, 3, None, 0.4), source="published", task="wild", lang="sv"
    )
    none = sample("w2", "abcd", source="published", task="wild", lang="sv")
    found, outcomes = scored(
        [item("w1", "wild", "sv"), item("w2", "wild", "sv")],
        [soft, none],
        [],
        [judged("published-w1", span(0, 2, "hallucination", 0.9))],
    )
    ranked = outcomes.filter(metric="iou", subject="mark-all").group_by("slice").agg(pl.col("value").mean())
    assert ranked["value"].to_list() == [(2 / 4 + 0) / 2] * 2  # Swedish, and all languages
    key = ("natural", "binary", "sv", "multi")
    assert (
        found["iou", "mark-all", *key]["value"] == (2 / 4 + 0) / 2
        and found["iou", "mark-none", *key]["value"] == (0 + 1) / 2
    )
    assert (
        found["spearman", "mark-all", *key]["value"]
        == found["spearman", "mark-none", *key]["value"]
        == (0 + 1) / 2
    )
    assert found["iou", "token-lr", *key]["value"] == 1.0 and found["iou", "token-lr", *key]["n"] == 1
    # ranks of (.7, .7, .4, 0) and (.9, .9, 0, 0)
    expected = np.corrcoef([3.5, 3.5, 2, 1], [3.5, 3.5, 1.5, 1.5])[0, 1]
    assert found["spearman", "token-lr", *key]["value"] == pytest.approx(expected, abs=1e-6)


def test_answers_with_a_page_have_a_correlation_of_their_own():
    lang = {"source": "published", "task": "wild", "lang": "sv"}
    samples = [sample(name, "abcd", span(0, 2, None, 0.9), **lang) for name in ("w1", "w2")]
    said = [judged("published-w1", span(0, 2, "hallucination", 0.9)), judged("published-w2")]
    items = [item("w1", "wild", "sv") | {"document_ids": ["d"]}, item("w2", "wild", "sv")]
    found, _ = scored(items, samples, [], said)
    for key in (("natural", "binary", "sv", "multi"), ("natural", "binary", "all", "multi")):
        assert found["spearman", "token-lr", *key]["value"] == (1 + 0) / 2
        paged = found["spearman_with_page", "token-lr", *key]
        assert (paged["value"], paged["n"]) == (pytest.approx(1), 1)
        # of the answer with a page the marks are right; of the other one nothing is marked, so both together have 1/2
        alone, both = (found[metric, "token-lr", *key] for metric in ("iou_with_page", "iou"))
        assert ((alone["value"], alone["n"]), (both["value"], both["n"])) == ((1.0, 1), (0.5, 2))
    every = [one | {"document_ids": ["d"]} for one in items]
    assert not any(key[0] == "spearman_with_page" for key in scored(every, samples, [], said)[0])


def test_span_statistics():
    found, _ = scored(
        ITEMS, [*SILVER, sample("i1", TEXT, *words(0), *words(3, p=0.4), source="gold")], [], []
    )
    assert found["n_spans", "texts", "silver", "en", "silver", "entity"]["value"] == 3
    assert found["span_rate", "texts", "silver", "en", "silver", "invented"]["value"] == 0.5
    assert (
        found["n_spans", "texts", "gold", "en", "silver", "all"]["value"] == 1
    )  # the span with p = .4 does not count as marked
    assert found["hallucinated_token_rate", "texts", "silver", "en"]["value"] == 4 / 20


def test_rejected_steps():
    rows = [reply(name, "quill", "x", purpose="write") for name in ("i1", "i2")]
    rows += [
        reply("i1", "quill", "x", purpose="insert", type="subjective"),
        reply("i2", "quill", "", purpose="insert", type="entity", status="unparsed", reason="altered"),
    ]
    found, _ = scored(ITEMS, [], rows, [])
    assert found["rejected_rate", "quill", "en", "altered", "insert"]["value"] == 0.5
    assert found["n_rejected", "quill", "en", "all", "write"]["value"] == 0
    assert found["rejected_rate", "quill", "all", "all", "passage"]["value"] == 0.5
    assert found["n_rejected", "quill", "en", "altered", "passage"]["value"] == 1


def test_a_passage_is_lost_for_the_reason_of_its_last_try_alone():
    entity = {"purpose": "insert", "type": "entity"}
    rows = [reply(name, "quill", "x", purpose="write") for name in ("i1", "i2")]
    rows += [
        reply("i1", "quill", "", **entity, status="unparsed", reason="altered"),
        reply("i1", "quill", "y", **entity, **{"try": "2"}),
        reply("i1", "quill", "z", purpose="insert", type="subjective"),  # came through in the end
        reply("i2", "quill", "", **entity, status="unparsed", reason="altered"),
        reply("i2", "quill", "y", **entity, **{"try": "2"}, status="dead", reason="timeout"),
    ]
    found, _ = scored(ITEMS, [], rows, [])
    lost = {
        key[3]: row["value"] for key, row in found.items() if key[0] == "n_rejected" and key[-1] == "passage"
    }
    assert lost == {"timeout": 1, "all": 1}
    assert found["n_rejected", "quill", "en", "altered", "insert"]["value"] == 2


def test_answerable_queries():
    said = {"q1": "yes", "q2": "no", "q3": "yes", "q4": None}
    items = [
        item(name, "wild", lang="de" if name == "q3" else "en") | {"attributes": pairs(answerable=one)}
        for name, one in said.items()
    ]
    found, _ = scored(items, [], [], [])
    assert (
        found["answerable_rate", "texts", "en"]["value"],
        found["answerable_rate", "texts", "en"]["n"],
    ) == (0.5, 2)
    assert found["answerable_rate", "texts", "all"]["value"] == pytest.approx(2 / 3, abs=1e-6)


def test_nothing_at_all():
    found, outcomes = scored([], [], [], [])
    assert not found and outcomes.is_empty()


def test_the_detector_of_the_rates_must_have_judged():
    items, replies, said = wild(4)
    found, outcomes = scored(
        items, [], replies, said, settings=replace(Settings(), detector=Detector(member="other"))
    )
    assert not any(key[0] == "hallucination_rate" for key in found) and outcomes.is_empty()


def test_every_metric_has_a_record():
    items, replies, said = wild(8)
    gold = [
        sample("i1", TEXT, *words(0), source="gold"),
        sample("en0", f"{TEXT} large", *words(0), source="gold", task="wild", group="article-en-0"),
    ]
    found, _ = scored(
        [*ITEMS, *items],
        [*SILVER, *gold],
        [*replies, reply("i1", "quill", "x", purpose="write")],
        [*SAID, *said],
    )
    assert {key[0] for key in found} <= {one.name for one in METRICS}


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


def test_articles_queries_and_categories_are_counted_per_language_and_summed():
    told = [("a", "en", "Rivers"), ("a", "en", "Rivers"), ("b", "en", "Towns"), ("c", "de", "Rivers")]
    items = [
        item(f"q{n}", "wild", lang, group) | {"attributes": pairs(category=kind)}
        for n, (group, lang, kind) in enumerate(told)
    ]
    found, _ = scored(items, [], [], [])
    counts = {
        lang: [found[name, "texts", lang]["value"] for name in ("n_articles", "n_queries", "n_categories")]
        for lang in ("en", "de", "all")
    }
    # Rivers stands in both languages: as printed, a total is the sum of its column
    assert counts == {"en": [2, 3, 2], "de": [1, 1, 1], "all": [3, 4, 3]}
    found, _ = scored([*items, item("q9", "wild", "de")], [], [], [])
    assert ("n_categories", "texts", "de") not in found and ("n_categories", "texts", "all") not in found
