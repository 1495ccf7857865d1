"""Items with their knowledge, and which items are asked about."""

from truerate.core.schemas import Document, Item, frame, pairs
from truerate.tracks.asking import context_frame
from truerate.tracks.halueval.context import chosen_items, contexts

from .builders import document, item


def test_knowledge_follows_the_order_of_the_documents():
    documents = frame(Document, [document("d1", "One."), document("d2", "Two.")])
    items = frame(Item, [item("i1", document_ids=["d2", "d1"]), item("i2", document_ids=[])])
    by_id = contexts(items, documents)
    assert (by_id["i1"].knowledge, by_id["i2"].knowledge) == ("Two.\n\nOne.", "")
    shown = context_frame(by_id)
    assert shown.columns == ["item_id", "knowledge", "question", "history"] and shown.height == 2


def test_the_history_of_a_dialogue_ends_with_the_turn_that_is_answered():
    items = frame(
        Item,
        [
            item("i1", "dialogue", history="[Human]: Hi\n[Assistant]: Hello", question="Who wrote it?"),
            item("i2", "dialogue", question="Who wrote it?"),
        ],
    )
    by_id = contexts(items, frame(Document))
    assert by_id["i1"].history == "[Human]: Hi\n[Assistant]: Hello\n[Human]: Who wrote it?"
    assert by_id["i2"].history == "[Human]: Who wrote it?"


def test_probes_other_tasks_and_items_without_a_right_answer_are_passed_over():
    rows = [
        item("i1"),
        item("i2", right_answer=None),
        item("g1", "general"),
        item("g2", "general", attributes=pairs(is_probe=True)),
    ]
    assert chosen_items(frame(Item, rows), {"qa": 9, "general": 9}, 7)["item_id"].to_list() == ["g1", "i1"]
    assert chosen_items(frame(Item, rows), {"qa": 9}, 7)["item_id"].to_list() == ["i1"]
