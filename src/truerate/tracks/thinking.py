"""What thinking brings a judge, and what it costs: accuracy beside the tokens of its replies at every effort,
verdicts that change between thought and answer, tokens and money for each hallucination that is caught.

Entries of `models` that ask one model at several `effort`s are a series; the one of least effort is what the
others are held against, on the same texts.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
import polars as pl

from truerate.config import Model
from truerate.core.aggregates import total
from truerate.core.schemas import pair
from truerate.core.sentence_spans import sentence_spans
from truerate.llm.generation import REASKED
from truerate.llm.replies.verdicts import yes_no
from truerate.metrics.judged import by_subject
from truerate.metrics.recognition import is_right
from truerate.metrics.score_writer import ScoreWriter

LOOKED_BACK = 5  # sentences at the end of a thought among which its verdict is looked for
REPLY = ["judge", "variant", "sample_id"]  # what a model's reply is counted by


def score_thinking(
    rows: pl.DataFrame,
    generations: pl.DataFrame,
    models: Mapping[str, Model],
    writer: ScoreWriter,
    *,
    purposes: Sequence[str],
    keys: Sequence[str],
    cue: str,
) -> list[dict]:
    """Return Score rows of every model that judged texts, per combination of `keys` (columns of `rows`,
    `variant` among them), with its `effort` in their slice where its entry says one.

    `rows`: judgements of labelled texts, each once, with `judge`, `sample_id`, `group_id`, `is_hallucinated`
    and `verdict`; those of detectors, which reply to nothing, are left out. `generations`: the replies, by
    their `purposes`. `cue`: the heading under which verdicts stand.
    """
    replies = _replies(generations, purposes)
    asked = rows.join(replies, on=REPLY, how="inner", maintain_order="left")
    scores = []
    for subject, where, part in by_subject(asked, keys):
        effort = models[subject].stated_effort
        slice_ = where if effort is None else {**where, "effort": str(effort)}
        scores += _costs(subject, slice_, part, writer)
        scores += _thoughts(subject, slice_, part, writer, cue)
        if (least := least_effort(subject, models)) not in (None, subject):
            same = pl.col("judge") == least, *(pl.col(key).eq_missing(pl.lit(where[key])) for key in keys)
            scores += _gain(subject, slice_, part, asked.filter(*same), writer)
    return scores


def least_effort(subject: str, models: Mapping[str, Model]) -> str | None:
    """Return which entry asks the model of `subject` at the least effort; None where its entry says none."""
    of = models[subject]
    if of.stated_effort is None:
        return None
    series = [
        (other.effort_order, name)
        for name, other in models.items()
        if (other.endpoint, other.model) == (of.endpoint, of.model) and other.stated_effort is not None
    ]
    return min(series)[1]


def _replies(generations: pl.DataFrame, purposes: Sequence[str]) -> pl.DataFrame:
    """Return one row per judge, variant and text: `n_tokens` and `usd` of all replies to its question (null:
    a server counts none), and the `thought` of the one that stands.
    """
    names = ("variant", "target", "stage", "thought", REASKED)
    rows = generations.filter(pl.col("purpose").is_in(purposes))
    rows = rows.with_columns(pair("attributes", name).alias(name) for name in names)
    rows = rows.filter(pl.col("stage").is_null() & pl.col("target").is_not_null())
    tokens, stands = pl.col("n_tokens_out"), pl.col(REASKED).is_null()
    return (
        rows.sort("generation_id")
        .group_by(judge="model", variant="variant", sample_id="target", maintain_order=True)
        .agg(
            n_tokens=pl.when(tokens.is_not_null().all()).then(total(tokens)),
            usd=total(pl.col("cost_usd")),
            thought=pl.col("thought").filter(stands).first(),
        )
    )


def _costs(subject: str, where: Mapping, rows: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """Return accuracy, tokens of a verdict, and tokens and USD for each hallucination that is caught: null
    where none is; nothing of tokens where no server counts them, nor of money where none was asked for.
    """
    counted, groups = rows.drop_nulls("n_tokens"), rows["group_id"].to_list()
    scores = [writer.share("accuracy_at_cost", subject, where, is_right(rows), groups)]
    caught = pl.col("is_hallucinated") & pl.col("verdict").fill_null(False)
    if counted.height:
        tokens = counted["n_tokens"].cast(pl.Float64).to_numpy()
        scores.append(
            writer.mean("tokens_per_verdict", subject, where, tokens, counted["group_id"].to_list())
        )
    for metric, of, part in (("tokens_per_caught", "n_tokens", counted), ("usd_per_caught", "usd", rows)):
        if part.height and part[of].sum():
            sums = part.select(pl.col(of).cast(pl.Float64), caught.cast(pl.Float64)).to_numpy()
            clusters = part["group_id"].to_list()
            scores.append(writer.statistic(metric, subject, where, sums, clusters, _for_each))
    return scores


def _for_each(sums: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(sums[:, 1] > 0, sums[:, 0] / sums[:, 1], np.nan)


def _thoughts(subject: str, where: Mapping, rows: pl.DataFrame, writer: ScoreWriter, cue: str) -> list[dict]:
    """Return how many replies show a thought, how many of these come to a verdict in it, and where the answer
    has one too: how often it is another, and what each of the two gets right. Nothing where none shows any.
    """
    thought = rows["thought"].is_not_null()
    if not thought.any():
        return []
    scores = [writer.share("thought_rate", subject, where, thought.to_numpy(), rows["group_id"].to_list())]
    thinking = rows.filter(thought)
    in_thought = [thought_verdict(text, cue) for text in thinking["thought"]]
    thinking = thinking.with_columns(in_thought=pl.Series(in_thought, dtype=pl.Boolean))
    read, groups = thinking["in_thought"].is_not_null(), thinking["group_id"].to_list()
    scores.append(writer.share("thought_read_rate", subject, where, read.to_numpy(), groups))
    both = thinking.drop_nulls(["in_thought", "verdict"])
    if both.is_empty():
        return scores
    groups, label = both["group_id"].to_list(), both["is_hallucinated"]
    hits = {
        "changed_rate": both["in_thought"] != both["verdict"],
        "thought_accuracy": both["in_thought"] == label,
        "answer_accuracy": both["verdict"] == label,
    }
    return [
        *scores,
        *(writer.share(name, subject, where, hit.to_numpy(), groups) for name, hit in hits.items()),
    ]


def _gain(
    subject: str, where: Mapping, rows: pl.DataFrame, least: pl.DataFrame, writer: ScoreWriter
) -> list[dict]:
    """Return how much more is judged rightly than at the least effort, over the texts that both judged."""
    hits = [
        part.select("sample_id", "group_id", hit=pl.Series(is_right(part), dtype=pl.Float64))
        for part in (rows, least)
    ]
    common = hits[0].join(hits[1], on="sample_id", maintain_order="left")
    if common.is_empty():
        return []
    gains = (common["hit"] - common["hit_right"]).to_numpy()
    return [
        writer.mean("effort_gain", subject, where, gains, common["group_id"].to_list(), bounds=(-1.0, 1.0))
    ]


@lru_cache(maxsize=100_000)
def thought_verdict(thought: str, cue: str) -> bool | None:
    """Return the verdict that a thought comes to: of its last sentences the last in which one can be read, as
    of a reply (true: hallucinated). None where that one is ambiguous, or none of them holds a verdict.
    """
    for start, end in reversed(sentence_spans(thought, by_line=True)[-LOOKED_BACK:]):
        reading = yes_no(thought[start:end], cue, asks="hallucination")
        if reading.value is not None or reading.reason == "ambiguous":
            return reading.value
    return None
