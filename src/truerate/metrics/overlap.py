"""What a text shares with its reference, word by word, and how long it is. Texts come as lists of words."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from truerate.core.text import n_words

# English words that carry no content of their own; in other languages every word counts as content.
STOP_WORDS = frozenset(
    "a an the and or but nor so yet if then than that this these those there here it its he she they them his her their theirs him "
    "we us our you your i me my is are was were be been being am do does did done have has had having will would can could shall "
    "should may might must not no of in on at by for with from to into onto over under about as after before between during "
    "through against up down out off again who whom whose which what when where why how all any both each few more most other some "
    "such only own same too very also just".split()
)


class Overlap(NamedTuple):
    """Features of a text against its reference. Shares are in [0, 1] and 0 where the text holds nothing of
    the kind.
    """

    absent_rate: float  # content words that the reference does not hold
    n_absent: float
    absent_number_rate: float  # words with a digit that the reference does not hold
    absent_bigram_rate: float  # neighbouring words that never neighbour in the reference


def content_words(words: Sequence[str]) -> list[str]:
    """The words in lower case without English function words."""
    return [word for word in (word.lower() for word in words) if word not in STOP_WORDS]


def absent_rate(words: Sequence[str], unigrams: Collection[str]) -> float:
    """The share of a text's content words that are not among its reference's words (in lower case, each once); 0 of no
    content words.
    """
    content = content_words(words)
    return _share(sum(word not in unigrams for word in content), len(content))


def overlap(words: Sequence[str], reference: Sequence[str]) -> Overlap:
    """Lexical features of a text's words against its reference's words; with an empty reference everything is
    absent.

    A feature of nothing is 0 here and not None: these are inputs of classifiers, not metrics.
    """
    lower, lower_reference = [word.lower() for word in words], [word.lower() for word in reference]
    unigrams, bigrams = set(lower_reference), set(zip(lower_reference, lower_reference[1:], strict=False))
    content = content_words(words)
    numbers = [word for word in lower if any(character.isdigit() for character in word)]
    absent = [word for word in content if word not in unigrams]
    neighbours = list(zip(lower, lower[1:], strict=False))
    return Overlap(
        absent_rate=absent_rate(words, unigrams),
        n_absent=float(len(absent)),
        absent_number_rate=_share(sum(word not in unigrams for word in numbers), len(numbers)),
        absent_bigram_rate=_share(sum(pair not in bigrams for pair in neighbours), len(neighbours)),
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


class Form(NamedTuple):
    """Features of a text's form alone: what a judge could use without reading."""

    n_words: float  # as `core.text.n_words`
    n_characters: float  # without surrounding white space
    has_final_stop: float  # 1 where the last visible character ends a sentence (`.`, `。`, `।`)
    has_trailing_space: float  # 1 where white space follows the last visible character


def form(text: str) -> Form:
    """Length and format features of a text; an empty text has zeros."""
    bare = text.strip()
    return Form(
        float(n_words(bare)),
        float(len(bare)),
        float(bare.endswith((".", "。", "।"))),
        float(text != text.rstrip()),
    )
