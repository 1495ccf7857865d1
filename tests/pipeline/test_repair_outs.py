"""An output that was recorded though its stage was interrupted: `mend` removes it, and a whole one stays."""

import json
import shutil
from pathlib import Path

import pytest

from truerate.config.layout import Layout
from truerate.config.places import claim, claim_output
from truerate.config.stage_settings import Stage
from truerate.core.schemas import Count, Judgement, Sample, Score, frame, save
from truerate.pipeline.dataset_tables import SOURCE
from truerate.pipeline.guard import write_json
from truerate.pipeline.repair.repair_lock import RUNNING
from truerate.pipeline.repair.repair_outs import repair_outs

ROOT = Path(__file__).parents[2]


@pytest.fixture
def at(tmp_path, monkeypatch):
    """A project whose sources are imported, empty as they are."""
    shutil.copy(ROOT / "params.yaml", tmp_path)
    monkeypatch.chdir(tmp_path)
    layout = Layout.load()
    claim(layout, "sources")
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


def _recorded(at, *outs: str) -> None:
    """A dvc.lock that names what stages wrote."""
    lines = "".join(f"  s{n}:\n    outs:\n    - path: {out}\n" for n, out in enumerate(outs))
    Path("dvc.lock").write_text(f"stages:\n{lines}", "utf-8")


def _judged(at) -> tuple[str, list[str]]:
    board = next(iter(at.p.boards))
    tables = [at.judgements(name, board) for name in at.p.families(board)]
    for table in tables:
        save(Judgement, frame(Judgement), table)
    write_json(f"{at.judged(board)}/families.json", {})
    _recorded(at, at.judged(board))
    return board, tables


@pytest.mark.parametrize(
    ("damage", "fault"),
    [
        (lambda file: file.unlink(), "is not there"),
        (lambda file: file.write_bytes(file.read_bytes()[:-3]), "is cut"),
        (lambda file: file.write_bytes(b""), "is cut"),
        (
            lambda file: file.with_name(f"{file.name}.4711.tmp").write_bytes(b"PAR1"),
            "is the rest of a write that was cut",
        ),
    ],
)
def test_judgements_without_a_family_or_cut_are_removed(at, damage, fault):
    board, (*_, last) = _judged(at)
    assert repair_outs(at) == []
    damage(Path(last))
    (line,) = repair_outs(at)
    assert line.startswith(f"stage 'judge@{board}': ") and fault in line
    assert not Path(at.judged(board)).exists() and repair_outs(at) == []


def test_a_table_that_is_not_as_high_as_its_card_states_is_removed(at):
    board = next(iter(at.p.boards))
    save(Count, frame(Count), at.dataset(board, "counts"))
    save(Sample, frame(Sample), at.dataset(board, "samples"))
    write_json(at.dataset(board, "card.json"), {"board": board, "n": {"counts": 0, "samples": 0}})
    _recorded(at, at.dataset(board))
    assert repair_outs(at) == []
    write_json(at.dataset(board, "card.json"), {"board": board, "n": {"counts": 2, "samples": 0}})
    (line,) = repair_outs(at)
    assert f"stage 'dataset@{board}': " in line and "has 0 rows where its card states 2" in line


@pytest.mark.parametrize("content", ["", '{"n_doc', "\udcff"])
def test_a_card_that_is_cut_is_one_line(at, content):
    Path(at.source("closed-world", "card.json")).write_bytes(content.encode("utf-8", "surrogateescape"))
    (line,) = repair_outs(at)
    assert line.startswith("stage 'sources': ") and "card.json' is cut" in line


def test_a_single_table_that_is_cut_and_a_site_without_one_of_its_pages_are_removed(at):
    board = next(iter(at.p.boards))
    claim_output(at, Stage("audit", board))
    save(Score, frame(Score), at.audit(board))
    Path(at.audit(board)).write_bytes(Path(at.audit(board)).read_bytes()[:20])
    for name in ("site", "site_src"):
        Path(getattr(at.p.paths, name)).mkdir(parents=True)
        claim(at, name)
    for name in ("index", "data"):
        Path(at.p.paths.site_src, f"{name}.md").write_text("# A page")
    Path(at.p.paths.site, "index.html").write_text("<h1>A page</h1>")
    _recorded(at, at.audit(board))
    audit, site = repair_outs(at)
    assert audit.startswith(f"stage 'audit@{board}': ") and "is cut" in audit
    assert site.startswith("stage 'site': ") and "data.html' is not there" in site
    assert not Path(at.audit(board)).exists() and not Path(at.p.paths.site).exists()
    assert repair_outs(at) == []
