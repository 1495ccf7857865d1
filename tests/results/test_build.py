"""The boards of public files: found in a folder, built apart by the same stages, their tables written between
markers.
"""

import json
import sys
from pathlib import Path

import polars as pl
import pytest
import yaml
import zstandard
from house import ROOT, move_in

from truerate.config import Board, PublicData, load_params
from truerate.config.layout import Layout
from truerate.core.errors import TruerateError, listed
from truerate.core.schemas import pairs
from truerate.pipeline import dataset, detect, evaluate, sources
from truerate.results.build import build, readable
from truerate.results.sets import boards_in
from truerate.results.stages import LOG, run, run_boards
from truerate.results.tables import detector_table, markdown, merged, write_tables
from truerate.results.work_folder import declare, furnish, refuse_foreign, with_places, write_params

GENERAL = [
    {"ID": str(n), "user_query": f"What is {n}?", "chatgpt_response": f"It is {n}, they say."}
    | {"hallucination": "yes" if n % 3 else "no", "hallucination_spans": [f"It is {n}"] if n % 3 else []}
    for n in range(24)
]
CANDIDATES = [
    {
        "knowledge": f"Town {n} lies on river {n}.",
        "question": f"On which river lies town {n}?",
        "right_answer": f"River {n}",
    }
    | {"hallucinated_answer": f"It lies on the great lake number {n + 1}, not on a river."}
    for n in range(24)
]
MADE = "<invented>It has {n} moons.</invented>"
TAGGED = [
    {"lang": lang, "row": n, "references": f"Town {n} lies on river {n}. It was built in {1200 + n}."}
    | {"generated_text": f"Town {n} lies on river {n}. It has {n} moons."}
    | {"silver_annotations": f"Town {n} lies on river {n}. {MADE.format(n=n)}"}
    | {"gold_annotations": f"Town {n} lies on <entity>river</entity> {n}. {MADE.format(n=n)}"}
    for lang in ("de", "fr")
    for n in range(12)
]
NATURAL = [
    {
        "id": f"val-sv-{n}",
        "lang": "SV",
        "model_input": f"Where is {n}?",
        "model_output_text": f"It is at {n}.",
        "model_id": "a/b",
    }
    | {
        "soft_labels": [{"start": 3, "end": 5, "prob": 0.6}],
        "hard_labels": [[3, 5]],
        "annotations": {},
        "page_id": None,
    }
    for n in range(6)
]


