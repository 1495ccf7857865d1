"""The agreement code on the published XSum annotations: 250 articles, five systems, three seats of workers."""

import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from truerate.metrics.agreement import (
    agreement_sums,
    fleiss_kappa,
    krippendorff_alpha,
    percent_agreement,
    rating_counts,
    span_counts,
)

FOLDER = Path(__file__).parents[3] / "shared/data/xsum"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="no public XSum annotations beside this checkout")
SYSTEMS = {"bert_withckpt": "BERTS2S", "bert_nockpt": "TranS2S", "ptgen": "PtGen", "tconvs2s": "TConvS2S"}


@pytest.fixture(scope="module")
def spans():
    rows = pl.read_csv(FOLDER / "hallucination_spans.csv", infer_schema=False)
    return rows.with_columns(
        pl.col("start", "end").cast(pl.Int64), unit_id=pl.col("bbcid") + " " + pl.col("system")
    )


@pytest.fixture(scope="module")
def word_counts(spans):
    """Counts of unmarked and marked raters per word; a word is marked where it lies wholly inside one span."""
    result = {}
    for (unit,), part in spans.group_by("unit_id", maintain_order=True):
        raters = (rater.drop_nulls("start") for _, rater in part.group_by("worker_id", maintain_order=True))
        marked = [list(rater.select("start", "end").iter_rows()) for rater in raters]
        words = [match.span() for match in re.finditer(r"\S+", part["summary_unescaped"][0])]
        result[unit] = span_counts(marked, words, rule="inside")
    return result


def test_summaries_with_and_without_hallucination(spans):
    labels = spans.group_by("unit_id", "worker_id").agg(label=pl.col("start").is_not_null().any())
    counts = rating_counts(labels)
    assert counts.shape == (1250, 2) and counts.sum() == 3749  # one item has two workers only
    assert fleiss_kappa(agreement_sums(counts).sum(axis=0)) == pytest.approx(0.762, abs=5e-4)
    assert krippendorff_alpha(agreement_sums(counts).sum(axis=0)) == pytest.approx(0.763, abs=5e-4)
    assert percent_agreement(agreement_sums(counts).sum(axis=0)) == pytest.approx(0.951, abs=5e-4)


def test_words(word_counts):
    counts = np.concatenate(list(word_counts.values()))
    assert counts.shape == (24196, 2)
    assert fleiss_kappa(agreement_sums(counts).sum(axis=0)) == pytest.approx(0.802, abs=5e-4)


def test_the_published_faithfulness_is_the_share_of_unmarked_words(word_counts):
    """`Faithful` of scores.csv is the share of (worker, word) pairs whose word is not inside a span. 966 of
    1,000 agree to the last digit; the others are words at a text's edge and phrases that occur twice, which
    the authors counted otherwise.
    """
    scores = pl.read_csv(FOLDER / "scores.csv", infer_schema=False)
    agree = []
    for name, bbcid, faithful in scores.select("system_bbcid", "bbcid", "Faithful").rows():
        counts = word_counts[f"{bbcid} {SYSTEMS[name.removesuffix('_' + bbcid)]}"]
        agree.append(counts[:, 0].sum() / counts.sum() == pytest.approx(float(faithful), abs=1e-9))
    assert len(agree) == 1000 and sum(agree) >= 966
