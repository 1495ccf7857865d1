"""Every machine computes with one set of instructions."""

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from truerate.core.process.cpu import AVX2, hold_to_avx2

FLAGS = Path("/proc/cpuinfo")
LOADED = """
import json, os
from truerate.core.process.cpu import hold_to_avx2
hold_to_avx2(os.environ)
import numpy as np, torch
from numpy._core import _multiarray_umath as umath
from threadpoolctl import threadpool_info
np.ones((2, 2)) @ np.ones((2, 2))
print(json.dumps({
    "openblas": [(pool["architecture"], pool["num_threads"]) for pool in threadpool_info() if pool["internal_api"] == "openblas"],
    "torch": torch.backends.cpu.get_cpu_capability(),
    "numpy": [name for name in ("X86_V4", "AVX512_ICL", "AVX512_SPR") if umath.__cpu_features__.get(name)],
}))
"""


def flags(folder: Path, text: str) -> Path:
    path = folder / "cpuinfo"
    path.write_text(text)
    return path


def test_what_is_set_stays_and_the_rest_is_filled(tmp_path):
    environ = {"OPENBLAS_CORETYPE": "Zen"}
    hold_to_avx2(environ, "x86_64", flags(tmp_path, "flags : fpu avx avx2 avx512f"))
    assert environ == AVX2 | {"OPENBLAS_CORETYPE": "Zen"}


@pytest.mark.parametrize(
    ("machine", "text"), [("x86_64", "flags : fpu avx"), ("aarch64", "flags : avx2"), ("x86_64", None)]
)
def test_no_other_machine_is_touched(tmp_path, machine, text):
    environ: dict[str, str] = {}
    hold_to_avx2(environ, machine, flags(tmp_path, text) if text else tmp_path / "none")
    assert environ == {}


@pytest.mark.skipif(
    platform.machine() != "x86_64" or not FLAGS.is_file() or "avx2" not in FLAGS.read_text().split(),
    reason="this CPU has no AVX2",
)
def test_libraries_that_are_loaded_afterwards_hold_to_it():
    clean = {name: value for name, value in os.environ.items() if name not in AVX2}
    seen = json.loads(
        subprocess.run(
            [sys.executable, "-c", LOADED], env=clean, check=True, capture_output=True, text=True
        ).stdout
    )
    assert seen["openblas"] and all(pool == ["Haswell", 1] for pool in seen["openblas"])
    assert seen["torch"] == "AVX2" and seen["numpy"] == []
