"""How rare an entity's name is: the perplexity of the bare name (WildHallucinations, section 4), by counts in
chats or a language model.

The paper takes Llama-3-8B's perplexity. `ngram` needs no weights: a character model of order 6 with
Witten–Bell interpolation (Witten and Bell 1991) counted in the messages, equal ones once. It is stated per
UNIT characters, about one token of such models, but grows faster with rarity: values of the two must not be
compared. Of a name with a character that no message holds nothing is known. Groups are orders of magnitude up
to MAX_POWER, in which all that is rarer stands.
"""

import math
from collections.abc import Iterable, Sequence

import numpy as np

from truerate.core.errors import TruerateError
from truerate.core.keys import content_id
from truerate.core.pretrained import load_network, load_tokenizer
from truerate.core.schemas import pairs
from truerate.core.text import folded
from truerate.llm.generation import facts

NGRAM = "ngram"
ORDER = 6  # characters of an n-gram, the predicted one included
UNIT = 4  # characters per token
MAX_CHARACTERS = 5_000_000  # of messages that are counted; whole messages in an order drawn from their text
BATCH = 64
DIGITS = 6
MAX_POWER = 6  # the paper's Figure 5 ends below it; on real text counts give names of 10^9 and more
UNKNOWN = "unknown"  # the group of a name of which the model knows nothing
_SEED, _PRIME = np.uint64(14695981039346656037), np.uint64(1099511628211)  # FNV-1a's, here over code points


def perplexities(names: Sequence[str], texts: Iterable[str], how: str) -> dict[str, float | None]:
    """Return the perplexity of each name, from 1, the rarer the higher, rounded to 6 digits.

    `how`: NGRAM, counted in `texts`, or a causal language model's Hub id or path, which needs no texts. None
    where there is nothing to go by: no text, an empty name, a name with a character that no text holds, or a
    name of one token for a model without a start token. Raises TruerateError where there is no such model.
    """
    values = _ngram(list(names), list(texts)) if how == NGRAM else _causal(list(names), how)
    return {name: None if value is None else round(value, DIGITS) for name, value in values.items()}


def order_of_magnitude(perplexity: float) -> str:
    """Return the group of a perplexity, `10^2` for 100 up to 1,000; `10^6+` for 1,000,000 and more."""
    power = math.floor(math.log10(perplexity))
    return f"10^{power}" if power < MAX_POWER else f"10^{MAX_POWER}+"


def with_rarity(items: Sequence[dict], texts: Iterable[str], how: str) -> list[dict]:
    """Return Item rows of entities with the attributes `rarity` and `rarity_group`. An item whose name has no
    perplexity stands in group UNKNOWN; where no name has one, none gets either.

    Where the source brings perplexities of its own (attribute `perplexity`, from 1) these are the rarities,
    and no model or text is asked: values of two scales must not be compared, so a name for which it has none
    is UNKNOWN.
    """
    published = {row["question"]: float(facts(row).get("perplexity") or "nan") for row in items}
    values = {name: round(of, DIGITS) if 1 <= of < math.inf else None for name, of in published.items()}
    if all(value is None for value in values.values()):
        values = perplexities([row["question"] for row in items], texts, how)
    if all(value is None for value in values.values()):
        return list(items)
    rows = []
    for row in items:
        value, rarity = values[row["question"]], {"rarity_group": UNKNOWN}
        if value is not None:
            rarity = {"rarity": f"{value:.{DIGITS}f}", "rarity_group": order_of_magnitude(value)}
        rows.append({**row, "attributes": pairs(**facts(row) | rarity)})
    return rows


# ---- characters --------------------------------------------------------------------------------------------


def _ngram(names: list[str], texts: list[str]) -> dict[str, float | None]:
    """By counts in the messages, each behind a blank, on lines of their own."""
    drawn, n = [], 0
    for text in sorted({folded(text) for text in texts}, key=content_id):
        if n > MAX_CHARACTERS:
            break
        drawn.append("\n" * (ORDER - 2) + " " + text)
        n += len(text)
    counted = "".join(drawn)
    if not counted.strip():
        return dict.fromkeys(names)
    keys = {name: folded(name) for name in names}
    # Each name stands behind a blank, as in running text. Before the blank stands what no message holds, so
    # that nothing is made of it.
    before = "\x01" * (ORDER - 2) + " "
    logs = np.log(_probabilities(_codes(counted), _codes("".join(before + key for key in keys.values()))))
    values, end, alphabet = {}, 0, set(counted)
    for name, key in keys.items():
        start, end = end + len(before), end + len(before) + len(key)
        is_known = bool(key) and alphabet.issuperset(key)
        values[name] = math.exp(-UNIT * float(logs[start:end].mean())) if is_known else None
    return values


