"""Whether a short English reply speaks of knowing and telling alone and says nothing of what was asked about.

Refusals have endless wordings and few words: who does not know speaks of knowledge, sources, names and certainty, with
a negation, a doubt or a question. An answer has words of its matter. So a reply is held against a list of such words
(`meta_words.txt`), and refuses where next to none of its words stands outside of it.
"""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

LIST = Path(__file__).parent / "meta_words.txt"
MOST = 60  # words of a reply that is looked at
FREE, PER = 1, 15  # words of its own that a reply may have, and one more for each PER words
SAID_BY_NUMBER = 2  # words that a number counts as
# what a sentence rests on stands before what it says
_BASED_ON = re.compile(r"^\W*(based on|according to|judging (by|from)|given) [^,.?!]{1,60},", re.IGNORECASE)
_WORD = re.compile(r"\w+(?:['-]\w+)*")
_LEADING = re.compile(r"^(\W|and |but |so |or |then |well,? )*(?=\w)", re.IGNORECASE)


def tells_nothing(sentences: Sequence[str]) -> bool:
    """Whether the sentences of a reply say nothing of what was asked about, and one says so: by a negation, a doubt,
    an apology, a turn to the user or a question. No sentence, no.

    Words in capitals that are not on the list are names, and say nothing; a number says something, and so does a
    sentence that is nothing of this sort and has a word of its own, or none on the list.
    """
    parts = [_BASED_ON.sub("", sentence) for sentence in sentences]
    result = [_WORD.findall(sentence) for sentence in parts]
    n = sum(map(len, result))
    if not 0 < n <= MOST:
        return False
    inner = content = n_signed = 0
    for sentence, words in zip(parts, result, strict=True):
        kinds = [_kind(word.lower()) for word in words]
        is_signed = (
            sentence.rstrip().endswith("?") or _turns(sentence) or bool({"signs", "negations"} & set(kinds))
        )
        speaks = sum(kind in ("signs", "meta") for kind in kinds)
        says = sum(
            SAID_BY_NUMBER * word.isdecimal() or (kind == "" and not word[0].isupper())
            for word, kind in zip(words, kinds, strict=True)
        )
        if words and not is_signed and (says or not speaks):
            return False
        inner, content, n_signed = inner + says, content + speaks, n_signed + is_signed
    return n_signed > 0 and content > inner and inner <= FREE + n // PER


def _turns(sentence: str) -> bool:
    first = _WORD.match(_LEADING.sub("", sentence))
    return first is not None and first[0].lower() in _words()["turns"][0]


@cache
def _kind(word: str) -> str:
    """Of which list a word is, in small letters; empty for none."""
    kinds = ("negations", "signs", "function", "neutral", "meta")
    return next(
        (kind for kind in kinds if word in _words()[kind][0] or word.startswith(_words()[kind][1])), ""
    )


@cache
def _words() -> dict[str, tuple[frozenset[str], tuple[str, ...]]]:
    """The lists: whole words, and beginnings of words."""
    lines = [line for line in LIST.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    lists = {name: words.split() for name, _, words in (line.partition(":") for line in lines)}
    return {
        name: (
            frozenset(word for word in words if not word.endswith("*")),
            tuple(word[:-1] for word in words if word.endswith("*")),
        )
        for name, words in lists.items()
    }
