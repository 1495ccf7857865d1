"""Detectors, spans, rejects and queries against fractions derived by hand."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from truerate.config import load_params
from truerate.core.schemas import pairs
from truerate.metrics.score_writer import ScoreWriter
from truerate.metrics.text_overlap import common_terms, content_sentences, coverage, informativeness
from truerate.tracks.mfava.marking import WHOLE, answers, in_parts, parts_of_items, pieces, scored_parts
from truerate.tracks.mfava.rate_scores import content_rows
from truerate.tracks.mfava.scores import score
from truerate.tracks.protocol import metrics_of_track

from .made_scores import (
    ITEMS,
    SAID,
    SILVER,
    TEXT,
    At,
    Detector,
    Settings,
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

ROOT = Path(__file__).parents[3]
WRITER = ScoreWriter("board", "digest", load_params(ROOT / "params.yaml").statistics, 0)
WHERE = ("token-lr", "silver", "binary", "en", "multi")
ALL = ("token-lr", "silver", "binary", "all", "multi")


def against(labels: str) -> tuple:
    return ("token-lr", labels, *WHERE[2:])


def near(value: float):
    return pytest.approx(value, abs=1e-6)


def detected(judgements, samples=SILVER):
    return scored(ITEMS, samples, [], judgements)[0]


def test_detection():
    actual = detected(SAID)
    names = [f"token_{name}" for name in ("precision", "recall", "f1", "fpr")]
    assert values_of(actual, *names, where=WHERE) == [0.75, 0.75, 0.75, 1 / 16]
    by_type = [actual["token_recall_by_type", *WHERE, kind]["value"] for kind in ("entity", "invented")]
    assert by_type == [1.0, 0.0]
    assert actual["token_f1", *WHERE]["n"] == 2 and actual["token_f1_std", *WHERE]["value"] is None
    assert actual["token_f1", *ALL]["value"] == 0.75
    assert not any(key[0] in ("token_f1_typed", "token_f1_by_type") for key in actual)


def test_held_out_passages_are_scored_and_calibrate_nothing():
    # One passage: gold 0, 1; marked 1, 2. n 10, both 1: F1 = 2 · 1 / (2 + 2).
    held_out = sample("h", TEXT, *words(0, 1), task="held-out")
    columns = [*ITEMS, item("h", "held-out"), item("w", "wild")]
    judgements = [*SAID, judged("silver-h", *words(1, 2)), judged("answer-w-small-")]
    actual, _ = scored(columns, [*SILVER, held_out], [reply("w", "small", TEXT)], judgements)
    assert [actual["token_f1", *against(of)]["value"] for of in ("held-out", "silver")] == [0.5, 0.75]
    assert actual["hallucinated_token_rate", "texts", "held-out", "en"]["value"] == 0.2
    rates = [key for key in actual if key[0] == "hallucination_rate"]
    assert any("silver" in key for key in rates) and not any("held-out" in key for key in rates)


@pytest.mark.parametrize(
    ("n", "metric", "more"), [(10, "token_recall", ()), (4, "token_recall_by_type", ("invented",))]
)
def test_where_every_passage_agrees_the_interval_counts_those_that_hold_the_type_and_is_no_point(
    n, metric, more
):
    texts = [sample(f"s{k}", TEXT, *words(0, kind="invented" if k < 4 else "entity")) for k in range(10)]
    judgements = [judged(row["sample_id"], span(0, 19)) for row in texts]
    actual, _ = scored([item(f"s{k}") for k in range(10)], texts, [], judgements)
    row = actual[metric, *WHERE, *more]
    # Wilson, n of n: 1 / (1 + 1.96² / n)
    assert (row["value"], row["high"]) == (1.0, 1.0) and row["low"] == pytest.approx(
        n / (n + 3.8415), abs=1e-3
    )


def test_a_reference_in_two_languages_does_not_make_their_mean_surer():
    keys = [(lang, k) for lang in ("en", "de") for k in range(6)]
    ends = {}
    for is_shared in (True, False):
        groups = [f"r{k}" if is_shared else f"{lang}{k}" for lang, k in keys]
        texts = [
            sample(f"{lang}{k}", TEXT, *words(0, 1), lang=lang, group=group)
            for (lang, k), group in zip(keys, groups, strict=True)
        ]
        judgements = [judged(f"silver-{lang}{k}", *words(0, *([1] if k % 2 else []), 5)) for lang, k in keys]
        actual, _ = scored([item(f"{lang}{k}", lang=lang) for lang, k in keys], texts, [], judgements)
        rows = [
            actual["token_recall", "token-lr", "silver", "binary", lang, "multi"]
            for lang in ("en", "de", "all")
        ]
        assert rows[0]["low"] < rows[0]["value"]
        ends[is_shared] = [row["low"] for row in rows]
    assert ends[True][2] == pytest.approx(np.mean(ends[True][:2]), abs=1e-5)
    assert ends[False][2] > np.mean(ends[False][:2]) + 0.01


def test_a_judgement_of_a_passage_counts_for_its_gold_twin():
    gold = [*SILVER, sample("i1", TEXT, *words(0), source="gold")]
    # the text was judged twice: the first judgement by id is the one on the gold sample's own id
    assert (
        detected([*SAID, judged("gold-i1", *words(9))], gold)["token_precision", *against("gold")]["n"] == 1
    )
    assert detected(SAID, gold)["token_precision", *against("gold")]["value"] == near(1 / 3)


def test_seeds_are_averaged_and_their_spread_is_shown():
    # both 1, detected 1: F1 2 / (4 + 1)
    actual = detected([*SAID, judged("silver-i1", seed=47), judged("silver-i2", *words(5), seed=47)])
    assert (
        actual["token_f1", *WHERE]["value"] == near((0.75 + 0.4) / 2)
        and actual["token_f1_std", *WHERE]["n"] == 2
    )
    # P .75 and 1, R .75 and .25
    names = ("token_f1_std", "token_precision_std", "token_recall_std")
    assert values_of(actual, *names, where=WHERE) == [near(gap / 2**0.5) for gap in (0.35, 0.25, 0.5)]


def test_types_of_a_category_detector():
    marked = [*words(0), *words(1, 2, kind="invented")]
    actual = detected(
        [judged("silver-i1", *marked, labels="category"), judged("silver-i2", labels="category")]
    )
    where = ("token-lr", "silver", "category", "en", "multi")
    # right by type: 0 (entity), 2 (invented); detected 3, gold 4
    assert actual["token_f1_typed", *where]["value"] == near(4 / 7)
    f1 = [actual["token_f1_by_type", *where, kind]["value"] for kind in ("entity", "invented")]
    assert f1 == [2 * 1 / (3 + 1), near(2 * 1 / (1 + 2))]
    assert actual["token_recall_by_type", *where, "entity"]["value"] == near(2 / 3)


def test_texts_that_were_not_judged_do_not_count():
    actual = detected(
        [SAID[0], judged("silver-i2", status="unparsed"), judged("silver-i2", lang="de", member="mono")]
    )
    assert actual["token_recall", *WHERE]["value"] == near(2 / 3)
    # a detector of German says nothing of English
    assert not any(key[:2] == ("token_f1", "mono") for key in actual)


def test_a_detector_marks_above_its_own_threshold():
    # i1 gold 0, 1, 2: .3 and .6 above .25, .2 not · i2 gold 5: nothing above it
    spans = [*words(0, p=0.3), *words(1, p=0.6), *words(7, p=0.2)]
    for more, n_marked in (({"threshold": 0.25}, 2), ({}, 1)):
        judgements = [judged("silver-i1", *spans, **more), judged("silver-i2", *words(5, p=0.2), **more)]
        assert detected(judgements)["token_f1", *WHERE]["value"] == near(2 * n_marked / (4 + n_marked))


def test_the_order_of_probabilities_is_scikit_learns_and_averaged_over_seeds():
    first = {0: 0.3, 7: 0.6, 1: 0.8}
    judgements = [
        judged("silver-i1", *(words(index, p=p)[0] for index, p in first.items())),
        judged("silver-i2"),
    ]
    judgements += [
        judged("silver-i1", *words(0, 1, 2, p=0.4), seed=47),
        judged("silver-i2", *words(5, p=0.1), seed=47),
    ]
    actual = detected(judgements)
    gold, p = [index in (0, 1, 2, 15) for index in range(20)], [first.get(index, 0) for index in range(20)]
    for name, of in (("token_auroc", roc_auc_score), ("token_average_precision", average_precision_score)):
        row = actual[name, *WHERE]
        assert (row["value"], row["n"]) == (near((of(gold, p) + 1) / 2), 2)
        assert actual[name, *ALL]["value"] == row["value"]


def test_the_share_of_texts_whose_reference_was_read_in_windows():
    samples = [sample(name, "a b c", lang=name[:2]) for name in ("en1", "en2", "de1")]
    items = [item(row["item_id"], lang=row["lang"]) for row in samples]
    windows = {"en1": 4, "en2": 1, "de1": 2}
    judgements = [judged(f"silver-{name}", n_windows=n) for name, n in windows.items()]
    # a detector that read all whole, or reads no reference, has no row
    judgements += [judged(f"silver-{name}", member="mark-all") for name in windows]
    actual, _ = scored(items, samples, [], judgements)
    rows = {key[4]: (row["value"], row["n"]) for key, row in actual.items() if key[0] == "windowed_rate"}
    assert rows == {"all": (near(2 / 3), 3), "en": (1 / 2, 2), "de": (1.0, 1)}


# ---- Mu-SHROOM, spans, rejects -----------------------------------------------------------------------------

ANSWERS = ("natural", "binary", "sv", "multi")
SWEDISH = {"source": "published", "task": "wild", "lang": "sv"}


def test_mushroom_baselines_are_of_whole_characters():
    samples = [
        sample("w1", "abcd", span(0, 2, None, 0.7), span(2, 3, None, 0.4), **SWEDISH),
        sample("w2", "abcd", **SWEDISH),
    ]
    judgements = [judged("published-w1", span(0, 2, "hallucination", 0.9))]
    actual, outcomes = scored([item("w1", "wild", "sv"), item("w2", "wild", "sv")], samples, [], judgements)
    ranked = outcomes.filter(metric="iou", subject="mark-all").group_by("slice").agg(pl.col("value").mean())
    assert ranked["value"].to_list() == [(2 / 4 + 0) / 2] * 2  # Swedish, and all languages
    iou = [actual["iou", name, *ANSWERS]["value"] for name in ("mark-all", "mark-none", "token-lr")]
    assert iou == [(2 / 4 + 0) / 2, (0 + 1) / 2, 1.0] and actual["iou", "token-lr", *ANSWERS]["n"] == 1
    spearman = [actual["spearman", name, *ANSWERS]["value"] for name in ("mark-all", "mark-none", "token-lr")]
    # ranks of (.7, .7, .4, 0) and (.9, .9, 0, 0)
    assert spearman == [0.5, 0.5, near(np.corrcoef([3.5, 3.5, 2, 1], [3.5, 3.5, 1.5, 1.5])[0, 1])]


def test_gold_passages_rank_detectors_where_no_reply_is_labelled():
    passage = {"lang": "sv", "task": "silver"}
    samples = [
        sample("p1", "abcd", span(0, 2), source="gold", **passage),
        sample("p1", "abcd", span(0, 1), span(3, 4), source="silver", **passage),
        sample("p2", "abcd", span(0, 4), source="gold", **passage),
    ]
    judgements = [
        judged("gold-p1", span(1, 2, "hallucination", 0.9)),
        judged("gold-p2", span(0, 2, None, 0.9)),
    ]
    items = [item("p1", lang="sv"), item("p2", lang="sv")]
    actual, outcomes = scored(items, samples, [], judgements)
    where = ("gold", *ANSWERS[1:])
    # of 4 characters gold has 0, 1 and all; what the writer of the second passage marked cannot be read
    iou = [actual["iou", name, *where]["value"] for name in ("mark-all", "mark-none", "token-lr", "silver")]
    assert iou == [(2 / 4 + 1) / 2, 0.0, (1 / 2 + 2 / 4) / 2, near(1 / 3)]
    assert actual["iou", "silver", *where]["n"] == 1
    assert not any(key[0] == "spearman" for key in actual) and set(outcomes["metric"]) == {"iou"}
    # a labelled reply takes their place
    more = sample("w1", "abcd", span(0, 2, None, 0.7), **SWEDISH)
    actual, _ = scored([*items, item("w1", "wild", "sv")], [*samples, more], [], judgements)
    assert {key[2] for key in actual if key[0] == "iou"} == {"natural"}


def test_answers_with_a_page_have_a_correlation_of_their_own():
    samples = [sample(name, "abcd", span(0, 2, None, 0.9), **SWEDISH) for name in ("w1", "w2")]
    judgements = [judged("published-w1", span(0, 2, "hallucination", 0.9)), judged("published-w2")]
    items = [item(name, "wild", "sv") for name in ("w1", "w2")]
    actual, outcomes = scored([items[0] | {"document_ids": ["d"]}, items[1]], samples, [], judgements)
    for lang in ("sv", "all"):
        where = ("token-lr", "natural", "binary", lang, "multi")
        names = ("spearman", "spearman_with_page", "iou", "iou_with_page")
        # of the answer with a page the marks are right; of the other one nothing is marked, so both together
        # have 1/2
        assert values_of(actual, *names, where=where) == [0.5, pytest.approx(1), 0.5, 1.0]
        assert [actual[name, *where]["n"] for name in names] == [2, 1, 2, 1]
    units = outcomes.filter(pl.col("metric").str.ends_with("_with_page"), subject="token-lr")
    assert set(units["metric"]) == {"iou_with_page", "spearman_with_page"} and set(units["unit_id"]) == {
        "published-w1"
    }
    actual, outcomes = scored([query | {"document_ids": ["d"]} for query in items], samples, [], judgements)
    assert set(outcomes["metric"]) == {"iou", "spearman"} and not any(
        key[0] == "spearman_with_page" for key in actual
    )


def test_span_statistics():
    actual = detected([], [*SILVER, sample("i1", TEXT, *words(0), *words(3, p=0.4), source="gold")])
    assert actual["n_spans", "texts", "silver", "en", "silver", "entity"]["value"] == 3
    assert actual["span_rate", "texts", "silver", "en", "silver", "invented"]["value"] == 0.5
    # the span with p = .4 does not count as marked
    assert actual["n_spans", "texts", "gold", "en", "silver", "all"]["value"] == 1
    assert actual["hallucinated_token_rate", "texts", "silver", "en"]["value"] == 4 / 20


def test_rejected_steps_and_a_passage_is_lost_for_the_reason_of_its_last_try_alone():
    entity = {"purpose": "insert", "type": "entity"}
    rows = [reply(name, "quill", "x", purpose="write") for name in ("i1", "i2")]
    rows += [
        reply("i1", "quill", "", **entity, status="unparsed", reason="altered"),
        reply("i1", "quill", "y", **entity, **{"try": "2"}),
        reply("i1", "quill", "z", purpose="insert", type="subjective"),  # came through in the end
        reply("i2", "quill", "", **entity, status="unparsed", reason="altered"),
        reply("i2", "quill", "y", **entity, **{"try": "2"}, status="dead", reason="timeout"),
    ]
    actual, _ = scored(ITEMS, [], rows, [])
    lost = {
        key[3]: row["value"] for key, row in actual.items() if key[0] == "n_rejected" and key[-1] == "passage"
    }
    assert lost == {"timeout": 1, "all": 1}
    assert actual["rejected_rate", "quill", "all", "all", "passage"]["value"] == 0.5
    assert actual["n_rejected", "quill", "en", "all", "write"]["value"] == 0
    inserted = [
        actual[name, "quill", "en", "altered", "insert"]["value"] for name in ("n_rejected", "rejected_rate")
    ]
    assert inserted == [2, 2 / 5]


def test_answerable_queries():
    checked = {"q1": "yes", "q2": "no", "q3": "yes", "q4": None}
    items = [
        item(name, "wild", "de" if name == "q3" else "en") | {"attributes": pairs(answerable=verdict)}
        for name, verdict in checked.items()
    ]
    actual, _ = scored(items, [], [], [])
    rows = [actual["answerable_rate", "texts", lang] for lang in ("en", "all")]
    assert [(row["value"], row["n"]) for row in rows] == [(0.5, 2), (near(2 / 3), 3)]


def test_articles_queries_and_categories_are_counted_per_language_and_summed():
    asked_of = [("a", "en", "Rivers"), ("a", "en", "Rivers"), ("b", "en", "Towns"), ("c", "de", "Rivers")]
    items = [
        item(f"q{n}", "wild", lang, group) | {"attributes": pairs(category=kind)}
        for n, (group, lang, kind) in enumerate(asked_of)
    ]
    unasked = item("q8", "wild", "en", "z") | {"attributes": pairs(category="Hills")}
    asked = [reply(row["item_id"], "elm", "x") for row in items]
    actual, _ = scored([*items, unasked], [], asked, [])
    names = ("n_articles", "n_queries", "n_categories")
    counts = [values_of(actual, *names, where=("texts", lang)) for lang in ("en", "de", "all")]
    # Rivers stands in both languages: as printed, a total is the sum of its column
    assert counts == [[2, 3, 2], [1, 1, 1], [3, 4, 3]]
    actual, _ = scored([*items, item("q9", "wild", "de")], [], [*asked, reply("q9", "elm", "x")], [])
    assert ("n_categories", "texts", "de") not in actual and ("n_categories", "texts", "all") not in actual


# ---- the whole ---------------------------------------------------------------------------------------------


def test_nothing_at_all_and_a_detector_of_the_rates_that_judged_nothing():
    actual, outcomes = scored([], [], [], [])
    assert not actual and outcomes.is_empty()
    items, replies, judgements = wild(4)
    other = replace(Settings(), detector=Detector(member="other"))
    actual, outcomes = scored(items, [], replies, judgements, settings=other)
    assert not any(key[0] == "hallucination_rate" for key in actual) and outcomes.is_empty()


def test_every_metric_has_a_record():
    items, replies, judgements = wild(8)
    of_reply = sample("en0", f"{TEXT} large", *words(0), source="gold", task="wild", group="article-en-0")
    samples = [*SILVER, sample("i1", TEXT, *words(0), source="gold"), of_reply]
    asked = [*replies, reply("i1", "quill", "x", purpose="write")]
    actual, _ = scored([*ITEMS, *items], samples, asked, [*SAID, *judgements])
    assert {key[0] for key in actual} <= {metric.name for metric in metrics_of_track("mfava")}


LANGS = ("de", "en")


def board(trained: str = "de") -> dict[str, pl.DataFrame]:
    """Two languages with passages, replies and labels of some of them; seed 43 judged the English texts
    alone, and another detector the German ones. A German item has a passage to learn from in the language
    `trained`.
    """
    keys = [(lang, k) for k in range(4) for lang in LANGS]
    items = [item(f"{lang}{k}", "wild", lang, f"g{k // 2}-{lang}") for lang, k in keys]
    items += [item(f"p-{lang}", lang=lang) for lang in LANGS] + [item("t", lang="de", task="train")]
    replies = [
        reply(f"{lang}{k}", model, f"{model} says {k} words", lang=lang)
        for lang, k in keys
        for model in ("small", "large")
    ]
    samples = [
        sample(f"p-{lang}", "a b c d", span(0, 1), span(4, 5, kind="invented"), lang=lang) for lang in LANGS
    ]
    targets = [row["generation_id"] for row in replies] + [row["sample_id"] for row in samples]
    samples += [
        sample(f"{lang}{k}", f"small says {k} words", span(0, 5), task="wild", source="gold", lang=lang)
        for lang, k in keys
        if k < 3
    ]
    samples.append(sample("t", "a b", lang=trained, task="train"))
    judgements = [judged(target, span(0, 3, p=0.9), span(4, 6, p=0.3)) for target in targets]
    judgements += [judged(target, span(2, 3, p=0.8), seed=43) for target in targets if "de" not in target]
    judgements += [
        judged(target, span(0, 9, p=0.7), member="other", n_windows=2) for target in targets if "de" in target
    ]
    return tables(items, samples, replies, judgements)


def test_no_text_is_lost_or_in_two_parts():
    result = board()
    parts = scored_parts(result["items"], result["samples"], result["generations"])
    assert sorted(parts["target_id"]) == sorted(
        [*result["samples"]["sample_id"], *result["generations"]["generation_id"]]
    )
    replies = answers(result["generations"], result["items"])
    actual = list(pieces(result["items"], result["samples"], replies, in_parts(result["judgements"], parts)))
    assert [set(piece.samples["lang"]) for piece in actual] == [{"de"}, {"en"}]
    assert pl.concat([piece.replies for piece in actual]).sort("generation_id").equals(replies)
    assert sum(piece.judgements.collect().height for piece in actual) == result["judgements"].height
    shared = tables(
        [item("i", lang="en")], [sample("i", "a b", lang="de")]
    )  # an item in two languages: one part
    assert set(parts_of_items(shared["items"], shared["samples"])["part"]) == {WHOLE}


def test_scores_in_parts_are_those_of_the_board_at_once():
    # a passage to learn from, of which nothing but the number of texts is scored, in two languages leaves a
    # board whole
    parted, whole = board("de"), board("en")
    for result, names in ((parted, {"de", "en"}), (whole, {WHOLE})):
        assert set(parts_of_items(result["items"], result["samples"])["part"]) == names
    parts = scored_parts(parted["items"], parted["samples"], parted["generations"])
    given = parted | {"judgements": in_parts(parted["judgements"], parts)}
    (by_part, outcomes), (together, _), (expected, others) = (
        score(At(), "board", **tables_of, inputs="digest") for tables_of in (given, parted, whole)
    )
    assert by_part.equals(together)
    of_texts = pl.col("metric").is_in(["n_texts", "n_spans", "span_rate"])
    assert (
        by_part.filter(~of_texts).equals(expected.filter(~of_texts))
        and outcomes.equals(others)
        and outcomes.height
    )
    assert set(by_part.filter(metric="token_f1")["subject"]) == {"token-lr", "other"}
    assert set(by_part.filter(metric="windowed_rate", subject="other")["value"]) == {1.0}
    assert by_part.filter(metric="hallucination_rate").height


def test_how_much_replies_say_is_a_mean_over_replies_and_then_over_languages():
    """In English (content words 2 of 4 new, 1 of 1) informativeness is .75, in German (1 of 2) .5. The first reply holds
    half of a sentence of two; nothing is common to fewer than five references. A reply without a word has no share.
    """
    known = {"e1": ("Red?", "Red sky. Blue sea."), "g1": ("Rot?", "Rotes Haus.")}
    said = [("e1", "en", "red red sky sea"), ("e1", "en", "sea"), ("g1", "de", "rot haus"), ("g1", "de", "…")]
    rows = [
        {"model": "m", "item_id": item, "group_id": f"{item}{n}", "lang": lang, "text": text}
        for n, (item, lang, text) in enumerate(said)
    ]
    references = [{"item_id": item, "question": of[0], "knowledge": of[1]} for item, of in known.items()]
    scores, content = content_rows(pl.DataFrame(rows), pl.DataFrame(references), WRITER)
    actual = {
        (row["metric"], next(part["value"] for part in row["slice"])): (row["value"], row["n"])
        for row in scores
    }
    assert [actual["informativeness", lang] for lang in ("en", "de", "all")] == [
        (0.75, 2),
        (0.5, 1),
        (near(0.625), 3),
    ]
    assert [actual["new_words", lang] for lang in ("en", "de", "all")] == [(1.5, 2), (0.5, 2), (1.0, 4)]
    # both sentences of two words are half held by the first reply, one by the second; `haus` is half of the German one
    assert [actual["reference_coverage", lang] for lang in ("en", "de")] == [(0.75, 2), (0.5, 2)]
    assert content["new_words"] == {("m", "en"): 1.5, ("m", "de"): 0.5}
    assert content_rows(pl.DataFrame(rows), None, WRITER) == ([], {})


def test_function_words_are_terms_that_most_references_hold():
    texts = [f"the {name} of it" for name in ("sun", "sea", "sky")] + ["a sun", "a moon of old"]
    assert common_terms(texts) == {"the", "of", "it"} and common_terms(texts[:4]) == set()
    # content: cat, met, cat, dog; new: cat, met
    assert informativeness("The cat met the cat of a dog", "Which dog?", {"the", "of", "a"}) == (0.5, 2)
    assert informativeness("Of the!", "", {"the", "of"}) is None
    reference = content_sentences("The cat met a dog. Of the.", "en", {"the", "of", "a"})
    assert reference == [{"cat", "met", "dog"}]
    assert (coverage("dog, cat", reference), coverage("dog", reference), coverage("dog", [])) == (
        1.0,
        0.0,
        None,
    )
