"""Translate-train (mFAVA section 3.1): English labelled passages and their references in other languages. A
model of an endpoint translates one text per request; a translation model's weights, by Hub id or path,
translate sentences in batches here, and their texts become replies like any other.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from truerate.core.errors import SettingsError, TruerateError
from truerate.core.keys import content_id
from truerate.core.pretrained import load_network, load_tokenizer
from truerate.core.spans.tags import TYPES, Refused, parse_tags, with_tags
from truerate.core.text import sentences
from truerate.llm.generation import Prompted, Read, decoding, generation
from truerate.llm.replies.texts.passages import plain_passage
from truerate.llm.request import Reply, Request
from truerate.tracks.asking import Prompter
from truerate.tracks.mfava.context import SOURCE, Context, language
from truerate.tracks.mfava.settings import WEIGHTS

TRANSLATE, REFERENCE = "translate", "translate_reference"
UNSOUND = "overlapping-spans"  # why a passage is dropped before it is translated
# Why a translated passage is dropped: the tag grammar's reasons, and · another number of tags · the same tags
# in another order · other tags · the text came back as it was · its reference has no translation · a span
# that no words stand for.
NOT_ALIGNED = "not-aligned"
REASONS = (
    *("empty", "malformed", "empty-span", "tag-count", "tag-order", "tag-types", "untranslated"),
    *("no-reference", NOT_ALIGNED),
)
WEIGHTS_SETTING = f"tracks.mfava.{WEIGHTS}"
OLD_CODES = {"he": "iw"}  # that MADLAD writes
TAGS = (*TYPES, "delete", "mark")
_TAGS = re.compile(rf"<(/?)({'|'.join(TAGS)})>")


@dataclass(frozen=True)
class Text:
    """A passage (of a sample) or a reference to translate. `marked` holds the tags of its spans, of `types`;
    where it is translated without them (`projection: alignment`) it is the text, and `spans` are those to
    carry over.
    """

    item_id: str
    task: str
    purpose: str
    lang: str
    marked: str
    types: tuple[str, ...] = ()
    sample_id: str | None = None
    spans: tuple[dict, ...] = ()

    def prompted(self, request: Request) -> Prompted:
        """Return the text's request with the facts that its row keeps."""
        attributes = {"lang": self.lang, "task": self.task, "sample": self.sample_id}
        return Prompted(request, self.item_id, self.purpose, attributes)


def texts(
    samples: Iterable[dict], contexts: Mapping[str, Context], langs: Sequence[str], *, has_tags: bool = True
) -> list[Text]:
    """Return every labelled passage, with its tags or without, and every reference, once per language."""
    sound = [row for row in samples if is_sound(row)]
    result = []
    for lang in langs:
        for row in sound:
            spans = ordered_spans(row)
            if has_tags:
                types = tuple(span["type"] for span in spans)
                shown = {"marked": with_tags(row["text"], row["spans"]), "types": types}
            else:
                shown = {"marked": row["text"], "spans": tuple(spans)}
            result.append(
                Text(row["item_id"], row["task"], TRANSLATE, lang, sample_id=row["sample_id"], **shown)
            )
        for item_id in dict.fromkeys(row["item_id"] for row in sound):
            context = contexts[item_id]
            result.append(Text(item_id, context.task, REFERENCE, lang, context.knowledge))
    return result


def ordered_spans(row: dict) -> list[dict]:
    """Return the spans of a sample in the order of its text."""
    return sorted(row["spans"], key=lambda span: (span["start"], span["end"]))


def is_sound(row: dict) -> bool:
    """Return whether the spans of a sample can be written as tags: inside the text, not empty, apart."""
    spans = ordered_spans(row)
    borders = [0, *(border for span in spans for border in (span["start"], span["end"])), len(row["text"])]
    return borders == sorted(borders) and all(span["start"] < span["end"] for span in spans)


def requests(texts: Iterable[Text], translator: str, prompter: Prompter) -> list[Prompted]:
    """Return one request per text."""
    decoded = decoding(prompter.settings.translating)
    asked = []
    for text in texts:
        values = {"source": language(SOURCE).name, "target": language(text.lang).name, "text": text.marked}
        messages = prompter.messages("translate", has_tags=bool(text.types), **values)
        asked.append(text.prompted(Request(translator, messages, decoded)))
    return asked


def collect(texts: Sequence[Text], asked: Sequence[Prompted], replies: Sequence[Reply]) -> list[dict]:
    """Return the Generation rows of the translations (`read_translation`)."""
    return [
        generation(question, reply, read_translation(reply.text, text))
        for text, question, reply in zip(texts, asked, replies, strict=True)
    ]


