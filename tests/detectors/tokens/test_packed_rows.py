"""Rows that lie in a file are those that were put there."""

import gc
import os

import numpy as np
import pytest

from tests.detectors.tokens import small_networks as small
from truerate.detectors.tokens.groups import Answer, Group
from truerate.detectors.tokens.masks import PackedRows, collate, row_of, rows_of

NAMES = ("ids", "features", "positions", "segments", "labels")


def rows_by_hand():
    """Three answers of 3, 1 and 2 tokens to a reference of four tokens, whose second answer has a type, and whose
    third is not to be learned.
    """
    random = np.random.default_rng(1)
    labels = ([0, 1, 0], [6], [-100, -100])
    answers = tuple(
        Answer(
            f"t{i}",
            random.integers(0, 128_000, len(own), dtype=np.int32),
            np.zeros((len(own), 2), np.int32),
            np.array(own, np.int32),
            random.integers(-1, 2, (len(own), 2)).astype(np.int8),
        )
        for i, own in enumerate(labels)
    )
    group = Group(random.integers(0, 128_000, 4, dtype=np.int32), answers, "g", "de")
    return [row_of(group.reference_ids, answers, places) for places in ([0, 1, 2], [1], [1, 2])]


def test_a_row_comes_back_whole():
    rows = rows_by_hand()
    packed = PackedRows(rows)
    assert len(packed) == 3 and [one.n_tokens for one in packed] == [10, 5, 7]
    assert [one.n_targets for one in packed] == [4, 1, 1]
    assert [tuple(one.answers) for one in packed] == [(0, 1, 2), (1,), (1, 2)]
    for row, found in zip(rows, packed, strict=True):
        for name in NAMES:
            assert getattr(found.whole, name).tolist() == getattr(row, name).tolist()
            assert getattr(found.whole, name).dtype == getattr(row, name).dtype
        assert found.whole.answers == row.answers


@pytest.mark.parametrize("mask", ["full", "causal", "prefix"])
def test_a_batch_is_the_same(mask):
    rows = rows_of(small.group(small.network()), mask, max_answers=2)
    batch, again = collate(rows, 0), collate([one.whole for one in PackedRows(rows)], 0)
    assert all((getattr(batch, name) == getattr(again, name)).all() for name in NAMES)


def test_a_sequence_as_any_other():
    packed = PackedRows(rows_by_hand())
    assert packed[-1].n_tokens == 7 and [one.n_tokens for one in packed[1:]] == [5, 7]
    with pytest.raises(IndexError):
        packed[3]
    assert list(PackedRows([])) == []


def test_the_file_has_no_name_and_goes_with_the_rows(tmp_path):
    open_before = set(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else set()
    packed = PackedRows(rows_by_hand(), tmp_path / "scratch")
    assert list((tmp_path / "scratch").iterdir()) == [] and packed[0].whole.n_tokens == 10
    del packed
    gc.collect()
    assert set(os.listdir("/proc/self/fd")) <= open_before if open_before else True
