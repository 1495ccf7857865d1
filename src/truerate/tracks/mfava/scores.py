"""Everything that is scored on a board of this track but its labels (`labels.label`): the texts themselves,
detectors, rates in the wild. What needs tokens is measured part after part (`marking.pieces`), one of them in
memory at a time.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby

import numpy as np
import polars as pl

from truerate.config.layout import Layout
from truerate.core.schemas import Sample, Score, frame, pair
from truerate.core.spans.tags import TYPES
from truerate.metrics.score_writer import ALL, ScoreWriter
from truerate.metrics.tokens import Span, offsets_by
from truerate.tracks.mfava import detection, marking, rate_scores, rates
from truerate.tracks.mfava.analyses import analysis_rows
from truerate.tracks.mfava.marking import (
    AGAINST,
    GOLD,
    NATURAL,
    SILVER,
    Detector,
    Labelled,
    Piece,
    Run,
    Texts,
)

HEADS = ("judgement_id", "judge", "target_id", "status", "attributes")  # of judgements, without their spans
ANSWER = ("sample_id", "item_id", "group_id", "lang")
TEXTS = "texts"  # the subject of what is counted of all texts
# Steps whose replies may be rejected, in the order of the protocol.
STEPS = ("write", "insert", "translate", "translate_reference", "query", "check", "answer")
Seeds = Mapping[Detector, Sequence[str]]


def scored_judgements(
    config: Layout, board: str, samples: pl.DataFrame, generations: pl.DataFrame
) -> pl.Expr:
    """Return which judgements of detectors `score` reads: those of texts with labels, and of any text those
    of the rates' detector. What others mark of a reply without labels is for the sample browser alone.
    """
    replies = marking.labelled_replies(samples, generations.filter(purpose="answer"))
    labelled = pl.concat([samples["sample_id"], replies["generation_id"]])
    is_leading = pl.col("judge") == config.p.track(board).detector.member
    return is_leading | pl.col("target_id").is_in(labelled.implode())


def score(
    config: Layout,
    board: str,
    *,
    items: pl.DataFrame,
    samples: pl.DataFrame,
    judgements: pl.DataFrame | marking.Judgements,
    generations: pl.DataFrame,
    inputs: str,
    references: pl.DataFrame | None = None,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return all Score and Outcome rows of a board but those of its labels.

    `samples` are the data set's and the gold ones, `judgements` the detectors', all or by part
    (`scored_parts`), `references` what the queries of replies were written from (`item_id`, `knowledge`).
    """
    settings = config.p.track(board)
    writer = ScoreWriter(board, inputs, config.p.statistics, config.p.seed)
    replies = marking.answers(generations, items)
    if not isinstance(judgements, Mapping):
        judgements = marking.in_parts(judgements, marking.scored_parts(items, samples, generations))
    leading = Detector(settings.detector.member, settings.detector.scope, settings.detector.labels)
    pieces = partial(marking.pieces, items, samples, replies, judgements)
    seeds_by_detector, seeds = judging_seeds(pieces(), leading)
    # where no reply is labelled the gold passages are the answers that detectors are ranked by
    ranked = GOLD if samples.filter(marking.OF_KIND[NATURAL]).is_empty() else NATURAL
    measured = Measured(writer, offsets_by(settings.tokenizer), leading, seeds, ranked)
    for piece in pieces():
        measured.add(piece, seeds_by_detector)
    is_apart = {kind: marking.are_apart(samples.filter(of)) for kind, of in marking.OF_KIND.items()}
    with_page = set(items.filter(pl.col("document_ids").list.len() > 0)["item_id"])
    answers, answer_scores = measured.answered
    mushroom, outcomes = detection.mushroom_rows(
        answers, answer_scores, seeds_by_detector, writer, with_page=with_page, against=ranked
    )
    content_scores, content = rate_scores.content_rows(replies, references, writer)
    rows = [
        *span_rows(samples, writer),
        *rejected_rows(generations, writer),
        *query_rows(items, generations, writer),
        *detection.detection_rows(measured.detected, is_apart, writer),
        *mushroom,
        *rate_scores.unanswered_rows(generations, writer),
        *gold_rows(measured.gold, writer),
        *content_scores,
    ]
    if seeds:
        of_rates, rate_outcomes = rates_of(config, board, measured, content)
        rows += of_rates
        outcomes = pl.concat([outcomes, rate_outcomes])
    return frame(Score, rows), outcomes


