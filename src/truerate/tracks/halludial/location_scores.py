"""What is scored of localization and rationale (HalluDial 3.2, Table 3): what a judge says, word for word against
what the label's annotator said, and the characters and tokens that it marks.

Over all texts, as the paper prints it, most of the score is the verdict: "No." against "No." is a perfect match.
So the same stands over hallucinated texts alone, where one that was missed counts 0, and over those that were
found. Two reference rows need no reading: `always-no`, and `template`, which quotes the whole response.
"""

import numpy as np
import polars as pl

from truerate.core.schemas import emptied
from truerate.metrics import spans, token_scores
from truerate.metrics.bleu import bleu
from truerate.metrics.intervals import cluster_sums
from truerate.metrics.score_writer import ALL, ScoreWriter
from truerate.metrics.similarity import Measure
from truerate.tracks.halludial.judged_texts import slices
from truerate.tracks.halludial.located_texts import BLEU, CHARACTERS, TOKENS, Said, all_said, missed, numbers

POSITIVES, FOUND = "positives", "found"
OVERS = (ALL, POSITIVES, FOUND)
PLAIN = ("bleu", "span_f1", "span_precision", "span_recall", "token_f1", "marked_rate")


def score_location(
    samples: pl.DataFrame, judgements: pl.DataFrame, writer: ScoreWriter, *, measure: Measure, similarity: str
) -> list[dict]:
    """Score rows of every judge that says where or why, and of both reference rows, per scenario.
    `similarity`: what `measure` is called. Of a judge none of whose replies could be read nothing was measured.

    A detector that gives places or reasons stands beside the subjects, as zero-shot.
    """
    said = all_said(samples, judgements)
    if not said:
        return []
    columns = numbers(said, measure)
    whole = pl.concat([one.table.select("scenario", "kind", "is_hallucinated") for one in said])
    made: list[dict] = []
    # a scenario at a time: judges of the same texts share their resamples
    for where, inside in slices(whole):
        for one, of_text in zip(said, columns, strict=True) if "kind" not in where else ():
            rows = one.table.select(inside).to_series().fill_null(False).to_numpy()
            scores = _scores(one, of_text, rows, where, writer, similarity) if rows.any() else []
            made += scores if one.table["verdict"].is_not_null().any() else emptied(scores)
    return made


def _scores(
    one: Said, columns: np.ndarray, inside: np.ndarray, where: dict, writer: ScoreWriter, similarity: str
) -> list[dict]:
    """Score rows of one judge in one scenario: over all texts, over hallucinated ones and over found ones."""
    label = one.table["is_hallucinated"].to_numpy()
    said = one.table["verdict"].fill_null(False).to_numpy()
    parts = {
        ALL: columns,
        POSITIVES: np.where(said[:, None], columns, missed(columns)) * label[:, None],
        FOUND: columns * (label & said)[:, None],
    }
    own = [parts[over][inside] for over in OVERS]
    clusters = one.table["group_id"].to_numpy()[inside].tolist()
    intervals = writer.intervals(cluster_sums(clusters, np.hstack(own)), _statistics)
    sizes = [_sizes(part) for part in own]
    named = [
        (name, {**where, "variant": one.variant, "over": over, **more}, n)
        for over, (n_texts, n_places) in zip(OVERS, sizes, strict=True)
        for name, more, n in _names(similarity, n_texts, n_places)
    ]
    return [
        writer.row(name, one.judge, slice_, interval if n else None, n)
        for (name, slice_, n), interval in zip(named, intervals, strict=True)
    ]


def _sizes(part: np.ndarray) -> tuple[int, int]:
    """How many texts are compared in words, and of how many the place is known."""
    return int(part[:, 0].sum()), int((part[:, TOKENS.start] > 0).sum())


def _names(similarity: str, n_texts: int, n_places: int) -> list[tuple[str, dict, int]]:
    """The metrics of `_statistics` in order, with what their slice holds besides and over how many they are."""
    rows = [("rouge_l", {}, n_texts), ("rationale_similarity", {"measure": similarity}, n_texts)]
    return rows + [(name, {}, n_texts if name == "bleu" else n_places) for name in PLAIN]


def _statistics(totals: np.ndarray) -> np.ndarray:
    """All numbers over all, hallucinated and found texts, from their totals side by side; (draws, 3 · 8)."""
    parts = np.split(totals, len(OVERS), axis=-1)
    return np.concatenate([_of_part(part) for part in parts], axis=-1)


def _of_part(totals: np.ndarray) -> np.ndarray:
    characters, tokens = totals[..., CHARACTERS], totals[..., TOKENS]
    each = [totals[..., place] / totals[..., 0] for place in (1, 2)]
    each.append(bleu(totals[..., BLEU]))
    each += [of(characters) for of in (spans.span_f1, spans.span_precision, spans.span_recall)]
    each += [token_scores.f1(tokens), tokens[..., 2] / tokens[..., 0]]
    return np.stack(each, axis=-1)
