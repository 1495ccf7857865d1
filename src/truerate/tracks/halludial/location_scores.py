"""Localization and rationale (HalluDial 3.2, Table 3): where and why judges say that a text is hallucinated,
and the numbers of each text that scores are sums of.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import polars as pl

from truerate.core.schemas import emptied, pair
from truerate.metrics import spans
from truerate.metrics import tokens as token_scores
from truerate.metrics.intervals import cluster_sums
from truerate.metrics.score_writer import ALL, ScoreWriter
from truerate.metrics.similarity import Measure
from truerate.metrics.text_overlap import N_COLUMNS as N_BLEU
from truerate.metrics.text_overlap import bleu, bleu_sums, rouge_l
from truerate.metrics.tokens import TokenLine, token_line, word_offsets
from truerate.tracks.halludial.judged_texts import THREE_SHOT, judged_texts, slices
from truerate.tracks.halludial.labels import places
from truerate.tracks.halludial.prompting import MATCHED

ALWAYS_NO, TEMPLATE = "always-no", "template"
# The numbers of a text: whether it counts, its ROUGE-L and similarity, what BLEU is made of; then of its
# marked characters (gold, marked, both) and tokens (all, gold, marked, both), where the place is known.
BLEU = slice(3, 3 + N_BLEU)
CHARACTERS = slice(BLEU.stop, BLEU.stop + 3)
TOKENS = slice(CHARACTERS.stop, CHARACTERS.stop + 4)
POSITIVES, DETECTED = "positives", "found"
OVERS = (ALL, POSITIVES, DETECTED)
PLAIN = ("bleu", "span_f1", "span_precision", "span_recall", "token_f1", "marked_rate")
Places = list[list[tuple[int, int]]]
Pair = tuple[str, str]  # a target and a text


@dataclass(frozen=True)
class Explanations:
    """What a judge says of texts, a row per text of `table`: `texts` in words, `places` of the segments."""

    judge: str
    variant: str
    table: pl.DataFrame
    texts: list[str]
    places: Places

    @property
    def pairs(self) -> list[Pair]:
        """What the label says and what the judge says."""
        labels = self.table.select("is_hallucinated", "gold_rationale").rows()
        return list(zip((in_words(*label) for label in labels), self.texts, strict=True))

    @property
    def has_target(self) -> np.ndarray:
        """Which texts can be compared in words, (texts,): those whose label has a reason, and right ones
        where labels of their scenario have reasons; none of a detector that never gives a reason.
        """
        gives_reasons = self.variant == THREE_SHOT or self.table["rationale"].is_not_null().any()
        has_reason = pl.col("gold_rationale").is_not_null()
        is_comparable = has_reason | ~pl.col("is_hallucinated") & has_reason.any().over("scenario")
        return self.table.select(is_comparable).to_series().to_numpy() & gives_reasons


def in_words(is_hallucinated: bool | None, reason: str | None) -> str:
    """Return a verdict with its reason as labels and judgements are compared; empty without a verdict."""
    if is_hallucinated is None:
        return ""
    word = "Yes." if is_hallucinated else "No."
    return f"{word} {reason}" if reason else word


def all_explanations(
    samples: pl.DataFrame, judgements: pl.DataFrame, *, is_bare_no: bool = False
) -> Iterator[Explanations]:
    """Yield what every judge says that gives places or reasons, and both reference rows, on the texts of
    which subjects were asked where and why; paraphrases are left out. `is_bare_no`: reasons behind a No, of
    labels and of judges, are left out.
    """
    # a subject's verdict alone says neither where nor why
    variant = pair("attributes", "variant")
    given = judgements.filter(variant.is_null() | (variant == THREE_SHOT))
    if is_bare_no:
        samples = samples.with_columns(rationale=pl.when("is_hallucinated").then("rationale"))
        given = given.with_columns(rationale=pl.when("verdict").then("rationale"))
    renamed = samples.rename({"spans": "gold_spans", "rationale": "gold_rationale"})
    columns = ("text", "gold_spans", "gold_rationale")
    rows = judged_texts(renamed, given, columns, ("spans", "rationale"))
    rows = located(rows.filter(pl.col("kind").ne_missing(MATCHED)))
    for (judge, of), part in rows.group_by("judge", "variant", maintain_order=True):
        texts = [in_words(*row) for row in part.select("verdict", "rationale").rows()]
        yield Explanations(str(judge), str(of), part, texts, places(part["spans"]))
    whole = rows.unique("sample_id", keep="first", maintain_order=True).sort("sample_id")
    if not whole.is_empty():  # what says No of every text, and what quotes every text whole
        never, always = (whole.with_columns(verdict=pl.lit(value)) for value in (False, True))
        responses = whole["text"].to_list()
        quoted = [f'Yes. The segment "{text}" is not supported by the knowledge.' for text in responses]
        yield Explanations(ALWAYS_NO, THREE_SHOT, never, ["No."] * whole.height, [[] for _ in responses])
        yield Explanations(TEMPLATE, THREE_SHOT, always, quoted, [[(0, len(text))] for text in responses])


def located(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the judgements that say where or why: those with demonstrations, and of the same texts (of all,
    where there are none) those of detectors that give places or reasons.
    """
    asked = rows.filter(variant=THREE_SHOT)
    gives = (pl.col("spans").list.len() > 0) | pl.col("rationale").is_not_null()
    others = rows.filter(pl.col("variant") != THREE_SHOT, gives.any().over("judge", "variant"))
    if not asked.is_empty():
        others = others.filter(pl.col("sample_id").is_in(asked["sample_id"].unique().to_list()))
    return pl.concat([asked, others])


