"""BM25 finds the passage that a question is about."""

from truerate.core.schemas import Document, frame
from truerate.tracks.halueval.retrieval import retrieved

from .made import context, document

DOCUMENTS = [
    document("d1", "Lisbon is the capital of Portugal."),
    document("d2", "Whales are mammals that live in the sea."),
    document("d3", "Porto is a city of Portugal that trades in wine."),
]


def test_the_best_passages_come_first():
    asked = [
        context(item_id="i1"),
        context("dialogue", "i2", history="[Human]: Tell me about whales and the sea"),
    ]
    found = retrieved(asked, frame(Document, DOCUMENTS), 1)
    assert found == {"i1": DOCUMENTS[0]["text"], "i2": DOCUMENTS[1]["text"]}


def test_a_document_without_a_word_of_the_query_is_no_knowledge():
    asked = [
        context("dialogue", "i2", history="[Human]: Tell me about whales and the sea"),
        context(item_id="i3", question="Xylophones?"),
    ]
    assert retrieved(asked, frame(Document, DOCUMENTS), 9) == {"i2": DOCUMENTS[1]["text"]}


def test_ties_follow_the_documents_ids():
    same = [document(f"d{number}", f"Whale number {number} swims.") for number in (5, 3, 9, 1)]
    found = retrieved([context(item_id="i1", question="a whale")], frame(Document, same), 3)
    assert found == {"i1": "Whale number 1 swims.\n\nWhale number 3 swims.\n\nWhale number 5 swims."}


def test_no_documents_no_items():
    assert retrieved([context()], frame(Document), 3) == {} == retrieved([], frame(Document, DOCUMENTS), 3)
