"""What large backbones cost on a GPU: training and scoring against the rate of its matrix products, and what
scoring together saves.

    python benchmarks/gpu.py --write benchmarks/RESULTS.md        # on a machine with a GPU: about 20 minutes on an H200
    python benchmarks/gpu.py --judges                 # published judges of 8 billion parameters, in bf16 and in 4 bits
    python benchmarks/gpu.py --small                  # the same code on tiny shapes, on a CPU too: to see that it works, not how fast

Random weights (speed does not depend on them) of Llama-3-8B's and ModernBERT-base's shape. They are written
in bf16 to a temporary folder, 16 GB in $TMPDIR, and read from there as any backbone is, through the code that
trains and scores detectors: what is measured is what a stage runs. Training has the paper's settings:
references of 600 ± 150 tokens, answers of 150 ± 40, LoRA of rank 32 on all linear layers, 64 answers a step.
Under mask full an answer stands behind its own copy of the reference; under prefix four share one.

MFU in training: 6 operations per token for a weight that learns, 4 for a frozen one,
none for embeddings, over the seconds after warm-up times the measured matrix rate. What gradient
checkpointing computes twice is not counted, nor are attention's own products. In scoring it is 2 operations
per weight and token read, over the same. The token ratio is K(R + A) / (R + KA): tokens read one by one over
tokens read together. Rates are of wall time. A cell that the memory does not hold says so. Two processes are
measured where there are two GPUs, 4 bits where bitsandbytes is installed. `--write` puts the text between the
markers `<!-- bench:gpu -->` and `<!-- /bench:gpu -->` of a file. Without a GPU it says so and exits with 2.
"""

import argparse
import gc
import json
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
import torch
from gpu_judges import HEAD, judging_lines
from scoring import CODER, CONFIGS, group, n_tokens, token_ratio
from transformers import AutoModel, LlamaConfig, ModernBertConfig, PreTrainedConfig, logging

from truerate.config import Backbone
from truerate.detectors.tokens.groups import Group
from truerate.detectors.tokens.network import Network, build
from truerate.detectors.tokens.scoring import STRATEGIES, chosen_strategy, logits_of
from truerate.detectors.tokens.span_probabilities import BINARY
from truerate.detectors.tokens.train import token_task, training_rows
from truerate.detectors.training import processes
from truerate.detectors.training.engine import Meter, State, deterministic, learn, steps_of, versions
from truerate.detectors.training.trainable import Trainable
from truerate.results.markers import write_between

Found = TypeVar("Found")
SIZES = {
    "vocab_size": 128_256,
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
}
SETTINGS = {
    "max_tokens": 4096,
    "learning_rate": 1e-4,
    "weight_decay": 0.01,
    "batch": 8,
    "token_budget": 32768,
    "epochs": 2,
}
LORA = {"lora": {"r": 32, "alpha": 32, "dropout": 0.05}}
KINDS = {"LoRA": LORA, "4-bit LoRA": LORA | {"quantise": "4bit"}, "whole": {}}
SHARING = {"full": 1, "prefix": 4}  # answers to a reference that is learned from
WARM_UP = 2  # steps
FULL = "out of memory"


NOTE = (
    "Scoring: answer tokens per second of wall time; in brackets the gain over one by one under mask full, and peak memory. `auto` is"
    " what is used unless params.yaml says otherwise. Difference: the largest of a logit from that of one by one, all under mask prefix"
    " with the same weights, over the largest logit; in brackets what the weights are kept in."
)


class Plan(NamedTuple):
    """What is measured: shapes with the ways they are trained, lengths in tokens, answers per reference,
    steps, rounds.
    """

    shapes: dict[str, tuple[PreTrainedConfig, tuple[str, ...]]]
    references: tuple[int, ...] = (600, 3500)
    answers: tuple[int, ...] = (1, 11, 55)
    taught: int = 600  # mean tokens of a reference in training
    accumulation: int = 8
    steps: int = 10  # behind WARM_UP
    rounds: int = 3
    flags: tuple[str, ...] = ()


LLAMA_8B = LlamaConfig(**SIZES, intermediate_size=14336, max_position_embeddings=8192)
WHOLE = Plan(
    {
        "Llama 8B": (LLAMA_8B, ("LoRA", "4-bit LoRA")),
        "ModernBERT 150M": (ModernBertConfig(), ("LoRA", "whole")),
    }
)
SMALL = Plan(
    {
        "tiny Llama": (CONFIGS["Llama"], ("LoRA", "4-bit LoRA")),
        "tiny ModernBERT": (CONFIGS["ModernBERT"], ("LoRA", "whole")),
    },
    **{
        "references": (60, 300),
        "answers": (1, 4),
        "taught": 60,
        "accumulation": 1,
        "steps": 1,
        "rounds": 1,
        "flags": ("--small",),
    },
)


