"""What judges say of a text's place of hallucination and its reason, and the numbers of each text that scores are
sums of.
"""

from collections.abc import Callable, Iterable, Sequence
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
from truerate.metrics.spans import span_sums
from truerate.metrics.text_overlap import N_COLUMNS as N_BLEU
from truerate.metrics.text_overlap import bleu, bleu_sums, rouge_l
from truerate.metrics.tokens import TokenLine, token_line, word_offsets
from truerate.tracks.halludial.judged_texts import THREE_SHOT, judged_texts, slices
from truerate.tracks.halludial.prompting import MATCHED

ALWAYS_NO, TEMPLATE = "always-no", "template"
# The numbers of a text: whether it counts, its ROUGE-L and similarity, what BLEU is made of; then of its marked
# characters (gold, marked, both) and tokens (all, gold, marked, both), where the place is known.
TEXT, BLEU = slice(0, 3), slice(3, 3 + N_BLEU)
CHARACTERS = slice(BLEU.stop, BLEU.stop + 3)
TOKENS = slice(CHARACTERS.stop, CHARACTERS.stop + 4)
Places = list[list[tuple[int, int]]]
Pair = tuple[str, str]  # a target and a text


@dataclass(frozen=True)
class Said:
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
        return list(zip((told(*label) for label in labels), self.texts, strict=True))

    @property
    def has_target(self) -> np.ndarray:
        """Which texts can be compared in words, (texts,): those whose label has a reason, and right ones where labels
        of their scenario have reasons. Of a detector that never gives a reason there is nothing to compare.
        """
        gives_reasons = self.variant == THREE_SHOT or self.table["rationale"].is_not_null().any()
        has_reason = pl.col("gold_rationale").is_not_null()
        is_told = has_reason | ~pl.col("is_hallucinated") & has_reason.any().over("scenario")
        return self.table.select(is_told).to_series().to_numpy() & gives_reasons


def all_said(samples: pl.DataFrame, judgements: pl.DataFrame) -> list[Said]:
    """What every judge says that gives places or reasons, and both reference rows, on the texts of which subjects
    were asked where and why; paraphrases are left out.
    """
    # a subject's verdict alone says neither where nor why
    variant = pair("attributes", "variant")
    told_more = judgements.filter(variant.is_null() | (variant == THREE_SHOT))
    renamed = samples.rename({"spans": "gold_spans", "rationale": "gold_rationale"})
    columns = ("text", "gold_spans", "gold_rationale")
    rows = judged_texts(renamed, told_more, columns, ("spans", "rationale"))
    rows = located(rows.filter(pl.col("kind").ne_missing(MATCHED)))
    return [*_judges(rows), *_references(rows)]


def located(rows: pl.DataFrame) -> pl.DataFrame:
    """The judgements that say where or why: those with demonstrations, and of the texts that these are of (of
    all, where there are none) those of detectors that give places or reasons.
    """
    asked = rows.filter(variant=THREE_SHOT)
    gives = (pl.col("spans").list.len() > 0) | pl.col("rationale").is_not_null()
    others = rows.filter(pl.col("variant") != THREE_SHOT, gives.any().over("judge", "variant"))
    if not asked.is_empty():
        others = others.filter(pl.col("sample_id").is_in(asked["sample_id"].unique().to_list()))
    return pl.concat([asked, others])


def told(is_hallucinated: bool | None, reason: str | None) -> str:
    """A verdict with its reason in one text, as labels and judgements are compared; empty without a verdict."""
    if is_hallucinated is None:
        return ""
    word = "Yes." if is_hallucinated else "No."
    return f"{word} {reason}" if reason else word


def _judges(rows: pl.DataFrame) -> list[Said]:
    said = []
    for (judge, variant), part in rows.group_by("judge", "variant", maintain_order=True):
        texts = [told(*row) for row in part.select("verdict", "rationale").rows()]
        said.append(Said(str(judge), str(variant), part, texts, _places(part["spans"])))
    return said


def _references(rows: pl.DataFrame) -> list[Said]:
    """What says No of every text, and what quotes every text whole."""
    whole = rows.unique("sample_id", keep="first", maintain_order=True).sort("sample_id")
    if whole.is_empty():
        return []
    never, always = (whole.with_columns(verdict=pl.lit(value)) for value in (False, True))
    responses = whole["text"].to_list()
    quoted = [f'Yes. The segment "{text}" is not supported by the knowledge.' for text in responses]
    nothing: Places = [[] for _ in responses]
    everything: Places = [[(0, len(text))] for text in responses]
    return [
        Said(ALWAYS_NO, THREE_SHOT, never, [told(False, None)] * whole.height, nothing),
        Said(TEMPLATE, THREE_SHOT, always, quoted, everything),
    ]


def _places(spans: pl.Series) -> Places:
    return [[(span["start"], span["end"]) for span in of_text] for of_text in spans.to_list()]


# ---- the numbers of each text ------------------------------------------------------------------------------


def numbers(said: Sequence[Said], measure: Measure) -> list[np.ndarray]:
    """The numbers of each text of each judge, (texts, 10 + BLEU's). A pair of texts is compared once, whoever
    says it.
    """
    of_pair = _compared({pair for one in said for pair in one.pairs}, measure)
    cut = cache(word_offsets)
    made = []
    for one in said:
        in_words = np.array([of_pair[pair] for pair in one.pairs]) * one.has_target[:, None]
        made.append(np.hstack([in_words, _marks(one, cut)]))
    return made


def _compared(pairs: Iterable[Pair], measure: Measure) -> dict[Pair, np.ndarray]:
    """1, ROUGE-L, similarity and BLEU's sums of each pair. Pairs of one target stand together, so that what is
    kept of it serves them all.
    """
    ordered = sorted(pairs)
    alike = [value for (value,) in measure(ordered)]
    columns = np.stack([np.ones(len(ordered)), rouge_l(ordered), alike], axis=1)
    return dict(zip(ordered, np.hstack([columns, bleu_sums(ordered)]), strict=True))


def _marks(one: Said, cut: Callable[[str], list[tuple[int, int]]]) -> np.ndarray:
    """Characters and tokens of each text, (texts, 7); zeros for a hallucinated one whose place nobody knows."""
    gold = _places(one.table["gold_spans"])
    line = token_line(one.table["text"].to_list(), cut)
    marked = [_marked(line, places) for places in (gold, one.places)]
    parts = [line.sizes, *(line.per_text(side) for side in (*marked, marked[0] & marked[1]))]
    both = np.hstack([span_sums(gold, one.places), np.stack(parts, axis=1)])
    label = one.table["is_hallucinated"].to_list()
    is_known = [not is_bad or bool(places) for is_bad, places in zip(label, gold, strict=True)]
    return both * np.array(is_known, dtype=float)[:, None]


def _marked(line: TokenLine, places: Places) -> np.ndarray:
    flat = [(text, *place) for text, of_text in enumerate(places) for place in of_text]
    text, start, end = np.array(flat, dtype=np.int64).reshape(-1, 3).T
    return line.marked(text, start, end)


def missed(columns: np.ndarray) -> np.ndarray:
    """The numbers as they are where nothing was said: the text counts, and all of it is missed."""
    kept = [0, BLEU.stop - 1, CHARACTERS.start, TOKENS.start, TOKENS.start + 1]
    nothing = np.zeros_like(columns)
    nothing[:, kept] = columns[:, kept]
    return nothing


# ---- What is scored of localization and rationale (HalluDial 3.2, Table 3): --------------------------------


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