def read_translation(reply: str, text: Text) -> Read:
    """Read a translation with the tags of its original: as many, of the same types, in the same order, none
    empty; else it is `unparsed` with its reason.
    """
    passage = plain_passage(reply, "Translation", tags=TAGS)
    cuts = {"cuts": " ".join(passage.cuts) or None}

    def dropped(reason: str, **detail: str) -> Read:
        return Read(reply, "unparsed", reason, {**detail, **cuts})

    if not passage.text:
        return dropped("empty")
    tagged = parse_tags(passage.text)
    if isinstance(tagged, Refused):
        return dropped(tagged.reason, detail=tagged.detail)
    types = tuple(span["type"] for span in tagged.spans)
    if types != text.types:
        detail = f"{', '.join(text.types) or 'none'} became {', '.join(types) or 'none'}"
        if len(types) != len(text.types):
            return dropped("tag-count", detail=detail)
        return dropped("tag-order" if Counter(types) == Counter(text.types) else "tag-types", detail=detail)
    if "".join(passage.text.split()) == "".join(text.marked.split()):
        return dropped("untranslated", detail="the text came back as it was")
    return Read(passage.text, attributes=cuts)


# ---- a translation model's weights -------------------------------------------------------------------------


class Unit(NamedTuple):
    """A piece of a text, and the blank space behind it."""

    text: str
    gap: str


class Translation(NamedTuple):
    """A translated sentence, or the reason why there is none; and its tokens."""

    text: str
    reason: str | None
    n_tokens: int


def weights_request(text: str, lang: str, weights: str, max_tokens: int) -> Request:
    """Return what is asked of the weights; the model is the Hub id, or the folder's name."""
    params = {"max_tokens": max_tokens, "num_beams": 1, "source": SOURCE, "target": lang, "unit": "sentence"}
    name = Path(weights).name if Path(weights).is_dir() else weights
    return Request(name, ({"role": "user", "content": text},), params)


def replies_of_weights(
    asked: Sequence[Request], weights: str, *, batch: int = 16, device: str = "auto"
) -> list[Reply]:
    """Return the replies in the order of the requests. Sentences of one language and like length share a
    batch; one that stands in many texts is translated once; greedy, so equal texts give equal replies.

    A text is `dead` for a sentence longer than the model's window (`context_length`), one whose translation
    did not end within `max_tokens` (`length`), or one of which nothing came (`empty`). Raises TruerateError
    where there are no such weights, no such device, or no name for a language in the model's vocabulary.
    """
    if not asked:
        return []
    used_device = device_of(device)
    try:
        from transformers import AutoModelForSeq2SeqLM

        tokenizer, model = load_tokenizer(weights), load_network(AutoModelForSeq2SeqLM, weights)
    except ValueError as error:
        hint = "name a Hub id or a folder of safetensors weights"
        raise TruerateError(f"{WEIGHTS_SETTING}: no translation model {weights!r}: {error}; {hint}") from None
    model = model.eval().to(used_device)
    units_of = [units(request.messages[0]["content"]) for request in asked]
    translations: dict[tuple[str, str], Translation] = {}
    for lang in dict.fromkeys(request.params["target"] for request in asked):
        check_language(tokenizer, lang, weights)
        of_lang = [pair for pair in zip(asked, units_of, strict=True) if pair[0].params["target"] == lang]
        n_new = max(request.params["max_tokens"] for request, _ in of_lang)
        texts = sorted({unit.text for _, parts in of_lang for unit in parts})
        texts.sort(key=len)
        for start in range(0, len(texts), batch):
            part = texts[start : start + batch]
            results = _translated_batch(part, lang, n_new, tokenizer, model)
            translations |= {(lang, text): result for text, result in zip(part, results, strict=True)}
    return [
        _joined_reply(request, [translations[request.params["target"], unit.text] for unit in parts], parts)
        for request, parts in zip(asked, units_of, strict=True)
    ]


def device_of(wanted: str) -> str:
    """Return the device of a setting (`auto`: a GPU if any); raises SettingsError where it is missing."""
    import torch

    has_gpu = torch.cuda.is_available()
    if wanted == "cuda" and not has_gpu:
        raise SettingsError(f"{WEIGHTS_SETTING}_device: no GPU is there for 'cuda'; write auto or cpu")
    return "cuda" if wanted != "cpu" and has_gpu else "cpu"


def check_language(tokenizer: Any, lang: str, weights: str) -> None:
    """Raise SettingsError for a language that a model has no name for: it would translate into any other."""
    names_some = code_of(tokenizer, SOURCE) is not None or prefix_of(tokenizer, SOURCE)
    if names_some and code_of(tokenizer, lang) is None and not prefix_of(tokenizer, lang):
        lacks = f"{weights!r} has no name for {language(lang).name} ({lang!r}) in its vocabulary"
        hint = f"take {lang!r} out of `languages`, or name a `translator` in its place"
        raise SettingsError(f"{WEIGHTS_SETTING}: {lacks}; {hint}")


