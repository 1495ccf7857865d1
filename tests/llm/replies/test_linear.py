"""No reader of replies takes longer than linear time, on patterns that are made to be slow: drawn by a seed from the
signs and words that replies are built of, alone and mixed, with words before and behind them.

CPU time of this process is measured, the least of several tries, and what seems too slow is held against fixed work
at the same moment, so that a busy or a slower machine alone fails nothing.
"""

import random
from time import process_time

import pytest

from . import track_readers
from .corpus import load
from .readers import READERS

UNITS = (
    "> ", "| ", "|a|b|\n", "| - ", "- [ ] Yes\n", "- [x] ", "[1] ", "[", "]", "{", "}", "(", ")", "((", '{"a":', '"a": ', '{"a":1}',
    '"', "'", "“", "”", "„", "«", "»", "‘", "「", '"a" ', "'a' ", "“a” ", "(a) ", "`", "```\n", "```x\n", "a\n```\nb\n", "~~~\n", "~~",
    "*", "**", "* ", "**a ", "a** ", "_", "__ ", "***\n", "---\n", "=\n", "=", "-", "- ", "- a\n", "#", "# ", "…", "...", "?", "!", ": ",
    "<think>", "</think>", "<answer>", "</answer>", "<a> ", "&lt;think&gt;", "<|channel|>", "<|im_end|>", "<|im_start|> ", "[INST]",
    "\n", "\n   ", " \n", " ", "\t", "a\n\n", "\u200d", "\u200b", "x", "a b ", "é", "नि", "，", "。", "\\", "\\boxed{", "\\boxed ",
    "#Answer#: ", "Answer: ", "Answer:\n", "Question 1 ", "Answer ", "Answer 2 ", "Judgement ", "Example ", "User: x\n", "Assistant: x\n",
    "#Segment#: a\n", 'Segment: "a"\n', "Response: ", "Rationale: a\n", "Note: ", "1. a\n", "1) ", "[1] supported\n", "1. yes\n",
    "Yes. ", "Yes\n", "no, ",
    "not ", "is not ", "but ", "or ", "a, ", "the answer is ", "I cannot ", "I don't know. ", "sure, ", "here is ",
    "supported ", "accurate: ", "hallucinated, ", "2", "٣ ",
)  # fmt: skip
AROUND = (
    ("", ""),
    ("x ", " x"),
    ("x\n", "\n\nx."),
    ("Yes. ", ""),
    ("| Answer 2", "| y |"),
    ("Answer: ", "\nYes"),
)
SIZE = 20_000
N = 10  # patterns a reader
FAST = 0.05  # CPU seconds: 20 kB in 50 ms
LONGEST = 0.1  # CPU seconds for a reply of any length
FIXED = 0.0055  # CPU seconds of `fixed_work` on the machine that FAST and LONGEST are meant for
SLACK = 1.5
NAMES = sorted({*READERS, *track_readers.READERS})


def patterns(seed, n):
    """`n` patterns, each as a function of a length: one to three units repeated, between some words."""
    draw = random.Random(seed)
    for _ in range(n):
        unit = "".join(draw.choice(UNITS) for _ in range(draw.choice((1, 1, 2, 3))))
        before, behind = draw.choice(AROUND)
        yield (
            unit,
            lambda size, unit=unit, before=before, behind=behind: (
                f"{before}{unit * (size // len(unit))}{behind}"
            ),
        )


def first(name):
    return (load(name) if name in READERS else track_readers.rows(name))[0]


def fixed_work():
    """The CPU time of the same sum, the least of twenty: how fast this machine is now."""
    times = []
    for _ in range(20):
        began = process_time()
        sum(i * i for i in range(100_000))
        times.append(process_time() - began)
    return min(times)


def is_slow(seconds, most):
    """Whether a reading took longer than `most` would be on the machine that it is meant for, by half and more."""
    return seconds > most and seconds > most * SLACK * fixed_work() / FIXED


def spent(read, row, text, *, enough):
    """The least CPU time of up to four readings; the first that takes `enough` ends them."""
    least = float("inf")
    for _ in range(4):
        began = process_time()
        read({**row, "text": text})
        least = min(least, process_time() - began)
        if least <= enough:
            break
    return least


def excess(name, text_of, size=SIZE, most=FAST):
    """The CPU time for a text of a size; None where no more than `most`."""
    read, row = READERS.get(name) or track_readers.READERS[name], first(name)
    whole = spent(read, row, text_of(size), enough=most)
    return round(whole, 3) if is_slow(whole, most) else None


@pytest.mark.parametrize("name", NAMES)
def test_a_reply_of_20_kb_is_read_in_50_ms(name):
    read, row = READERS.get(name) or track_readers.READERS[name], first(name)
    read(row)  # the patterns are compiled
    slow = {unit: over for unit, text_of in patterns(f"7 {name}", N) if (over := excess(name, text_of))}
    assert slow == {}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", [30_000, 100_000, 250_000, 1_000_000])
def test_a_reply_of_any_length_is_read_or_left_in_100_ms(name, size):
    READERS[name](first(name)) if name in READERS else track_readers.READERS[name](first(name))
    some = [*patterns(f"11 {name}", N), ("thoughts", lambda n: "<think>x" * (n // 8))]
    slow = {unit: over for unit, text_of in some if (over := excess(name, text_of, size, LONGEST))}
    assert slow == {}


ALPHABETS = {
    "Latin": "abcdefghijklmnop ,.",
    "Chinese": [*map(chr, range(0x4E00, 0x6E00)), *"，。 "],
    "digits": "0123456789 ., ",
}


def distinct(alphabet, size):
    """A text of signs that are drawn anew at each place, so that no part of it comes twice."""
    return "".join(random.Random(5).choices(alphabet, k=size))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("alphabet", ALPHABETS)
def test_words_that_never_come_twice_take_no_longer(name, alphabet):
    """Each clause of Chinese was held against each phrase of the list: 5 s for 20,000 characters."""
    text = distinct(ALPHABETS[alphabet], SIZE)
    read, row = READERS.get(name) or track_readers.READERS[name], first(name)
    read(row)
    assert not is_slow(spent(read, row, text, enough=FAST), FAST)


def test_the_patterns_are_the_same_for_a_seed_and_others_for_another():
    assert [unit for unit, _ in patterns(1, 9)] == [unit for unit, _ in patterns(1, 9)]
    assert [unit for unit, _ in patterns(1, 9)] != [unit for unit, _ in patterns(2, 9)]