def gold_rows(gold: Mapping[tuple[str, str], tuple[int, int, int]], writer: ScoreWriter) -> list[dict]:
    """Return `hallucinated_token_rate` by kind of labels and language, of the counts of `gold_counts`."""
    rows = []
    for against, lang in sorted(gold, key=by_kind):
        n_gold, n_tokens, n = gold[against, lang]
        share, where = n_gold / n_tokens if n_tokens else None, {"against": against, "lang": lang}
        rows.append(writer.row("hallucinated_token_rate", TEXTS, where, share, n))
    return rows


def rates_of(
    config: Layout, board: str, measured: "Measured", content: Mapping[str, dict[tuple[str, str], float]]
) -> tuple[list[dict], pl.DataFrame]:
    """Return Score rows of the rates in the wild with their analyses (`content`: of `content_rows`), and the
    outcomes that ranks are tested on.
    """
    writer, cells = measured.writer, dict(sorted(measured.cells.items()))
    calibrated = {key: measured.calibrated[key] for key in sorted(measured.calibrated, key=by_kind)}
    people = rates.labelling_error(pl.concat(measured.shared))
    fit = rate_scores.headline(cells, writer.statistics.confidence, people)
    rows, estimated = rate_scores.rate_rows(cells, calibrated, people, writer)
    models = {alias: config.p.models[alias] for alias in config.p.models_of(board)}
    how = {"content": content, "large_from": config.p.track(board).large_from}
    analyses = analysis_rows(cells, estimated, calibrated, fit, models, writer, **how)
    rows = [*rows, *rate_scores.count_rows(cells, writer), *analyses]
    return rows, rate_scores.outcome_rows(cells, fit, writer)


# ---- the parts of a board ----------------------------------------------------------------------------------


def judging_seeds(pieces: Iterable[Piece], leading: Detector) -> tuple[Seeds, list[str]]:
    """Return the seeds of every detector that judged a labelled text, and those of the rates' detector, where
    there are replies; spans are not read.
    """
    runs: set[tuple[str, ...]] = set()
    seeds: set[str] = set()
    has_replies = False
    for samples, replies, judgements in pieces:
        heads = judgements.select(HEADS).collect()
        texts = marking.distinct_texts(samples, marking.labelled_replies(samples, replies))
        counted = marking.counted_judgements(heads, *texts)
        runs |= set(counted.select("member", "scope", "labels", "seed").iter_rows())
        seeds |= set(marking.seeds_of(marking.judgements_of(heads, leading)))
        has_replies |= not replies.is_empty()
    by_detector: dict[Detector, list[str]] = {}
    for *name, seed in sorted(runs):
        by_detector.setdefault(Detector(*name), []).append(seed)
    return by_detector, sorted(seeds) if has_replies else []


