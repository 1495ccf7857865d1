"""How a network uses its machine: threads, memory, precision."""

import contextlib
import ctypes
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext

import torch

from truerate.config import Backbone

_HEAP, _KEPT = (
    2**25,
    2**28,
)  # bytes: blocks up to 32 MB come from the heap, up to 256 MB at whose end stay when they are free
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # of malloc.h


def half_precision(device: torch.device) -> AbstractContextManager:
    """Matrix products in bf16 on a GPU; elsewhere in what the caller set."""
    return torch.autocast(device.type, dtype=torch.bfloat16) if device.type == "cuda" else nullcontext()


@contextlib.contextmanager
def single_threaded(backbone: Backbone) -> Iterator[None]:
    """One thread for a small network, whose sums would cost more to share out than to make; freed memory
    stays with the process.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1 if backbone.weights == "tiny" else before)
    _keep_memory()
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _keep_memory() -> None:
    """Have glibc keep freed blocks as large as a step's tensors: given back to the system, each would be
    paged in and zeroed anew.
    """
    with contextlib.suppress(AttributeError, OSError, TypeError):  # other C libraries have no mallopt
        library = ctypes.CDLL(None)
        library.mallopt(_M_MMAP_THRESHOLD, _HEAP)
        library.mallopt(_M_TRIM_THRESHOLD, _KEPT)
