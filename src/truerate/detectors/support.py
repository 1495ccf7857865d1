"""A verifier by which words, numbers and names of a fact its evidence holds, and how long a run of them."""

from functools import lru_cache

import numpy as np

from truerate.detectors.evidence import split
from truerate.detectors.interface import Rule, Texts
from truerate.detectors.lexical import by_regression
from truerate.detectors.tokens.features import reference_index, unit_features
from truerate.metrics.ngrams import STOP_WORDS

N_KEPT = 50_000  # rows of eight numbers: each text is asked about once per fold
ABSENT, STEM = 0, 1  # levels of a match code: not in the evidence, a word of the same stem
NAMES = (
    "absent_rate",  # content words that the evidence does not hold, not even by their stem
    "stem_rate",  # content words of which it holds the stem alone
    "best_absent_rate",  # absent_rate against the one passage that holds most
    "outside_run_rate",  # words outside the longest run that stands in the evidence as it is (by stems)
    "absent_number_rate",  # words with a digit that it does not hold
    "absent_name_rate",  # words with a capital that it does not hold
    "log_words",  # ln (1 + words of the fact)
    "log_evidence",  # ln (1 + passages)
)


def support_features(texts: Texts) -> np.ndarray:
    """The features of NAMES for each text against its knowledge: shape (texts, 8). Shares are in [0, 1], 0
    where the text holds nothing of the kind; without evidence everything is absent.
    """
    rows = [_features(text, knowledge) for text, knowledge in zip(texts.texts, texts.knowledge, strict=True)]
    return np.array(rows, dtype=float).reshape(-1, len(NAMES))


_passages = lru_cache(maxsize=4)(split)


@lru_cache(maxsize=N_KEPT)
def _features(text: str, knowledge: str) -> tuple[float, ...]:
    """One row, cached for the other folds."""
    evidence = _passages(knowledge)
    answer, codes = unit_features(text, reference_index("\n".join(evidence)))
    words = [text[start:end] for start, end in answer.offsets.tolist()]
    levels, _, is_beside = decoded(codes[:, 0])
    is_content = np.array([word.lower() not in STOP_WORDS for word in words], dtype=bool)
    is_number = np.array([any(map(str.isdigit, word)) for word in words], dtype=bool)
    is_name = is_content & np.array([word[:1].isupper() for word in words], dtype=bool)
    levels_by_passage = [
        decoded(unit_features(text, reference_index(passage))[1][:, 0])[0] for passage in evidence
    ]
    return (
        _share(levels == ABSENT, is_content),
        _share(levels == STEM, is_content),
        min(
            (_share(passage_levels == ABSENT, is_content) for passage_levels in levels_by_passage),
            default=_share(levels == ABSENT, is_content),
        ),
        1 - longest_run(levels != ABSENT, is_beside) / len(words) if words else 0.0,
        _share(levels == ABSENT, is_number),
        _share(levels == ABSENT, is_name),
        float(np.log1p(len(words))),
        float(np.log1p(len(evidence))),
    )


def decoded(match: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Match codes 1–12 as level 0–2, and whether the left and the right neighbour stand beside the word."""
    code = match.astype(int) - 1
    return code % 3, (code // 3 % 2).astype(bool), (code // 6).astype(bool)


def longest_run(is_supported: np.ndarray, is_beside: np.ndarray) -> int:
    """Words of the longest run whose neighbours stand side by side in the evidence; 0 for none."""
    longest = run = 0
    for i, is_word_held in enumerate(is_supported):
        run = (run + 1 if run and is_beside[i - 1] else 1) if is_word_held else 0
        longest = max(longest, run)
    return longest


def _share(is_so: np.ndarray, of: np.ndarray) -> float:
    return float((is_so & of).sum() / of.sum()) if of.any() else 0.0


RULES = (
    Rule(
        "support",
        "Logistic regression on which content words, numbers and names of a fact its evidence holds, in all "
        "and in its best passage, and on the longest run of words that stands there.",
        *by_regression(support_features),
    ),
)
