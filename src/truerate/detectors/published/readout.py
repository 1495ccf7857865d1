"""From a network's numbers to what is said of a text: pure functions, in which polarity and aggregation of
each project stand.

A *score* is that of support: 1 (or the top of its range) says that the document bears the claim out.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from truerate.detectors.published.adapters import Adapter
from truerate.detectors.tokens.span_probabilities import BINARY, MARKED, Reading, soft_spans

DIGITS = 4  # of p: what a batch's padding may change lies below


class Verdict(NamedTuple):
    """What a published detector says of one text. `reason`: why there is no verdict; `n_windows`: pieces of
    the document that were read, summed over what was asked of them; `rationale`: what a judge wrote;
    `threshold`: of p, where weights bring their own.
    """

    verdict: bool | None
    p: float | None
    spans: list[dict]
    n_windows: int
    reason: str | None = None
    rationale: str | None = None
    threshold: float | None = None


def softmax(logits: np.ndarray) -> np.ndarray:
    """exp(x) / Σ exp(x) along the last axis, of the shape of `logits`."""
    shifted = np.exp(logits - logits.max(axis=-1, keepdims=True))
    shares: np.ndarray = shifted / shifted.sum(axis=-1, keepdims=True)
    return shares


def class_parts(adapter: Adapter, logits: np.ndarray) -> np.ndarray:
    """Logits (rows, classes) as the probabilities that count, (rows, 2): of the class that means supported,
    and of the one that is subtracted (0 where there is none). Of a decoder's logits (rows, vocabulary) two
    words alone are classes, or one word's share of all is taken.
    """
    words, supported = adapter.word_ids, adapter.supported_class
    if words is not None and len(words) > 1:
        logits = logits[:, list(words)]
    elif words is not None:
        supported = words[0]
    shares = softmax(np.asarray(logits, dtype=np.float64))
    against = shares[:, adapter.against] if adapter.against is not None else np.zeros(len(shares))
    return np.stack([shares[:, supported], against], axis=1)


def of_chunks(parts: np.ndarray) -> float:
    """The score of a claim by its chunks (chunks, 2): the largest support minus the largest contradiction. A
    claim is borne out where any chunk does so; SummaC-ZS subtracts what any chunk has against it.
    """
    return float(parts[:, 0].max() - parts[:, 1].max())


def of_claims(adapter: Adapter, scores: Sequence[float]) -> float:
    """The score of a text by those of its sentences (at least one)."""
    return min(scores) if adapter.over == "min" else sum(scores) / len(scores)


def verdict_of_score(adapter: Adapter, score: float, n_windows: int) -> Verdict:
    """Verdict and p by a score: hallucinated below the threshold, and at it where `is_above` asks for more. p
    = 1 − score; where something is subtracted, so that scores reach from −1 to 1, p = (1 − score) / 2.
    """
    p = (1 - score) / 2 if adapter.against is not None else 1 - score
    return Verdict(not adapter.is_supported(score), round(min(max(p, 0.0), 1.0), DIGITS), [], n_windows)


def token_p(adapter: Adapter, logits: np.ndarray) -> np.ndarray:
    """P(hallucinated) of tokens, (tokens,), by the logits of every window, (windows, tokens, 2): the largest,
    so that a token counts as supported where all windows support it (LettuceDetect's rule: long documents
    raise the rate).
    """
    p: np.ndarray = softmax(np.asarray(logits, dtype=np.float64))[..., adapter.supported_class].max(axis=0)
    return p


def verdict_of_tokens(
    text: str, offsets: np.ndarray, p: np.ndarray, n_windows: int, *, threshold: float | None = None
) -> Verdict:
    """Spans, verdict and p of a text by its tokens: `offsets` (tokens, 2) in code points, `p` (tokens,). The
    text is hallucinated where its largest p is above `threshold`, which stands beside the verdict where it is
    another than .5 (the authors').
    """
    spans = soft_spans(text, Reading(offsets, p, np.ones(len(p), dtype=int)), BINARY)
    largest = max((span["p"] for span in spans), default=0.0)
    chosen = None if threshold is None or threshold == MARKED else threshold
    return Verdict(
        largest > (MARKED if chosen is None else chosen), largest, spans, n_windows, threshold=chosen
    )