def main() -> int:
    """Measure and print; with --write also into a file. Returns the exit code, 2 without a GPU."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--write", help="file whose marked block is replaced")
    options.add_argument("--small", action="store_true", help="tiny shapes, on a CPU where there is no GPU")
    options.add_argument("--only", choices=("Llama", "ModernBERT"), help="one of the shapes")
    options.add_argument(
        "--process", type=Path, help=argparse.SUPPRESS
    )  # what the launcher of two processes starts
    options.add_argument("--judges", action="store_true", help="published judges that write, alone")
    given = options.parse_args()
    if given.small and given.write:
        options.error("--small shows that the benchmark runs; its numbers are not for --write")
    if not given.small and not torch.cuda.is_available():
        print(
            "no GPU here: run this where torch.cuda.is_available(), or try its code with --small",
            file=sys.stderr,
        )
        return 2
    if not torch.cuda.is_available():
        torch.set_num_threads(1)
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    plan = SMALL if given.small else WHOLE
    if given.process:
        return one_of_two(given.process, plan)
    if given.judges:
        shape = next(config for name, (config, _) in plan.shapes.items() if "Llama" in name)
        print("\n".join([*table(HEAD), *told(judging_lines(shape, 2 if given.small else 32, unless_full))]))
        return 0
    plan = plan._replace(
        shapes={name: how for name, how in plan.shapes.items() if not given.only or given.only in name}
    )
    text = measured(plan)
    print(text)
    if given.write:
        write_between(Path(given.write), "bench:gpu", text)
    return 0


def measured(plan: Plan) -> str:
    """Device and versions, then the tables of training, scoring and differences."""
    device = torch.device(processes.device())
    ways = "one by one, full | one by one | `packed` | `auto` | token ratio | `auto`'s share of it | MFU | difference"
    training = table(
        "| backbone | trained | mask | answers per reference | tokens/s | answers/s | padding | MFU | peak memory |"
    )
    scoring = table(f"| backbone | reference | answers | {ways} |")
    for name, (config, kinds) in plan.shapes.items():
        with tempfile.TemporaryDirectory() as folder:
            write_weights(Path(folder), config, device)
            training += told(training_lines(name, kinds, Path(folder), plan))
            for kind in kinds:
                if "quantise" not in KINDS[kind]:
                    scoring += told(
                        scoring_lines(f"{name}, {kind}", settings(Path(folder), kind, "prefix", plan), plan)
                    )
    return "\n\n".join([where(device), "\n".join(training), "\n".join(scoring), NOTE])


def table(head: str) -> list[str]:
    """The first two lines of a table."""
    return [head, "| --- " * (head.count("|") - 1) + "|"]


def told(lines: Iterable[str]) -> Iterator[str]:
    """The same lines, each shown as soon as it is there."""
    for line in lines:
        print(line, file=sys.stderr, flush=True)
        yield line


def where(device: torch.device) -> str:
    """Device, its matrix rate and the versions that decide the numbers."""
    name = (
        torch.cuda.get_device_name(device)
        if device.type == "cuda"
        else f"{platform.machine()} CPU, tiny shapes"
    )
    found = versions() | {
        package: version(package) for package in ("peft", "accelerate", "bitsandbytes") if find_spec(package)
    }
    found |= {"CUDA": torch.version.cuda} if device.type == "cuda" else {}
    listed = ", ".join(f"{package} {number}" for package, number in found.items())
    return f"{name}; measured matrix rate {matrix_rate(device) / 1e12:,.3g} TFLOP/s; {listed}."


# ---- backbones and memory ----------------------------------------------------------------------------------
def write_weights(folder: Path, config: PreTrainedConfig, device: torch.device) -> None:
    """Random weights in bf16, made on the device, as a folder that a backbone is read from."""
    torch.manual_seed(0)
    with device:
        body = AutoModel.from_config(config, dtype=torch.bfloat16, trust_remote_code=False)
    body.save_pretrained(folder, max_shard_size="2GB")


def settings(folder: Path, kind: str, mask: str, plan: Plan) -> Backbone:
    """The settings of a backbone in a folder, trained in one of KINDS."""
    own = {"weights": str(folder), "mask": mask, "accumulation": plan.accumulation}
    return Backbone.model_validate(SETTINGS | KINDS[kind] | own)


def made(how: Backbone) -> Network:
    """A network on the device."""
    return build(how, BINARY, CODER, 0, device=processes.device())


def unless_full(cell: Callable[..., Found], *given: object) -> Found | None:
    """What a cell gives, None where the GPU has no memory for it. Begins with what nothing holds any more
    given back, peaks at zero.
    """
    if torch.cuda.is_available():
        gc.collect()
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    try:
        return cell(*given)
    except torch.OutOfMemoryError:
        return None


def gigabytes(count: int | None) -> str:
    """Bytes in words; – for None."""
    return "–" if count is None else f"{count / 1e9:.1f} GB"


def settle() -> None:
    """Go on when the GPU has done all it was given."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()


