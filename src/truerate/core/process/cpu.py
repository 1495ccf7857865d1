"""One set of CPU instructions for every machine: equal inputs give equal floats, so that `dvc.lock` holds
elsewhere too.

Numeric libraries pick their kernels by what the CPU can do, and each kernel adds up in another order.
Measured: an interval of agreement differs in its last bits between OpenBLAS' kernels for two generations of
CPUs, and a small network trained for 400 steps on another CPU moves a raw hallucination rate by up to two
points. So on x86-64 Linux all are held to AVX2, which machines since 2015 have. MKL takes its compatible
branch, since its others differ between vendors: a small transformer trained for 40 steps has other weights
with MKL_CBWR=AVX2 once MKL_ENABLE_INSTRUCTIONS=SSE4_2 stands in for another vendor's CPU, and the same
weights with COMPATIBLE. That branch takes three times as long for a product, so those of small networks are
numpy's (`detectors.training.products`). The number of cores may still split a long sum of torch's otherwise.
OpenBLAS is held to one thread: its products are small here, and a second thread took half as much time again
(measured on the audit and the scores).
"""

import platform
from collections.abc import MutableMapping
from pathlib import Path

AVX2 = {
    "ATEN_CPU_CAPABILITY": "avx2",  # torch's own kernels
    "MKL_CBWR": "COMPATIBLE",  # its matrix products: the one branch that is the same on CPUs of every vendor
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "OPENBLAS_CORETYPE": "Haswell",  # those of numpy, scipy, scikit-learn
    "OPENBLAS_NUM_THREADS": "1",
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
}
_FLAGS = Path("/proc/cpuinfo")


def hold_to_avx2(environ: MutableMapping[str, str], machine: str | None = None, flags: Path = _FLAGS) -> None:
    """Set what makes numeric libraries use AVX2 and no more; to be called before any of them is loaded.

    What is set already stays. Nothing is set on other machines: arm64, CPUs without AVX2 (its kernels would
    end the process there), and systems that do not tell their flags in `flags`.
    """
    if (
        (machine or platform.machine()) != "x86_64"
        or not flags.is_file()
        or "avx2" not in flags.read_text("ascii", "ignore").split()
    ):
        return
    for name, value in AVX2.items():
        environ.setdefault(name, value)
