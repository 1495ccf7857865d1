"""A network that marks tokens: a body, a linear head, and embeddings of the match features at its input."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn
from transformers import PreTrainedConfig, PreTrainedModel

from truerate.config import Backbone
from truerate.core.errors import TruerateError
from truerate.detectors.tokens.backbones import (
    body_from_nothing,
    body_from_weights,
    positions_from,
    tiny_config,
)
from truerate.detectors.tokens.encode import Coder
from truerate.detectors.tokens.features import SIZES
from truerate.detectors.tokens.rows import PADDING, Batch, Blocks, attention
from truerate.detectors.training.trainable import Trainable, Weights, read_saved


class Network(Trainable):
    """A body with a head: logits (rows, tokens, labels), each answer as if it stood alone."""

    def __init__(self, body: PreTrainedModel, backbone: Backbone, labels: tuple[str, ...], coder: Coder):
        super().__init__()
        self.body, self.backbone, self.labels, self.coder = body, backbone, tuple(labels), coder
        config = body.config
        self.head = nn.Linear(config.hidden_size, len(labels))
        features = {name: nn.Embedding(SIZES[name], config.hidden_size) for name in backbone.features}
        self.add_module("told", nn.ModuleDict(features))  # the name that it has in saved weights
        for layer in (self.head, *features.values()):
            nn.init.normal_(layer.weight, std=config.initializer_range)
        nn.init.zeros_(self.head.bias)
        self.first = positions_from(config)
        self.reach = config.sliding_window if config.model_type == "modernbert" else None

    @property
    def mask(self) -> str:
        """Return who sees whom: full, causal or prefix."""
        return self.backbone.mask

    @property
    def feature_embeddings(self) -> nn.ModuleDict:
        """The embeddings of the match features, by their names."""
        return self.get_submodule("told")

    @property
    def pretrained(self) -> PreTrainedModel:
        """The body."""
        return self.body

    def check_strategy(self, strategy: str) -> None:
        """Raise TruerateError where the mask does not allow a scoring strategy."""
        if strategy == "packed" and self.mask == "full":
            raise TruerateError(
                f"strategy {strategy}: under mask full answers to one reference share nothing; use "
                "one_by_one or auto"
            )

    def forward(self, batch: Batch, chosen: torch.Tensor | None = None) -> torch.Tensor:
        """Logits (rows, tokens, labels), or of the `chosen` tokens (rows, tokens) alone (chosen, labels)."""
        is_plain = self.mask == "full" and not bool((batch.segments == PADDING).any())
        sees = None if is_plain else attention(batch.segments, self.mask)
        hidden = self.hidden(batch.ids, batch.features, batch.positions, sees, unnamed=self._unnamed(batch))
        return self.logits(hidden if chosen is None else hidden[chosen])

    def _unnamed(self, batch: Batch) -> torch.Tensor | None:
        """Tokens (rows, tokens) whose embedding this training step drops (`word_dropout`); None for none."""
        share = self.backbone.word_dropout
        if not (self.training and share):
            return None
        return (batch.segments > 0) & (torch.rand(batch.segments.shape, device=batch.segments.device) < share)

    def logits(self, hidden: torch.Tensor) -> torch.Tensor:
        """The head in full precision, whatever the precision around it."""
        with torch.autocast(hidden.device.type, enabled=False):
            return self.head(hidden.to(self.head.weight.dtype))

    def hidden(
        self,
        ids: torch.Tensor,
        features: torch.Tensor,
        positions: torch.Tensor,
        sees: torch.Tensor | None,
        *,
        blocks: Blocks | Sequence[Blocks] | None = None,
        unnamed: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Last hidden states (rows, tokens, size) under an explicit mask (rows, 1, tokens, keys) or blocks.
        Of `unnamed` tokens the features are embedded, the words not.
        """
        embedded = self.body.get_input_embeddings()(ids)
        if unnamed is not None:
            embedded = embedded.masked_fill(unnamed[:, :, None], 0)
        for column, embedding in enumerate(self.feature_embeddings.values()):
            embedded = embedded + embedding(features[:, :, column]).to(embedded.dtype)
        more = {} if blocks is None else {"blocks": blocks}
        if self.reach is not None:  # blocks say themselves who sees whom
            kinds = ("full_attention", "sliding_attention")
            sees = self._near(sees, positions) if blocks is None else dict.fromkeys(kinds)
        places = positions + self.first
        return self.body(inputs_embeds=embedded, attention_mask=sees, position_ids=places, **more)[0]

    def _near(self, sees: torch.Tensor | None, positions: torch.Tensor) -> dict[str, torch.Tensor | None]:
        """ModernBERT's masks: full layers see all that `sees` allows, sliding ones what is near of it."""
        near = ((positions[:, :, None] - positions[:, None, :]).abs() <= self.reach)[:, None]
        return {"full_attention": sees, "sliding_attention": near if sees is None else sees & near}

    def save(self, folder: Path, **settings: Any) -> None:
        """Write its labels beside what every trainable network writes."""
        super().save(folder, labels=self.labels, **settings)


