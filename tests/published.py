"""A built project published to the loopback Hub by the real command, and read back by the clients of whoever
wants the data.
"""

import json
import subprocess
from contextlib import contextmanager
from pathlib import Path

from tests.hub.server.hub import Hub

READ = """
import json, sys
import polars as pl
from datasets import Value, get_dataset_config_names, load_dataset
from huggingface_hub import snapshot_download
from pathlib import Path
repo, revision = sys.argv[1:]
folder = Path(snapshot_download(repo, repo_type="dataset", revision=revision))
told = {}
for config in get_dataset_config_names(repo, revision=revision):
    for split, whole in load_dataset(repo, config, revision=revision).items():
        files = sorted(folder.glob(f"data/{config}/{split}-*.parquet"))
        assert files, config
        assert pl.read_parquet(files, glob=False).height == whole.num_rows, (config, split)
        streamed = load_dataset(repo, config, split=split, revision=revision, streaming=True)
        assert streamed.features == whole.features, (config, split)
        first = next(iter(streamed))
        assert first == whole[0], (config, split)
        assert not [name for name, kind in whole.features.items() if kind == Value("null")], (config, split)
        told.setdefault(config, {})[split] = whole.num_rows
print(json.dumps(told))
"""


@contextmanager
def running(folder: Path):
    """A Hub of its own for the length of a block."""
    hub = Hub(folder / "hub").start()
    yield hub
    hub.stop()


def publish(
    house, hub: Hub, *arguments: str, check: bool = True, **environment: str
) -> subprocess.CompletedProcess:
    """Run `truerate publish` in a built project, its clients turned towards a Hub; `environment` is added to
    theirs.
    """
    return house.run("truerate", "publish", *arguments, check=check, **turned(hub) | environment)


def turned(hub: Hub) -> dict[str, str]:
    """What turns the clients of a process towards a Hub."""
    return {
        name: value
        for name, value in hub.environment().items()
        if name.startswith("HF_") or name.lower() == "no_proxy"
    }


def loaded(hub: Hub, repo: str, revision: str = "main") -> dict[str, dict[str, int]]:
    """Rows by config and split as `datasets` (whole and streaming) and polars read them, types and first rows
    compared.
    """
    done = hub.run(READ, repo, revision)
    return json.loads(done.stdout.strip().splitlines()[-1])
