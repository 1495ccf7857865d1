"""Topics of texts by LDA, and which of them a judge fails on (HaluEval 3.2)."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from truerate.metrics.intervals import cluster_sums, resample_weights
from truerate.metrics.paired import holm


class Topics(NamedTuple):
    """The most probable topic of each text, and the heaviest words of each topic."""

    topic_of: list[int]
    words: list[list[str]]


class TopicFailure(NamedTuple):
    """Failures on one topic; `rate` is None without texts, `is_failed`: significantly above the board's."""

    topic: int
    n: int
    n_failed: int
    rate: float | None
    p: float | None
    p_holm: float | None
    is_failed: bool


def lda_topics(texts: Sequence[str], *, n_topics: int, seed: int, n_words: int = 8) -> Topics:
    """Latent Dirichlet allocation (Blei et al. 2003; scikit-learn, batch) over the texts' words, seeded.
    English stop words and words of one letter are left out. Texts without a word left go to topic 0; no words
    at all: no topics' words.
    """
    from sklearn.decomposition import LatentDirichletAllocation
    from sklearn.feature_extraction.text import CountVectorizer

    vectoriser = CountVectorizer(stop_words="english", max_features=5000)
    try:
        counts = vectoriser.fit_transform(texts)
    except ValueError:  # scikit-learn's "empty vocabulary"
        return Topics([0] * len(texts), [[] for _ in range(n_topics)])
    model = LatentDirichletAllocation(n_components=n_topics, random_state=seed, max_iter=20)
    shares = np.round(model.fit_transform(counts), 6)
    names = vectoriser.get_feature_names_out()
    heaviest = np.argsort(-np.round(model.components_, 6), axis=1, kind="stable")[:, :n_words]
    return Topics(shares.argmax(axis=1).tolist(), [[str(names[j]) for j in row] for row in heaviest])


def topic_failures(
    topic_of: Sequence[int],
    is_failed: Sequence[float],
    clusters: Sequence[object],
    *,
    n_topics: int,
    n_resamples: int,
    alpha: float,
    seed: int,
) -> list[TopicFailure]:
    """Return which topics are *failed*: a failure rate above the board's, one-sided, Holm-corrected over the
    topics that have texts. One row is one judged text; of several runs of a judge `is_failed` is the share.
    Where every cluster holds one row the p-value is the exact binomial tail with the board's rate; else a
    centred one-sided cluster bootstrap of the difference to the board's rate, which resamples both, with
    add-one.
    """
    topics, failed = np.asarray(topic_of, dtype=int), np.asarray(is_failed, dtype=float)
    inside = (topics[:, None] == np.arange(n_topics)).astype(float)
    sums = cluster_sums(clusters, np.hstack([inside * failed[:, None], inside]))
    n_failed, n = sums[:, :n_topics].sum(axis=0), sums[:, n_topics:].sum(axis=0)
    if len(sums) == len(failed):
        p = _binomial_tails(n_failed, n)
    else:
        p = _bootstrap_tails(sums, n_topics, n_resamples=n_resamples, seed=seed)
    p_known = [float(value) if size else None for value, size in zip(p, n, strict=True)]
    rates = [float(part / size) if size else None for part, size in zip(n_failed, n, strict=True)]
    failures = []
    for k, q in enumerate(holm(p_known)):
        counts = int(n[k]), round(float(n_failed[k]))
        failures.append(TopicFailure(k, *counts, rates[k], p_known[k], q, q is not None and q <= alpha))
    return failures


def _binomial_tails(n_failed: np.ndarray, n: np.ndarray) -> np.ndarray:
    """P(at least so many failures) of each topic at the board's rate."""
    from scipy.special import betainc

    board = n_failed.sum() / max(1.0, n.sum())
    return np.where(n_failed > 0, betainc(np.maximum(n_failed, 1), n - n_failed + 1, board), 1.0)


