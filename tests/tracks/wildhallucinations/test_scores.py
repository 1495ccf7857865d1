"""Scores of a small board against fractions derived by hand."""

from dataclasses import replace

import polars as pl
import pytest

from truerate.core.schemas import Document, Generation, Item, Outcome, Reject, Score, frame, pairs, validate
from truerate.site import Board
from truerate.site.wildhallucinations.funnel import distribution
from truerate.tracks.protocol import card_of_track, metrics_of_track
from truerate.tracks.wildhallucinations.entities import with_evidence
from truerate.tracks.wildhallucinations.funnel import page_rows
from truerate.tracks.wildhallucinations.rarity import with_rarity
from truerate.tracks.wildhallucinations.scores import score

from .made_facts import (
    PAGES,
    WRITER,
    At,
    Params,
    Settings,
    by_key,
    facts,
    generation,
    item,
    judgement,
    reply,
    sample,
    scores_of,
    tables,
)

CARD, METRICS = card_of_track("wildhallucinations"), metrics_of_track("wildhallucinations")
ITEMS = [item("x"), item("y", domain="visual", wikipedia="false"), item("z", rarity="10^3"), item("v")]
# a: x 1 of 2, y 2 of 2, z 3 of 4 (one a duplicate), v without facts. b: x 2 of 2, silent on y, z with an open
# fact, v lost.
REPLIES = [
    *(reply("a", name) for name in "xyzv"),
    reply("b", "x"),
    reply("b", "y", "abstained", "I do not know."),
    reply("b", "z"),
    reply("b", "v", "dead"),
]
FACTS = [
    facts("a", "x", "+-"),
    facts("a", "y", "+t"),
    facts("a", "z", "+d+-"),
    facts("b", "x", "++"),
    facts("b", "z", "+?"),
]


def scored(items=ITEMS, replies=REPLIES, scores_of=FACTS, samples=(), settings=None, more=(), **values):
    at = At(replace(Params(), settings=settings or Settings()))
    parts = tables(items, replies, scores_of, samples)
    parts["judgements"] = pl.concat([parts["judgements"], frame_of(more)]) if more else parts["judgements"]
    scores, outcomes = score(at, "board", **parts, inputs="digest", **values)
    validate(Score, scores, where="scores"), validate(Outcome, outcomes, where="outcomes")
    keyed = scores.with_columns(
        where=pl.Series([str(entry) for entry in scores["slice"].to_list()], dtype=pl.String)
    )
    assert not keyed.select("metric", "subject", "where").is_duplicated().any()
    return by_key(scores), outcomes


def frame_of(rows):
    from truerate.core.schemas import Judgement

    return frame(Judgement, list(rows))


FOUND, OUTCOMES = scored()


def value(*key):
    return FOUND[key]["value"]


def test_f1_at_k_is_over_all_replies_that_came_at_the_median_of_supported_facts():
    # supported: a 1, 2, 3; b 2, 1: K is 2. F1 of a: x 2·(1/2)(1/2), y 1, z 2·(3/4)/(7/4), v 0 without a fact;
    # of b: x 1, silent on y, z 2·1·(1/2)/(3/2); v did not come
    assert value("f1_at_k", "a", "2") == pytest.approx((1 / 2 + 1 + 6 / 7 + 0) / 4)
    assert value("f1_at_k", "b", "2") == pytest.approx((1 + 0 + 2 / 3) / 3)
    assert value("recall_at_k", "b", "2") == pytest.approx((1 + 0 + 1 / 2) / 3)


def test_wildfactscore_is_the_mean_over_replies_that_respond():
    assert value("wildfactscore", "a", "raw", "all") == pytest.approx((1 / 2 + 1 + 3 / 4) / 3)
    assert value("wildfactscore", "b", "raw", "all") == 1.0
    assert FOUND["wildfactscore", "b", "raw", "all"]["n"] == 2


def test_strict_is_the_share_that_responds_times_the_share_of_the_readable_that_is_all_supported():
    # a: 3 of 4 respond with a fact (v has none, which is no success); x, y, z are readable: 0, 1, 0. b: 2 of
    # 3 respond (y is silent, v did not come); x 1, z is open
    assert value("wildfactscore_strict", "a", "raw", "all") == pytest.approx(1 / 4)
    assert value("wildfactscore_strict", "b", "raw", "all") == pytest.approx(2 / 3, abs=1e-6)
    assert FOUND["wildfactscore_strict", "b", "raw", "all"]["n"] == 2
    assert FOUND["wildfactscore_strict", "a", "raw", "all"]["n"] == 4
    # on x and z nobody is silent: what is left is the share
    assert value("wildfactscore_strict", "a", "raw", "common") == 0.0
    assert value("wildfactscore_strict", "b", "raw", "common") == 1.0


