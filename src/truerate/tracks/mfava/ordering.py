"""How well the probabilities of detectors order tokens, wherever one begins to mark: AUROC and average precision.

Scores of one detector are means over its seeds, per language and as the plain mean over languages.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from truerate.metrics.intervals import Interval, cluster_sums
from truerate.metrics.means import mean_of_cells, mean_of_defined
from truerate.metrics.score_writer import ALL, ScoreWriter
from truerate.metrics.thresholds import auroc_of_counts, average_precision_of_counts
from truerate.metrics.token_scores import TokenLine
from truerate.tracks.mfava.marking import AGAINST, Detector, Labelled, Run, Texts, by_detector, languages

STEPS = 100  # per cent: spans hold probabilities of two digits
ORDERING: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "token_auroc": auroc_of_counts,
    "token_average_precision": average_precision_of_counts,
}

Cells = dict[
    tuple[str, Detector, str], tuple[int, list[Interval]]
]  # by kind of labels, detector and language


def ordering_cells(
    texts: Texts, held: dict[str, Labelled], runs: dict[Detector, list[Run]], writer: ScoreWriter
) -> Cells:
    """The number of judged texts and the intervals of ORDERING, of every detector against every kind of labels in
    each language that these texts are in.
    """
    found: Cells = {}
    for against in AGAINST if texts.frame.height else ():
        one = held[against]
        langs = languages(one.langs)
        for detector, own in runs.items() if langs else ():
            levels = [token_levels(run, one.places, texts.line) for run in own]
            for lang in langs:
                inside = one.where(one.langs == lang)
                found[against, detector, lang] = _language(inside, own, levels, texts.line, writer)
    return found


def ordering_rows(cells: Cells, is_independent: Mapping[str, bool], writer: ScoreWriter) -> list[dict]:
    """`token_auroc` and `token_average_precision` of every detector against every kind of labels, from
    `ordering_cells` of all texts. `is_independent`: by kind of labels, whether languages are apart
    (`marking.are_apart`).
    """
    made = []
    for (against, detector), by_lang in by_detector(cells).items():
        where = detector.where(against=against)
        for place, name in enumerate(ORDERING):
            for lang, (n, intervals) in by_lang.items():
                made.append(writer.row(name, detector.member, {**where, "lang": lang}, intervals[place], n))
            mean = mean_of_cells(
                [intervals[place] for _, intervals in by_lang.values()],
                is_independent=is_independent[against],
            )
            n = sum(size for size, _ in by_lang.values())
            made.append(writer.row(name, detector.member, {**where, "lang": ALL}, mean, n))
    return made


def level_counts(held: Labelled, run: Run, levels: np.ndarray, line: TokenLine) -> np.ndarray:
    """Tokens of each labelled text by label and probability, (samples, 2, STEPS + 1): not gold ones and gold
    ones at each per cent; zeros where the run did not judge the text. `levels` (tokens,): `token_levels`.
    """
    tokens, sample = line.tokens_of(held.places)
    place = (sample * 2 + held.is_gold[tokens]) * (STEPS + 1) + levels[tokens]
    counts = np.bincount(place, minlength=len(held.places) * 2 * (STEPS + 1)).astype(np.int32)
    return counts.reshape(-1, 2, STEPS + 1) * run.is_judged[held.places, None, None]


def token_levels(run: Run, places: Sequence[int] | np.ndarray, line: TokenLine) -> np.ndarray:
    """The largest probability of the spans that overlap a token, in per cent, (tokens,), of texts at `places`;
    0 where none does.
    """
    spans = run.spans.filter(run.spans["place"].is_in(list(places)))
    p = spans["p"].fill_null(1.0).to_numpy()
    place, starts, ends = (spans[name].to_numpy() for name in ("place", "start", "end"))
    return line.highest(place, starts, ends, np.round(p * STEPS).astype(np.int8))


def _language(
    held: Labelled, runs: Sequence[Run], levels: Sequence[np.ndarray], line: TokenLine, writer: ScoreWriter
) -> tuple[int, list[Interval]]:
    """Number of judged texts of one language, and the intervals of ORDERING; of all languages at once the counts
    (samples, seeds, 2, levels) would take more memory than a board's texts.
    """
    part = np.stack([level_counts(held, *one, line) for one in zip(runs, levels, strict=True)], axis=1)
    part = part[..., part.any(axis=(0, 1, 2))]  # levels that occur: the others change nothing
    shape = part.shape[1:]

    def statistics(totals: np.ndarray) -> np.ndarray:
        negative, positive = np.moveaxis(totals.reshape(len(totals), *shape), 2, 0)
        return np.stack([mean_of_defined(of(positive, negative)) for of in ORDERING.values()], axis=1)

    clusters = cluster_sums(held.groups, part.reshape(len(part), -1))
    return int(part.any(axis=(1, 2, 3)).sum()), writer.intervals(clusters, statistics)
