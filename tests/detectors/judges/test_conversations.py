"""What a response is judged against."""

import polars as pl

from truerate.core.schemas import SPANS
from truerate.detectors.judges.judged import reference_of, training_passages, with_references


def test_the_reference_is_the_knowledge_then_the_conversation_latest_first():
    answer = reference_of("It is old.", "User: Hi.\nAssistant: Hello.", "Is it old?")
    assert answer.split("\n") == ["It is old.", "Is it old?", "Assistant: Hello.", "User: Hi."]


def test_a_question_that_ends_the_history_stands_once():
    assert reference_of("", "[Human]: Is it old?", "Is it old?") == "[Human]: Is it old?"
    assert reference_of("", "", "") == ""


def test_what_an_item_lacks_is_empty():
    names = ("knowledge", "history", "question")
    item = pl.DataFrame([(None, None, "Why?")], schema=dict.fromkeys(names, pl.String), orient="row")
    assert with_references(item)["reference"].to_list() == ["Why?"]


def test_a_hallucinated_text_without_a_place_is_left_out_and_a_clean_one_has_none():
    spans = [{"start": 0, "end": 2, "type": "x", "p": None}]
    rows = [
        ("found", True, spans),
        ("lost", True, []),
        ("clean", False, []),
        ("untold", None, spans),
        ("odd", False, spans),
    ]
    table = pl.DataFrame(
        rows, schema={"target_id": pl.String, "is_hallucinated": pl.Boolean, "spans": SPANS}, orient="row"
    )
    kept = training_passages(table)
    assert kept["target_id"].to_list() == ["found", "clean", "untold", "odd"]
    assert kept["spans"].list.len().to_list() == [1, 0, 1, 0]
