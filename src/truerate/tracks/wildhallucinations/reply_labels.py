"""Strict corrected by labels at reply level: people say of some whole replies whether each of their facts is
supported, and the registry's estimators make of that and of the verifier's word on all replies the share that is.

A false alarm at one fact loses a reply, so labels of facts do not correct Strict: how errors fall together within a
reply is not seen in them. Replies are drawn evenly from those of a subject that respond and can be read; Strict is the
share that responds with a fact times the share of these whose every fact is supported (`wildfact.PRODUCTS`).
"""

from collections.abc import Mapping

import numpy as np
import polars as pl

from truerate.core.keys import content_id
from truerate.metrics.estimators.choice import narrower
from truerate.metrics.estimators.registry import (
    LABELS_ALONE,
    NATURAL,
    PPI,
    ROGAN_GLADEN_BETWEEN,
    estimate_board,
)
from truerate.metrics.estimators.sample import Calibration, Cells, verdicts
from truerate.metrics.intervals import Interval, cluster_sums
from truerate.metrics.score_writer import ScoreWriter
from truerate.metrics.unit_rates import PREDICTION_POWERED, Estimate
from truerate.metrics.wildfact import squared_and_added
from truerate.tracks.wildhallucinations.fact_rates import CHOSEN, ONE_LANG, WHERE, flipped
from truerate.tracks.wildhallucinations.strata import DRAW, Drawn, drawn
from truerate.tracks.wildhallucinations.tasks import passages_of, texts_cited

REPLY = "reply"
STRATA = ("subject",)  # of the replies that respond and can be read
STRICT, N_LABELS = "wildfactscore_strict", "n_labelled_replies"
NAMES = (ROGAN_GLADEN_BETWEEN, LABELS_ALONE, PPI, PREDICTION_POWERED)


# ---- tasks -------------------------------------------------------------------------------------------------


def reply_tasks(
    replies: pl.DataFrame,
    facts: pl.DataFrame,
    items: pl.DataFrame,
    documents: pl.DataFrame | pl.LazyFrame,
    *,
    n_replies: int,
    seed: int,
) -> list[dict]:
    """Tasks of `n_replies` whole replies of each subject, in the form of `tasks.annotation_tasks` with the reply's
    `generation_id`: `text` holds its facts, one a line, `passages` those of all of them. The verdict, supported where
    each fact is, is not to be shown. `replies`: of `replies.readable_replies`.
    """
    draws = reply_draws(replies, facts, n_replies=n_replies, seed=seed)
    return drawn_reply_tasks(draws, items, documents)


def reply_draws(replies: pl.DataFrame, facts: pl.DataFrame, *, n_replies: int, seed: int) -> Drawn:
    """The replies that may be drawn: `generation_id`, `subject`, `entity`, `strict`, and of their facts the `text` and
    all `evidence`, as lists. Of slices see `strata.joined`.
    """
    own = replies.filter("is_responding").drop_nulls("strict")
    slim = own.select("generation_id", "subject", "entity", "strict")
    rows, sizes = drawn(slim, STRATA, "generation_id", n=n_replies, at=(seed, REPLY))
    is_drawn = pl.col("generation_id").is_in(rows["generation_id"].implode())
    told = facts.filter(is_drawn).sort("sentence_index", "fact_id")
    by_reply = told.group_by("generation_id", maintain_order=True).agg("text", pl.col("evidence").explode())
    return Drawn(rows.join(by_reply, on="generation_id", how="left", maintain_order="left"), sizes)


def drawn_reply_tasks(
    draws: Drawn, items: pl.DataFrame, documents: pl.DataFrame | pl.LazyFrame
) -> list[dict]:
    """`reply_tasks` from the replies that are drawn (`reply_draws`)."""
    names = dict(items.select("item_id", "question").iter_rows())
    n_of = dict(draws.sizes.iter_rows())
    made = []
    for (subject,), part in draws.rows.sort("subject", DRAW).group_by("subject", maintain_order=True):
        texts = texts_cited(part["evidence"].to_list(), documents)
        for row in part.iter_rows(named=True):
            made.append(
                {
                    "task_id": content_id("task", REPLY, row["generation_id"]),
                    "kind": REPLY,
                    "fact_id": None,
                    "generation_id": row["generation_id"],
                    "item_id": row["entity"],
                    "text": "\n".join(row["text"]),
                    "subject": subject,
                    "entity": names.get(row["entity"]),
                    "passages": passages_of(list(dict.fromkeys(row["evidence"])), texts),
                    "verdict": "supported" if row["strict"] else "unsupported",
                    "weight": n_of[str(subject)] / part.height,
                }
            )
    return made


