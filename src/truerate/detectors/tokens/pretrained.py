"""A trained token detector as one object, from a repository of the Hugging Face Hub or from a folder.

Published weights are those of a network with features, masks and a tokenizer of its own, which no class of
transformers builds. So they carry a type of their own: once this module is imported, `AutoModel` loads them
as `TokenDetector`; before that it refuses the type, where a type that it knows would have given it random
weights in silence.
"""

import json
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import torch
from safetensors.torch import load_file
from torch import nn
from transformers import AutoConfig, AutoModel, AutoModelForTokenClassification, PreTrainedConfig

from truerate.config import Backbone
from truerate.core.errors import TruerateError, listed
from truerate.core.schemas import SPANS
from truerate.core.spans.whole_words import whole_words
from truerate.detectors.fetched import CONFIG, check_sums, downloaded, one_line
from truerate.detectors.tokens.backbones import body_from_nothing
from truerate.detectors.tokens.cells import NETWORK as TRAINED
from truerate.detectors.tokens.encode import Coder
from truerate.detectors.tokens.groups import Answer, joined, stream_groups
from truerate.detectors.tokens.network import Network, restored
from truerate.detectors.tokens.predict import threshold_of
from truerate.detectors.tokens.scoring import answer_logits
from truerate.detectors.tokens.span_probabilities import MARKED, soft_spans
from truerate.detectors.training.trainable import SETTINGS as NETWORK
from truerate.detectors.training.trainable import WEIGHTS, Weights

FILES = (CONFIG, NETWORK, "coder.json", "tokenizer.json", WEIGHTS)  # of a repository; nothing else is read
_OF_HUB = {"cache_dir", "local_files_only", "force_download"}
_OF_AUTO = {"config", "_from_auto", "trust_remote_code", "adapter_kwargs"}  # what AutoModel hands on besides


class DetectorConfig(PreTrainedConfig):
    """The config.json of a published detector; `body` is None where adapters name a backbone."""

    model_type = "truerate-token-detector"
    body: dict | None = None


class TokenDetector(nn.Module):
    """A network with its tokenizer: what it says of answers, given their reference."""

    config_class = DetectorConfig

    def __init__(self, network: Network, threshold: float = MARKED):
        super().__init__()
        self.network, self.threshold = network, threshold
        self.eval()

    @classmethod
    def from_pretrained(
        cls,
        repo_or_folder: str | Path,
        *,
        revision: str | None = None,
        device: str = "cpu",
        token: str | bool | None = None,
        **download,
    ) -> "TokenDetector":
        """A detector from a folder, or from a Hub repository at a branch, tag or commit (default: main);
        safetensors only, no remote code.

        `token` is what huggingface_hub takes (default: the environment's), `download` its options
        `cache_dir`, `local_files_only` and `force_download`. What was loaded is held against the repository's
        checksums. Raises TruerateError, one line, where there is no such repository or revision, no detector
        in it, or one that is damaged.
        """
        options = {name: value for name, value in download.items() if name in _OF_HUB}
        if unknown := download.keys() - _OF_HUB - _OF_AUTO:
            raise TypeError(
                f"loading a detector: option {min(unknown)!r} is not known; allowed: {listed(_OF_HUB)}, "
                "revision, device, token"
            )
        folder = Path(repo_or_folder)
        if folder.is_dir() and revision is not None:
            raise TruerateError(
                f"loading detector {str(folder)!r}: a folder has no revision {revision!r}; leave it out"
            )
        if not folder.is_dir():
            folder = downloaded(str(repo_or_folder), revision, FILES, {"token": token, **options})
        return cls(*_network(folder, str(repo_or_folder), device))

    @property
    def labels(self) -> tuple[str, ...]:
        """Return what a token may be; the first says that it is not hallucinated."""
        return self.network.labels

    def forward(self, answers: Sequence[str], reference: str) -> list[torch.Tensor]:
        """The logits of each answer."""
        return self.logits(answers, reference)

    def logits(self, answers: Sequence[str], reference: str) -> list[torch.Tensor]:
        """Logits (tokens, labels) of each answer to one reference, on the CPU in full precision."""
        chunks = self._chunks(answers, reference)
        empty = torch.zeros((0, len(self.labels)))
        return [torch.cat([logits for _, logits in chunk]) if chunk else empty for chunk in chunks]

    def mark(self, answer: str, reference: str) -> list[dict]:
        """Soft spans {start, end, type, p} of an answer, in code points, in order and disjoint."""
        (chunks,) = self._chunks([answer], reference)
        scored = [(chunk, torch.softmax(logits, dim=-1).numpy()) for chunk, logits in chunks]
        return soft_spans(answer, joined(scored), self.labels) if scored else []

    def marked(self, answer: str, reference: str) -> list[dict]:
        """The spans above the `threshold` {start, end, type, p} in whole words, in order and disjoint."""
        spans = whole_words(answer, self.mark(answer, reference), self.threshold)
        return [span for span in spans if span["p"] > self.threshold]

    def _chunks(self, answers: Sequence[str], reference: str) -> list[list[tuple[Answer, torch.Tensor]]]:
        """The chunks of each answer in the order of its text, with their logits."""
        if isinstance(answers, str):
            raise TruerateError("scoring answers: one text was given; give a list of texts")
        names, network = [str(number) for number in range(len(answers))], self.network
        passages = pl.DataFrame(
            {"target_id": names, "text": list(answers)}, schema={"target_id": pl.String, "text": pl.String}
        ).with_columns(spans=pl.lit([], dtype=SPANS), reference=pl.lit(reference))
        parts: dict[str, list[tuple[Answer, torch.Tensor]]] = {name: [] for name in names}
        groups = stream_groups(passages, network.coder, network.backbone, self.labels)
        for answer, logits in answer_logits(network, groups, network.backbone):
            parts[answer.target_id].append((answer, logits))
        return [sorted(chunks, key=lambda chunk: chunk[0].chunk) for chunks in parts.values()]


