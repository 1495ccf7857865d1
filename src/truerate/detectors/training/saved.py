"""A trained network as it lies in a folder: its settings, its trained weights, and the form of its body."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from transformers import AutoConfig, PretrainedConfig

from truerate.config import Backbone
from truerate.core.errors import TruerateError


class Saved(NamedTuple):
    """What a folder holds. `config` is None where adapters alone were kept: the body comes from its weights."""

    settings: dict[str, Any]
    backbone: Backbone
    state: dict[str, torch.Tensor]
    config: PretrainedConfig | None


def read_saved(folder: Path, what: str) -> Saved:
    """What was saved in a folder; `what` names it in messages. Raises TruerateError where it is missing or
    damaged.
    """
    try:
        settings = json.loads((folder / "network.json").read_text("utf-8"))
        backbone = Backbone.model_validate(settings["backbone"])
        state = load_file(folder / "model.safetensors")
        config = None if backbone.lora else AutoConfig.from_pretrained(folder, trust_remote_code=False)
    except (OSError, ValueError, KeyError, SafetensorError) as error:
        line = " ".join(str(error).split())[:200]
        raise TruerateError(f"reading the {what} in {str(folder)!r}: {line}; train it again") from None
    return Saved(settings, backbone, state, config)
