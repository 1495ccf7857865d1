"""Simulated boards on which a detector errs differently from model to model, and people label a few replies.

Five models in six languages answer about 20 articles twice. They differ in how often they hallucinate, in how long
they write and in how the detector finds it; its false alarms follow the place of a sentence, as on the closed
world's board of mFAVA (a reference that is a lead lacks what later sentences tell), so that long replies have more
of them. The strata of a reply are those of that board: where its sentences stand and whether it is long. A world is
one draw of all replies; what is drawn again and again is which of them are labelled, and by people who err. The
target is the planted share of hallucinated words in the very replies.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from truerate.metrics.estimators.grid import model_differences
from truerate.metrics.estimators.registry import ALL, Board, Key, estimate_board
from truerate.metrics.estimators.sample import EXACT, Calibration, Cell, LabelError, label_error
from truerate.metrics.rates import Estimate

N_ARTICLES, N_REPLIES, LANGS = 20, 40, tuple(f"l{place}" for place in range(6))
MOST = 12  # sentences of a reply
ALARMS = np.array(
    [0.26, 0.24, 0.26, 0.49, 0.72, 0.44] + [0.36] * (MOST - 6)
)  # of the words of a true sentence
# Of people: how many vote; the share of false passages that one misses, of true sentences that one alarms at, and
# how many words of these.
N_PEOPLE, MISSED, ALARMED, ALARM_WORDS = 5, 0.06, 0.01, 2
SILVER = {"rate": 0.35, "hit": 0.95, "alarm": 0.03, "n": 24}  # inserted hallucinations are easier to see


@dataclass(frozen=True)
class Model:
    """`rate`: of sentences that are false; `sentences`: of a reply, on average; `silent`: share of replies that do
    not know; `hit`: share of false words that the detector flags.
    """

    rate: float
    sentences: float
    silent: float
    hit: float


MODELS = {
    "m0": Model(0.08, 4.8, 0.0, 0.90),
    "m1": Model(0.13, 3.8, 0.0, 0.79),
    "m2": Model(0.20, 6.9, 0.0, 0.82),
    "m3": Model(0.18, 3.4, 0.15, 0.80),
    "m4": Model(0.26, 6.0, 0.0, 0.83),
}


@dataclass(frozen=True)
class Sample:
    """How many replies of a cell are labelled: by one person each, and by five who vote and err no more."""

    name: str
    k: int
    n_shared: int = 0

    @property
    def n_labels(self) -> int:
        """Of a cell."""
        return self.k + 4 * self.n_shared


SAMPLES = (
    Sample("12 replies, half by five people", 12, 6),
    Sample("30 replies, one by five people", 30, 1),
    Sample("36 replies, one person each", 36),
    Sample("12 replies, all by five people", 12, 12),
    Sample("24 replies, all by five people", 24, 24),
    Sample("36 replies, all by five people", 36, 36),
)


@dataclass(frozen=True)
class Replies:
    """Words, false ones, flagged ones and both, by sentence, (replies, MOST); an article per reply."""

    words: np.ndarray
    gold: np.ndarray
    flagged: np.ndarray
    both: np.ndarray
    articles: np.ndarray

    @property
    def rate(self) -> float:
        """The planted one."""
        return float(self.gold.sum() / self.words.sum())


World = dict[Key, Replies]


def draw_world(seed: int) -> World:
    """All replies of all models; languages differ in how often sentences are false."""
    rng = np.random.default_rng(seed)
    world = {}
    for lang in LANGS:
        harder = float(np.exp(rng.normal(0, 0.3)))
        for name, model in MODELS.items():
            names = np.array([f"{lang}/{place}" for place in np.arange(N_REPLIES) // 2])
            world[name, lang] = draw_replies(model, min(0.6, model.rate * harder), names, rng)
    return world


def draw_replies(model: Model, rate: float, articles: np.ndarray, rng: np.random.Generator) -> Replies:
    """Both replies of an article are as often false. Of a false sentence 1 to 4 words are, or all of it."""
    n = len(articles)
    own = np.repeat(rng.beta(4 * rate, 4 * (1 - rate), n // 2), 2)[:, None]
    length = np.minimum(MOST, 1 + rng.poisson(model.sentences - 1, n))
    is_silent = rng.random(n) < model.silent
    length = np.where(is_silent, 1, length)
    words = rng.integers(5, 14, (n, MOST)) * (np.arange(MOST) < length[:, None])
    is_false = (rng.random((n, MOST)) < own) & (words > 0) & ~is_silent[:, None]
    part = np.where(rng.random((n, MOST)) < 0.6, rng.integers(1, 5, (n, MOST)), words)
    gold = np.where(is_false, np.minimum(part, words), 0)
    both = np.where(rng.random((n, MOST)) < model.hit, gold, 0)
    alarms = np.where(is_silent[:, None], 0.1, ALARMS)
    return Replies(words, gold, both + rng.binomial(words - gold, alarms), both, articles)


@dataclass(frozen=True)
class Labelled:
    """The labelled replies of a cell: their `places`, (k,), the words that their labels mark and those also flagged by
    sentence, (k, MOST), whether a label is one person's, (k,), and what each of five people marks of the shared ones,
    (shared, 5).
    """

    places: np.ndarray
    marked: np.ndarray
    both: np.ndarray
    is_alone: np.ndarray
    each: np.ndarray


def draw_cell(replies: Replies, sample: Sample, rng: np.random.Generator) -> Labelled:
    """People miss false passages and alarm at true sentences; where five label, most of them decide."""
    places = rng.permutation(len(replies.words))[: sample.k]
    words, gold, flagged, both = (
        one[places][:, None] for one in (replies.words, replies.gold, replies.flagged, replies.both)
    )
    shape = (sample.k, N_PEOPLE, MOST)
    is_kept = rng.random(shape) >= MISSED
    is_alarm = (gold == 0) & (words > 0) & (rng.random(shape) < ALARMED)
    by_person = (gold * is_kept + ALARM_WORDS * is_alarm).sum(axis=2)
    is_alone = np.arange(sample.k) >= sample.n_shared
    decided = [np.where(is_alone[:, None], one[:, 0], one.mean(axis=1) > 0.5) for one in (is_kept, is_alarm)]
    alarmed = decided[1] * ALARM_WORDS
    seen = np.round(alarmed * flagged[:, 0] / np.maximum(words[:, 0], 1))
    return Labelled(
        places,
        gold[:, 0] * decided[0] + alarmed,
        both[:, 0] * decided[0] + seen,
        is_alone,
        by_person[~is_alone],
    )


def draw_labels(
    world: World, sample: Sample, rng: np.random.Generator
) -> tuple[dict[Key, Cell], Calibration, LabelError]:
    """The board that people labelled, the labelled replies as texts that calibrate, and what one person's label is
    worth beside the vote.
    """
    cells, rows, shared = {}, [], []
    for key, replies in world.items():
        told = draw_cell(replies, sample, rng)
        flagged, total = replies.flagged.sum(axis=1), replies.words.sum(axis=1)
        gold, is_alone = np.full(len(flagged), np.nan), np.zeros(len(flagged), dtype=bool)
        marked = told.marked.sum(axis=1)
        gold[told.places], is_alone[told.places] = marked, told.is_alone
        cells[key] = Cell(total.astype(float), flagged.astype(float), gold, replies.articles, is_alone)
        names, words = replies.articles[told.places], replies.words[told.places]
        sums = sums_of(words, told.marked, replies.flagged[told.places], told.both)
        rows.append((sums, key, names))
        shared.append((marked[~told.is_alone], told.each, names[~told.is_alone]))
    sums, clusters = (np.concatenate([row[column] for row in rows]) for column in (0, 2))
    models, langs = (np.repeat([key[place] for _, key, _ in rows], sample.k) for place in (0, 1))
    error = label_error(*(np.concatenate(part) for part in zip(*shared, strict=True)))
    return cells, Calibration(sums, langs, models, clusters), error or EXACT


def sums_of(*kept: np.ndarray) -> np.ndarray:
    """How many words of each reply each of `kept` (replies, MOST) holds, (replies, kept)."""
    return np.stack([words.sum(axis=1) for words in kept], axis=1).astype(float)


def draw_silver(rng: np.random.Generator) -> Calibration:
    """Passages of one writer with inserted hallucinations, in every language."""
    writer = Model(SILVER["rate"], 4.0, 0.0, SILVER["hit"])
    sums, n = [], SILVER["n"]
    for lang in LANGS:
        made = draw_replies(
            writer, writer.rate, np.array([f"{lang}/silver {place}" for place in range(n)]), rng
        )
        flagged = made.both + rng.binomial(made.words - made.gold, SILVER["alarm"])
        sums.append(sums_of(made.words, made.gold, flagged, made.both))
    names = np.array([f"{lang}/silver {place}" for lang in LANGS for place in range(n)])
    return Calibration(np.concatenate(sums), np.repeat(LANGS, n), np.full(len(names), "writer"), names)


# ---- what each estimator finds -----------------------------------------------------------------------------

Place = tuple[str, str | None]  # an estimator and what it was calibrated on


@dataclass
class Found:
    """Of one estimator, sample and world: value, low, high of every cell and mean by draw, NaN where not told."""

    cells: list[list[tuple[float, float, float]]]
    means: list[list[tuple[float, float, float]]]


def found_of(world: World, sample: Sample, *, n_draws: int, seed: int) -> dict[Place, Found]:
    """Every estimate of every draw of labels."""
    rng = np.random.default_rng(seed)
    keys, means = list(world), [(model, ALL) for model in MODELS]
    found: dict[Place, Found] = {}
    for _ in range(n_draws):
        cells, natural, people = draw_labels(world, sample, rng)
        known = {"silver": draw_silver(rng)} if sample == SAMPLES[0] else {}
        known["natural"] = natural
        board = estimate_board(cells, confidence=0.95, calibrated=known, people=people)
        told = {key: by_place(each) for key, each in board.items()}
        for place in told[keys[0]]:
            one = found.setdefault(place, Found([], []))
            one.cells.append([ends(told[key].get(place)) for key in keys])
            one.means.append([ends(told[key].get(place)) for key in means])
    return found


def by_place(each: list[Estimate]) -> dict[Place, Estimate]:
    """The estimates of a cell by estimator and calibration."""
    return {(one.estimator, one.calibration): one for one in each}


def ends(one: Estimate | None) -> tuple[float, float, float]:
    """Value, low and high."""
    if one is None or one.interval is None or one.interval.value is None:
        return (np.nan, np.nan, np.nan)
    return tuple(float(end) for end in one.interval[:3])


def told_apart(world: World, sample: Sample, *, n_draws: int, seed: int) -> tuple[float, float]:
    """Pairs of models whose means the headline tells apart after Holm's correction, per draw, and the share of draws
    in which one of them stands the wrong way round.
    """
    rng = np.random.default_rng(seed)
    truth = dict(zip(MODELS, mean_rates(world), strict=True))
    n_apart, is_wrong = [], []
    for _ in range(n_draws):
        cells, _, people = draw_labels(world, sample, rng)
        board = Board(cells, 0.95, people=people)
        apart = [one for one in model_differences(board.headline, board.models, board.langs) if one[3] < 0.05]
        right = [
            (difference.value > 0) == (truth[first] > truth[second]) for first, second, difference, _ in apart
        ]
        n_apart.append(len(apart))
        is_wrong.append(not all(right))
    return float(np.mean(n_apart)), float(np.mean(is_wrong))


def foretold(world: World, sample: Sample, *, n_draws: int, seed: int) -> Iterator[tuple[bool, float]]:
    """Whether the predictive interval of each cell of one language without labels holds, and its width."""
    rng = np.random.default_rng(seed)
    for turn in range(n_draws):
        lang = LANGS[turn % len(LANGS)]
        cells, _, people = draw_labels(world, sample, rng)
        for name in MODELS:
            one = cells[name, lang]
            cells[name, lang] = Cell(one.total, one.flagged, np.full(one.n, np.nan), one.clusters)
        each = estimate_board(cells, confidence=0.95, people=people, names=())
        for name in MODELS:
            (estimate,) = each[name, lang]
            yield (
                estimate.interval.low <= world[name, lang].rate <= estimate.interval.high,
                estimate.interval.high - estimate.interval.low,
            )


def mean_rates(world: World) -> list[float]:
    """The planted mean over languages of each model."""
    return [float(np.mean([world[name, lang].rate for lang in LANGS])) for name in MODELS]


def kendall(values: np.ndarray, truth: np.ndarray) -> float:
    """Kendall's τ of models' means to the planted ones; NaN where one is not told."""
    if np.isnan(values).any():
        return np.nan
    pairs = list(combinations(range(len(truth)), 2))
    return float(np.mean([np.sign((values[i] - values[j]) * (truth[i] - truth[j])) for i, j in pairs]))
