"""A built project published to the loopback Hub by the real command, and read back by the clients of whoever wants the data."""

import json
import subprocess
from contextlib import contextmanager
from pathlib import Path

import yaml

from tests.hub.server.hub import Hub
from tests.hub.stages import build_board, put_into, scores_of
from truerate.config.layout import Layout
from truerate.pipeline import guard

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
    """Run `truerate publish` in a built project, its clients turned towards a Hub; `environment` is added to theirs."""
    return house.run("truerate", "publish", *arguments, check=check, **turned(hub) | environment)


def turned(hub: Hub) -> dict[str, str]:
    """What turns the clients of a process towards a Hub."""
    return {
        name: value
        for name, value in hub.environment().items()
        if name.startswith("HF_") or name.lower() == "no_proxy"
    }


def loaded(hub: Hub, repo: str, revision: str = "main") -> dict[str, dict[str, int]]:
    """Rows by config and split as `datasets` (whole and streaming) and polars read them, types and first rows compared."""
    done = hub.run(READ, repo, revision)
    return json.loads(done.stdout.strip().splitlines()[-1])


def read_back(house, board: str, folder: Path, monkeypatch, **own) -> tuple[dict, dict]:
    """The scores of a built board, and of one on what goes out of it, built in an empty folder with no detectors; `own`:
    its families of `detectors` and settings of its track, in place of the board's.
    """
    monkeypatch.chdir(house.folder)
    first = Layout.load()
    put_into(folder / "published", first, board)
    scores = scores_of(first, board)
    values = yaml.safe_load(Path("params.yaml").read_text("utf-8"))
    values |= {
        "sources": {"back": {"reader": "truerate", "path": "published"}},
        "detectors": own.pop("detectors", {}),
        "boards": {"back": {"track": first.p.board(board).track, "source": "back"}},
    }
    values["tracks"][first.p.board(board).track] |= own
    monkeypatch.chdir(folder)
    (folder / "src").symlink_to(house.folder / "src")
    (folder / "inputs").mkdir()
    (folder / "params.yaml").write_text(yaml.safe_dump(values, sort_keys=False), "utf-8")
    guard.check_params()
    build_board(Layout.load(), "back")
    return scores, scores_of(Layout.load(), "back")
