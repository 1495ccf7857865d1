"""What scoring the answers to one reference together saves, beside scoring them one by one as LettuceDetect
and mFAVA's detectors do.

    python benchmarks/scoring.py [--write benchmarks/RESULTS.md]

Random weights (speed does not depend on them), one thread, process CPU time, the minimum of interleaved
rounds. `one by one, full` is the baseline: every answer behind its own copy of the reference, every token
seeing every other. `packed` runs the same weights under the mask `prefix`. The baseline of more
than 11 answers is the first 11, by the tokens that it reads: the others cost it the same. LettuceDetect is
measured with the same ModernBERT where it is installed. How cost grows is measured first, before anything
larger has run, so that the peak of memory is its own. `--write` puts the text between the markers `<!--
bench:scoring -->` and `<!-- /bench:scoring -->` of a file.
"""

import argparse
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import torch
from transformers import BertConfig, LlamaConfig, ModernBertConfig, PreTrainedConfig, logging

from truerate.config import Backbone
from truerate.detectors.tokens.backbones import TINY, body_from_nothing
from truerate.detectors.tokens.encode import tiny_coder
from truerate.detectors.tokens.groups import Answer, Group
from truerate.detectors.tokens.network import Network
from truerate.detectors.tokens.scoring import chosen_strategy, logits_of
from truerate.detectors.tokens.span_probabilities import BINARY
from truerate.results.markers import write_between

N_WORDS, ANSWER, SPREAD = 4000, 150, 40
REFERENCES, ANSWERS = (150, 600, 3500), (1, 5, 11, 55)
STREAMED, PER_REFERENCE = (
    (60, 20, 5),
    10,
)  # the check of growth: tokens of a reference, mean and spread of an answer; answers to each
SIZE = {"vocab_size": N_WORDS, "hidden_size": 256, "num_attention_heads": 4, "max_position_embeddings": 8192}
IDS = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "cls_token_id": 1, "sep_token_id": 2}
CONFIGS: dict[str, PreTrainedConfig] = {
    "Llama": LlamaConfig(num_hidden_layers=4, num_key_value_heads=4, intermediate_size=768, **SIZE),
    "BERT": BertConfig(num_hidden_layers=4, intermediate_size=1024, **SIZE),
    "ModernBERT": ModernBertConfig(num_hidden_layers=6, intermediate_size=512, **SIZE, **IDS),
}
SMALL = LlamaConfig(vocab_size=N_WORDS, pad_token_id=0, **TINY)
CODER = tiny_coder(["a reference and its answers"] * 2, 300)


def main() -> None:
    """Measure and print; with --write also into a file."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--write", help="file whose marked block is replaced")
    options.add_argument("--rounds", type=int, default=3, help="interleaved rounds per cell")
    options.add_argument(
        "--references", nargs="+", type=int, default=list(REFERENCES), help="lengths in tokens"
    )
    options.add_argument(
        "--answers", nargs="+", type=int, default=list(ANSWERS), help="answers per reference"
    )
    options.add_argument("--models", nargs="+", default=list(CONFIGS), choices=list(CONFIGS))
    options.add_argument(
        "--most",
        type=int,
        default=100_000,
        help="answers at the far end of the check that cost grows linearly",
    )
    given = options.parse_args()
    torch.set_num_threads(1)
    logging.set_verbosity_error()
    grown = growth(given.most)
    print(grown, file=sys.stderr, flush=True)
    text = "\n\n".join([speeds(given), beside_lettuce(given), grown])
    print(text)
    if given.write:
        write_between(Path(given.write), "bench:scoring", text)


# ---- what is scored ----------------------------------------------------------------------------------------
def network(config: PreTrainedConfig, mask: str) -> Network:
    """A network of random weights; the seed is the same for every mask."""
    settings = {
        "weights": "tiny",
        "mask": mask,
        "features": (),
        "max_tokens": 8192,
        "learning_rate": 1e-3,
        "weight_decay": 0,
    }
    backbone = Backbone.model_validate(
        settings | {"batch": 1, "accumulation": 1, "token_budget": 8192, "epochs": 1}
    )
    torch.manual_seed(0)
    return Network(body_from_nothing(config, backbone), backbone, BINARY, CODER).eval()


def group(
    n_reference: int, n_answers: int, *, mean: int = ANSWER, spread: int = SPREAD, seed: int = 0
) -> Group:
    """A reference of `n_reference` tokens and answers whose lengths are normal, within three deviations."""
    draws = np.random.default_rng(seed)
    lengths = np.clip(
        draws.normal(mean, spread, n_answers).round().astype(int), mean - 3 * spread, mean + 3 * spread
    )
    answers = []
    for place, length in enumerate(lengths):
        ids = draws.integers(300, N_WORDS, length, dtype=np.int32)
        unused = {
            "offsets": np.zeros((length, 2), np.int32),
            "labels": np.zeros(length, np.int64),
            "features": np.zeros((length, 0), np.int8),
        }
        answers.append(Answer(f"{seed}-{place}", ids, **unused))
    return Group(draws.integers(300, N_WORDS, n_reference, dtype=np.int32), tuple(answers))


def n_tokens(one: Group) -> int:
    """Tokens of all answers of a group."""
    return sum(len(answer.ids) for answer in one.answers)


def n_read(one: Group) -> int:
    """Tokens that are read one by one, K(R + A)."""
    return len(one.answers) * len(one.reference_ids) + n_tokens(one)


def token_ratio(one: Group) -> float:
    """Tokens read one by one over tokens read together: K(R + A) / (R + KA), with the answers' own lengths."""
    return n_read(one) / one.n_tokens


