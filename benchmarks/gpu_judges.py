"""What a published judge of 8 billion parameters costs on a GPU, in bf16 and in 4 bits: `gpu.py --judges`.

Random weights of Llama-3-8B's shape with a tokenizer and a chat template, read and asked by the code that a
family with `train: false` runs (adapter `lynx`): references of 600 words, answers of 60, replies of up to 64
tokens. What random weights write is of no form, so every reply runs to its limit: the cost is the worst case,
and no verdict is one.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from tokenizers import decoders
from transformers import AutoModelForCausalLM, LlamaConfig, PreTrainedTokenizerFast

from truerate.config import Published
from truerate.detectors.published.checks import usable
from truerate.detectors.published.judges import question_of
from truerate.detectors.published.writer import Writer
from truerate.detectors.tokens.encode import tiny_coder
from truerate.detectors.training import processes

CHAT = "{% for one in messages %}<{{ one.role }}>{{ one.content }}{% endfor %}<reply>"
N_WRITTEN, N_WORDS = 64, (600, 60)
HEAD = "| judge | kept in | answers | prompt tokens | tokens written | answers/s | peak memory |"


def judging_lines(config: LlamaConfig, n: int, unless_full: Callable[..., Any]) -> Iterator[str]:
    """A line per way in which weights are kept: asked of `n` answers; one that the memory does not hold says
    so.
    """
    with tempfile.TemporaryDirectory() as folder:
        write_judge(Path(folder), config)
        for kind in ("none", "4bit"):
            if kind == "4bit" and find_spec("bitsandbytes") is None:
                yield "| Llama | 4 bits | bitsandbytes is not installed | – | – | – | – |"
                continue
            found = unless_full(judged, folder, kind, n)
            kept = "4 bits (NF4)" if kind == "4bit" else "bf16" if torch.cuda.is_available() else "fp32"
            yield f"| Llama | {kept} | " + (found or "out of memory | – | – | – | –") + " |"


def write_judge(folder: Path, config: LlamaConfig) -> None:
    """Random weights in bf16, made on the device, with a tokenizer that has a chat template."""
    coder = tiny_coder(["a reference and its answers"] * 2, 300)
    coder.tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
    names = {"pad_token": "<pad>", "eos_token": "<pad>", "chat_template": CHAT}
    PreTrainedTokenizerFast(tokenizer_object=coder.tokenizer, **names).save_pretrained(folder)
    torch.manual_seed(0)
    with torch.device(processes.device()):
        model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16, trust_remote_code=False)
    model.save_pretrained(folder, max_shard_size="2GB")


def judged(folder: str, kind: str, n: int) -> str:
    """The cells of one line; one answer is asked before the clock starts."""
    how = Published(weights=folder, adapter="lynx", window=4096, quantise=kind)  # type: ignore[arg-type]
    adapter = usable(how, "benchmark")
    writer = Writer(adapter, how)
    texts = [" ".join(["reference"] * N_WORDS[0]), " ".join(["answers"] * N_WORDS[1])]
    question = question_of(adapter, *texts, "and its")._replace(n_written=N_WRITTEN)
    writer.ask([question])
    begun = time.perf_counter()
    replies = writer.ask([question] * n)
    seconds = time.perf_counter() - begun
    peak = f"{torch.cuda.max_memory_allocated() / 1e9:.1f} GB" if torch.cuda.is_available() else "–"
    n_read = writer.ids(question).shape[1]
    n_cut = sum(one.is_cut for one in replies)
    return f"{n} | {n_read:,} | {N_WRITTEN if n_cut == n else f'{n_cut} of {n} cut'} | {n / seconds:.2f} | {peak}"
