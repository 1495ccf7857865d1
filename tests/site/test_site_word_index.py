"""The lists of words in which the sample browser's free text is looked up."""

import json
from itertools import accumulate, islice

import pytest

from tests.cases import case_table
from truerate.site.samples.packing import unpacked
from truerate.site.samples.shards import part, parts, spelled_part
from truerate.site.samples.word_index import BITS, buckets_of, folded, word_hash, word_lists

CASES = case_table(__file__)


def looked_up(lists: list[str], word: str, n_buckets: int = 1) -> list[int]:
    """The texts that have a word, read as assets/samples_search.js reads them."""
    wanted = word_hash(folded(word))
    data = unpacked(lists[wanted * n_buckets >> 32])
    n = int.from_bytes(data[:4], "little")
    numbers, places = _numbers(data[4:]), []
    hashes, counts = list(accumulate(numbers[:n])), numbers[n : 2 * n]
    steps = iter(numbers[2 * n :])
    for found, count in zip(hashes, counts, strict=True):
        texts = list(accumulate(islice(steps, count), initial=-1))[1:]
        places += texts if found == wanted else []
    assert next(steps, None) is None and hashes == sorted(hashes)
    return places


def _numbers(data: bytes) -> list[int]:
    """Seven bits a byte, a set high bit where more follow."""
    numbers, found, place = [], 0, 0
    for byte in data:
        found, place = found | (byte & 127) << 7 * place, place + 1
        if byte < 128:
            numbers.append(found)
            found, place = 0, 0
    return numbers


TEXTS = [*CASES["texts"], "CAFÉ" + " a" * 3]


@pytest.mark.parametrize(("word", "where"), CASES["a_word_is_found_in_any_script"])
def test_a_word_is_found_in_any_script(word, where):
    assert looked_up(word_lists(TEXTS, 1), word) == where


def test_words_of_thai_are_pairs_of_neighbours():
    assert looked_up(word_lists(TEXTS, 1), "ตล") == [4] and looked_up(word_lists(TEXTS, 1), "ลต") == []


def test_buckets_hold_the_same_words_and_far_records_take_two_bytes():
    texts = ["word"] + [f"w{k}" for k in range(498)] + ["word"]
    lists = word_lists(texts, 64)
    assert len(lists) == 64 and looked_up(lists, "word", 64) == [0, 499]
    assert [looked_up(lists, f"w{k}", 64) for k in range(498)] == [[k + 1] for k in range(498)]
    assert buckets_of(200) == 1 and buckets_of(150_000) == 64


def test_a_part_fits_the_bits_of_a_number():
    from truerate.site.samples.word_index import PART

    assert PART <= 1 << BITS


def test_texts_without_a_word_make_empty_lists():
    assert looked_up(word_lists([], 1), "a") == looked_up(word_lists(["", "…"], 1), "a") == []


def test_a_line_of_a_megabyte_is_one_word_of_its_beginning():
    assert looked_up(word_lists(["x" * 1_000_000, "y"], 1), "x" * 1_000_000) == [0]


def test_parts_in_other_processes_are_those_of_this_one():
    records = [{"id": str(k), "_search": [f"only{k} all"]} for k in range(4_100)]
    made = list(parts(iter(records), 64))
    assert made == [part(spelled_part(records[k : k + 4_000]), 64) for k in (0, 4_000)]
    assert json.loads(unpacked(made[1][0][0]))[0] == {"id": "4000"}
