"""Networks that give one score for a claim and a piece of a document: classes of a string or a pair (kinds
`classes`, `align`), the first token of an encoder (`encoder`), the first word of a decoder (`decoder`).

Each puts the strings of its adapter together and gives logits; what these mean stands in readout.py. Inputs
are never cut here: a row that is too long is a mistake, and raises.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import nn
from transformers import (
    AutoConfig,
    AutoModelForSeq2SeqLM,
    AutoModelForSequenceClassification,
    RobertaModel,
    T5ForTokenClassification,
)

from truerate.config import Published
from truerate.core.errors import TruerateError
from truerate.core.pretrained import load_network, load_tokenizer, quiet
from truerate.detectors.published.adapters import Adapter, filled
from truerate.detectors.published.chunks import SPARE
from truerate.detectors.published.readout import class_parts
from truerate.detectors.tokens.backbones import window_of
from truerate.detectors.training import processes

N_KEPT = 512  # texts
# tokens of a row, up to which `batch` rows are asked at once: the largest window but of HHEM, which has none
USUAL = 2048
ALIKE = {"<": "‹", "[": "⁅"}  # what the first sign of a special token in a text is written as
Forward = Callable[[dict[str, torch.Tensor]], torch.Tensor]


class Tokens:
    """A tokenizer behind a Hub id or folder, as cutting and asking need it."""

    def __init__(self, weights: str, revision: str | None):
        self.tokenizer = load_tokenizer(weights, revision=revision)
        if not self.tokenizer.is_fast:
            raise ValueError("its tokenizer tells no places of tokens (tokenizer.json is missing)")
        # Those with a role, and those without one: Llama 3 names the beginning of a turn nowhere else.
        added = self.tokenizer.added_tokens_decoder.values()
        self._special = dict.fromkeys(
            [*self.tokenizer.all_special_tokens, *(token.content for token in added if token.special)]
        )
        self.offsets = lru_cache(maxsize=N_KEPT)(self._offsets)  # many texts are held against one document

    def _offsets(self, text: str) -> list[tuple[int, int]]:
        """The borders of a text's own tokens, in code points."""
        with quiet():  # a text beyond the window is no mistake here
            encoded = self.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
        return [(start, end) for start, end in encoded["offset_mapping"]]

    def plain(self, text: str) -> str:
        """A text of equal length without special tokens, which could end an input or begin a turn."""
        for name in self._special:
            text = text.replace(name, ALIKE.get(name[0], " ") + name[1:])
        return text

    def encoded(self, *texts: str, **more: Any) -> Any:
        """One text or a pair of them with the special tokens around, whole."""
        with quiet():
            return self.tokenizer(*texts, truncation=False, **more)


def check_window(model: Any, adapter: Adapter, what: str) -> None:
    """Raise TruerateError where a network sees fewer tokens than its adapter's window."""
    sees = window_of(model.config)
    if sees and sees < (adapter.window or 0):
        raise TruerateError(f"{what} sees {sees} tokens; lower its window, {adapter.window}")


class Scorer:
    """A network by an adapter. Raises TruerateError, one line, where it cannot be loaded."""

    def __init__(self, adapter: Adapter, how: Published):
        self.adapter, self.how = adapter, how
        base = how.base or adapter.base
        source = (how.weights or "", how.revision) if base is None else (base, how.base_revision)
        try:
            self.tokens = Tokens(*source)
            self.model, self._forward = LOADERS[adapter.kind](adapter, how)
        except (ValueError, OSError, KeyError, SafetensorError) as error:
            line = " ".join(str(error).split())[:200]
            raise TruerateError(f"published detector {how.weights!r}: {line}") from None
        self.model = self.model.eval().to(processes.device())
        if adapter.kind in ("classes", "align"):
            check_window(self.model, adapter, f"published detector {how.weights!r}")

    def texts(self, document: str, claim: str) -> tuple[str, ...]:
        """What the tokenizer is given: one string, or document and claim."""
        if self.adapter.is_pair:
            return document, claim
        eos = self.tokens.tokenizer.eos_token or ""
        return (filled(self.adapter.template or "", document=document, claim=claim, eos=eos),)

    def n_beside(self, claim: str) -> int:
        """The tokens of an input besides its document, with some to spare."""
        return len(self.tokens.encoded(*self.texts("", claim))["input_ids"]) + SPARE

    def parts(self, rows: Sequence[tuple[str, str]]) -> np.ndarray:
        """Of (document, claim) each the probabilities that count, (rows, 2); asked in batches of similar
        length (`rows_at_once`). Raises TruerateError for a row that is longer than the window.
        """
        inputs = [self.tokens.encoded(*self.texts(*row)) for row in rows]
        lengths = [len(encoded["input_ids"]) for encoded in inputs]
        if lengths and max(lengths) > (self.adapter.window or 0):
            raise TruerateError(
                f"published detector {self.how.weights!r}: an input of {max(lengths)} tokens, more than its "
                f"window of {self.adapter.window}; raise `window`, or cut the texts"
            )
        parts = np.zeros((len(rows), 2))
        order = sorted(range(len(rows)), key=lambda row: -lengths[row])
        start = 0
        while start < len(order):
            batch = order[start : start + rows_at_once(self.how.batch, lengths[order[start]])]
            start += len(batch)
            padded = self.tokens.tokenizer.pad([inputs[row] for row in batch], return_tensors="pt")
            with torch.inference_mode():
                logits = self._forward(padded.to(self.model.device))
            parts[batch] = class_parts(self.adapter, logits.float().cpu().numpy())
        return parts


