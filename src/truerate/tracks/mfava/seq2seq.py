"""A translation model's weights, by Hub id or path, in the place of an endpoint: the same texts in, the same
replies out.

Such models learned from sentences, so a text goes sentence by sentence, its tags with them. NLLB, M2M100
and mBART are told the languages by their own codes, MADLAD by a word before the text; a model of one pair of
languages needs none. Weights are read
as safetensors, and no code of theirs is run.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from truerate.core.errors import SettingsError, TruerateError
from truerate.core.keys import content_id
from truerate.core.pretrained import load_network, load_tokenizer
from truerate.llm import Reply, Request
from truerate.tracks.mfava.languages import SOURCE, language
from truerate.tracks.mfava.sentence_units import joined, units
from truerate.tracks.mfava.settings import WEIGHTS
from truerate.tracks.mfava.translating import Text

BATCH = 16
SETTING = f"tracks.mfava.{WEIGHTS}"
OLD_CODES = {"he": "iw"}  # that MADLAD writes


class Said(NamedTuple):
    """What the model made of one sentence: a translation, or why there is none; and its tokens."""

    text: str
    reason: str | None
    n_tokens: int


def request(text: Text, weights: str, max_tokens: int) -> Request:
    """What is asked of the weights, in the form of a request; the model's name is the Hub id, or the folder's
    name. `max_tokens` bounds a sentence.
    """
    params = {
        "max_tokens": max_tokens,
        "num_beams": 1,
        "source": SOURCE,
        "target": text.lang,
        "unit": "sentence",
    }
    return Request(
        Path(weights).name if Path(weights).is_dir() else weights,
        ({"role": "user", "content": text.marked},),
        params,
    )


def translated(
    asked: Sequence[Request], weights: str, *, batch: int = BATCH, device: str = "auto"
) -> list[Reply]:
    """The replies in the order of the requests. Sentences of one language and like length share a batch, so that
    little is padded; one that stands in many texts is translated once.

    A text with a sentence longer than the model's window is `dead` with the reason `context_length`, one with a
    translation that did not come to its end within `max_tokens` with `length`, one with a sentence of which
    nothing came with `empty`; greedy, so equal texts give equal replies. Raises TruerateError where there are no
    such weights, no such device, or no name for a language in the model's vocabulary.
    """
    if not asked:
        return []
    on = device_of(device)
    tokenizer, model = _load(weights)
    model = model.to(on)
    cut = [units(one.messages[0]["content"]) for one in asked]
    said: dict[tuple[str, str], Said] = {}
    for lang in dict.fromkeys(one.params["target"] for one in asked):
        check_language(tokenizer, lang, weights)
        own = [(one, parts) for one, parts in zip(asked, cut, strict=True) if one.params["target"] == lang]
        n_new = max((one.params["max_tokens"] for one, _ in own), default=0)
        texts = sorted({part.text for _, parts in own for part in parts}, key=lambda text: (len(text), text))
        for start in range(0, len(texts), batch):
            part = texts[start : start + batch]
            made = _batch(part, lang, n_new, tokenizer, model)
            said |= {(lang, text): found for text, found in zip(part, made, strict=True)}
    return [
        _reply(one, [said[one.params["target"], part.text] for part in parts], parts)
        for one, parts in zip(asked, cut, strict=True)
    ]


def device_of(wanted: str) -> str:
    """The device of a setting: `auto` is a GPU where there is one. Raises SettingsError for one that is not
    there.
    """
    import torch

    has_gpu = torch.cuda.is_available()
    if wanted == "cuda" and not has_gpu:
        raise SettingsError(f"{SETTING}_device: no GPU is there for 'cuda'; write auto or cpu")
    return "cuda" if wanted != "cpu" and has_gpu else "cpu"


def check_language(tokenizer: Any, lang: str, weights: str) -> None:
    """Raise SettingsError where a model that is told its languages has no name for one: it would be translated
    into whatever language comes.
    """
    names_some = _code(tokenizer, SOURCE) is not None or _before(tokenizer, SOURCE)
    if names_some and _code(tokenizer, lang) is None and not _before(tokenizer, lang):
        raise SettingsError(
            f"{SETTING}: {weights!r} has no name for {language(lang).name} ({lang!r}) in its vocabulary; take {lang!r} out "
            "of `languages`, or name a `translator` in its place"
        )


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


def _batch(texts: Sequence[str], lang: str, n_new: int, tokenizer: Any, model: Any) -> list[Said]:
    import torch

    limit = getattr(model.config, "max_position_embeddings", None) or tokenizer.model_max_length
    if hasattr(tokenizer, "src_lang"):
        tokenizer.src_lang = _code(tokenizer, SOURCE)
    before = _before(tokenizer, lang)
    encoded = tokenizer([before + text for text in texts], return_tensors="pt", padding=True)
    lengths = encoded["attention_mask"].sum(dim=1).tolist()
    encoded = {
        name: rows[:, :limit].to(model.device)
        for name, rows in encoded.items()
        if name in ("input_ids", "attention_mask")
    }
    forced = _token(tokenizer, _code(tokenizer, lang))
    told = {} if forced is None else {"forced_bos_token_id": forced}
    n_new = min(n_new, limit)
    with torch.no_grad():
        ids = model.generate(**encoded, max_new_tokens=n_new, num_beams=1, do_sample=False, **told).cpu()
    said = tokenizer.batch_decode(ids, skip_special_tokens=True)
    # One that used its last token may have been cut, whatever that token is: some models force an end there.
    # Shorter ones are padded.
    is_whole = [ids.shape[1] - 1 < n_new or last == model.config.pad_token_id for last in ids[:, -1].tolist()]
    return [_said(*one, limit) for one in zip(said, lengths, is_whole, strict=True)]


def _said(text: str, n_tokens: int, is_whole: bool, limit: int) -> Said:
    reason = "context_length" if n_tokens > limit else "length" if not is_whole else None
    return Said(text, reason or (None if text.strip() else "empty"), n_tokens)


def _reply(asked: Request, said: Sequence[Said], cut: Sequence[Any]) -> Reply:
    key = content_id(WEIGHTS, asked.model, asked.messages, asked.params)
    n_tokens = sum(one.n_tokens for one in said)
    reason = next((one.reason for one in said if one.reason), None if said else "empty")
    if reason is not None:
        ended = "length" if reason == "length" else None
        return Reply(key, "dead", "", ended, reason, n_tokens, None, 0.0, False)
    text = joined([one.text for one in said], cut)
    return Reply(key, "ok", text, "stop", None, n_tokens, None, 0.0, False)


def _code(tokenizer, lang: str) -> str | None:
    """How the model's vocabulary names a language: NLLB's code, M2M100's or mBART's; None where it names none."""
    known = tokenizer.get_vocab()
    if (nllb := language(lang).nllb) in known:
        return nllb
    if f"__{lang}__" in known:
        return lang
    return next((token for token in sorted(known) if re.fullmatch(rf"{lang}_[A-Z]{{2}}", token)), None)


def _before(tokenizer, lang: str) -> str:
    """The word that MADLAD is told a language by, before the text; empty where a model knows none."""
    word = f"<2{OLD_CODES.get(lang, lang)}>"
    return f"{word} " if word in tokenizer.get_vocab() else ""


def _token(tokenizer, code: str | None) -> int | None:
    known = tokenizer.get_vocab()
    return None if code is None else known.get(code, known.get(f"__{code}__"))
