"""What knowledge and conversation say of each word of a response."""

from math import log

import numpy as np
import pytest

from truerate.detectors.judges.judged import reference_of
from truerate.detectors.judges.word_grounds import (
    BEYOND,
    COMMON,
    FIRST,
    NAME,
    NAMES,
    NUMBER,
    OWN,
    SHORT,
    LabelledWords,
    looks,
    marked_words,
    usage_of,
    usual,
    word_grounds,
)
from truerate.detectors.tokens.features import reference_index, units

KNOWLEDGE = "Velmora was founded in 1912. Not to be confused with Gamard."


def grounds(text, word, *, knowledge=KNOWLEDGE, history="Assistant: It trades in lace.", odds=None):
    """What is said of one word, by name."""
    reference = reference_of(knowledge, history, "Well?")
    answer, numbers = word_grounds(text, knowledge, f"{history}\nWell?", reference, odds or {})
    keys = [text[start:end] for start, end in answer.offsets.tolist()]
    return dict(zip(NAMES, numbers[keys.index(word)].tolist(), strict=True))


def test_a_wrong_value_stands_nowhere_and_the_rest_of_its_sentence_does():
    given = grounds("Velmora was founded in 1899.", "1899")
    assert (given["level"], given["looks"], given["in_knowledge"], given["in_conversation"]) == (
        0,
        NUMBER,
        0,
        0,
    )
    # its sentence shares Velmora and founded with the first sentence of the knowledge, and none holds it
    assert (given["held_with"], given["shared_most"], given["lacking"], given["others"]) == (-1, 2, 2, 2)
    assert (given["numbers"], given["words"], given["place"], given["letters"]) == (1, 5, 4, 4)
    right = grounds("Velmora was founded in 1912.", "1912")
    assert (right["level"], right["held_with"], right["lacking"]) == (2, 2, 0)


def test_a_word_that_stands_in_another_sentence_lacks_what_its_own_shares():
    given = grounds("Gamard was founded in 1912.", "Gamard")
    assert given["in_knowledge"] == 1 and given["looks"] == FIRST
    # the sentence that holds Gamard shares neither founded nor 1912
    assert (given["held_with"], given["shared_most"], given["lacking"]) == (0, 2, 2)
    assert given["from_knowledge"] == 2 and given["absent_others"] == 0


def test_what_was_said_before_is_told_apart_from_the_knowledge():
    given = grounds("It trades in lace.", "lace")
    assert (given["in_knowledge"], given["in_conversation"], given["level"]) == (0, 1, 2)


def test_words_beside_it_are_told_and_none_beyond_the_ends():
    given = grounds("Velmora was founded in 1899.", "in", odds={"1899": 1.5})
    assert given["usual +1"] == 1.5 and given["looks +1"] == NUMBER and given["level -1"] == 2
    assert given["level +2"] == BEYOND and len(given) == len(OWN) + 4 * 6


def test_a_text_without_a_word_has_none_and_scripts_without_spaces_have_characters():
    assert word_grounds("…", KNOWLEDGE, "", KNOWLEDGE, {})[1].shape == (0, len(NAMES))
    answer, numbers = word_grounds("镇建于年", "卡洛镇建于一年。", "", "卡洛镇建于一年。", {})
    assert numbers.shape == (4, len(NAMES)) and set(looks(answer, "镇建于年")) == {COMMON}


def test_how_words_look():
    text = "It is Old Brin, founded 1899."
    assert looks(units(text), text).tolist() == [FIRST, SHORT, NAME, NAME, COMMON, NUMBER]


def test_what_is_usual_is_counted_per_group_and_never_of_the_own():
    """`prized` is absent and clean in groups a and b, absent and marked in c: ln(2½ / 1½). Told to a: ln(1½ /
    1½).
    """
    texts = []
    for group, spans in (("a", []), ("a", []), ("b", []), ("c", [{"start": 3, "end": 9}])):
        answer = units("Is prized.")
        texts.append(LabelledWords(group, answer, marked_words(answer, spans), reference_index("It is old.")))
    usage = usage_of(texts)
    assert usual(usage)["priz"] == pytest.approx(log(2.5 / 1.5))
    assert usual(usage, "a")["priz"] == 0
    assert "is" not in usage  # what stands there is not counted
    assert np.array_equal(texts[-1].marked, [False, True])
