"""The boards of public files: found in a folder, built apart by the same stages, their tables written between markers."""

import json
from pathlib import Path

import pytest
import yaml
import zstandard
from house import ROOT, move_in

from truerate import flow
from truerate.errors import TruerateError
from truerate.layout import Layout
from truerate.params import load_params
from truerate.real import boards_in, prepare, with_places
from truerate.real_tables import write_tables

GENERAL = [
    {"ID": str(n), "user_query": f"What is {n}?", "chatgpt_response": f"It is {n}, they say.", "hallucination": "yes" if n % 3 else "no"}
    | {"hallucination_spans": [f"It is {n}"] if n % 3 else []}
    for n in range(24)
]
CANDIDATES = [
    {"knowledge": f"Town {n} lies on river {n}.", "question": f"On which river lies town {n}?", "right_answer": f"River {n}"}
    | {"hallucinated_answer": f"It lies on the great lake number {n + 1}, not on a river."}
    for n in range(24)
]


TAGGED = [
    {"lang": lang, "row": n, "references": f"Town {n} lies on river {n}. It was built in {1200 + n}."}
    | {"generated_text": f"Town {n} lies on river {n}. It has {n} moons.", "silver_annotations": f"Town {n} lies on river {n}. {made}"}
    | {"gold_annotations": f"Town {n} lies on <entity>river</entity> {n}. {made}"}
    for lang in ("de", "fr")
    for n in range(12)
    for made in [f"<invented>It has {n} moons.</invented>"]
]
NATURAL = [
    {"id": f"val-sv-{n}", "lang": "SV", "model_input": f"Where is {n}?", "model_output_text": f"It is at {n}.", "model_id": "a/b"}
    | {"soft_labels": [{"start": 3, "end": 5, "prob": 0.6}], "hard_labels": [[3, 5]], "annotations": {}, "page_id": None}
    for n in range(6)
]


@pytest.fixture(scope="module")
def public(tmp_path_factory):
    """A folder of public files, in the published format."""
    folder = tmp_path_factory.mktemp("public") / "halueval"
    folder.mkdir()
    for name, rows in (("general", GENERAL), ("qa_candidates_one_turn", CANDIDATES), ("qa_candidates_multi_turn", CANDIDATES)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps({"row": n, **row}) + "\n" for n, row in enumerate(rows)), "utf-8")
    return folder.parent


@pytest.mark.slow
def test_public_files_become_boards_and_tables(public, tmp_path):
    house = move_in(tmp_path / "truerate")
    tables = house.folder / "tables.md"
    tables.write_text("<!-- real -->\n<!-- /real -->\n", "utf-8")
    house.run("truerate", "real", str(public), "--tables", tables.name)
    table = tables.read_text("utf-8")
    assert "halueval-published" in table and "| general | – | gold | 24 | 16 | 66.7 % | 16 |" in table
    # every candidate here is longer than its right answer, so length picks the hallucinated side of every pair
    words = [line for line in table.splitlines() if line.startswith("| qa | one-pass | words |")]
    assert len(words) == 1 and "| 1.000 (" in words[0]
    page = (house.folder / "build/real/build/site/boards/halueval-published.html").read_text("utf-8")
    assert "closed, fictional world" not in page and "aster" not in page.split("<main", 1)[1].split("</main", 1)[0]
    assert (house.folder / "dvc.lock").exists() is False, "the committed lock is not touched"


def test_tagged_files_become_boards_whose_detectors_learn_from_silver(tmp_path, monkeypatch):
    data, work, tables = (tmp_path / name for name in ("public", "work", "tables.md"))
    for folder, file, rows in (
        ("mfava", "gold.jsonl", TAGGED[:12]),
        ("mfava", "silver.jsonl.zst", TAGGED[12:]),
        ("mushroom", "val.jsonl", NATURAL),
    ):
        lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
        (data / folder).mkdir(parents=True, exist_ok=True)
        (data / folder / file).write_bytes(zstandard.compress(lines) if file.endswith(".zst") else lines)
    (work / ".dvc").mkdir(parents=True)
    monkeypatch.chdir(ROOT)
    prepare(work, boards_in(Layout.load("params.yaml"), data), data)
    params = yaml.safe_load((work / "params.yaml").read_text("utf-8"))
    params["detectors"] = {"tokens": {"tracks": ["mfava"], "members": ["mark-all", "mark-none", "token-lr"]}}
    params["tracks"]["mfava"]["detector"]["member"] = "token-lr"
    params["statistics"]["n_bootstrap"] = 200
    (work / "params.yaml").write_text(yaml.safe_dump(params, sort_keys=False), "utf-8")
    monkeypatch.chdir(work)  # the steps one by one in this process: what DVC makes of them is tested above
    at, boards = Layout.load("params.yaml"), ["mfava-published", "mushroom"]
    for board in boards:
        flow.import_source(at, board)
        flow.export(at, board, at.dataset(board, "card.json"), [])
        flow.label(at, board)
        flow.train(at, "tokens", board)
        flow.judge(at, "tokens", board)
        flow.score(at, board)
    assert len(list(Path(at.training).glob("token-lr-*"))) == 1, "both boards learn from the same texts, so once"
    tables.write_text("<!-- real -->\n<!-- /real -->\n", "utf-8")
    write_tables(work, boards, tables)
    table = tables.read_text("utf-8").splitlines()
    assert "| gold | de | 12 | 12 | 0.0 % | 0 | 0 | 0 | 0 |" in table
    # words: Town n lies on river n · It has n moons; 5 of 10 are gold, so precision 1/2, recall 1, F1 2/3
    (line,) = [line for line in table if line.startswith("| de | mark-all |")]
    assert [cell.split()[0] for cell in line.split("|")[5:8]] == ["0.500", "1.000", "0.667"]
    # two of the eleven characters of "It is at n." are gold: marking all of them has IoU 2/11
    line = next(line for line in table if line.startswith("| sv | 0"))
    assert [cell.split()[0] for cell in line.split("|")[2:4]] == ["0.182", "0.000"]


