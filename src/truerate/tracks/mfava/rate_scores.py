"""Score rows of rates in the wild: every estimator of the registry per model and language, its spread over
seeds, and counts. What models are ranked by stands in `ranked_units`.

The language `all` is the plain mean over languages; it is not told where one of them is not.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np
import polars as pl

from truerate.core.schemas import Sample, frame
from truerate.metrics.cells import spread
from truerate.metrics.estimators import sample
from truerate.metrics.estimators.registry import estimate_board
from truerate.metrics.estimators.sample import LabelError, errors_on
from truerate.metrics.rates import PREDICTION_POWERED, Estimate, estimate_rows, sensitivity_band
from truerate.metrics.score_writer import ALL, ScoreWriter
from truerate.tracks.mfava import detection, ordering
from truerate.tracks.mfava.marking import (
    AGAINST,
    CALIBRATIONS,
    GOLD,
    NATURAL,
    SILVER,
    Detector,
    Labelled,
    Piece,
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
from truerate.tracks.mfava.ordering import Cut, cells_of, judgements_of, seeded, seeds_of
from truerate.tracks.mfava.rates import (
    FLAWS,
    Calibration,
    Calibrations,
    Cells,
    Replies,
    calibrations,
    error_of_shared,
    gold_tokens,
    grid_estimates,
    labelled_texts,
    shared_marks,
)

RATE = "hallucination_rate"
ALL_REPLIES, KEPT = "all", "kept"
# A board ranks models, so a rate is that of all replies that a model would give to questions about such articles:
# articles are the clusters, and an interval is wider than one about these very replies.
TARGET = "model"


def rate_rows(
    cells: Cells, known: Calibrations, people: LabelError, writer: ScoreWriter
) -> tuple[list[dict], dict]:
    """Score rows of every model's rates per language and over all, and the estimates of all replies by
    (model, language). `people`: the error of labels by one person.
    """
    made, estimated, texts = [], {}, labelled_texts(known)
    for which in (ALL_REPLIES, KEPT):
        taken = {
            key: replies if which == ALL_REPLIES else replies.only(replies.is_kept)
            for key, replies in cells.items()
        }
        sizes = _sizes(taken)
        found = estimate_board(
            {key: replies.cell for key, replies in taken.items()},
            confidence=writer.statistics.confidence,
            target=TARGET,
            calibrated=texts,
            people=people,
        )
        for (model, lang), each in found.items():
            where = {"lang": lang, "replies": which}
            made += estimate_rows(RATE, model, where, with_headline(each), sizes[model, lang], writer)
        for (model, lang), replies in taken.items():
            of_lang = {kind: texts[kind].of_lang(lang) for kind in CALIBRATIONS if (kind, lang) in known}
            made += _sensitivity(model, {"lang": lang, "replies": which}, replies, of_lang, writer)
        if which == ALL_REPLIES:
            estimated = {key: found[key] for key in cells}
    for model in sorted({model for model, _ in cells}):
        own = {lang: replies for (name, lang), replies in cells.items() if name == model}
        made += spread_rows(model, own, known, writer)
    return made, estimated


def with_headline(each: Sequence[Estimate]) -> list[Estimate]:
    """The estimates, with an empty headline where there is none: a rate without labels of its own replies is not
    identified, and its flagged share takes no rank.
    """
    if any(one.estimator == PREDICTION_POWERED for one in each):
        return list(each)
    return [*each, Estimate(PREDICTION_POWERED, NATURAL, None)]


def _sizes(cells: Cells) -> dict[tuple[str, str], int]:
    """How many replies each model has in each language and in all."""
    sizes: dict[tuple[str, str], int] = {}
    for (model, lang), replies in cells.items():
        for name in (lang, ALL):
            sizes[model, name] = sizes.get((model, name), 0) + len(replies.groups)
    return sizes


def _of_lang(known: Calibrations, lang: str) -> dict[str, Calibration]:
    return {kind: known[kind, lang] for kind in CALIBRATIONS if (kind, lang) in known}


def _sensitivity(
    model: str, where: dict, replies: Replies, texts: Mapping[str, sample.Calibration], writer: ScoreWriter
) -> list[dict]:
    """The band of the Rogan–Gladen rate where nobody labelled natural hallucinations: TPR and FPR moved from
    those of inserted ones.
    """
    kind = next((kind for kind in (GOLD, SILVER) if kind in texts), None)
    if NATURAL in texts or kind is None or not replies.tokens.any():
        return []
    errors = errors_on(texts[kind], confidence=writer.statistics.confidence)
    if not errors.tpr.n or not errors.fpr.n:
        return []
    flagged = float(replies.detected.sum() / replies.tokens.sum())
    band = sensitivity_band(flagged, errors.tpr.rate, errors.fpr.rate)
    ends = zip(("sensitivity_low", "sensitivity_high"), band or (None, None), strict=True)
    return [
        writer.row(name, model, {**where, "calibration": kind}, end, len(replies.groups))
        for name, end in ends
    ]


def spread_rows(
    model: str, own: Mapping[str, Replies], known: Calibrations, writer: ScoreWriter
) -> list[dict]:
    """`hallucination_rate_std`: over detector seeds × reply seeds (the paper's 15 estimates), n − 1, of all
    replies.
    """
    by_lang = {lang: grid_estimates(replies, _of_lang(known, lang)) for lang, replies in own.items()}
    rows = [(lang, key, grid) for lang, grids in by_lang.items() for key, grid in grids.items()]
    shared = [
        key for key in next(iter(by_lang.values()), {}) if all(key in grids for grids in by_lang.values())
    ]
    sized = [key for key in shared if len({by_lang[lang][key].shape for lang in by_lang}) == 1]
    rows += [(ALL, key, np.mean([grids[key] for grids in by_lang.values()], axis=0)) for key in sized]
    made = []
    for lang, (estimator, calibration), grid in rows:
        where = {"lang": lang, "estimator": estimator, "calibration": calibration, "replies": ALL_REPLIES}
        made.append(writer.row(f"{RATE}_std", model, where, spread(grid), grid.size))
    return made


def count_rows(cells: Cells, writer: ScoreWriter) -> list[dict]:
    """How many replies and tokens there are, how many tokens are flagged, how many replies people labelled, how
    often replies have which flaw; per language and over all.
    """
    made = []
    for model in sorted({model for model, _ in cells}):
        own = {lang: replies for (name, lang), replies in cells.items() if name == model}
        for lang in [*own, ALL]:
            taken = [replies for name, replies in own.items() if lang in (ALL, name)]
            n = sum(len(replies.groups) for replies in taken)
            tokens, detected = (
                sum(float(getattr(one, name).mean(axis=1).sum()) for one in taken)
                for name in ("tokens", "detected")
            )
            values = {
                "n_replies": n,
                "n_tokens": tokens,
                "n_detected": detected,
                "n_labelled": sum(one.cell.k for one in taken),
                "tokens_per_reply": tokens / n,
                "detected_per_reply": detected / n,
            }
            made += [
                writer.row(name, model, {"lang": lang}, float(value), n) for name, value in values.items()
            ]
            articles = np.concatenate([one.groups for one in taken]).tolist()
            for flaw in FLAWS:
                hits = np.concatenate([one.flaws[flaw] for one in taken])
                made.append(writer.share(f"{flaw}_rate", model, {"lang": lang}, hits, articles))
    return made


# ---- What is measured on the texts of a board, part after part (`board_part --------------------------------


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
    ordered: ordering.OrderedCells = field(default_factory=dict)
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
