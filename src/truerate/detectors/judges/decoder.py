"""A decoder that judges, by Hub id or path: how it learns, how it is kept, and what it says."""

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn.functional import cross_entropy
from transformers import AutoModelForCausalLM, PreTrainedModel

from truerate.config import Backbone
from truerate.core.errors import TruerateError
from truerate.detectors.tokens.backbones import adapted, load_weights
from truerate.detectors.tokens.encode import Coder, pretrained_coder
from truerate.detectors.tokens.rows import padded
from truerate.detectors.tokens.span_probabilities import IGNORED
from truerate.detectors.training.trainable import Trainable, half_precision, read_saved

# ---- what it reads and writes ------------------------------------------------------------------------------
KNOWLEDGE, CONVERSATION, RESPONSE, CUE = "Knowledge: ", "\nConversation: ", "\nResponse: ", "\nHallucinated? "
YES, NO, END = "Yes.", "No.", "\n"
N_WRITTEN = 160  # tokens that a judgement may have


@dataclass(frozen=True)
class Example:
    """A prompt with its completion, and labels (tokens,): IGNORED in the prompt."""

    name: str
    ids: np.ndarray
    labels: np.ndarray
    n_answers: int = 1

    @property
    def n_tokens(self) -> int:
        """Tokens of both."""
        return len(self.ids)

    @property
    def n_targets(self) -> int:
        """Tokens of the completion, which are learned."""
        return int((self.labels != IGNORED).sum())


def prompt(coder: Coder, row: Mapping[str, Any], room: int) -> np.ndarray | None:
    """The ids of a prompt of at most `room` tokens; None where the response alone leaves none for it. The
    conversation gives way first, from its beginning, then the knowledge, from its end; the response never.
    """
    conversation = "\n".join(part for part in (row["history"], row["question"]) if part.strip())
    texts = (KNOWLEDGE, row["knowledge"], CONVERSATION, conversation, RESPONSE + row["text"] + CUE)
    head, knowledge, between, turns, last = (ids for ids, _ in coder.encode(texts))
    left = room - len(coder.start) - len(head) - len(between) - len(last)
    if left < 0:
        return None
    knowledge = knowledge[:left]
    turns = turns[len(turns) - min(len(turns), left - len(knowledge)) :]
    parts = [np.array(coder.start, np.int32), head, knowledge, between, turns, last]
    return np.concatenate(parts).astype(np.int64)


def completion(row: Mapping[str, Any]) -> str:
    """The judgement of a labelled text: `No.`, or `Yes.` with its reason, which quotes its segments."""
    if not row["is_hallucinated"]:
        return NO + END
    reason = " ".join((row["rationale"] or "").split())
    quoted = [" ".join(row["text"][span["start"] : span["end"]].split()) for span in row["spans"]]
    lost = [f'The segment "{part}" is hallucinated.' for part in quoted if f'"{part}"' not in reason]
    return " ".join(filter(None, (YES, *lost, reason))) + END


def example_of(coder: Coder, row: Mapping[str, Any], max_tokens: int) -> Example | None:
    """A labelled text as a training example; None where it leaves no room for a prompt."""
    written = coder.encode([completion(row)])[0][0][:N_WRITTEN].astype(np.int64)
    ids = prompt(coder, row, max_tokens - len(written))
    if ids is None:
        return None
    labels = np.concatenate([np.full(len(ids), IGNORED, np.int64), written])
    return Example(row["target_id"], np.concatenate([ids, written]), labels)


