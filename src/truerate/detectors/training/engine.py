"""One training loop for every network: length buckets, AdamW, warm-up, checkpoints that a kill cannot break.

A task is rows, a loss over some of them and a metric. The same task, settings, seed, code and kernels give
the same weights to the bit, whether or not the run was killed and went on from its checkpoint.
"""

import contextlib
import math
import os
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import tokenizers
import torch
import transformers

from truerate.config import Backbone
from truerate.core.keys import draw
from truerate.detectors.training import processes
from truerate.detectors.training.jobs import CHECKPOINT
from truerate.detectors.training.trainable import Trainable, Weights

# ---- the order of rows -------------------------------------------------------------------------------------
SHARD = 50  # batches whose rows are sorted by length together
Part = list[int]  # places of rows that make one padded tensor
Step = list[Part]  # parts whose gradients are summed before the weights move


class Row(Protocol):
    """A line of a tensor: its name, which decides its order, answers, tokens, learned tokens."""

    @property
    def name(self) -> str: ...
    @property
    def n_answers(self) -> int: ...
    @property
    def n_tokens(self) -> int: ...
    @property
    def n_targets(self) -> int: ...


def steps_of(rows: Sequence[Row], backbone: Backbone, seed: int, epoch: int) -> list[Step]:
    """The steps of an epoch: `accumulation` batches of `batch` answers in parts within the token budget.

    Rows are ordered by a draw from seed, epoch and their names; every SHARD batches of them are sorted by
    length, cut into batches of `batch` answers, and the batches are ordered by another draw, so that little of
    a batch is padding. A batch is cut into parts whose padded size keeps the token budget. The plan of an
    epoch depends on nothing else: a run that was killed finds its place again by its number of steps.
    """
    order = sorted(range(len(rows)), key=lambda i: draw("row", seed, epoch, rows[i].name))
    shards = _cut(order, rows, SHARD * backbone.batch)
    batches = [
        batch
        for shard in shards
        for batch in _cut(sorted(shard, key=lambda i: rows[i].n_tokens), rows, backbone.batch)
    ]
    batches.sort(key=lambda batch: draw("batch", seed, epoch, rows[batch[0]].name))
    parts = [
        [
            [batch[i] for i in part]
            for part in within([rows[i].n_tokens for i in batch], backbone.token_budget)
        ]
        for batch in batches
    ]
    n = backbone.accumulation
    return [[part for batch in parts[i : i + n] for part in batch] for i in range(0, len(parts), n)]


def _cut(indices: Sequence[int], rows: Sequence[Row], n_answers: int) -> list[list[int]]:
    """Consecutive rows in lists of at least `n_answers` answers (the last may hold fewer)."""
    lists: list[list[int]] = []
    room = 0
    for index in indices:
        if room <= 0:
            lists.append([])
            room = n_answers
        lists[-1].append(index)
        room -= rows[index].n_answers
    return lists


def within(lengths: Sequence[int], token_budget: int) -> list[Part]:
    """Rows by length, shortest first, in parts of at most `token_budget` padded tokens (or one row)."""
    split: list[Part] = []
    for index in sorted(range(len(lengths)), key=lambda row: lengths[row]):
        if not split or lengths[index] * (len(split[-1]) + 1) > token_budget:
            split.append([])
        split[-1].append(index)
    return split


def padding_waste(steps: Sequence[Step], rows: Sequence[Row]) -> float | None:
    """Share of the tensors' places that hold padding; None over no step."""
    lengths = [[rows[i].n_tokens for i in part] for step in steps for part in step]
    places = sum(max(part) * len(part) for part in lengths)
    return 1 - sum(map(sum, lengths)) / places if places else None


# ---- the loop ----------------------------------------------------------------------------------------------
CLIP = 1.0  # largest norm of a step's gradient


class Task(NamedTuple):
    """What a network learns. `loss`: the sum of the losses over the targets of some rows, a scalar tensor; a
    step divides it by the number of its targets. `eval_metric`: how good the network is by now, larger is
    better, None where nothing was held out. `facts`: what is reported of the trained network.
    """

    rows: Sequence[Any]  # each a Row
    loss: Callable[[Sequence[Any]], torch.Tensor]
    eval_metric: Callable[[], float | None]
    facts: Callable[[], dict]


class Trained(NamedTuple):
    """The outcome of training: `facts` are the same on every run, `run` is what this one cost."""

    facts: dict
    run: dict


class Best(NamedTuple):
    """The best evaluation so far: its metric, its weights, and how many evaluations ago it was."""

    metric: float = -math.inf
    weights: Weights | None = None
    age: int = 0