def code_of(tokenizer: Any, lang: str) -> str | None:
    """Return how a vocabulary names a language (NLLB's code, M2M100's, mBART's); None without one."""
    vocabulary = tokenizer.get_vocab()
    if (nllb := language(lang).nllb) in vocabulary:
        return nllb
    if f"__{lang}__" in vocabulary:
        return lang
    return next((token for token in sorted(vocabulary) if re.fullmatch(rf"{lang}_[A-Z]{{2}}", token)), None)


def prefix_of(tokenizer: Any, lang: str) -> str:
    """Return the word before a text that names MADLAD's target language; empty where a model has none."""
    word = f"<2{OLD_CODES.get(lang, lang)}>"
    return f"{word} " if word in tokenizer.get_vocab() else ""


def _translated_batch(
    texts: Sequence[str], lang: str, n_new: int, tokenizer: Any, model: Any
) -> list[Translation]:
    import torch

    limit = getattr(model.config, "max_position_embeddings", None) or tokenizer.model_max_length
    n_new = min(n_new, limit)
    if hasattr(tokenizer, "src_lang"):
        tokenizer.src_lang = code_of(tokenizer, SOURCE)
    prefix = prefix_of(tokenizer, lang)
    encoded = tokenizer([prefix + text for text in texts], return_tensors="pt", padding=True)
    lengths = encoded["attention_mask"].sum(dim=1).tolist()
    tensors = {name: encoded[name][:, :limit].to(model.device) for name in ("input_ids", "attention_mask")}
    vocabulary, code = tokenizer.get_vocab(), code_of(tokenizer, lang)
    if code is not None:
        tensors["forced_bos_token_id"] = vocabulary.get(code, vocabulary.get(f"__{code}__"))
    with torch.no_grad():
        ids = model.generate(**tensors, max_new_tokens=n_new, num_beams=1, do_sample=False).cpu()
    # One that used its last token may have been cut, whatever that token is: some models force an end there.
    # Shorter ones are padded.
    has_room = ids.shape[1] - 1 < n_new
    decoded = tokenizer.batch_decode(ids, skip_special_tokens=True)
    results = []
    for text, n_tokens, last in zip(decoded, lengths, ids[:, -1].tolist(), strict=True):
        is_whole = has_room or last == model.config.pad_token_id
        reason = "context_length" if n_tokens > limit else "length" if not is_whole else None
        results.append(Translation(text, reason or (None if text.strip() else "empty"), n_tokens))
    return results


def _joined_reply(asked: Request, translations: Sequence[Translation], cut: Sequence[Unit]) -> Reply:
    key = content_id(WEIGHTS, asked.model, asked.messages, asked.params)
    n_tokens = sum(translation.n_tokens for translation in translations)
    reasons = [translation.reason for translation in translations] or ["empty"]
    if reason := next(filter(None, reasons), None):
        finish = "length" if reason == "length" else None
        return Reply(key, "dead", "", finish, reason, n_tokens, None, 0.0, False)
    text = joined([translation.text for translation in translations], cut)
    return Reply(key, "ok", text, "stop", None, n_tokens, None, 0.0, False)


# ---- a tagged text cut into sentences ----------------------------------------------------------------------


def units(marked: str) -> list[Unit]:
    """Return the sentences of a text with its tags; those that one tag spans are one unit. With their gaps
    they are the text, blank space at its ends left out.
    """
    cut: list[Unit] = []
    start = 0
    for end in _ends(marked):
        piece = marked[start:end]
        is_open = sum(-1 if tag[1] else 1 for tag in _TAGS.finditer(piece)) > 0
        if not is_open or end == len(marked):
            cut += [Unit(piece.strip(), piece[len(piece.rstrip()) :])] if piece.strip() else []
            start = end
    return cut


def _ends(marked: str) -> list[int]:
    """Return where sentences end in a text with tags, as in the text without; blanks behind them left in."""
    tags = list(_TAGS.finditer(marked))
    plain = _TAGS.sub("", marked)
    ends, position = [], 0
    for sentence in sentences(plain):
        position = plain.index(sentence, position) + len(sentence)
        end = position
        for tag in tags:
            is_before = tag.start() < end or (tag.start() == end and tag[1])
            end += len(tag[0]) if is_before else 0
        ends.append(end + len(marked[end:]) - len(marked[end:].lstrip()))
    return [*ends[:-1], len(marked)]


def joined(translations: Sequence[str], cut: Sequence[Unit]) -> str:
    """Return translated units as one text: a blank between them, or the break that stood there."""
    pieces = []
    for text, unit in zip(translations, cut, strict=True):
        pieces += [text.strip(), unit.gap if "\n" in unit.gap else " "]
    return "".join(pieces).strip()
