"""BM25 finds the passage that a question is about."""

import random

import polars as pl
import pytest

from truerate.config import Params, load_params
from truerate.config.layout import Layout
from truerate.core.schemas import Document, frame, save
from truerate.tracks.halueval import retrieval
from truerate.tracks.halueval.retrieval import on_disk, retrieved

from .builders import context, document

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
    knowledge = retrieved(asked, frame(Document, DOCUMENTS), 1)
    assert knowledge == {"i1": DOCUMENTS[0]["text"], "i2": DOCUMENTS[1]["text"]}


def test_a_document_without_a_word_of_the_query_is_no_knowledge():
    asked = [
        context("dialogue", "i2", history="[Human]: Tell me about whales and the sea"),
        context(item_id="i3", question="Xylophones?"),
    ]
    assert retrieved(asked, frame(Document, DOCUMENTS), 9) == {"i2": DOCUMENTS[1]["text"]}


@pytest.mark.parametrize(
    ("question", "other", "answering"),
    [
        ("北京的人口是多少", "上海是大城市。", "北京人口是二千万。"),
        ("東京の人口", "大阪の港です。", "東京の人口は多い。"),
        ("กรุงเทพมีประชากร", "เชียงใหม่อยู่เหนือ", "กรุงเทพมีประชากรมาก"),
        ("ភ្នំពេញ", "សៀមរាប", "ភ្នំពេញជាទីក្រុង"),
        ("မြို့တော်", "ရေ", "မြို့တော်ကြီး"),
        ("दिल्ली कहाँ", "मुंबई बड़ा", "दिल्ली भारत"),
    ],
)
def test_scripts_without_spaces_or_with_vowel_signs_are_found(question, other, answering):
    documents = frame(Document, [document("d1", other), document("d2", answering)])
    assert retrieved([context(item_id="i1", question=question)], documents, 1) == {"i1": answering}


def many(n: int) -> pl.DataFrame:
    draw = random.Random(5)
    words = ["whale", "sea", "Porto", "wine", "Größe", "鲸鱼", "harbour", "stone"]
    texts = [" ".join(draw.choices(words, k=draw.randint(2, 30))) for _ in range(n)]
    return frame(
        Document, [document(f"d{number:03d}", f"{text} {number}") for number, text in enumerate(texts)]
    )


def test_an_index_on_disk_finds_what_one_in_memory_finds(tmp_path):
    documents = many(200)
    asked = [
        context(item_id=name, question=query)
        for name, query in {
            "a": "whale wine?",
            "b": "Größe",
            "c": "Which stone lies in the harbour of Porto?",
        }.items()
    ]
    knowledge = retrieved(asked, on_disk(tmp_path / "k", lambda: documents.reverse()), 7)
    assert knowledge == retrieved(asked, documents, 7) and len(knowledge["a"].split("\n\n")) == 7


def test_an_index_is_made_once_and_lies_whole_or_not_at_all(tmp_path):
    built = []

    def documents() -> pl.DataFrame:
        built.append(1)
        return many(5)

    for _ in range(2):
        retrieval._opened.cache_clear()
        assert on_disk(tmp_path / "k", documents).best("whale", 1)
    assert built == [1] and sorted(path.name for path in tmp_path.iterdir()) == ["k", "k.lock"]


def test_knowledge_comes_from_the_source_that_the_settings_name(tmp_path, monkeypatch):
    values = load_params("params.yaml").model_dump()
    values["sources"]["corpus"] = {"reader": "wikipedia", "path": "inputs/articles"}
    values["tracks"]["halueval"] |= {"knowledge": "retrieved", "knowledge_source": "corpus", "n_retrieved": 1}
    at = Layout(Params.model_validate(values)).on("halueval-closed-world")
    monkeypatch.chdir(tmp_path)
    save(Document, frame(Document, DOCUMENTS), at.source("corpus", "documents"))
    asked = [context(item_id="i1"), context("summarization", "s")]
    documents_of_board = frame(Document, [document("d9", "Lisbon is the capital of nothing.")])
    knowledge = retrieval.knowledge_of(at, "halueval-closed-world", asked, documents_of_board)
    assert knowledge == {"i1": DOCUMENTS[0]["text"]}
    assert len(list((tmp_path / at.p.paths.build / "corpora").iterdir())) == 2  # the index and its lock
