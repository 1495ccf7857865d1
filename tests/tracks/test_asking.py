from types import SimpleNamespace

from truerate.llm.generation import Prompted
from truerate.llm.request import Request
from truerate.tracks.asking import ask_prompted, context_frame, in_shard

FOUND = {
    name: SimpleNamespace(item_id=name, knowledge=f"k {name}", question="q", history="", more=1)
    for name in ("b", "a", "c")
}


def test_every_context_is_in_one_shard_in_its_order():
    parts = [[one.item_id for one in in_shard(FOUND.values(), shard, 3)] for shard in range(3)]
    assert sorted(name for part in parts for name in part) == ["a", "b", "c"]
    assert [one.item_id for one in in_shard(FOUND.values(), 0, 1)] == ["b", "a", "c"]


def test_a_frame_of_contexts_has_what_stands_beside_a_text():
    assert context_frame(FOUND).rows() == [(name, f"k {name}", "q", "") for name in ("b", "a", "c")]
    assert context_frame({}).columns == ["item_id", "knowledge", "question", "history"]


def test_nothing_asked_is_nothing_begun():
    calls = []

    def asking(requests, at, *, label):
        calls.append((requests, label))
        return ["reply"] * len(requests)

    assert ask_prompted([], None, "write", asking) == [] and calls == []
    request = Request("m", ({"role": "user", "content": "hello"},), ())
    assert ask_prompted([Prompted(request, "i", "write", {})], None, "write", asking) == ["reply"]
    assert calls == [([request], "write")]