def train(network: Trainable, task: Task, backbone: Backbone, *, seed: int, folder: Path) -> Trained:
    """Train a network on a task; `folder` holds its checkpoint. Stops after `epochs` or `max_steps`, or when
    the metric, evaluated every `checkpoint_steps`, has not risen for `patience` evaluations; then the best
    weights are restored. Without rows nothing is done in 0 steps.
    """
    meter = Meter(task.rows)
    if backbone.weights != "tiny":
        network.checkpointing()
    with deterministic(seed, next(network.parameters()).device):
        state = State(network, backbone, n_steps(task.rows, backbone, seed))
        resumed_from = state.load(folder)
        for step in planned(task.rows, backbone, seed, first=state.done, last=state.n_steps):
            if state.is_stale(backbone.patience):
                break
            meter.add(learn(state, task, step), step)
            if state.done % backbone.checkpoint_steps == 0 and state.done < state.n_steps:
                state.evaluate(task, backbone)
                state.save(folder)
        if state.best.weights is not None:
            if not state.is_stale(backbone.patience):
                # the last weights, where there are others to compare them with
                state.evaluate(task, backbone)
            network.load_trainable(state.best.weights)
        facts = {"steps": state.done, "n_parameters": network.n_parameters, **task.facts()}
    return Trained(facts, meter.facts(network, resumed_from=resumed_from))


def n_steps(rows: Sequence[Row], backbone: Backbone, seed: int) -> int:
    """Steps of the whole run: `epochs` (a part of one too), at most `max_steps`."""
    n_planned = math.ceil(len(steps_of(rows, backbone, seed, 0)) * backbone.epochs)
    return min(n_planned, backbone.max_steps or n_planned)


def planned(rows: Sequence[Row], backbone: Backbone, seed: int, *, first: int, last: int) -> Iterator[Step]:
    """The steps from number `first` up to `last`, epoch after epoch."""
    number = epoch = 0
    while number < last:
        for step in steps_of(rows, backbone, seed, epoch):
            if first <= number < last:
                yield step
            number += 1
        epoch += 1


class State:
    """What a run must not lose: weights, optimiser, schedule, draws, and the number of steps done."""

    def __init__(self, network: Trainable, backbone: Backbone, n_steps: int):
        self.network, self.n_steps, self.done, self.best = network, n_steps, 0, Best()
        self.device = next(network.parameters()).device
        weights = network.trainable()
        matrices = [weight for weight in weights if weight.ndim > 1]
        vectors = [weight for weight in weights if weight.ndim < 2]  # norms and biases do not decay
        decays = [{"params": matrices, "weight_decay": backbone.weight_decay}]
        self.optimiser = torch.optim.AdamW(
            [*decays, {"params": vectors, "weight_decay": 0.0}], lr=backbone.learning_rate, fused=True
        )
        self.schedule = torch.optim.lr_scheduler.LambdaLR(
            self.optimiser, lambda step: pace(step, n_steps, backbone.warm_up)
        )

    def evaluate(self, task: Task, backbone: Backbone) -> None:
        """Keep the weights if their metric is the best; without `patience` nothing is evaluated."""
        metric = task.eval_metric() if backbone.patience else None
        if metric is None:
            return
        if metric > self.best.metric:
            self.best = Best(metric, self.network.trainable_state())
        else:
            self.best = self.best._replace(age=self.best.age + 1)

    def is_stale(self, patience: int | None) -> bool:
        """Return whether the metric has not risen for `patience` evaluations."""
        return patience is not None and self.best.age >= patience

    def save(self, folder: Path) -> None:
        """Write the checkpoint beside the old one and replace it: a kill leaves one of the two, whole."""
        if processes.rank():
            return
        folder.mkdir(parents=True, exist_ok=True)
        checkpoint = {
            "done": self.done,
            "weights": self.network.trainable_state(),
            "optimiser": self.optimiser.state_dict(),
            "schedule": self.schedule.state_dict(),
            "draws": torch.get_rng_state(),
            "draws_gpu": torch.cuda.get_rng_state() if self.device.type == "cuda" else None,
            "best": self.best._asdict(),
        }
        aside = folder / f"{CHECKPOINT}.{os.getpid()}.tmp"
        torch.save(checkpoint, aside)
        os.replace(aside, folder / CHECKPOINT)

    def load(self, folder: Path) -> int:
        """Go on where a checkpoint stands; returns its number of steps, 0 without one."""
        if not (folder / CHECKPOINT).is_file():
            return 0
        checkpoint = torch.load(folder / CHECKPOINT, map_location="cpu", weights_only=True)
        self.network.load_trainable(checkpoint["weights"])
        self.optimiser.load_state_dict(checkpoint["optimiser"])
        self.schedule.load_state_dict(checkpoint["schedule"])
        torch.set_rng_state(checkpoint["draws"])
        if checkpoint["draws_gpu"] is not None and self.device.type == "cuda":
            torch.cuda.set_rng_state(checkpoint["draws_gpu"])
        self.done, self.best = checkpoint["done"], Best(**checkpoint["best"])
        return self.done


