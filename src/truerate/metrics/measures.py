"""Which measure of similarity the settings name."""

from typing import Protocol

from truerate.metrics.similarity import Measure, chrf

CHRF = "chrf"


class Encoder(Protocol):
    """Settings of BERTScore: its encoder, the hidden layer that is read, and the F1 by which it is rescaled."""

    @property
    def model(self) -> str:
        """A Hub id or a folder."""

    @property
    def layer(self) -> int | None:
        """None: the published one."""

    @property
    def baseline(self) -> float | None:
        """None: it is not rescaled."""


def measure_of(similarity: str | Encoder) -> Measure:
    """The measure that settings name: `chrf`, else BERTScore with that encoder. Raises TruerateError where the
    encoder is not there.
    """
    if similarity == CHRF:
        return chrf
    from truerate.metrics.bertscore import bert_score

    if isinstance(similarity, str):
        return bert_score(similarity)
    return bert_score(similarity.model, layer=similarity.layer, baseline=similarity.baseline)