# ---- scores ------------------------------------------------------------------------------------------------


def reply_cells(replies: pl.DataFrame, label: Mapping[str, bool]) -> Cells:
    """A cell per subject: readable replies that respond as single verdicts, flagged where the verifier leaves a fact
    unsupported. `label`: whether people do, by the reply's id.
    """
    own = replies.filter("is_responding").drop_nulls("strict").sort("subject", "generation_id")
    cells = {}
    for (subject,), part in own.group_by("subject", maintain_order=True):
        said = np.array([float(label.get(name, np.nan)) for name in part["generation_id"]])
        cells[str(subject), ONE_LANG] = verdicts(
            1 - part["strict"].to_numpy(), said, part["entity"].to_numpy()
        )
    return cells


def calibration_of(cells: Cells) -> Calibration:
    """The labelled replies of all subjects."""
    parts = [(name, cell.only(cell.is_labelled)) for (name, _), cell in cells.items() if cell.k]
    sums = [np.stack([c.total, c.gold, c.flagged, c.gold * c.flagged], axis=1) for _, c in parts]
    models = np.concatenate([np.full(cell.n, name, dtype=object) for name, cell in parts])
    clusters = np.concatenate([cell.clusters for _, cell in parts])
    return Calibration(np.concatenate(sums), np.full(len(models), ONE_LANG), models, clusters)


def estimates_of(
    replies: pl.DataFrame, label: Mapping[str, bool], *, confidence: float
) -> dict[str, list[Estimate]]:
    """Estimates of the share of readable replies of which some fact is not supported, by subject; nobody labelled,
    nothing.
    """
    cells = reply_cells(replies, label)
    if not any(cell.k for cell in cells.values()):
        return {}
    calibrated = {NATURAL: calibration_of(cells)}
    asked = {"confidence": confidence, "target": "model", "calibrated": calibrated, "names": NAMES}
    found = estimate_board(cells, **asked)
    return {key[0]: found[key] for key in cells}


def strict_rows(replies: pl.DataFrame, label: Mapping[str, bool], writer: ScoreWriter) -> list[dict]:
    """Score rows of Strict by every estimator (`estimates_of`), of the one that stands for it, and of how many replies
    of each subject were labelled. No labels, no rows.
    """
    made = []
    known = replies.filter(pl.col("generation_id").is_in(list(label)))
    n_labels = dict(known.group_by("subject").len().iter_rows())
    came = replies.drop_nulls("is_abstained")
    for subject, estimates in estimates_of(replies, label, confidence=writer.statistics.confidence).items():
        own = came.filter(subject=subject)
        sums = cluster_sums(own["entity"].to_list(), np.stack([own["is_stating"], np.ones(own.height)], 1))
        stating = writer.share_interval(*sums.T)
        chosen = narrower(estimates, n_labels=known.height).estimate
        ways = [({"estimator": estimate.estimator}, estimate) for estimate in estimates]
        if chosen is not None:
            ways.append(({"estimator": CHOSEN, "by": chosen.estimator}, chosen))
        for how, one in ways:
            made.append(writer.row(STRICT, subject, {**WHERE, **how}, _strict(stating, one), own.height))
        n = n_labels.get(subject, 0)
        made.append(writer.count(N_LABELS, subject, {}, n, n))
    return made


def _strict(stating: Interval | None, one: Estimate) -> Interval | None:
    """The share that responds with a fact times that of the others than `one` is of, cut to [0, 1]; the two are estimated apart."""
    told = None if one.found is None else flipped(one.found)
    if stating is None or told is None or told.value is None or told.low is None or told.high is None:
        return None
    supported = Interval(told.value, told.low, told.high)
    found = squared_and_added(lambda first, second: first * second, [stating, supported])
    return None if found is None else Interval(*(min(1.0, max(0.0, end)) for end in found))
