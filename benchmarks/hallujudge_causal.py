"""What a judge that writes gains from judging texts together: `hallujudge.py --causal`.

Llamas of random weights judge texts of a closed world one at a time and in batches of 16,384 tokens, by the code
that a build runs. Random weights end no line, so that each reason runs to its limit: the dearest case of writing.
Both ways read the same prompts, and what they say is compared text by text.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import torch
from tokenizers import decoders
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from truerate.config import Backbone, Judging
from truerate.detectors.judges import causal, decoder
from truerate.detectors.judges.decoder import CUE, KNOWLEDGE, NO, YES, Decoder
from truerate.detectors.judges.judged import with_references
from truerate.detectors.tokens.encode import tiny_coder

WIDTHS = ((128, 4), (512, 8))  # hidden size and layers
N_TEXTS, N_REASONS = 600, 24
WINDOW = 1280  # tokens, as in HalluDial
EVERY = -1.0  # a threshold that every p passes
BATCH: int = Judging.model_fields["batch_tokens"].default
HEAD = (
    "| weights | texts | p alone / together, texts/s | ratio | reasons alone / together, reasons/s | ratio "
    "| p moved by | other reasons |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
)


class Cost(NamedTuple):
    """p and reasons of texts with the seconds that they took."""

    p: np.ndarray
    reasons: list[str]
    seconds: tuple[float, float]


def causal_table(rows: pl.DataFrame) -> str:
    """The table: for each size of a model, texts per second one at a time and in batches."""
    return "\n".join([HEAD, *lines(with_references(rows.head(N_TEXTS)))])


def lines(rows: pl.DataFrame) -> Iterator[str]:
    """A line of the table per size."""
    for width, layers in WIDTHS:
        with tempfile.TemporaryDirectory() as folder:
            network = random_judge(Path(folder), rows, width, layers)
        prompts = causal.prompts_of(network, rows)
        judged(network, prompts[:4], BATCH)  # the first calls of a process are slower
        alone, together = judged(network, prompts, 1), judged(network, prompts, BATCH)
        moved = float(np.abs(alone.p - together.p).max())
        other = sum(one != two for one, two in zip(alone.reasons, together.reasons, strict=True))
        n = (len(prompts), len(alone.reasons))
        told = [
            _speeds(count, *times) for count, *times in zip(n, alone.seconds, together.seconds, strict=True)
        ]
        size = sum(one.numel() for one in network.parameters()) / 1e6
        yield f"| {size:.1f} M | {n[0]} | {told[0]} | {told[1]} | {moved:.0e} | {other} of {n[1]} |"


def _speeds(n: int, alone: float, together: float) -> str:
    return f"{n / alone:.1f} / {n / together:.1f} | {alone / together:.1f}"


def judged(network: Decoder, prompts: list[Any], batch_tokens: int) -> Cost:
    """p of every prompt, and the reasons of N_REASONS, spread over them."""
    p, read = timed(lambda: causal.p_of(network, prompts, batch_tokens))
    some = prompts[:: max(1, len(prompts) // N_REASONS)]
    (_, reasons), written = timed(lambda: causal.p_and_reasons(network, some, EVERY, batch_tokens))
    return Cost(np.array(p, dtype=float), [reasons[place] for place in range(len(some))], (read, written))


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """What a call gives, and its CPU seconds (on a GPU the seconds that it takes)."""
    clock = time.perf_counter if torch.cuda.is_available() else time.process_time
    begun = clock()
    return call(), clock() - begun


def random_judge(folder: Path, rows: pl.DataFrame, width: int, layers: int) -> Decoder:
    """A Llama of random weights with a tokenizer that was learned from the texts, as the form reads weights."""
    own = [KNOWLEDGE, CUE, YES, NO] * 9
    coder = tiny_coder([*rows["text"], *rows["knowledge"], *rows["history"], *own])
    coder.tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
    PreTrainedTokenizerFast(tokenizer_object=coder.tokenizer, pad_token="<pad>").save_pretrained(folder)
    torch.manual_seed(0)
    heads = width // 64
    config = LlamaConfig(
        vocab_size=coder.n_words,
        hidden_size=width,
        intermediate_size=3 * width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=heads,
        max_position_embeddings=WINDOW,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    training = {"learning_rate": 3e-5, "weight_decay": 0.01, "batch": 8, "accumulation": 1, "epochs": 2}
    how = Backbone(weights=str(folder), mask="causal", max_tokens=WINDOW, token_budget=BATCH, **training)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    return decoder.from_weights(how, 0, device=device).eval()