def test_strict_as_printed_stands_beside_and_may_stand_in_its_place():
    # b: x is all supported, z has an open fact, y is silent
    assert value("wildfactscore_strict_paper", "a", "raw", "all") == pytest.approx(1 / 4)
    assert value("wildfactscore_strict_paper", "b", "raw", "all") == pytest.approx(1 / 3, abs=1e-6)
    by_paper, outcomes = scored(settings=Settings(strict="paper"))
    for subject, expected in (("a", 1 / 4), ("b", 1 / 3)):
        assert by_paper["wildfactscore_strict", subject, "raw", "all"]["value"] == pytest.approx(
            expected, abs=1e-6
        )
    of_b = outcomes.filter(metric="wildfactscore_strict", subject="b")["value"]
    assert sorted(of_b.drop_nulls()) == [0, 0, 0, 1, 1]  # x, y, z; of the common set x and z


def test_every_subject_has_as_many_common_entities():
    """Replies that respond without a fact, one or several of a subject, in turn."""
    for empty in ([], ["xa"], ["xa", "yb"], ["xa", "ya", "zb"]):
        replies = [reply(subject, name) for name in "xyzv" for subject in "ab"]
        values = [facts(s, name, "+-" if name + s not in empty else "") for name in "xyzv" for s in "ab"]
        scores_of, _ = scored(replies=replies, scores_of=values)
        n = 4 - len({name for name, _ in empty})
        for metric in ("wildfactscore", "wildfactscore_strict", "wildfactscore_strict_paper"):
            assert [scores_of[metric, subject, "raw", "common"]["n"] for subject in "ab"] == [n, n]


def test_the_common_set_is_where_both_respond():
    # x and z; v was lost for b
    assert value("wildfactscore", "a", "raw", "common") == pytest.approx((1 / 2 + 3 / 4) / 2)
    frozen, _ = scored(settings=Settings(panel=("a",)))
    assert frozen["wildfactscore", "a", "raw", "common"]["value"] == value("wildfactscore", "a", "raw", "all")


def test_length_duplicates_and_shares_of_facts():
    # γ 4: 2 facts cost exp(−1) = .367879; a: .5 and 1 of two facts, .75 of four
    assert value("factscore_length", "a", "4", "all") == pytest.approx((1.5 * 0.367879 + 0.75) / 3, abs=1e-5)
    assert value("wildfactscore_dedup", "a", "all") == pytest.approx((1 / 2 + 1 + 2 / 3) / 3, abs=1e-6)
    rates = {
        name: value(name, "a", "all")
        for name in ("duplicate_fact_rate", "title_fact_rate", "no_fact_rate", "unparsed_fact_rate")
    }
    assert rates == {
        "duplicate_fact_rate": 0.125,
        "title_fact_rate": 0.125,
        "no_fact_rate": 0.25,
        "unparsed_fact_rate": 0.0,
    }
    assert value("unparsed_fact_rate", "b", "all") == 0.25


def test_slices_pool_small_domains():
    # medical has x, z, v; visual has y alone, which is not above 1
    assert value("wildfactscore", "a", "medical", "raw", "all") == pytest.approx((1 / 2 + 3 / 4) / 2)
    assert value("wildfactscore", "a", "other", "raw", "all") == 1.0
    assert value("wildfactscore", "a", "raw", "all", "no") == 1.0
    assert value("wildfactscore", "a", "raw", "10^3", "all") == 0.75
    assert not any(key[0] == "wildfactscore" and "visual" in key for key in FOUND)


def test_replies():
    assert value("responding_rate", "a", "measured") == 1.0
    assert value("responding_rate", "b", "paper") == pytest.approx(2 / 3, abs=1e-6)
    assert value("n_responses", "b") == 2 and value("n_facts", "a") == 8
    assert value("facts_per_response", "a") == 2.0 and value("words_per_response", "b") == 4.0
    assert value("tokens_per_response", "b") == 5.0  # the full stop is one
    # 6 replies respond; the writer was called for each
    assert value("calls_per_generation", "writer", "write_facts") == 1.0


def test_rank_changes():
    # raw b before a; Strict b before a, too
    assert value("rank_change", "a", "strict") == value("rank_change", "b", "strict") == 0
    assert FOUND["rank_change", "a", "corrected"]["value"] is None


