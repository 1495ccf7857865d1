"""What an answer of an endpoint means for its request, the reasons why there is none, and how a reply ended.

How a reply ended is known by the word that its server gives: whole by a list of words; else cut or filtered,
by parts of words; else broken off. A word on no list is that of a reply that broke off, for a fragment that
counts as whole is a wrong row. The words stand in `words.yaml`.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from truerate.core.data_files import read_data
from truerate.core.text import clean

Action = Literal["keep", "retry", "dead", "fatal"]
# Retried, at most `llm.max_attempts` times; the last one then names the dead letter (`unreachable` stops the
# run instead).
RETRIED = (
    "rate_limited", "server_error", "not_ready", "timeout", "connection", "unreachable",
    "bad_http", "bad_json", "html", "not_a_completion", "no_choices", "empty",
)  # fmt: skip
DEAD = (
    "refusal", "content_filter", "context_length", "prompt_cut", "length", "rejected", "too_large", "unstorable",
)  # fmt: skip
FATAL = ("unauthorised", "forbidden", "wrong_model", "quota")
# a reply in which nothing but thought stands, or that was cut before anything else: no answer, though nothing
# is to be asked again
THOUGHT_ONLY = "thought_only"
REASONS = (*RETRIED, *DEAD, *FATAL, THOUGHT_ONLY)
# What a single request brings upon itself, as an outcome of its row; every other reason of a dead letter is a
# fault of the endpoint.
OUTCOMES = ("refusal", "content_filter", "context_length", "prompt_cut", "length", "empty", THOUGHT_ONLY)
FAULTS = tuple(reason for reason in (*RETRIED, *DEAD) if reason not in OUTCOMES)
_SECRET = re.compile(r"\b(?:sk|pk)-[A-Za-z0-9_\-*.]{6,}|\bBearer \S+")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to do with an answer, and what it brought.

    `delay`: seconds that the server asks to wait; `resets_at`: epoch seconds when its limit resets.
    `is_charged`: it may cost something without usage. `is_answered`: there was a completion. `served`: the
    model that says it answered. `n_cached`: prompt tokens from a cache, beside or within `n_in`.
    """

    action: Action
    reason: str = ""
    detail: str = ""
    delay: float | None = None
    resets_at: float | None = None
    text: str = ""
    finish: str | None = None
    n_in: int | None = None
    n_out: int | None = None
    n_cached: int = 0
    extra: bytes | None = None
    is_charged: bool = False
    is_answered: bool = False
    served: str | None = None


def short(words: str) -> str:
    """At most 200 characters on one line, anything that looks like a key removed."""
    return _SECRET.sub("[key]", " ".join(clean(words).split()))[:200]


# ---- how a reply ended ------------------------------------------------------------------------------------
WORDS: dict[str, Any] = read_data(Path(__file__).with_name("words.yaml"), dict)


def pattern(name: str) -> re.Pattern[str]:
    """A list of words.yaml as one pattern, in any case."""
    return re.compile("|".join(WORDS[name]), re.IGNORECASE)


WHOLE, BROKEN = frozenset(WORDS["whole"]), frozenset(WORDS["broken"])
CUT, FILTERED = pattern("cut"), pattern("filtered")
LENGTH, FILTER = "length", "content_filter"


@lru_cache(4096)
def end(word: str | None) -> str | None:
    """Return how a reply ended: None or the word of a whole one, `length`, `content_filter`, or a word that
    `is_broken`.
    """
    plain = _plain(word)
    if plain is None or plain in WHOLE | BROKEN:
        return word
    return LENGTH if CUT.search(plain) else FILTER if FILTERED.search(plain) else word


def is_whole(word: str | None) -> bool:
    """Return whether a reply with this end says all that it was to say."""
    return word is None or _plain(word) in WHOLE


@lru_cache(4096)
def is_broken(word: str | None) -> bool:
    """Return whether a reply with this end is no whole one, and neither cut at a limit nor filtered."""
    return not is_whole(word) and end(word) not in (LENGTH, FILTER)


def is_unknown(word: str) -> bool:
    """Return whether the word stands on no list."""
    return is_broken(word) and _plain(word) not in BROKEN


def _plain(word: str | None) -> str | None:
    """A word in lower case with `_` between parts, as for `endTurn` and `FinishReason.END_TURN`."""
    if word is None:
        return None
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", word.strip().rpartition(".")[2])
    return re.sub(r"[\s_-]+", "_", parted).lower().removeprefix("finish_reason_").strip("<|_>")


# ---- prompts that a server read only in part --------------------------------------------------------------
# Ollama and others cut what passes their context and answer the rest. The server's own count shows it: no
# tokenizer in use makes one token of two words, so a count of prompt tokens below the number of words is one
# of another, shorter prompt.
PER_TOKEN = 5  # characters: a text of very short words bounds nothing, for some servers count by length
LEAST = 16  # a smaller count is none: servers without a tokenizer, and mocks, write a constant


def is_cut(contents: Iterable[str], n_in: int | None) -> bool:
    """Return whether a server counted fewer prompt tokens, cached included, than words; few of scripts
    without spaces.
    """
    if n_in is None or n_in < LEAST:
        return False
    contents = list(contents)
    if n_in * PER_TOKEN >= sum(map(len, contents)):
        return False
    if n_in >= sum(text.count(" ") + text.count("\n") + text.count("\t") + 1 for text in contents):
        return False
    return n_in < n_words(contents)


def n_words(contents: Iterable[str]) -> int:
    """The words of the messages: runs between blanks that hold a letter or a digit."""
    return sum(any(map(str.isalnum, run)) for text in contents for run in _runs(text))


def _runs(text: str) -> list[str]:
    """The runs between blanks of ASCII, at which every tokenizer parts; others may stand within a token."""
    return [run for run in text.replace("\n", " ").replace("\t", " ").replace("\r", " ").split(" ") if run]
