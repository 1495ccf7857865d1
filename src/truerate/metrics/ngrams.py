"""A text as a bag of its word and character n-grams, for classifiers that read nothing but the answer."""

from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

import numpy as np
import regex

from truerate.core.text import LETTER, PIECE, n_words

MAX_FEATURES = 20_000  # of each kind, the most frequent first
_TOKEN = regex.compile(rf"{LETTER}|{PIECE}|[^\w\s]", regex.VERSION1)


def word_grams(text: str) -> list[str]:
    """Words, punctuation marks among them, and pairs of neighbouring words, in lower case."""
    tokens = _TOKEN.findall(text.lower())
    return tokens + [f"{first} {second}" for first, second in zip(tokens, tokens[1:], strict=False)]


def character_grams(text: str) -> list[str]:
    """Runs of two to four characters within a word and the blanks on its sides, in lower case."""
    padded = [f" {word} " for word in text.lower().split()]
    return [word[i : i + n] for word in padded for n in (2, 3, 4) for i in range(len(word) - n + 1)]


Cut = Callable[[str], list[str]]
CUTS: tuple[Cut, Cut] = (word_grams, character_grams)


def counts_of(
    cut: Cut, texts: Sequence[str], vocabulary: Sequence[str] | None = None, kind: type = np.int64
) -> tuple[list[str], Any]:
    """The n-grams of texts, sorted, and how often each text holds them: sparse (texts, n-grams), numbers of a
    `kind` (scikit-learn's CountVectorizer). Of more than MAX_FEATURES the most frequent are kept. With a
    `vocabulary` its n-grams alone are counted.
    """
    from scipy.sparse import csr_matrix
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(analyzer=cut, max_features=MAX_FEATURES, vocabulary=vocabulary, dtype=kind)
    try:
        counts = vectorizer.fit_transform(texts)
    except ValueError:  # scikit-learn's "empty vocabulary"
        return [], csr_matrix((len(texts), 0), dtype=kind)
    return vectorizer.get_feature_names_out().tolist(), counts


# ---- a regression on them ----------------------------------------------------------------------------------


def tf_idf(counts: Any, idf: np.ndarray) -> Any:
    """Counts (texts, features) as L2-normalised (1 + ln tf) · idf, sparse; a feature with idf 0 leaves none."""
    from scipy.sparse import csr_matrix
    from sklearn.preprocessing import normalize

    matrix = csr_matrix(counts, dtype=float, copy=True)
    np.log(matrix.data, out=matrix.data)
    matrix.data += 1
    matrix.data *= np.asarray(idf)[matrix.indices]
    matrix.eliminate_zeros()
    return normalize(matrix, copy=False)


def inverse_document_frequency(counts: Any) -> np.ndarray:
    """ln((1 + texts) / (1 + texts with the feature)) + 1 (scikit-learn's smoothed idf); 0 if in none."""
    document_counts = np.asarray((counts > 0).sum(axis=0)).ravel()
    return np.where(document_counts > 0, np.log((1 + counts.shape[0]) / (1 + document_counts)) + 1, 0.0)


def fit_logistic(features: Any, labels: np.ndarray, *, is_balanced: bool = True) -> tuple[np.ndarray, float]:
    """Coefficients and intercept of an L2-regularised logistic regression, with balanced class weights or
    none, rounded to 6 digits. Without weights what it gives are probabilities. Both classes must occur.
    liblinear in double precision on one thread: the same on every run.
    """
    from sklearn.linear_model import LogisticRegression

    weights = "balanced" if is_balanced else None
    model = LogisticRegression(
        solver="liblinear", class_weight=weights, random_state=0, max_iter=1000, tol=1e-6
    )
    model.fit(features, np.asarray(labels, dtype=int))
    return np.round(model.coef_[0], 6), round(float(model.intercept_[0]), 6)


def logistic(features: Any, coefficients: np.ndarray, intercept: float) -> np.ndarray:
    """P(hallucinated) of each row, rounded to 6 digits."""
    return np.round(1 / (1 + np.exp(-(features @ coefficients + intercept))), 6)


def ngram_counts(
    texts: Sequence[str], vocabularies: tuple[Sequence[str], Sequence[str]] | None = None
) -> Any:
    """Counts of word and character n-grams side by side, sparse (texts, features), in as few bytes each as
    there can be; None where the texts hold none. Without vocabularies they are those of the texts themselves.
    """
    each = zip(CUTS, vocabularies or (None, None), strict=True)
    return _side_by_side([counts_of(cut, texts, vocabulary, np.int32)[1] for cut, vocabulary in each])


def _side_by_side(counted: list[Any]) -> Any:
    from scipy.sparse import hstack

    blocks = [counts for counts in counted if counts.shape[1]]
    for block in blocks:
        block.data = block.data.astype(np.min_scalar_type(block.data.max(initial=0)))
    return hstack(blocks).tocsr() if blocks else None


