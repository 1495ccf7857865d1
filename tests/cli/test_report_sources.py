"""What `truerate sources` says of declared sources: cards, revisions, rows, and what is missing."""

import json
from pathlib import Path

import pytest

from truerate.cli import report
from truerate.config import HubSource, Source, Training
from truerate.config.layout import Layout
from truerate.pipeline.guard import write_json

CARD = {
    "licence": "MIT",
    "redistribution": "yes",
    "files": [{"file": "claims.jsonl", "n_rows": 2, "sha256": ""}],
} | {"counts": {"n_documents": 0, "n_items": 1, "n_rejects": 0, "n_samples": 2}}


@pytest.fixture
def shown(tmp_path, monkeypatch, capfd):
    """What is said of sources, by name, where these are declared."""
    text = Path(__file__).parents[2].joinpath("params.yaml").read_text("utf-8")
    (tmp_path / "params.yaml").write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    at = Layout.load()

    def run(**sources):
        declared = Layout(at.p.model_copy(update={"sources": sources}))
        report.show_sources(declared, as_json=True)
        return {line.pop("source"): line for line in json.loads(capfd.readouterr().out)}

    run.at = at
    return run


def test_an_imported_source_names_its_rights_and_rows(shown):
    Path("claims").mkdir()
    Path("claims/claims.jsonl").write_text("{}")
    write_json(shown.at.source("x", "card.json"), CARD)
    assert shown(x=Source(reader="refchecker", path="claims")) == {
        "x": {
            "reader": "refchecker",
            "from": "claims",
            "revision": None,
            "licence": "MIT",
            "redistribution": "yes",
        }
        | {"rows": "1 items, 2 samples", "missing": None}
    }
    Path("claims/claims.jsonl").unlink()
    assert (
        shown(x=Source(reader="refchecker", path="claims"))["x"]["missing"] == "files not there: claims.jsonl"
    )


def test_what_is_missing_before_anything_was_done(shown):
    taught = Training(reader="mfava", path="nowhere")
    found = shown(
        a=Source(reader="refchecker", path="absent"),
        b=Source(reader="seed_files", path="world", make="python -m x {path}"),
        c=Source(reader="refchecker", path=".", training=taught),
        d=Source(
            reader="refchecker",
            hub=HubSource(repo="org/absent-here", revision="ab" * 20, config="claims", split="train"),
        ),
    )
    assert {name: line["missing"].split("; ")[0] for name, line in found.items()} == {
        "a": "folder not there: absent",
        "b": "folder not made yet: world",
        "c": "folder to learn from not there: nowhere",
        "d": "not fetched",
    }
    assert all(
        line["missing"].endswith("not imported, as no board reads it: name it under `boards`")
        for line in found.values()
    )
    assert (found["d"]["from"], found["d"]["revision"]) == ("org/absent-here claims train", "ab" * 20)


def test_readers_show_their_cards(capfd):
    report.show_readers(as_json=True)
    found = {line["reader"]: line for line in json.loads(capfd.readouterr().out)}
    assert found["ragtruth"]["redistribution"] == "ids-only" and found["seed_files"]["licence"] is None