def test_outcomes_are_one_per_entity():
    rows_of = (
        OUTCOMES.filter(metric="wildfactscore", subject="a")
        .filter(pl.col("slice").list.len() == 2)
        .sort("unit_id")
    )
    whole = rows_of.filter(
        pl.Series([entry == pairs(estimator="raw", set="all") for entry in rows_of["slice"].to_list()])
    )
    assert dict(whole.select("unit_id", "value").iter_rows()) == {"v": None, "x": 0.5, "y": 1.0, "z": 0.75}
    assert OUTCOMES.height == 2 * (8 + 4) and (OUTCOMES["unit_id"] == OUTCOMES["cluster_id"]).all()


def test_a_board_of_peoples_labels_tells_whether_each_entity_was_answered():
    by_people = [judgement("human", "a-x-0", True)]
    scores_of, outcomes = scored(more=by_people)
    rows_of = outcomes.filter(metric="responding_rate", subject="b").sort("unit_id")
    # y is silence, v did not come
    assert dict(rows_of.select("unit_id", "value").iter_rows()) == {"v": None, "x": 1.0, "y": 0.0, "z": 1.0}
    assert rows_of["value"].mean() == pytest.approx(scores_of["responding_rate", "b", "measured"]["value"])
    assert rows_of["slice"][0].to_list() == pairs(rule="measured")
    # where a verifier judges, ranks are of the score alone
    assert "responding_rate" not in OUTCOMES["metric"]


def test_outcomes_of_strict_have_the_score_as_their_mean():
    """Also where replies cannot be read: ranks are tested on what is published."""
    for subject in "ab":
        rows_of = OUTCOMES.filter(metric="wildfactscore_strict", subject=subject)
        rows_of = rows_of.filter(
            pl.Series([entry == pairs(estimator="raw", set="all") for entry in rows_of["slice"].to_list()])
        )
        assert rows_of["value"].mean() == pytest.approx(
            value("wildfactscore_strict", subject, "raw", "all"), abs=1e-6
        )
    # b: S is 1 of 1 readable, 2 respond: x 1 + 2/1 · (1 − 1), z stands as S, y is silent, v did not come
    assert dict(rows_of.select("unit_id", "value").iter_rows()) == {"x": 1.0, "y": 0.0, "z": 1.0, "v": None}


def test_a_reply_whose_facts_were_not_all_written_is_not_strict():
    lost = [
        row | {"attributes": pairs(generation="b-x", n_missed=1)} if row["generation_id"] == "w-b-x" else row
        for row in REPLIES[4]
    ]
    scores_of, outcomes = scored(replies=[*REPLIES[:4], lost, *REPLIES[5:]])
    # no responding reply of b can be read: silence alone says nothing of the others
    assert scores_of["wildfactscore_strict", "b", "raw", "all"]["value"] is None
    assert scores_of["wildfactscore", "b", "raw", "all"]["value"] == 1.0
    assert scores_of["unreadable_rate", "b", "all"]["value"] == 1.0
    assert outcomes.filter(metric="wildfactscore_strict", subject="b")["value"].null_count() == 4 + 2


def test_who_never_answered_is_empty_and_counted():
    scores_of, outcomes = scored(
        replies=[*REPLIES[:4], *(reply("b", name, "dead") for name in "xyzv")], scores_of=FACTS[:3]
    )
    assert scores_of["no_answers", "b"]["value"] == 4 and ("no_answers", "a") not in scores_of
    for metric in ("wildfactscore", "wildfactscore_strict"):
        assert scores_of[metric, "b", "raw", "all"]["value"] is None
        assert scores_of[metric, "b", "raw", "all"]["n"] == 0
    assert scores_of["responding_rate", "b", "measured"]["value"] is None
    assert outcomes.filter(subject="b")["value"].null_count() == outcomes.filter(subject="b").height


def test_a_judge_who_never_answered_has_no_rates():
    dead = [judgement("lost", f"a-e{k}-0", None) | {"status": "dead"} for k in range(8)]
    samples = [sample(f"a-e{k}-0", f"e{k}", "a", True) for k in range(8)]
    scores_of, _ = scored(MANY, SAID, GIVEN, samples, more=dead)
    assert scores_of["verifier_accuracy", "lost"]["value"] is None
    assert scores_of["verifier_no_answers", "lost"]["value"] == 8
    assert scores_of["verifier_accuracy", "judge"]["value"] == 1.0
    assert ("verifier_no_answers", "judge") not in scores_of


def test_nothing_was_asked():
    scores_of, outcomes = scored(replies=[], scores_of=[])
    assert outcomes.is_empty()
    assert {key[0] for key in scores_of} == {"probe_false_alarm_rate", "probe_miss_rate", "n_entities"}


