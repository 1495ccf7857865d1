"""How much models hallucinate in the wild: flagged tokens, people's labels of some of the replies, and what the
estimators of `metrics.estimators` make of them (mFAVA section 4.1, appendix A.4).

`raw` is the flagged share. `hr_est` is mFAVA's Eq. 1 (needs precision to transfer from the calibration texts,
which depends on how much is hallucinated there). `rogan-gladen` needs TPR and FPR to transfer. These are marked by
what they were calibrated on: silver and gold are inserted hallucinations, natural are labelled replies. What rests
on labels of some of the very replies needs nothing to transfer. Replies are pooled over reply seeds; tokens that
are flagged are means over detector seeds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np
import polars as pl

from truerate.core.schemas import pair
from truerate.metrics.estimators import sample
from truerate.metrics.estimators.registry import HR_EST
from truerate.metrics.token_rates import flagged_rates, seed_hr_est
from truerate.metrics.unit_rates import RAW
from truerate.tracks.mfava.marking import CALIBRATIONS, Labelled, Run, Texts, token_sums
from truerate.tracks.mfava.people import labellers
from truerate.tracks.mfava.strata import strata_sums, stratum_of

FLAWS = ("repeats", "dont_know", "cut", "wrong_language")


@dataclass(frozen=True)
class Calibration:
    """The labelled texts of one kind in one language: `groups`, `models` (who wrote them; texts,), `sums` (texts,
    seeds, 4) of n, gold, detected, both, and their means over seeds by stratum, `strata` (texts, strata, 4).
    """

    groups: np.ndarray
    models: np.ndarray
    sums: np.ndarray
    strata: np.ndarray


Calibrations = Mapping[tuple[str, str], Calibration]  # by (kind of labels, language)


@dataclass(frozen=True)
class Replies:
    """A model's replies in one language: `groups`, `units`, `subsets`, `is_kept` (replies,), `tokens` and
    `detected` (replies, seeds), `gold` (replies,) the hallucinated tokens by people's labels, NaN without one,
    `is_alone` (replies,) whether that is one person's; `strata` (replies, strata, 2) of detected and all tokens, means
    over seeds.
    """

    groups: np.ndarray
    units: np.ndarray
    subsets: np.ndarray
    is_kept: np.ndarray
    tokens: np.ndarray
    detected: np.ndarray
    gold: np.ndarray
    is_alone: np.ndarray
    strata: np.ndarray
    flaws: Mapping[str, np.ndarray]

    @property
    def counts(self) -> np.ndarray:
        """Detected and all tokens, (replies, seeds, 2)."""
        return np.stack([self.detected, self.tokens], axis=2)

    @property
    def cell(self) -> sample.Cell:
        """The replies as sampling units: each was drawn by chance to be labelled, or not."""
        counts = self.tokens.mean(axis=1), self.detected.mean(axis=1), self.gold
        return sample.Cell(*counts, self.groups, self.is_alone, strata=self.strata)

    def only(self, inside: np.ndarray) -> "Replies":
        """Some of them."""
        flaws = {name: values[inside] for name, values in self.flaws.items()}
        names = [field.name for field in fields(self) if field.name != "flaws"]
        return Replies(**{name: getattr(self, name)[inside] for name in names}, flaws=flaws)


Cells = dict[tuple[str, str], Replies]


def joined(parts: Sequence[Replies]) -> Replies:
    """Replies of one model and language, one part after the other."""
    names = [field.name for field in fields(Replies) if field.name != "flaws"]
    columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
    flaws = {flaw: np.concatenate([part.flaws[flaw] for part in parts]) for flaw in FLAWS}
    return Replies(**columns, flaws=flaws)


def replies_of(
    answers: pl.DataFrame, texts: Texts, runs: Sequence[Run], gold_of: Mapping[str, tuple[float, bool]]
) -> Cells:
    """The replies by (model, language), with their tokens, what each seed of the rates' detector marked of them,
    and what people did (`gold_tokens`).
    """
    place = np.array([texts.place_of[name] for name in answers["generation_id"]], dtype=int)
    judged = np.stack([run.is_judged for run in runs], axis=1)[place]
    tokens = texts.line.sizes[place][:, None] * judged
    detected = np.stack([texts.line.per_text(run.is_marked) for run in runs], axis=1)[place] * judged
    flaws = {name: (answers[name] == "yes").fill_null(False).to_numpy() for name in FLAWS}
    units = (answers["item_id"] + "/" + answers["replicate"].fill_null("0")).to_numpy()
    columns = (answers["group_id"].to_numpy(), units, answers["subset_seed"].fill_null("").to_numpy())
    told = [gold_of.get(name, (np.nan, False)) for name in answers["generation_id"]]
    gold, is_alone = np.array(told, dtype=float).reshape(-1, 2).T
    gold = np.where(judged.any(axis=1), gold, np.nan)  # what was not judged has no tokens
    people = (gold, is_alone.astype(bool), _strata_of(texts, runs)[place])
    whole = Replies(*columns, ~np.any(list(flaws.values()), axis=0), tokens, detected, *people, flaws)
    keys = answers.select("model", "lang").unique().sort("model", "lang").rows()
    models, langs = answers["model"].to_numpy(), answers["lang"].to_numpy()
    return {(model, lang): whole.only((models == model) & (langs == lang)) for model, lang in keys}


def _strata_of(texts: Texts, runs: Sequence[Run]) -> np.ndarray:
    """Detected and all tokens of each text by stratum, means over seeds, (texts, strata, 2); zeros of a seed that did
    not judge it.
    """
    strata = stratum_of(texts.line, texts.frame["text"].to_list())
    every = np.ones(len(strata), dtype=bool)
    each = [
        strata_sums(texts.line, strata, run.is_marked, every) * run.is_judged[:, None, None] for run in runs
    ]
    return np.mean(each, axis=0)


def gold_tokens(texts: Texts, natural: Labelled) -> dict[str, tuple[float, bool]]:
    """The tokens that people marked of each reply that somebody who is heard labelled, and whether one person
    alone did, by the reply.
    """
    marked = texts.line.per_text(natural.is_gold)[natural.places]
    names = natural.samples.select(pair("attributes", "generation"))["generation"].to_list()
    told = zip(marked.astype(float).tolist(), (labellers(natural) == 1).tolist(), strict=True)
    return dict(zip(names, told, strict=True))


def calibrations(
    held: Mapping[str, Labelled], texts: Texts, runs: Sequence[Run]
) -> dict[tuple[str, str], Calibration]:
    """What the detector is known to do in each language, by (kind of labels, language)."""
    found = {}
    strata_of_tokens = stratum_of(texts.line, texts.frame["text"].to_list())
    for against in CALIBRATIONS:
        one = held[against]
        sums = np.stack([token_sums(one, run, texts.line) for run in runs], axis=1)
        strata = np.mean([_labelled_strata(one, run, texts, strata_of_tokens) for run in runs], axis=0)
        writers = one.samples["generator"].fill_null("").to_numpy()
        for lang in sorted(set(one.langs)):
            inside = one.langs == lang
            if sums[inside][..., 0].any():
                found[against, lang] = Calibration(
                    one.groups[inside], writers[inside], sums[inside], strata[inside]
                )
    return found


def _labelled_strata(held: Labelled, run: Run, texts: Texts, strata: np.ndarray) -> np.ndarray:
    """`marking.token_sums` of each stratum, (samples, strata, 4)."""
    every = np.ones(len(strata), dtype=bool)
    kept = (every, held.is_gold, run.is_marked, held.is_gold & run.is_marked)
    return strata_sums(texts.line, strata, *kept)[held.places] * run.is_judged[held.places, None, None]


def labelled_texts(known: Calibrations) -> dict[str, sample.Calibration]:
    """The labelled texts of all languages by kind of labels, as estimators take them: counts are means over
    seeds.
    """
    found = {}
    for kind in dict.fromkeys(kind for kind, _ in known):
        parts = {lang: one for (name, lang), one in known.items() if name == kind}
        found[kind] = sample.Calibration(
            np.concatenate([part.sums.mean(axis=1) for part in parts.values()]),
            np.concatenate([np.full(len(one.groups), lang) for lang, one in parts.items()]),
            np.concatenate([part.models for part in parts.values()]),
            np.concatenate([part.groups for part in parts.values()]),
            np.concatenate([part.strata for part in parts.values()]),
        )
    return found


def grid_estimates(
    replies: Replies, calibrated: Mapping[str, Calibration]
) -> dict[tuple[str, str | None], np.ndarray]:
    """Raw rate and HR_est of each detector seed and reply seed, (detector seeds, reply seeds), by (estimator,
    calibration).
    """
    subsets = sorted(set(replies.subsets))
    counts = np.stack([replies.counts[replies.subsets == subset].sum(axis=0) for subset in subsets], axis=1)
    found: dict[tuple[str, str | None], np.ndarray] = {(RAW, None): flagged_rates(counts)}
    for kind, calibration in calibrated.items():
        totals = calibration.sums.sum(axis=0)
        grid = [[seed_hr_est(total, pair) for pair in row] for total, row in zip(totals, counts, strict=True)]
        found[HR_EST, kind] = np.array(grid, dtype=float)
    return found
