"""Bodies of networks: tiny ones, or backbones by Hub id or path, never remote code or pickles."""

from importlib.util import find_spec
from typing import Any

import torch
from torch import nn
from transformers import AutoConfig, AutoModel, LlamaConfig, PreTrainedConfig, PreTrainedModel

from truerate.config import Backbone
from truerate.core.errors import TruerateError
from truerate.core.pretrained import POOLER, load_network
from truerate.detectors.tokens.encode import Coder
from truerate.detectors.tokens.rows import NAME

TINY = {"hidden_size": 128, "num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 4}
TINY |= {"intermediate_size": 320}

ROBERTAS = ("roberta", "xlm-roberta", "xlm-roberta-xl", "camembert")


def tiny_config(backbone: Backbone, coder: Coder) -> LlamaConfig:
    """The shape of the network that is trained from nothing: 4 layers of 128, about a million parameters."""
    return LlamaConfig(
        vocab_size=coder.n_words, max_position_embeddings=backbone.max_tokens, pad_token_id=coder.pad, **TINY
    )


def body_from_nothing(config: PreTrainedConfig, backbone: Backbone) -> PreTrainedModel:
    """A body of random weights in the shape of a config."""
    return AutoModel.from_config(
        _directed(config, backbone), attn_implementation=NAME, trust_remote_code=False
    )


def body_from_weights(backbone: Backbone, device: str | torch.device) -> PreTrainedModel:
    """A backbone by Hub id or path; frozen with adapters on all of its linear layers where the settings ask
    for them. Raises TruerateError as `load_weights` does. Weights of a pooler may be missing: nothing reads
    it.
    """
    body = load_weights(AutoModel, backbone, device, unread=[POOLER], attn_implementation=NAME)
    if not body._supports_sdpa:
        raise TruerateError(
            f"backbone {backbone.weights!r}: {body.config.model_type} brings attention of its own; name one "
            "that supports sdpa"
        )
    return adapted(body, backbone)


def load_weights(
    kind: Any, backbone: Backbone, device: str | torch.device, what: str = "", **more: Any
) -> PreTrainedModel:
    """A network of a class of transformers; `what` says in messages what a folder holds besides its files.
    Raises TruerateError where it is not there, holds no safetensors or not all that its config asks for,
    takes fewer tokens than asked, or needs a library that is missing.
    """
    bits = quantised(backbone, device)  # refused before anything is fetched
    half = backbone.lora and torch.device(device).type == "cuda"
    try:
        config = AutoConfig.from_pretrained(
            backbone.weights, revision=backbone.revision, trust_remote_code=False
        )
        if kind is AutoModel:
            config = _directed(config, backbone)
        check_window(config, backbone)
        return load_network(
            kind,
            backbone.weights,
            config=config,
            revision=backbone.revision,
            dtype=torch.bfloat16 if half else torch.float32,
            **more,
            **bits,
        )
    except (OSError, ValueError, KeyError) as error:
        line = " ".join(str(error).split())[:200]
        hint = f"name a Hub id or a folder with config.json and *.safetensors{what}"
        raise TruerateError(f"backbone {backbone.weights!r}: {line}; {hint}") from None


def _directed(config: PreTrainedConfig, backbone: Backbone) -> PreTrainedConfig:
    """The config with the direction of the mask: decoders attend both ways unless the mask is causal."""
    config.is_causal = backbone.mask == "causal"
    config.use_cache = False
    return config


def check_window(config: PreTrainedConfig, backbone: Backbone) -> None:
    """Refuse a backbone that cannot see as far as `max_tokens`."""
    limit = window_of(config)
    if limit and limit < backbone.max_tokens:
        raise TruerateError(
            f"backbone {backbone.weights!r} sees {limit} tokens; lower its max_tokens, "
            f"{backbone.max_tokens}, in params.yaml"
        )


def window_of(config: PreTrainedConfig) -> int | None:
    """Return how many tokens a network sees; None without absolute positions (DeBERTa)."""
    has_positions = getattr(config, "position_biased_input", True)
    limit = getattr(config, "max_position_embeddings", None) if has_positions else None
    slides = config.model_type != "modernbert" and getattr(config, "use_sliding_window", True)
    if slides and (reach := getattr(config, "sliding_window", None)):
        limit = min(limit or reach, reach)
    return limit - positions_from(config) if limit else None


def positions_from(config: PreTrainedConfig) -> int:
    """The first token's position: RoBERTa's family counts from behind its padding index, others from 0."""
    return config.pad_token_id + 1 if config.model_type in ROBERTAS else 0


def quantised(backbone: Backbone, device: str | torch.device) -> dict:
    """Options that load a backbone in 4 bits (NF4). Raises TruerateError without CUDA or bitsandbytes."""
    if backbone.quantise == "none":
        return {}
    if torch.device(device).type != "cuda":
        raise TruerateError(
            f"backbone {backbone.weights!r}: quantise: 4bit needs bitsandbytes and a CUDA device, and here "
            f"is {torch.device(device).type} alone; leave `quantise` out (none)"
        )
    if find_spec("bitsandbytes") is None:
        raise TruerateError(
            f"backbone {backbone.weights!r}: quantise needs bitsandbytes; run pip install 'truerate[gpu]'"
        )
    from transformers import BitsAndBytesConfig

    settings = BitsAndBytesConfig(
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype=torch.bfloat16,
    )
    return {"quantization_config": settings, "device_map": {"": device}}


def adapted(body: PreTrainedModel, backbone: Backbone) -> PreTrainedModel:
    """A body with frozen weights and LoRA adapters in full precision; the same body without `lora`."""
    if backbone.lora is None:
        return body
    if find_spec("peft") is None:
        raise TruerateError(
            f"backbone {backbone.weights!r}: lora needs peft; run pip install 'truerate[gpu]'"
        )
    from peft import LoraConfig, inject_adapter_in_model

    body.requires_grad_(False)
    lora = backbone.lora
    config = LoraConfig(
        r=lora.r, lora_alpha=lora.alpha, lora_dropout=lora.dropout, target_modules=linear_layers(body)
    )
    body = inject_adapter_in_model(config, body)
    for parameter in body.parameters():
        if parameter.requires_grad:
            parameter.data = parameter.data.float()
    return body


def linear_layers(body: PreTrainedModel) -> list[str]:
    """The names of all linear layers of a body but those of a pooler, which nothing reads."""
    return [
        name
        for name, layer in body.named_modules()
        if isinstance(layer, nn.Linear) and POOLER not in name.split(".")
    ]
