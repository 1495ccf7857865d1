"""Packed data: letters that a script need not escape, as assets/samples_store.js opens them."""

import random

import pytest

from truerate.site.packing import LETTERS, lettered, packed_json, packed_script, unlettered, unpacked_json


def test_the_letters_are_91_and_none_ends_a_string_or_begins_a_tag():
    assert len(set(LETTERS)) == 91 and not set(LETTERS) & set('"\\<\n')


def test_bytes_by_hand():
    # 0xff 0x00 is 255, lowest bits first: 13 bits 0_0000_1111_1111 = 255 = 73 + 2 * 91, then three zero bits, one letter
    assert lettered(b"\xff\x00") == LETTERS[73] + LETTERS[2] + LETTERS[0]


@pytest.mark.parametrize("n", range(30))
def test_any_length_comes_back(n):
    data = random.Random(n).randbytes(n)
    assert unlettered(lettered(data)) == data
    assert unlettered(lettered(b"\xff" * n)) == b"\xff" * n


def test_two_letters_for_thirteen_bits():
    assert len(lettered(bytes(13_000))) == 16_000


def test_values_come_back_and_half_a_surrogate_pair_is_a_question_mark():
    assert unpacked_json(packed_json({"a": ["<é𠮷", None, 1]})) == {"a": ["<é𠮷", None, 1]}
    assert unpacked_json(packed_json(["\ud800"])) == ["?"]


def test_a_name_in_a_script_opens_no_tag():
    assert packed_script("call", "</script>", 3, data=["a", "b"]) == 'call("\\u003c/script>",3,["a","b"]);\n'