def fit_counts(counts: Any, labels: np.ndarray) -> dict[str, Any]:
    """idf, coefficients and intercept of the regression on counts. Both classes must occur."""
    idf = np.round(inverse_document_frequency(counts), 6)
    coefficients, intercept = fit_logistic(tf_idf(counts, idf), labels)
    return {"idf": idf, "coefficients": coefficients, "intercept": intercept}


def probabilities_of_counts(
    counts: Any, *, idf: np.ndarray, coefficients: np.ndarray, intercept: float
) -> np.ndarray:
    """P(hallucinated) of each row of counts under what `fit_counts` learned; new n-grams are ignored."""
    return logistic(tf_idf(counts, np.asarray(idf)), np.asarray(coefficients), intercept)


def fit_ngrams(texts: Sequence[str], labels: np.ndarray) -> dict[str, Any]:
    """The regression on the texts' own n-grams as plain values: vocabularies, idf, coefficients, intercept.
    Both classes must occur. Texts without any n-gram leave the vocabularies empty and the intercept 0.
    """
    (words, of_words), (characters, of_characters) = (counts_of(cut, texts) for cut in CUTS)
    counts = _side_by_side([of_words, of_characters])
    if counts is None:
        return {"words": [], "characters": [], "idf": [], "coefficients": [], "intercept": 0.0}
    weights = fit_counts(counts, labels)
    numbers = {name: weights[name].tolist() for name in ("idf", "coefficients")}
    return {"words": words, "characters": characters, "intercept": weights["intercept"]} | numbers


def ngram_probabilities(state: dict[str, Any], texts: Sequence[str]) -> np.ndarray:
    """P(hallucinated) of texts under a state of `fit_ngrams`; .5 where the state knows no n-gram."""
    counts = ngram_counts(texts, (state["words"], state["characters"])) if len(texts) else None
    if counts is None:
        return np.full(len(texts), 0.5)
    return probabilities_of_counts(
        counts, idf=state["idf"], coefficients=state["coefficients"], intercept=state["intercept"]
    )


# English words that carry no content of their own; in other languages every word counts as content.
STOP_WORDS = frozenset(
    "a an the and or but nor so yet if then than that this these those there here it its he she they them "
    "his her their theirs him we us our you your i me my is are was were be been being am do does did done "
    "have has had having will would can could shall should may might must not no of in on at by for with "
    "from to into onto over under about as after before between during through against up down out off again "
    "who whom whose which what when where why how all any both each few more most other some such only own "
    "same too very also just".split()
)


class Overlap(NamedTuple):
    """Features of a text against its reference; shares are in [0, 1], 0 of nothing."""

    absent_rate: float  # content words that the reference does not hold
    n_absent: float
    absent_number_rate: float  # words with a digit that the reference does not hold
    absent_bigram_rate: float  # neighbouring words that never neighbour in the reference


def content_words(words: Sequence[str]) -> list[str]:
    """The words in lower case without English function words."""
    return [word for word in (word.lower() for word in words) if word not in STOP_WORDS]


def absent_rate(words: Sequence[str], unigrams: Collection[str]) -> float:
    """Share of a text's content words that are not among its reference's words; 0 without any."""
    content = content_words(words)
    return _share(sum(word not in unigrams for word in content), len(content))


def overlap(words: Sequence[str], reference: Sequence[str]) -> Overlap:
    """Lexical features of a text's words against its reference's words; with an empty reference everything is
    absent. A feature of nothing is 0 here and not None: these are inputs of classifiers, not metrics.
    """
    lower, lower_reference = [word.lower() for word in words], [word.lower() for word in reference]
    unigrams, bigrams = set(lower_reference), set(zip(lower_reference, lower_reference[1:], strict=False))
    content = content_words(words)
    numbers = [word for word in lower if any(character.isdigit() for character in word)]
    absent = [word for word in content if word not in unigrams]
    neighbours = list(zip(lower, lower[1:], strict=False))
    return Overlap(
        absent_rate=absent_rate(words, unigrams),
        n_absent=float(len(absent)),
        absent_number_rate=_share(sum(word not in unigrams for word in numbers), len(numbers)),
        absent_bigram_rate=_share(sum(pair not in bigrams for pair in neighbours), len(neighbours)),
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


class Form(NamedTuple):
    """Features of a text's form alone: what a judge could use without reading."""

    n_words: float  # as `core.text.n_words`
    n_characters: float  # without surrounding white space
    has_final_stop: float  # 1 where the last visible character ends a sentence (`.`, `。`, `।`)
    has_trailing_space: float  # 1 where white space follows the last visible character


def form(text: str) -> Form:
    """Length and format features of a text; an empty text has zeros."""
    bare = text.strip()
    return Form(
        float(n_words(bare)),
        float(len(bare)),
        float(bare.endswith((".", "。", "।"))),
        float(text != text.rstrip()),
    )
