"""Passages by the meaning of a fact: an encoder's vectors and their cosine (FActScore retrieves with GTR, Ni et
al. 2022), alone or put together with BM25.

An encoder is any of transformers', by Hub id or folder; of one with a decoder (T5, as GTR) the encoder alone.
A text's vector is the mean of its tokens' last hidden states, of unit length; a linear layer that
sentence-transformers put behind it (`2_Dense`) is applied where the weights bring it as safetensors. Vectors of
pages are kept on disk, so that the replies of all subjects need them once.
"""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from truerate.core.errors import TruerateError
from truerate.core.keys import content_id
from truerate.core.pretrained import POOLER, is_folder, load_network, load_tokenizer
from truerate.core.schemas.disk import put

MAX_TOKENS, BATCH = 512, 32
RRF = 60  # of reciprocal rank fusion (Cormack et al. 2009)
DIGITS = 4  # of a cosine that decide: below lies what the order of a batch may change
DENSE = "2_Dense"


class Encoder:
    """An encoder by Hub id or folder. Raises TruerateError where it is not there or not whole."""

    def __init__(self, weights: str):
        from transformers import AutoConfig, AutoModel, AutoModelForTextEncoding

        try:
            self.tokenizer = load_tokenizer(weights)
            config = AutoConfig.from_pretrained(weights, trust_remote_code=False)
            is_half = config.is_encoder_decoder or "T5EncoderModel" in (config.architectures or ())
            kind = AutoModelForTextEncoding if is_half else AutoModel
            network = load_network(kind, weights, unread=[POOLER]).eval()
            self.projection = _projection(weights)
        except (ValueError, OSError) as error:
            what = f"tracks.wildhallucinations.verification.encoder: no encoder {weights!r}"
            hint = "name a Hub id or a folder of safetensors weights, or retriever: bm25"
            raise TruerateError(f"{what}: {' '.join(str(error).split())[:200]}; {hint}") from None
        import torch

        self.network = network.to("cuda" if torch.cuda.is_available() else "cpu")

    def vectors(self, texts: Sequence[str]) -> np.ndarray:
        """Return the unit vectors of texts, (texts, width), float32; texts are cut at MAX_TOKENS tokens."""
        import torch

        most = min(MAX_TOKENS, self.tokenizer.model_max_length)
        order = sorted(range(len(texts)), key=lambda number: len(texts[number]))
        parts = []
        for first in range(0, len(order), BATCH):
            batch = [texts[number] for number in order[first : first + BATCH]]
            tokens = self.tokenizer(
                batch, truncation=True, max_length=most, padding=True, return_tensors="pt"
            )
            ids, mask = (tokens[name].to(self.network.device) for name in ("input_ids", "attention_mask"))
            with torch.inference_mode():
                hidden = self.network(input_ids=ids, attention_mask=mask).last_hidden_state.float()
            weights = mask[..., None].float()
            mean = (hidden * weights).sum(1) / weights.sum(1).clamp(min=1)
            mean = mean if self.projection is None else mean @ self.projection.to(mean.device).T
            parts.append(torch.nn.functional.normalize(mean, dim=-1).cpu().numpy())
        if not parts:
            return np.zeros((0, 1), dtype=np.float32)
        rows = np.concatenate(parts)
        return rows[np.argsort(order)]


def _projection(weights: str) -> Any:
    """The matrix of a linear layer behind the mean, (out, in), float32; None where there is none. Raises
    ValueError where its weights are no safetensors.
    """
    from safetensors.torch import load_file
    from transformers.utils import cached_file

    missing = {
        "_raise_exceptions_for_missing_entries": False,
        "_raise_exceptions_for_connection_errors": False,
    }

    def path_of(name: str) -> Path | None:
        path = Path(weights, name) if is_folder(weights) else cached_file(weights, name, **missing)
        return Path(path) if path is not None and Path(path).is_file() else None

    if (path := path_of(f"{DENSE}/model.safetensors")) is not None:
        return load_file(path)["linear.weight"].float()
    if path_of(f"{DENSE}/config.json") is not None:
        raise ValueError(f"its layer {DENSE} has no safetensors weights")
    return None


encoder_of = lru_cache(1)(Encoder)  # one is in memory at a time


class Retriever(NamedTuple):
    """How passages are found: `method` (bm25, dense, hybrid), the encoder's Hub id or folder, and the folder in
    which vectors of passages are kept.
    """

    method: str = "bm25"
    encoder: str | None = None
    folder: Path | None = None

    @property
    def has_vectors(self) -> bool:
        """Whether an encoder is asked."""
        return self.method != "bm25"

    def cosines(self, queries: Sequence[str], texts: Sequence[str]) -> np.ndarray:
        """Return the cosine of every query with every text, (queries, texts), rounded to DIGITS."""
        assert self.encoder is not None
        if not texts or not queries:
            return np.zeros((len(queries), len(texts)))
        vectors = self._kept(texts)
        return np.round(encoder_of(self.encoder).vectors(queries) @ vectors.T, DIGITS)

    def best(
        self, queries: Sequence[str], texts: Sequence[str], lexical: Sequence[Sequence[int]], k: int
    ) -> list[list[int]]:
        """Return the numbers of the `k` best texts of each query, ties in their order. `lexical`: all that
        BM25 finds, best first.

        dense: by cosine. hybrid: by Σ 1 / (RRF + rank) over both orders, ranks from 1; a text that BM25 does
        not find has no rank there.
        """
        ranks = np.argsort(np.argsort(-self.cosines(queries, texts), axis=1, kind="stable"), axis=1)
        if self.method == "dense":
            return [np.argsort(row)[:k].tolist() for row in ranks]
        scores = 1 / (RRF + 1 + ranks)
        for row, numbers in zip(scores, lexical, strict=True):
            row[list(numbers)] += 1 / (RRF + 1 + np.arange(len(numbers)))
        return [np.argsort(-row, kind="stable")[:k].tolist() for row in scores]

    def _kept(self, texts: Sequence[str]) -> np.ndarray:
        """The vectors of texts from the folder, where they are put if they are not there; in half precision
        either way.
        """
        key = content_id("vectors", self._identity, list(texts))
        path = self.folder / f"{key}.npy" if self.folder else None
        if path is not None and path.is_file():
            return np.load(path).astype(np.float32)
        vectors = encoder_of(self.encoder).vectors(texts).astype(np.float16)

        def write(scratch: Path) -> None:
            with scratch.open("wb") as file:
                np.save(file, vectors)

        if path is not None:
            put(path, write)
        return vectors.astype(np.float32)

    @property
    def _identity(self) -> list[object]:
        """The encoder's name, and of a folder what its weights are by size and time."""
        folder = Path(self.encoder or "").expanduser()
        files = sorted(folder.glob("*.safetensors")) if is_folder(self.encoder or "") else []
        return [self.encoder, [[file.name, file.stat().st_size, file.stat().st_mtime_ns] for file in files]]
