"""Translate-train (mFAVA section 3.1): English labelled passages and their references in other languages,
spans carried by tags.

A model of an endpoint translates one text per request, weights of a Hub id or path (`seq2seq`) translate
batches here; rows are alike.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from truerate.core.tags import TYPES, Refused, parse_tags, with_tags
from truerate.llm import Reply, Request, prompts
from truerate.llm.generation import Prompted, Read, decoding, generation
from truerate.llm.replies.passages import plain_passage
from truerate.tracks.mfava.context import Context
from truerate.tracks.mfava.languages import SOURCE, language
from truerate.tracks.mfava.settings import Settings

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
