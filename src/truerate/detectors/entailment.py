"""A verifier that asks a network, an NLI model or a token detector, whether the evidence entails a fact."""

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import polars as pl

from truerate.config import Entailer
from truerate.core.errors import TruerateError, listed
from truerate.core.keys import content_id
from truerate.core.pretrained import load_network, load_tokenizer, quiet
from truerate.core.text import words
from truerate.detectors.evidence import split
from truerate.detectors.fetched import identity_of
from truerate.detectors.interface import Texts, judgements, load_state, save_state
from truerate.metrics.ngrams import content_words
from truerate.metrics.tokens import word_offsets

ENTAILMENT = "entailment"
OTHERS = ({"neutral", "contradiction"}, {"not_entailment"})  # beside it: of three classes, of two
AROUND = 4  # tokens that a network puts before, between and behind the two texts, at most
Lengths = Callable[[Sequence[str]], list[int]]  # the tokens of each text
DIGITS = 4  # of p: what a batch's padding may change lies below


@dataclass(frozen=True)
class Entailment:
    """A network as a detector: p = 1 − the highest P(entailment) over the passages, hallucinated from .5."""

    name: str
    how: Entailer

    def fit(self, samples: pl.DataFrame, contexts: pl.DataFrame, seed: int) -> "Entailment":
        """This detector: there is nothing to learn, but what cannot be loaded is found out here."""
        network(self.how)
        return self

    def judge(self, samples: pl.DataFrame, contexts: pl.DataFrame) -> pl.DataFrame:
        """One Judgement per sample, in order; unparsed with reason `no-evidence` where it has no passage."""
        texts = Texts.of(samples, contexts, with_labels=False)
        asked = [
            (row, passage, text)
            for row, (text, knowledge) in enumerate(zip(texts.texts, texts.knowledge, strict=True))
            for passage in chosen(text, knowledge, self.how, network(self.how).lengths)
        ]
        best = np.full(len(texts), -1.0)
        if asked:
            entailed = network(self.how).entailed([pair for _, *pair in asked])
            np.maximum.at(best, [row for row, *_ in asked], entailed)
        p = [round(1 - entailed, DIGITS) if entailed >= 0 else None for entailed in best.tolist()]
        return judgements(
            self.name,
            content_id(self.name, self.settings),
            texts.sample_ids,
            verdict=[None if share is None else share >= 0.5 for share in p],
            p=p,
            reason=["no-evidence" if share is None else None for share in p],
        )

    @property
    def settings(self) -> dict:
        """What decides its verdicts: how it is asked, and which weights, wherever they lie."""
        how = self.how.model_dump(mode="json", exclude={"weights", "revision", "batch"})
        return how | {"identity": network(self.how).identity}

    def save(self, folder: Path) -> None:
        """Write `<name>.json`: its settings."""
        save_state(self.name, folder, settings=self.settings)

    def load(self, folder: Path) -> "Entailment":
        """Return this detector; TruerateError where the file names other settings or weights."""
        if load_state(self.name, folder, "settings") != self.settings:
            path = str(Path(folder) / f"{self.name}.json")
            raise TruerateError(
                f"detector {self.name!r}: {path!r} was written for other settings or weights; run `dvc "
                "repro train`"
            )
        return self


