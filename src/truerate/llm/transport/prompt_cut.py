"""Prompts that a server read only in part: Ollama and others cut what passes their context and answer the
rest.

The server's own count shows it: no tokenizer in use makes one token of two words, so a count of prompt tokens
below the number of words is one of another, shorter prompt.
"""

from collections.abc import Iterable

PER_TOKEN = 5  # characters: a text of very short words bounds nothing, for some servers count by length
LEAST = 16  # a smaller count is none: servers without a tokenizer, and mocks, write a constant


def is_cut(contents: Iterable[str], n_in: int | None) -> bool:
    """Whether a server counted fewer prompt tokens, cached included, than words; few of scripts without
    spaces.
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
