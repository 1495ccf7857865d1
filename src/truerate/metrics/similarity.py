"""How alike several texts are: chrF, or BERTScore with any encoder. Used to pick the queries whose answers
agree least (HELMA 2.2).
"""

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import polars as pl

from truerate.core.errors import TruerateError
from truerate.core.pretrained import POOLER, load_network, load_tokenizer

Pairs = Sequence[tuple[str, str]]


def chrf(pairs: Pairs) -> list[float]:
    """chrF of each pair of texts in [0, 1], mean of both directions so that the order does not matter
    (Popović 2015; sacrebleu's defaults).

    Two empty texts are the same text: 1. An empty text against another: 0.
    """
    from sacrebleu.metrics import CHRF

    metric = CHRF()

    def one(a: str, b: str) -> float:
        return metric.sentence_score(a, [b]).score / 100

    return [1.0 if a == b else (one(a, b) + one(b, a)) / 2 for a, b in pairs]


def bert_score(
    model: str, *, layer: int, batch_size: int = 32, max_tokens: int = 512
) -> Callable[[Pairs], list[float]]:
    """BERTScore F1 with an encoder given by Hub id or path, as a measure of pairs (Zhang et al. 2020, no idf,
    no baseline rescaling).

    Tokens are vectors of hidden layer `layer` (0: embeddings), special tokens left out; each token meets its
    most similar token of the other text by cosine; P and R are means of these, F1 their harmonic mean. A text
    without tokens scores 0 (1 against an equal one). Raises TruerateError where the model is not there or not
    whole, IndexError where it has fewer layers.
    """
    import torch
    from transformers import AutoModel

    try:
        tokenizer, encoder = load_tokenizer(model), load_network(AutoModel, model, unread=[POOLER]).eval()
    except ValueError as error:
        raise TruerateError(
            f"encoder {model!r}: {error}; name a Hub id or a folder of safetensors weights"
        ) from None

    def vectors(texts: list[str]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for start in range(0, len(texts), batch_size):
            batch = texts[start : start + batch_size]
            inputs = tokenizer(
                batch,
                return_tensors="pt",
                padding=True,
                truncation=True,
                max_length=max_tokens,
                return_special_tokens_mask=True,
            )
            is_text = inputs.pop("special_tokens_mask") == 0
            hidden = encoder(**inputs, output_hidden_states=True).hidden_states[
                layer
            ]  # (batch, tokens, width)
            hidden = torch.nn.functional.normalize(hidden.float(), dim=-1)
            found |= {
                text: hidden[i][is_text[i] & (inputs["attention_mask"][i] == 1)]
                for i, text in enumerate(batch)
            }
        return found

    def measure(pairs: Pairs) -> list[float]:
        texts = sorted({text for pair in pairs for text in pair}, key=lambda text: (len(text), text))
        with torch.inference_mode():
            of = vectors(texts)
        return [1.0 if a == b else _greedy_f1(of[a], of[b]) for a, b in pairs]

    return measure


def _greedy_f1(first: Any, second: Any) -> float:
    """F1 of greedy cosine matching of two sets of unit vectors, (tokens, width) each."""
    if not len(first) or not len(second):
        return 0.0
    cosine = first @ second.T
    precision, recall = cosine.max(dim=1).values.mean().item(), cosine.max(dim=0).values.mean().item()
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0


def mean_pairwise(
    groups: Sequence[Sequence[str]], measure: Callable[[Pairs], list[float]]
) -> list[float | None]:
    """Mean similarity over all pairs of texts of each group, in one call of the measure. None for a group of
    fewer than two texts.
    """
    pairs = [list(combinations(group, 2)) for group in groups]
    values = iter(measure([pair for group in pairs for pair in group]))
    means = ([next(values) for _ in group] for group in pairs)
    return [sum(found) / len(found) if found else None for found in means]


def least_similar(rows: pl.DataFrame, n: int) -> list[str]:
    """The `n` item ids of lowest `similarity` (HELMA 2.2), from columns `item_id`, `similarity`; ties go by
    item id, nulls are left out.

    All of them where there are fewer than `n`. Returned sorted by similarity, so that the choice never
    depends on the order of rows.
    """
    return rows.drop_nulls("similarity").sort("similarity", "item_id").head(n)["item_id"].to_list()
