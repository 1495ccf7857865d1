"""The translator: a text in another language, tags included; unreadable sentences stay as they are."""

import re
from typing import NamedTuple

from truerate_world.draws import pick_by_rate
from truerate_world.mfava.lang import LANGUAGES, load
from truerate_world.mfava.models import realiser
from truerate_world.mfava.models.planted import PROFILES
from truerate_world.mfava.models.reader import Claim, Reader

_TAG = re.compile(r"<(/?)(entity|relation|contradictory|unverifiable|invented|subjective)>")


class Tag(NamedTuple):
    """A tag's name and what it is around, in the text without tags."""

    name: str
    start: int
    end: int


class Translated(NamedTuple):
    """A translation, and the fault that was planted in it."""

    text: str
    fault: str | None = None


def translated(reader: Reader, model: str, text: str, source: str, target: str, *key: object) -> Translated:
    """A text in another language, its tags kept unless a fault is drawn."""
    plain, tags = untagged(text)
    sentences, index = [], 0
    for claim in reader.read(plain, source):
        inside = [tag for tag in tags if tag.start < claim.end and claim.start < tag.end]
        sentences += [plain[index : claim.start].strip(), _sentence(reader, claim, target, inside)]
        index = claim.end
    sentences.append(plain[index:].strip())
    whole = realiser.join(target, [sentence for sentence in sentences if sentence])
    return _spoiled(whole, model, *key) if _TAG.search(whole) else Translated(whole)


def untagged(text: str) -> tuple[str, list[Tag]]:
    """A text without its tags, and what each was around; an end without a beginning is left out."""
    plain, tags, index, opened = "", [], 0, None
    for match in _TAG.finditer(text):
        plain += text[index : match.start()]
        index = match.end()
        if not match[1]:
            opened = (match[2], len(plain))
        elif opened and opened[0] == match[2]:
            tags.append(Tag(match[2], opened[1], len(plain)))
            opened = None
    return plain + text[index:], tags


def _sentence(reader: Reader, claim: Claim, target: str, tags: list[Tag]) -> str:
    """Return a sentence in another language, tagged at its value, its words, or as a whole."""
    line = realiser.line(reader.table, target, claim.statement)
    spans, text = {_aligned(tag, claim, line): tag.name for tag in tags}, line.text
    for (start, end), name in sorted(spans.items(), reverse=True):
        text = f"{text[:start]}<{name}>{text[start:end]}</{name}>{text[end:]}"
    return text


def _aligned(tag: Tag, claim: Claim, line: realiser.Line) -> realiser.Span:
    """Where in the translation that stands which a tag is around in the source."""
    if tag.end - tag.start < (claim.end - claim.start) * 0.8:
        for source, target in ((claim.value, line.value), (claim.words, line.words)):
            if source and target and source[0] < tag.end and tag.start < source[1]:
                return target
    return 0, len(line.text)


def _spoiled(text: str, model: str, *key: object) -> Translated:
    """The translation with its planted fault, if one is drawn and fits."""
    spoilers = {"dropped": _dropped, "doubled": _doubled, "swapped": _swapped}
    fault = pick_by_rate({name: getattr(PROFILES[model], name) for name in spoilers}, *key, "fault")
    spoiled = spoilers[fault](text) if fault else text
    return Translated(spoiled, fault if spoiled != text else None)


def _dropped(text: str) -> str:
    """Without its first pair of tags; what it was around stays."""
    name = _TAG.search(text)[2]
    return text.replace(f"<{name}>", "", 1).replace(f"</{name}>", "", 1)


def _doubled(text: str) -> str:
    """With its first tagged piece twice."""
    start = _TAG.search(text)
    end = text.index(f"</{start[2]}>") + len(start[2]) + 3
    piece = text[start.start() : end]
    return f"{text[:end]} {piece}{text[end:]}"


def _swapped(text: str) -> str:
    """With the names of its first two tags of different type exchanged, if there are two."""
    names = [match[2] for match in _TAG.finditer(text) if not match[1]]
    other = next((name for name in names if name != names[0]), None)
    if other is None:
        return text
    swap = {names[0]: other, other: names[0]}
    left = {f"{slash}{name}": 1 for name in swap for slash in ("", "/")}

    def renamed(hit: re.Match) -> str:
        key = hit[1] + hit[2]
        if left.get(key, 0) == 0:
            return hit[0]
        left[key] -= 1
        return f"<{hit[1]}{swap[hit[2]]}>"

    return _TAG.sub(renamed, text)


def code_of(language: str) -> str | None:
    """The code of a language by its English name, as prompts say it; None where the wiki lacks it."""
    return next((code for code in LANGUAGES if load(code).name == language.strip()), None)
