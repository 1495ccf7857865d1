"""AlignScore's pickled checkpoints, converted to safetensors without running their code."""

from pathlib import Path

import torch
from safetensors.torch import save_file
from transformers import AutoConfig

from truerate.core.errors import TruerateError
from truerate.core.pretrained import load_tokenizer

HEADS = ("base_model.", "bin_layer.", "tri_layer.", "reg_layer.")


def as_safetensors(
    checkpoint: str | Path, base: str, folder: str | Path, *, revision: str | None = None
) -> None:
    """Write an AlignScore checkpoint (`AlignScore-base.ckpt`, `-large`) as a folder of weights; tokenizer and
    shape are those of its RoBERTa (`base`: a Hub id or folder). Raises TruerateError where the file is not
    there, holds more than tensors, or is none of AlignScore's.
    """
    try:
        state = torch.load(checkpoint, map_location="cpu", weights_only=True)["state_dict"]
    except Exception as error:  # whatever a pickle that is none, or does more, raises
        line = " ".join(str(error).split())[:150]
        raise TruerateError(f"reading checkpoint {str(checkpoint)!r}: {line}") from None
    kept = {name: value.contiguous() for name, value in state.items() if name.startswith(HEADS)}
    if "tri_layer.weight" not in kept:
        raise TruerateError(
            f"reading checkpoint {str(checkpoint)!r}: it has no `tri_layer`, so it is not AlignScore's"
        )
    output = Path(folder)
    output.mkdir(parents=True, exist_ok=True)
    try:
        AutoConfig.from_pretrained(base, revision=revision, trust_remote_code=False).save_pretrained(output)
        load_tokenizer(base, revision=revision).save_pretrained(output)
    except (OSError, ValueError) as error:
        raise TruerateError(
            f"shape and tokenizer of {base!r}: {' '.join(str(error).split())[:150]}"
        ) from None
    unread = ("base_model.embeddings.position_ids",)
    save_file(
        {name: value for name, value in kept.items() if name not in unread}, output / "model.safetensors"
    )
