"""Trainings as jobs of Snakemake: the same bytes as in one process, one edit fits one cell, a lost plan is told."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
import yaml

from truerate.config.layout import Layout
from truerate.core.errors import TruerateError
from truerate.core.schemas import Sample, load
from truerate.pipeline import cells, dataset, detect, evaluate, guard, sources

ROOT = Path(__file__).parents[2]
BOARD = "bench"
FAMILY = {"tracks": ["mfava"], "members": ["mark-all", "token-lr"]}
PARTS = [{"members": ["mark-all"], "labels": ["binary"]}]
ROWS = [
    {
        "reference": f"Town {k} lies on the river Ost and has {k} mills.",
        "marked": f"Town {k} lies on the <entity><delete>Ost</delete><mark>Varn{k}</mark></entity>. It has {k} mills.",
    }
    for k in range(12)
]


@pytest.fixture
def at(tmp_path, monkeypatch) -> Layout:
    """A board of tagged passages with rules that learn, labelled and not yet trained."""
    for name in ("src", "rules", "site", "profiles"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "inputs").mkdir()
    (tmp_path / "tagged").mkdir()
    (tmp_path / "tagged/fava.jsonl").write_text("\n".join(map(json.dumps, ROWS)), "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv(cells.PROFILE, raising=False)
    params = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
    params["sources"] = {"tagged": {"reader": "fava", "path": "tagged"}}
    alone = dict.fromkeys(("writer", "translator", "query_writer", "checker"))
    own = {
        "settings": {**alone, "languages": ["en"], "subjects": []},
        "sizes": {"labels": ["binary", "category"]},
    }
    params["boards"] = {BOARD: {"track": "mfava", "source": "tagged", "title": "Tagged", **own}}
    params["detectors"] = {"tokens": {**FAMILY, "grid": PARTS}}
    params["tracks"]["mfava"]["detector"] = {"member": "token-lr", "scope": "multi", "labels": "binary"}
    Path("params.yaml").write_text(yaml.safe_dump(params, sort_keys=False), "utf-8")
    guard.check_params()
    made = Layout.load()
    sources.import_source(made, "tagged")
    dataset.export(made, BOARD, made.dataset(BOARD, "card.json"), [])
    evaluate.label(made, BOARD)
    return made


def trained(config: Layout) -> dict[str, bytes]:
    """The fitted detectors, by their place in the board's folder."""
    detect.train(config, BOARD)
    folder = Path(config.trained(BOARD))
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_jobs_fit_the_same_bytes_and_one_edit_fits_one_cell(at, monkeypatch):
    here = trained(at)
    names = {name.split("/")[2] for name in here if name.count("/") > 2}
    assert names == {"multi-binary-42", "multi-category-42"}
    assert not [name for name in here if name.startswith("tokens/mark-all/multi-category")]
    for folder in Path(at.training).iterdir():
        os.rename(folder, f"{folder}.aside")
    monkeypatch.setenv(cells.PROFILE, "profiles/default")
    assert trained(at) == here
    given = sorted(cells.planned(at, BOARD))
    assert [name.rpartition("-")[0] for name in given] == ["token-lr", "token-lr"]
    assert all(Path(cells.mark(at, name)).is_file() for name in given)
    # what is fitted is no job again: nothing is planned
    os.unlink(f"{at.training}/{BOARD}.jobs.json")
    assert trained(at) == here and not Path(f"{at.training}/{BOARD}.jobs.json").exists()
    # and of two cells the one that has to be learned anew is a job alone
    shutil.rmtree(Path(at.training, given[1], "state"))
    samples = load(Sample, at.labels(BOARD, "samples"))
    found = {"tokens": detect.fitting(at, BOARD, "tokens", samples, {})}
    assert list(cells.unfitted(found)) == [given[1]]


def test_a_cell_that_is_not_the_planned_one_is_refused_in_one_line(at):
    guard.write_json(f"{at.training}/{BOARD}.jobs.json", {"cells": {}, "devices": {}})
    with pytest.raises(TruerateError, match="no cell 'token-lr-0' is planned; run `truerate train bench`"):
        detect.train_cell(at, BOARD, "token-lr-0")
    plan = {"cells": {"token-lr-0": {"family": "tokens", "member": "token-lr"}}, "devices": {}}
    guard.write_json(f"{at.training}/{BOARD}.jobs.json", plan)
    with pytest.raises(TruerateError, match="no longer what was planned") as error:
        detect.train_cell(at, BOARD, "token-lr-0")
    assert "\n" not in str(error.value)


def test_what_a_job_needs_stands_with_its_backbone_and_names_nothing(at):
    entry = dict(at.p.values["backbones"]["tiny-prefix"])
    needs = {"gpus": 2, "memory_mb": 64_000, "minutes": 900}
    backbone = type(at.p.backbones["tiny-prefix"]).model_validate(entry | {"resources": needs})
    assert backbone.content() == at.p.backbones["tiny-prefix"].content()
    more = at.p.model_copy(update={"backbones": {"tiny-prefix": backbone}})
    members = {"a-0": "tiny-prefix", "b-0": "token-lr"}
    plan = {name: {"family": "tokens", "member": member} for name, member in members.items()}
    guard.write_json(f"{at.training}/{BOARD}.jobs.json", {"cells": plan, "devices": {}})
    needed = cells.resources(Layout(more), BOARD, "tiny-prefix")
    assert needed == {"mem_mb": 64_000, "runtime": 900, "gpu": 2}
    assert cells.resources(at, BOARD, "token-lr") == {"mem_mb": 4_000, "runtime": 60}
    assert (cells.rule_of("tiny-prefix"), cells.names_of("a")) == ("fit_tiny_prefix", "a-[0-9a-f]+")