def jsonl(rows) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def write(folder: Path, files: dict[str, str]) -> Path:
    """The folder with these files, by path."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


def folders_but(*present: str) -> str:
    """The folders that params.yaml names for public sets, but those found, as a message lists them."""
    entries = load_params(ROOT / "params.yaml").public_data.values()
    return listed({entry.folder for entry in entries} - set(present))


def prepared(work: Path, boards: dict, data: Path) -> None:
    """A work folder with the code of now, and a params.yaml that declares these boards alone."""
    (work / ".dvc").mkdir(parents=True, exist_ok=True)
    furnish(work)
    declare(work, boards, data)


def test_a_name_from_a_published_file_ends_no_cell_of_a_table_and_is_no_markup():
    table = pl.DataFrame({"subject": ["a|b", "<img src=x>\n**Board `c`**", None], "n": [1, 2, 3]})
    assert markdown(table)[2:] == [r"| a\|b | 1 |", "| &lt;img src=x> **Board `c`** | 2 |", "| – | 3 |"]


@pytest.mark.slow
def test_a_model_stands_in_a_table_of_detectors_as_it_is_asked_plainly():
    ways = {"chain-of-thought": 0.9, "plain": 0.7, "knowledge": 0.8}
    rows = [
        {"subject": "m", "kind": "model", "metric": "accuracy", "value": value, "low": None, "high": None}
        | {"slice": pairs(task="qa", variant=way)}
        for way, value in ways.items()
    ]
    assert detector_table(pl.DataFrame(rows)).rows() == [("m", "model", "0.700")]


def test_public_files_become_boards_and_tables(tmp_path):
    numbered = [{"row": n, **row} for n, row in enumerate(CANDIDATES)]
    files = {f"halueval/qa_candidates_{scheme}_turn.jsonl": jsonl(numbered) for scheme in ("one", "multi")}
    files["halueval/general.jsonl"] = jsonl({"row": n, **row} for n, row in enumerate(GENERAL))
    public, house = write(tmp_path / "public", files), move_in(tmp_path / "truerate")
    tables = house.folder / "tables.md"
    tables.write_text("<!-- real -->\n<!-- /real -->\n", "utf-8")
    done = house.run("truerate", "real", str(public), "--tables", tables.name)
    site = house.folder / "build/real/build/site"
    assert "built: halueval-published\n" in done.stdout and f"page: {site / 'index.html'}\n" in done.stdout
    assert "truerate: 1 of 1: halueval-published\n" in done.stderr
    assert len((done.stdout + done.stderr).splitlines()) < 20
    assert f"not found: {folders_but('halueval')}" in done.stderr
    before = (site / "index.html").stat().st_mtime_ns
    write(public, {"begin/dev_cmu.jsonl": '{"row": 0}\n', "xsum/README": ""})
    rerun = house.run("truerate", "real", str(public), check=False)
    assert rerun.returncode == 2 and "Traceback" not in rerun.stdout + rerun.stderr
    for line in (
        "left out: begin: source 'begin': dev_cmu.jsonl row 1: field 'data_source' is missing; set on_bad_row",
        "left out: xsum-hallucinations: source 'xsum-hallucinations': reading ",
        "hallucination_spans.csv': No such file or directory",
        "built: halueval-published\n",
    ):
        assert line in rerun.stdout
    assert (site / "index.html").stat().st_mtime_ns == before, "what is built stands: no stage ran again"
    assert "2 of 3 boards left out: begin, xsum-hallucinations;" in rerun.stderr
    table, built = tables.read_text("utf-8"), (house.folder / "build/real/tables.md").read_text("utf-8")
    assert table == f"<!-- real -->\n{built}\n<!-- /real -->\n"
    assert "halueval-published" in table and "| general | – | gold | 24 | 16 | 66.7 % | 16 |" in table
    # every candidate here is longer than its right answer, so length picks the hallucinated side of every
    # pair
    words = [line for line in table.splitlines() if line.startswith("| qa | one-pass | words |")]
    assert len(words) == 1 and "| 1.000 (" in words[0]
    page = (site / "boards/halueval-published.html").read_text("utf-8")
    assert "closed, fictional world" not in page
    assert "aster" not in page.split("<main", 1)[1].split("</main", 1)[0]
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
    monkeypatch.chdir(ROOT)
    prepared(work, boards_in(Layout.load("params.yaml"), data), data)
    params = yaml.safe_load((work / "params.yaml").read_text("utf-8"))
    params["detectors"] = {"tokens": {"tracks": ["mfava"], "members": ["mark-all", "mark-none", "token-lr"]}}
    params["tracks"]["mfava"]["detector"]["member"] = "token-lr"
    params["statistics"]["n_bootstrap"] = 200
    (work / "params.yaml").write_text(yaml.safe_dump(params, sort_keys=False), "utf-8")
    monkeypatch.chdir(work)  # the steps one by one in this process: what DVC makes of them is tested above
    at, boards = Layout.load("params.yaml"), ["mfava-published", "mushroom"]
    for board in boards:
        sources.import_source(at, board)
        dataset.export(at, board, at.dataset(board, "card.json"), [])
        evaluate.label(at, board)
        detect.train(at, board)
        detect.judge(at, board)
        evaluate.score(at, board)
    assert len(list(Path(at.training).glob("token-lr-*"))) == 1, (
        "both boards learn from the same texts, so once"
    )
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


def test_sets_that_cannot_be_read_are_told_apart_from_those_that_can(tmp_path, monkeypatch, capsys):
    """What Mu-SHROOM's detectors learn from is bad: its own board is left out, Mu-SHROOM's is read without
    it.
    """
    files = {"mfava/silver.jsonl": '{"row": 0}\n', "mushroom/val.jsonl": jsonl(NATURAL)}
    data, work = write(tmp_path / "data", files), tmp_path / "work"
    monkeypatch.chdir(ROOT)
    work.mkdir()
    boards, left_out = readable(work, boards_in(Layout.load("params.yaml"), data), data)
    assert {name: entry["training"] for name, entry in boards.items()} == {"mushroom": None}
    (reason,) = left_out.values()
    assert reason.startswith(
        "source 'mfava-published': none of its rows can be used; field 'lang' is missing"
    )
    message = "mushroom is built without trained detectors: they learn from the folder 'mfava', which cannot be read"
    assert message in capsys.readouterr().err


def test_a_board_that_fails_takes_no_other_along(tmp_path, capsys):
    """DVC's own stages, of three boards: the second one fails, with a line for a person."""
    fails = f"{sys.executable} -c \"import sys; sys.exit('truerate: labels of b: none')\""
    commands = {board: f"echo {board} > board-{board}" if board != "b" else fails for board in "abc"}
    template = {"cmd": "${item}", "deps": ["settings"], "outs": ["board-${key}"]}
    stages = {
        "settings": {"cmd": "echo read > settings", "outs": ["settings"]},
        "board": {"foreach": commands, "do": template},
    }
    dvc = {"dvc.yaml": yaml.safe_dump({"stages": stages}), ".dvc/config": "[core]\n    no_scm = True\n"}
    write(tmp_path, dvc)
    assert run_boards(tmp_path, ["a", "b", "c"]) == {"b": "labels of b: none"}
    assert {path.name for path in tmp_path.glob("board-*")} == {"board-a", "board-c"}
    message = capsys.readouterr().err
    assert "truerate: 2 of 3: b\n" in message and "truerate: b ended early, the others go on\n" in message
    assert "truerate: c: made in " in message and "Running stage 'board@c'" in (tmp_path / LOG).read_text(
        "utf-8"
    )
    assert run_boards(tmp_path, ["a", "b", "c"]) == {"b": "labels of b: none"}, "what is made stands"
    assert run(tmp_path, "settings") is None and "ended with exit code" in run(tmp_path, "no-such-stage")


