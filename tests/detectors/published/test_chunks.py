"""Documents in pieces: each author's rule by hand, and windows that lose nothing."""

import re

import polars as pl

from truerate.detectors.published.chunks import Chunker, by_lines, by_number, chunks, room_beside, windows
from truerate.detectors.published.texts import texts_of
from truerate.detectors.tokens.groups import in_room


def words(text):
    """A token per word."""
    return [result.span() for result in re.finditer(r"\S+", text)]


def n_words(text):
    return len(text.split())


def test_minichecks_lines_are_pieces_of_their_own():
    """Sentences One two. | Three. | a line break of no words | Four five.: 2 + 1 + 0 fit in 3, then 2."""
    text = "One two. Three.\nFour five."
    assert by_lines(text, 3, n_words) == ["One two. Three.", "Four five."]
    assert by_lines(text, 5, n_words) == ["One two. Three.\nFour five."], "the blanks around a break go"
    assert by_lines("\n\n", 3, n_words) == []


def test_the_rules_count_in_their_own_units():
    text = "One, two. Three four."
    tokens = chunks(text, Chunker("minicheck", 2), words)
    assert tokens == ["One, two.", "Three four."] == chunks(text, Chunker("minicheck-t5", 2), words)
    assert chunks(text, Chunker("factcg", 6), words) == ["One, two.", "Three four."], (
        "4 + 3 words with their signs"
    )
    assert chunks(text, Chunker("factcg", 7), words) == ["One, two.\nThree four."], "joined by a line break"
    assert chunks("It is. Too short a sentence.", Chunker("sentences", 10), words) == [
        "Too short a sentence."
    ]


def test_alignscores_chunks_have_equal_numbers_of_sentences():
    """8 words: 8 // 6 + 1 = 2 chunks of 4 // 2 sentences; 8 // 9 + 1 = 1 of all; 8 // 2 + 1 = 5 of at least
    one.
    """
    text = "Ab cd. Ef gh. Ij kl. Mn op."
    assert by_number(text, 6) == ["Ab cd. Ef gh.", "Ij kl. Mn op."]
    assert by_number(text, 9) == [text]
    assert by_number(text, 2) == ["Ab cd.", "Ef gh.", "Ij kl.", "Mn op."]


def test_windows_overlap_by_a_quarter_and_hold_every_token():
    """20 words, room 10: 8 tokens to a window (two to spare), a step of 6: 0–8, 6–14, 12–20."""
    text = " ".join(f"w{k}" for k in range(20))
    result = windows(text, 10, words)
    assert [piece.split()[0] for piece in result] == ["w0", "w6", "w12"]
    assert [len(piece.split()) for piece in result] == [8, 8, 8] and result[-1].endswith("w19")
    assert windows(text, 20, words) == [text]
    assert windows("  ", 5, words) == []
    for room in range(1, 21):
        pieces = windows(text, room, words)
        assert {word for piece in pieces for word in piece.split()} == set(text.split())
        assert all(n_words(piece) <= room for piece in pieces)


def test_whole_passages_are_grouped_and_a_claim_that_leaves_no_room_is_told():
    assert list(in_room(["a b", "c", "d d d"], 3, n_words)) == [["a b", "c"], ["d d d"]]
    assert room_beside(64, 56) == 8 and room_beside(64, 57) is None, "an eighth of 64 is 8"


# ---- texts -------------------------------------------------------------------------------------------------
def test_a_turn_of_a_conversation_is_held_against_what_was_said_before_it_too():
    rows = pl.DataFrame(
        {
            "target_id": ["a", "b", "c"],
            "text": ["It is old.", "Yes.", None],
            "knowledge": ["Varn is old.\n\nIt has a wall.", "Varn is old.", None],
            "question": ["How old? ", "[Human]: Is it?", None],
            "history": [None, "[Human]: Hello.\n[Assistant]: Hm.", " "],
        }
    )
    alone, values, nothing = texts_of(rows)
    assert alone.document == "Varn is old.\n\nIt has a wall." and alone.question == "How old?"
    assert alone.passages == ["Varn is old.", "It has a wall."]
    assert values.document.splitlines() == [
        "Varn is old.",
        "[Human]: Is it?",
        "[Assistant]: Hm.",
        "[Human]: Hello.",
    ]
    assert (nothing.text, nothing.document, nothing.passages) == ("", "", [])
