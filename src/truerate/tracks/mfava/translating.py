"""Translate-train (mFAVA section 3.1): English labelled passages and their references in other languages,
spans carried by tags.

A model of an endpoint translates one text per request, weights of a Hub id or path (`seq2seq`) translate
batches here; rows are alike.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from truerate.core.errors import SettingsError, TruerateError
from truerate.core.keys import content_id
from truerate.core.pretrained import load_network, load_tokenizer
from truerate.core.tags import TYPES, Refused, parse_tags, with_tags
from truerate.llm import Reply, Request, prompts
from truerate.llm.generation import Prompted, Read, decoding, generation
from truerate.llm.replies.passages import plain_passage
from truerate.tracks.mfava.context import SOURCE, Context, joined, language, units
from truerate.tracks.mfava.settings import WEIGHTS, Settings

TRANSLATE, REFERENCE = "translate", "translate_reference"
# Why a passage is dropped before it is translated:
UNSOUND = "overlapping-spans"
# Why a translated passage is dropped: the tag grammar's reasons, and · another number of tags · the same tags
# in another order · other tags · the text came back as it was · its reference has no translation · a span that
# no words stand for.
REASONS = (
    "empty",
    "malformed",
    "empty-span",
    "tag-count",
    "tag-order",
    "tag-types",
    "untranslated",
    "no-reference",
    "not-aligned",
)


@dataclass(frozen=True)
class Text:
    """A text to translate: the item it belongs to and its task, for what, and into which language. `marked`
    holds the tags of its spans, of `types`; where it is translated without them (`projection: alignment`) it
    is the text itself, and `spans` are those that the translation is to have.

    A passage names its sample; a reference has none.
    """

    item_id: str
    task: str
    purpose: str
    lang: str
    marked: str
    types: tuple[str, ...] = ()
    sample_id: str | None = None
    spans: tuple[dict, ...] = ()


def texts(
    samples: Sequence[dict], found: dict[str, Context], targets: Sequence[str], *, has_tags: bool = True
) -> list[Text]:
    """Every labelled passage, with its tags or without, and every item's reference, once per target language."""
    made = []
    for lang in targets:
        for row in (row for row in samples if is_sound(row)):
            spans = sorted(row["spans"], key=_place)
            own = (row["item_id"], row["task"], TRANSLATE, lang)
            if has_tags:
                types = tuple(span["type"] for span in spans)
                made.append(Text(*own, with_tags(row["text"], row["spans"]), types, row["sample_id"]))
            else:
                made.append(Text(*own, row["text"], sample_id=row["sample_id"], spans=tuple(spans)))
        for item_id in dict.fromkeys(row["item_id"] for row in samples if is_sound(row)):
            made.append(Text(item_id, found[item_id].task, REFERENCE, lang, found[item_id].knowledge))
    return made


def is_sound(row: dict) -> bool:
    """Whether the spans of a sample can be written as tags: inside the text, none over another."""
    ends = [0, *(span["end"] for span in sorted(row["spans"], key=_place))]
    starts = [*(span["start"] for span in sorted(row["spans"], key=_place)), len(row["text"])]
    return all(end <= start for end, start in zip(ends, starts, strict=True)) and all(
        s["start"] < s["end"] for s in row["spans"]
    )


def _place(span: dict) -> tuple[int, int]:
    return span["start"], span["end"]


def requests(
    made: Sequence[Text], translator: str, settings: Settings, *, prompts_dir: str | None
) -> list[Prompted]:
    """One request per text."""
    asked, decoded = [], decoding(settings.translating)
    for text in made:
        values = {
            "source": language(SOURCE).name,
            "target": language(text.lang).name,
            "text": text.marked,
            "has_tags": bool(text.types),
        }
        messages = prompts.render("mfava", "translate", prompts_dir, **values)
        asked.append(prompted(text, Request(translator, tuple(messages), decoded)))
    return asked


def prompted(text: Text, request: Request) -> Prompted:
    """A text's request with the facts its row keeps."""
    return Prompted(
        request, text.item_id, text.purpose, {"lang": text.lang, "task": text.task, "sample": text.sample_id}
    )


def collect(made: Sequence[Text], asked: Sequence[Prompted], replies: Sequence[Reply]) -> list[dict]:
    """Generation rows of the translations; those whose tags are not the original's are `unparsed` with their
    reason.
    """
    return [
        generation(one, reply, read_translation(reply.text, text))
        for text, one, reply in zip(made, asked, replies, strict=True)
    ]


def read_translation(reply: str, text: Text) -> Read:
    """A translation with the tags of its original: as many, of the same types, in the same order, none of
    them empty.
    """
    found = plain_passage(reply, "Translation", tags=(*TYPES, "delete", "mark"))
    cuts = {"cuts": " ".join(found.cuts) or None}
    if not found.text:
        return Read(reply, "unparsed", "empty", cuts)
    tagged = parse_tags(found.text)
    if isinstance(tagged, Refused):
        return Read(reply, "unparsed", tagged.reason, {"detail": tagged.detail, **cuts})
    types = tuple(span["type"] for span in tagged.spans)
    if types != text.types:
        shown = f"{', '.join(text.types) or 'none'} became {', '.join(types) or 'none'}"
        return Read(reply, "unparsed", _difference(text.types, types), {"detail": shown, **cuts})
    if "".join(found.text.split()) == "".join(text.marked.split()):
        return Read(reply, "unparsed", "untranslated", {"detail": "the text came back as it was", **cuts})
    return Read(found.text, attributes=cuts)


def _difference(given: tuple[str, ...], came: tuple[str, ...]) -> str:
    if len(given) != len(came):
        return "tag-count"
    return "tag-order" if Counter(given) == Counter(came) else "tag-types"


# ---- A translation model's weights, by Hub id or path, in the place of an e --------------------------------


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
