"""What a published detector is asked about: knowledge alone, or with what was said before."""

import polars as pl

from truerate.detectors.published.texts import texts_of


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
