"""What published networks share: the tokenizer, how weights are loaded, and the checks of their window."""

from functools import lru_cache
from typing import Any

from safetensors import SafetensorError
from transformers import AutoModelForTokenClassification

from truerate.config import Published
from truerate.core.errors import TruerateError
from truerate.core.pretrained import load_network, load_tokenizer, quiet
from truerate.detectors.published.adapters import Adapter
from truerate.detectors.tokens.backbones import window_of
from truerate.detectors.training import processes

N_CACHED = 512  # texts whose tokens are kept: many are held against one document
ALIKE = {"<": "‹", "[": "⁅"}  # what the first sign of a special token in a text is written as


class Tokens:
    """A tokenizer behind a Hub id or folder, as cutting and asking need it."""

    def __init__(self, weights: str, revision: str | None):
        self.tokenizer = load_tokenizer(weights, revision=revision)
        if not self.tokenizer.is_fast:
            raise ValueError("its tokenizer tells no places of tokens (tokenizer.json is missing)")
        # Those with a role, and those without one: Llama 3 names the beginning of a turn nowhere else.
        added = self.tokenizer.added_tokens_decoder.values()
        special = (token.content for token in added if token.special)
        self._special = dict.fromkeys([*self.tokenizer.all_special_tokens, *special])
        self.offsets = lru_cache(maxsize=N_CACHED)(self._offsets)

    def _offsets(self, text: str) -> list[tuple[int, int]]:
        """Return the borders of a text's own tokens, in code points."""
        with quiet():  # a text beyond the window is no mistake here
            encoded = self.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
        return [(start, end) for start, end in encoded["offset_mapping"]]

    def plain(self, text: str) -> str:
        """Return a text of equal length without special tokens, which could end an input or begin a turn."""
        for name in self._special:
            text = text.replace(name, ALIKE.get(name[0], " ") + name[1:])
        return text

    def encoded(self, *texts: str, **more: Any) -> Any:
        """Return one text or a pair of them with the special tokens around, whole."""
        with quiet():
            return self.tokenizer(*texts, truncation=False, **more)


class Network:
    """Tokenizer and weights of an adapter, on their device. Raises TruerateError, one line, where they cannot
    be loaded or see fewer tokens than the adapter's window.
    """

    kind = "detector"

    def __init__(self, adapter: Adapter, how: Published):
        self.adapter, self.how, self.name = adapter, how, f"published {self.kind} {how.weights!r}"
        try:
            self.tokens = Tokens(*self.tokenizer_source())
            self.model = self.load().eval()
        except (ValueError, OSError, KeyError, SafetensorError) as error:
            raise TruerateError(f"{self.name}: {' '.join(str(error).split())[:200]}") from None
        if how.quantise == "none":  # a quantised one was put there when it was read
            self.model = self.model.to(processes.device())
        # the first token of an encoder and the first word of a decoder have no absolute positions
        sees = None if adapter.kind in ("encoder", "decoder") else window_of(self.model.config)
        if sees and sees < (adapter.window or 0):
            raise TruerateError(f"{self.name} sees {sees} tokens; lower its window, {adapter.window}")

    def tokenizer_source(self) -> tuple[str, str | None]:
        """Return the Hub id or folder of the tokenizer, and its revision."""
        return self.how.weights or "", self.how.revision

    def load(self) -> Any:
        """Load the network."""
        return self.load_as(AutoModelForTokenClassification)

    def load_as(self, kind: Any, **more: Any) -> Any:
        """Load the weights as a class of transformers."""
        return load_network(kind, self.how.weights or "", revision=self.how.revision, **more)

    def refuse_long(self, n_tokens: int) -> None:
        """Raise TruerateError where an input of so many tokens is longer than the adapter's window."""
        if n_tokens > (self.adapter.window or 0):
            raise TruerateError(
                f"{self.name}: an input of {n_tokens} tokens, more than its window of {self.adapter.window}; "
                "raise `window`, or cut the texts"
            )
