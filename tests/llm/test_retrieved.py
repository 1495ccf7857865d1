"""What a retrieving model was given, in the forms of the servers that tell it."""

import pytest

from llm.asked import asking
from truerate.llm import retrieved
from truerate.llm.ask import ask
from truerate.llm.generation import Prompted, facts, generation

PAGE, OTHER = "https://a.example/one", "https://b.example/two"
CITED = {"type": "url_citation", "url_citation": {"url": PAGE, "title": "One", "start_index": 3}}
TOOL = {"type": "search", "search_results": {"results": [{"url": PAGE, "title": "One", "content": "Said."}]}}


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({"annotations": [CITED]}, [(PAGE, "One", "")]),
        (
            {
                "citations": [PAGE, OTHER],
                "search_results": [{"url": OTHER, "title": "Two", "snippet": "More."}],
            },
            [(PAGE, "", ""), (OTHER, "Two", "More.")],
        ),
        (
            {"context": {"citations": [{"url": OTHER, "title": "Two", "content": "Text."}]}},
            [(OTHER, "Two", "Text.")],
        ),
        ({"executed_tools": [TOOL, TOOL]}, [(PAGE, "One", "Said.")]),
        ({"annotations": [{"type": "file", "file": {"hash": "x"}}], "citations": ["[1]", 7, None]}, []),
        ({"tool_calls": [{"function": {"name": "search", "arguments": f'{{"q": "{PAGE}"}}'}}]}, []),
    ],
    ids=["OpenAI", "Perplexity", "Azure", "Groq", "no address", "calls of tools"],
)
def test_forms(told, expected):
    found = retrieved.results(retrieved.kept(told, {}))
    assert [tuple(one.values()) for one in found] == expected
    assert retrieved.read(retrieved.written(told)) == found
    assert bool(expected) or retrieved.written(told) is None


def test_broken_text_is_left_out_and_nothing_else():
    found = retrieved.kept({"citations": ["\ud800"], "annotations": [CITED]})
    assert found == {"annotations": [CITED]}


def test_bounds():
    deep: object = PAGE
    for _ in range(40):
        deep = [deep]
    assert retrieved.results({"citations": deep}) == []
    many = [{"url": f"{PAGE}/{k}", "text": "x" * 10_000} for k in range(300)]
    found = retrieved.results({"citations": many})
    assert len(found) == retrieved.MOST and {len(one["text"]) for one in found} == {retrieved.LONGEST}


def test_it_stands_in_the_row_of_a_reply_and_of_a_stored_one(at, stub):
    layout = at()
    assert ask([asking("plain")], layout, label="x")[0].retrieved is None
    stub.stub.more = {"search_results": [{"url": PAGE, "title": "One"}]}
    for _ in range(2):  # then from the store
        (reply,) = ask([asking("x")], layout, label="x")
        row = generation(Prompted(asking("x"), "i", "generate"), reply)
        assert retrieved.read(facts(row)["retrieved"]) == [{"url": PAGE, "title": "One", "text": ""}]
    assert stub.n_calls == 2
