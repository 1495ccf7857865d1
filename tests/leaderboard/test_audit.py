import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tests import rows as rows_of
from truerate.config import Audit, Statistics
from truerate.core.schemas import Sample, Score, frame, pair, pairs, validate
from truerate.leaderboard.audit import (
    LEARNED_FROM,
    SHORTCUTS,
    Labelled,
    audit,
    audit_of,
    evenly,
    findings,
    joined,
    tell,
)

P = Audit(folds=5, threshold=0.75, on_shortcut="flag")
STATISTICS = Statistics(confidence=0.95, n_bootstrap=500, alpha=0.05)
RULES = {"board": "b", "p": P, "statistics": STATISTICS, "seed": 7}
DATA = Path(__file__).parents[3] / "shared/data/halueval"


def sample(name, text, is_hallucinated, *, pair_id=None, task="qa", group=None, **attributes):
    known = {"pair_id": pair_id, "task": task, "split": "train", "attributes": pairs(**attributes)}
    return rows_of.sample(name, group or name, text, is_hallucinated, **known)


def of_pairs(texts, **attributes):
    """A set from (right, hallucinated) texts."""
    sides = [(i, side, text) for i, both in enumerate(texts) for side, text in zip("rh", both, strict=True)]
    mark = "-".join(attributes.values())
    return [
        sample(f"{mark}{i:04}{side}", text, side == "h", pair_id=f"{mark}{i}", group=f"g{i}", **attributes)
        for i, side, text in sides
    ]


def run(rows, knowledge=""):
    samples = frame(Sample, rows)
    contexts = samples.select("item_id").unique(maintain_order=True).with_columns(knowledge=pl.lit(knowledge))
    return validate(Score, audit(samples, contexts, **RULES), where="audit")


def cell(scores, metric, subject, **where):
    rows = scores.filter(metric=f"shortcut_{metric}", subject=subject).to_dicts()
    (row,) = [row for row in rows if row["slice"] == pairs(**where)]
    return row


def value(scores, metric, subject, task="qa", **where):
    return cell(scores, metric, subject, task=task, **where)["value"]


def test_length_that_gives_all_away_is_found():
    rows = of_pairs([("word " * (1 + i % 3) + "x", "word " * (5 + i % 3) + "x") for i in range(40)])
    scores = run(rows)
    for metric in ("accuracy", "balanced_accuracy", "auroc", "pairwise"):
        assert value(scores, metric, "words") == 1.0
    assert value(scores, "accuracy", "majority") == 0.5
    assert cell(scores, "pairwise", "words", task="qa")["n"] == 40
    assert cell(scores, "accuracy", "words", task="qa")["n"] == 80
    assert any(line.startswith("words alone tells 1.000 of pairs in qa") for line in findings(scores, 0.75))


def test_pairs_tell_more_than_a_threshold():
    """Lengths of different items overlap, but within a pair the hallucinated side is always one word longer."""
    rows = of_pairs([("w " * (1 + i), "w " * (2 + i)) for i in range(50)])
    scores = run(rows)
    assert value(scores, "pairwise", "words") == 1.0
    assert value(scores, "balanced_accuracy", "words") < 0.6


def test_direction_is_learned():
    rows = of_pairs([("It ends.", "it does not")] * 20)
    assert value(run(rows), "pairwise", "final-stop") == 1.0


def test_ties_count_half():
    # 30 of 40 pairs tie in words, 10 are longer: (10 + 15) / 40
    rows = of_pairs([("a b", "a b c") if i % 4 == 0 else ("a b", "c d") for i in range(40)])
    assert value(run(rows), "pairwise", "words") == 25 / 40


def test_a_set_without_shortcut_is_not_flagged():
    rng = np.random.default_rng(5)
    words = ["red", "blue", "green", "grey", "black", "white", "brown", "pink"]
    texts = [tuple(" ".join(rng.choice(words, size=rng.integers(3, 9))) for _ in "rh") for _ in range(100)]
    scores = run(of_pairs(texts))
    assert findings(scores, 0.75) == []
    score = cell(scores, "balanced_accuracy", "words", task="qa")
    assert score["low"] < 0.5 < score["high"]


def test_a_rare_label_is_not_a_shortcut():
    rows = [sample(f"s{i:03}", f"text {i % 7}", i % 10 == 0, task="general") for i in range(100)]
    scores = run(rows)
    assert value(scores, "accuracy", "majority", "general") == 0.9
    assert value(scores, "balanced_accuracy", "majority", "general") == 0.5
    assert value(scores, "pairwise", "words", "general") is None
    assert findings(scores, 0.85) == []


def test_overlap_reads_the_knowledge():
    rows = of_pairs([("known words", "other things")] * 10)
    assert value(run(rows, "all the known words"), "balanced_accuracy", "overlap") == 1.0


