"""Score rows of rates in the wild: every estimator of the registry per model and language, its spread over
seeds, and counts. What models are ranked by stands in `ranked_units`.

The language `all` is the plain mean over languages; it is not told where one of them is not.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from truerate.metrics.estimators import sample
from truerate.metrics.estimators.external import errors_on
from truerate.metrics.estimators.label_errors import LabelError
from truerate.metrics.estimators.registry import estimate_board
from truerate.metrics.means import spread
from truerate.metrics.rates import sensitivity_band
from truerate.metrics.score_writer import ALL, ScoreWriter
from truerate.metrics.unit_rates import PREDICTION_POWERED, Estimate, estimate_rows
from truerate.tracks.mfava.marking import CALIBRATIONS, GOLD, NATURAL, SILVER
from truerate.tracks.mfava.rates import (
    FLAWS,
    Calibration,
    Calibrations,
    Cells,
    Replies,
    grid_estimates,
    labelled_texts,
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
