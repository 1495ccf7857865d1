"""Where in a reply a token stands: a reference that is an article's lead lacks what later sentences tell, so that a
detector's false alarms differ by the place of a sentence, and with it by how long a model writes.
"""

from collections.abc import Sequence

import numpy as np

from truerate.core.sentence_spans import sentence_spans
from truerate.metrics.score_writer import ScoreWriter
from truerate.metrics.token_scores import TokenLine
from truerate.tracks.mfava.marking import Detector

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