def test_tables_of_sets_that_are_not_there_are_kept():
    old = "\n**Board `begin`**\n\nold begin\n\n**Board `own`**\n\nown\n\n"
    new = {board: f"**Board `{board}`**\n\nnew {board}\n" for board in ("xsum", "halueval")}
    text, kept = merged(old, new, ["halueval", "begin", "xsum"])
    assert kept == ["begin", "own"]
    paragraphs = [line for line in text.splitlines() if line]
    assert paragraphs[1::2] == ["new halueval", "old begin", "new xsum", "own"]
    assert paragraphs[::2][1] == "**Board `begin`**"
    assert merged(f"\n{text}\n", new, ["halueval", "begin", "xsum"]) == (text, kept), (
        "nothing grows or moves from one build to the next"
    )
    assert merged("\n", new, []) == ("\n".join(new.values()), [])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"no markers", "has no markers <!-- real --> … <!-- /real -->; add them"),
        (b"<!-- /real --> <!-- real -->", "has no markers"),
        ("<!-- real --><!-- /real -->ä".encode("latin-1"), "not UTF-8 at byte 27"),
        (None, "no file .*tables.md.* to write them into"),
    ],
)
def test_a_tables_file_that_cannot_be_used_is_refused_before_anything_is_built(
    tmp_path, monkeypatch, content, message
):
    (tmp_path / "data" / "begin").mkdir(parents=True)
    if content is not None:
        (tmp_path / "tables.md").write_bytes(content)
    monkeypatch.chdir(ROOT)
    with pytest.raises(TruerateError, match=message):
        build(
            Layout.load("params.yaml"),
            str(tmp_path / "data"),
            work=str(tmp_path / "work"),
            tables=str(tmp_path / "tables.md"),
        )
    assert not (tmp_path / "work").exists()


def test_a_work_folder_is_empty_or_an_earlier_one(tmp_path, monkeypatch):
    earlier, other, public = (tmp_path / name for name in ("own", "build/other", "public/begin"))
    for folder, file in ((earlier, ".truerate-real"), (other, "notes.txt"), (public, "dev_cmu.jsonl")):
        folder.mkdir(parents=True)
        (folder / file).touch()
    refuse_foreign(earlier, [public])
    refuse_foreign(tmp_path / "new" / "deep", [public])
    with pytest.raises(TruerateError, match="holds something else; name an empty one with --work"):
        refuse_foreign(other, [public])  # below a folder called build, too
    with pytest.raises(TruerateError, match="lies in .*begin', which the build reads"):
        refuse_foreign(public / "work", [public])
    (tmp_path / "public" / ".truerate-real").touch()
    with pytest.raises(TruerateError, match="holds the public files"):
        refuse_foreign(tmp_path / "public", [public])
    monkeypatch.chdir(ROOT)
    with pytest.raises(TruerateError, match="lies in 'src', which the build reads"):
        refuse_foreign(Path("src/truerate/work"), [public])


