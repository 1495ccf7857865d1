"""The translator: a text, tagged or not, said again in another language, each tag around what it was around.

A sentence that cannot be read is left as it stands. Faults are planted: a tag that is dropped, doubled, or
swapped with another.
"""

import re
from typing import NamedTuple

from truerate_world.draws import draw
from truerate_world.mfava.lang import load
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
        left = plain[index : claim.start].strip()
        sentences += [left] if left else []
        sentences.append(
            _sentence(
                reader,
                claim,
                target,
                [tag for tag in tags if tag.start < claim.end and claim.start < tag.end],
            )
        )
        index = claim.end
    sentences += [plain[index:].strip()] if plain[index:].strip() else []
    whole = realiser.join(target, sentences)
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
    """One sentence in another language, with the tags that it had: around its value, the words of its
    relation, or the whole.
    """
    made = realiser.line(reader.table, target, claim.said)
    spans = {_aligned(tag, claim, made): tag.name for tag in tags}
    text = made.text
    for (start, end), name in sorted(spans.items(), reverse=True):
        text = f"{text[:start]}<{name}>{text[start:end]}</{name}>{text[end:]}"
    return text


def _aligned(tag: Tag, claim: Claim, made: realiser.Line) -> realiser.Span:
    """Where in the translation that stands which a tag is around in the source."""
    for source, target in ((claim.value, made.value), (claim.words, made.words)):
        if (
            source
            and target
            and source[0] < tag.end
            and tag.start < source[1]
            and tag.end - tag.start < (claim.end - claim.start) * 0.8
        ):
            return target
    return 0, len(made.text)


def _spoiled(text: str, model: str, *key: object) -> Translated:
    """The translation with its planted fault, if one is drawn and fits."""
    profile, left = PROFILES[model], draw(*key, "fault")
    for name, spoil in (("dropped", _dropped), ("doubled", _doubled), ("swapped", _swapped)):
        left -= getattr(profile, name)
        if left < 0:
            spoiled = spoil(text)
            return Translated(spoiled, name if spoiled != text else None)
    return Translated(text)


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
    """With the names of its first two tags of different type exchanged; unchanged where all are of one type."""
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
    """The code of a language by its English name, as prompts say it; None where the wiki is not written in it."""
    from truerate_world.mfava.lang import LANGUAGES

    return next((code for code in LANGUAGES if load(code).name == language.strip()), None)
