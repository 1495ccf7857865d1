"""Tell whether a reply declines what it was asked to write, in its first two sentences.

A refusal says that the writer cannot, will not or may not write or help, or that the request cannot be met,
or that writing falsehoods is against something (`refuses` and `languages` in texts.yaml). An apology alone is
none, nor is not knowing (a partner in a dialogue says that too), nor a title that begins so (`I Can't Help
Myself`, `Sorry is a song by …`).
"""

from functools import cache, lru_cache

from truerate.core.patterns import lazy
from truerate.core.text import sentences
from truerate.llm.replies.cutting import unemphasised, visible
from truerate.llm.replies.matching import finds, languages, match, words_of

N_SENTENCES = 2  # of the beginning are looked at
MAX_FIRST = 1_000  # characters in which they are sought
_TITLE = lazy(r"\bI\s+(?:Can(?:no|')t|Will\s+Not|Won't|Don't|Refuse)\s+[A-Z]|\A[\"“'«]")
_SIGNS = lazy(r"[\W_]+")
_UNSPACED = lazy("[\u0900-\u097f\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@lru_cache(
    maxsize=1_024
)  # a reader asks of a reply, and of what it takes out of it, which mostly are the same
def is_refusal(text: str) -> bool:
    """Return whether a text declines the request, within its first two sentences; False for an empty text."""
    shown = (
        visible(text[: 4 * MAX_FIRST]).replace("\u200c", "").replace("\u200d", "")
    )  # no phrase holds a joiner
    plain = unemphasised(shown).replace("’", "'").replace("`", "").strip(" \t\n*_#>[(")
    first = " ".join(" ".join(sentences(plain[:MAX_FIRST])[:N_SENTENCES]).split())[:400]
    if not first or _TITLE.search(first):
        return False
    words = words_of(first)
    return match("refused", words) is not None or finds("refuses", words) or _in_another_language(first)


def _in_another_language(text: str) -> bool:
    spaced = f" {_SIGNS.sub(' ', text.casefold())} " if not _UNSPACED.search(text) else f" {text.casefold()} "
    return any(_holds(spaced, "self", name) and _holds(spaced, "not", name) and _holds(spaced, "act", name)
               or _holds(spaced, "sorry", name) and _holds(spaced, "who", name) and _holds(spaced, "not", name)
               or _holds(spaced, "refuse", name) for name in languages())  # fmt: skip


def _holds(text: str, kind: str, language: str) -> bool:
    return any(phrase in text for phrase in _phrases(kind, language))


@cache
def _phrases(kind: str, language: str) -> tuple[str, ...]:
    """The phrases of a language, with a blank before those of scripts that part words by blanks."""
    return tuple(
        f"{'' if _UNSPACED.search(phrase) else ' '}{phrase}" for phrase in languages()[language][kind]
    )
