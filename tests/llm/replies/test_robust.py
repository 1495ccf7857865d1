"""Replies of no sense: every reader gives a value or a reason of its list, and none raises."""

import random
from time import process_time

import pytest

from truerate.llm.replies.accuracy import accurate
from truerate.llm.replies.reading import REASONS

from . import track_readers
from .corpus import load
from .readers import READERS

TEXTS = (
    "refusals",
    "candidates",
    "refinements",
    "responses",
    "induced",
)  # whatever is written may be the text
NAMES = sorted({*READERS, *track_readers.READERS})
LONG = {
    "one sign": "a" * 1_000_000,
    "short lines": "no\n" * 100_000,
    "numbered lines": "[1] supported\n" * 10_000,
    "deep object": '{"a":' * 50_000,
    "deep list": "[" * 50_000 + "]" * 50_000,
    "blank space": "yes" + " " * 500_000 + "x",
    "opened thoughts": "<think>" * 50_000,
    "agreed many times": "sure, " * 3_000,
    "a long number": '{"answer": ' + "9" * 6_000 + "}",
}
JUNK = (
    "\x00", "\u202e", "\ud800", "\uffff", "[", "{", "]", '"', "<", "</think>", "|", "```", "\n", "\r", "\\boxed{", "#",
    "**", "[1]", "Answer 1", "Yes", "No", "not", "none", "&lt;", "²", "①", "٣", "İ", ":", "\u0301", '{"a":',
)  # fmt: skip


def read(name, row):
    reader = READERS.get(name) or track_readers.READERS[name]
    return reader(row)


def first(name):
    return (load(name) if name in READERS else track_readers.rows(name))[0]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", LONG)
def test_what_is_longer_than_any_answer_is_not_read(name, form):
    parsed = read(name, {**first(name), "text": LONG[form]})
    if name in READERS and name not in TEXTS:
        assert parsed.value is None and parsed.reason in REASONS


def test_a_reply_longer_than_an_answer_says_so_and_a_long_thought_counts_for_nothing():
    row = first("verdicts")
    assert read("verdicts", {**row, "text": "Yes. " * 50_000}).reason == "too-long"
    assert read("verdicts", {**row, "text": f"<think>{'No. ' * 50_000}</think>Yes"}).value is True


@pytest.mark.parametrize("sign", ["[\n", "\n", "- ", "_ \n", "= \n"])
def test_a_judgement_of_signs_alone_is_read_in_a_time_that_grows_with_its_length(sign):
    def spent(n):
        began = process_time()
        assert accurate(sign * n, "Judgement:").value is None
        return process_time() - began

    spent(10)  # the patterns are compiled
    # the best of three, so that no collection of garbage falls into all of them
    # sixteen times as many take sixteen times as long; where each line was tried anew they took 256 times
    assert min(spent(8000) for _ in range(3)) < 60 * max(min(spent(500) for _ in range(3)), 0.001)


@pytest.mark.parametrize("name", NAMES)
def test_changed_replies_raise_nothing(name):
    drawn = random.Random(3)
    rows = load(name) if name in READERS else track_readers.rows(name)
    for _ in range(120):
        row = drawn.choice(rows)
        text = row["text"]
        for _ in range(drawn.randint(1, 5)):
            at, end = sorted((drawn.randint(0, len(text)), drawn.randint(0, len(text))))
            text = drawn.choice(
                (text[:at] + drawn.choice(JUNK) + text[at:], text[:at] + text[end:], text[end:] + text[:at])
            )
        parsed = read(name, {**row, "text": text})
        if name in READERS and name != "refusals":
            assert (parsed.value is None) == (parsed.reason is not None)


@pytest.mark.parametrize("name", ["verdicts", "choices", "located", "candidates", "domains", "verifier"])
@pytest.mark.parametrize(
    ("start", "unit", "end"),
    [
        ("| Answer 2", " ", "| good |"),
        ("", "> ", "x"),
        ("", "| ", ""),
        ("- [ ] Yes\n- [ ] No\n- ", "word. ", ""),
    ],
)
def test_padding_and_long_lines_take_a_time_that_grows_with_their_length(name, start, unit, end):
    """Padded rows took the sixth power of their blanks, quotations in each other and long entries the square."""
    row = first(name)

    def spent(n):
        began = process_time()
        read(name, {**row, "text": start + unit * n + end})
        return process_time() - began

    spent(10)
    assert min(spent(3200) for _ in range(2)) < 40 * max(min(spent(400) for _ in range(2)), 0.002)
