"""The public sets of a folder: which are there, which can be read, what is left out, and whose labels are
corrected.
"""

import json
from pathlib import Path

import pytest
from house import ROOT

from truerate.cli import main
from truerate.config import load_params
from truerate.config.layout import Layout
from truerate.core.errors import SettingsError, TruerateError, listed
from truerate.results.sets import LEFT_OUT, boards_in, lines_of, sets_in, survey
from truerate.results.work_folder import declare, furnish, with_errata
from truerate.sources.registry import readers


def folders_but(*present: str) -> str:
    """The folders that params.yaml names for public sets, but those found, as a message lists them."""
    entries = load_params(ROOT / "params.yaml").public_data.values()
    return listed({entry.folder for entry in entries} - set(present))


def test_what_is_there_and_what_is_not_is_said_before_the_build(tmp_path):
    at = Layout.load(str(ROOT / "params.yaml"))
    for name in (
        "begin",
        "mu-shroom",
        "amazon-science__RefChecker",
        "HaluEva",
        "Fact-Tool",
        "longfact",
        "licenses",
    ):
        (tmp_path / name).mkdir()
    (tmp_path / "mu-shroom" / "val.jsonl").touch()
    (tmp_path / "xsum").write_text("", "utf-8")
    assert survey(at, tmp_path, boards_in(at, tmp_path)) == [
        f"found in {str(tmp_path)!r}: begin, mushroom (as mu-shroom)",
        f"not found: {folders_but('begin', 'mushroom')}",
        "'xsum' is a file there, no folder",
        "'Fact-Tool' looks like 'factool': rename it if it is that set",
        "'HaluEva' looks like 'halueval': rename it if it is that set",
        "mushroom is built without trained detectors: they learn from the folder 'mfava', which is not there",
    ]


def test_a_name_that_is_nearly_one_is_told_where_nothing_is_found(tmp_path):
    (tmp_path / "HaluEva").mkdir()
    with pytest.raises(
        TruerateError, match="nothing known in .*; 'HaluEva' looks like 'halueval': rename it"
    ):
        boards_in(Layout.load(str(ROOT / "params.yaml")), tmp_path)


def test_files_of_other_names_and_sets_without_a_board_are_told(tmp_path):
    at = Layout.load(str(ROOT / "params.yaml"))
    for file in ("batch_1.json", "batch_12.json", "batch_2 (1).json", "notes.txt"):
        (tmp_path / "FaithBench/data_for_release").mkdir(parents=True, exist_ok=True)
        (tmp_path / "FaithBench/data_for_release" / file).touch()
    (tmp_path / "FaithBench/more.json").touch()
    (tmp_path / "UHGEval").mkdir()
    lines = survey(at, tmp_path, boards_in(at, tmp_path))
    assert any(line.startswith("no board is made of UHGEval: its labels are keywords") for line in lines)
    (unread,) = [line for line in lines if "not read" in line]
    assert unread.endswith(
        ": not read, as no file of this set has such a name: data_for_release/batch_2 (1).json"
    )


def test_a_file_that_was_packed_or_changed_to_parquet_is_told_where_nothing_reads_it(tmp_path):
    at = Layout.load(str(ROOT / "params.yaml"))
    path = tmp_path / "FaithBench/data_for_release"
    path.mkdir(parents=True)
    for file in ("batch_1.json", "batch_1.json.gz", "batch_2.json.gz", "batch_12.parquet"):
        (path / file).touch()
    (tmp_path / "QA-Eval/EVOUNA").mkdir(parents=True)
    for file in ("NQ.parquet", "TQ.json"):  # files that are named whole are read in either form
        (tmp_path / "QA-Eval/EVOUNA" / file).touch()
    (line,) = [line for line in survey(at, tmp_path, boards_in(at, tmp_path)) if "not read" in line]
    assert line.startswith("vectara__FaithBench: not read, put it there as its publisher has it: ")
    assert line.endswith(": data_for_release/batch_12.parquet, data_for_release/batch_2.json.gz")


def test_of_two_versions_of_a_set_the_one_that_is_not_read_is_told(tmp_path):
    at = Layout.load(str(ROOT / "params.yaml"))
    for folder in ("factool", "GAIR-NLP__factool", "begin"):
        (tmp_path / folder).mkdir()
    lines = [line for line in survey(at, tmp_path, boards_in(at, tmp_path)) if "also there" in line]
    assert lines == ["factool: read from 'GAIR-NLP__factool' alone; also there: factool"]


def test_a_folder_with_a_set_without_a_board_alone_says_why(tmp_path):
    (tmp_path / "IAAR-Shanghai__UHGEval").mkdir()
    with pytest.raises(TruerateError, match="nothing known in .*; no board is made of UHGEval: its labels"):
        boards_in(Layout.load(str(ROOT / "params.yaml")), tmp_path)


def test_nothing_known_in_a_folder_names_what_was_looked_for(tmp_path):
    at = Layout.load(str(Path(__file__).parents[2] / "params.yaml"))
    with pytest.raises(TruerateError, match=f"looked for the folders {folders_but()}, or clones"):
        boards_in(at, tmp_path)
    with pytest.raises(TruerateError, match="is no folder"):
        boards_in(at, tmp_path / "absent")


@pytest.mark.parametrize(
    "folder",
    ["xsum", "google-research-datasets__xsum_hallucination_annotations", "XSum_Hallucination_Annotations"],
)
def test_a_set_lies_in_its_own_folder_or_in_a_clone_and_may_be_the_folder_itself(folder, tmp_path):
    at = Layout.load(str(ROOT / "params.yaml"))
    clone = tmp_path / folder
    clone.mkdir()
    (clone / "hallucination_annotations_xsum_summaries.csv").touch()
    assert {name: entry["folder"] for name, entry in boards_in(at, tmp_path).items()} == {
        "xsum-hallucinations": folder
    }
    assert {name: entry["folder"] for name, entry in boards_in(at, clone).items()} == {
        "xsum-hallucinations": "."
    }
    renamed = clone.rename(tmp_path / "my-data")
    assert list(boards_in(at, renamed)) == ["xsum-hallucinations"], "by the files of the clone"