def _bootstrap_tails(sums: np.ndarray, n_topics: int, *, n_resamples: int, seed: int) -> np.ndarray:
    """P(the resampled difference to the board exceeds the observed one by as much as that is above 0)."""

    def above(totals: np.ndarray) -> np.ndarray:
        failed, n = totals[:, :n_topics], totals[:, n_topics:]
        return failed / n - failed.sum(axis=1, keepdims=True) / n.sum(axis=1, keepdims=True)

    with np.errstate(invalid="ignore", divide="ignore"):
        observed = above(sums.sum(axis=0, keepdims=True))[0]
        drawn = (above(w @ sums) for w in resample_weights(len(sums), n_resamples=n_resamples, seed=seed))
        # an undefined draw counts as extreme
        extreme = sum((~(block - observed < observed)).sum(axis=0) for block in drawn)
    return np.where(observed > 0, (1 + extreme) / (1 + n_resamples), 1.0)


def failure_rows(
    rows: pl.DataFrame, topics: Mapping[str, int], words: Sequence[Sequence[str]], **drawn: Any
) -> list[dict[str, Any]]:
    """`topic_failures` of one judge as plain rows: `topic`, its `words`, `n`, `n_failed`, `rate`, `p_holm`,
    `is_failed`. From `item_id`, `is_wrong` and `group_id` of what it judged; `topics`: the topic of each
    item; `words`: of each topic; `drawn`: the settings of `topic_failures`.
    """
    topic_of = [topics[name] for name in rows["item_id"]]
    judged = rows["is_wrong"].to_list(), rows["group_id"].to_list()
    plain = []
    for failure in topic_failures(topic_of, *judged, n_topics=len(words), **drawn):
        row: dict[str, Any] = {"topic": failure.topic, "words": list(words[failure.topic]), "n": failure.n}
        row |= {"n_failed": failure.n_failed, "rate": failure.rate, "p_holm": failure.p_holm}
        rounded = {key: None if row[key] is None else round(row[key], 6) for key in ("rate", "p_holm")}
        plain.append(row | rounded | {"is_failed": failure.is_failed})
    return plain


def items_of_texts(samples: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    """Return labelled texts as items of their own, for topics of the texts (`rows_by_topic`): `item_id` is the
    sample's id, `question` what was asked with the text behind it, `document_ids` those of its item.
    """
    asked = items.select("item_id", "question", "document_ids")
    joined = samples.select("sample_id", "item_id", "text").join(asked, on="item_id", maintain_order="left")
    question = pl.concat_str("question", "text", separator=" ")
    return joined.select("document_ids", item_id="sample_id", question=question)


def rows_by_topic(
    parts: Sequence[tuple[Mapping[str, Any], pl.DataFrame]],
    items: pl.DataFrame,
    documents: pl.DataFrame,
    *,
    n_topics: int,
    **drawn: Any,
) -> list[dict[str, Any]]:
    """Return `failure_rows` of parts of what was judged, each with what names the part. Topics (LDA) are of what
    their items ask about, question and documents, never of the texts judged, so that all parts share them. No
    item, no rows.
    """
    names = sorted({name for _, part in parts for name in part["item_id"].unique()})
    asked = items.filter(pl.col("item_id").is_in(names)).sort("item_id")
    if asked.is_empty():
        return []
    text_of = dict(documents.select("document_id", "text").iter_rows())
    columns = asked.select("question", "document_ids").iter_rows()
    texts = [" ".join([question, *(text_of.get(name, "") for name in ids)]) for question, ids in columns]
    topics = lda_topics(texts, n_topics=n_topics, seed=drawn["seed"])
    topic_of = dict(zip(asked["item_id"], topics.topic_of, strict=True))
    rows = []
    for named, part in parts:
        with_topic = part.filter(pl.col("item_id").is_in([*topic_of]))
        rows += [{**named, **row} for row in failure_rows(with_topic, topic_of, topics.words, **drawn)]
    return rows
