"""The replies of every model in every language with what the rates' detector marked of them, part after part: the
tokens of all replies of a board at once would take more memory than anything else that is scored.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from truerate.core.schemas import pair
from truerate.metrics.tokens import Span
from truerate.tracks.mfava.marking import Detector, Run, Texts, board_texts, runs_of
from truerate.tracks.mfava.rates import Cells, joined, replies_of

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
