"""Keys: pinned, and moved by nothing that does not decide a reply."""

import orjson
import pytest

from llm.asked import TARGET, asking
from truerate.core import text
from truerate.llm.keys import CONTROLS, Target, _is_plain, without_system
from truerate.llm.request import Request


def variant(**changes) -> Target:
    return Target(
        **{
            **{name: getattr(TARGET, name) for name in TARGET.__dataclass_fields__ if name != "_merged"},
            **changes,
        }
    )


def test_golden_key():
    """Whoever changes this orphans every stored reply: raise VERSION and say so."""
    request = Request(
        "m",
        ({"role": "system", "content": "Be brief."}, {"role": "user", "content": "Wer schrieb „Faust“?"}),
        {"temperature": 0.7, "top_p": 1.0, "max_tokens": 64, "seed": 3},
        2,
    )
    expected = (
        '{"identity":"name@1","messages":[{"content":"Be brief.","role":"system"},{"content":"Wer schrieb „Faust“?","role":"user"}],'
        '"params":{"max_tokens":64,"seed":3,"temperature":0.7,"top_p":1.0},"sample_index":2,"v":1}'
    )
    assert TARGET.payload(request).decode() == expected
    assert TARGET.key(request).hex() == "09c20e272dac4b8ba4c6bb595271b7df90b1c267aa9a8b01b0b1498cae3ab214"


@pytest.mark.parametrize(
    "changes",
    [
        {"alias": "other"},
        {"endpoint": "other"},
        {"model": "x"},
        {"price": (0.0, 0.0)},
        {"accept_length": True},
    ],
)
def test_what_does_not_move_a_key(changes):
    assert variant(**changes).key(asking("x")) == TARGET.key(asking("x"))


@pytest.mark.parametrize(
    "changes",
    [{"identity": "name@2"}, {"override": {"temperature": 1.0}}, {"extra_body": {"top_k": 1}}, {"drop": frozenset({"temperature"})},
     {"limit_field": "max_completion_tokens"}],
)  # fmt: skip
def test_what_moves_a_key(changes):
    assert variant(**changes).key(asking("x")) != TARGET.key(asking("x"))


def test_without_a_system_message_what_it_says_is_sent_with_the_first_users():
    said = [("system", "Be brief."), ("user", "one"), ("assistant", "1"), ("user", "two")]
    messages = tuple({"role": role, "content": content} for role, content in said)
    request = Request("m", messages, {"max_tokens": 5})
    sent = orjson.loads(variant(has_system=False).payload(request))["messages"]
    merged = [("user", "Be brief.\n\none"), ("assistant", "1"), ("user", "two")]
    assert [(one["role"], one["content"]) for one in sent] == merged
    assert variant(has_system=False).key(request) != TARGET.key(request)
    assert variant(has_system=False).key(asking("x")) == TARGET.key(asking("x"))
    assert without_system(messages[:1]) == ({"role": "user", "content": "Be brief."},)


def test_whole_numbers_and_fractions_of_a_setting_are_one():
    assert TARGET.key(asking("x", temperature=1)) == TARGET.key(asking("x", temperature=1.0))


def test_lists_among_the_settings():
    assert orjson.loads(TARGET.payload(asking("x", stop=["a", "b"])))["params"]["stop"] == ["a", "b"]


def test_order_of_settings_is_nothing():
    one, other = (
        Request("m", (), {"top_p": 1.0, "max_tokens": 5}),
        Request("m", (), {"max_tokens": 5, "top_p": 1.0}),
    )
    assert TARGET.key(one) == TARGET.key(other)


def test_the_cheap_test_finds_everything_that_clean_removes():
    for code in (*range(0x300), *range(0x2000, 0x2100), 0xFEFF, 0xD800, 0x1F600):
        content = f"a{chr(code)}b"
        assert text.clean(content) == content or not _is_plain(content), hex(code)
    assert all(not _is_plain(mark) for mark in CONTROLS)
    assert _is_plain("plain\ttext,\r\nlines")