def test_a_lock_of_dvc_that_a_kill_cut_is_mended(tmp_path, monkeypatch):
    write(tmp_path, {"data/begin/dev_cmu.jsonl": "{}\n", "work/.dvc/tmp/rwlock": '{"a": '})
    monkeypatch.chdir(ROOT)
    data = tmp_path / "data"
    prepared(tmp_path / "work", boards_in(Layout.load("params.yaml"), data), data)
    assert not (tmp_path / "work/.dvc/tmp/rwlock").exists()


def test_a_board_learns_from_another_folder_where_that_is_there(tmp_path, monkeypatch):
    at, work = Layout.load(str(ROOT / "params.yaml")), tmp_path / "work"
    data = write(tmp_path / "data", {"mushroom/val.jsonl": ""})
    assert boards_in(at, data)["mushroom"]["training"] is None
    present = boards_in(at, write(data, {"mfava/silver.jsonl": "{}\n", "mushroom/silver.jsonl": "{}\n"}))
    monkeypatch.chdir(ROOT)
    prepared(work, present, data)
    source = load_params(work / "params.yaml").source("mushroom")
    assert (source.reader, source.path) == ("mushroom", str(data / "mushroom"))
    # both boards learn from texts of one name, so the second finds what the first learned
    assert (source.training.path, source.training.name) == (str(data / "mfava"), "mfava-published")
    before = (work / "inputs/mushroom.digest").read_text("utf-8")
    declare(work, present, write(data, {"mfava/silver.jsonl": "[]\n"}))
    assert (work / "inputs/mushroom.digest").read_text("utf-8") != before, (
        "what detectors learn from is watched, too"
    )


def test_folders_of_weights_are_named_from_the_root(tmp_path, monkeypatch):
    """The stages run in the work folder, where a path of params.yaml leads elsewhere."""
    (tmp_path / "inputs" / "nli").mkdir(parents=True)
    (tmp_path / "tiny").mkdir()
    monkeypatch.chdir(tmp_path)
    named = {"weights": "inputs/nli", "revision": None}
    backbones = {"t": {"weights": "tiny"}, "h": {"weights": "org/hub"}}
    present = with_places({"detectors": {"e": {"entailment": {"nli": named}}}, "backbones": backbones})
    assert present["detectors"]["e"]["entailment"]["nli"] == {
        "weights": str(tmp_path / "inputs" / "nli"),
        "revision": None,
    }
    assert present["backbones"] == backbones
    params = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
    assert with_places(params) == params


def test_parts_of_one_folder_are_boards_of_their_own(tmp_path, monkeypatch):
    (tmp_path / "data" / "refchecker").mkdir(parents=True)
    (tmp_path / "data" / "refchecker" / "claims.jsonl").write_text("{}\n", "utf-8")
    work = tmp_path / "work"
    monkeypatch.chdir(ROOT)
    prepared(work, boards_in(Layout.load("params.yaml"), tmp_path / "data"), tmp_path / "data")
    sources = load_params(work / "params.yaml").sources
    assert {name: source.part for name, source in sources.items()} == {
        "refchecker-zero-context": "zero_context",
        "refchecker-noisy-context": "noisy_context",
        "refchecker-accurate-context": "accurate_context",
    }
    assert {source.path for source in sources.values()} == {str(tmp_path / "data" / "refchecker")}


def test_what_detectors_are_given_is_a_setting_of_public_files_too(tmp_path, monkeypatch):
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(ROOT)
    entry = next(entry_of for entry_of in boards_of_params() if entry_of["folder"] == "mushroom")
    (tmp_path / "data" / "mushroom").mkdir(parents=True)
    given = {"mushroom": {**entry, "training": None, "reference": "retrieved", "reference_sentences": 4}}
    params = write_params(work, given, tmp_path / "data")
    board = params["boards"]["mushroom"]
    assert (board["reference"], board["reference_sentences"]) == ("retrieved", 4)
    alone = PublicData(track="mfava", reader="mushroom", folder="m", reference="article")
    assert alone.board("m") == Board(track="mfava", source="m", reference="article")


def boards_of_params() -> list[dict]:
    """The sets of public files as params.yaml names them."""
    return [entry_of.model_dump() for entry_of in Layout.load("params.yaml").p.public_data.values()]