# ---- the numbers of each text ------------------------------------------------------------------------------


def numbers(by_judge: Sequence[Explanations], measure: Measure) -> list[np.ndarray]:
    """Return the numbers of each text of each judge, (texts, 10 + BLEU's). A pair of texts is compared once,
    whoever says it; pairs of one target stand together, so that what is kept of it serves them all.
    """
    ordered = sorted({pair for explanations in by_judge for pair in explanations.pairs})
    alike = [value for (value,) in measure(ordered)]
    columns = np.stack([np.ones(len(ordered)), rouge_l(ordered), alike], axis=1)
    of_pair = dict(zip(ordered, np.hstack([columns, bleu_sums(ordered)]), strict=True))
    cut = cache(word_offsets)
    rows = []
    for explanations in by_judge:
        compared = np.array([of_pair[pair] for pair in explanations.pairs]) * explanations.has_target[:, None]
        rows.append(np.hstack([compared, _marks(explanations, cut)]))
    return rows


def _marks(explanations: Explanations, cut: Callable[[str], list[tuple[int, int]]]) -> np.ndarray:
    """Characters and tokens of each text, (texts, 7); zeros for a hallucinated one of unknown place."""
    gold = places(explanations.table["gold_spans"])
    line = token_line(explanations.table["text"].to_list(), cut)
    marked = [_marked(line, bounds) for bounds in (gold, explanations.places)]
    tokens = [line.sizes, *(line.per_text(side) for side in (*marked, marked[0] & marked[1]))]
    both = np.hstack([spans.span_sums(gold, explanations.places), np.stack(tokens, axis=1)])
    label = explanations.table["is_hallucinated"].to_list()
    is_known = [not is_bad or bool(bounds) for is_bad, bounds in zip(label, gold, strict=True)]
    return both * np.array(is_known, dtype=float)[:, None]


def _marked(line: TokenLine, bounds: Places) -> np.ndarray:
    flat = [(text, *span) for text, of_text in enumerate(bounds) for span in of_text]
    return line.marked(*np.array(flat, dtype=np.int64).reshape(-1, 3).T)


