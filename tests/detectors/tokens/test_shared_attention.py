import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from truerate.detectors.tokens.shared_attention import _in_one_part, _in_two_parts, band

LENGTHS = (5, 1, 40)


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


def test_the_band_by_hand():
    like = (torch.float32, torch.device("cpu"))
    assert (band(2, True, *like)[:2, :6] == 0).int().tolist() == [[1, 1, 1, 0, 0, 0], [0, 1, 1, 1, 0, 0]]
    assert (band(2, False, *like)[:2, :6] == 0).int().tolist() == [[1, 1, 1, 1, 1, 0], [0, 1, 1, 1, 1, 1]]