# ---- how much of the machine is used ------------------------------------------------------------------------
def flops_per_token(network: Trainable) -> int:
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
    for _ in range(5):
        if is_gpu:
            torch.cuda.synchronize(device)
        began = time.perf_counter()
        left @ left
        if is_gpu:
            torch.cuda.synchronize(device)
        best = max(best, 2 * size**3 / (time.perf_counter() - began))
    return best


# ---- training ----------------------------------------------------------------------------------------------
def training_lines(name: str, kinds: tuple[str, ...], folder: Path, plan: Plan) -> Iterator[str]:
    """A line for each way of training and mask, and one of two processes for LoRA."""
    for kind in kinds:
        is_quantised = "quantise" in KINDS[kind]
        for mask in ("full",) if is_quantised else SHARING:
            is_ready = not is_quantised or (torch.cuda.is_available() and find_spec("bitsandbytes"))
            facts = (
                unless_full(train, folder, kind, mask, plan) if is_ready else "needs a GPU and bitsandbytes"
            )
            yield training_line(name, kind, mask, facts)
    yield training_line(name, "LoRA, each of two processes", "full", in_two(folder, plan))


def training_line(name: str, kind: str, mask: str, facts: dict | str | None) -> str:
    """One line of the table: the facts of a run, or why there are none."""
    begin = f"| {name} | {kind} | {mask} | {SHARING[mask]} |"
    if not isinstance(facts, dict):
        return f"{begin} {facts or FULL} | – | – | – | – |"
    shown = [
        f"{facts['tokens_per_s']:,.0f}",
        f"{facts['answers'] / facts['wall_s']:.1f}",
        f"{facts['padding_waste']:.1%}",
    ]
    return f"{begin} {' | '.join(shown)} | {facts['mfu']:.1%} | {gigabytes(facts['peak_memory'])} |"


def train(folder: Path, kind: str, mask: str, plan: Plan) -> dict:
    """The facts of a run without its first steps."""
    how, n = settings(folder, kind, mask, plan), WARM_UP + plan.steps
    network = made(how)
    network.checkpointing()
    known = training_rows(list(lessons(n * how.batch * how.accumulation, SHARING[mask], plan)), how)
    steps = steps_of(known, how, 0, 0)[:n]
    with deterministic(0, network.device):
        state, task = State(network, how, n), token_task(network, known, [], how)
        for step in steps[:WARM_UP]:
            learn(state, task, step)
        settle()
        meter = Meter(known)
        for step in steps[WARM_UP:]:
            meter.add(learn(state, task, step), step)
        settle()
        facts = meter.facts(network, resumed_from=0)
    operations = flops_per_token(network) * facts["tokens"]
    return facts | {"mfu": round(operations / (facts["wall_s"] * matrix_rate(network.device)), 4)}


