"""Which sets a folder holds: by their own folders, as clones of their repositories, or as the folder itself."""

from pathlib import Path

import pytest
from house import ROOT

from truerate.config import load_params
from truerate.config.layout import Layout
from truerate.core.errors import TruerateError, listed
from truerate.results.sets import boards_in, survey
from truerate.results.work_folder import declare, furnish


def folders_but(*found: str) -> str:
    """The folders that params.yaml names for public sets, but those found, as a message lists them."""
    entries = load_params(ROOT / "params.yaml").public_data.values()
    return listed({entry.folder for entry in entries} - set(found))


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
    place = tmp_path / "FaithBench/data_for_release"
    place.mkdir(parents=True)
    for file in ("batch_1.json", "batch_1.json.gz", "batch_2.json.gz", "batch_12.parquet"):
        (place / file).touch()
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
