"""Score rows of rates in the wild: every estimator per model and language, its spread over seeds, counts, and
what models are ranked by.

The language `all` is the plain mean over languages; it is not told where one of them is not.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from truerate.metrics.means import mean_of_cells, spread
from truerate.metrics.rates import mean_of_intervals, sensitivity_band
from truerate.metrics.score_writer import ALL, ScoreWriter
from truerate.metrics.token_rates import detector_shares
from truerate.metrics.unit_rates import RAW, ROGAN_GLADEN, Estimate, estimate_rows
from truerate.tracks.mfava.marking import CALIBRATIONS, GOLD, NATURAL, SILVER
from truerate.tracks.mfava.rates import (
    FLAWS,
    Calibration,
    Cells,
    Replies,
    estimates,
    grid_estimates,
)

RATE = "hallucination_rate"
ALL_REPLIES, KEPT = "all", "kept"


def rate_rows(
    cells: Cells, known: Mapping[tuple[str, str], Calibration], writer: ScoreWriter
) -> tuple[list[dict], dict]:
    """Score rows of every model's rates per language and over all, and the estimates of all replies by
    (model, language).
    """
    made, estimated, langs = [], {}, sorted({lang for _, lang in cells})
    for model in sorted({model for model, _ in cells}):
        own = {lang: replies for (name, lang), replies in cells.items() if name == model}
        for which in (ALL_REPLIES, KEPT):
            taken = {
                lang: replies if which == ALL_REPLIES else replies.only(replies.is_kept)
                for lang, replies in own.items()
            }
            found = {
                lang: estimates(replies, _of_lang(known, lang), writer) for lang, replies in taken.items()
            }
            for lang, each in found.items():
                made += estimate_rows(
                    RATE, model, {"lang": lang, "replies": which}, each, len(taken[lang].groups), writer
                )
                made += _sensitivity(
                    model, {"lang": lang, "replies": which}, taken[lang], _of_lang(known, lang), writer
                )
                if which == ALL_REPLIES:
                    estimated[model, lang] = each
            n = sum(len(replies.groups) for replies in taken.values())
            means = _over_languages(found, langs, are_shared(taken, known))
            made += estimate_rows(RATE, model, {"lang": ALL, "replies": which}, means, n, writer)
        made += spread_rows(model, own, known, writer)
    return made, estimated


def _of_lang(known: Mapping[tuple[str, str], Calibration], lang: str) -> dict[str, Calibration]:
    return {kind: known[kind, lang] for kind in CALIBRATIONS if (kind, lang) in known}


def are_shared(own: Mapping[str, Replies], known: Mapping[tuple[str, str], Calibration]) -> set[str | None]:
    """Which estimates of a model depend on one another over languages, a group being in two of them: by kind
    of calibration; None: raw.
    """
    shared: set[str | None] = set()
    for kind in (None, *CALIBRATIONS):
        parts = [
            [replies.groups, known[kind, lang].groups] if (kind, lang) in known else [replies.groups]
            for lang, replies in own.items()
        ]
        groups = [name for part in parts for name in set(np.concatenate(part).tolist())]
        if len(set(groups)) < len(groups):
            shared.add(kind)
    return shared


def _over_languages(
    found: Mapping[str, list[Estimate]], langs: Sequence[str], shared: set[str | None]
) -> list[Estimate]:
    """Means over the board's languages of the estimates that every language has; not told where one of them
    is not.

    So for a model without a reply in one of them, too: a mean over fewer languages is another quantity.
    """
    by_key = {
        lang: {(one.estimator, one.calibration): one.found for one in each} for lang, each in found.items()
    }
    keys = [key for key in next(iter(by_key.values()), {}) if all(key in each for each in by_key.values())]
    return [
        Estimate(*key, _mean([by_key.get(lang, {}).get(key) for lang in langs], key, shared)) for key in keys
    ]


def _mean(found: list, key: tuple[str, str | None], shared: set[str | None]):
    if any(one is None or one.value is None for one in found):
        return None
    is_apart = key[1] not in shared
    return (
        mean_of_intervals(found, is_independent=is_apart)
        if key[0] == ROGAN_GLADEN
        else mean_of_cells(found, is_independent=is_apart)
    )


def _sensitivity(
    model: str, where: dict, replies: Replies, calibrated: Mapping[str, Calibration], writer: ScoreWriter
) -> list[dict]:
    """The band of the Rogan–Gladen rate where nobody labelled natural hallucinations: TPR and FPR moved from
    those of inserted ones.
    """
    kind = next((kind for kind in (GOLD, SILVER) if kind in calibrated), None)
    if NATURAL in calibrated or kind is None or not replies.tokens.any():
        return []
    tpr, fpr = detector_shares(
        calibrated[kind].sums, calibrated[kind].groups, confidence=writer.statistics.confidence
    )
    if not tpr.n or not fpr.n:
        return []
    band = sensitivity_band(float(replies.detected.sum() / replies.tokens.sum()), tpr.rate, fpr.rate)
    ends = zip(("sensitivity_low", "sensitivity_high"), band or (None, None), strict=True)
    return [
        writer.row(name, model, {**where, "calibration": kind}, end, len(replies.groups))
        for name, end in ends
    ]


def spread_rows(
    model: str, own: Mapping[str, Replies], known: Mapping[tuple[str, str], Calibration], writer: ScoreWriter
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
    """How many replies and tokens there are, how many tokens are flagged, how often replies have which flaw;
    per language and over all.
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
                "tokens_per_reply": tokens / n,
                "detected_per_reply": detected / n,
            }
            values |= {f"{flaw}_rate": sum(int(one.flaws[flaw].sum()) for one in taken) / n for flaw in FLAWS}
            made += [
                writer.row(name, model, {"lang": lang}, float(value), n) for name, value in values.items()
            ]
    return made


def outcome_rows(cells: Cells, writer: ScoreWriter) -> list[dict]:
    """The flagged share of every reply, per language and over all: what models are ranked by. A reply without
    a token does not count.

    A unit is a query and its replicate, which all models answer, so that the test between two models is
    paired.
    """
    made = []
    for (model, lang), replies in cells.items():
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = replies.detected.mean(axis=1) / replies.tokens.mean(axis=1)
        for name in (lang, ALL):
            where = writer.row(RATE, model, {"lang": name, "estimator": RAW, "replies": ALL_REPLIES}, None, 0)
            known = {key: where[key] for key in ("board", "metric", "subject", "slice")}
            for unit, cluster, share in zip(
                replies.units.tolist(), replies.groups.tolist(), shares.tolist(), strict=True
            ):
                made.append(
                    {
                        **known,
                        "unit_id": unit,
                        "cluster_id": cluster,
                        "value": None if np.isnan(share) else round(share, 6),
                    }
                )
    return made
