"""Matrix products of small networks by numpy's OpenBLAS, equal on CPUs of every vendor.

torch multiplies by MKL, whose one branch that is the same on every CPU (`core.process.cpu`) does without
AVX2: 25 GFLOP/s on one core, where OpenBLAS' kernels for Haswell, which numpy is held to, do 74. Products are
over half of what training a small network costs.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

import numpy as np
import torch
from torch.library import Library

_active = False  # whether the products of this process are numpy's now


@contextmanager
def by_numpy(is_small: bool) -> Iterator[None]:
    """Compute float32 products of two matrices on the CPU by numpy if `is_small`, otherwise by torch."""
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
