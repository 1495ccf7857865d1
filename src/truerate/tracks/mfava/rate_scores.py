"""Score rows of rates in the wild: every estimator per model and language, its spread over seeds, and counts;
what models are ranked by: how far each query moves their headline rate; and how much the replies say.

The language `all` is the plain mean over languages; it has no value where one of them has none.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from truerate.core.schemas import NO_ANSWERS, Outcome, frame, pair
from truerate.metrics import text_overlap
from truerate.metrics.cells import spread
from truerate.metrics.estimators import sample
from truerate.metrics.estimators.grid import unit_values
from truerate.metrics.estimators.prediction_powered import Fit
from truerate.metrics.estimators.registry import Board, estimate_board
from truerate.metrics.estimators.sample import EXACT, LabelError, errors_on
from truerate.metrics.intervals import cluster_sums
from truerate.metrics.rates import PREDICTION_POWERED, RAW, Estimate, estimate_rows, sensitivity_band
from truerate.metrics.score_writer import ALL, ScoreWriter
from truerate.tracks.mfava.marking import CALIBRATIONS, GOLD, NATURAL, SILVER
from truerate.tracks.mfava.rates import FLAWS, Calibrations, Cells, Replies, grid_estimates, labelled_texts

RATE = "hallucination_rate"
ALL_REPLIES, KEPT = "all", "kept"
# A board ranks models, so a rate is that of all replies that a model would give to questions about such
# articles: articles are the clusters, and an interval is wider than one about these very replies.
TARGET = "model"
WHERE = {"estimator": PREDICTION_POWERED, "calibration": NATURAL, "replies": ALL_REPLIES}  # of the headline


def by_model(cells: Cells) -> Iterator[tuple[str, dict[str, Replies]]]:
    """Yield each model's replies by language."""
    for model in sorted({model for model, _ in cells}):
        yield model, {lang: replies for (name, lang), replies in cells.items() if name == model}


def rate_rows(
    cells: Cells, calibrated: Calibrations, people: LabelError, writer: ScoreWriter
) -> tuple[list[dict], dict]:
    """Return Score rows of every model's rates per language and over all, and the estimates of all replies by
    (model, language). `people`: the error of labels by one person.

    A rate without labels of its own replies is not identified, and takes no rank: its headline is empty.
    """
    rows, estimated, texts = [], {}, labelled_texts(calibrated)
    kept = {key: replies.only(replies.is_kept) for key, replies in cells.items()}
    for which, taken in ((ALL_REPLIES, cells), (KEPT, kept)):
        by_cell = estimate_board(
            {key: replies.cell for key, replies in taken.items()},
            confidence=writer.statistics.confidence,
            target=TARGET,
            calibrated=texts,
            people=people,
        )
        for (model, lang), each in by_cell.items():
            langs = [key for key in taken if key[0] == model and lang in (ALL, key[1])]
            n = sum(len(taken[key].groups) for key in langs)
            if all(estimate.estimator != PREDICTION_POWERED for estimate in each):
                each = [*each, Estimate(PREDICTION_POWERED, NATURAL, None)]
            rows += estimate_rows(RATE, model, {"lang": lang, "replies": which}, each, n, writer)
        for (model, lang), replies in taken.items():
            of_lang = {kind: texts[kind].of_lang(lang) for kind in CALIBRATIONS if (kind, lang) in calibrated}
            rows += _sensitivity(model, {"lang": lang, "replies": which}, replies, of_lang, writer)
        if which == ALL_REPLIES:
            estimated = {key: by_cell[key] for key in cells}
    for model, by_lang in by_model(cells):
        rows += spread_rows(model, by_lang, calibrated, writer)
    return rows, estimated


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
    band = sensitivity_band(flagged, errors.tpr.rate, errors.fpr.rate) or (None, None)
    n, where = len(replies.groups), {**where, "calibration": kind}
    names = ("sensitivity_low", "sensitivity_high")
    return [writer.row(name, model, where, end, n) for name, end in zip(names, band, strict=True)]


def spread_rows(
    model: str, replies_by_lang: Mapping[str, Replies], calibrations: Calibrations, writer: ScoreWriter
) -> list[dict]:
    """Return `hallucination_rate_std` over detector seeds × reply seeds (the paper's 15 estimates)."""
    by_lang = {}
    for lang, replies in replies_by_lang.items():
        calibrated = {kind: calibrations[kind, lang] for kind in CALIBRATIONS if (kind, lang) in calibrations}
        by_lang[lang] = grid_estimates(replies, calibrated)
    grids = [(lang, key, grid) for lang, of_lang in by_lang.items() for key, grid in of_lang.items()]
    for key in next(iter(by_lang.values()), {}):
        each = [of_lang[key] for of_lang in by_lang.values() if key in of_lang]
        if len(each) == len(by_lang) and len({grid.shape for grid in each}) == 1:
            grids.append((ALL, key, np.mean(each, axis=0)))
    rows = []
    for lang, (estimator, calibration), grid in grids:
        where = {"lang": lang, "estimator": estimator, "calibration": calibration, "replies": ALL_REPLIES}
        rows.append(writer.row(f"{RATE}_std", model, where, spread(grid), grid.size))
    return rows