def lessons(n_answers: int, k: int, plan: Plan) -> Iterator[Group]:
    """Groups of `k` answers; the lengths of references are normal, a quarter of their mean wide, within three
    deviations.
    """
    lengths = np.random.default_rng(0).normal(plan.taught, plan.taught / 4, -(-n_answers // k))
    for seed, length in enumerate(lengths.clip(plan.taught / 4, plan.taught * 7 / 4).round().astype(int)):
        yield group(int(length), k, seed=seed)


def in_two(folder: Path, plan: Plan) -> dict | str:
    """The facts of the first of two processes, each on its GPU (NCCL) or on this CPU (gloo); or why there are
    none.
    """
    if torch.cuda.is_available() and torch.cuda.device_count() < 2:
        return "needs two GPUs"
    launcher = ["torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    if torch.cuda.is_available():
        launcher = [
            "accelerate.commands.launch",
            "--multi_gpu",
            "--num_processes",
            "2",
            "--num_machines",
            "1",
        ]
        launcher += ["--main_process_port", "0", "--mixed_precision", "no", "--dynamo_backend", "no"]
    unless_full(settle)
    done = subprocess.run(
        [sys.executable, "-m", *launcher, __file__, "--process", str(folder), *plan.flags], stdout=sys.stderr
    )
    return (
        json.loads((folder / "run.json").read_text("utf-8"))
        if done.returncode == 0
        else f"exit code {done.returncode}"
    )


def one_of_two(folder: Path, plan: Plan) -> int:
    """Train as one of the processes that a launcher started; the first writes its facts."""
    processes.join()
    facts = train(folder, "LoRA", "full", plan)
    processes.wait()
    if processes.rank() == 0:
        (folder / "run.json").write_text(json.dumps(facts), "utf-8")
    torch.distributed.destroy_process_group()
    return 0


# ---- scoring -----------------------------------------------------------------------------------------------
class Timed(NamedTuple):
    """The least wall seconds of scoring a group, the bytes held at most, and the logits (tokens, labels) of
    all its answers.
    """

    seconds: float
    peak: int | None
    logits: torch.Tensor


def scoring_lines(name: str, how: Backbone, plan: Plan) -> Iterator[str]:
    """A line for each length of reference and number of answers."""
    network = unless_full(made, how)
    if network is None:
        yield f"| {name} | {FULL} |" + " – |" * 10
        return
    network.requires_grad_(False)
    full = (
        Network(network.body, how.model_copy(update={"mask": "full"}), BINARY, CODER)
        .to(network.device)
        .eval()
    )
    rate = matrix_rate(network.device)
    flops = (
        flops_per_token(network) / 2
    )  # a frozen weight counts 4, forward and backward: scoring is the first half of that
    runs = {"full": (full, "one_by_one")} | {way: (network, way) for way in STRATEGIES}
    for n_reference in plan.references:
        for n_answers in plan.answers:
            one, auto = group(n_reference, n_answers), chosen_strategy(network, n_answers)
            found = {run: unless_full(timed, *given, one, plan.rounds) for run, given in runs.items()}
            mfu = f"{flops * one.n_tokens / (found[auto].seconds * rate):.1%}" if found[auto] else "–"
            kept = str(network.body.dtype).removeprefix("torch.")
            yield f"| {name} | {n_reference:,} | {n_answers} | {cells(found, auto, one)} | {mfu} | {difference(found)} ({kept}) |"


def timed(network: Network, strategy: str, one: Group, rounds: int) -> Timed:
    """Score a group some times; the logits come from a first, untimed time."""
    spent, logits = [], torch.cat([logits for _, logits in logits_of(network, [one], strategy)])
    for _ in range(rounds):
        since = time.perf_counter()
        list(logits_of(network, [one], strategy))
        spent.append(time.perf_counter() - since)
    return Timed(min(spent), torch.cuda.max_memory_allocated() if torch.cuda.is_available() else None, logits)


def cells(found: dict[str, Timed | None], auto: str, one: Group) -> str:
    """The cells of every run, then what `auto` is, the token ratio and how much of it `auto` gains."""
    gains = {run: found["full"].seconds / was.seconds for run, was in found.items() if was and found["full"]}

    def cell(run: str) -> str:
        if found.get(run) is None:
            return FULL if run in found else "–"
        beside = ([f"{gains[run]:.2f}x"] if gains else []) + (
            [gigabytes(found[run].peak)] if found[run].peak else []
        )
        return f"{n_tokens(one) / found[run].seconds:,.0f}" + (f" ({', '.join(beside)})" if beside else "")

    share = f"{gains[auto] / token_ratio(one):.2f}" if auto in gains else "–"
    return " | ".join([*map(cell, ("full", *STRATEGIES)), f"`{auto}`", f"{token_ratio(one):.2f}", share])


def difference(found: dict[str, Timed | None]) -> str:
    """The largest difference of a strategy's logits from those of one by one, over the largest of these; –
    where there are none.
    """
    base = found["one_by_one"]
    others = [found["packed"].logits] if base and found.get("packed") else []
    return (
        f"{max((one - base.logits).abs().max() for one in others) / base.logits.abs().max():.1e}"
        if others
        else "–"
    )


if __name__ == "__main__":
    sys.exit(main())
