"""How much models hallucinate in the wild: flagged tokens, people's labels of some of the replies, and what
the estimators of `metrics.estimators` make of them (mFAVA section 4.1, appendix A.4).

`raw` is the flagged share. `hr_est` is mFAVA's Eq. 1 (needs precision to transfer from the calibration texts,
which depends on how much is hallucinated there). `rogan-gladen` needs TPR and FPR to transfer. These are
marked by what they were calibrated on: silver and gold are inserted hallucinations, natural are labelled
replies. What rests on labels of some of the very replies needs nothing to transfer. Replies are pooled over
reply seeds; tokens that are flagged are means over detector seeds.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np
import polars as pl

from truerate.core.schemas import pair
from truerate.metrics.estimators import sample
from truerate.metrics.estimators.registry import HR_EST
from truerate.metrics.estimators.sample import EXACT, LabelError, label_error
from truerate.metrics.rates import RAW
from truerate.metrics.tokens import Span, flagged_rates, seed_hr_est
from truerate.tracks.mfava.marking import (
    CALIBRATIONS,
    Detector,
    Labelled,
    Run,
    Texts,
    board_texts,
    flat_spans,
    of_seeds,
    runs_of,
    seeds_of,
    token_sums,
)

FLAWS = ("repeats", "dont_know", "cut", "wrong_language")
N_AT_ONCE = 20_000  # replies that are cut into tokens at once


@dataclass(frozen=True)
class Calibration:
    """The labelled texts of one kind in one language: `groups`, `models` (who wrote them; texts,), `sums`
    (texts, seeds, 4) of n, gold, detected, both.
    """

    groups: np.ndarray
    models: np.ndarray
    sums: np.ndarray


Calibrations = Mapping[tuple[str, str], Calibration]  # by (kind of labels, language)


@dataclass(frozen=True)
class Replies:
    """A model's replies in one language: `groups`, `units`, `subsets` (replies,), `tokens` and `detected`
    (replies, seeds), `gold` (replies,) the hallucinated tokens by people's labels, NaN without one,
    `is_alone` (replies,) whether that is one person's, `flaws` (replies, FLAWS).
    """

    groups: np.ndarray
    units: np.ndarray
    subsets: np.ndarray
    tokens: np.ndarray
    detected: np.ndarray
    gold: np.ndarray
    is_alone: np.ndarray
    flaws: np.ndarray

    @property
    def is_kept(self) -> np.ndarray:
        """Which replies have no flaw, (replies,)."""
        return np.logical_not(self.flaws.any(axis=1))

    @property
    def cell(self) -> sample.Cell:
        """The replies as sampling units: each was drawn by chance to be labelled, or not."""
        counts = self.tokens.mean(axis=1), self.detected.mean(axis=1), self.gold
        return sample.Cell(*counts, self.groups, self.is_alone)

    def only(self, inside: np.ndarray) -> "Replies":
        """Return some of them."""
        return Replies(*(getattr(self, field.name)[inside] for field in fields(self)))


Cells = dict[tuple[str, str], Replies]


def replies_of(
    answers: pl.DataFrame, texts: Texts, runs: Sequence[Run], gold_of: Mapping[str, tuple[float, bool]]
) -> Replies:
    """Return replies with their tokens, what each seed marked, and what people did (`gold_tokens`)."""
    row = texts.places_of(answers["generation_id"])
    judged = np.stack([run.is_judged for run in runs], axis=1)[row]
    detected = np.stack([texts.line.per_text(run.is_marked) for run in runs], axis=1)[row] * judged
    labels = [gold_of.get(name, (np.nan, False)) for name in answers["generation_id"]]
    gold, is_alone = np.array(labels, dtype=float).reshape(-1, 2).T
    return Replies(
        answers["group_id"].to_numpy(),
        (answers["item_id"] + "/" + answers["replicate"].fill_null("0")).to_numpy(),
        answers["subset_seed"].fill_null("").to_numpy(),
        texts.line.sizes[row][:, None] * judged,
        detected,
        np.where(judged.any(axis=1), gold, np.nan),  # what was not judged has no tokens
        is_alone.astype(bool),
        answers.select((pl.col(FLAWS) == "yes").fill_null(False)).to_numpy(),
    )


def cells_of(
    replies: pl.DataFrame,
    samples: pl.DataFrame,
    judgements: pl.DataFrame,
    cut: Callable[[str], Iterable[Span]],
    gold_of: Mapping[str, tuple[float, bool]],
    *,
    detector: Detector,
    seeds: Sequence[str] | None = None,
    n_at_once: int = N_AT_ONCE,
) -> Cells:
    """Return the replies (`marking.answers`) by (model, language) with what each seed of a detector marked of
    them; `judgements`: its own, `gold_of`: what people marked, by reply (`gold_tokens`), `seeds`: those that
    are told apart, also where they judged nothing.
    """
    seeds = seeds_of(judgements) if seeds is None else seeds
    rows, parts = [], []
    for part in in_batches(replies, n_at_once):
        labelled = samples.join(part, on="item_id", how="semi", maintain_order="left")
        texts = board_texts(labelled, part, cut)
        runs = of_seeds(runs_of(judgements, texts).get(detector, ()), seeds, texts)
        parts.append(replies_of(part, texts, runs, gold_of))
        rows.append(part.select("generation_id", "model", "lang"))
    if not rows:
        return {}
    columns = ([getattr(part, field.name) for part in parts] for field in fields(Replies))
    whole, names = Replies(*map(np.concatenate, columns)), pl.concat(rows).with_row_index("row")
    ordered = names.sort("model", "lang", "generation_id")
    return {
        (str(model), str(lang)): whole.only(part["row"].to_numpy())
        for (model, lang), part in ordered.group_by("model", "lang", maintain_order=True)
    }


def in_batches(replies: pl.DataFrame, n_at_once: int) -> Iterator[pl.DataFrame]:
    """Yield replies in batches of about so many, an item's together: alike they are one text."""
    sizes = replies.group_by("item_id").len().sort("item_id")
    batch = sizes.select("item_id", batch=(pl.col("len").cum_sum() - pl.col("len")) // n_at_once)
    with_batch = replies.join(batch, on="item_id", how="left", maintain_order="left")
    yield from with_batch.partition_by("batch", maintain_order=True, include_key=False)


# ---- what the detector is known to do ----------------------------------------------------------------------


def calibrations(
    gold: Mapping[str, Labelled], texts: Texts, runs: Sequence[Run]
) -> dict[tuple[str, str], Calibration]:
    """Return the calibration of each kind of labels and language."""
    by_kind = {}
    for against in CALIBRATIONS:
        whole = gold[against]
        sums = np.stack([token_sums(whole, run, texts.line) for run in runs], axis=1)
        writers = whole.samples["generator"].fill_null("").to_numpy()
        for lang in sorted(set(whole.langs)):
            inside = whole.langs == lang
            if sums[inside][..., 0].any():
                columns = (whole.groups, writers, sums)
                by_kind[against, lang] = Calibration(*(column[inside] for column in columns))
    return by_kind


def labelled_texts(calibrated: Calibrations) -> dict[str, sample.Calibration]:
    """Return the labelled texts of all languages by kind of labels, counts as means over seeds."""
    texts = {}
    for kind in dict.fromkeys(kind for kind, _ in calibrated):
        parts = {lang: calibration for (name, lang), calibration in calibrated.items() if name == kind}
        texts[kind] = sample.Calibration(
            np.concatenate([part.sums.mean(axis=1) for part in parts.values()]),
            np.concatenate([np.full(len(part.groups), lang) for lang, part in parts.items()]),
            np.concatenate([part.models for part in parts.values()]),
            np.concatenate([part.groups for part in parts.values()]),
        )
    return texts


def grid_estimates(
    replies: Replies, calibrated: Mapping[str, Calibration]
) -> dict[tuple[str, str | None], np.ndarray]:
    """Return raw rate and HR_est, (detector seeds, reply seeds), by (estimator, calibration)."""
    both = np.stack([replies.detected, replies.tokens], axis=2)
    subsets = sorted(set(replies.subsets))
    counts = np.stack([both[replies.subsets == subset].sum(axis=0) for subset in subsets], axis=1)
    grids: dict[tuple[str, str | None], np.ndarray] = {(RAW, None): flagged_rates(counts)}
    for kind, calibration in calibrated.items():
        seeds = zip(calibration.sums.sum(axis=0), counts, strict=True)
        grid = [[seed_hr_est(total, pair) for pair in row] for total, row in seeds]
        grids[HR_EST, kind] = np.array(grid, dtype=float)
    return grids


# ---- people's labels of replies ----------------------------------------------------------------------------


def labellers(natural: Labelled) -> np.ndarray:
    """Return how many people labelled each sample, (samples,); 0 where a source does not say."""
    n_labels = pair("attributes", "n_labels").cast(pl.Int64).fill_null(0)
    return natural.samples.select(n_labels).to_series().to_numpy()


def gold_tokens(texts: Texts, natural: Labelled) -> dict[str, tuple[float, bool]]:
    """Return the tokens that people marked, and whether one person alone did, by labelled reply."""
    marked = texts.line.per_text(natural.is_gold)[natural.places].astype(float).tolist()
    names = natural.samples.select(pair("attributes", "generation")).to_series().to_list()
    return dict(zip(names, zip(marked, (labellers(natural) == 1).tolist(), strict=True), strict=True))


def mean_marks(natural: Labelled, texts: Texts) -> np.ndarray:
    """Return the tokens that the mean of its annotators marks of each sample, (samples,)."""
    rows = natural.samples.select("spans", place=pl.Series(natural.places, dtype=pl.Int64))
    spans = flat_spans(rows).with_columns(pl.col("p").fill_null(1.0))
    sums = np.zeros(len(texts.line.sizes))
    for (share,), part in sorted(spans.partition_by("p", as_dict=True).items()):
        marked = texts.line.marked(*(part[name].to_numpy() for name in ("place", "start", "end")))
        sums += share * texts.line.per_text(marked)
    return sums[natural.places]


def shared_marks(natural: Labelled, texts: Texts) -> pl.DataFrame:
    """Return of each sample that several people labelled the tokens that their `vote` marks and those that
    `each` of them does in the mean, with `sample_id` and `group_id`.
    """
    votes = texts.line.per_text(natural.is_gold)[natural.places]
    columns = {"vote": votes, "each": mean_marks(natural, texts)}
    marked = natural.samples.select("sample_id", "group_id").with_columns(
        pl.Series(name, values, dtype=pl.Float64) for name, values in columns.items()
    )
    return marked.filter(pl.Series(labellers(natural) > 1, dtype=pl.Boolean))


def labelling_error(shared: pl.DataFrame) -> LabelError:
    """Return the error of one person's label of a reply, from replies that several labelled (`shared_marks`);
    none where there are too few.

    Of each such reply the mean person counts and not each, so that the noise of one person does not: it
    counts only where a rate is about `these` very replies.
    """
    ordered = shared.sort("sample_id")
    votes, each = ordered["vote"].to_numpy(), ordered["each"].to_numpy()[:, None]
    return label_error(votes, each, ordered["group_id"].to_numpy()) or EXACT
