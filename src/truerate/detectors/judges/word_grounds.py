"""What knowledge and conversation say of each word of a response, as numbers that boosted trees read.

A word is told by how it stands in them (match, alignment and telling codes of `tokens.features`), by how it
looks (a number, a name, a common word), by how well the sentences that hold it fit the rest of its own
sentence, and by its use in the texts that were learned from: a paraphrase and a made-up value are both absent
from the knowledge, but only the first keeps coming back in faithful responses.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from truerate.detectors.tokens.features import ReferenceIndex, Units, reference_index, unit_features, units

SHORT, COMMON, FIRST, NAME, NUMBER = range(5)  # how a word looks; FIRST: a capital at a sentence's beginning
N_LONG = 4  # letters from which a word carries content
AROUND = (-2, -1, 1, 2)  # words beside it of which it is told too
BEYOND = -2.0  # in place of what a word beside it would tell, where the text ends
OF_WORD = (
    "level",  # 0 stands nowhere, 1 a word of its stem does, 2 the word itself
    "has_left",  # its left neighbour stands beside it there
    "has_right",
    "alignment",
    "telling",
    "looks",
    "in_knowledge",
    "in_conversation",
    "usual",
    "held_with",  # words of its sentence that a sentence which holds it shares, at most; −1 none holds it
    "shared_most",  # the same of any sentence
    "lacking",  # what the sentences that hold it lack of that
    "others",  # distinct words of its sentence that carry content
    "absent_others",  # of these, those that stand nowhere
    "absent_names",  # of these, names and numbers
    "from_knowledge",
    "from_conversation",
    "words",  # of the text
    "sentences",
    "numbers",  # words of the knowledge with a digit
    "place",  # in its sentence
    "letters",
)
BESIDE = ("level", "looks", "in_knowledge", "in_conversation", "usual", "lacking")
NAMES = (*OF_WORD, *(f"{name} {shift:+d}" for shift in AROUND for name in BESIDE))

Groups = frozenset[str]
Usage = Mapping[
    str, tuple[Groups, Groups]
]  # of a stem: the groups with it absent and clean, absent and marked


class LabelledWords(NamedTuple):
    """A labelled response: its words, which of them are marked (words,), and what it is judged against."""

    group_id: str
    words: Units
    marked: np.ndarray
    about: ReferenceIndex


def marked_words(words: Units, spans: Sequence[Mapping[str, int]] | None) -> np.ndarray:
    """Return which words a labelled span touches, (words,) of bool."""
    marked = np.zeros(len(words.keys), dtype=bool)
    for span in spans or ():
        marked |= (words.offsets[:, 0] < span["end"]) & (words.offsets[:, 1] > span["start"])
    return marked


def usage_of(texts: Sequence[LabelledWords]) -> Usage:
    """In which groups each stem stands in a response and not in what that is judged against, by its label."""
    groups_by_stem: dict[str, tuple[set[str], set[str]]] = {}
    for text in texts:
        for stem, is_marked in zip(text.words.stems, text.marked.tolist(), strict=True):
            if stem not in text.about.stems:
                groups_by_stem.setdefault(stem, (set(), set()))[is_marked].add(text.group_id)
    return {
        stem: (frozenset(clean), frozenset(marked))
        for stem, (clean, marked) in sorted(groups_by_stem.items())
    }


def usual(usage: Usage, without: str | None = None) -> dict[str, float]:
    """Of each stem ln((c + ½) / (m + ½)): in c groups it was absent and clean, in m absent and marked, those
    of the group `without` left out, so that no text is told its own label. A stem that is not there counts as
    0.
    """
    drop = {without}
    return {
        stem: float(np.log((len(clean - drop) + 0.5) / (len(marked - drop) + 0.5)))
        for stem, (clean, marked) in usage.items()
    }


def looks(words: Units, text: str) -> np.ndarray:
    """The look of each word, (words,): SHORT, COMMON (also a lone character), FIRST, NAME or NUMBER."""
    kinds = []
    for i, (start, end) in enumerate(words.offsets.tolist()):
        word, is_first = text[start:end], i == 0 or words.sentences[i] != words.sentences[i - 1]
        if any(map(str.isdigit, word)):
            kinds.append(NUMBER)
        elif word[:1].isupper():
            kinds.append(FIRST if is_first else NAME)
        else:
            kinds.append(COMMON if words.is_single[i] or len(word) >= N_LONG else SHORT)
    return np.array(kinds, dtype=int)


def word_grounds(
    text: str, knowledge: str, conversation: str, reference: str, odds: Mapping[str, float]
) -> tuple[Units, np.ndarray]:
    """The words of a response, and the numbers of NAMES for each (words, 46). `reference`: knowledge and
    conversation as one text; `odds`: those of `usual`. A text without a word has none.
    """
    words, codes = unit_features(text, reference_index(reference))
    if not len(words.keys):
        return words, np.zeros((0, len(NAMES)))
    knowledge_words, conversation_words = units(knowledge), units(conversation)
    holders = [*_stems_by_sentence(knowledge_words), *_stems_by_sentence(conversation_words)]
    kinds = looks(words, text)
    match = codes[:, 0].astype(int) - 1
    in_knowledge, in_conversation = (
        np.array([stem in set_ for stem in words.stems])
        for set_ in (set(knowledge_words.stems), set(conversation_words.stems))
    )
    columns = {
        "level": match % 3,
        "has_left": match // 3 % 2,
        "has_right": match // 6,
        "alignment": codes[:, 1],
        "telling": codes[:, 2],
        "looks": kinds,
        "in_knowledge": in_knowledge,
        "in_conversation": in_conversation,
        "usual": [odds.get(stem, 0.0) for stem in words.stems],
        "words": np.full(len(kinds), len(kinds)),
        "sentences": np.full(len(kinds), words.sentences[-1] - words.sentences[0] + 1),
        "numbers": np.full(len(kinds), sum(any(map(str.isdigit, key)) for key in set(knowledge_words.stems))),
        "place": np.arange(len(kinds)) - np.searchsorted(words.sentences, words.sentences),
        "letters": [len(key) for key in words.keys],
        **_beside_in_sentence(words, kinds, in_knowledge, in_conversation, holders),
    }
    word_columns = np.column_stack([np.asarray(columns[name], dtype=float) for name in OF_WORD])
    return words, np.column_stack([word_columns, *_neighbours(word_columns)])


def _stems_by_sentence(words: Units) -> list[frozenset[str]]:
    """The stems of each sentence of a text."""
    stems_by_sentence: dict[int, set[str]] = {}
    for stem, sentence in zip(words.stems, words.sentences.tolist(), strict=True):
        stems_by_sentence.setdefault(sentence, set()).add(stem)
    return [frozenset(stems) for stems in stems_by_sentence.values()]


def _beside_in_sentence(
    words: Units,
    kinds: np.ndarray,
    in_knowledge: np.ndarray,
    in_conversation: np.ndarray,
    holders: Sequence[frozenset[str]],
) -> dict[str, list[int]]:
    """Features of each word by the other words of its sentence; `holders`: stems of reference sentences."""
    carries = (kinds != SHORT) | np.array([len(key) >= N_LONG for key in words.keys])
    stems, sentences = words.stems, words.sentences.tolist()
    is_absent = carries & ~in_knowledge & ~in_conversation
    by_sentence: dict[int, list[int]] = {}
    for i in np.flatnonzero(carries).tolist():
        by_sentence.setdefault(sentences[i], []).append(i)
    rows: list[dict[str, int]] = []
    for i, stem in enumerate(stems):
        beside = [j for j in by_sentence.get(sentences[i], ()) if j != i]
        others = {stems[j]: j for j in beside if stems[j] != stem}
        shared = [(len(others.keys() & holder), stem in holder) for holder in holders]
        most = max((n for n, _ in shared), default=0)
        held_with = max((n for n, is_held in shared if is_held), default=-1)
        absent = [j for j in beside if is_absent[j]]
        rows.append({
            "held_with": held_with,
            "shared_most": most,
            "lacking": most - max(held_with, 0),
            "others": len(others),
            "absent_others": len(absent),
            "absent_names": sum(int(kinds[j]) in (NAME, NUMBER) for j in absent),
            "from_knowledge": sum(bool(in_knowledge[j]) for j in others.values()),
            "from_conversation": sum(bool(in_conversation[j]) for j in others.values()),
        })  # fmt: skip
    return {name: [row[name] for row in rows] for name in rows[0]}


def _neighbours(columns: np.ndarray) -> list[np.ndarray]:
    """The columns BESIDE of the words AROUND each, (words, 6) each."""
    beside = columns[:, [OF_WORD.index(name) for name in BESIDE]]
    reach = max(map(abs, AROUND))
    edge = np.full((reach, len(BESIDE)), BEYOND)
    whole = np.concatenate([edge, beside, edge])
    return [whole[reach + shift : reach + shift + len(columns)] for shift in AROUND]
