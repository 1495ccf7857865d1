"""The rules of one insertion round: what a reply may change of a passage, and why it is refused. Pure, on two
texts with tags.
"""

import re

import regex

from truerate.core.tags import REASONS as TAG_REASONS
from truerate.core.tags import REPLACED, TYPES, Refused, Tagged, parse_tags
from truerate.core.text import sentences

# Why a passage is refused: the tag grammar's reasons, and · tags of an earlier round changed · nothing of
# this type came · nothing was replaced · too many words were · something invented before the first
# sentence.
REASONS = (*TAG_REASONS, "touched-tags", "nothing-inserted", "not-replaced", "too-long", "invented-first")
# that an entity or relation insertion usually replaces, and puts in their place (mFAVA section 3.1:
# "usually"); how many are refused is a setting
USUAL_WORDS = 3
# of a script without spaces: words there are rarely longer, a name written by its sound takes two or three
# such
CHARACTERS_PER_WORD = 4
_OLD = re.compile(r"<delete>(?P<old>[^<>]*)</delete>")
_MARK = re.compile(r"<mark>(?P<new>[^<>]*)</mark>")
_RUN = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]+")


def refused(reply: str, *, before: str, type_: str, max_words: int) -> Refused | None:
    """Why a reply is no passage with new tags of one type in it, None where it is.

    `before` is the passage with the tags of earlier rounds, `max_words` how many words a replacement may
    take out or put in. Without the new tags, and with what they deleted,
    the reply must be that text, blank space apart; earlier tags stand as they stood. Tags of later rounds are
    unknown.
    """
    if not reply.strip():
        return Refused("empty", "no text")
    earlier = TYPES[: TYPES.index(type_)]
    if (kept := _elements(reply, earlier)) != (given := _elements(before, earlier)):
        return Refused(
            "touched-tags",
            f"{len(given)} earlier tags were given, {len(kept)} came back or what they hold has changed",
        )
    tagged = parse_tags(reply, types=(*earlier, type_))
    if isinstance(tagged, Refused):
        inside = re.search(r"tags inside '<(\w+)>'", tagged.detail)
        return tagged if inside is None or inside[1] == type_ else Refused("touched-tags", tagged.detail)
    if _squeezed(_element(type_).sub(_undone, reply)) != _squeezed(before):
        return Refused("altered", "the text outside the new tags is not the one that was given")
    new = [match[1] for match in _element(type_).finditer(reply)]
    if not new:
        return Refused("nothing-inserted", f"no <{type_}> in the reply")
    return _replaced_rightly(new, max_words) if type_ in REPLACED else _placed_rightly(tagged, before, type_)


def longest_replacement(marked: str, type_: str) -> int:
    """The words of the longest piece that insertions of this type took out or put in; 0 without any."""
    pieces = [
        piece[1]
        for inside in _element(type_).findall(marked)
        for part in (_OLD, _MARK)
        for piece in part.finditer(inside)
    ]
    return max(map(n_words, pieces), default=0)


def _replaced_rightly(new: list[str], max_words: int) -> Refused | None:
    for inside in new:
        old, mark = _OLD.search(inside), _MARK.search(inside)
        if old is None or mark is None or not old["old"].strip() or old["old"].split() == mark["new"].split():
            return Refused("not-replaced", f"{inside[:80]!r} does not put other words in the place of some")
        longest = max(n_words(old["old"]), n_words(mark["new"]))
        if longest > max_words:
            return Refused("too-long", f"{longest} words; allowed: 1 to {max_words}")
    return None


def _placed_rightly(tagged: Tagged, before: str, type_: str) -> Refused | None:
    if type_ != "invented":
        return None
    first = _squeezed((sentences(parse_tags(before).text) or [""])[0])
    for span in tagged.spans:
        if span["type"] == type_ and len(_squeezed(tagged.text[: span["start"]])) < len(first):
            return Refused("invented-first", "stands before the end of the first sentence")
    return None


def n_words(text: str) -> int:
    """The words of a piece of text by blank space; a run of a script without spaces counts a word per
    `CHARACTERS_PER_WORD` characters.
    """
    n_runs = sum(-(-len(run) // CHARACTERS_PER_WORD) for run in _RUN.findall(text))
    return n_runs + len(_RUN.sub(" ", text).split())


def _element(type_: str) -> re.Pattern:
    return re.compile(rf"<{type_}>(.*?)</{type_}>", re.DOTALL)


def _elements(marked: str, types: tuple[str, ...]) -> list[str]:
    """The whole elements of these types, in order."""
    return (
        [match[0] for match in re.finditer(rf"<({'|'.join(types)})>.*?</\1>", marked, re.DOTALL)]
        if types
        else []
    )


def _undone(element: re.Match) -> str:
    """What stood there before an insertion: the deleted words, or nothing."""
    old = _OLD.search(element[1])
    return old["old"] if old else ""


def _squeezed(text: str) -> str:
    return "".join(text.split())
