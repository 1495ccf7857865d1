"""Detectors that compare the answer with its knowledge word by word."""

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from truerate.core.text import words
from truerate.detectors.interface import Rule, State, Texts, Verdicts
from truerate.detectors.trivial import by_cut, by_prevalence
from truerate.metrics.ngrams import fit_logistic, form, logistic, overlap

N_KEPT = 50_000  # rows of six numbers: each text is asked about once per fold and member


def absent_rate(texts: Texts) -> dict[str, np.ndarray]:
    """Share of the answer's content words that its knowledge does not hold."""
    return {"absent_rate": lexical_features(texts)[:, 0]}


def lexical_features(texts: Texts) -> np.ndarray:
    """Overlap with the knowledge (4) and length in log words and log characters (2): shape (texts, 6)."""
    rows = [_features(text, knowledge) for text, knowledge in zip(texts.texts, texts.knowledge, strict=True)]
    return np.array(rows, dtype=float).reshape(-1, 6)


_words_of = lru_cache(maxsize=256)(words)


@lru_cache(maxsize=N_KEPT)
def _features(text: str, knowledge: str) -> tuple[float, ...]:
    """One row, kept for the other folds and members."""
    return (*overlap(words(text), _words_of(knowledge)), *np.log1p(form(text)[:2]))


def by_regression(
    features_of: Callable[[Texts], np.ndarray],
) -> tuple[Callable[[Texts, int], State], Callable[[State, Texts], Verdicts]]:
    """Learn and apply a logistic regression on standardised features (texts, features); the prevalence alone
    where a class is missing. Hallucinated from a probability of one half.
    """

    def learn(texts: Texts, seed: int) -> State:
        """The prevalence, and unless a class is missing how features were scaled and weighed."""
        prevalence = float(texts.labels.mean())
        if prevalence in (0.0, 1.0):
            return {"prevalence": prevalence}
        features = features_of(texts)
        mean, scale = np.round(features.mean(axis=0), 6), np.round(features.std(axis=0), 6)
        scale = np.where(scale > 0, scale, 1.0)
        coefficients, intercept = fit_logistic((features - mean) / scale, texts.labels)
        arrays = {"mean": mean, "scale": scale, "coefficients": coefficients}
        fitted = {name: values.tolist() for name, values in arrays.items()}
        return {"prevalence": prevalence, "intercept": intercept} | fitted

    def judge(state: State, texts: Texts) -> Verdicts:
        """Verdicts and probabilities, (texts,) each, by what was learned."""
        if "mean" not in state:
            return by_prevalence(state, len(texts))
        features = (features_of(texts) - np.array(state["mean"])) / np.array(state["scale"])
        p = logistic(features, np.array(state["coefficients"]), state["intercept"])
        return p >= 0.5, p

    return learn, judge


RULES = (
    Rule(
        "overlap",
        "A threshold on the share of the answer's content words that its knowledge does not hold.",
        *by_cut(absent_rate),
    ),
    Rule(
        "lexical-lr",
        "Logistic regression on what of the answer its knowledge does not hold (content words, numbers, "
        "word pairs) and on its length.",
        *by_regression(lexical_features),
    ),
)