def test_replies_that_tell_what_their_model_was_given():
    """a tells of x alone, of x, y, z and v; b of nothing: no row."""
    replies_given = [reply("a", "x", retrieved="[]"), *REPLIES[1:]]
    scores_of, _ = scored(replies=replies_given)
    assert scores_of["retrieved_rate", "a"]["value"] == 0.25 and ("retrieved_rate", "b") not in scores_of
    assert not [key for key in FOUND if key[0] == "retrieved_rate"]


def test_every_metric_has_a_record():
    assert {key[0] for key in FOUND} <= {entry.name for entry in METRICS}
    assert CARD.ranks.slice == {"estimator": "raw", "set": "all"}


# ---- labelled facts ----------------------------------------------------------------------------------------

MANY = [item(f"e{k}") for k in range(40)]
SAID = [reply(name, f"e{k}") for name in "ab" for k in range(40)]
# a has 2 of 10 flagged, b 4; of every second fact people say: flagged right, and one of a's supported ones
# wrong
GIVEN = [facts("a", f"e{k}", "--++++++++") for k in range(40)] + [
    facts("b", f"e{k}", "----++++++") for k in range(40)
]


def test_the_corrected_score():
    samples = [
        sample(f"a-e{k}-{position}", f"e{k}", "a", is_wrong, 20.0)
        for k in range(40)
        for position, is_wrong in ((0, k % 4 > 0), (5, k == 0))
    ]
    scores_of, _ = scored(MANY, SAID, GIVEN, samples)
    # flagged .3, of them right 30/40; of the others missed 1/40: TPR .225 / .2425, FPR .075 / .7575
    tpr, fpr = 0.225 / 0.2425, 0.075 / 0.7575
    assert scores_of["wildfactscore", "a", "corrected", "all"]["value"] == pytest.approx(
        1 - (0.2 - fpr) / (tpr - fpr), abs=1e-5
    )
    row = scores_of["wildfactscore", "b", "corrected", "common"]
    assert row["low"] < row["value"] < row["high"]
    assert row["value"] == pytest.approx(1 - (0.4 - fpr) / (tpr - fpr), abs=1e-5)
    assert scores_of["verifier_tpr", "judge"]["value"] == pytest.approx(30 / 31, abs=1e-5)
    assert scores_of["rank_change", "a", "corrected"]["value"] == 0


# ---- entities and evidence ---------------------------------------------------------------------------------


def test_the_funnel_and_the_evidence():
    replies_given = [
        [generation("m1", "c1", "q", "extract", "x"), generation("m2", "c2", "q", "extract", "y")],
        [
            generation("v1", "x", "q", "verify", "entity"),
            generation("v2", "y", "q", "verify", "private person"),
        ],
        [generation("d1", "x", "q", "disambiguate", "one"), generation("k1", "x", "q", "domain", "medical")],
        [generation("s1", "x", "web", "search", documents="page", n_results=2, n_words=4)],
        [generation("g1", "x", "a", "generate", status="dead", reason="timeout")],
    ]
    dropped = [
        ("curate", "y", "private-person"),
        ("curate", "t", "takedown"),
        ("evidence", "x", "duplicate"),
        ("generate", "g1", "dead"),
    ]
    rejects = frame(
        Reject,
        [
            {"where": w, "row": None, "target_id": t, "reason": r, "detail": "", "text": ""}
            for w, t, r in dropped
        ],
    )
    scores_of, _ = scored([item("x")], replies_given, [], documents=PAGES, rejects=rejects)
    stages = ("messages", "names", "entities", "public", "unambiguous", "with-domain", "with-pages")
    assert [scores_of["funnel_n", "entities", stage]["value"] for stage in stages] == [2, 3, 2, 1, 1, 1, 1]
    assert (
        scores_of["pages_per_entity", "web"]["value"] == 1
        and scores_of["words_per_entity", "web"]["value"] == 4
    )
    assert (
        scores_of["wikipedia_rate", "web"]["value"] == 1 and scores_of["n_pages", "web", "ok"]["value"] == 1
    )
    assert scores_of["n_pages", "web", "duplicate"]["value"] == 1
    assert [key for key in scores_of if key[0] == "n_rejected" and "generate" in key] == [
        ("n_rejected", "a", "timeout", "generate")
    ]
    assert scores_of["n_rejected", "a", "timeout", "generate"]["value"] == 1
    assert scores_of["n_rejected", "entities", "takedown", "curate"]["value"] == 1


