import numpy as np
import pytest
import torch

from tests.detectors.tokens import small_networks as small
from truerate.detectors.tokens.rows import attention, collate, row_of, rows_of

SEGMENTS = torch.tensor([[0, 0, 1, 1, 2, -1]])


@pytest.mark.parametrize(
    ("mask", "rows"),
    [
        ("prefix", ["110000", "110000", "111100", "111100", "110010", "000001"]),
        ("causal", ["100000", "110000", "111000", "111100", "110010", "000001"]),
        ("full", ["111110", "111110", "111110", "111110", "111110", "000001"]),
    ],
)
def test_masks_by_hand(mask, rows):
    sees = attention(SEGMENTS, mask)[0, 0]
    assert ["".join(str(int(cell)) for cell in row) for row in sees] == rows


def test_positions_of_every_answer_start_where_the_reference_ends():
    group = small.group(small.network())
    n, first = len(group.reference_ids), len(group.answers[1].ids)
    row = row_of(group.reference_ids, [group.answers[1], group.answers[0]])
    columns = row.columns()
    assert columns["positions"][:n].tolist() == list(range(n))
    assert columns["positions"][n] == n and columns["positions"][n + first] == n
    assert columns["segments"][n + first] == 2 and row.n_answers == 2
    assert (columns["labels"][:n] == -100).all() and (columns["features"][:n] == 0).all()


def test_full_has_one_answer_per_row_and_others_share():
    group = small.group(small.network())
    tight = len(group.reference_ids) + 1
    for mask, how, sizes in (
        ("full", {}, [1] * 5),
        ("prefix", {"max_answers": 2}, [2, 2, 1]),
        ("causal", {"max_tokens": tight}, [1] * 5),  # a row has at least one answer
    ):
        rows = list(rows_of(group, mask, **how))
        assert [row.n_answers for row in rows] == sizes
        assert np.concatenate([row.labels for row in rows]).tolist() == [
            label for answer in group.answers for label in answer.labels.tolist()
        ]


def test_a_batch_is_padded_and_a_row_is_narrow():
    rows = list(rows_of(small.group(small.network()), "full"))
    assert rows[0].ids.dtype.itemsize == 4 and {rows[0].labels.itemsize, rows[0].features.itemsize} == {1}
    batch = collate(rows, 0)
    assert batch.ids.shape == (5, max(row.n_tokens for row in rows))
    assert int((batch.segments >= 0).sum()) == sum(row.n_tokens for row in rows)
    assert (batch.labels[batch.segments < 1] == -100).all()
    assert {batch.ids.dtype, batch.features.dtype, batch.labels.dtype} == {torch.int64}
