"""A verifier by a token detector: a passage supports a fact as far as no token of the fact is marked."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from truerate.config import Entailer
from truerate.core.errors import TruerateError
from truerate.detectors.fetched import identity_of


def is_marking(how: Entailer) -> bool:
    """Whether the weights are a token detector's, as trained (a folder) or as published (a folder or a Hub
    id).
    """
    from transformers import AutoConfig

    from truerate.detectors.tokens.pretrained import NETWORK, DetectorConfig

    if Path(how.weights).is_dir():
        return (Path(how.weights) / NETWORK).is_file()
    try:
        return isinstance(
            AutoConfig.from_pretrained(how.weights, revision=how.revision, trust_remote_code=False),
            DetectorConfig,
        )
    except (OSError, ValueError, KeyError):
        return False  # whoever loads it as a network of inference says what is wrong with it


class Marker:
    """A token detector asked as an NLI model is; `identity` names the weights, not their folder."""

    def __init__(self, how: Entailer):
        from truerate.detectors.tokens.pretrained import TokenDetector
        from truerate.detectors.training.processes import device

        self.detector = TokenDetector.from_pretrained(
            how.weights, revision=how.revision, device=str(device())
        )
        window = self.detector.network.backbone.max_tokens
        if window < how.max_tokens:
            raise TruerateError(
                f"entailment by {how.weights!r}, which sees {window} tokens; lower its max_tokens, "
                f"{how.max_tokens}"
            )
        self.identity = identity_of(how.weights, how.revision)

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """The tokens of each text, those around it left out."""
        return [len(ids) for ids, _ in self.detector.network.coder.encode(texts)]

    def entailed(self, pairs: Sequence[Sequence[str]]) -> np.ndarray:
        """1 − the largest p among the fact's tokens, of each (passage, fact), shape (pairs,), in [0, 1]; 1
        for a fact without a token.

        The facts that are asked of one passage share its computation where the detector's mask allows it.
        """
        probabilities, asked = np.ones(len(pairs)), defaultdict(list)
        for index, (passage, _) in enumerate(pairs):
            asked[passage].append(index)
        for passage, places in asked.items():
            logits = self.detector.logits([pairs[index][1] for index in places], passage)
            for index, row in zip(places, logits, strict=True):
                probabilities[index] = row.softmax(dim=-1)[:, 0].min().item() if len(row) else 1.0
        return probabilities
