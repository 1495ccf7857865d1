"""An output that was recorded though its stage was interrupted: `mend` removes it, and a whole one stays."""

import json
import shutil
from pathlib import Path

import pytest

from truerate.config.layout import Layout
from truerate.core.schemas import frame, save
from truerate.flow.dataset_tables import SOURCE
from truerate.flow.guard import write_json
from truerate.flow.repair_lock import RUNNING
from truerate.flow.repair_outs import repair_outs

ROOT = Path(__file__).parents[2]


@pytest.fixture
def at(tmp_path, monkeypatch):
    """A project whose sources are imported, empty as they are."""
    shutil.copy(ROOT / "params.yaml", tmp_path)
    monkeypatch.chdir(tmp_path)
    layout = Layout.load()
    for name in layout.p.used_sources():
        for table, model in SOURCE.items():
            save(model, frame(model), layout.source(name, table))
        write_json(layout.source(name, "card.json"), {})
    return layout


def test_whole_outputs_and_none_at_all_are_left_alone(at):
    assert repair_outs(at) == []
    assert Path(at.source("closed-world", "card.json")).is_file()


@pytest.mark.parametrize("of", ["card.json", "items"])
def test_an_output_without_one_of_its_files_is_removed(at, of):
    Path(at.source("closed-world-chats", of)).unlink()
    (line,) = repair_outs(at)
    assert (
        line.startswith("stage 'sources': ")
        and "closed-world-chats" in line
        and "`truerate build` makes it again" in line
    )
    assert not Path(at.p.paths.sources).exists() and repair_outs(at) == []


def test_nothing_is_removed_while_a_build_runs(at):
    Path(at.source("closed-world", "card.json")).unlink()
    Path(RUNNING).parent.mkdir(parents=True)
    Path(RUNNING).write_text(json.dumps({"write": {"data/sources": {"pid": 1, "cmd": "dvc repro"}}}))
    assert repair_outs(at) == []
    assert Path(at.p.paths.sources).exists()