def test_each_scheme_has_a_slice_of_its_own():
    telling = of_pairs([("a", "a b c d")] * 10, scheme="one-pass")
    silent = of_pairs([("a b", "c d")] * 10, scheme="conversational")
    scores = run(telling + silent)
    assert value(scores, "pairwise", "words", scheme="one-pass") == 1.0
    assert value(scores, "pairwise", "words", scheme="conversational") == 0.5
    assert value(scores, "pairwise", "words") == 0.75
    assert scores.height == 3 * len(SHORTCUTS) * 4


def test_a_text_of_several_schemes_is_in_the_slice_of_each():
    """Wrong texts stand against two sets of right ones: their length tells them from the first alone."""
    rows = []
    for i in range(10):
        texts = {"first": ("a", False), "second": ("a b c d", False), "first+second": ("a b c e", True)}
        rows += [
            sample(f"{scheme}{i}", text, is_hallucinated, group=f"g{i}", scheme=scheme)
            for scheme, (text, is_hallucinated) in texts.items()
        ]
    scores = run(rows)
    assert value(scores, "balanced_accuracy", "words", scheme="first") == 1.0
    assert value(scores, "balanced_accuracy", "words", scheme="second") == 0.5
    assert set(scores["slice"].list.len()) == {1, 2}
    assert cell(scores, "accuracy", "words", task="qa")["n"] == 30


def test_one_class_or_nothing_gives_no_rows():
    silver = [sample(f"s{i}", "text", True, task="silver") for i in range(6)]
    assert run(silver).is_empty() and run([]).is_empty() and findings(run(silver), 0.75) == []
    both = [sample(f"q{i}", "text", i % 2 == 0) for i in range(6)]
    assert {pair["value"] for row in run(silver + both)["slice"].to_list() for pair in row} == {"qa"}


@pytest.mark.skipif(not DATA.is_dir(), reason="no public HaluEval files beside this checkout")
def test_the_published_candidates_are_told_by_length_alone():
    rows, knowledge_of = [], {}
    for file, scheme in (("one_turn", "one-pass"), ("multi_turn", "conversational")):
        text = (DATA / f"qa_candidates_{file}.jsonl").read_text("utf-8")
        lines = [json.loads(line) for line in text.splitlines()]
        both = [(line["right_answer"], line["hallucinated_answer"]) for line in lines]
        rows += of_pairs(both, scheme=scheme)
        knowledge_of |= {f"g{i}": line["knowledge"] for i, line in enumerate(lines)}
    contexts = pl.DataFrame({"item_id": list(knowledge_of), "knowledge": list(knowledge_of.values())})
    scores = audit(frame(Sample, rows), contexts, **RULES)
    one_pass, conversational = ({"scheme": scheme} for scheme in ("one-pass", "conversational"))
    # 300 pairs each: words, pairwise .933 and .997; characters by a cross-validated threshold .887 and .957
    assert value(scores, "pairwise", "words", **one_pass) == pytest.approx(0.93, abs=0.01)
    assert value(scores, "pairwise", "words", **conversational) == pytest.approx(0.99, abs=0.01)
    assert value(scores, "accuracy", "characters", **one_pass) == pytest.approx(0.89, abs=0.01)
    assert value(scores, "accuracy", "characters", **conversational) == pytest.approx(0.96, abs=0.01)
    slices = scores.filter(pl.col("value") >= P.threshold).select(pair("slice", "scheme"), "subject")
    assert {("one-pass", "words"), ("conversational", "words")} <= set(slices.rows())


def test_parts_of_a_set_are_audited_as_the_whole():
    texts = [(f"Varn {k} is a town.", f"Varn {k} is a city of {k} towers.") for k in range(12)]
    samples = frame(Sample, of_pairs(texts))
    knowledge_of = {f"g{k}": None if k % 4 == 0 else f"Varn {k // 2} is a town." for k in range(12)}
    contexts = pl.DataFrame({"item_id": list(knowledge_of), "knowledge": list(knowledge_of.values())})
    predictions = joined(samples, contexts)
    whole = audit(samples, contexts, **RULES)
    assert audit_of(
        (predictions.slice(start, 5) for start in range(0, predictions.height, 5)), **RULES
    ).equals(whole)
    absent = value(whole, "auroc", "overlap")
    assert absent > 0.6  # the overlap with each text's own knowledge tells: it is read part by part, too


def test_of_very_many_texts_some_are_learned_from_and_all_are_told():
    assert evenly(np.array([2, 3, 5, 7, 11]), 3).tolist() == [2, 3, 7]  # places 0, 5 / 3 and 10 / 3
    assert evenly(np.array([2, 3]), 3).tolist() == [2, 3]
    n = LEARNED_FROM + 2_600  # of five folds four are more than are learned from
    labels = np.arange(n) % 3 == 0
    texts = [f"{'varn' if label else 'mirn'} {k % 7}" for k, label in enumerate(labels)]
    folds, none = np.arange(n) % 5, np.zeros((0, 2), dtype=int)
    predictions = tell(Labelled(texts, labels, np.arange(n), folds, none, {}), "answer-ngrams")
    assert predictions.verdicts.tolist() == labels.tolist()
