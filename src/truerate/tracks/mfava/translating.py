"""Translate-train (mFAVA section 3.1): English labelled passages and their references in other languages. A
model of an endpoint translates one text per request, weights (`seq2seq`) translate batches here; rows are
alike.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from truerate.core.spans.tags import TYPES, Refused, parse_tags, with_tags
from truerate.llm import Reply, Request
from truerate.llm.generation import Prompted, Read, decoding, generation
from truerate.llm.replies.texts.passages import plain_passage
from truerate.tracks.asking import Prompter
from truerate.tracks.mfava.context import SOURCE, Context, language

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
    """Whether the spans of a sample can be written as tags: inside the text, not empty, apart."""
    spans = ordered_spans(row)
    borders = [0, *(border for span in spans for border in (span["start"], span["end"])), len(row["text"])]
    return borders == sorted(borders) and all(span["start"] < span["end"] for span in spans)


def requests(texts: Iterable[Text], translator: str, prompter: Prompter) -> list[Prompted]:
    """Return one request per text."""
    decoded, source = decoding(prompter.settings.translating), language(SOURCE).name
    asked = []
    for text in texts:
        values = {"target": language(text.lang).name, "text": text.marked, "has_tags": bool(text.types)}
        messages = prompter.messages("translate", source=source, **values)
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
    passage = plain_passage(reply, "Translation", tags=(*TYPES, "delete", "mark"))
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
