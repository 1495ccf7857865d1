"""A source that changed since it was imported is named, with what became of which file, wherever it lies."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.warm import warm
from truerate.cli import report
from truerate.config.layout import Layout
from truerate.core.errors import TruerateError
from truerate.core.schemas import Item, Reject, frame, reject_row, save
from truerate.pipeline.dataset import refuse_nothing_left
from truerate.pipeline.repair.imported import SETTINGS, change_note, change_notes, changes, with_changed_files
from truerate.pipeline.run_tools import build
from truerate.pipeline.sources import import_source

ROOT = Path(__file__).parents[2]
PAIR = '{"knowledge": "Aldor was founded in 1204.", "question": "When?", "right_answer": "In 1204.", "hallucinated_answer": "In 1893."}\n'


@pytest.fixture
def at(tmp_path, monkeypatch):
    """A project with one source of two files, below a folder that DVC does not watch, imported."""
    monkeypatch.chdir(tmp_path)
    Path("elsewhere/mine").mkdir(parents=True)
    Path("elsewhere/mine/qa_data.json").write_text(PAIR, "utf-8")
    Path("elsewhere/mine/notes.txt").write_text("where the pairs are from", "utf-8")
    settings = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
    settings["sources"] = {"mine": {"reader": "halueval", "path": "elsewhere/mine"}}
    settings["boards"] = {"own": {"track": "halueval", "source": "mine", "title": "Own"}}
    return _with_settings(settings)


def _with_settings(settings: dict) -> Layout:
    Path("params.yaml").write_text(yaml.safe_dump(settings), "utf-8")
    layout = Layout.load()
    if not Path(layout.imported("mine")).is_file():
        import_source(layout, "mine")
    return layout


def test_a_source_as_it_was_imported_and_one_that_was_only_touched_or_copied_have_no_note(at):
    assert change_note(at, "mine") is None
    os.utime("elsewhere/mine/qa_data.json", ns=(1, 1))
    Path("elsewhere/mine/.DS_Store").write_text("left by a file manager")
    assert change_note(at, "mine") is None and with_changed_files(at) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda file: file.write_text(PAIR.replace("1204", "1205")),
            "'{}' has other content",
        ),  # of equal size
        (lambda file: file.write_text(PAIR * 2), "'{}' has other content"),
        (lambda file: file.unlink(), "'{}' is not there any more"),
        (lambda file: file.rename(file.with_name("other.json")), "'{}' is not there any more, 1 more"),
        (
            lambda file: file.with_name("a.json").write_text(PAIR),
            "'elsewhere/mine/a.json' is new",
        ),
    ],
)
def test_what_became_of_a_file_is_named_with_what_to_do(at, change, said):
    file = Path("elsewhere/mine/qa_data.json")
    before = file.stat()
    change(file)
    if file.exists() and "a.json" not in said:
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    note = f"changed since it was imported ({said.format(file)}); run `truerate build sources`"
    assert change_note(at, "mine") == note
    assert change_notes(at, "own") == change_notes(at) == [f"source 'mine' {note}"]
    assert with_changed_files(at) == ["mine"]


def test_a_file_of_labels_beside_the_answers_is_named_when_it_changed(at):
    Path("elsewhere/answers.csv").write_text(
        "id,system,answer\n1,alder,In 1204.\n2,alder,In 1893.\n", "utf-8"
    )
    labels = Path("elsewhere/labels.csv")
    labels.write_text("id,is_hallucinated\n1,no\n2,yes\n", "utf-8")
    settings = yaml.safe_load(Path("params.yaml").read_text("utf-8"))
    source = {"reader": "answers", "path": "elsewhere/answers.csv", "answers": {"labels": str(labels)}}
    settings["sources"]["mine"] = source | {"rights": {"licence": "MIT"}}
    settings["boards"] = {"own": {"track": "labelled_replies", "source": "mine", "has_detectors": False}}
    Path(at.imported("mine")).unlink()
    layout = _with_settings(settings)
    assert change_note(layout, "mine") is None
    labels.write_text("id,is_hallucinated\n1,yes\n2,no\n", "utf-8")
    os.utime(labels, ns=(1, 1))
    assert changes(layout, "mine") == ["'elsewhere/labels.csv' has other content"]


@pytest.mark.parametrize("key", ["on_bad_row", "seed", "sources"])
def test_settings_of_a_source_that_were_edited_since_are_named(at, key):
    settings = yaml.safe_load(Path("params.yaml").read_text("utf-8"))
    edited = {"on_bad_row": "reject", "seed": 99}
    if key in edited:
        settings[key] = edited[key]
    else:
        settings["sources"]["mine"]["rights"] = {"licence": "MIT"}
    edited_at = _with_settings(settings)
    assert changes(edited_at, "mine") == [SETTINGS] and with_changed_files(edited_at) == []


def test_tables_that_were_imported_elsewhere_are_not_compared(at):
    Path("elsewhere/mine/qa_data.json").write_text(PAIR * 2, "utf-8")
    card = Path(at.source("mine", "card.json"))
    card.write_text(card.read_text("utf-8") + " ", "utf-8")  # as `dvc checkout` brings another one
    assert change_note(at, "mine") is None
    card.unlink()
    assert change_note(at, "mine") is None


def test_the_table_of_sources_says_it(at, capfd):
    Path("elsewhere/mine/qa_data.json").write_text(PAIR * 2, "utf-8")
    report.show_sources(at, as_json=True)
    assert "qa_data.json' has other content); run `truerate build sources`" in capfd.readouterr().out


def test_a_build_imports_a_changed_source_that_nothing_else_would_make_run(tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("DVC_NO_ANALYTICS", "1")
    stages = {"check": "touch checked", "sources": "echo run >> log"}
    text = "".join(f"  {name}: {{cmd: {cmd}, deps: [given]}}\n" for name, cmd in stages.items())
    (tmp_path / "dvc.yaml").write_text(f"stages:\n{text}")
    (tmp_path / "given").write_text("x")
    subprocess.run([warm().python, "-m", "dvc", "init", "--no-scm", "-q"], cwd=tmp_path, check=True)
    log = tmp_path / "log"
    assert build(folder=str(tmp_path)) == 0 and build(folder=str(tmp_path)) == 0
    assert log.read_text().count("run") == 1
    assert build(folder=str(tmp_path), changed=["mine"]) == 0 and log.read_text().count("run") == 2
    assert "sources that changed since their import are imported again: mine" in capfd.readouterr().err


def test_a_source_or_a_data_set_of_which_nothing_is_left_says_why(at):
    values = yaml.safe_load(Path("params.yaml").read_text("utf-8")) | {"on_bad_row": "reject"}
    same = PAIR.replace("In 1893.", "In 1204.")
    Path("elsewhere/mine/qa_data.json").write_text(same * 2, "utf-8")
    shutil.rmtree(Path(at.imported("mine")).parent)
    with pytest.raises(
        TruerateError, match=r"source 'mine': no row .*, 2 rejected; qa_data.json row 1: .*same text"
    ):
        _with_settings(values)

    pages = [reject_row(where="evidence", reason="no-page", detail="none", target_id=name) for name in "ab"]
    for table, rows in ((Item, []), (Reject, pages)):
        save(table, frame(table, rows), at.dataset("own", "items" if table is Item else "rejects"))
    refuse_nothing_left(at, "own", n_items=0)
    with pytest.raises(
        TruerateError, match="none of the 2 items of its source is left: 2 no-page; simulated"
    ):
        refuse_nothing_left(at, "own", n_items=2)
