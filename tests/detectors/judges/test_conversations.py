"""What a response is judged against."""

import polars as pl

from truerate.core.schemas import SPANS
from truerate.detectors.judges.cells import reference_of, training_passages


def test_the_reference_is_the_knowledge_then_the_conversation_latest_first():
    judged = reference_of("It is old.", "User: Hi.\nAssistant: Hello.", "Is it old?")
    assert judged.split("\n") == ["It is old.", "Is it old?", "Assistant: Hello.", "User: Hi."]


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
