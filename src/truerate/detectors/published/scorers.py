"""Networks that give one score for a claim and a piece of a document: classes of a string or a pair (kinds
`classes`, `align`), the first token of an encoder (`encoder`), the first word of a decoder (`decoder`).

Each puts the strings of its adapter together and gives logits; what these mean stands in readout.py. The best
piece counts for a claim, `over` combines the claims of a text. Inputs are never cut here: a row that is too
long raises.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file
from torch import nn
from transformers import (
    AutoConfig,
    AutoModelForSeq2SeqLM,
    AutoModelForSequenceClassification,
    RobertaModel,
    T5ForTokenClassification,
)

from truerate.detectors.published import alignscore
from truerate.detectors.published.adapters import filled
from truerate.detectors.published.chunks import SPARE, chunks, room_beside, windows
from truerate.detectors.published.networks import Network
from truerate.detectors.published.readout import Verdict, class_parts, of_chunks, of_claims, verdict_of_score
from truerate.detectors.published.texts import Text, plans_of

# tokens of a row, up to which `batch` rows are asked at once: the largest window but of HHEM, which has none
USUAL = 2048
Inputs = dict[str, torch.Tensor]


class Scorer(Network):
    """A network that scores claims."""

    def tokenizer_source(self) -> tuple[str, str | None]:
        """Return the base's, where tokenizer and shape do not lie with the weights."""
        base = self.how.base or self.adapter.base
        return super().tokenizer_source() if base is None else (base, self.how.base_revision)

    def texts(self, document: str, claim: str) -> tuple[str, ...]:
        """Return what the tokenizer is given: one string, or document and claim."""
        if self.adapter.is_pair:
            return document, claim
        eos = self.tokens.tokenizer.eos_token or ""
        return (filled(self.adapter.template or "", document=document, claim=claim, eos=eos),)

    def n_beside(self, claim: str) -> int:
        """Return the tokens of an input besides its document, with some to spare."""
        return len(self.tokens.encoded(*self.texts("", claim))["input_ids"]) + SPARE

    def pieces(self, document: str, claim: str) -> list[str] | None:
        """The pieces of a document that a claim is asked of; None without room for any."""
        room = room_beside(self.adapter.window or 0, self.n_beside(claim))
        if room is None:
            return None
        offsets, chunker = self.tokens.offsets, self.adapter.chunker
        parts = chunks(document, chunker, offsets) if chunker else []
        return [piece for part in parts or [document] for piece in windows(part, room, offsets)]

    def judge(self, texts: Sequence[Text]) -> list[Verdict]:
        """Return what the network says of each text, in their order; all their pieces are asked together."""
        asked, plans = plans_of(self.adapter, texts, lambda text, claim: self.pieces(text.document, claim))
        parts, judged = self.parts([(piece, claim) for _, claim, piece in asked]), []
        for plan in plans:
            if isinstance(plan, str):
                judged.append(Verdict(None, None, [], 0, plan))
                continue
            score = of_claims(self.adapter, [of_chunks(parts[list(places)]) for _, places in plan])
            judged.append(verdict_of_score(self.adapter, score, sum(len(places) for _, places in plan)))
        return judged

    def parts(self, rows: Sequence[tuple[str, str]]) -> np.ndarray:
        """Return the probabilities that count of each (document, claim), (rows, 2); asked in batches of
        similar length (`rows_at_once`). Raises TruerateError for a row that is longer than the window.
        """
        inputs = [self.tokens.encoded(*self.texts(*row)) for row in rows]
        lengths = [len(encoded["input_ids"]) for encoded in inputs]
        self.refuse_long(max(lengths, default=0))
        parts = np.zeros((len(rows), 2))
        order = sorted(range(len(rows)), key=lambda row: -lengths[row])
        start = 0
        while start < len(order):
            batch = order[start : start + rows_at_once(self.how.batch, lengths[order[start]])]
            start += len(batch)
            padded = self.tokens.tokenizer.pad([inputs[row] for row in batch], return_tensors="pt")
            with torch.inference_mode():
                logits = self.logits(padded.to(self.model.device))
            parts[batch] = class_parts(self.adapter, logits.float().cpu().numpy())
        return parts

    def load(self) -> Any:
        """Load a classifier of texts or pairs."""
        return self.load_as(AutoModelForSequenceClassification)

    def logits(self, inputs: Inputs) -> torch.Tensor:
        """Return the logits that count, (rows, classes) or (rows, vocabulary)."""
        return self.model(**inputs).logits


