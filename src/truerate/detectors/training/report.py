"""What a training run cost and on what it ran: `run.json`, kept in the scratch folder (a clock has no place
in a stage's output).
"""

import platform
import time
from collections.abc import Sequence

import torch

from truerate.detectors.training import processes
from truerate.detectors.training.batches import Rows, Step
from truerate.detectors.training.learner import Learner

TRIES = 5  # of the matrix product whose best rate is the device's


class Meter:
    """Counts tokens, answers and losses of the steps of this process, and the clock since it began."""

    def __init__(self, network: Learner):
        self.tokens = self.answers = self.steps = 0
        self.losses: list[float] = []
        self.wall, self.cpu = time.perf_counter(), time.process_time()

    def add(self, loss: float, step: Step, rows: Rows) -> None:
        """Note one step."""
        indices = [i for part in step[processes.rank() :: processes.world()] for i in part]
        self.tokens += sum(rows.rows[i].n_tokens for i in indices)
        self.answers += sum(len(rows.rows[i].answers) for i in indices)
        self.steps += 1
        self.losses.append(loss)


def run_facts(meter: Meter, network: Learner, *, resumed_from: int, waste: float | None) -> dict:
    """Device, versions and speed of a run; token counts without padding, per process; seconds with its
    evaluations.

    MFU = floating-point operations of forward and backward / (seconds · measured matrix rate): 6 per token
    for a weight that learns, 4 for a frozen one (no gradient of its own), none for embeddings, which are
    looked up. Attention's own products are not counted.
    """
    wall, cpu = time.perf_counter() - meter.wall, time.process_time() - meter.cpu
    device = next(network.parameters()).device
    rate = matrix_rate(device)
    return {
        "device": torch.cuda.get_device_name(device)
        if device.type == "cuda"
        else platform.processor() or platform.machine(),
        "kind": device.type,
        "capability": torch.backends.cpu.get_cpu_capability(),
        "threads": torch.get_num_threads(),
        "processes": processes.world(),
        "versions": versions(),
        "resumed_from": resumed_from,
        "steps": meter.steps,
        "loss_first": _mean(meter.losses[:10]),
        "loss_last": _mean(meter.losses[-10:]),
        "tokens": meter.tokens,
        "answers": meter.answers,
        "wall_s": round(wall, 2),
        "cpu_s": round(cpu, 2),
        "tokens_per_s": round(meter.tokens / wall, 1),
        "answers_per_cpu_s": round(meter.answers / cpu, 2) if cpu else None,
        "padding_waste": None if waste is None else round(waste, 4),
        "matrix_rate": rate,
        "mfu": round(flops_per_token(network) * meter.tokens / (wall * rate), 4),
        "peak_memory": torch.cuda.max_memory_allocated(device) if device.type == "cuda" else None,
    }


def flops_per_token(network: Learner) -> int:
    """Floating-point operations of one token's forward and backward pass."""
    embedded = {
        id(parameter)
        for module in network.modules()
        if isinstance(module, torch.nn.Embedding)
        for parameter in module.parameters()
    }
    sizes = (
        (parameter.numel() * (2 if parameter.dtype == torch.uint8 else 1), parameter)
        for parameter in network.parameters()
    )  # 4-bit weights lie two in a byte
    return sum(
        (6 if parameter.requires_grad else 4) * size
        for size, parameter in sizes
        if id(parameter) not in embedded
    )


def matrix_rate(device: torch.device, *, size: int | None = None) -> float:
    """Operations per second of the best of a few square matrix products, in the precision that training uses
    there.
    """
    is_gpu = device.type == "cuda"
    size = size or (8192 if is_gpu else 768)
    left = torch.ones(size, size, device=device, dtype=torch.bfloat16 if is_gpu else torch.float32)
    best = 0.0
    for _ in range(TRIES):
        if is_gpu:
            torch.cuda.synchronize(device)
        began = time.perf_counter()
        left @ left
        if is_gpu:
            torch.cuda.synchronize(device)
        best = max(best, 2 * size**3 / (time.perf_counter() - began))
    return best


def versions() -> dict[str, str]:
    """What decides the numbers besides code and data."""
    import tokenizers
    import transformers

    return {"python": platform.python_version(), "torch": torch.__version__} | {
        package.__name__: package.__version__ for package in (tokenizers, transformers)
    }


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 5) if values else None
