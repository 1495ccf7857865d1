"""What the tests of places share: the committed settings, edits of them, and files written by hand."""

from pathlib import Path

import yaml

from truerate.config.placement import READ_ONLY

ROOT = Path(__file__).parents[2]
COMMITTED = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
WRITTEN = [name for name in COMMITTED["paths"] if name not in READ_ONLY]

BOARD = "halueval-closed-world"


def by_hand(folder: Path) -> dict[str, str]:
    """What somebody put there by hand."""
    return {name: (folder / name).read_text() for name in ("code/a.py", "mine/deep/notes.txt")}


def at_path(name: str, path: str):
    return lambda p: p["paths"].update({name: path})


def made_at(path: str):
    return lambda p: p["sources"]["closed-world"].update(path=path)


def lock(*outs: str) -> None:
    Path("dvc.lock").write_text(
        yaml.safe_dump(
            {"schema": "2.0", "stages": {"x": {"cmd": "x", "outs": [{"path": out} for out in outs]}}}
        )
    )


def write(*paths: str) -> None:
    for path in paths:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text("by hand")
