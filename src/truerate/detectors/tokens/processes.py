"""Several processes that train one network: what `torchrun` or `accelerate launch` starts, and nothing to see in a single one.

Every process plans the same steps, works on its own share of their parts, and adds its gradients to the others': the sum is the gradient
that one process would have got, so no average has to be right.
"""

import os
from collections.abc import Iterable

import torch
from torch import distributed


def join() -> None:
    """Take part in the group that a launcher has set up in the environment; does nothing where there is none."""
    if world() == 1 and int(os.environ.get("WORLD_SIZE", "1")) > 1:
        if torch.cuda.is_available():
            torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
        distributed.init_process_group("nccl" if torch.cuda.is_available() else "gloo")


def world() -> int:
    """How many processes work together."""
    return distributed.get_world_size() if distributed.is_available() and distributed.is_initialized() else 1


def rank() -> int:
    """This process' place among them; the first writes."""
    return distributed.get_rank() if world() > 1 else 0


def wait() -> None:
    """Go on when all have come here."""
    if world() > 1:
        distributed.barrier()


def add_up(tensors: Iterable[torch.Tensor]) -> None:
    """Replace tensors by their sums over all processes, in one message."""
    if world() == 1:
        return
    held = list(tensors)
    flat = torch.cat([one.flatten() for one in held])
    distributed.all_reduce(flat)
    place = 0
    for one in held:
        one.copy_(flat[place : place + one.numel()].view_as(one))
        place += one.numel()


def device() -> str:
    """`cuda` where there is a GPU, else `cpu`: what a stage works on."""
    return "cuda" if torch.cuda.is_available() else "cpu"
