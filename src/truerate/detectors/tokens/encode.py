"""Texts as a network reads them: tokenizers, and answers grouped by their reference.

A reference and its answers are tokenized apart (no pair template, no special token read out of a text) and
joined by ids: start, reference, between, answer. The rule of the window of `max_tokens`: the reference gives
way first, from its end, down to half of the window; an answer that needs more is cut into chunks of equal
length, each judged once beside the same piece of the reference.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import polars as pl
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

from truerate.config import Backbone
from truerate.core.errors import TruerateError
from truerate.core.pretrained import load_tokenizer
from truerate.detectors.tokens.features import token_features
from truerate.detectors.tokens.labels import filled, token_labels, trimmed
from truerate.detectors.tokens.span_probabilities import Reading
from truerate.metrics.tokens import ALONE

PAD, START, BETWEEN = "<pad>", "<start>", "<between>"
N_WORDS = 3000
# A word with the blank before it, a digit, a character of a script without spaces, a blank, a mark: the
# pieces that no token crosses.
_PIECE = (
    rf" ?[{ALONE}]\p{{M}}*| ?\p{{N}}| ?(?:(?![{ALONE}])[\p{{L}}\p{{M}}_])+|\s| ?[^\s\p{{L}}\p{{M}}\p{{N}}_]"
)
# a reference is cut in steps of this part of the window, so that answers of similar length share one piece of
# it
_N_CUTS = 8
_AT_ONCE = 512  # texts that are tokenized at a time


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
        """Ids (tokens,) and offsets (tokens, 2), trimmed and filled, in code points of each text. Special
        tokens are read as plain text.
        """
        found = self.tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [
            (np.array(one.ids, dtype=np.int32), filled(text, trimmed(text, one.offsets)))
            for text, one in zip(texts, found, strict=True)
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


@dataclass(frozen=True)
class Answer:
    """A text, or a chunk of one, in tokens. `offsets` are trimmed code points of the whole text; `labels`
    -100: does not count.

    Shapes: ids, labels (tokens,); offsets (tokens, 2); features (tokens, features).
    """

    target_id: str
    ids: np.ndarray
    offsets: np.ndarray
    labels: np.ndarray
    features: np.ndarray
    chunk: int = 0
    n_chunks: int = 1


@dataclass(frozen=True)
class Group:
    """Answers that share a reference, and its ids with those that stand before and after it. `group_id`,
    `lang`: of its first answer; `n_left_out`: tokens of the reference that do not fit beside the answers.
    """

    reference_ids: np.ndarray
    answers: tuple[Answer, ...]
    group_id: str
    lang: str
    n_left_out: int = 0

    @property
    def n_tokens(self) -> int:
        """Tokens of the reference and of every answer."""
        return len(self.reference_ids) + sum(len(answer.ids) for answer in self.answers)


# ---- tokenizers --------------------------------------------------------------------------------------------
def train_tokenizer(texts: Iterable[str], n_words: int = N_WORDS) -> Tokenizer:
    """A byte-pair tokenizer learned from texts: digits and characters of scripts without spaces stand alone,
    words do not cross blanks.

    Characters that were not seen, or too seldom for half of the vocabulary, are written as their bytes, so
    that no character is lost. The same texts in any order give the same tokenizer; a word is learned from two
    occurrences on.
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
    between.

    Raises TruerateError where there is no such tokenizer, or none that gives offsets.
    """
    try:
        loaded = load_tokenizer(weights, revision=revision)
    except ValueError as error:
        raise TruerateError(
            f"tokenizer of backbone {weights!r}: {error}; name a Hub id or a folder that holds tokenizer.json"
        ) from None
    if not loaded.is_fast:
        raise TruerateError(
            f"tokenizer of backbone {weights!r} gives no offsets; name a backbone with a fast tokenizer (tokenizer.json)"
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


# ---- groups ------------------------------------------------------------------------------------------------
def groups_of(passages: pl.DataFrame, coder: Coder, backbone: Backbone, labels: Sequence[str]) -> list[Group]:
    """All groups of passages at once, as training needs them."""
    return list(stream_groups(passages, coder, backbone, labels))


def stream_groups(
    passages: pl.DataFrame, coder: Coder, backbone: Backbone, labels: Sequence[str]
) -> Iterator[Group]:
    """Groups of passages one after the other, in the order in which references first stand; memory holds a
    few hundred texts at a time.

    Columns read: target_id, group_id, lang, text, spans, reference. A text without a token gives no answer.
    Answers whose reference must be cut differently stand in different groups.
    """
    by_reference = passages.select("target_id", "group_id", "lang", "text", "spans", "reference").group_by(
        "reference", maintain_order=True
    )
    rows = (
        (reference, one)
        for (reference,), part in by_reference
        for one in part.drop("reference").iter_rows(named=True)
    )
    kept: tuple[str, np.ndarray] | None = None
    waiting: list[tuple[dict, Answer]] = []
    while slab := list(islice(rows, _AT_ONCE)):
        for (reference, row), encoded in zip(
            slab, coder.encode([row["text"] for _, row in slab]), strict=True
        ):
            if kept is None or kept[0] != reference:
                yield from _grouped(kept, waiting, coder, backbone)
                kept, waiting = (reference, coder.encode([reference])[0][0]), []
            waiting += [(row, answer) for answer in _chunks(row, *encoded, kept, coder, backbone, labels)]
    yield from _grouped(kept, waiting, coder, backbone)


def _room(n_reference: int, coder: Coder, backbone: Backbone) -> int:
    """Tokens that a chunk of an answer may have: what the whole reference leaves, at least half of the window."""
    around = len(coder.start) + len(coder.between)
    return max(backbone.max_tokens - around - n_reference, (backbone.max_tokens - around) // 2, 1)


def _chunks(row, ids, offsets, kept, coder, backbone, labels) -> list[Answer]:
    """One answer, or its chunks of equal length where it is longer than the window allows."""
    if not len(ids):
        return []
    gold = token_labels(row["text"], offsets, row["spans"] or (), labels)
    features = token_features(row["text"], offsets, kept[0], backbone.features)
    n_chunks = -(-len(ids) // _room(len(kept[1]), coder, backbone))
    cut = np.linspace(0, len(ids), n_chunks + 1).round().astype(int)
    return [
        Answer(row["target_id"], ids[a:b], offsets[a:b], gold[a:b], features[a:b], chunk, n_chunks)
        for chunk, (a, b) in enumerate(zip(cut[:-1], cut[1:], strict=True))
    ]


def _grouped(kept, waiting: list[tuple[dict, Answer]], coder: Coder, backbone: Backbone) -> Iterator[Group]:
    """The answers to one reference, by the piece of it that fits beside them."""
    if kept is None or not waiting:
        return
    pieces: dict[int, list[tuple[dict, Answer]]] = {}
    for row, answer in waiting:
        pieces.setdefault(_piece(len(kept[1]), len(answer.ids), coder, backbone), []).append((row, answer))
    for n, group_pieces in pieces.items():
        ids = np.concatenate(
            [np.array(coder.start, np.int32), kept[1][:n], np.array(coder.between, np.int32)]
        )
        yield Group(
            ids,
            tuple(answer for _, answer in group_pieces),
            group_pieces[0][0]["group_id"],
            group_pieces[0][0]["lang"],
            len(kept[1]) - n,
        )


def cut_rate(groups: Sequence[Group]) -> float | None:
    """The share of answers beside which their reference does not fit whole; None over no answer."""
    n = sum(len(group.answers) for group in groups)
    n_cut = sum(len(group.answers) for group in groups if group.n_left_out)
    return n_cut / n if n else None


def _piece(n_reference: int, n_answer: int, coder: Coder, backbone: Backbone) -> int:
    """How much of a reference stands beside an answer: all that fits, else what an answer of up to the next
    eighth of the window leaves.
    """
    room = backbone.max_tokens - len(coder.start) - len(coder.between)
    if n_reference + n_answer <= room:
        return n_reference
    step = max(1, backbone.max_tokens // _N_CUTS)
    return max(0, min(n_reference, max(room - -(-n_answer // step) * step, 0)))


def joined(chunks: Sequence[tuple[Answer, np.ndarray]]) -> Reading:
    """The reading of a whole text from its chunks' probabilities (tokens, labels), in the order of the text."""
    ordered = sorted(chunks, key=lambda one: one[0].chunk)
    offsets = np.concatenate([answer.offsets for answer, _ in ordered])
    p = np.concatenate([found for _, found in ordered])
    return Reading(offsets, 1 - p[:, 0], 1 + p[:, 1:].argmax(axis=1))