def fastest(runs: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """CPU seconds of each run, the minimum over rounds in which all take their turn."""
    found: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            since = time.process_time()
            run()
            found[name].append(time.process_time() - since)
    return {name: min(spent) for name, spent in found.items()}


# ---- speed by strategy -------------------------------------------------------------------------------------
def speeds(given: argparse.Namespace) -> str:
    """The table of answer tokens per CPU second, and of what sharing gains over the baseline beside the token
    ratio.
    """
    lines = [
        "| model | reference | answers | one by one, full | `packed` | `auto` | token ratio | `auto`'s share of it |"
    ]
    lines.append("| --- " * 8 + "|")
    for name in given.models:
        full, prefix = network(CONFIGS[name], "full"), network(CONFIGS[name], "prefix")
        for n_reference in given.references:
            for n_answers in given.answers:
                lines.append(line(name, full, prefix, group(n_reference, n_answers), given.rounds))
                print(lines[-1], file=sys.stderr, flush=True)
    sizes = ", ".join(
        f"{name} {network(CONFIGS[name], 'full').n_parameters / 1e6:.1f}M" for name in given.models
    )
    note = "Answer tokens per CPU second, in brackets the gain over the baseline; `auto` is what is used unless params.yaml says otherwise."
    near = (
        "The baseline too computes sliding layers within their reach alone; transformers computes them whole."
    )
    lines += ["", f"{note} Random weights: {sizes}. Answers of {ANSWER} ± {SPREAD} tokens. {near}"]
    return "\n".join(lines)


def line(name: str, full: Network, prefix: Network, one: Group, rounds: int) -> str:
    """One line of the table: a model, a reference length, a number of answers."""
    auto = chosen_strategy(prefix, len(one.answers))
    runs = {"full": lambda: list(logits_of(full, [first(one, 11)], "one_by_one"))}
    for strategy in dict.fromkeys(["packed", auto]):
        runs[strategy] = lambda strategy=strategy: list(logits_of(prefix, [one], strategy))
    spent = fastest(runs, rounds)
    spent["full"] *= n_read(one) / n_read(first(one, 11))
    rates = {run: n_tokens(one) / seconds for run, seconds in spent.items()}
    gains = {run: rate / rates["full"] for run, rate in rates.items()}
    shown = [
        f"{rates['packed']:,.0f} ({gains['packed']:.2f}x)",
        f"`{auto}` ({gains[auto]:.2f}x)",
        f"{token_ratio(one):.2f}",
        f"{gains[auto] / token_ratio(one):.2f}",
    ]
    return (
        f"| {name} | {len(one.reference_ids):,} | {len(one.answers)} | {rates['full']:,.0f} | "
        + " | ".join(shown)
        + " |"
    )


def first(one: Group, n: int) -> Group:
    """A group with its first answers alone."""
    return Group(one.reference_ids, one.answers[:n])


def beside_lettuce(given: argparse.Namespace) -> str:
    """The same ModernBERT through LettuceDetect's own loop, where it is installed."""
    if find_spec("lettucedetect") is None:
        return "LettuceDetect is not installed here; `pip install lettucedetect` in an environment of its own adds its row."
    from lettucedetect.models.inference import HallucinationDetector
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import ModernBertForTokenClassification, PreTrainedTokenizerFast

    words = {"[PAD]": 0, "[CLS]": 1, "[SEP]": 2, "[UNK]": 3} | {
        f"w{place}": place for place in range(4, N_WORDS)
    }
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, cls_token="[CLS]", sep_token="[SEP]", pad_token="[PAD]", unk_token="[UNK]"
    )
    prefix = network(CONFIGS["ModernBERT"], "prefix")
    lines = ["| reference | answers | LettuceDetect | `auto` | gain | tokenizing |", "| --- " * 6 + "|"]
    with tempfile.TemporaryDirectory() as folder:
        theirs = ModernBertForTokenClassification(CONFIGS["ModernBERT"])
        theirs.model.load_state_dict(prefix.body.state_dict())
        theirs.save_pretrained(folder)
        fast.save_pretrained(folder)
        detector = HallucinationDetector(method="transformer", model_path=folder, max_length=8192)
        for n_reference, n_answers in [(600, n_answers) for n_answers in given.answers]:
            one = group(n_reference, n_answers)
            context = " ".join(f"w{token}" for token in one.reference_ids)
            texts = [" ".join(f"w{token}" for token in answer.ids) for answer in one.answers]
            runs = {
                "theirs": lambda context=context, texts=texts: [
                    detector.predict(context=[context], answer=text, output_format="tokens") for text in texts
                ],
                "ours": lambda one=one: list(logits_of(prefix, [one])),
            }
            spent, tokens = fastest(runs, given.rounds), n_tokens(one)
            since = time.process_time()
            fast([context] * n_answers, texts)
            share = (time.process_time() - since) / spent["theirs"]
            rates = [f"{tokens / spent[name]:,.0f}" for name in runs]
            lines.append(
                f"| {n_reference} | {n_answers} | {rates[0]} | {rates[1]} | {spent['theirs'] / spent['ours']:.2f}x | {share:.1%} |"
            )
    note = "The same ModernBERT weights, answer tokens per CPU second. Ours begins with tokens; tokenizing is that share of their time."
    return "\n".join([*lines, "", note])