@dataclass
class Measured:
    """What is measured of the pieces of a board: gold tokens, all tokens and texts by kind of labels and
    language; the cells of `detection`; labelled answers, of the kind `ranked`, with the scores of each detector;
    the calibrations and cells of rates by `leading` (with its `seeds`); the replies that several people labelled.
    """

    writer: ScoreWriter
    cut: Callable[[str], Iterable[Span]]
    leading: Detector
    seeds: Sequence[str]
    ranked: str = NATURAL
    gold: dict[tuple[str, str], tuple[int, int, int]] = field(default_factory=dict)
    detected: detection.Cells = field(default_factory=dict)
    answers: list[pl.DataFrame] = field(default_factory=list)
    answer_scores: list[dict[Detector, np.ndarray]] = field(default_factory=list)
    calibrated: dict[tuple[str, str], rates.Calibration] = field(default_factory=dict)
    shared: list[pl.DataFrame] = field(default_factory=list)
    cells: rates.Cells = field(default_factory=dict)

    @property
    def answered(self) -> tuple[pl.DataFrame, dict[Detector, np.ndarray]]:
        """The labelled answers (ANSWER) by id, and each detector's scores of them, (answers, 2)."""
        whole = pl.concat([frame(Sample).select(ANSWER), *self.answers])
        order = whole["sample_id"].arg_sort().to_numpy()
        detectors = self.answer_scores[0] if self.answer_scores else ()
        parts_of = {detector: [part[detector] for part in self.answer_scores] for detector in detectors}
        return whole[order], {detector: np.concatenate(parts)[order] for detector, parts in parts_of.items()}

    def add(self, piece: Piece, seeds_by_detector: Seeds) -> None:
        """Add what is measured of one piece; the spans of one judge are in memory at a time."""
        samples, replies, _ = piece
        texts = marking.board_texts(samples, marking.labelled_replies(samples, replies), self.cut)
        gold = {against: marking.labelled(samples, texts, against) for against in AGAINST}
        self.gold |= gold_counts(texts, gold)
        answers = gold[self.ranked]
        self.answers.append(answers.samples.select(ANSWER))
        scores = detection.baseline_scores(answers)
        scores |= detection.writer_scores(answers, gold[SILVER].samples) if self.ranked == GOLD else {}
        for member, detectors in groupby(seeds_by_detector, key=lambda detector: detector.member):
            seeds_of = {detector: seeds_by_detector[detector] for detector in detectors}
            runs = _runs(piece, member, seeds_of, texts)
            self.detected |= detection.detection_cells(texts, gold, runs, self.writer)
            scores |= detection.answer_scores(answers, runs)
        self.answer_scores.append(scores)
        if self.seeds:
            leading_runs = _runs(piece, self.leading.member, {self.leading: self.seeds}, texts)[self.leading]
            self.calibrated |= rates.calibrations(gold, texts, leading_runs)
            self.shared.append(rates.shared_marks(gold[NATURAL], texts))
            gold_of = rates.gold_tokens(texts, gold[NATURAL])
            del texts, gold, leading_runs  # tokens and spans of the labelled texts
            of_member = piece.judgements.filter(judge=self.leading.member).collect()
            judged = marking.judgements_of(of_member, self.leading)
            leading = {"detector": self.leading, "seeds": self.seeds}
            self.cells |= rates.cells_of(replies, samples, judged, self.cut, gold_of, **leading)


def by_kind(key: tuple[str, str]) -> tuple[int, str]:
    """Return the order of a kind of labels and a language: that of AGAINST, then of codes."""
    return AGAINST.index(key[0]), key[1]


def _runs(piece: Piece, member: str, seeds: Seeds, texts: Texts) -> dict[Detector, list[Run]]:
    """The runs of detectors of one name on a piece, one for each of their seeds."""
    runs = marking.runs_of(piece.judgements.filter(judge=member).collect(), texts)
    return {
        detector: marking.of_seeds(runs.get(detector, ()), names, texts) for detector, names in seeds.items()
    }


# ---- texts -------------------------------------------------------------------------------------------------


def gold_counts(texts: Texts, gold: Mapping[str, Labelled]) -> dict[tuple[str, str], tuple[int, int, int]]:
    """Return gold tokens, all tokens, and texts, by kind of labels and language."""
    counts = {}
    for against, labelled in gold.items():
        tops = texts.line.per_text(labelled.is_gold)[labelled.places]
        bottoms = texts.line.sizes[labelled.places]
        for lang in sorted(set(labelled.langs)):
            inside = labelled.langs == lang
            counts[against, lang] = int(tops[inside].sum()), int(bottoms[inside].sum()), int(inside.sum())
    return counts