def _codes(text: str) -> np.ndarray:
    return np.frombuffer(text.encode("utf-32-le", "replace"), dtype=np.uint32).astype(np.uint64)


def _probabilities(counted: np.ndarray, asked: np.ndarray) -> np.ndarray:
    """P of each asked character given those before it: with c, c(h) counts and t(h) different followers of a
    history h, P(x | h) = (c(hx) + t(h) P(x | h')) / (c(h) + t(h)), h' shorter by its oldest character; at
    last 1 / (alphabet + 1).
    """

    def count_of(wanted: np.ndarray, hashes: np.ndarray, counts: np.ndarray) -> np.ndarray:
        index = np.minimum(np.searchsorted(hashes, wanted), len(hashes) - 1)
        return np.where(hashes[index] == wanted, counts[index], 0)

    p = np.full(len(asked), 1 / (len(np.unique(counted)) + 1))
    for n in range(ORDER):
        histories, grams = _hashes(counted, n)
        kinds, first, n_each = np.unique(grams, return_index=True, return_counts=True)
        asked_histories, asked_grams = _hashes(asked, n)
        c = count_of(asked_grams, kinds, n_each)
        total = count_of(asked_histories, *np.unique(histories, return_counts=True))
        t = count_of(asked_histories, *np.unique(histories[first], return_counts=True))
        p = np.where(total > 0, (c + t * p) / np.maximum(total + t, 1), p)
    return p


def _hashes(codes: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return per character the hash of the `n` before it, and with itself; zeros stand before the first."""
    padded = np.concatenate([np.zeros(n, dtype=np.uint64), codes])
    hashes = [np.full(len(codes), _SEED)]
    for characters in [padded[back : back + len(codes)] for back in range(n)] + [codes]:
        mixed = (hashes[-1] ^ characters) * _PRIME  # wraps around, as it should
        hashes.append(mixed ^ (mixed >> np.uint64(29)))
    return hashes[-2], hashes[-1]


# ---- language models ---------------------------------------------------------------------------------------


def _causal(names: list[str], weights: str) -> dict[str, float | None]:
    """exp of the mean negative log-likelihood of a name's tokens behind the model's start (or end) token."""
    if not names:
        return {}
    import torch
    from transformers import AutoModelForCausalLM

    try:
        tokenizer, model = load_tokenizer(weights), load_network(AutoModelForCausalLM, weights)
    except ValueError as error:
        what = f"tracks.wildhallucinations.rarity: no language model {weights!r}: {error}"
        hint = f"name {NGRAM!r}, a Hub id, or a folder of safetensors weights"
        raise TruerateError(f"{what}; {hint}") from None
    model = model.to("cuda" if torch.cuda.is_available() else "cpu").eval()
    start = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else tokenizer.eos_token_id
    before = [] if start is None else [start]
    ids = {name: before + tokenizer(name, add_special_tokens=False)["input_ids"] for name in names}
    values: dict[str, float | None] = dict.fromkeys(names)
    scorable = sorted((name for name in ids if len(ids[name]) > 1), key=lambda name: (len(ids[name]), name))
    for first in range(0, len(scorable), BATCH):
        part = scorable[first : first + BATCH]
        values |= zip(part, _batch([ids[name] for name in part], model), strict=True)
    return values


def _batch(rows: list[list[int]], model) -> list[float]:
    """The perplexities of token rows, padded on the right, which a causal model does not see."""
    import torch

    lengths = torch.tensor([len(row) for row in rows], device=model.device)
    ids = torch.nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True)
    ids = ids.to(model.device)
    mask = torch.arange(ids.shape[1], device=model.device)[None] < lengths[:, None]
    with torch.no_grad():
        logits = model(input_ids=ids, attention_mask=mask.long()).logits.float()
    losses = torch.nn.functional.cross_entropy(logits[:, :-1].transpose(1, 2), ids[:, 1:], reduction="none")
    counted = mask[:, 1:].float()
    return ((losses * counted).sum(1) / counted.sum(1)).exp().tolist()
