"""Similarity of texts: chrF and BERTScore of a group, to pick queries whose answers agree least."""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, Protocol

import polars as pl

from truerate.core.data_files import read_data
from truerate.core.errors import TruerateError
from truerate.core.pretrained import POOLER, load_network, load_tokenizer

Groups = Sequence[Sequence[str]]
# A measure gives, for each group, the similarity of each pair of its texts, in the order of `combinations`.
Measure = Callable[[Groups], list[list[float]]]


def chrf(groups: Groups) -> list[list[float]]:
    """chrF of each pair of texts of each group, in [0, 1] (Popović 2015, sacrebleu's defaults), mean of both
    directions so that the order does not matter. Two equal texts, two empty ones too: 1. An empty text
    against another: 0.
    """
    from sacrebleu.metrics import CHRF

    score = CHRF().sentence_score

    def of_pair(a: str, b: str) -> float:
        return 1.0 if a == b else (score(a, [b]).score + score(b, [a]).score) / 200

    return [[of_pair(a, b) for a, b in combinations(group, 2)] for group in groups]


def mean_pairwise(groups: Groups, measure: Measure) -> list[float | None]:
    """Mean similarity over all pairs of texts of each group, in one call; None for fewer than two texts."""
    return [sum(scores) / len(scores) if scores else None for scores in measure(groups)]


def least_similar(rows: pl.DataFrame, n: int) -> list[str]:
    """The `n` item ids of lowest `similarity` (HaluEval 2.2), from columns `item_id`, `similarity`; ties go by
    item id, nulls are left out. All of them where there are fewer than `n`. Returned sorted by similarity, so
    that the choice never depends on the order of rows.
    """
    return rows.drop_nulls("similarity").sort("similarity", "item_id").head(n)["item_id"].to_list()


MAX_TOKENS = 512
# The published hidden layer of each encoder; of others the last one is read.
LAYERS: dict[str, int] = read_data(Path(__file__).with_name("bert_score_layers.yaml"), dict)
OWNERS = ("google-bert", "FacebookAI", "distilbert", "albert")  # under whom the Hub has the short names


def published_layer(model: str) -> int:
    """The published layer of an encoder, by its short name or its owner's; -1, the last one, for others."""
    owner, _, short = model.rpartition("/")
    return LAYERS.get(model, LAYERS.get(short, -1) if owner in OWNERS else -1)


def bert_score(
    model: str, *, layer: int | None = None, baseline: float | None = None, token_budget: int = 16_384
) -> Measure:
    """BERTScore F1 with an encoder given by Hub id or path, as a measure of groups (no idf).

    Tokens are vectors of hidden layer `layer` (0: embeddings; None: the published one). Each token meets its
    most similar one of the other text by cosine, special tokens among these; P and R are means over the
    tokens of the text itself, F1 their harmonic mean. With `baseline`, the F1 of unlike texts, it is rescaled
    to (F1 - baseline) / (1 - baseline), which may be below 0. A text without tokens scores 0 before that, two
    equal texts 1. Texts are cut at 512 tokens. At most `token_budget` tokens, padding included, are in memory
    at once, unless one group alone has more. Raises TruerateError where the model is not there or not whole,
    or has fewer layers.
    """
    import torch
    from transformers import AutoModel

    try:
        tokenizer, encoder = load_tokenizer(model), load_network(AutoModel, model, unread=[POOLER]).eval()
    except ValueError as error:
        raise TruerateError(
            f"encoder {model!r}: {error}; name a Hub id or a folder of safetensors weights"
        ) from None
    device = "cuda" if torch.cuda.is_available() else "cpu"
    layer_index = _without_unread(encoder, published_layer(model) if layer is None else layer, model)
    encoder = encoder.to(device)

    def measure(groups: Groups) -> list[list[float]]:
        """F1 of each pair of texts, by group, in the order of `itertools.combinations`."""
        tokens = _tokens(tokenizer, groups)
        scores: list[list[float]] = [[] for _ in groups]
        with torch.inference_mode():
            lengths = [[len(tokens[text][0]) for text in group] if len(group) > 1 else [] for group in groups]
            for batch in batches(lengths, token_budget):
                texts = list(dict.fromkeys(text for number in batch for text in groups[number]))
                vectors = _vectors(encoder, layer_index, tokenizer, {text: tokens[text] for text in texts})
                for number in batch:
                    pairs = combinations(groups[number], 2)
                    scores[number] = [rescaled(_f1(vectors, a, b), baseline) for a, b in pairs]
        return scores

    return measure


def rescaled(f1: float, baseline: float | None) -> float:
    """F1 on the scale on which unlike texts have 0 and equal ones 1 (the authors' baseline rescaling)."""
    return f1 if baseline is None else (f1 - baseline) / (1 - baseline)