# ---- growth ------------------------------------------------------------------------------------------------
def growth(most: int) -> str:
    """How cost grows from a hundredth of the answers to all of them: the exponent, and the peak of memory at
    both ends.
    """
    made = network(SMALL, "prefix")
    score_all(made, 100)
    counts = np.geomspace(most / 100, most, 5).round(-1).astype(int).tolist()
    spent, peaks = [], []
    for n in counts:
        since = time.process_time()
        score_all(made, n)
        spent.append(time.process_time() - since)
        peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    exponent = np.polyfit(np.log(counts), np.log(spent), 1)[0]
    n_reference, mean, spread = STREAMED
    return (
        f"CPU time grows from {counts[0]:,} to {counts[-1]:,} answers with exponent {exponent:.3f}: {spent[0]:.2f} to {spent[-1]:.1f} s."
        f" Peak memory: {peaks[0]:,.0f} to {peaks[-1]:,.0f} MB. The default's network of 4 layers; references of {n_reference} tokens with"
        f" {PER_REFERENCE} answers of {mean} ± {spread}, made and scored one after the other."
    )


def score_all(made: Network, n_answers: int) -> None:
    """Score answers that come reference by reference and are dropped again."""
    n_reference, mean, spread = STREAMED
    groups = (
        group(n_reference, PER_REFERENCE, mean=mean, spread=spread, seed=seed)
        for seed in range(n_answers // PER_REFERENCE)
    )
    for _ in logits_of(made, groups):
        pass


if __name__ == "__main__":
    main()
