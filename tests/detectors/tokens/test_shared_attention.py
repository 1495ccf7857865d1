import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from truerate.detectors.tokens.shared_attention import Blocks, _in_one_part, _in_two_parts, attend

LENGTHS = (5, 1, 40)


class Layer(torch.nn.Module):
    """A layer of four heads over two of keys and values."""

    num_key_value_groups, is_causal = 2, False


def heads(n, n_heads, seed):
    """Normal draws (1, heads, tokens, size)."""
    return torch.randn((1, n_heads, n, 8), generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("scale", [1.0, 30.0], ids=["even weights", "weights near 0 and 1"])
def test_both_ways_to_read_a_reference_are_one(is_causal, scale):
    def whole(q, k, v, mask=None):
        return scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True).transpose(1, 2)

    row = [heads(sum(LENGTHS), n, n) * scale for n in (4, 2, 2)]
    before = (heads(700, 2, 8) * scale, heads(700, 2, 9))
    answers = list(zip(*(one.split(LENGTHS, dim=2) for one in row), strict=True))
    one = torch.cat(_in_one_part(whole, before, answers, is_causal=is_causal), dim=1)
    two = _in_two_parts(row[0], before, answers, is_causal=is_causal, scaling=None)
    assert (one - two).abs().max() <= 1e-5 * scale


@pytest.mark.parametrize("mask", ["prefix", "causal"])
@pytest.mark.parametrize("sliding_window", [None, 16])
def test_what_is_left_is_all_that_answers_need_and_no_more(mask, sliding_window):
    n, reach, left = 300, 15, []
    row = [heads(n + sum(LENGTHS), heads_, heads_) for heads_ in (4, 2, 2)]
    given = {"sliding_window": sliding_window}
    together, _ = attend(Layer(), *row, None, blocks=Blocks(n, LENGTHS, mask, reach, leaves=left), **given)
    ((keys, values),) = left
    assert keys.shape == values.shape == (1, 2, n if sliding_window is None else reach, 8)
    assert keys.untyped_storage().nbytes() == 4 * keys.numel()  # not the row that it was cut from
    apart, _ = attend(
        Layer(),
        *(one[:, :, n:] for one in row),
        None,
        blocks=Blocks(0, LENGTHS, mask, reach, takes=iter(left)),
        **given,
    )
    assert together.shape == (1, n + sum(LENGTHS), 4, 8)
    assert (together[:, n:] - apart).abs().max() <= 1e-6


def test_the_band_by_hand():
    blocks = Blocks(0, (), "causal", 2)
    assert (blocks.band(torch.zeros(1))[:2, :6] == 0).int().tolist() == [
        [1, 1, 1, 0, 0, 0],
        [0, 1, 1, 1, 0, 0],
    ]
    blocks = Blocks(0, (), "prefix", 2)
    assert (blocks.band(torch.zeros(1))[:2, :6] == 0).int().tolist() == [
        [1, 1, 1, 1, 1, 0],
        [0, 1, 1, 1, 1, 1],
    ]