def pace(step: int, n_steps: int, warm_up: float) -> float:
    """Factor of the learning rate: linear warm-up over a share `warm_up` of steps, then half a cosine."""
    rise = max(1, math.ceil(warm_up * n_steps))
    if step < rise:
        return (step + 1) / rise
    return 0.5 * (1 + math.cos(math.pi * min(1.0, (step - rise) / max(1, n_steps - rise))))


def learn(state: State, task: Task, step: Step) -> float:
    """One step of the weights; returns its mean loss per target (of this process' share of the parts)."""
    network, rows, weights = state.network, task.rows, state.network.trainable()
    network.train()
    n_targets = sum(rows[i].n_targets for part in step for i in part)
    total = 0.0
    for part in step[processes.rank() :: processes.world()]:
        loss = task.loss([rows[i] for i in part]) / max(1, n_targets)
        loss.backward()
        total += float(loss.detach())
    for weight in weights:
        weight.grad = torch.zeros_like(weight) if weight.grad is None else weight.grad
    processes.add_up(weight.grad for weight in weights if weight.grad is not None)
    torch.nn.utils.clip_grad_norm_(weights, CLIP)
    state.optimiser.step()
    state.schedule.step()
    state.optimiser.zero_grad(set_to_none=True)
    state.done += 1
    return total


@contextlib.contextmanager
def deterministic(seed: int, device: torch.device) -> Iterator[None]:
    """Seeds and kernels that give the same numbers twice; on a GPU a kernel without such a form is used with
    a warning. Fresh memory is not filled with NaN, torch's aid for finding kernels that read unwritten
    memory: it costs as much as Adam.
    """
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    before = torch.are_deterministic_algorithms_enabled()
    was_warning = torch.is_deterministic_algorithms_warn_only_enabled()
    was_filled = torch.utils.deterministic.fill_uninitialized_memory
    torch.use_deterministic_algorithms(True, warn_only=device.type == "cuda")
    torch.utils.deterministic.fill_uninitialized_memory = False
    torch.manual_seed(seed)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before, warn_only=was_warning)
        torch.utils.deterministic.fill_uninitialized_memory = was_filled


class Meter:
    """Tokens, answers and losses of the steps of this process, and the clock since it began."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows, self.steps, self.losses = rows, list[Step](), list[float]()
        self.wall, self.cpu = time.perf_counter(), time.process_time()

    def add(self, loss: float, step: Step) -> None:
        """Note one step."""
        self.steps.append(step)
        self.losses.append(loss)

    def facts(self, network: Trainable, *, resumed_from: int) -> dict:
        """Device, versions and speed of the run, for `run.json` in the scratch folder; tokens per process."""
        wall, cpu = time.perf_counter() - self.wall, time.process_time() - self.cpu
        parts = [part for step in self.steps for part in step[processes.rank() :: processes.world()]]
        n_tokens = sum(self.rows[i].n_tokens for part in parts for i in part)
        waste = padding_waste(self.steps, self.rows)
        device = next(network.parameters()).device
        is_gpu = device.type == "cuda"
        return {
            "device": torch.cuda.get_device_name(device) if is_gpu else platform.machine(),
            "kind": device.type,
            "capability": torch.backends.cpu.get_cpu_capability(),
            "threads": torch.get_num_threads(),
            "processes": processes.world(),
            "versions": versions(),
            "resumed_from": resumed_from,
            "steps": len(self.losses),
            "loss_first": _mean(self.losses[:10]),
            "loss_last": _mean(self.losses[-10:]),
            "tokens": n_tokens,
            "wall_s": round(wall, 2),
            "cpu_s": round(cpu, 2),
            "tokens_per_s": round(n_tokens / wall, 1),
            "padding_waste": None if waste is None else round(waste, 4),
            "peak_memory": torch.cuda.max_memory_allocated(device) if is_gpu else None,
        }


def versions() -> dict[str, str]:
    """Return what decides the numbers besides code and data."""
    packages = {package.__name__: package.__version__ for package in (torch, tokenizers, transformers)}
    return {"python": platform.python_version()} | packages


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 5) if values else None