def count_rows(cells: Cells, writer: ScoreWriter) -> list[dict]:
    """Return how many replies and tokens there are, how many are flagged and labelled, and how often replies
    have which flaw; per language and over all.
    """
    rows = []
    for model, by_lang in by_model(cells):
        for lang in [*by_lang, ALL]:
            taken = [replies for name, replies in by_lang.items() if lang in (ALL, name)]
            n, where = sum(len(replies.groups) for replies in taken), {"lang": lang}
            tokens = sum(float(replies.tokens.mean(axis=1).sum()) for replies in taken)
            detected = sum(float(replies.detected.mean(axis=1).sum()) for replies in taken)
            values = {"n_replies": n, "n_tokens": tokens, "n_detected": detected}
            values |= {"tokens_per_reply": tokens / n, "detected_per_reply": detected / n}
            values["n_labelled"] = sum(replies.cell.k for replies in taken)
            rows += [writer.count(name, model, where, value, n) for name, value in values.items()]
            articles = np.concatenate([replies.groups for replies in taken]).tolist()
            flaws = np.concatenate([replies.flaws for replies in taken])
            for column, flaw in enumerate(FLAWS):
                rows.append(writer.share(f"{flaw}_rate", model, where, flaws[:, column], articles))
    return rows


def unanswered_rows(generations: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """Return empty rates, raw and headline, and `no_answers`, how many were asked, of every model and
    language whose every reply is a dead letter; over all languages where that holds of each.
    """
    asked = generations.filter(purpose="answer").select("model", "status", pair("attributes", "lang"))
    whole = pl.concat([asked, asked.with_columns(lang=pl.lit(ALL))]).group_by(
        "model", "lang", maintain_order=True
    )
    dead = whole.agg(n=pl.len(), is_dead=(pl.col("status") == "dead").all()).filter("is_dead")
    rows = []
    for model, lang, n, _ in dead.sort("model", "lang").iter_rows():
        for where in ({"estimator": RAW, "replies": ALL_REPLIES}, WHERE):
            rows.append(writer.row(RATE, model, {"lang": lang, **where}, None, 0))
        rows.append(writer.count(NO_ANSWERS, model, {"lang": lang, "replies": ALL_REPLIES}, n, n))
    return rows


# ---- what models are ranked by -----------------------------------------------------------------------------


class Unit(NamedTuple):
    """A query and its replicate, which all models are asked, in its language; `cluster`: its article."""

    lang: str
    name: str
    cluster: str


def headline(cells: Cells, confidence: float, people: LabelError = EXACT) -> Fit:
    """Return the fit behind the headline rates of a board; `people`: the error of labels by one person."""
    by_cell = {key: replies.cell for key, replies in cells.items()}
    return Board(by_cell, confidence, TARGET, people=people).headline


def outcome_rows(cells: Cells, fit: Fit, writer: ScoreWriter) -> pl.DataFrame:
    """Return Outcome rows of every model and language whose headline is identified, and over all where each
    is.

    A row per query that some model answered, whose mean is the rate: one that a model did not answer moves
    its rate by nothing. Over languages a query counts as its language does in the plain mean.
    """
    units = sorted(
        {
            Unit(lang, str(name), str(cluster))
            for (_, lang), replies in cells.items()
            for name, cluster in zip(replies.units, replies.groups, strict=True)
        }
    )
    langs = list(dict.fromkeys(unit.lang for unit in units))
    rows = [frame(Outcome)]
    for model in dict.fromkeys(model for model, lang in cells if (model, lang) in fit.cells):
        identified = [lang for lang in langs if (model, lang) in fit.cells]
        moves = {}  # by how much each reply moves the rate, 0 together
        for lang in identified:
            key, cell = (model, lang), cells[model, lang]
            influence = (unit_values(fit, key) - fit.rates[key]) / cell.cell.n
            names = [(lang, str(name)) for name in cell.units]
            moves |= dict(zip(names, influence.tolist(), strict=True))
        slices = {lang: [lang] for lang in identified} | ({ALL: langs} if identified == langs else {})
        for name, of_langs in slices.items():
            asked = [unit for unit in units if unit.lang in of_langs]
            rate = float(np.mean([fit.rates[model, lang] for lang in of_langs]))
            scale = len(asked) / len(of_langs)
            values = [round(rate + scale * moves.get((unit.lang, unit.name), 0.0), 6) for unit in asked]
            names, clusters = [unit.name for unit in asked], [unit.cluster for unit in asked]
            table = pl.DataFrame({"unit_id": names, "cluster_id": clusters, "value": values})
            table = table.with_columns(subject=pl.lit(model))
            rows.append(writer.outcomes(RATE, {**WHERE, "lang": name}, table))
    return pl.concat(rows)


# ---- how much replies say ------------------------------------------------------------------------------------

# Measures of how much replies say, with the most that each can be (0: no such bound).
CONTENT = {"informativeness": 1.0, "new_words": 0.0, "reference_coverage": 1.0}


def content_rows(
    replies: pl.DataFrame, references: pl.DataFrame | None, writer: ScoreWriter
) -> tuple[list[dict], dict[str, dict[tuple[str, str], float]]]:
    """Return Score rows of how much each model says, per language and as the plain mean over languages, and the
    values by metric and (model, language): `informativeness`, `new_words` and `reference_coverage`
    (`metrics.text_overlap`; after mFAVA A.8), each a mean over replies, articles resampled. Nothing without
    `references` (`item_id`, `question`, `knowledge`), or without a reply.
    """
    if references is None or replies.is_empty():
        return [], {}
    of_item = references.select("item_id", "question", "knowledge")
    asked = replies.join(of_item, on="item_id", maintain_order="left")
    values: dict[tuple[str, str], list[tuple[float, float, float]]] = {}
    groups: dict[tuple[str, str], list[str]] = {}
    for (lang,), part in asked.group_by("lang", maintain_order=True):
        texts = part["knowledge"].drop_nulls().unique().sort().to_list()
        common = text_overlap.common_terms(texts)
        sentences = {text: text_overlap.content_sentences(text, lang, common) for text in texts}
        columns = ("model", "group_id", "question", "knowledge", "text")
        for model, group, question, knowledge, text in part.select(columns).iter_rows():
            shares = text_overlap.informativeness(text, question or "", common) or (np.nan, 0)
            covered = text_overlap.coverage(text, sentences.get(knowledge, ()))
            values.setdefault((model, lang), []).append((*shares, np.nan if covered is None else covered))
            groups.setdefault((model, lang), []).append(group)
    rows, content = [], {}
    for column, (metric, most) in enumerate(CONTENT.items()):
        for model in sorted({model for model, _ in values}):
            cells = {lang: np.array(values[model, lang])[:, column] for lang in languages_of(values, model)}
            if any(np.isnan(each).all() for each in cells.values()):
                continue
            bound = most or float(max(np.nanmax(each) for each in cells.values())) or 1.0
            clusters = [name for lang in cells for name in groups[model, lang]]
            rows += _means(metric, model, cells, clusters, bound, writer)
            content.setdefault(metric, {}).update(
                {(model, lang): float(np.nanmean(each)) for lang, each in cells.items()}
            )
    return rows, content


def languages_of(cells: Iterable[tuple[str, str]], model: str) -> list[str]:
    """Return the languages in which a model answered, sorted."""
    return sorted(lang for name, lang in cells if name == model)


def _means(
    metric: str,
    model: str,
    cells: Mapping[str, np.ndarray],
    clusters: Sequence[str],
    bound: float,
    writer: ScoreWriter,
) -> list[dict]:
    """The mean of each language's values (NaN: none), and over languages, clusters resampled whole."""
    n, k = sum(map(len, cells.values())), len(cells)
    sums, start = np.zeros((n, 2 * k)), 0
    for index, each in enumerate(cells.values()):
        inside = slice(start, start := start + len(each))
        sums[inside, index], sums[inside, k + index] = np.nan_to_num(each), ~np.isnan(each)

    def means(totals: np.ndarray) -> np.ndarray:
        by_lang = totals[:, :k] / totals[:, k:]
        return np.column_stack([by_lang, by_lang.mean(axis=1)])

    intervals = writer.intervals(cluster_sums(clusters, sums), means, bounds=(0.0, bound))
    sizes = [*(int((~np.isnan(each)).sum()) for each in cells.values())]
    return [
        writer.row(metric, model, {"lang": lang}, interval, size)
        for lang, interval, size in zip([*cells, ALL], intervals, [*sizes, sum(sizes)], strict=True)
    ]