def rows_at_once(batch: int, longest: int) -> int:
    """Return how many rows are asked at once where the longest has so many tokens: `batch` of up to USUAL
    tokens, of longer ones as many as take no more memory, which grows with the square of their length. At
    least 1.
    """
    return max(1, batch * USUAL**2 // max(longest, USUAL) ** 2)


class EncoderScorer(Scorer):
    """HHEM: Flan-T5's encoder, its names prefixed by `t5.`; the two classes of the first token count."""

    def load(self) -> Any:
        """Load the encoder in the shape of its base."""
        base, revision = self.how.base or self.adapter.base or "", self.how.base_revision
        config = AutoConfig.from_pretrained(base, revision=revision, trust_remote_code=False, num_labels=2)
        return self.load_as(T5ForTokenClassification, config=config, key_mapping={r"^t5\.": ""})

    def logits(self, inputs: Inputs) -> torch.Tensor:
        """Return those of the first token."""
        ids, mask = inputs["input_ids"], inputs["attention_mask"]
        return self.model(input_ids=ids, attention_mask=mask).logits[:, 0, :]


class DecoderScorer(Scorer):
    """A decoder of which the first word that it writes counts."""

    def load(self) -> Any:
        """Load the decoder. Raises ValueError where its vocabulary lacks the words."""
        model, words = self.load_as(AutoModelForSeq2SeqLM), self.adapter.word_ids or ()
        if max(words) >= model.config.vocab_size:
            raise ValueError(f"its vocabulary of {model.config.vocab_size} lacks the words {words}")
        return model

    def logits(self, inputs: Inputs) -> torch.Tensor:
        """Return those of the first word."""
        ids, mask = inputs["input_ids"], inputs["attention_mask"]
        begin = torch.full((len(ids), 1), self.model.config.decoder_start_token_id, device=ids.device)
        return self.model(input_ids=ids, attention_mask=mask, decoder_input_ids=begin).logits[:, 0, :]


class AlignScore(nn.Module):
    """RoBERTa with AlignScore's head of three classes: aligned, contradicted, neutral."""

    def __init__(self, config: Any):
        super().__init__()
        self.config = config
        self.base_model = RobertaModel(config, add_pooling_layer=True)
        self.tri_layer = nn.Linear(config.hidden_size, 3)

    @property
    def device(self) -> torch.device:
        """Return where it lies."""
        return self.tri_layer.weight.device


class AlignScorer(Scorer):
    """AlignScore, of weights as `alignscore.as_safetensors` writes them: names as in its checkpoint."""

    def load(self) -> Any:
        """Load the folder. Raises ValueError for anything else, and for other weights."""
        folder = Path(self.how.weights or "")
        if not folder.is_dir():
            raise ValueError(
                "its authors published pickles alone, which are not read here: name a folder that "
                f"{alignscore.__name__} wrote"
            )
        model = AlignScore(AutoConfig.from_pretrained(folder, trust_remote_code=False))
        lacking, more = model.load_state_dict(load_file(folder / "model.safetensors"), strict=False)
        unread = [name for name in more if not name.startswith(("bin_layer", "reg_layer"))]
        if wrong := [*lacking, *unread]:
            raise ValueError(f"model.safetensors is not AlignScore's: {', '.join(sorted(wrong)[:3])}")
        return model

    def logits(self, inputs: Inputs) -> torch.Tensor:
        """Return those of the three classes."""
        ids, mask = inputs["input_ids"], inputs["attention_mask"]
        return self.model.tri_layer(self.model.base_model(input_ids=ids, attention_mask=mask).pooler_output)


SCORERS = {"classes": Scorer, "encoder": EncoderScorer, "decoder": DecoderScorer, "align": AlignScorer}
