"""Read the one word of a closed list that a reply gives."""

import re
import unicodedata
from collections.abc import Mapping

from truerate.core.patterns import lazy
from truerate.llm.replies.blocks import plain as reply_form
from truerate.llm.replies.cutting import bare, unfenced, unwrapped
from truerate.llm.replies.headings import find
from truerate.llm.replies.lists.marks import json_of
from truerate.llm.replies.reading import Parsed, joined, nothing

MAX_WORD = 2_000  # characters of a reply that gives one word, and its reason
_SIGNS = " \t\r\n.,;:!*_`'\"“”‘’()[]#-–•"
_NUMBERED = lazy(r"\A\(?\d{1,2}\s*[.):]\s*")
# a word of another value, or of doubt, in what stands beside the word
_DOUBT = lazy(
    r"\b(?:not|or|and|nor|but|rather|actually|wait|maybe|perhaps|possibly|also|either|neither|however|could"
    r"|might|no|instead|hmm)\b|[?/]|n't"
)
_SHARED = frozenset(("related", "domain", "&", "and", "of", "the"))
_LEAD = lazy(
    r"\A\W*(?:i(?: would|['’]d) (?:say|answer)(?: it is)?|(?:(?:the|its|this|my|best(?:[- ]fitting)?"
    r"|most (?:fitting|suitable|appropriate)) ){0,3}(?:domain|kind|referents|answer|category|choice)(?: is)?)[ :]+(?:the )?",
    re.IGNORECASE,
)
_PARTED = lazy(r"\W*([^(（:：,;.–—]+?)\s*(?:[(（:：,;]|\.\s|\s[-–—]\s|\s(?:because|since|as)\s)(.*)")


def plain(text: str) -> str:
    """A word as compared with those of a list: case folded, `&` for `and`, single spaces for blanks and
    hyphens, no decoration.
    """
    whole = unicodedata.normalize("NFC", text).strip().strip("*_`# ")
    bare_word = _NUMBERED.sub("", whole).strip(_SIGNS).casefold()
    spaced = re.sub(r"\s*&\s*", " & ", re.sub(r"[\s\-‐‑–_]+", " ", bare_word))
    return re.sub(r"(?<!\w)and(?!\w)", "&", " ".join(spaced.split()))


def read_word(text: str, cue: str, words: Mapping[str, str], *, is_partial: bool = False) -> Parsed:
    """The value of the one of `words` (spelling → value) that the first line of a reply is, after its cue if
    it repeats it.

    A reason may stand behind it, in brackets, behind a sign, or on further lines. With `is_partial` words
    that occur in the spellings of one value alone name it (`nutrition` for `food & nutrition`). Else None and
    the reason: `empty`, `thought_only`, `ambiguous` where it is several of them on lines of their own,
    `absent`. A word within a sentence does not count: "not an entity" holds a word that it denies.
    """
    answer, cuts = unwrapped(text)
    if not answer:
        return nothing(cuts)
    if len(answer) > MAX_WORD:
        return Parsed(None, "absent", cuts)
    answer = reply_form(answer)
    value = json_of(answer)
    if isinstance(value, dict) and len(value) == 1 and isinstance(only := next(iter(value.values())), str):
        answer, cuts = only, joined(cuts, ("json",))
    if cues := find(answer, cue, is_anywhere=False):
        answer = answer[cues[-1].end :]
    inside, more = bare(unfenced(answer).text)
    cuts = joined(cuts, more)
    lines = [line for line in inside.splitlines() if plain(line)]
    named = [_named(line, words, is_partial=is_partial) for line in lines]
    others = [line for line, item in zip(lines, named, strict=True) if item is None]
    values = set(named) - {None}
    if len(values) > 1:
        return Parsed(None, "ambiguous", cuts)
    is_first = bool(values) and (named[0] is not None or lines[0].rstrip(" *_").endswith(":"))
    if not is_first or any(_DOUBT.search(line.casefold()) for line in others):
        return Parsed(None, "absent" if lines else "empty", cuts)
    is_exact = plain(lines[0]) in words and not others
    return Parsed(values.pop(), None, joined(cuts, () if is_exact else ("explanation",)))


def _named(line: str, words: Mapping[str, str], *, is_partial: bool) -> str | None:
    """The value that a line names, None where it names none for certain."""
    line = _LEAD.sub("", line)
    if (value := _spelled(line, words, is_partial=is_partial)) is not None:
        return value
    parted = _PARTED.match(line)
    if parted is None or _DOUBT.search(parted[2].casefold()):
        return None
    value = _spelled(parted[1], words, is_partial=is_partial)
    others = {_spelled(part, words, is_partial=is_partial) for part in re.split(r"[,;]", parted[2])}
    return value if others <= {value, None} else None


def _spelled(text: str, words: Mapping[str, str], *, is_partial: bool) -> str | None:
    """The value of a spelling, or of words that only the spellings of one value hold."""
    bare_word = plain(text)
    if bare_word in words or not is_partial:
        return words.get(bare_word)
    tokens = [token for token in re.findall(r"\w+", bare_word.replace("/", " ")) if token not in _SHARED]
    by_token = [{value for spelling, value in words.items() if token in spelling.split()} for token in tokens]
    values = set.intersection(*by_token) if by_token else set()
    return next(iter(values)) if len(values) == 1 else None
