"""What is measured on the texts of a board, part after part (`board_parts`): what scores are made of, which is small
beside tokens and spans.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np
import polars as pl

from truerate.core.schemas import Sample, frame
from truerate.metrics.estimators.label_errors import LabelError
from truerate.metrics.score_writer import ScoreWriter
from truerate.tracks.mfava import detection, ordering
from truerate.tracks.mfava.board_parts import Piece
from truerate.tracks.mfava.marking import (
    AGAINST,
    NATURAL,
    Detector,
    Labelled,
    Run,
    Texts,
    are_apart,
    board_texts,
    labelled,
    labelled_replies,
    names_of_runs,
    of_kind,
    runs_of,
)
from truerate.tracks.mfava.people import error_of_shared, shared_marks
from truerate.tracks.mfava.rates import Calibration, Calibrations, Cells, calibrations, gold_tokens
from truerate.tracks.mfava.reply_cells import Cut, cells_of, judgements_of, seeded, seeds_of

HEADS = ("judgement_id", "judge", "target_id", "status", "attributes")  # of judgements, without their spans
ANSWER = ("sample_id", "item_id", "group_id", "lang")


@dataclass(frozen=True)
class Voices:
    """Whoever judged a board's texts: the seeds of every detector (`marking.runs_of`), and those of the rates'
    detector, where there are replies.
    """

    seeds_by_detector: Mapping[Detector, Sequence[str]]
    chosen: Detector
    seeds: Sequence[str]


@dataclass
class Measured:
    """By kind of labels, detector and language, or by kind and language: gold tokens and all (and the texts), and what
    `detection` and `ordering` count; the answers that people labelled with the scores of each detector; the
    calibrations and cells of rates, and the replies that several people labelled.
    """

    gold: dict[tuple[str, str], tuple[int, int, int]] = field(default_factory=dict)
    tokens: detection.Cells = field(default_factory=dict)
    windows: dict[tuple[str, Detector, str], tuple[int, int]] = field(default_factory=dict)
    ordered: ordering.Cells = field(default_factory=dict)
    answers: list[pl.DataFrame] = field(default_factory=list)
    answer_scores: list[dict[Detector, np.ndarray]] = field(default_factory=list)
    calibrated: dict[tuple[str, str], Calibration] = field(default_factory=dict)
    shared: list[pl.DataFrame] = field(default_factory=list)
    cells: Cells = field(default_factory=dict)

    @property
    def known(self) -> Calibrations:
        """The calibrations by kind of labels and language, in order."""
        order = sorted(self.calibrated, key=lambda key: (AGAINST.index(key[0]), key[1]))
        return {key: self.calibrated[key] for key in order}

    @property
    def people(self) -> LabelError:
        """The error of one person's label of a reply."""
        return error_of_shared(pl.concat(self.shared))

    @property
    def answered(self) -> tuple[pl.DataFrame, dict[Detector, np.ndarray]]:
        """The labelled answers of all parts (ANSWER) in the order of their ids, and the scores of each detector on
        them, (answers, 2).
        """
        whole = pl.concat([frame(Sample).select(ANSWER), *self.answers])
        order = whole["sample_id"].arg_sort().to_numpy()
        detectors = self.answer_scores[0] if self.answer_scores else ()
        scores = {
            detector: np.concatenate([each[detector] for each in self.answer_scores])[order]
            for detector in detectors
        }
        return whole[order], scores


def voices(pieces: Iterable[Piece], chosen: Detector) -> Voices:
    """Whoever said anything of the pieces of a board; spans are not read."""
    runs: set[tuple[Detector, str]] = set()
    seeds: set[str] = set()
    n_replies = 0
    for samples, replies, judgements in pieces:
        said = judgements.select(HEADS).collect()
        runs |= names_of_runs(said, samples, labelled_replies(samples, replies))
        seeds |= set(seeds_of(judgements_of(said, chosen)))
        n_replies += replies.height
    detectors = sorted({detector for detector, _ in runs})
    by_detector = {one: sorted(seed for detector, seed in runs if detector == one) for one in detectors}
    return Voices(by_detector, chosen, sorted(seeds) if n_replies else ())


def measured(pieces: Iterator[Piece], heard: Voices, cut: Cut, writer: ScoreWriter) -> Measured:
    """What is measured of all pieces of a board; one of them is in memory at a time."""
    found = Measured()
    for piece in pieces:
        _measure(found, piece, heard, cut, writer)
    return found


def _measure(found: Measured, piece: Piece, heard: Voices, cut: Cut, writer: ScoreWriter) -> None:
    """Put what is measured of one piece to that of others; the spans of one judge are in memory at a time."""
    samples, replies = piece.samples, piece.replies
    texts = board_texts(samples, labelled_replies(samples, replies), cut)
    held = {against: labelled(samples, texts, against) for against in AGAINST}
    found.gold |= gold_counts(texts, held)
    found.answers.append(held[NATURAL].samples.select(ANSWER))
    scores = detection.plain_scores(held[NATURAL])
    for _, members in groupby(heard.seeds_by_detector.items(), key=lambda one: one[0].member):
        runs = _runs(piece, dict(members), texts)
        found.tokens |= detection.detection_cells(texts, held, runs, writer)
        found.windows |= detection.windowed_counts(held, runs)
        found.ordered |= ordering.ordering_cells(texts, held, runs, writer)
        scores |= detection.answer_scores(held[NATURAL], runs)
    found.answer_scores.append(scores)
    if heard.seeds:
        own = _runs(piece, {heard.chosen: heard.seeds}, texts)[heard.chosen]
        found.calibrated |= calibrations(held, texts, own)
        found.shared.append(shared_marks(held[NATURAL], texts))
        gold_of = gold_tokens(texts, held[NATURAL])
        del texts, held, own  # tokens and spans of the labelled texts
        said = judgements_of(_said(piece, heard.chosen), heard.chosen)
        chosen = {"detector": heard.chosen, "seeds": heard.seeds}
        found.cells |= cells_of(replies, samples, said, cut, gold_of, **chosen)


def _said(piece: Piece, detector: Detector) -> pl.DataFrame:
    """What a detector, and others of its name, said of a piece."""
    return piece.judgements.filter(pl.col("judge") == detector.member).collect()


def _runs(
    piece: Piece, seeds_by_detector: Mapping[Detector, Sequence[str]], texts: Texts
) -> dict[Detector, list[Run]]:
    """The runs of detectors of one name on a piece, one for each of their seeds."""
    found = runs_of(_said(piece, next(iter(seeds_by_detector))), texts)
    return {
        detector: seeded(found.get(detector, ()), seeds, texts)
        for detector, seeds in seeds_by_detector.items()
    }


def gold_counts(texts: Texts, held: Mapping[str, Labelled]) -> dict[tuple[str, str], tuple[int, int, int]]:
    """Tokens that the labels themselves mark, all tokens, and texts, by kind of labels and language."""
    found = {}
    for against, one in held.items():
        tops, bottoms = texts.line.per_text(one.is_gold)[one.places], texts.line.sizes[one.places]
        for lang in sorted(set(one.langs)):
            inside = one.langs == lang
            found[against, lang] = int(tops[inside].sum()), int(bottoms[inside].sum()), int(inside.sum())
    return found


def languages_apart(samples: pl.DataFrame) -> dict[str, bool]:
    """Whether no group of the samples of a kind of labels stands in two languages, by kind."""
    found = {}
    for against in AGAINST:
        known = samples.filter(of_kind(against)).select("group_id", "lang")
        found[against] = are_apart(known["group_id"].to_numpy(), known["lang"].to_numpy())
    return found