def chosen(text: str, knowledge: str, how: Entailer, lengths: Lengths) -> list[str]:
    """The `n_passages` passages that hold most of the text's content words, those first that hold more; ties
    in their order. A passage that does not fit beside the text into `max_tokens` is read in pieces. `lengths`
    counts the network's tokens.
    """
    room = max(how.max_tokens - AROUND - sum(lengths([text])), how.max_tokens // 2, 1)
    wanted = set(content_words(words(text)))
    fitted = fitting(split(knowledge), room, lengths)
    shared = [len(wanted & set(content_words(words(piece)))) for piece in fitted]
    order = sorted(range(len(fitted)), key=lambda index: -shared[index])[: how.n_passages]
    return [fitted[index] for index in order]


def fitting(passages: Sequence[str], room: int, lengths: Lengths) -> list[str]:
    """Passages in their order, those of more than `room` tokens cut between words into pieces."""
    pieces_that_fit = []
    for passage, n in zip(passages, lengths(passages) if passages else (), strict=True):
        n_words = len(word_offsets(passage)) if n > room else 1
        if n_words > 1:
            size = math.ceil(n_words / math.ceil(n / room))
            pieces_that_fit += fitting(pieces(passage, size), room, lengths)
        else:
            pieces_that_fit.append(passage)
    return pieces_that_fit


def pieces(passage: str, n: int) -> list[str]:
    """A passage cut after every `n` words (a character of a script without spaces is one)."""
    starts = [start for start, _ in word_offsets(passage)][::n][1:]
    borders = [0, *starts, len(passage)]
    return [passage[start:end].strip() for start, end in zip(borders, borders[1:], strict=False)]


@lru_cache(maxsize=1)
def network(how: Entailer) -> "Network | Marker":
    """The network of some settings, loaded once. Raises TruerateError where it cannot be loaded or asked."""
    return Marker(how) if is_marking(how) else Network(how)


class Network:
    """Tokenizer and weights of a classifier of text pairs; `identity` names the weights, not their folder."""

    def __init__(self, how: Entailer):
        from transformers import AutoModelForSequenceClassification

        from truerate.detectors.tokens.backbones import window_of
        from truerate.detectors.training.processes import device

        try:
            self.tokenizer = load_tokenizer(how.weights, revision=how.revision)
            self.model = load_network(AutoModelForSequenceClassification, how.weights, revision=how.revision)
        except ValueError as error:
            hint = (
                "name a Hub id or a folder with config.json, tokenizer.json and *.safetensors of a classifier"
            )
            raise TruerateError(f"entailment network {how.weights!r}: {error}; {hint}") from None
        window = window_of(self.model.config)
        if window and window < how.max_tokens:
            raise TruerateError(
                f"entailment network {how.weights!r} sees {window} tokens; lower its max_tokens, "
                f"{how.max_tokens}"
            )
        self.how, self.entailment_index = how, entailment_of(self.model.config.id2label, how.weights)
        self.model = self.model.eval().to(device())
        self.identity = identity_of(how.weights, how.revision)

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """The tokens of each text, those around it left out."""
        with quiet():  # a text beyond the window is no mistake here
            return [len(ids) for ids in self.tokenizer(list(texts), add_special_tokens=False)["input_ids"]]

    def entailed(self, pairs: Sequence[Sequence[str]]) -> np.ndarray:
        """P(entailment) of each (passage, fact), (pairs,), in batches of similar length, cut if too long."""
        import torch

        probabilities = np.zeros(len(pairs))
        order = sorted(range(len(pairs)), key=lambda i: -sum(map(len, pairs[i])))
        for start in range(0, len(order), self.how.batch):
            batch = order[start : start + self.how.batch]
            inputs = self.tokenizer(
                [pairs[i][0] for i in batch],
                [pairs[i][1] for i in batch],
                padding=True,
                truncation="longest_first",
                max_length=self.how.max_tokens,
                return_tensors="pt",
            )
            with torch.inference_mode():
                logits = self.model(**inputs.to(self.model.device)).logits
            probabilities[batch] = logits.float().softmax(dim=-1)[:, self.entailment_index].cpu().numpy()
        return probabilities


def entailment_of(id2label: dict[int, str], weights: str) -> int:
    """The index of the class `entailment`. Raises TruerateError where the config names other classes."""
    labels = {name.lower().replace("-", "_").replace(" ", "_"): index for index, name in id2label.items()}
    if ENTAILMENT not in labels or set(labels) - {ENTAILMENT} not in OTHERS:
        allowed = "entailment, neutral, contradiction (or entailment, not_entailment)"
        raise TruerateError(
            f"entailment network {weights!r}: its config names the classes {listed(id2label.values())}; "
            f"needed: {allowed}"
        )
    return int(labels[ENTAILMENT])


# ---- a token detector as a network of inference -----------------------------------------------------------
def is_marking(how: Entailer) -> bool:
    """Return whether the weights are a token detector's, as trained or as published."""
    from transformers import AutoConfig

    from truerate.detectors.tokens.pretrained import NETWORK, DetectorConfig

    if Path(how.weights).is_dir():
        return (Path(how.weights) / NETWORK).is_file()
    try:
        config = AutoConfig.from_pretrained(how.weights, revision=how.revision, trust_remote_code=False)
        return isinstance(config, DetectorConfig)
    except (OSError, ValueError, KeyError):
        return False  # whoever loads it as a network of inference says what is wrong with it


class Marker:
    """A token detector asked as an NLI model is; `identity` names the weights, not their folder."""

    def __init__(self, how: Entailer):
        from truerate.detectors.tokens.pretrained import TokenDetector
        from truerate.detectors.training.processes import device

        where = {"revision": how.revision, "device": str(device())}
        self.detector = TokenDetector.from_pretrained(how.weights, **where)
        window = self.detector.network.backbone.max_tokens
        if window < how.max_tokens:
            raise TruerateError(
                f"entailment by {how.weights!r}, which sees {window} tokens; lower its max_tokens, "
                f"{how.max_tokens}"
            )
        self.identity = identity_of(how.weights, how.revision)

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """The tokens of each text, those around it left out."""
        return [len(ids) for ids, _ in self.detector.network.coder.encode(texts)]

    def entailed(self, pairs: Sequence[Sequence[str]]) -> np.ndarray:
        """1 − the largest p among the fact's tokens, of each (passage, fact), shape (pairs,), in [0, 1]; 1
        for a fact without a token. The facts that are asked of one passage share its computation where the
        detector's mask allows it.
        """
        probabilities, asked = np.ones(len(pairs)), defaultdict(list)
        for index, (passage, _) in enumerate(pairs):
            asked[passage].append(index)
        for passage, places in asked.items():
            logits = self.detector.logits([pairs[index][1] for index in places], passage)
            for index, row in zip(places, logits, strict=True):
                probabilities[index] = row.softmax(dim=-1)[:, 0].min().item() if len(row) else 1.0
        return probabilities