# ---- the network -------------------------------------------------------------------------------------------
class Decoder(Trainable):
    """A causal language model with its tokenizer and the settings that it was trained with."""

    def __init__(self, model: PreTrainedModel, backbone: Backbone, coder: Coder):
        super().__init__()
        self.model, self.backbone, self.coder = model, backbone, coder
        self.yes, self.no = (int(coder.encode([word])[0][0][0]) for word in (YES, NO))
        if self.yes == self.no:
            raise TruerateError(
                f"backbone {backbone.weights!r}: its tokenizer begins {YES!r} and {NO!r} alike; name another"
            )
        self.ends = line_ends(coder, model.generation_config.eos_token_id)
        # logits of every token of a batch are the vocabulary many times over; one row of them is read
        self._keeps_last = "logits_to_keep" in inspect.signature(model.forward).parameters

    @property
    def pretrained(self) -> PreTrainedModel:
        """The language model."""
        return self.model

    def loss(self, rows: Sequence[Example]) -> torch.Tensor:
        """The summed cross-entropy over the completions of rows, a scalar; no token of a prompt is in it."""
        ids = padded([row.ids for row in rows], self.coder.pad).to(self.device)
        labels = padded([row.labels for row in rows], IGNORED).to(self.device)
        lengths = torch.tensor([row.n_tokens for row in rows], device=self.device)
        is_there = torch.arange(ids.shape[1], device=self.device)[None] < lengths[:, None]
        with half_precision(self.device):
            logits = self.model(input_ids=ids, attention_mask=is_there.long(), use_cache=False).logits
        return cross_entropy(
            logits[:, :-1].flatten(0, 1).float(),
            labels[:, 1:].flatten(),
            ignore_index=IGNORED,
            reduction="sum",
        )

    @torch.inference_mode()
    def p(self, prompts: Sequence[np.ndarray]) -> np.ndarray:
        """P(Yes) / (P(Yes) + P(No)) of the token behind each prompt (tokens,), in one batch."""
        ids, mask = self._aligned(prompts)
        positions = (mask.cumsum(dim=1) - 1).clamp(min=0)
        last = {"logits_to_keep": 1} if self._keeps_last else {}
        with half_precision(self.device):
            output = self.model(
                input_ids=ids, attention_mask=mask, position_ids=positions, use_cache=False, **last
            )
        shares: np.ndarray = (
            output.logits[:, -1].float()[:, [self.no, self.yes]].softmax(dim=1)[:, 1].cpu().numpy()
        )
        return shares

    @torch.inference_mode()
    def reasons(self, prompts: Sequence[np.ndarray]) -> list[str]:
        """Return what it writes behind each prompt and `Yes.`, greedily, up to the line's end, in one batch."""
        yes = self.coder.encode([YES])[0][0].astype(np.int64)
        ids, mask = self._aligned([np.concatenate([prompt, yes]) for prompt in prompts])
        with half_precision(self.device):
            whole = self.model.generate(
                ids,
                attention_mask=mask,
                max_new_tokens=N_WRITTEN,
                do_sample=False,
                repetition_penalty=1.0,  # some models bring one, and what is quoted stands in the prompt
                pad_token_id=self.coder.pad,
                eos_token_id=self.ends or None,
            )
        return [self._line(written) for written in whole[:, ids.shape[1] :].tolist()]

    def _line(self, written: list[int]) -> str:
        """The first line of what was written, without what fills it up to the longest of its batch."""
        while written and written[-1] == self.coder.pad:
            written = written[:-1]
        text = self.coder.tokenizer.decode(written, skip_special_tokens=True)
        return str(text).split(END)[0].strip()

    def _aligned(self, prompts: Sequence[np.ndarray]) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the ids of prompts (prompts, tokens), padded on the left, and the mask of their tokens."""
        ids = padded(prompts, self.coder.pad, side="left").to(self.device)
        return ids, padded([np.ones(len(prompt)) for prompt in prompts], 0, side="left").to(self.device)


def line_ends(coder: Coder, eos: int | Sequence[int] | None) -> list[int]:
    """Tokens that contain a line end (`.\\n` is one of Llama's), and `eos`."""
    single = [[token] for token in range(coder.n_words)]
    texts = coder.tokenizer.decode_batch(single, skip_special_tokens=False)
    ends = {token for token, text in enumerate(texts) if END in text}
    return sorted(ends | ({eos} if isinstance(eos, int) else set(eos or ())))


def from_weights(backbone: Backbone, seed: int, *, device: str | torch.device) -> Decoder:
    """A decoder by Hub id or path. Raises TruerateError where it cannot be loaded or its window is short."""
    torch.manual_seed(seed)
    return Decoder(_model(backbone, device), backbone, pretrained_coder(backbone.weights, backbone.revision))


def load(folder: Path, *, device: str | torch.device) -> Decoder:
    """Return what `Decoder.save` wrote. Raises TruerateError where it is missing or damaged."""
    _, backbone, state, config = read_saved(folder, "judge")
    model = (
        _model(backbone, device)
        if config is None
        else AutoModelForCausalLM.from_config(config, trust_remote_code=False).to(device)
    )
    decoder = Decoder(model, backbone, Coder.load(folder))
    decoder.load_trainable(state)
    return decoder.eval()


def _model(backbone: Backbone, device: str | torch.device) -> PreTrainedModel:
    """The language model of a backbone, frozen with adapters on its linear layers where asked for."""
    model = load_weights(AutoModelForCausalLM, backbone, device, " of a decoder")
    if backbone.lora:
        model.requires_grad_(False)
        adapted(model.base_model, backbone)
    return model if backbone.quantise != "none" else model.to(device)