def span_rows(samples: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """Return `n_texts`, `n_spans` and `span_rate` (share of texts that hold one) of each type and all (mFAVA
    Table 2), by language, kind of labels and task. Spans of p ≤ 0.5 do not count.
    """
    keys = ["task", "label_source", "lang"]
    marked = marking.flat_spans(samples.select("sample_id", *keys, "spans"))
    marked = marked.filter(pl.col("p").is_null() | (pl.col("p") > 0.5))
    whole = pl.concat([marked, marked.with_columns(type=pl.lit(ALL))])
    counted = whole.group_by(*keys, "type", maintain_order=True).agg(pl.len(), pl.col("sample_id").n_unique())
    counts = {row[:4]: row[4:] for row in counted.iter_rows()}
    rows = []
    for *key, n in samples.group_by(keys, maintain_order=True).len().sort(keys).iter_rows():
        where = dict(zip(keys, key, strict=True))
        rows.append(writer.count("n_texts", TEXTS, where, n, n))
        occurring = {kind for *of, kind in counts if of == key and kind is not None}
        for kind in [*TYPES, ALL] if occurring & set(TYPES) else sorted(occurring | {ALL}):
            n_spans, n_holding = counts.get((*key, kind), (0, 0))
            rows.append(writer.count("n_spans", TEXTS, {**where, "type": kind}, n_spans, n))
            rows.append(writer.row("span_rate", TEXTS, {**where, "type": kind}, n_holding / n, n))
    return rows


# ---- requests ----------------------------------------------------------------------------------------------


def with_all(rows: pl.DataFrame) -> pl.DataFrame:
    """Return rows, and all of them once more under the language ALL."""
    return pl.concat([rows, rows.with_columns(lang=pl.lit(ALL))]).drop_nulls("lang")


def query_rows(items: pl.DataFrame, generations: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """Return `answerable_rate`, the share of checked queries that their reference answers, and of those asked
    `n_articles`, `n_queries`, and `n_categories` where every article names its own (mFAVA Table 9).
    """
    checked = items.with_columns(pair("attributes", "answerable")).drop_nulls("answerable").sort("item_id")
    of_texts = with_all(checked).with_columns(texts=pl.lit(TEXTS))
    is_answerable = {"answerable_rate": pl.col("answerable") == "yes"}
    rows = writer.shares_by(of_texts, is_answerable, subject="texts", by=("lang",))
    asked = generations.filter(purpose="answer").select("item_id")
    wild = items.filter(task="wild").join(asked, on="item_id", how="semi", maintain_order="left")
    category = pair("attributes", "category")
    counted = wild.group_by("lang", maintain_order=True).agg(
        n_articles=pl.col("group_id").n_unique(),
        n_queries=pl.len(),
        n_categories=pl.when(category.null_count() == 0).then(category.n_unique()),
    )
    for name in ("n_articles", "n_queries", "n_categories"):
        counts = dict(counted.drop_nulls(name).sort("lang").select("lang", name).iter_rows())
        if counts and len(counts) == counted.height:
            counts[ALL] = sum(counts.values())
        rows += [writer.count(name, TEXTS, {"lang": lang}, n, n) for lang, n in counts.items()]
    return rows


def rejected_rows(generations: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """Return `n_rejected` and `rejected_rate` of each step and model, by reason and over all, and by
    language.

    Step `passage`: passages that did not come through all six insertions, so that no sample was made of them,
    by the reason of the last try of the last round.
    """
    asked = generations.filter(pl.col("purpose").is_in(STEPS)).with_columns(
        *(pair("attributes", key) for key in ("lang", "type", "try")),
        cause=pl.when(pl.col("status") != "ok").then(pl.coalesce("reason", "status")),
    )
    rounds = {None: 0} | {type_: number for number, type_ in enumerate(TYPES, 1)}
    passages = asked.filter(pl.col("purpose").is_in(["write", "insert"])).with_columns(
        round=pl.col("type").replace_strict(rounds, return_dtype=pl.Int8),
        attempt=pl.col("try").fill_null("1").cast(pl.Int64),
    )
    in_order = passages.sort("model", "item_id", "round", "attempt")
    last = in_order.group_by("model", "item_id", maintain_order=True).last()
    is_whole = (pl.col("status") == "ok") & (pl.col("round") == len(TYPES))
    cause = pl.coalesce("reason", "cause", pl.lit("unfinished"))
    lost = last.with_columns(purpose=pl.lit("passage"), cause=pl.when(~is_whole).then(cause))
    columns = ("purpose", "model", "lang", "cause")
    whole = with_all(pl.concat([asked.select(columns), lost.select(columns)])).sort(columns[:3])
    each = whole.group_by(columns[:3], maintain_order=True)
    rows = []
    for step, model, lang, n, causes in each.agg(pl.len(), pl.col("cause").drop_nulls()).iter_rows():
        for reason, count in sorted(Counter(causes).items()) + [(ALL, len(causes))]:
            where = {"step": step, "lang": lang, "reason": reason}
            rows.append(writer.count("n_rejected", model, where, count, n))
            rows.append(writer.row("rejected_rate", model, where, count / n, n))
    return rows
