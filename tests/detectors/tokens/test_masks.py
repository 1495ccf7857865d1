import torch

from tests.detectors.tokens import small_networks as small
from truerate.detectors.tokens.masks import attention, collate, row_of, rows_of

SEGMENTS = torch.tensor([[0, 0, 1, 1, 2, -1]])


def seen(mask):
    """Who sees whom, as rows of 0 and 1."""
    return ["".join(str(int(cell)) for cell in row) for row in attention(SEGMENTS, mask)[0, 0]]


def test_masks_by_hand():
    assert seen("prefix") == ["110000", "110000", "111100", "111100", "110010", "000001"]
    assert seen("causal") == ["100000", "110000", "111000", "111100", "110010", "000001"]
    assert seen("full") == ["111110", "111110", "111110", "111110", "111110", "000001"]


def test_positions_of_every_answer_start_where_the_reference_ends():
    group = small.group(small.network())
    n = len(group.reference_ids)
    row = row_of(group.reference_ids, group.answers, [1, 0])
    first = len(group.answers[1].ids)
    assert row.positions[:n].tolist() == list(range(n))
    assert row.positions[n] == n and row.positions[n + first] == n
    assert row.segments[n + first] == 2 and row.answers == (1, 0)
    assert (row.labels[:n] == -100).all() and (row.features[:n] == 0).all()


def test_full_has_one_answer_per_row_and_others_share():
    group = small.group(small.network())
    assert [row.answers for row in rows_of(group, "full")] == [(0,), (1,), (2,), (3,), (4,)]
    assert [row.answers for row in rows_of(group, "prefix", max_answers=2)] == [(0, 1), (2, 3), (4,)]
    tight = rows_of(group, "causal", max_tokens=len(group.reference_ids) + 1)
    assert [row.answers for row in tight] == [(0,), (1,), (2,), (3,), (4,)]  # a row has at least one answer


def test_a_batch_counts_its_tokens_without_padding():
    group = small.group(small.network())
    rows = rows_of(group, "full")
    batch = collate(rows, 0)
    assert batch.n_tokens == sum(row.n_tokens for row in rows)
    assert batch.shape == (5, max(row.n_tokens for row in rows))
    assert (batch.labels[batch.segments < 1] == -100).all()


def test_rows_are_narrow_and_a_batch_is_wide():
    rows = rows_of(small.group(small.network()), "prefix")
    widths = {
        name: getattr(rows[0], name).dtype.itemsize for name in ("ids", "positions", "segments", "labels")
    }
    assert set(widths.values()) == {4} and rows[0].features.dtype.itemsize == 1
    batch = collate(rows, 0)
    wide = (batch.ids, batch.features, batch.positions, batch.segments, batch.labels)
    assert {one.dtype for one in wide} == {torch.int64}
    assert batch.ids[0, : rows[0].n_tokens].tolist() == rows[0].ids.tolist()
