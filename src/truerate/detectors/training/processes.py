"""Several processes that train one network: what `torchrun` or `accelerate launch` starts, and nothing to see
in a single one.

Every process plans the same steps, works on its own share of their parts, and adds its gradients to the
others': the sum is the gradient that one process would have got, so no average has to be right. Where there
is neither a launcher nor a GPU, that is said without torch, which takes seconds to import.
"""

import ctypes
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


def join() -> None:
    """Take part in the group that a launcher has set up in the environment; nothing without one."""
    if _is_launched() and world() == 1:
        import torch

        if torch.cuda.is_available():
            torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
        torch.distributed.init_process_group("nccl" if torch.cuda.is_available() else "gloo")


def _is_launched() -> bool:
    """Return whether a launcher says that there are others."""
    return int(os.environ.get("WORLD_SIZE", "1")) > 1


def world() -> int:
    """Return how many processes work together."""
    if not _is_launched():
        return 1
    from torch import distributed

    return distributed.get_world_size() if distributed.is_available() and distributed.is_initialized() else 1


def rank() -> int:
    """This process' place among them; the first writes."""
    if world() == 1:
        return 0
    from torch import distributed

    return distributed.get_rank()


def wait() -> None:
    """Go on when all have come here."""
    if world() > 1:
        from torch import distributed

        distributed.barrier()


def add_up(tensors: Iterable["torch.Tensor"]) -> None:
    """Replace tensors by their sums over all processes, in one message."""
    if world() == 1:
        return
    import torch

    tensor_list = list(tensors)
    flat = torch.cat([tensor.flatten() for tensor in tensor_list])
    torch.distributed.all_reduce(flat)
    offset = 0
    for tensor in tensor_list:
        tensor.copy_(flat[offset : offset + tensor.numel()].view_as(tensor))
        offset += tensor.numel()


def device() -> str:
    """`cuda` where there is a GPU, else `cpu`: what a stage works on."""
    if not has_driver():
        return "cpu"
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def has_driver() -> bool:
    """Return whether there may be a GPU: torch needs NVIDIA's library or AMD's device on Linux."""
    if sys.platform != "linux" or Path("/dev/kfd").exists():
        return True
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return True