# ---- reading -----------------------------------------------------------------------------------------------
def _network(folder: Path, name: str, device: str) -> tuple[Network, float]:
    """The network in a folder, as trained or as published, and from where on it marks (`_marks_above`)."""
    doing = f"loading detector {name!r}"
    if not (folder / NETWORK).is_file():
        raise TruerateError(
            f"{doing}: no token detector in it ({NETWORK} is missing); name another repository or folder"
        )
    try:
        check_sums(folder, FILES, doing)
        settings = json.loads((folder / NETWORK).read_text("utf-8"))
        backbone, state = Backbone.model_validate(settings["backbone"]), load_file(folder / WEIGHTS)
        config = None if backbone.lora else _config(folder, backbone, state)
        coder = Coder.load(folder)
        network = restored(backbone, settings["labels"], coder, state, config, device=device)
        return network, _marks_above(folder, settings)
    except TruerateError:
        raise
    except Exception as error:  # a config that somebody else wrote may fail anywhere in transformers
        raise TruerateError(f"{doing}: {one_line(error)}; it is damaged, download or copy it again") from None


def _marks_above(folder: Path, settings: dict) -> float:
    """The threshold that training chose, beside published settings or the trained folder; else one half."""
    if "threshold" in settings:
        return float(settings["threshold"])
    return threshold_of(folder.resolve().parent) if folder.resolve().name == TRAINED else MARKED


def _config(folder: Path, backbone: Backbone, state: Weights) -> PreTrainedConfig:
    """Return the shape of a body by config.json. Raises ValueError where the weights have another shape."""
    config = json.loads((folder / CONFIG).read_text("utf-8"))
    shape = config["body"] if config["model_type"] == DetectorConfig.model_type else config
    with torch.device("meta"):  # a config that is wrong may ask for more memory than there is
        body = body_from_nothing(AutoConfig.for_model(**shape), backbone)
    shapes = {f"body.{name}": parameter.shape for name, parameter in body.named_parameters()}
    if shapes != {name: value.shape for name, value in state.items() if name.startswith("body.")}:
        raise ValueError(f"{WEIGHTS} does not hold the body that config.json describes")
    return AutoConfig.for_model(**shape)


AutoConfig.register(DetectorConfig.model_type, DetectorConfig)
AutoModel.register(DetectorConfig, TokenDetector)
AutoModelForTokenClassification.register(DetectorConfig, TokenDetector)
