"""What forked workers rest on."""

import subprocess
import sys

import pytest

from truerate.detectors.training.jobs import IMPORTED


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
