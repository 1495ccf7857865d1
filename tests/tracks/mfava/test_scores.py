"""Detectors, spans, rejects and queries against fractions derived by hand."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from truerate.core.schemas import pairs
from truerate.tracks.protocol import metrics_of_track

from .made_scores import (
    ITEMS,
    SAID,
    SILVER,
    TEXT,
    Detector,
    Settings,
    item,
    judged,
    reply,
    sample,
    scored,
    span,
    wild,
    words,
)


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
    found, outcomes = scored(items, samples, [], said)
    for key in (("natural", "binary", "sv", "multi"), ("natural", "binary", "all", "multi")):
        assert found["spearman", "token-lr", *key]["value"] == (1 + 0) / 2
        paged = found["spearman_with_page", "token-lr", *key]
        assert (paged["value"], paged["n"]) == (pytest.approx(1), 1)
        # of the answer with a page the marks are right; of the other one nothing is marked, so both together have 1/2
        alone, both = (found[metric, "token-lr", *key] for metric in ("iou_with_page", "iou"))
        assert ((alone["value"], alone["n"]), (both["value"], both["n"])) == ((1.0, 1), (0.5, 2))
    units = outcomes.filter(pl.col("metric").str.ends_with("_with_page"), subject="token-lr")
    assert set(units["metric"]) == {"iou_with_page", "spearman_with_page"} and set(units["unit_id"]) == {
        "published-w1"
    }
    every = [one | {"document_ids": ["d"]} for one in items]
    found, outcomes = scored(every, samples, [], said)
    assert not any(key[0] == "spearman_with_page" for key in found)
    assert set(outcomes["metric"]) == {"iou", "spearman"}


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
    assert {key[0] for key in found} <= {one.name for one in metrics_of_track("mfava")}


def test_articles_queries_and_categories_are_counted_per_language_and_summed():
    told = [("a", "en", "Rivers"), ("a", "en", "Rivers"), ("b", "en", "Towns"), ("c", "de", "Rivers")]
    items = [
        item(f"q{n}", "wild", lang, group) | {"attributes": pairs(category=kind)}
        for n, (group, lang, kind) in enumerate(told)
    ]
    unasked = item("q8", "wild", "en", "z") | {"attributes": pairs(category="Hills")}
    asked = [reply(one["item_id"], "elm", "x") for one in items]
    found, _ = scored([*items, unasked], [], asked, [])
    counts = {
        lang: [found[name, "texts", lang]["value"] for name in ("n_articles", "n_queries", "n_categories")]
        for lang in ("en", "de", "all")
    }
    # Rivers stands in both languages: as printed, a total is the sum of its column
    assert counts == {"en": [2, 3, 2], "de": [1, 1, 1], "all": [3, 4, 3]}
    found, _ = scored([*items, item("q9", "wild", "de")], [], [*asked, reply("q9", "elm", "x")], [])
    assert ("n_categories", "texts", "de") not in found and ("n_categories", "texts", "all") not in found