def test_nothing_known_in_a_folder_names_what_was_looked_for(tmp_path):
    at = Layout.load(str(Path(__file__).parents[1] / "params.yaml"))
    folders = "begin, factcheckgpt, factool, faithdial, halueval, mfava, mushroom, refchecker, xsum"
    with pytest.raises(TruerateError, match=f"looked for the folders {folders}"):
        boards_in(at, tmp_path)
    with pytest.raises(TruerateError, match="is no folder"):
        boards_in(at, tmp_path / "absent")


def test_a_board_learns_from_another_folder_where_that_is_there(tmp_path, monkeypatch):
    at = Layout.load(str(ROOT / "params.yaml"))
    (tmp_path / "data" / "mushroom").mkdir(parents=True)
    assert boards_in(at, tmp_path / "data")["mushroom"]["training"] is None
    (tmp_path / "data" / "mfava").mkdir()
    found = boards_in(at, tmp_path / "data")
    for name in ("mfava", "mushroom"):
        (tmp_path / "data" / name / "some.jsonl").write_text("{}\n", "utf-8")
    monkeypatch.chdir(ROOT)
    work = tmp_path / "work"
    (work / ".dvc").mkdir(parents=True)
    prepare(work, found, tmp_path / "data")
    source = load_params(work / "params.yaml").source("mushroom")
    assert (source.reader, source.path) == ("mushroom", str(tmp_path / "data" / "mushroom"))
    assert source.training is not None and source.training.path == str(tmp_path / "data" / "mfava")
    assert source.training.name == "mfava-published", "both boards learn from texts of one name, so the second finds what the first learned"
    before = (work / "inputs" / "mushroom.digest").read_text("utf-8")
    (tmp_path / "data" / "mfava" / "some.jsonl").write_text("[]\n", "utf-8")
    prepare(work, found, tmp_path / "data")
    assert (work / "inputs" / "mushroom.digest").read_text("utf-8") != before, "what detectors learn from is watched, too"


def test_folders_of_weights_are_named_from_the_root(tmp_path, monkeypatch):
    """The stages run in the work folder, where a path of params.yaml leads elsewhere."""
    (tmp_path / "inputs" / "nli").mkdir(parents=True)
    (tmp_path / "tiny").mkdir()
    monkeypatch.chdir(tmp_path)
    named = {"weights": "inputs/nli", "revision": None}
    backbones = {"t": {"weights": "tiny"}, "h": {"weights": "org/hub"}}
    found = with_places({"detectors": {"e": {"entailment": {"nli": named}}}, "backbones": backbones})
    assert found["detectors"]["e"]["entailment"]["nli"] == {"weights": str(tmp_path / "inputs" / "nli"), "revision": None}
    assert found["backbones"] == backbones
    params = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
    assert with_places(params) == params


def test_parts_of_one_folder_are_boards_of_their_own(tmp_path, monkeypatch):
    (tmp_path / "data" / "refchecker").mkdir(parents=True)
    (tmp_path / "data" / "refchecker" / "claims.jsonl").write_text("{}\n", "utf-8")
    work = tmp_path / "work"
    (work / ".dvc").mkdir(parents=True)
    monkeypatch.chdir(ROOT)
    prepare(work, boards_in(Layout.load("params.yaml"), tmp_path / "data"), tmp_path / "data")
    sources = load_params(work / "params.yaml").sources
    assert {name: source.part for name, source in sources.items()} == {
        "refchecker-zero-context": "zero_context",
        "refchecker-noisy-context": "noisy_context",
        "refchecker-accurate-context": "accurate_context",
    }
    assert {source.path for source in sources.values()} == {str(tmp_path / "data" / "refchecker")}
