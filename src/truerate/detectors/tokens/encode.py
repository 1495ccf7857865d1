"""Texts in tokens, as a network reads them: tokenizers that were learned here or come with a backbone."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

from truerate.core.errors import TruerateError
from truerate.core.pretrained import load_tokenizer
from truerate.core.text import UNSPACED
from truerate.detectors.tokens.span_probabilities import filled, trimmed

PAD, START, BETWEEN = "<pad>", "<start>", "<between>"
N_WORDS = 3000
# A word with the blank before it, a digit, a character of a script without spaces, a blank, a mark: the
# pieces that no token crosses.
_PIECE = (
    rf" ?[{UNSPACED}]\p{{M}}*| ?\p{{N}}| ?(?:(?![{UNSPACED}])[\p{{L}}\p{{M}}_])+"
    r"|\s| ?[^\s\p{L}\p{M}\p{N}_]"
)


@dataclass(frozen=True)
class Coder:
    """A tokenizer with the ids that stand before a reference, between it and the answer, and in padding."""

    tokenizer: Tokenizer
    start: tuple[int, ...]
    between: tuple[int, ...]
    pad: int

    @property
    def n_words(self) -> int:
        """Entries of the vocabulary."""
        return self.tokenizer.get_vocab_size(with_added_tokens=True)

    def encode(self, texts: Sequence[str]) -> list[tuple[np.ndarray, np.ndarray]]:
        """Ids (tokens,) and trimmed offsets (tokens, 2) in code points; special tokens are plain text."""
        encodings = self.tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [
            (np.array(encoding.ids, dtype=np.int32), filled(text, trimmed(text, encoding.offsets)))
            for text, encoding in zip(texts, encodings, strict=True)
        ]

    def save(self, folder: Path) -> None:
        """Write tokenizer.json and coder.json into a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        self.tokenizer.save(str(folder / "tokenizer.json"))
        ids = {"start": self.start, "between": self.between, "pad": self.pad}
        (folder / "coder.json").write_text(json.dumps(ids, sort_keys=True) + "\n", "utf-8")

    @staticmethod
    def load(folder: Path) -> "Coder":
        """Read what `save` wrote. Raises TruerateError where it is not there."""
        try:
            ids = json.loads((folder / "coder.json").read_text("utf-8"))
            tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        except Exception as error:  # the tokenizer's own error has no class of its own
            raise TruerateError(
                f"reading the tokenizer in {str(folder)!r}: {_line(error)}; train the detector again"
            ) from None
        return Coder(_plain(tokenizer), tuple(ids["start"]), tuple(ids["between"]), ids["pad"])


# ---- tokenizers --------------------------------------------------------------------------------------------
def train_tokenizer(texts: Iterable[str], n_words: int = N_WORDS) -> Tokenizer:
    """A byte-pair tokenizer learned from texts: digits and characters of scripts without spaces stand alone,
    words do not cross blanks. Characters that were not seen, or too seldom for half of the vocabulary, are
    written as their bytes, so that no character is lost. The same texts in any order give the same tokenizer;
    a word is learned from two occurrences on.
    """
    texts = sorted(texts)
    counted = Counter(character for text in texts for character in text)
    ranked = sorted(counted, key=lambda character: (-counted[character], character))
    alphabet = sorted(ranked[: max(1, (n_words - 259) // 2)])
    tokenizer = Tokenizer(models.BPE(byte_fallback=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(_PIECE), "isolated")
    trainer = trainers.BpeTrainer(
        vocab_size=n_words,
        min_frequency=2,
        special_tokens=[PAD, START, BETWEEN, *(f"<0x{byte:02X}>" for byte in range(256))],
        initial_alphabet=alphabet,
        limit_alphabet=len(alphabet),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return _plain(tokenizer)


def tiny_coder(texts: Iterable[str], n_words: int = N_WORDS) -> Coder:
    """A coder learned from texts, for a network that is trained from nothing."""
    tokenizer = train_tokenizer(texts, n_words)
    return Coder(
        tokenizer,
        (tokenizer.token_to_id(START),),
        (tokenizer.token_to_id(BETWEEN),),
        tokenizer.token_to_id(PAD),
    )


def pretrained_coder(weights: str, revision: str | None = None) -> Coder:
    """The coder of a backbone by Hub id or path: its first token before, its separator (else a blank line)
    between. Raises TruerateError where there is no such tokenizer, or none that gives offsets.
    """
    try:
        loaded = load_tokenizer(weights, revision=revision)
    except ValueError as error:
        raise TruerateError(
            f"tokenizer of backbone {weights!r}: {error}; name a Hub id or a folder that holds tokenizer.json"
        ) from None
    if not loaded.is_fast:
        raise TruerateError(
            f"tokenizer of backbone {weights!r} gives no offsets; name a backbone with a fast tokenizer "
            "(tokenizer.json)"
        )
    first = loaded.cls_token_id if loaded.cls_token_id is not None else loaded.bos_token_id
    tokenizer = _plain(loaded.backend_tokenizer)
    blank = tokenizer.encode("\n\n", add_special_tokens=False).ids
    between = blank if loaded.sep_token_id is None else [loaded.sep_token_id]
    pad = next((token for token in (loaded.pad_token_id, loaded.eos_token_id) if token is not None), 0)
    return Coder(tokenizer, () if first is None else (first,), tuple(between), pad)


def _plain(tokenizer: Tokenizer) -> Tokenizer:
    """A tokenizer that neither cuts nor fills, and reads `<s>` in a text as any other characters."""
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    return tokenizer


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