def batches(lengths: Sequence[Sequence[int]], token_budget: int) -> Iterator[list[int]]:
    """The numbers of groups in batches, longest texts together, each of at most `token_budget` tokens when
    all its texts are padded to the longest; a group of more tokens stands alone. Groups of fewer than two
    texts have no pair and stand in none.
    """
    batch: list[int] = []
    n_texts = longest = 0
    # ascending: the last one is the longest of its batch
    order = sorted((max(group), number) for number, group in enumerate(lengths) if len(group) > 1)
    for length, number in order:
        if batch and (n_texts + len(lengths[number])) * max(longest, length) > token_budget:
            yield batch
            batch, n_texts, longest = [], 0, 0
        batch.append(number)
        n_texts, longest = n_texts + len(lengths[number]), max(longest, length)
    if batch:
        yield batch


def _without_unread(encoder: Any, layer: int, model: str) -> int:
    """The index of the layer among the hidden states; higher layers are removed where possible."""
    n_layers = int(encoder.config.num_hidden_layers)
    if not -n_layers - 1 <= layer <= n_layers:
        raise TruerateError(
            f"encoder {model!r}: it has no hidden layer {layer}; allowed: 0 (embeddings) to {n_layers}"
        )
    n_read = layer % (n_layers + 1)
    layers = getattr(getattr(encoder, "encoder", None), "layer", None)
    if layers is not None and len(layers) == n_layers and n_read:
        del layers[n_read:]
    return n_read


def _tokens(tokenizer: Any, groups: Groups) -> dict[str, tuple[list[int], list[bool]]]:
    """The token ids of each text, and which of them are of the text itself (no special token)."""
    texts = list(dict.fromkeys(text for group in groups if len(group) > 1 for text in group))
    if not texts:
        return {}
    # Byte-level tokenizers tell the first word of a text from one behind a blank; the authors give it a
    # blank.
    is_bytes = "ByteLevel" in str(getattr(getattr(tokenizer, "backend_tokenizer", None), "pre_tokenizer", ""))
    cut = tokenizer(
        [" " * is_bytes + text.strip() for text in texts],
        truncation=True,
        max_length=min(MAX_TOKENS, tokenizer.model_max_length),
        return_special_tokens_mask=True,
    )
    is_own = ([not special for special in mask] for mask in cut["special_tokens_mask"])
    return dict(zip(texts, zip(cut["input_ids"], is_own, strict=True), strict=True))


def _vectors(
    encoder: Any, layer: int, tokenizer: Any, tokens: dict[str, tuple[list[int], list[bool]]]
) -> dict[str, tuple[Any, Any]]:
    """Of each text the unit vectors of its tokens, (tokens, width), and which are the text's own."""
    import torch

    device = next(encoder.parameters()).device
    ids = [torch.tensor(token_ids) for token_ids, _ in tokens.values()]
    fill = tokenizer.pad_token_id or 0
    padded = torch.nn.utils.rnn.pad_sequence(ids, batch_first=True, padding_value=fill).to(device)
    lengths = torch.tensor([len(token_ids) for token_ids in ids], device=device)
    is_there = torch.arange(padded.shape[1], device=device) < lengths[:, None]
    hidden = encoder(input_ids=padded, attention_mask=is_there.long(), output_hidden_states=True)
    unit = torch.nn.functional.normalize(hidden.hidden_states[layer].float(), dim=-1)
    return {
        text: (unit[row, : len(weights)], torch.tensor(weights, device=device))
        for row, (text, (_, weights)) in enumerate(tokens.items())
    }


def _f1(vectors: dict[str, tuple[Any, Any]], first: str, second: str) -> float:
    """F1 of greedy cosine matching of two texts."""
    if first == second:
        return 1.0
    (a, is_a), (b, is_b) = vectors[first], vectors[second]
    if not is_a.any() or not is_b.any():
        return 0.0
    cosine = a @ b.T
    precision = cosine.max(dim=1).values[is_a].mean().item()
    recall = cosine.max(dim=0).values[is_b].mean().item()
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0


# ---- by the settings ---------------------------------------------------------------------------------------
CHRF = "chrf"


class Encoder(Protocol):
    """Settings of BERTScore: its encoder, the hidden layer that is read, and the F1 that rescales it."""

    @property
    def model(self) -> str:
        """A Hub id or a folder."""

    @property
    def layer(self) -> int | None:
        """None: the published one."""

    @property
    def baseline(self) -> float | None:
        """None: it is not rescaled."""


def measure_of(similarity: str | Encoder) -> Measure:
    """The measure `chrf`, else BERTScore with that encoder. Raises TruerateError without the encoder."""
    if similarity == CHRF:
        return chrf
    if isinstance(similarity, str):
        return bert_score(similarity)
    return bert_score(similarity.model, layer=similarity.layer, baseline=similarity.baseline)