def test_a_part_that_a_clone_lacks_is_not_there(tmp_path):
    at = Layout.load(str(ROOT / "params.yaml"))
    folder = tmp_path / "RefChecker/benchmark/human_annotations_v1/zero_context"
    folder.mkdir(parents=True)
    (folder / "nq_gpt4_answers.json").touch()
    assert list(boards_in(at, tmp_path)) == ["refchecker-zero-context"]


def test_what_is_watched_of_a_clone_are_the_files_that_it_is_read_from(tmp_path, monkeypatch):
    clone = tmp_path / "data" / "factool" / "datasets" / "knowledge_qa"
    clone.mkdir(parents=True)
    (clone / "knowledge_qa.jsonl").write_text("{}\n", "utf-8")
    monkeypatch.chdir(ROOT)
    work = tmp_path / "work"
    (work / ".dvc").mkdir(parents=True)

    def watched():
        furnish(work)
        declare(work, boards_in(Layout.load("params.yaml"), tmp_path / "data"), tmp_path / "data")
        return (work / "inputs" / "factool.digest").read_text("utf-8")

    before = watched()
    (tmp_path / "data" / "factool" / "README.md").write_text("new", "utf-8")
    assert watched() == before
    (clone / "knowledge_qa.jsonl").write_text("[]\n", "utf-8")
    assert watched() != before


# ---- What there is to build boards of: each public set once, with what of it a folder lacks


@pytest.fixture
def at():
    return Layout.load(str(ROOT / "params.yaml"))


def test_every_set_says_where_it_comes_from_and_what_it_may_be_used_for(at):
    rows = {row["name"]: row for row in sets_in(at, None)}
    sets = {(entry.reader, entry.folder) for entry in at.p.public_data.values()}
    assert len(sets_in(at, None)) == len(sets) + len(at.p.published_tables)
    for row in rows.values():
        assert row["url"].startswith("https://") and row["licence"]
        assert row["redistribution"] in ("yes", "ids-only", "no")
        assert row["folders"] and row["boards"]
    assert [board["part"] for board in rows["refchecker"]["boards"]] == [
        "zero_context",
        "noisy_context",
        "accurate_context",
    ]
    assert rows["mushroom"]["unproven"] == ["test"]
    # one reader of two layouts, of which one was at hand
    assert rows["ParticleMedia__RAGTruth"]["unproven"] == ["its own source_info.jsonl and response.jsonl"]
    assert {entry.reader for entry in at.p.public_data.values()} <= set(readers())


def test_what_a_folder_lacks_of_a_set_is_named(at, tmp_path):
    (tmp_path / "HaluEval/data").mkdir(parents=True)
    (tmp_path / "HaluEval/data/general_data.json").touch()
    rows = {row["name"]: row for row in sets_in(at, tmp_path)}
    assert rows["halueval"]["found"] == str(tmp_path / "HaluEval") and rows["begin"]["found"] is None
    assert "general replies" not in rows["halueval"]["missing"] and "QA" in rows["halueval"]["missing"]
    text = lines_of(list(rows.values()))
    assert any(line.startswith("  UHGEval") for line in text[text.index("left out") :])
    assert f"    here: {tmp_path / 'HaluEval'}" in text and "    here: not here" in text
    with pytest.raises(TruerateError, match="is no folder; name the one that your sets lie in"):
        sets_in(at, tmp_path / "absent")


def test_the_list_is_json_for_programs_and_a_build_needs_a_folder(at, capsys):
    assert main(["real", "--list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == sets_in(at, None)
    for words, message in (
        (["real"], "name the folder"),
        (["real", "x", "--json"], "goes with `real --list`"),
    ):
        assert main(words) == 2 and message in capsys.readouterr().err


def test_the_guide_names_every_set_and_those_that_are_left_out(at):
    guide = (ROOT / "site/pages/guide/real-data.md").read_text("utf-8")
    repositories = [row["repository"] for row in sets_in(at, None) if row["repository"]]
    repositories += [repository for _, repository in LEFT_OUT]
    assert [repository for repository in repositories if repository not in guide] == []


# ---- Errata of boards of public files: found by the board's name, refused where no board takes them


@pytest.fixture(scope="module")
def at_root():
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        return Layout.load("params.yaml")


def test_a_board_has_the_errata_of_its_name_and_others_have_none(at_root, tmp_path):
    (tmp_path / "evouna.csv").write_text("", "utf-8")
    present = with_errata(at_root, {"evouna": {}, "faithbench": {}}, tmp_path)
    assert present == {"evouna": {"errata": str(tmp_path / "evouna.csv")}, "faithbench": {"errata": None}}


def test_no_folder_of_errata_is_no_fault(at_root, tmp_path):
    assert with_errata(at_root, {"evouna": {}}, tmp_path / "absent") == {"evouna": {"errata": None}}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("evuona", r"there is no board 'evuona'; did you mean 'evouna'\?; boards: "),
        (
            "xsum-hallucinations",
            r"labels of board 'xsum-hallucinations' cannot be corrected here; allowed: .*evouna",
        ),
    ],
)
def test_errata_that_no_board_takes_are_refused_before_anything_is_built(name, message, at_root, tmp_path):
    (tmp_path / f"{name}.csv").write_text("", "utf-8")
    with pytest.raises(SettingsError, match=message):
        with_errata(at_root, {"evouna": {}}, tmp_path)
