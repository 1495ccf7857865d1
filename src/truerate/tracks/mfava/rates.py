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
from truerate.core.sentence_spans import sentence_spans
from truerate.metrics.estimators import sample
from truerate.metrics.estimators.registry import HR_EST
from truerate.metrics.estimators.sample import EXACT, LabelError, label_error
from truerate.metrics.rates import RAW
from truerate.metrics.score_writer import ScoreWriter
from truerate.metrics.tokens import TokenLine, flagged_rates, seed_hr_est
from truerate.tracks.mfava.marking import CALIBRATIONS, Detector, Labelled, Run, Texts, token_sums

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
    `is_alone` (replies,) whether that is one person's.
    """

    groups: np.ndarray
    units: np.ndarray
    subsets: np.ndarray
    is_kept: np.ndarray
    tokens: np.ndarray
    detected: np.ndarray
    gold: np.ndarray
    is_alone: np.ndarray
    flaws: Mapping[str, np.ndarray]

    @property
    def counts(self) -> np.ndarray:
        """Detected and all tokens, (replies, seeds, 2)."""
        return np.stack([self.detected, self.tokens], axis=2)

    @property
    def cell(self) -> sample.Cell:
        """The replies as sampling units: each was drawn by chance to be labelled, or not."""
        counts = self.tokens.mean(axis=1), self.detected.mean(axis=1), self.gold
        return sample.Cell(*counts, self.groups, self.is_alone)

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
    people = (gold, is_alone.astype(bool))
    whole = Replies(*columns, ~np.any(list(flaws.values()), axis=0), tokens, detected, *people, flaws)
    keys = answers.select("model", "lang").unique().sort("model", "lang").rows()
    models, langs = answers["model"].to_numpy(), answers["lang"].to_numpy()
    return {(model, lang): whole.only((models == model) & (langs == lang)) for model, lang in keys}


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
        )
    return found


def strata_by_kind(known: Calibrations) -> dict[str, np.ndarray]:
    """Return the sums of the labelled texts of all languages by stratum, (texts, strata, 4), by kind of labels."""
    kinds = dict.fromkeys(kind for kind, _ in known)
    return {
        kind: np.concatenate([one.strata for (name, _), one in known.items() if name == kind])
        for kind in kinds
    }


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


# ---- What people's labels of replies are worth: which of them are one perso --------------------------------


def labellers(natural: Labelled) -> np.ndarray:
    """How many people who are heard labelled each sample, (samples,); 0 where a source does not say."""
    said = natural.samples.select(pair("attributes", "n_labels").cast(pl.Int64).fill_null(0))
    return said["n_labels"].to_numpy()


def mean_marks(natural: Labelled, texts: Texts) -> np.ndarray:
    """The tokens that one person marks of each sample, the mean over those who labelled it, (samples,): the sum over
    tokens of the share of people who marked them.
    """
    spans = (
        natural.samples.select("spans", place=pl.Series(natural.places, dtype=pl.Int64))
        .filter(pl.col("spans").list.len() > 0)
        .explode("spans")
        .unnest("spans")
    )
    shares = spans["p"].fill_null(1.0).to_numpy()
    places, starts, ends = (spans[name].to_numpy() for name in ("place", "start", "end"))
    marks = np.zeros(len(texts.line.sizes))
    for share in np.unique(shares):
        inside = shares == share
        marks += share * texts.line.per_text(texts.line.marked(places[inside], starts[inside], ends[inside]))
    return marks[natural.places]


def labelling_error(natural: Labelled, texts: Texts) -> LabelError:
    """The error of one person's label of a reply, from replies that several labelled; none where there are too few.

    Of each such reply the mean person is told and not each, so that the noise of one person is not: it counts only
    where a rate is about `these` very replies.
    """
    return error_of_shared(shared_marks(natural, texts))


def shared_marks(natural: Labelled, texts: Texts) -> pl.DataFrame:
    """Of each sample that several people labelled the tokens that their `vote` marks and those that `each` of them
    does in the mean: `sample_id`, `group_id`, `vote`, `each`.
    """
    votes = texts.line.per_text(natural.is_gold)[natural.places]
    known = natural.samples.select("sample_id", "group_id").with_columns(
        vote=pl.Series(votes, dtype=pl.Float64), each=pl.Series(mean_marks(natural, texts), dtype=pl.Float64)
    )
    return known.filter(pl.Series(labellers(natural) > 1, dtype=pl.Boolean))


def error_of_shared(shared: pl.DataFrame) -> LabelError:
    """`labelling_error` from `shared_marks`, in whatever order these are."""
    known = shared.sort("sample_id")
    votes, each = known["vote"].to_numpy(), known["each"].to_numpy()[:, None]
    return label_error(votes, each, known["group_id"].to_numpy()) or EXACT


# ---- Where in a reply a token stands: a reference that is an article's lead --------------------------------


LONG = 5  # sentences from which a text is a long one
# The strata: sentences 1 and 2, and 3 and 4, of short and of long texts, and the later ones, which long texts have.
NAMES = ("short-1-2", "short-3-4", "long-1-2", "long-3-4", "long-5")
STRATA = len(NAMES)


def stratum_of(line: TokenLine, texts: Sequence[str]) -> np.ndarray:
    """The stratum of each token, (tokens,): a place in NAMES + 1. A token belongs to the sentence in which it begins."""
    spans = [sentence_spans(text, by_line=True) or [(0, len(text))] for text in texts]
    sizes = np.array([len(span) for span in spans], dtype=int)
    starts = np.array([start for span in spans for start, _ in span], dtype=np.int64)
    starts += np.repeat(line.base, sizes)
    first = np.concatenate([[0], np.cumsum(sizes)])[:-1]
    text = line.text_of
    place = np.maximum(np.searchsorted(starts, line.starts, side="right") - 1 - first[text], 0)
    return stratum_at(place, sizes[text])


def stratum_at(place: np.ndarray, n_sentences: np.ndarray) -> np.ndarray:
    """The stratum of the sentences at some places, from 0, of texts of so many sentences: a place in NAMES + 1."""
    third = np.minimum(place // 2, 2)  # of sentences 1 and 2, 3 and 4, later ones
    return np.where(n_sentences >= LONG, 2, 0) + third + 1


def strata_sums(line: TokenLine, strata: np.ndarray, *kept: np.ndarray) -> np.ndarray:
    """How many of the tokens in each of `kept` (tokens,) each stratum of each text holds, (texts, strata, kept)."""
    return np.stack([line.per_kind(strata, keep, STRATA) for keep in kept], axis=2)


def stratum_rows(
    detector: Detector, kind: str, sums: np.ndarray, clusters: np.ndarray, writer: ScoreWriter
) -> list[dict]:
    """`stratum_fpr` and `stratum_recall` of a detector on labelled texts of one kind in each stratum, all languages
    together. `sums` (texts, strata, 4): tokens, gold ones, marked ones and both; n counts the texts that have such
    tokens.
    """
    made = []
    for place, name in enumerate(NAMES):
        total, gold, marked, both = sums[:, place].T
        where = detector.where(against=kind, stratum=name)
        for metric, tops, bottoms in (
            ("stratum_fpr", marked - both, total - gold),
            ("stratum_recall", both, gold),
        ):
            share = writer.share_of(tops / np.where(bottoms > 0, bottoms, 1), clusters.tolist(), bottoms)
            made.append(writer.row(metric, detector.member, where, share, int((bottoms > 0).sum())))
    return made