def rows_at_once(batch: int, longest: int) -> int:
    """How many rows are asked at once where the longest has so many tokens: `batch` of up to USUAL tokens, of
    longer ones as many as take no more memory, which grows with the square of their length. At least 1.
    """
    return max(1, batch * USUAL**2 // max(longest, USUAL) ** 2)


# ---- what is loaded, and which of its numbers count --------------------------------------------------------
Loaded = tuple[Any, Forward]


def _classes(adapter: Adapter, how: Published) -> Loaded:
    model = load_network(AutoModelForSequenceClassification, how.weights or "", revision=how.revision)
    return model, lambda inputs: model(**inputs).logits


def _encoder(adapter: Adapter, how: Published) -> Loaded:
    """HHEM: Flan-T5's encoder with two classes per token, its names prefixed by `t5.`."""
    base = how.base or adapter.base or ""
    config = AutoConfig.from_pretrained(
        base, revision=how.base_revision, trust_remote_code=False, num_labels=2
    )
    model = load_network(
        T5ForTokenClassification,
        how.weights or "",
        revision=how.revision,
        config=config,
        key_mapping={r"^t5\.": ""},
    )
    return model, lambda inputs: model(
        input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"]
    ).logits[:, 0, :]


def _decoder(adapter: Adapter, how: Published) -> Loaded:
    """The logits of the first word that is written."""
    model = load_network(AutoModelForSeq2SeqLM, how.weights or "", revision=how.revision)
    if max(adapter.word_ids or ()) >= model.config.vocab_size:
        raise ValueError(f"its vocabulary of {model.config.vocab_size} lacks the words {adapter.word_ids}")

    def forward(inputs: dict[str, torch.Tensor]) -> torch.Tensor:
        ids = inputs["input_ids"]
        begin = torch.full((len(ids), 1), model.config.decoder_start_token_id, device=ids.device)
        output = model(input_ids=ids, attention_mask=inputs["attention_mask"], decoder_input_ids=begin)
        logits: torch.Tensor = output.logits[:, 0, :]
        return logits

    return model, forward


class AlignScore(nn.Module):
    """RoBERTa with AlignScore's head of three classes: aligned, contradicted, neutral."""

    def __init__(self, config: Any):
        super().__init__()
        self.config = config
        self.base_model = RobertaModel(config, add_pooling_layer=True)
        self.tri_layer = nn.Linear(config.hidden_size, 3)

    @property
    def device(self) -> torch.device:
        """Where it lies."""
        return self.tri_layer.weight.device


def _align(adapter: Adapter, how: Published) -> Loaded:
    """Weights as `alignscore.as_safetensors` writes them: names as in the authors' checkpoint."""
    if not Path(how.weights or "").is_dir():
        raise ValueError(
            "its authors published pickles alone, which are not read here: name a folder that "
            "truerate.detectors.published.alignscore wrote"
        )
    model = AlignScore(AutoConfig.from_pretrained(how.weights, trust_remote_code=False))
    state = load_file(Path(how.weights or "") / "model.safetensors")
    lacking, more = model.load_state_dict(state, strict=False)
    unread = [name for name in more if not name.startswith(("bin_layer", "reg_layer"))]
    if wrong := [*lacking, *unread]:
        raise ValueError(f"model.safetensors is not AlignScore's: {', '.join(sorted(wrong)[:3])}")

    def forward(inputs: dict[str, torch.Tensor]) -> torch.Tensor:
        output = model.base_model(input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"])
        logits: torch.Tensor = model.tri_layer(output.pooler_output)
        return logits

    return model, forward


LOADERS: dict[str, Callable[[Adapter, Published], Loaded]] = {
    "classes": _classes,
    "encoder": _encoder,
    "decoder": _decoder,
    "align": _align,
}