def test_pages_of_an_entity_and_tokens_of_a_page_have_a_mean_and_a_spread():
    """Tokens by NLTK's rules: `One, two.` has 4, `It's so` 3, `Word` 1; the second page is of both entities."""
    texts = {"p": "One, two.", "q": "It's so", "r": "Word"}
    row = PAGES.row(0, named=True)
    pages = frame(Document, [row | {"document_id": name, "text": text} for name, text in texts.items()])
    items = frame(
        Item,
        [item("x", pages=("p", "q", "r")), item("y", wikipedia="false", pages=("q",)), item("z", pages=())],
    )
    rows = scores_of(page_rows(items, pages.lazy(), WRITER, is_searched=False))
    values = {key[0]: row["value"] for key, row in rows.items()}
    assert values == {
        "pages_per_entity": 2, "pages_per_entity_sd": pytest.approx(2**0.5),  # 3 and 1
        "tokens_per_page": 11 / 4, "tokens_per_page_sd": pytest.approx((4.75 / 3) ** 0.5),  # 4, 3, 1 and 3
        "words_per_entity": (2 + 2 + 1 + 2) / 2, "wikipedia_rate": 0.5,
    }  # fmt: skip
    searched = scores_of(page_rows(items, pages.lazy(), WRITER, is_searched=True))
    assert {key[0] for key in searched} == {"tokens_per_page", "tokens_per_page_sd"}
    assert page_rows(items.clear(), pages.lazy(), WRITER, is_searched=False) == []


def test_a_published_lists_perplexity_and_wiki_make_figures_2_5_and_6():
    """The list says 11.91 and 4321.5, and that z is not on Wikipedia though its page is: no model, chat or
    address.
    """
    given = {"x": (11.91, "True"), "y": (11.91, "False"), "z": (4321.5, "False"), "v": (11.91, "True")}
    listed = [
        item(name) | {"attributes": pairs(name=name, domain="medical", perplexity=perplexity, wiki=wiki)}
        for name, (perplexity, wiki) in given.items()
    ]
    rare = with_rarity(listed, [], "/no/such/weights")
    items, rejects = with_evidence(rare, frame(Generation), PAGES)
    scores_of, _ = scored(items)
    assert rejects == []
    counted = {key[2]: row["value"] for key, row in scores_of.items() if key[0] == "n_entities"}
    # Figure 2, and what is on Wikipedia
    assert counted == {"medical": 4, "10^1": 3, "10^3": 1, "yes": 2, "no": 2}
    rows_of = {
        key[2:]: row["value"] for key, row in scores_of.items() if key[:2] == ("wildfactscore_strict", "a")
    }
    assert rows_of["raw", "10^3", "all"] == 0.0 and rows_of["raw", "all", "no"] == 0.5  # y is whole, z is not
    rows = []
    for row in (row for key, row in scores_of.items() if key[0] == "n_entities"):
        slice_ = {entry["key"]: entry["value"] for entry in row["slice"]}
        rows.append({"metric": "n_entities", "value": row["value"], "slice": slice_})
    board = Board("b", "wildhallucinations", "s", "t", track_card=CARD, metrics=METRICS)
    shown = [[line["n"] for line in table["lines"]] for table in distribution(rows, board)["tables"]]
    assert [4] in shown and [2, 2] in shown and [3, 1] in shown  # domains, Wikipedia, rarity in its order


def test_the_share_of_contradicted_facts_is_over_those_of_which_the_kind_is_known():
    kinds = {"a-x-1": "contradicted", "a-z-3": "not mentioned"}  # both facts of `a` that are not supported
    parts = tables(ITEMS, REPLIES, FACTS, ())
    assert not [key for key in FOUND if key[0] in ("contradicted_rate", "not_mentioned_rate")]
    names = parts["judgements"]["target_id"]
    marked = [pairs(kind=kinds[name]) if name in kinds else pairs() for name in names]
    dtype = parts["judgements"].schema["attributes"]
    judged = parts["judgements"].with_columns(pl.Series("attributes", marked, dtype=dtype))
    scores, _ = score(At(), "board", **{**parts, "judgements": judged}, inputs="digest")
    rows = by_key(scores)
    # a: 8 facts with a verdict; b: 3 supported facts
    assert (rows["contradicted_rate", "a"]["value"], rows["contradicted_rate", "a"]["n"]) == (1 / 8, 8)
    assert rows["not_mentioned_rate", "a"]["value"] == 1 / 8
    assert (rows["contradicted_rate", "b"]["value"], rows["contradicted_rate", "b"]["n"]) == (0, 3)
    assert rows["wildfactscore", "a", "raw", "all"]["value"] == value("wildfactscore", "a", "raw", "all")
