"""What a person can get wrong: each ends in one clear line on stderr, exit code 2, no traceback, and nothing
lost.
"""

import json
import shutil
import socket
import sqlite3
from pathlib import Path

import polars as pl
import pytest
import yaml

from truerate.cli import main
from truerate.config.layout import Layout
from truerate.core.schemas import frame, save
from truerate.flow.dataset_tables import DATASET, SOURCE
from truerate.flow.own_labels import label_files

ROOT = Path(__file__).parents[1]
BOARD, MFAVA = "halueval-closed-world", "mfava-closed-world"
KEY = "sk-secret-123456"


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


# ---- params.yaml: refused on reading -----------------------------------------------------------------------
UNREADABLE = {
    "empty": (b"", "must be a mapping"),
    "a list": (b"- 1\n", "must be a mapping"),
    "a word": (b"hello\n", "must be a mapping"),
    "not YAML": (b"a: [1\n", "not YAML"),
    "not UTF-8": (b"a: \xff\n", "not UTF-8 at byte 3"),
    "a key twice": (b"seed: 1\nseed: 2\n", "key 'seed' stands there twice"),
    "a Python tag": (b"a: !!python/object:os.system x\n", "not YAML"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_settings_that_cannot_be_read(project, refused, name):
    content, said = UNREADABLE[name]
    (project(lambda p: None) / "params.yaml").write_bytes(content)
    assert said in refused("boards")


REFUSED = {
    "endpoints as a list": (lambda p: p.update(endpoints=[1]), "endpoints: must be a mapping"),
    "no boards: what is built would be pruned": (lambda p: p.update(boards={}), "boards: must not be empty"),
    "an endless price": (
        lambda p: p["models"]["aster"].update(price=[float("inf"), 1]),
        "models.aster.price.0",
    ),
    "a setting of a wrong type": (
        lambda p: p["models"]["aster"].update(params={"max_tokens": "many"}),
        "models.aster.params: max_tokens must be a whole number",
    ),
    "an empty address: keys would go to another": (
        lambda p: p["endpoints"].update(m={"base_url": ""}),
        "endpoints.m.base_url",
    ),
    "an address without scheme": (
        lambda p: p["endpoints"].update(m={"base_url": "localhost:8000"}),
        "endpoints.m.base_url",
    ),
    "an empty launch": (
        lambda p: p["endpoints"].update(m={"launch": ""}),
        "endpoints.m.launch: must not be empty",
    ),
    "a model twice": (
        lambda p: p["tracks"]["halueval"].update(subjects=["elm", "elm"]),
        "'elm' stands there twice",
    ),
    "no tasks": (lambda p: p["tracks"]["halueval"].update(tasks=[]), "tasks: must not be empty"),
    "the project as a folder of scores": (lambda p: p["paths"].update(scores="."), "name a folder below"),
    "a folder above": (lambda p: p["paths"].update(scores="../x"), "name a folder below"),
    "a folder in another": (lambda p: p["paths"].update(scores="data"), "must not lie in scores"),
    "pages over everything built": (lambda p: p["paths"].update(site_src="build"), "must not lie in"),
    "a mask that is none": (
        lambda p: p["backbones"]["tiny-prefix"].update(mask="bidirectional"),
        "backbones.tiny-prefix.mask",
    ),
    "two translators": (
        lambda p: p["tracks"]["mfava"].update(seq2seq="x/y"),
        "name `translator` or `seq2seq`, not both",
    ),
    "one seed for two subsets": (
        lambda p: p["tracks"]["mfava"]["wild"].update(subset_seeds=[42, 42]),
        "42 stands there twice",
    ),
    "sentences from many to few": (
        lambda p: p["tracks"]["mfava"].update(n_sentences=[5, 3]),
        "name the fewer first",
    ),
    "a family for no track": (
        lambda p: p["detectors"]["tokens"].update(tracks=["mfawa"]),
        "track 'mfawa' is not declared",
    ),
    "rates by a detector of no family": (
        lambda p: p["tracks"]["mfava"]["detector"].update(member="nope"),
        "member 'nope' is not built",
    ),
    "rates by one of another track": (
        lambda p: p["tracks"]["mfava"]["detector"].update(member="always"),
        "member 'always' is not built",
    ),
    "rates by a scope that is not built": (
        lambda p: p["tracks"]["mfava"]["detector"].update(scope="mono"),
        "sizes.demo.mfava.scopes: multi",
    ),
    "rates by labels that are not built": (
        lambda p: p["tracks"]["mfava"]["detector"].update(labels="category"),
        "labels 'category'",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_settings_that_are_refused(project, refused, name):
    change, said = REFUSED[name]
    project(change)
    assert said in refused("boards")


# ---- what only the rooms know: refused by the first stage --------------------------------------------------
def real_chats(p: dict) -> None:
    """A board of real chats and a real model, and still the closed world's search."""
    p["sources"]["mine"] = {"reader": "wildchat", "path": "inputs/chats"}
    p["boards"]["chats-mine"] = {"track": "wildhallucinations", "source": "mine"}
    p["endpoints"]["vllm"] = {"base_url": "http://localhost:8000/v1"}
    p["models"]["llama"] = {"endpoint": "vllm", "model": "llama"}
    p["tracks"]["wildhallucinations"]["subjects"] = ["llama"]


UNKNOWN = {
    "reader": (lambda p: p["sources"]["closed-world"].update(reader="nope"), ["reader 'nope'", "seed_files"]),
    "detector": (
        lambda p: p["detectors"]["baselines"].update(members=["nope"], only={}),
        ["detector member 'nope'", "always"],
    ),
    "member for some tracks": (
        lambda p: p["detectors"]["baselines"].update(only={"nope": ["halueval"]}),
        ["`only` names 'nope', no member"],
    ),
    "track of a member": (
        lambda p: p["detectors"]["baselines"].update(only={"support": ["mfava"]}),
        ["`only` gives 'support' the track 'mfava', none of the family's: halueval, wildhallucinations"],
    ),
    "token detector": (
        lambda p: p["detectors"]["tokens"]["members"].append("llama-3-8b"),
        ["detector member 'llama-3-8b'", "tiny-prefix"],
    ),
    "language": (
        lambda p: p["tracks"]["mfava"]["languages"].append("xx"),
        ["unknown language code 'xx'", "zh"],
    ),
    "language of a model": (
        lambda p: p["models"]["elm"].update(languages=["english"]),
        ["models.elm.languages", "'english'"],
    ),
    "setting": (
        lambda p: p["models"]["aster"].update(params={"temprature": 1}),
        ["temprature cannot be sent", "temperature"],
    ),
    "word for a number": (
        lambda p: p["models"]["aster"].update(params={"temperature": "hot"}),
        ["temperature is 'hot'"],
    ),
    "place in launch": (
        lambda p: p["endpoints"]["world"].update(launch="serve {port} {gpu}"),
        ["cannot fill in 'gpu'", "{port}"],
    ),
    "quote in launch": (
        lambda p: p["endpoints"]["world"].update(launch='serve {port} "x'),
        ["No closing quotation"],
    ),
    "code of an endpoint": (
        lambda p: p["endpoints"]["world"].update(code=["no/such"]),
        ["nothing at 'no/such'"],
    ),
    "simulated web for real entities": (
        real_chats,
        ["tracks.wildhallucinations.search.endpoint is 'world'", "'chats-mine'", "search.url"],
    ),
    "prompts folder": (lambda p: p["llm"].update(prompts_dir="no/such"), ["no template in 'no/such'"]),
    "cut of what nobody is asked for": (
        lambda p: p["llm"].update(cut={"nothing": "keep"}),
        ["llm.cut: no track asks a model for 'nothing'", "allowed: annotate, answer, "],
    ),
    "knowledge of no source": (
        lambda p: p["tracks"]["halueval"].update(knowledge_source="nobody"),
        ["knowledge_source: source 'nobody' is not declared; declared: closed-world"],
    ),
    "asked again twice": (lambda p: p["llm"].update(reask=2), ["llm.reask: must be at most 1 (got 2)"]),
    "structured in another form": (
        lambda p: p["models"]["aster"].update(structured="xml"),
        ["models.aster.structured: must be 'json_schema' (got 'xml')"],
    ),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_a_name_that_no_room_knows_ends_the_build_first(project, refused, name):
    change, said = UNKNOWN[name]
    folder = project(change)
    line = refused("params")
    assert all(part in line for part in said) and not (folder / "build").exists()


TEMPLATES = {
    "syntax": ("recognise_qa.j2", b"{% if %}", "line 1"),
    "not UTF-8": ("recognise_qa.j2", b"\xff", "decode"),
    "a name that replaces none": ("recognize_qa.j2", b"x", "replaces none"),
}


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_broken_template_of_the_user(project, refused, name):
    file, content, said = TEMPLATES[name]
    folder = project(lambda p: p["llm"].update(prompts_dir="prompts"))
    (folder / "prompts/halueval").mkdir(parents=True)
    (folder / "prompts/halueval" / file).write_bytes(content)
    line = refused("params")
    assert said in line and file in line


# ---- sources -----------------------------------------------------------------------------------------------
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
QA = {"knowledge": "K.", "question": "Q?", "right_answer": "R.", "hallucinated_answer": "H."}
FILES = {
    "no row": (b"", "no row in it"),
    "not UTF-8": (b'{"question": "\xff"}\n', "row 1: not UTF-8 at byte 14"),
    "not JSON": (json.dumps(QA).encode() + b"\n{\n", "row 2: not JSON"),
    "a field is missing": (
        json.dumps({**QA, "right_answer": None}).encode(),
        "row 1: field 'right_answer' is missing",
    ),
}


def published(project, *, on_bad_row: str = "stop") -> Path:
    """A project whose one source is a folder of published files."""

    def change(p):
        p["sources"]["closed-world"] = {"reader": "halueval", "path": "inputs/found", "is_simulated": True}
        p["on_bad_row"] = on_bad_row

    folder = project(change) / "inputs/found"
    folder.mkdir(parents=True)
    return folder


@pytest.mark.parametrize("name", FILES)
def test_a_source_file_that_cannot_be_used(project, refused, name):
    content, said = FILES[name]
    folder = published(project)
    (folder / "qa_data.json").write_bytes(content)
    assert said in refused("import", "closed-world")
    assert not Path("data").exists()


def test_bad_rows_are_booked_where_params_say_so(project):
    folder = published(project, on_bad_row="reject")
    (folder / "qa_data.json").write_text(json.dumps(QA) + "\n{\n" + json.dumps({"question": "Q?"}))
    assert main(["import", "closed-world"]) == 0
    rejects = pl.read_parquet("data/sources/closed-world/rejects.parquet")
    assert rejects.select("row", "reason").rows() == [(2, "unparsable"), (3, "missing-field")]
    assert pl.read_parquet("data/sources/closed-world/samples.parquet").height == 2


def test_rights_that_are_no_text(project, refused):
    folder = published(project)
    (folder / "qa_data.json").write_text(json.dumps(QA))
    (folder / "source.json").write_text('{"licence": 4}')
    assert "source.json: 'licence' is 4" in refused("import", "closed-world")


# ---- labels ------------------------------------------------------------------------------------------------
LABELS = {
    "not JSON": (f"{BOARD}.jsonl", b"{\n", "row 1: the row is no JSON object"),
    "not UTF-8": (f"{BOARD}.jsonl", b"\xff\n", "not UTF-8 at byte 0"),
    "a folder": (f"{BOARD}.jsonl", None, "Is a directory"),
    "an unknown task": (
        f"{BOARD}.jsonl",
        b'{"task_id": "t", "annotator": "a", "hallucination": "no"}\n',
        "task_id 't' is not among",
    ),
    "an annotator is missing": (
        f"{BOARD}.jsonl",
        b'{"task_id": "t"}\n',
        "row 1: field 'annotator' is missing",
    ),
    "cells beyond the header": (
        f"{BOARD}.csv",
        b"task_id,annotator,hallucination\nt,a,no,,\n",
        "more cells than the header",
    ),
    "a cell without end": (f"{BOARD}.csv", b"task_id\n" + b"x" * 200_000, "not CSV"),
    "a board that is not": ("halueval.jsonl", b"{}\n", "no board reads it"),
}


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


@pytest.mark.parametrize("name", LABELS)
def test_a_label_file_that_cannot_be_used(built, refused, name):
    file, content, said = LABELS[name]
    path = Path("inputs/labels") / file
    path.parent.mkdir()
    path.mkdir() if content is None else path.write_bytes(content)
    line = refused("label", BOARD)
    assert said in line and file in line and not Path("data/labels").exists()


SPANS = {
    "a span outside its text": (
        [{"start": 0, "end": 40, "type": "entity"}],
        "span 0–40 is not a part of the text of 11 characters",
    ),
    "words that do not stand there": (
        [{"text": "Linz", "type": "entity"}],
        "span 'Linz' is not a part of the text",
    ),
    "types over one another": (
        [{"start": 0, "end": 5, "type": "entity"}, {"start": 3, "end": 8, "type": "invented"}],
        "spans of different types overlap: entity 0–5 and invented 3–8",
    ),
    "an unknown type": ([{"start": 0, "end": 5, "type": "typo"}], "span type is 'typo'; allowed: entity"),
}


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


@pytest.mark.parametrize("name", SPANS)
def test_spans_that_cannot_be_used(passage, refused, name):
    spans, said = SPANS[name]
    path = Path(f"inputs/labels/{MFAVA}.jsonl")
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"task_id": passage, "annotator": "a", "spans": spans}))
    line = refused("label", MFAVA)
    assert said in line and path.name in line and "row 1" in line


def test_a_backbone_that_is_not_there(passage, project, refused):
    assert main(["label", MFAVA]) == 0
    away = {"weights": "no/such folder", "mask": "full"}
    project(
        lambda p: p["backbones"]["tiny-prefix"].update(away) or p["backbones"]["tiny-prefix"].pop("features")
    )
    line = refused("train", MFAVA)
    assert "backbone 'no/such folder'" in line and "name a Hub id or a folder" in line


def test_label_files_of_all_boards_are_told_apart(built):
    Path("inputs/labels").mkdir()
    Path(f"inputs/labels/{BOARD}.csv").write_text("")
    Path("inputs/labels/.gitkeep").write_text("")
    assert label_files(Layout.load(), BOARD) == [Path(f"inputs/labels/{BOARD}.csv")]


# ---- the response store ------------------------------------------------------------------------------------
def test_stores_that_cannot_be_opened(project, refused, tmp_path, monkeypatch):
    newer, text = tmp_path / "newer.sqlite", tmp_path / "text.sqlite"
    with sqlite3.connect(newer) as link:
        link.execute("PRAGMA user_version = 9")
    text.write_text("no database at all, " * 200)
    for place, said in (
        (newer, "of format 9"),
        (text, "not a database"),
        (tmp_path, "response store"),
        (text / "x.sqlite", "response store"),
    ):
        monkeypatch.setenv("TRUERATE_STORE", str(place))
        line = refused("llm", "stats")
        assert said in line and str(place) in line
    assert text.read_text().startswith("no database at all")


def test_files_that_no_store_wrote(project, refused, tmp_path):
    assert main(["llm", "export", "kept.parquet"]) == 0
    kept = pl.read_parquet("kept.parquet")
    rows = {
        "no request": {"key": b"k", "request": None, "text": "t"},
        "another key": {"key": b"k", "request": b"{}", "text": "t"},
    }
    for row in rows.values():
        pl.DataFrame([row], schema=kept.schema).write_parquet("odd.parquet")
        assert "row 1: its key is not" in refused("llm", "import", "odd.parquet")
    Path("odd.parquet").write_text("PAR1")
    assert "importing 'odd.parquet'" in refused("llm", "import", "odd.parquet")
    assert "importing 'none.parquet'" in refused("llm", "import", "none.parquet")
    assert "no such reason; allowed: all," in refused("llm", "dead", "--retry", "NOPE")
    Path("folder").mkdir()
    refused("llm", "export", "folder")
    assert not list(Path().glob("*.tmp"))  # a write that failed leaves nothing


# ---- commands before or beside a build ---------------------------------------------------------------------
COMMANDS = {
    ("board", "x"): "declared: halludial-closed-world",
    ("audit", "x"): "declared: halludial-closed-world",
    ("plan", "x"): "declared: halludial-closed-world",
    ("import", "x"): "declared: closed-world",
    ("train", "x"): "declared: halludial-closed-world",
    ("board", BOARD): "not there; run `dvc repro`",
    ("audit", BOARD): "not audited yet",
    ("plan",): "not imported yet; run `dvc repro sources`",
    ("probe", "x"): "model 'x' is not declared in params.yaml; declared: aster",
    (
        "probe",
        "aster",
        "--board",
        "x",
    ): "board 'x' is not declared in params.yaml; declared: halludial-closed-world",
    ("probe", "aster", "--n", "0"): "--n is 0; allowed: 1 and more",
    ("doctor", "--ask", "x"): "model 'x' is not declared in params.yaml; declared: aster",
    ("score", BOARD): "run `dvc repro`",
    ("render",): "run `dvc repro`",
    ("where",): "no page at",
    ("serve",): "no page at",
    ("real", "no/such"): "is no folder",
    (
        "real",
        "src",
    ): "nothing known in 'src'; looked for the folders ",
}


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_commands_that_have_nothing_to_show(project, refused, arguments):
    assert COMMANDS[arguments] in refused(*arguments)


def test_settings_edited_in_the_middle_of_a_build(project, refused):
    assert main(["params"]) == 0
    project(lambda p: p["statistics"].update(alpha=0.01))
    for stage in (("label", BOARD), ("score", BOARD), ("leaderboard",)):
        assert "params.yaml was edited since the build read it" in refused(*stage)
    assert "edited" not in refused("train", BOARD)  # reads no statistics


def test_a_table_that_somebody_broke(project, refused):
    Path("data/leaderboard").mkdir(parents=True)
    Path("data/leaderboard/rows.parquet").write_text("x")
    assert "delete it and run `dvc repro`" in refused("boards")


def test_a_port_that_is_taken(project, refused):
    Path("build/site").mkdir(parents=True)
    Path("build/site/index.html").write_text("x")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert "choose another with --port" in refused("serve", "--port", str(taken.getsockname()[1]))
    assert "choose another with --port" in refused("serve", "--port", "99999")


def test_real_writes_over_no_folder_of_somebody_else(project, refused, tmp_path):
    (tmp_path / "public/halueval").mkdir(parents=True)
    (tmp_path / "theirs/src").mkdir(parents=True)
    for work in (".", str(tmp_path / "theirs")):
        assert "holds something else" in refused("real", str(tmp_path / "public"), "--work", work)
    assert (tmp_path / "theirs/src").is_dir() and Path("src").is_symlink()
    assert "no file 'none.md'" in refused("real", str(tmp_path / "public"), "--tables", "none.md")


def test_doctor_finds_faults_and_shows_no_key(project, monkeypatch, capfd):
    monkeypatch.setenv("MINE", f"{KEY}\n")
    project(
        lambda p: p["endpoints"].update(
            down={"base_url": "http://127.0.0.1:9/v1"},
            odd={"base_url": "http://[x/v1", "api_key_env": "MINE"},
        )
    )
    Path(Layout.load().store).write_text("no database")
    assert main(["doctor", "--json"]) == 0
    shown = capfd.readouterr().out
    found = {row["name"]: row for row in json.loads(shown) if row["kind"] in ("endpoint", "store", "key")}
    assert KEY not in shown and found["MINE"]["state"] == "ok"
    assert [found[name]["state"] for name in ("down", "odd", str(Layout.load().store))] == ["missing"] * 3


PUBLISHED = {
    "no board": (
        ["halueval", "--to", "org/x"],
        "'halueval': no board, network, judge or 'site'; boards: halludial-closed-world",
    ),
    "a rule": (["token-lr", "--to", "org/x"], f"networks: tiny-plain@{MFAVA}, tiny-prefix@{MFAVA}"),
    "another board's": ([f"tiny-prefix@{BOARD}", "--to", "org/x"], "no board, network, judge or 'site'"),
    "no organisation": ([BOARD, "--to", "x"], "'x': a repository is named org/name"),
    "a path": ([BOARD, "--to", "../org/x"], "a repository is named org/name"),
    "no version": ([BOARD, "--to", "org/x", "--tag", "latest"], "'latest': a version is vX.Y"),
    "nothing built": ([BOARD, "--to", "org/x"], "run `dvc repro`"),
    "no detector built": (["tiny-prefix", "--to", "org/x"], "is not trained yet"),
}


@pytest.mark.parametrize("case", PUBLISHED)
def test_what_cannot_be_published(project, refused, case):
    arguments, said = PUBLISHED[case]
    assert said in refused("publish", *arguments)


def test_outside_a_project(tmp_path, monkeypatch, refused):
    monkeypatch.chdir(tmp_path)
    for command in ("boards", "doctor", "params", "plan"):
        assert "in the folder that holds params.yaml" in refused(command)


def test_a_folder_that_cannot_be_written(project, refused):
    shutil.rmtree("build", ignore_errors=True)
    Path("build").write_text("a file where a folder must be")
    assert "'build" in refused("params")
