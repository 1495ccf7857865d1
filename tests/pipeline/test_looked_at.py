"""What the audit looks at comes part by part, and a part holds few pages."""

import polars as pl
import pytest
from committed import with_sources

from truerate.core.schemas import Document, Item, Sample, frame, sample_row, save
from truerate.leaderboard.audit import inputs_of
from truerate.pipeline import evaluate

BOARD, N, PAGE = "wildhallucinations-closed-world", 6, 1_000


@pytest.fixture
def at(tmp_path, monkeypatch):
    """Six entities with a page of 1,000 bytes each, the last two with the same, and two labelled facts of each."""
    at = with_sources(tmp_path, monkeypatch)
    monkeypatch.chdir(tmp_path)
    page_of = [min(place, N - 2) for place in range(N)]
    known = {"track": "wildhallucinations", "source": "s", "task": "entity", "lang": "en", "history": ""}
    items = [
        known | {"item_id": f"i{place}", "group_id": f"i{place}", "document_ids": [f"d{page_of[place]}"], "question": f"Varn {place}",
                 "right_answer": None, "attributes": []}
        for place in range(N)
    ]  # fmt: skip
    pages = [
        {"document_id": f"d{place}", "lang": "en", "title": "", "text": str(place) * PAGE, "url": None, "source": "s", "licence": "",
         "dated": None, "is_wikipedia": False}
        for place in range(N - 1)
    ]  # fmt: skip
    samples = [
        sample_row(sample_id=f"{side}{place}", item_id=f"i{place}", group_id=f"i{place}", task="fact", lang="en", text="a fact",
                   is_hallucinated=side == "a", label_source="gold", generator="m", split="test", attributes=[])
        for place in range(N)
        for side in "ab"
    ]  # fmt: skip
    save(Item, frame(Item, items), at.dataset(BOARD, "items"))
    save(Document, frame(Document, pages), at.dataset(BOARD, "documents"))
    save(Document, frame(Document), at.source(at.p.board(BOARD).source, "documents"))
    save(Sample, frame(Sample, samples), at.labels(BOARD, "samples"))
    return at


def test_no_part_has_more_pages_than_fit_and_all_parts_are_the_whole(at, monkeypatch):
    (whole,) = evaluate.looked_at(at, BOARD)
    monkeypatch.setattr(evaluate, "MOST_BYTES", 2 * PAGE)
    parts = list(evaluate.looked_at(at, BOARD))
    # a0 … a5, b0 … b5: two pages a part, a page that two entities share counts once
    assert [part["sample_id"].to_list() for part in parts] == [
        ["a0", "a1"], ["a2", "a3"], ["a4", "a5", "b0"], ["b1", "b2"], ["b3", "b4", "b5"],
    ]  # fmt: skip
    assert pl.concat(parts).equals(whole) and whole["knowledge"].null_count() == 0
    assert inputs_of(parts) == inputs_of([whole])


def test_a_page_larger_than_a_part_is_a_part_of_its_own(at, monkeypatch):
    monkeypatch.setattr(evaluate, "MOST_BYTES", 1)
    assert len(list(evaluate.looked_at(at, BOARD))) == 2 * N - 2  # a4 and a5, b4 and b5 have one page


def test_nothing_labelled_is_one_part_of_nothing(at):
    save(Sample, frame(Sample), at.labels(BOARD, "samples"))
    (part,) = evaluate.looked_at(at, BOARD)
    assert part.is_empty() and part.columns[-1] == "knowledge"
