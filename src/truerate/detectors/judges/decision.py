"""From token probabilities to a judgement: suspicion, threshold and segments, chosen on held-out texts."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from truerate.core.spans.whole_words import units
from truerate.detectors.tokens.span_probabilities import Reading
from truerate.metrics.ngrams import fit_logistic

DIGITS = 6  # of every number that is saved
N_WORST = 3  # tokens whose mean is a text's suspicion: one alone is seldom, three are a segment
EDGE = 1e-4  # suspicions are kept off 0 and 1 by this much, so that their logits are finite
GAP = 2  # words between two runs of one segment
_END = re.compile(r"[.!?…。！？؟](?=\s|$)")
STEPS = np.round(np.arange(0.05, 0.96, 0.05), 2)  # thresholds that are tried for the words of a segment
Segment = tuple[int, int]  # half-open, in code points


class Decision(NamedTuple):
    """What turns suspicion into a judgement. p = 1 / (1 + exp(−(slope · logit(suspicion) + intercept))); the
    verdict is p > `threshold`; words with p of their own above `word_threshold` make the segments. `n_worst`:
    how many of them suspicion is the mean of.
    """

    slope: float = 1.0
    intercept: float = 0.0
    threshold: float = 0.5
    word_threshold: float = 0.5
    n_worst: int = N_WORST

    def of(self, reading: Reading) -> float:
        """P(hallucinated) of a text by what was read of it, six digits."""
        return float(self.p(np.array([suspicion(reading, self.n_worst)]))[0])

    def p(self, suspicions: np.ndarray) -> np.ndarray:
        """P(hallucinated) of texts by their suspicion, (texts,), six digits."""
        logits = _logits(suspicions)
        return np.round(1 / (1 + np.exp(-(self.slope * logits + self.intercept))), DIGITS)


class HeldOut(NamedTuple):
    """A text that was held back: what was read of it, whether it is hallucinated, and where."""

    text: str
    reading: Reading
    label: bool
    spans: Sequence[dict]


def suspicion(reading: Reading, n_worst: int = N_WORST) -> float:
    """The mean of the `n_worst` largest token probabilities of a text, in [0, 1]; 0 without tokens."""
    worst = np.sort(np.asarray(reading.p, dtype=float))[::-1][:n_worst]
    return round(float(worst.mean()), DIGITS) if len(worst) else 0.0


def decide(texts: Sequence[HeldOut], n_worst: int = N_WORST) -> Decision:
    """The decision that fits held-out texts best: p a logistic regression on their suspicion, the threshold
    the one with the best balanced accuracy, that of words the one with the best F1 of characters. Without
    texts of both labels nothing can be chosen: p is the suspicion itself, thresholds are one half.
    """
    labels = np.array([text.label for text in texts], dtype=bool)
    if not labels.any() or labels.all():
        return Decision(n_worst=n_worst)
    suspicions = np.array([suspicion(text.reading, n_worst) for text in texts])
    (slope,), intercept = fit_logistic(_logits(suspicions)[:, None], labels, is_balanced=False)
    fitted = Decision(float(slope) if slope > 0 else 1.0, intercept if slope > 0 else 0.0, n_worst=n_worst)
    threshold = best_threshold(fitted.p(suspicions), labels)
    return fitted._replace(threshold=threshold, word_threshold=best_word_threshold(texts))


def best_threshold(p: np.ndarray, labels: np.ndarray) -> float:
    """The threshold of p with the best balanced accuracy, half-way between values, nearest to one half."""
    values = np.unique(p)
    if len(values) < 2:
        return 0.5
    candidates = np.round((values[1:] + values[:-1]) / 2, DIGITS)
    accuracies = [balanced_accuracy(p > candidate, labels) for candidate in candidates]
    best = max(zip(accuracies, -np.abs(candidates - 0.5), candidates, strict=True))
    return float(best[2])


def balanced_accuracy(verdicts: np.ndarray, labels: np.ndarray) -> float:
    """The mean of true positive and true negative rate; both labels must occur."""
    return float((verdicts[labels].mean() + (~verdicts[~labels]).mean()) / 2)


def best_word_threshold(texts: Sequence[HeldOut]) -> float:
    """The word threshold with the best F1 of characters over hallucinated texts; of equals the smallest."""
    located = [text for text in texts if text.label and text.spans]
    words = [word_probabilities(text.text, text.reading) for text in located]

    def f1(threshold: float) -> float:
        """Agreement at a threshold, in [0, 1]; 0 where neither side marks a character."""
        both = gold = detected = 0
        for text, text_words in zip(located, words, strict=True):
            marked, labelled = np.zeros(len(text.text), dtype=bool), np.zeros(len(text.text), dtype=bool)
            for start, end in segments(text.text, text_words, threshold):
                marked[start:end] = True
            for span in text.spans:
                labelled[span["start"] : span["end"]] = True
            both += int((marked & labelled).sum())
            gold, detected = gold + int(labelled.sum()), detected + int(marked.sum())
        return 2 * both / (gold + detected) if gold + detected else 0.0

    best = max(STEPS.tolist(), key=lambda value: (round(f1(value), DIGITS), -value)) if located else 0.5
    return float(best)


class Word(NamedTuple):
    """A word of a text, or a mark that stands alone, with the largest p of the tokens that touch it."""

    start: int
    end: int
    p: float


def word_probabilities(text: str, reading: Reading) -> list[Word]:
    """The words of a text with their p, two digits, in order."""
    by_character = np.zeros(len(text) + 1)
    offsets = np.asarray(reading.offsets, dtype=int).reshape(-1, 2)
    for (start, end), p in zip(offsets.tolist(), np.asarray(reading.p, dtype=float).tolist(), strict=True):
        by_character[start:end] = np.maximum(by_character[start:end], p)
    return [Word(start, end, round(float(by_character[start:end].max()), 2)) for start, end in units(text)]


def segments(text: str, words: Sequence[Word], threshold: float) -> list[Segment]:
    """Runs of words above a threshold; runs with at most GAP words of one sentence between them are one."""
    lettered = [(position, word) for position, word in enumerate(w for w in words if _has_letter(text, w))]
    runs: list[list[int]] = []  # number of the last word, start, end
    for position, word in lettered:
        if word.p <= threshold:
            continue
        is_near = bool(runs) and position - runs[-1][0] - 1 <= GAP
        if is_near and not _END.search(text[runs[-1][2] : word.start]):
            runs[-1] = [position, runs[-1][1], word.end]
        else:
            runs.append([position, word.start, word.end])
    return [(start, end) for _, start, end in runs]


def located(text: str, reading: Reading, threshold: float) -> list[tuple[Segment, float]]:
    """The segments of a text that is judged hallucinated, each with the largest p of its words: those above
    the threshold, else the one word that is most suspicious; none where no word stands in it.
    """
    words = word_probabilities(text, reading)
    runs = segments(text, words, threshold)
    lettered = [word for word in words if _has_letter(text, word)]
    if not runs and lettered:
        worst = max(lettered, key=lambda word: word.p)
        runs = [(worst.start, worst.end)]
    return [((start, end), max(word.p for word in words if start <= word.start < end)) for start, end in runs]


def _has_letter(text: str, word: Word) -> bool:
    return any(map(str.isalnum, text[word.start : word.end]))


def _logits(suspicions: np.ndarray) -> np.ndarray:
    kept = np.clip(np.asarray(suspicions, dtype=float), EDGE, 1 - EDGE)
    return np.log(kept / (1 - kept))
