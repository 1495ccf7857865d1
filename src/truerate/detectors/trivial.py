"""Detectors that check no fact: constants, chance, length, the final full stop, and the answer's own words.

They are rows of every board of detection: what they reach is what a set gives away without being read.
"""

from collections.abc import Callable

import numpy as np

from truerate.core.keys import draw
from truerate.detectors.interface import Rule, State, Texts, Verdicts
from truerate.metrics.ngrams import fit_ngrams, form, ngram_probabilities
from truerate.metrics.thresholds import Threshold, auroc, best_threshold


def constant(verdict: bool) -> tuple[Callable[[Texts, int], State], Callable[[State, Texts], Verdicts]]:
    """Learns nothing and always says the same."""
    return lambda texts, seed: {}, lambda state, texts: (
        np.full(len(texts), verdict),
        np.full(len(texts), float(verdict)),
    )


def learn_prevalence(texts: Texts, seed: int) -> State:
    """The share of hallucinated texts, and the seed that the draws will start from."""
    return {"prevalence": float(texts.labels.mean()), "seed": seed}


def by_prevalence(state: State, n: int) -> Verdicts:
    """The more frequent label of training, hallucinated on a tie, for each of `n` texts."""
    return np.full(n, state["prevalence"] >= 0.5), np.full(n, state["prevalence"])


def judge_by_draw(state: State, texts: Texts) -> Verdicts:
    """Hallucinated with the prevalence of training, drawn from seed and sample id."""
    drawn = np.array([draw("random detector", state["seed"], sample) for sample in texts.sample_ids])
    return drawn < state["prevalence"], np.full(len(texts), state["prevalence"])


def learn_cut(features: dict[str, np.ndarray], labels: np.ndarray) -> State:
    """The feature that orders the two classes best (AUROC's distance from .5; the first on a tie), with its
    best threshold. Where no feature tells anything (one class, or all values equal) there is no cut: the more
    frequent label is always given, hallucinated on a tie.
    """
    prevalence = float(labels.mean())
    cuts = {name: best_threshold(values, labels) for name, values in features.items()}
    ranked = sorted(
        (name for name in cuts if cuts[name]), key=lambda name: -abs(auroc(features[name], labels) - 0.5)
    )
    return {"prevalence": prevalence} | ({"feature": ranked[0]} | cuts[ranked[0]]._asdict() if ranked else {})


def judge_by_cut(state: State, features: dict[str, np.ndarray]) -> Verdicts:
    """On which side of the learned cut each text lies; the more frequent label where there is no cut."""
    if "cut" not in state:
        return by_prevalence(state, len(next(iter(features.values()))))
    threshold = Threshold(*(state[name] for name in Threshold._fields))
    values = features[state["feature"]]
    return threshold.verdicts(values), threshold.probabilities(values)


def lengths(texts: Texts) -> dict[str, np.ndarray]:
    """Length in words and in characters."""
    forms = np.array([form(text)[:2] for text in texts.texts]).reshape(-1, 2)
    return {"words": forms[:, 0], "characters": forms[:, 1]}


def final_stop(texts: Texts) -> dict[str, np.ndarray]:
    """Return whether the text ends with a full stop."""
    return {"final_stop": np.array([form(text).has_final_stop for text in texts.texts])}


def by_cut(
    features: Callable[[Texts], dict[str, np.ndarray]],
) -> tuple[Callable[[Texts, int], State], Callable[[State, Texts], Verdicts]]:
    """Learn and apply a threshold on the best of some features."""
    return (
        lambda texts, seed: learn_cut(features(texts), texts.labels),
        lambda state, texts: judge_by_cut(state, features(texts)),
    )


def learn_ngrams(texts: Texts, seed: int) -> State:
    """A logistic regression on the answer's n-grams; the prevalence alone where a class is missing."""
    prevalence = {"prevalence": float(texts.labels.mean())}
    return prevalence | (fit_ngrams(texts.texts, texts.labels) if 0 < prevalence["prevalence"] < 1 else {})


def judge_by_ngrams(state: State, texts: Texts) -> Verdicts:
    """Hallucinated from a probability of one half."""
    if "idf" not in state:
        return by_prevalence(state, len(texts))
    p = ngram_probabilities(state, texts.texts)
    return p >= 0.5, p


RULES = (
    Rule("always", "Calls every text hallucinated.", *constant(True)),
    Rule("never", "Calls no text hallucinated.", *constant(False)),
    Rule(
        "random",
        "Calls a text hallucinated by chance, as often as the training texts are.",
        learn_prevalence,
        judge_by_draw,
    ),
    Rule(
        "length",
        "A threshold on the answer's length in words or characters, whichever tells more in training.",
        *by_cut(lengths),
    ),
    Rule(
        "punctuation",
        "Whether the answer ends with a full stop; which side is which is learned.",
        *by_cut(final_stop),
    ),
    Rule(
        "answer-ngrams",
        "Logistic regression on the answer's own word and character n-grams.",
        learn_ngrams,
        judge_by_ngrams,
    ),
)
