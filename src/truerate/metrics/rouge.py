"""ROUGE-L over words (Lin 2004): how much of two texts is one common subsequence.

Words are those of the one rule (`core.text`), folded, parted at hyphens and apostrophes: of English text those of the
reference implementation without stemming. A text of signs alone has what its blanks part.
"""

from collections.abc import Iterable, Sequence

from truerate.core.text import compatible, pieces

Words = Sequence[str]


def rouge_words(text: str) -> list[str]:
    """The words that ROUGE counts."""
    folded = compatible(text).casefold()
    return pieces(folded) or folded.split()


def rouge_l(pairs: Iterable[tuple[str, str]]) -> list[float]:
    """ROUGE-L F1 of each pair of a target and a text, in [0, 1].

    F1 = 2 L / (m + n), L the length of the longest common subsequence of the m and n words: the harmonic mean
    of L / m and L / n. 0 where a side has no word. A text that comes in
    several pairs is cut into words once.
    """
    known: dict[str, list[str]] = {}

    def cut(text: str) -> list[str]:
        if text not in known:
            known[text] = rouge_words(text)
        return known[text]

    return [rouge_l_words(cut(target), cut(text)) for target, text in pairs]


def rouge_l_words(target: Words, text: Words) -> float:
    """ROUGE-L F1 of two lists of words, as `rouge_l`."""
    n_common = common_length(target, text)
    return 2 * n_common / (len(target) + len(text)) if n_common else 0.0


def common_length(first: Words, second: Words) -> int:
    """The length of the longest common subsequence, a row of the table at once as the bits of one number
    (Hyyrö 2004): a word costs what an addition of `first`'s length in bits does.
    """
    places: dict[str, int] = {}
    for place, word in enumerate(first):
        places[word] = places.get(word, 0) | 1 << place
    whole = (1 << len(first)) - 1
    row = whole  # a 0 stands where the subsequence grows
    for word in second:
        if match := places.get(word, 0) & row:
            row = ((row + match) | (row - match)) & whole
    return len(first) - row.bit_count()
