"""The committed settings, for tests that need a checkout of their own."""

import shutil
from pathlib import Path

from truerate.config.layout import Layout

ROOT = Path(__file__).parents[1]


def with_sources(folder: Path, monkeypatch) -> Layout:
    """The committed settings in an empty folder, with sources of one file."""
    monkeypatch.chdir(folder)
    for name in ("src", "rules"):
        Path(name).symlink_to(ROOT / name)
    shutil.copy(ROOT / "params.yaml", "params.yaml")
    layout = Layout.load()
    for source in layout.p.sources:
        Path(layout.source(source)).mkdir(parents=True)
        Path(layout.source(source), "items.parquet").write_bytes(b"items")
    return layout
