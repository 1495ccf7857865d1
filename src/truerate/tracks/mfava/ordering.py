"""How well the probabilities of detectors order tokens, wherever one begins to mark: AUROC and average precision.

Scores of one detector are means over its seeds, per language and as the plain mean over languages.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from truerate.core.schemas import pair
from truerate.metrics.cells import mean_of_cells, mean_of_defined
from truerate.metrics.intervals import Interval, cluster_sums
from truerate.metrics.score_writer import ALL, ScoreWriter
from truerate.metrics.thresholds import auroc_of_counts, average_precision_of_counts
from truerate.metrics.tokens import Span, TokenLine
from truerate.tracks.mfava.marking import (
    AGAINST,
    Detector,
    Labelled,
    Run,
    Texts,
    board_texts,
    by_detector,
    languages,
    runs_of,
)
from truerate.tracks.mfava.rates import Cells, joined, replies_of

STEPS = 100  # per cent: spans hold probabilities of two digits
ORDERING: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "token_auroc": auroc_of_counts,
    "token_average_precision": average_precision_of_counts,
}

OrderedCells = dict[
    tuple[str, Detector, str], tuple[int, list[Interval]]
]  # by kind of labels, detector and language


def ordering_cells(
    texts: Texts, held: dict[str, Labelled], runs: dict[Detector, list[Run]], writer: ScoreWriter
) -> OrderedCells:
    """The number of judged texts and the intervals of ORDERING, of every detector against every kind of labels in
    each language that these texts are in.
    """
    found: OrderedCells = {}
    for against in AGAINST if texts.frame.height else ():
        one = held[against]
        langs = languages(one.langs)
        for detector, own in runs.items() if langs else ():
            levels = [token_levels(run, one.places, texts.line) for run in own]
            for lang in langs:
                inside = one.where(one.langs == lang)
                found[against, detector, lang] = _language(inside, own, levels, texts.line, writer)
    return found


def ordering_rows(cells: OrderedCells, is_independent: Mapping[str, bool], writer: ScoreWriter) -> list[dict]:
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


# ---- The replies of every model in every language with what the rates' dete --------------------------------


PART = 20_000  # replies that are cut into tokens at once

Cut = Callable[[str], Iterable[Span]]


def judgements_of(judgements: pl.DataFrame, detector: Detector) -> pl.DataFrame:
    """What one detector said, in all its seeds and languages."""
    member, scope, labels = detector
    return judgements.filter(pl.col("judge") == member).filter(
        (pair("attributes", "scope").fill_null("multi") == scope)
        & (pair("attributes", "labels").fill_null("binary") == labels)
    )


def seeds_of(judgements: pl.DataFrame) -> list[str]:
    """The seeds under which a detector said anything."""
    said = judgements.filter((pl.col("status") == "ok") & pair("attributes", "stage").is_null())
    return (
        said.select(pair("attributes", "seed").fill_null("").unique(maintain_order=True))
        .to_series()
        .sort()
        .to_list()
    )


def seeded(runs: Sequence[Run], seeds: Sequence[str], texts: Texts) -> list[Run]:
    """A run of every seed, in their order; one that judged none of these texts has marked and judged nothing."""
    by_seed = {run.seed: run for run in runs}
    return [by_seed.get(seed) or _blank(seed, texts) for seed in seeds]


def _blank(seed: str, texts: Texts) -> Run:
    n_tokens = len(texts.line.starts)
    rows = pl.DataFrame(schema={"place": pl.Int64, "threshold": pl.Float64, "n_windows": pl.Int64})
    spans = pl.DataFrame(schema={"place": pl.Int32, "start": pl.Int32, "end": pl.Int32, "p": pl.Float64})
    is_judged = np.zeros(texts.frame.height, dtype=bool)
    unmarked = np.zeros(n_tokens, dtype=bool), np.zeros(n_tokens, dtype=np.int8)
    return Run(seed, *unmarked, is_judged, rows, spans)


def cells_of(
    replies: pl.DataFrame,
    samples: pl.DataFrame,
    said: pl.DataFrame,
    cut: Cut,
    gold_of: Mapping[str, tuple[float, bool]],
    *,
    detector: Detector,
    seeds: Sequence[str] | None = None,
    n_at_once: int = PART,
) -> Cells:
    """The replies (`marking.answers`) by (model, language), in their order, with what each seed of a detector
    marked of them; `said`: its judgements, `gold_of`: what people marked, by reply (`rates.gold_tokens`), `seeds`:
    those that are told apart, also where they said nothing (those of `said`).
    """
    places, found = {}, {}
    seeds = seeds_of(said) if seeds is None else seeds
    for part in parts(replies, n_at_once):
        own = samples.join(
            part.select("item_id").unique(maintain_order=True),
            on="item_id",
            how="semi",
            maintain_order="left",
        )
        texts = board_texts(own, part, cut)
        runs = seeded(runs_of(said, texts).get(detector, ()), seeds, texts)
        for key, cell in replies_of(part, texts, runs, gold_of).items():
            found.setdefault(key, []).append(cell)
            model, lang = key
            names = part.filter(model=model, lang=lang)["generation_id"].to_list()
            places.setdefault(key, []).extend(names)
    return {key: joined(found[key]).only(np.argsort(places[key])) for key in sorted(found)}


def parts(replies: pl.DataFrame, n_at_once: int) -> Iterator[pl.DataFrame]:
    """The replies in parts of about so many, those of one item in one part, each in their order.

    Replies of an item may be worded alike, and are then one text.
    """
    sizes = replies.group_by("item_id").len().sort("item_id")
    parted = sizes.select("item_id", part=(pl.col("len").cum_sum() - pl.col("len")) // n_at_once)
    placed = replies.join(parted, on="item_id", how="left", maintain_order="left")
    yield from placed.partition_by("part", maintain_order=True, include_key=False)
