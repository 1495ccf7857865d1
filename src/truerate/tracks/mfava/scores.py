"""Everything that is scored on a board of this track but what `labels.label` scores: detectors, rates in the
wild, the texts themselves. What needs tokens is measured part after part (`marking.pieces`), one of them in
memory at a time.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby

import numpy as np
import polars as pl

from truerate.config.layout import Layout
from truerate.core.schemas import Sample, Score, frame
from truerate.metrics.score_writer import ScoreWriter
from truerate.metrics.tokens import Span, offsets_by
from truerate.tracks.mfava import dataset_scores, detection, marking, rate_scores, rates
from truerate.tracks.mfava.analyses import analysis_rows
from truerate.tracks.mfava.marking import (
    AGAINST,
    NATURAL,
    Detector,
    Labelled,
    Piece,
    Run,
    Texts,
    scored_parts,
)

__all__ = ["score", "scored_judgements", "scored_parts"]

HEADS = ("judgement_id", "judge", "target_id", "status", "attributes")  # of judgements, without their spans
ANSWER = ("sample_id", "item_id", "group_id", "lang")
Seeds = Mapping[Detector, Sequence[str]]


def scored_judgements(at: Layout, board: str, samples: pl.DataFrame, generations: pl.DataFrame) -> pl.Expr:
    """Return of which judgements of detectors `score` makes something: those of texts that have labels, and
    of any text those of the rates' detector. What others mark of a reply without labels is for the sample
    browser alone.
    """
    replies = marking.labelled_replies(samples, generations.filter(purpose="answer"))
    labelled = pl.concat([samples["sample_id"], replies["generation_id"]])
    is_leading = pl.col("judge") == at.p.track(board).detector.member
    return is_leading | pl.col("target_id").is_in(labelled.implode())


def score(
    at: Layout,
    board: str,
    *,
    items: pl.DataFrame,
    samples: pl.DataFrame,
    judgements: pl.DataFrame | marking.Judgements,
    generations: pl.DataFrame,
    inputs: str,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return all Score and Outcome rows of a board but those of its labels.

    `samples` are the data set's and the gold ones, `judgements` the detectors', all or by part
    (`scored_parts`), `generations` the data set's.
    """
    settings = at.p.track(board)
    writer = ScoreWriter(board, inputs, at.p.statistics, at.p.seed)
    replies = marking.answers(generations, items)
    if not isinstance(judgements, Mapping):
        judgements = marking.in_parts(judgements, scored_parts(items, samples, generations))
    leading = Detector(settings.detector.member, settings.detector.scope, settings.detector.labels)
    pieces = partial(marking.pieces, items, samples, replies, judgements)
    seeds_by_detector, seeds = judging_seeds(pieces(), leading)
    measured = Measured(writer, offsets_by(settings.tokenizer), leading, seeds)
    for piece in pieces():
        measured.add(piece, seeds_by_detector)
    is_apart = {kind: marking.are_apart(samples.filter(of)) for kind, of in marking.OF_KIND.items()}
    with_page = set(items.filter(pl.col("document_ids").list.len() > 0)["item_id"])
    mushroom, outcomes = detection.mushroom_rows(
        *measured.answered, seeds_by_detector, writer, with_page=with_page
    )
    rows = [
        *dataset_scores.span_rows(samples, writer),
        *dataset_scores.rejected_rows(generations, writer),
        *dataset_scores.query_rows(items, generations, writer),
        *dataset_scores.gold_rate_rows(measured.gold, writer),
        *detection.detection_rows(measured.detected, is_apart, writer),
        *mushroom,
        *rate_scores.unanswered_rows(generations, writer),
    ]
    if seeds:
        cells, calibrated, people = (
            dict(sorted(measured.cells.items())),
            measured.calibrations,
            measured.people,
        )
        fit = rate_scores.headline(cells, writer.statistics.confidence, people)
        of_rates, estimated = rate_scores.rate_rows(cells, calibrated, people, writer)
        rows += (
            of_rates + rate_scores.count_rows(cells, writer) + rates.stratum_rows(leading, calibrated, writer)
        )
        models = {alias: at.p.models[alias] for alias in at.p.models_of(board)}
        rows += analysis_rows(
            cells, estimated, calibrated, fit, models, writer, large_from=settings.large_from
        )
        outcomes = pl.concat([outcomes, rate_scores.outcome_rows(cells, fit, writer)])
    return frame(Score, rows), outcomes


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
    """What is measured of the pieces of a board: gold tokens and all (and the texts) by kind of labels and
    language, the cells of `detection`, the answers that people labelled with the scores of each detector, the
    calibrations and cells of rates by `leading` (with its `seeds`), and the replies that several people
    labelled.
    """

    writer: ScoreWriter
    cut: Callable[[str], Iterable[Span]]
    leading: Detector
    seeds: Sequence[str]
    gold: dict[tuple[str, str], tuple[int, int, int]] = field(default_factory=dict)
    detected: detection.Cells = field(default_factory=dict)
    answers: list[pl.DataFrame] = field(default_factory=list)
    answer_scores: list[dict[Detector, np.ndarray]] = field(default_factory=list)
    calibrated: dict[tuple[str, str], rates.Calibration] = field(default_factory=dict)
    shared: list[pl.DataFrame] = field(default_factory=list)
    cells: rates.Cells = field(default_factory=dict)

    @property
    def calibrations(self) -> rates.Calibrations:
        """The calibrations by kind of labels and language, in order."""
        order = sorted(self.calibrated, key=lambda key: (AGAINST.index(key[0]), key[1]))
        return {key: self.calibrated[key] for key in order}

    @property
    def people(self) -> rates.LabelError:
        """The error of one person's label of a reply."""
        return rates.labelling_error(pl.concat(self.shared))

    @property
    def answered(self) -> tuple[pl.DataFrame, dict[Detector, np.ndarray]]:
        """The labelled answers of all parts (ANSWER) by id, and the scores of each detector on them,
        (answers, 2).
        """
        whole = pl.concat([frame(Sample).select(ANSWER), *self.answers])
        order = whole["sample_id"].arg_sort().to_numpy()
        detectors = self.answer_scores[0] if self.answer_scores else ()
        columns = {
            detector: np.concatenate([each[detector] for each in self.answer_scores])
            for detector in detectors
        }
        return whole[order], {detector: column[order] for detector, column in columns.items()}

    def add(self, piece: Piece, seeds_by_detector: Seeds) -> None:
        """Add what is measured of one piece; the spans of one judge are in memory at a time."""
        samples, replies, _ = piece
        texts = marking.board_texts(samples, marking.labelled_replies(samples, replies), self.cut)
        gold = {against: marking.labelled(samples, texts, against) for against in AGAINST}
        self.gold |= gold_counts(texts, gold)
        self.answers.append(gold[NATURAL].samples.select(ANSWER))
        scores = detection.baseline_scores(gold[NATURAL])
        for member, detectors in groupby(seeds_by_detector, key=lambda detector: detector.member):
            runs = _runs(
                piece, member, {detector: seeds_by_detector[detector] for detector in detectors}, texts
            )
            self.detected |= detection.detection_cells(texts, gold, runs, self.writer)
            scores |= detection.answer_scores(gold[NATURAL], runs)
        self.answer_scores.append(scores)
        if self.seeds:
            leading_runs = _runs(piece, self.leading.member, {self.leading: self.seeds}, texts)[self.leading]
            self.calibrated |= rates.calibrations(gold, texts, leading_runs)
            self.shared.append(rates.shared_marks(gold[NATURAL], texts))
            gold_of = rates.gold_tokens(texts, gold[NATURAL])
            del texts, gold, leading_runs  # tokens and spans of the labelled texts
            judged = marking.judgements_of(
                piece.judgements.filter(judge=self.leading.member).collect(), self.leading
            )
            leading = {"detector": self.leading, "seeds": self.seeds}
            self.cells |= rates.cells_of(replies, samples, judged, self.cut, gold_of, **leading)


def _runs(piece: Piece, member: str, seeds: Seeds, texts: Texts) -> dict[Detector, list[Run]]:
    """The runs of detectors of one name on a piece, one for each of their seeds."""
    runs = marking.runs_of(piece.judgements.filter(judge=member).collect(), texts)
    return {
        detector: marking.of_seeds(runs.get(detector, ()), names, texts) for detector, names in seeds.items()
    }


def gold_counts(texts: Texts, gold: Mapping[str, Labelled]) -> dict[tuple[str, str], tuple[int, int, int]]:
    """Return tokens that the labels themselves mark, all tokens, and texts, by kind of labels and language."""
    counts = {}
    for against, labelled in gold.items():
        tops, bottoms = (
            texts.line.per_text(labelled.is_gold)[labelled.places],
            texts.line.sizes[labelled.places],
        )
        for lang in sorted(set(labelled.langs)):
            inside = labelled.langs == lang
            counts[against, lang] = int(tops[inside].sum()), int(bottoms[inside].sum()), int(inside.sum())
    return counts