def build(
    backbone: Backbone,
    labels: tuple[str, ...],
    coder: Coder,
    seed: int,
    *,
    device: str | torch.device = "cpu",
) -> Network:
    """A new network: random weights where the backbone is `tiny`, those of the backbone otherwise; the head
    is always new. The same seed gives the same weights. Raises TruerateError where the backbone is not there
    or cannot be used.
    """
    torch.manual_seed(seed)
    if backbone.weights == "tiny":
        body = body_from_nothing(tiny_config(backbone, coder), backbone)
    else:
        body = body_from_weights(backbone, device)
    network = _on_device(Network(body, backbone, labels, coder), device)
    network.check_strategy(backbone.strategy)
    if backbone.weights != "tiny" and network.mask != "full":
        _check_mask(network)
    return network


def _check_mask(network: Network) -> None:
    """Refuse a backbone in which one answer moves another: it does not heed the mask that it is given."""
    segments = torch.tensor([[0] * 4 + [1] * 4 + [2] * 4], device=network.device)
    positions = torch.tensor([[*range(8), *range(4, 8)]], device=network.device)
    features = torch.zeros((1, 12, len(network.feature_embeddings)), dtype=torch.long, device=network.device)
    ids = torch.arange(12, device=network.device)[None] % network.coder.n_words
    with torch.inference_mode():
        first, second = (
            network(Batch(variant, features, positions, segments, segments))[:, :8]
            for variant in (ids, ids.where(segments < 2, 0))
        )
    if not torch.equal(first, second) and (first - second).abs().max() > 1e-3 * first.abs().max():
        raise TruerateError(
            f"backbone {network.backbone.weights!r} lets one answer see another; use mask full or another "
            "backbone"
        )


def load(folder: Path, *, device: str | torch.device = "cpu") -> Network:
    """Read what `Network.save` wrote. Raises TruerateError where it is missing or damaged."""
    settings, backbone, state, config = read_saved(Path(folder), "detector")
    return restored(backbone, settings["labels"], Coder.load(Path(folder)), state, config, device=device)


def restored(
    backbone: Backbone,
    labels: Sequence[str],
    coder: Coder,
    state: Weights,
    config: PreTrainedConfig | None,
    *,
    device: str | torch.device,
) -> Network:
    """Return a network with trained weights; `config` None: the body is the backbone's own."""
    body = body_from_weights(backbone, device) if config is None else body_from_nothing(config, backbone)
    network = Network(body, backbone, tuple(labels), coder)
    network.load_trainable(state)
    return _on_device(network, device)


def _on_device(network: Network, device: str | torch.device) -> Network:
    """Move a network to its device, ready to score. A quantised body was put there when it was read."""
    if network.backbone.quantise == "none":
        return network.to(device).eval()
    network.head.to(device)
    network.feature_embeddings.to(device)
    return network.eval()
