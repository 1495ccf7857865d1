"""A project with the committed settings; one with an empty board; one with a passage to label."""

import json
from pathlib import Path

import pytest
import yaml

from tests.bad_input.projects import BOARD, MFAVA, QA, ROOT, published
from truerate.cli import main
from truerate.core.schemas import frame, save
from truerate.pipeline.dataset_tables import DATASET, SOURCE

BLANK = {
    "pair_id": None,
    "lang": "en",
    "text": "Made in Ulm",
    "is_hallucinated": True,
    "label_source": "silver",
    "generator": None,
}
BLANK |= {
    "pattern": None,
    "spans": [{"start": 8, "end": 11, "type": "entity", "p": None}],
    "rationale": None,
    "split": "train",
}
BLANK |= {"attributes": []}
ITEM = {
    "source": "s",
    "lang": "en",
    "document_ids": [],
    "history": "",
    "question": "Where?",
    "right_answer": None,
    "attributes": [],
}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """An empty project with the committed settings; `edit(change)` rewrites them by a function of their mapping."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "inputs").mkdir()
    (folder / "src").symlink_to(ROOT / "src")
    (folder / "rules").symlink_to(ROOT / "rules")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("TRUERATE_STORE", str(tmp_path / "store.sqlite"))

    def edit(change) -> Path:
        params = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
        change(params)
        (folder / "params.yaml").write_text(yaml.safe_dump(params, sort_keys=False), "utf-8")
        return folder

    edit(lambda p: None)
    return edit


@pytest.fixture
def built(project):
    """A project whose board has an empty source and data set."""
    folder = published(project)
    (folder / "qa_data.json").write_text(json.dumps(QA))
    assert main(["import", "closed-world"]) == 0
    for name, table in DATASET.items():
        save(table, frame(table), f"data/datasets/{BOARD}/{name}.parquet")
    Path(f"data/datasets/{BOARD}/tasks.jsonl").write_text("")
    return project


@pytest.fixture
def passage(project):
    """A project whose mFAVA board has one silver passage to label and one to learn from; gives the id of the
    first.
    """
    project(lambda p: p["detectors"]["tokens"].update(members=["tiny-prefix"]))
    rows = [
        {**keyed, **BLANK}
        for keyed in ({"sample_id": "s", "item_id": "i"}, {"sample_id": "t", "item_id": "j", "task": "train"})
    ]
    rows = [{"task": "silver", "group_id": row["item_id"], **row} for row in rows]
    items = [{**ITEM, **{name: row[name] for name in ("item_id", "task", "group_id")}} for row in rows]
    for name, table in SOURCE.items():
        save(table, frame(table), f"data/sources/closed-world-wiki/{name}.parquet")
    Path("data/sources/closed-world-wiki/card.json").write_text("{}")
    for name, table in DATASET.items():
        made = {"samples": rows, "items": items}.get(name, [])
        save(table, frame(table, made), f"data/datasets/{MFAVA}/{name}.parquet")
    Path(f"data/datasets/{MFAVA}/tasks.jsonl").write_text(json.dumps({"task_id": "s"}) + "\n")
    return "s"