def missed(columns: np.ndarray) -> np.ndarray:
    """Return the numbers as they are where nothing was said: the text counts, and all of it is missed."""
    kept = [0, BLEU.stop - 1, CHARACTERS.start, TOKENS.start, TOKENS.start + 1]
    nothing = np.zeros_like(columns)
    nothing[:, kept] = columns[:, kept]
    return nothing


# ---- scores ------------------------------------------------------------------------------------------------


def score_location(
    samples: pl.DataFrame,
    judgements: pl.DataFrame,
    writer: ScoreWriter,
    *,
    measure: Measure,
    similarity: str,
    is_bare_no: bool = False,
) -> list[dict]:
    """Return Score rows of every judge that says where or why, and of both reference rows, per scenario.
    `similarity`: what `measure` is called. A judge none of whose replies could be read has empty scores.
    `is_bare_no`: as `all_explanations`.

    A detector that gives places or reasons stands beside the subjects, as zero-shot.
    """
    by_judge = list(all_explanations(samples, judgements, is_bare_no=is_bare_no))
    if not by_judge:
        return []
    columns = numbers(by_judge, measure)
    keys = ("scenario", "kind", "is_hallucinated")
    whole = pl.concat([explanations.table.select(keys) for explanations in by_judge])
    rows: list[dict] = []
    # a scenario at a time: judges of the same texts share their resamples
    for where, inside in slices(whole):
        for explanations, of_text in zip(by_judge, columns, strict=True) if "kind" not in where else ():
            is_in = explanations.table.select(inside).to_series().fill_null(False).to_numpy()
            named = _scores(explanations, of_text, is_in, where, writer, similarity)
            scores = list(named) if is_in.any() else []
            rows += scores if explanations.table["verdict"].is_not_null().any() else emptied(scores)
    return rows


def _scores(
    explanations: Explanations,
    columns: np.ndarray,
    inside: np.ndarray,
    where: dict,
    writer: ScoreWriter,
    similarity: str,
) -> Iterator[dict]:
    """Score rows of one judge in one scenario: over all texts, over hallucinated ones and over found ones."""
    label = explanations.table["is_hallucinated"].to_numpy()
    is_flagged = explanations.table["verdict"].fill_null(False).to_numpy()
    parts = [columns, np.where(is_flagged[:, None], columns, missed(columns)) * label[:, None]]
    parts = [part[inside] for part in (*parts, columns * (label & is_flagged)[:, None])]
    clusters = explanations.table["group_id"].to_numpy()[inside].tolist()
    intervals = iter(writer.intervals(cluster_sums(clusters, np.hstack(parts)), _statistics))
    for over, part in zip(OVERS, parts, strict=True):
        n_texts, n_places = int(part[:, 0].sum()), int((part[:, TOKENS.start] > 0).sum())
        for name in ("rouge_l", "rationale_similarity", *PLAIN):
            n = n_texts if name in ("rouge_l", "rationale_similarity", "bleu") else n_places
            more = {"measure": similarity} if name == "rationale_similarity" else {}
            slice_ = {**where, "variant": explanations.variant, "over": over, **more}
            interval = next(intervals)
            yield writer.row(name, explanations.judge, slice_, interval if n else None, n)


def _statistics(totals: np.ndarray) -> np.ndarray:
    """All numbers over all, hallucinated and found texts, from totals side by side; (draws, 3 · 8)."""
    each = []
    for part in np.split(totals, len(OVERS), axis=-1):
        characters, tokens = part[..., CHARACTERS], part[..., TOKENS]
        each += [part[..., column] / part[..., 0] for column in (1, 2)]
        each.append(bleu(part[..., BLEU]))
        each += [of(characters) for of in (spans.span_f1, spans.span_precision, spans.span_recall)]
        each += [token_scores.f1(tokens), tokens[..., 2] / tokens[..., 0]]
    return np.stack(each, axis=-1)
