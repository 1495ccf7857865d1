"""Products of small networks: numpy's while one works, torch's otherwise, right in both directions."""

import os
import subprocess
import sys

import numpy as np
import pytest
import torch

from truerate.detectors.training.jobs import IMPORTED
from truerate.detectors.training.trainable import by_numpy

SHAPES = [(600, 128, 320), (1, 7, 3), (0, 4, 2), (5, 1, 1)]
DIGEST = """
import hashlib, os
from truerate.core.process.cpu import hold_to_avx2
hold_to_avx2(os.environ)
import torch
from truerate.detectors.training.trainable import by_numpy
torch.manual_seed(0)
x, layer = torch.randn(300, 128), torch.nn.Linear(128, 320, bias=False)
with by_numpy(True):
    y = layer(x)
    y.square().sum().backward()
print(hashlib.sha256(y.detach().numpy().tobytes() + layer.weight.grad.numpy().tobytes()).hexdigest())
"""


@pytest.mark.parametrize("shape", SHAPES)
def test_a_product_is_numpys_while_a_small_network_works(shape):
    n, k, m = shape
    first, second = torch.randn(n, k), torch.randn(m, k).T
    with by_numpy(True):
        product = first @ second
        with by_numpy(False):  # a large network within
            other = first @ second
    assert np.array_equal(product.numpy(), first.numpy() @ second.numpy())
    assert torch.allclose(product, other, atol=1e-4) and torch.equal(other, first @ second)
    assert product.shape == (n, m)


def test_gradients_are_those_of_a_product():
    """d(sum(x w)) / dx is the sum of w's columns, row by row; of doubles too, which torch multiplies."""
    for dtype in (torch.float32, torch.float64):
        x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=dtype, requires_grad=True)
        w = torch.tensor([[5.0, 6.0, 7.0], [8.0, 9.0, 10.0]], dtype=dtype)
        with by_numpy(True):
            (x @ w).sum().backward()
        assert x.grad.tolist() == [[18.0, 27.0], [18.0, 27.0]]


def test_what_a_layer_computes_and_learns_hangs_on_no_branch_of_mkl():
    digests = {
        subprocess.run(
            [sys.executable, "-c", DIGEST],
            env=os.environ | {"MKL_CBWR": branch},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for branch in ("COMPATIBLE", "AVX2")
    }
    assert len(digests) == 1 and digests != {""}


# ---- workers -----------------------------------------------------------------------------------------------
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is forked")
def test_the_process_that_is_forked_has_one_thread():
    code = f"import os, {', '.join(IMPORTED)}; print(len(os.listdir('/proc/self/task')))"
    values = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"OPENBLAS_NUM_THREADS": "1"},
    )
    assert values.stdout == "1\n"


def test_a_stage_starts_its_workers_before_torch_is_there():
    code = "import sys, truerate.detectors.tokens.family; print([name for name in ('torch', 'transformers') if name in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        == "[]\n"
    )
