"""What is learned, cell by cell in scratch folders, put together in the folder of its family."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from truerate.detectors.training import processes
from truerate.detectors.training.scratch import STATE
from truerate.detectors.training.workers import each


def fit_all(jobs: Sequence[Any], fit: Callable[[Any], None], folder: Path) -> None:
    """Fit every job (`cell`, `scratch`, `backbone`) that has no state yet, side by side on a CPU, and put each
    state under `folder`/<member>/<cell>. Under `torchrun` or `accelerate launch` the processes share each
    training, and the first puts them there.
    """
    processes.join()
    processes.wait()  # `folder` was emptied by each of them
    each(fit, [job for job in jobs if not (job.scratch / STATE).is_dir()], lambda job: job.backbone)
    processes.wait()
    for job in jobs if processes.rank() == 0 else []:
        shutil.copytree(job.scratch / STATE, Path(folder) / job.cell.member / job.cell.name)
    processes.wait()
