"""Everything that is scored of a board of HaluEval but its labels (`labels.label` gives those). Of
recognition: every variant, failures by pattern and topic, what the wording of the prompt changes, and the
outcomes that ranks are tested on; scores are empty if a judge answered no request
(`metrics.recognition.settled`).
"""

import numpy as np
import polars as pl

from truerate.config.layout import Layout
from truerate.core.schemas import Outcome, Score, frame, pair
from truerate.metrics import judged as joined
from truerate.metrics.cells import spread
from truerate.metrics.paired import contrast_scores, contrasts
from truerate.metrics.ranking import compare_all
from truerate.metrics.recognition import Rows, is_right, pattern_ratios, recognition_scores, settled
from truerate.metrics.score_writer import Ratio, ScoreWriter
from truerate.metrics.spans import in_matched_pairs, one_side
from truerate.tracks.halueval import dataset_scores
from truerate.tracks.halueval.recognition import AUTHORS, CUE, PLAIN, PURPOSE, judged, runs
from truerate.tracks.thinking import score_thinking

HALLUCINATED_FIRST = "hallucinated-first"
CONTRAST = "contrast"
KEYS = ("task", "variant", "scheme")


def score(
    config: Layout,
    board: str,
    *,
    items: pl.DataFrame,
    samples: pl.DataFrame,
    judgements: pl.DataFrame,
    generations: pl.DataFrame,
    inputs: str,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return all Score and Outcome rows of a board but those of its labels.

    `samples` are the data set's and the labelled general ones, `judgements` the subjects' and the detectors',
    `generations` the data set's.
    """
    writer = ScoreWriter(board, inputs, config.p.statistics, config.p.seed)
    scores, outcomes = score_recognition(samples, judgements, writer)
    alone = judged(samples, judgements).filter(pl.col("variant") != CONTRAST)
    how = {"purposes": (PURPOSE,), "keys": KEYS[:2], "cue": CUE}
    thinking = score_thinking(alone, generations, config.p.models, writer, **how)
    parts = [
        scores,
        score_wording(samples, judgements, writer),
        frame(Score, thinking),
        dataset_scores.score_refinement(samples, judgements, writer),
        dataset_scores.score_rewritings(generations, items, samples, writer),
        dataset_scores.score_labels(samples, writer),
        dataset_scores.score_candidates(generations, items, writer),
        dataset_scores.score_cleaned(generations, items, writer),
        dataset_scores.score_filtering(generations, items, writer),
        dataset_scores.score_responses(generations, writer, similarity=config.p.track(board).measure),
    ]
    return pl.concat(parts), outcomes


def score_recognition(
    samples: pl.DataFrame, judgements: pl.DataFrame, writer: ScoreWriter
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return Score and Outcome rows of every judge on every task, variant and scheme."""
    scores, outcomes = Rows(), [frame(Outcome)]
    for subject, where, each in joined.by_subject(runs(samples, judgements), KEYS):
        rows = joined.over_seeds(each)
        score = _contrast if where["variant"] == CONTRAST else _recognition
        score_rows, units = score(subject, where, rows, writer)
        outcome = writer.outcomes("accuracy", where, units.with_columns(subject=pl.lit(subject)))
        score_rows, outcome = settled(subject, where, rows, score_rows, outcome, writer)
        scores.extend([*score_rows, *_between_seeds(subject, where, each, writer)])
        outcomes.append(outcome)
    return frame(Score, scores), pl.concat(outcomes)


def _between_seeds(subject: str, where: dict, rows: pl.DataFrame, writer: ScoreWriter) -> Rows:
    """Return how far the seeds of a detector are apart in accuracy; nothing of a judge with one."""
    each = [is_right(part).mean() for _, part in rows.sort("seed").group_by("seed", maintain_order=True)]
    if len(each) < 2:
        return []
    return [writer.row("accuracy_std", subject, where, spread(np.array(each)), len(each))]


def _contrast(
    subject: str, where: dict, rows: pl.DataFrame, writer: ScoreWriter
) -> tuple[Rows, pl.DataFrame]:
    """The scores of sample contrast, and the accuracy of each pair."""
    pairs = contrasts(rows, hallucinated_first=HALLUCINATED_FIRST)
    units = [(pair.pair_id, pair.group_id, pair.accuracy) for pair in pairs]
    schema = {"unit_id": pl.String, "cluster_id": pl.String, "value": pl.Float64}
    return contrast_scores(subject, where, pairs, writer), pl.DataFrame(units, schema=schema, orient="row")


def _recognition(
    subject: str, where: dict, rows: pl.DataFrame, writer: ScoreWriter
) -> tuple[Rows, pl.DataFrame]:
    """The scores of verdicts, and whether each is right. Where texts come in pairs also the accuracy over one
    side per pair, as the paper's script asks it, and over the pairs matched in form.
    """
    score_rows = recognition_scores(subject, where, rows, writer, more=pattern_ratios(rows, where))
    hits = is_right(rows)
    if rows["pair_id"].is_not_null().any():
        of_one_side, matched = one_side(rows, seed=writer.seed), in_matched_pairs(rows, seed=writer.seed)
        shares: list[Ratio] = [
            ("accuracy_one_side", where, hits * of_one_side, of_one_side),
            ("accuracy_matched", where, hits * matched, matched),
        ]
        score_rows = score_rows + writer.shares(subject, shares, rows["group_id"].to_list())
    value = pl.Series(hits, dtype=pl.Float64)
    return score_rows, rows.select(unit_id="sample_id", cluster_id="group_id").with_columns(value=value)


def score_wording(samples: pl.DataFrame, judgements: pl.DataFrame, writer: ScoreWriter) -> pl.DataFrame:
    """Return what the authors' words change beside ours, per judge, task and scheme, over the texts that were
    asked about in both: `wording_difference`, the accuracy with theirs less that with ours, in [-1, 1], an
    unread verdict wrong (clusters resampled whole); `wording_p`, that it is 0 (`ranking.compare_all`:
    McNemar's exact test where each text is a cluster of its own, else the paired bootstrap of clusters); and
    `wording_changed_rate`, the share of texts with two readable verdicts where these differ. No row where a
    judge answered no request of one of the two.
    """
    asked_in, scores = pair("attributes", "variant"), Rows()
    if judgements.filter(asked_in == AUTHORS).is_empty():
        return frame(Score)
    rows = judged(samples, judgements.filter(asked_in.is_in([PLAIN, AUTHORS])))
    for subject, where, of_judge in joined.by_subject(rows, ("task", "scheme")):
        ours, theirs = (of_judge.filter(variant=variant).sort("sample_id") for variant in (PLAIN, AUTHORS))
        if not any(of.is_empty() or joined.is_unanswered(of) for of in (ours, theirs)):
            shared = [
                part.join(other, on="sample_id", how="semi", maintain_order="left")
                for part, other in ((ours, theirs), (theirs, ours))
            ]
            scores += _wording(subject, where, *shared, writer=writer)
    return frame(Score, scores)


def _wording(
    subject: str, where: dict, ours: pl.DataFrame, theirs: pl.DataFrame, *, writer: ScoreWriter
) -> Rows:
    """The scores of one judge's verdicts on the same texts, in the same order, by our words and by theirs."""
    clusters = ours["group_id"].to_list()
    values = np.stack([is_right(theirs), is_right(ours)]).astype(float)
    how = {"n_resamples": writer.statistics.n_bootstrap, "alpha": 1 - writer.statistics.confidence}
    tested = compare_all(values, clusters, seed=writer.seed, **how)
    read = pl.DataFrame(
        {"ours": ours["verdict"], "theirs": theirs["verdict"], "cluster": clusters}
    ).drop_nulls()
    changed = (read["ours"] != read["theirs"]).to_numpy(), read["cluster"].to_list()
    return [
        writer.mean(
            "wording_difference", subject, where, values[0] - values[1], clusters, bounds=(-1.0, 1.0)
        ),
        *(writer.row("wording_p", subject, where, test.p, len(clusters)) for test in tested),
        writer.share("wording_changed_rate", subject, where, *changed),
    ]


# ---- topics ------------------------------------------------------------------------------------------------


def topics(
    config: Layout,
    board: str,
    *,
    items: pl.DataFrame,
    documents: pl.DataFrame,
    samples: pl.DataFrame,
    judgements: pl.DataFrame,
) -> list[dict]:
    """Return the rows of topics.json: per task each topic's words (LDA), and per judge (plain variant) how
    many texts of it were judged wrongly and whether it is *failed* (HELMA 3.2).

    Topics are of what is asked about (`metrics.topics.rows_by_topic`), so all judges share them. With the
    setting `topics: paper` they are of the hallucinated texts themselves, with what was asked, and only a
    text that a judge passes over is failed. Rows: `task`, `topic`, `words`, `judge`, `n`, `n_failed`, `rate`,
    `p_holm`, `is_failed`.
    """
    from truerate.metrics.topics import items_of_texts, rows_by_topic

    settings, statistics = config.p.track(board), config.p.statistics
    rows = judged(samples, judgements).filter(pl.col("variant") == PLAIN)
    rows = rows.with_columns(is_wrong=pl.Series(1.0 - is_right(rows), dtype=pl.Float64))
    if settings.topics == "paper":
        rows = rows.filter("is_hallucinated").with_columns(item_id="sample_id")
        items = items_of_texts(samples, items)
    how = {"n_resamples": statistics.n_bootstrap, "alpha": statistics.alpha, "seed": config.p.seed}
    failures = []
    for (task,), of_task in rows.sort("task", maintain_order=True).group_by("task", maintain_order=True):
        by_judge = of_task.group_by("judge", maintain_order=True)
        parts = [({"task": task, "judge": judge}, part) for (judge,), part in by_judge]
        failures += rows_by_topic(parts, items, documents, n_topics=settings.n_topics, **how)
    return failures
