"""A translation model's weights, by Hub id or path, in the place of an endpoint: the same texts in, the same
replies out.

NLLB, M2M100 and mBART are told the languages by their own codes; a model of one pair of languages needs none.
Weights are read as safetensors, and no code of theirs is run.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from truerate.core.errors import TruerateError
from truerate.core.keys import content_id
from truerate.core.pretrained import load_network, load_tokenizer
from truerate.llm import Reply, Request
from truerate.tracks.mfava.graph import WEIGHTS
from truerate.tracks.mfava.languages import SOURCE, language
from truerate.tracks.mfava.translating import Text

BATCH = 16


def request(text: Text, weights: str, max_tokens: int) -> Request:
    """What is asked of the weights, in the form of a request; the model's name is the Hub id, or the folder's
    name.
    """
    params = {"max_tokens": max_tokens, "num_beams": 1, "source": SOURCE, "target": text.lang}
    return Request(
        Path(weights).name if Path(weights).is_dir() else weights,
        ({"role": "user", "content": text.marked},),
        params,
    )


def translated(asked: Sequence[Request], weights: str, *, batch: int = BATCH) -> list[Reply]:
    """The replies in the order of the requests. Texts of one language and like length share a batch, so that
    little is padded.

    A text longer than the model's window is `dead` with the reason `context_length`, a translation that did
    not come to its end within `max_tokens` with `length`; greedy, so equal texts give equal replies. Raises
    TruerateError where there are no such weights.
    """
    if not asked:
        return []
    tokenizer, model = _load(weights)
    order = sorted(
        range(len(asked)), key=lambda i: (asked[i].params["target"], len(asked[i].messages[0]["content"]), i)
    )
    replies: dict[int, Reply] = {}
    for lang in dict.fromkeys(asked[i].params["target"] for i in order):
        same = [i for i in order if asked[i].params["target"] == lang]
        for start in range(0, len(same), batch):
            part = same[start : start + batch]
            replies |= zip(part, _batch([asked[i] for i in part], lang, tokenizer, model), strict=True)
    return [replies[i] for i in range(len(asked))]


def _load(weights: str):
    from transformers import AutoModelForSeq2SeqLM

    try:
        tokenizer, model = load_tokenizer(weights), load_network(AutoModelForSeq2SeqLM, weights)
    except ValueError as error:
        hint = "name a Hub id or a folder of safetensors weights"
        raise TruerateError(
            f"tracks.mfava.seq2seq: no translation model {weights!r}: {error}; {hint}"
        ) from None
    return tokenizer, model.eval()


def _batch(asked: Sequence[Request], lang: str, tokenizer, model) -> list[Reply]:
    import torch

    limit = getattr(model.config, "max_position_embeddings", None) or tokenizer.model_max_length
    codes = {"src_lang": _code(tokenizer, SOURCE)} if hasattr(tokenizer, "src_lang") else {}
    for name, code in codes.items():
        setattr(tokenizer, name, code)
    encoded = tokenizer([one.messages[0]["content"] for one in asked], return_tensors="pt", padding=True)
    lengths = encoded["attention_mask"].sum(dim=1).tolist()
    encoded = {
        name: rows[:, :limit] for name, rows in encoded.items() if name in ("input_ids", "attention_mask")
    }
    forced = _token(tokenizer, _code(tokenizer, lang))
    told = {} if forced is None else {"forced_bos_token_id": forced}
    n_new = min(asked[0].params["max_tokens"], limit)
    with torch.no_grad():
        ids = model.generate(**encoded, max_new_tokens=n_new, num_beams=1, do_sample=False, **told)
    said = tokenizer.batch_decode(ids, skip_special_tokens=True)
    # One that used its last token may have been cut, whatever that token is: some models force an end there.
    # Shorter ones are padded.
    is_whole = [ids.shape[1] - 1 < n_new or last == model.config.pad_token_id for last in ids[:, -1].tolist()]
    return [_reply(*one, limit) for one in zip(asked, said, lengths, is_whole, strict=True)]


def _reply(asked: Request, text: str, n_tokens: int, is_whole: bool, limit: int) -> Reply:
    key = content_id(WEIGHTS, asked.model, asked.messages, asked.params)
    if n_tokens > limit:
        return Reply(key, "dead", "", None, "context_length", n_tokens, None, 0.0, False)
    if not is_whole:
        return Reply(key, "dead", "", "length", "length", n_tokens, None, 0.0, False)
    if not text.strip():
        return Reply(key, "dead", "", None, "empty", n_tokens, 0, 0.0, False)
    return Reply(key, "ok", text.strip(), "stop", None, n_tokens, None, 0.0, False)


def _code(tokenizer, lang: str) -> str | None:
    """How the model's vocabulary names a language: NLLB's code, M2M100's or mBART's; None where it names none."""
    known = tokenizer.get_vocab()
    if (nllb := language(lang).nllb) in known:
        return nllb
    if f"__{lang}__" in known:
        return lang
    return next((token for token in sorted(known) if re.fullmatch(rf"{lang}_[A-Z]{{2}}", token)), None)


def _token(tokenizer, code: str | None) -> int | None:
    known = tokenizer.get_vocab()
    return None if code is None else known.get(code, known.get(f"__{code}__"))
