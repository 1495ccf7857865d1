"""Networks with trainable weights: their state, their folder, and threads, memory and precision."""

import contextlib
import ctypes
import json
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import nn
from torch.library import Library
from transformers import AutoConfig, PretrainedConfig, PreTrainedModel

from truerate.config import Backbone
from truerate.core.errors import TruerateError
from truerate.detectors.tokens.encode import Coder

SETTINGS, WEIGHTS = "network.json", "model.safetensors"
Weights = dict[str, torch.Tensor]


class Trainable(nn.Module):
    """A network of which some weights learn, with its tokenizer and the settings of its training; the weights
    can be taken out and put back. Subclasses name the model of transformers in it (`pretrained`).
    """

    backbone: Backbone
    coder: Coder

    @property
    def pretrained(self) -> PreTrainedModel:
        """The model of transformers."""
        raise NotImplementedError

    @property
    def device(self) -> torch.device:
        """The device of its weights."""
        return next(self.parameters()).device

    @property
    def n_parameters(self) -> int:
        """All weights, trained or not."""
        return sum(parameter.numel() for parameter in self.parameters())

    def trainable(self) -> list[nn.Parameter]:
        """Return the weights that training changes."""
        return [parameter for parameter in self.parameters() if parameter.requires_grad]

    def checkpointing(self) -> None:
        """Recompute activations in the backward pass: less memory, a third more work."""
        self.pretrained.activation_checkpointing_enable({"use_reentrant": False})

    def save(self, folder: Path, **settings: Any) -> None:
        """Write settings, tokenizer and weights; a backbone under adapters stays where it is and is named."""
        folder = Path(folder)
        self.coder.save(folder)
        if self.backbone.lora is None:
            self.pretrained.config.save_pretrained(folder)
        text = json.dumps({"backbone": self.backbone.content(), **settings}, indent=1, sort_keys=True)
        (folder / SETTINGS).write_text(text + "\n", "utf-8")
        state = {name: value.contiguous() for name, value in self.trainable_state().items()}
        save_file(state, folder / WEIGHTS)

    def trainable_state(self) -> Weights:
        """Copies of the trained weights by name: with adapters those and what stands beside the body."""
        named = self.named_parameters()
        return {name: value.detach().cpu().clone() for name, value in named if value.requires_grad}

    def load_trainable(self, state: Weights) -> None:
        """Put trained weights back. Raises TruerateError where they are not those of this network."""
        weights = {name: value for name, value in self.named_parameters() if value.requires_grad}
        if weights.keys() != state.keys() or any(
            value.shape != state[name].shape for name, value in weights.items()
        ):
            raise TruerateError("loading weights: they belong to another network; train the detector again")
        with torch.no_grad():
            for name, value in weights.items():
                value.copy_(state[name])


class Saved(NamedTuple):
    """What a folder holds. `config` is None where adapters alone were saved."""

    settings: dict[str, Any]
    backbone: Backbone
    state: dict[str, torch.Tensor]
    config: PretrainedConfig | None


def read_saved(folder: Path, what: str) -> Saved:
    """A saved network's folder, called `what` in messages. Raises TruerateError if missing or damaged."""
    try:
        settings = json.loads((folder / SETTINGS).read_text("utf-8"))
        backbone = Backbone.model_validate(settings["backbone"])
        state = load_file(folder / WEIGHTS)
        config = None if backbone.lora else AutoConfig.from_pretrained(folder, trust_remote_code=False)
    except (OSError, ValueError, KeyError, SafetensorError) as error:
        line = " ".join(str(error).split())[:200]
        raise TruerateError(f"reading the {what} in {str(folder)!r}: {line}; train it again") from None
    return Saved(settings, backbone, state, config)


# bytes: blocks up to 32 MB come from the heap, up to 256 MB at whose end stay when they are free
_HEAP, _KEPT = 2**25, 2**28
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # of malloc.h


def half_precision(device: torch.device) -> AbstractContextManager:
    """Matrix products in bf16 on a GPU; elsewhere in what the caller set."""
    return torch.autocast(device.type, dtype=torch.bfloat16) if device.type == "cuda" else nullcontext()


@contextlib.contextmanager
def single_threaded(backbone: Backbone) -> Iterator[None]:
    """One thread and numpy's products for a small network; freed memory stays with the process."""
    before = torch.get_num_threads()
    torch.set_num_threads(1 if backbone.weights == "tiny" else before)
    _keep_memory()
    try:
        with by_numpy(backbone.weights == "tiny"):
            yield
    finally:
        torch.set_num_threads(before)


def _keep_memory() -> None:
    """Have glibc keep freed blocks as large as a step's tensors, which else are paged in anew."""
    with contextlib.suppress(AttributeError, OSError, TypeError):  # other C libraries have no mallopt
        library = ctypes.CDLL(None)
        library.mallopt(_M_MMAP_THRESHOLD, _HEAP)
        library.mallopt(_M_TRIM_THRESHOLD, _KEPT)


# ---- products of small networks ----------------------------------------------------------------------------
_active = False  # whether the products of this process are numpy's now


@contextmanager
def by_numpy(is_small: bool) -> Iterator[None]:
    """Compute float32 products of two matrices on the CPU by numpy if `is_small`, otherwise by torch.

    torch multiplies by MKL, whose one branch that is the same on every CPU (`core.process.cpu`) does without
    AVX2: 25 GFLOP/s on one core, where OpenBLAS' kernels for Haswell, which numpy is held to, do 74. Products
    are over half of what training a small network costs.
    """
    global _active
    if is_small:
        _override()
    before, _active = _active, is_small
    try:
        yield
    finally:
        _active = before


def _product(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    """Return the product (n, m) of matrices (n, k) and (k, m)."""
    if _active and first.dtype is torch.float32:
        return torch.from_numpy(np.matmul(first.detach().numpy(), second.detach().numpy()))
    return torch.addmm(first.new_zeros(()), first, second, beta=0)  # torch's own product under another name


@lru_cache(maxsize=1)
def _override() -> Library:
    """Register `_product` as torch's `mm` on the CPU, forward and backward, until the process ends."""
    library = Library("aten", "IMPL")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Warning only once for all operators")
        library.impl("mm", _product, "CPU")
    return library
