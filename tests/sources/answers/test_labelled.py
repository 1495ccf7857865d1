"""A person's own file as a source of a board: named systems, people's labels, judges beside them."""

import csv
import io
import json

import polars as pl
import pytest
import yaml
from house import ROOT

from tests.cases import case_table
from truerate.config import Source
from truerate.core.errors import TruerateError
from truerate.core.schemas import pair
from truerate.sources.reading import check_reader, read_source
from truerate.tracks.labelled_replies.scores import by_subject, replies

CASES = case_table(__file__)
ORIGINAL = ROOT.parent / "shared" / "data_original"
FOREIGN = ROOT.parent / "shared" / "cases" / "foreign"
PEOPLE = {"label": "human_1,human_2,human_3"}
RIGHTS = {"name": "Towns", "licence": "CC-BY-4.0", "citation": "Doe 2026"}
# four questions put to two systems; on the mill's the vote of three people decides, the toll's is an even one
ANSWERS = """\
id,system,question,reference,answer,human_1,human_2,human_3,judge
1,alder,Mill?,The mill is of 1786.,It is of 1786.,no,no,yes,0.1
2,birch,Mill?,The mill is of 1786.,It is of 1787.,yes,yes,,0.9
3,alder,Toll?,The toll is two coins.,It is two coins.,no,no,no,0.6
4,birch,Toll?,The toll is two coins.,It is three.,yes,no,,0.8
5,alder,Mayor?,The mayor is Ada.,It is Bo.,yes,yes,yes,
6,birch,Mayor?,The mayor is Ada.,I do not know.,no,no,no,0.2
7,alder,Port?,The port is small.,It is small.,,,,0.2
8,birch,Port?,The port is small.,It is large.,yes,,,0.7
"""


def source_of(path, **more):
    settings = {"reader": "answers", "path": str(path), "rights": RIGHTS} | more
    return Source.model_validate({key: value for key, value in settings.items() if value is not None})


def tables_of(path, **more):
    source = source_of(path, **more)
    check_reader("mine", source)
    return read_source("mine", source, path, "stop")


def sample_ids(tables, *ids):
    """The samples that the file's own ids name."""
    return tables.samples.filter(pair("attributes", "id").is_in(ids))["sample_id"].to_list()


def rates(tables):
    rows = replies(tables.samples)
    return {subject: [part["is_hallucinated"].sum(), part.height] for subject, part in by_subject(rows)}


def test_answers_of_a_file_are_samples_by_system_with_peoples_votes_and_the_judge_beside(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text(ANSWERS, "utf-8")
    tables = tables_of(path, answers={"map": PEOPLE, "verdicts": ["judge"], "threshold": 0.7})
    assert rates(tables) == {"alder": [1, 3], "birch": [2, 3]}
    assert tables.rejects.select("row", "reason").rows() == [
        (4, "no-majority"),
        (7, "unlabelled"),
    ]
    # who was asked the same shares the item and the unit, on which ranks are tested in pairs
    rows = replies(tables.samples)
    mill = rows.filter(pl.col("sample_id").is_in(sample_ids(tables, "1", "2")))
    assert mill["unit"].n_unique() == mill["item_id"].n_unique() == 1 and rows["unit"].n_unique() == 4
    assert not rows["unit"].str.contains("Mill").any(), "a unit is an id, no text"
    said = tables.judgements.join(tables.samples, left_on="target_id", right_on="sample_id")
    said = said.select(pair("attributes_right", "id").alias("id"), "verdict", "p").sort("id")
    assert said.rows() == [
        ("1", False, 0.1),
        ("2", True, 0.9),
        ("3", False, 0.6),
        ("6", False, 0.2),
        ("8", True, 0.7),
    ]
    assert set(tables.documents["licence"]) == {"CC-BY-4.0"}
    card = tables.card
    assert (card["name"], card["citation"], card["redistribution"]) == ("Towns", "Doe 2026", "no")
    assert any(
        "1 answers that abstain or are empty are labelled, 0 of them as" in one for one in card["caveats"]
    )
    assert card["labelled_by"] == "people (up to 3 an answer)" and card["files"][0]["n_rows"] == 8


def test_a_judges_verdicts_label_where_people_did_not_and_are_not_called_theirs(tmp_path):
    path = tmp_path / "answers.csv"
    pl.read_csv(ANSWERS.encode()).drop("human_1", "human_2", "human_3").write_csv(path)
    tables = tables_of(tmp_path, answers={"verdicts": ["judge"]})  # the one file in its folder
    assert rates(tables) == {"alder": [1, 3], "birch": [3, 4]}
    assert tables.card["labelled_by"] == "a judge (judge), not people"
    assert set(tables.samples["label_source"]) == {"silver"} and tables.judgements.is_empty()


@pytest.mark.parametrize(
    ("labels", "wrong"),
    [
        # three people about 1 and 3: 2 of 3 say wrong, 1 of 3; of 2 an even vote
        ("id,annotator,is_hallucinated\n1,a,1\n1,b,1\n1,c,0\n2,a,1\n2,b,0\n3,a,0\n3,b,0\n3,c,1\n4,a,1\n", ["1", "4"]),
        ('{"id": 1, "spans": [{"start": 9, "end": 13, "text": "1786"}]}\n{"id": 3, "spans": []}\n', ["1"]),
    ],
)  # fmt: skip
def test_labels_in_a_file_of_their_own_stand_in_place_of_those_beside_the_answers(tmp_path, labels, wrong):
    (tmp_path / "answers.csv").write_text(ANSWERS, "utf-8")
    beside = tmp_path / ("labels.csv" if labels.startswith("id,") else "labels.jsonl")
    beside.write_text(labels, "utf-8")
    for path in (tmp_path / "answers.csv", tmp_path):  # the labels in the folder are no answers
        tables = tables_of(path, answers={"map": PEOPLE, "verdicts": ["judge"], "labels": str(beside)})
        assert tables.samples.filter("is_hallucinated")["sample_id"].to_list() == sample_ids(tables, *wrong)
        assert tables.samples.height == (3 if "annotator" in labels else 2)
    assert tables.card["labelled_by"].startswith("people")
    beside.write_text(labels.replace("3", "9"), "utf-8")
    with pytest.raises(TruerateError, match=r"source 'mine': reading the labels .*no answer has the id '9'"):
        tables_of(tmp_path / "answers.csv", answers={"map": PEOPLE, "labels": str(beside)})
    with pytest.raises(TruerateError, match=r"source 'mine': no file .*absent.csv' with labels"):
        tables_of(tmp_path / "answers.csv", answers={"labels": str(tmp_path / "absent.csv")})


def test_ids_that_systems_share_say_what_was_asked_and_spans_lie_in_the_text(tmp_path):
    rows = [
        {
            "id": n,
            "system": system,
            "answer": f"\u200e{system} {n}",
            "spans": [{"start": 1, "end": 6}] * wrong,
        }
        for n in (1, 2)
        for system, wrong in (("alder", n == 1), ("birch", False))
    ]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    tables = tables_of(path)
    assert rates(tables) == {"alder": [1, 2], "birch": [0, 2]}
    assert replies(tables.samples)["unit"].to_list() == ["1", "2", "1", "2"]
    (text, spans), *_ = tables.samples.filter("is_hallucinated").select("text", "spans").rows()
    assert [text[span["start"] : span["end"]] for span in spans] == ["alder"]


def test_a_file_of_one_system_names_it_in_its_settings(tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_text('{"answer": "A", "is_hallucinated": true}\n{"answer": "B", "is_hallucinated": false}\n')
    assert rates(tables_of(path, answers={"system": "alder"})) == {"alder": [1, 2]}


@pytest.mark.parametrize("case", CASES["what_is_no_board"].values(), ids=list(CASES["what_is_no_board"]))
def test_what_is_no_board_is_one_line(tmp_path, case):
    name, rows, more, says = case
    lines = [json.dumps(yaml.safe_load(row)) for row in rows.split("|")]
    (tmp_path / name).write_text("\n".join(lines), "utf-8")
    with pytest.raises(TruerateError) as error:
        tables_of(tmp_path / name, **more)
    assert says in str(error.value) and "\n" not in str(error.value)


def test_the_files_of_a_folder_are_one_export_or_are_refused(tmp_path):
    spans = {"o.jsonl": {"id": "o1", "traceId": "t1", "type": "GENERATION", "output": "A", "model": "m"}}
    score = {
        "name": "hallucinated",
        "source": "ANNOTATION",
        "value": 1,
        "traceId": "t1",
        "dataType": "BOOLEAN",
    }
    for name, row in {**spans, "s.jsonl": score, "source.json": {"licence": "MIT"}}.items():
        (tmp_path / name).write_text(json.dumps(row), "utf-8")
    tables = tables_of(tmp_path, rights=None)
    assert rates(tables) == {"m": [1, 1]}
    assert [file["file"] for file in tables.card["files"]] == ["o.jsonl", "s.jsonl"]
    (tmp_path / "other.csv").write_text(ANSWERS, "utf-8")
    with pytest.raises(TruerateError, match="source 'mine': .*other.csv"):
        tables_of(tmp_path, rights=None)


@pytest.mark.skipif(not FOREIGN.is_dir(), reason="files of other tools are not here")
@pytest.mark.parametrize(("file", "by_hand"), CASES["rates_of_exports"].items())
def test_exports_of_other_tools_become_boards_as_they_lie(file, by_hand):
    assert rates(tables_of(FOREIGN / file)) == by_hand


def counted(path, system, label, wrong):
    """Hallucinated and all answers by system, counted from the file without truerate: `wrong` of a label's value."""
    text = path.read_text("utf-8")
    if path.suffix in (".csv", ".tsv"):
        rows = list(csv.DictReader(io.StringIO(text), delimiter="\t" if path.suffix == ".tsv" else ","))
    else:
        rows = [json.loads(line) for line in text.splitlines()]
    counts = {}
    for row in rows:
        of_system = counts.setdefault(system(row).strip(), [0, 0])
        of_system[0] += bool(wrong(row[label]))
        of_system[1] += 1
    return counts


@pytest.mark.skipif(not ORIGINAL.is_dir(), reason="the publishers' files are not here")
@pytest.mark.parametrize(
    "case", CASES["rates_of_published_sets"].values(), ids=list(CASES["rates_of_published_sets"])
)
def test_published_sets_become_boards_as_they_lie(case):
    path, settings = ORIGINAL / case["file"], case["answers"]
    name, wrong = case["label"], case["wrong"]
    system = settings["map"].get("system")
    by_hand = counted(
        path,
        lambda row: row[system] if system else settings["system"],
        name,
        (lambda value: value in wrong) if wrong else bool,
    )
    tables = tables_of(path, answers=settings)
    assert rates(tables) == by_hand and sum(n for _, n in by_hand.values()) == case["n"]
    assert tables.rejects.height == case.get("rejected", 0)


XSUM = (
    ORIGINAL
    / "google-research-datasets__xsum_hallucination_annotations/factuality_annotations_xsum_summaries.csv"
)


@pytest.mark.skipif(not XSUM.is_file(), reason="the publisher's file is not here")
def test_a_published_file_with_a_line_per_annotator_is_a_board_by_most_of_them():
    votes = {}
    for row in csv.DictReader(io.StringIO(XSUM.read_text("utf-8"))):
        votes.setdefault((row["system"], row["bbcid"], row["summary"]), []).append(row["is_factual"])
    by_hand = {}
    for (system, *_), labels in votes.items():
        wrong = labels.count("no") - labels.count("yes")
        of_system = by_hand.setdefault(system, [0, 0])
        of_system[0] += wrong > 0
        of_system[1] += wrong != 0
    fields = {"id": "bbcid", "answer": "summary", "label": "is_factual"}
    assert rates(tables_of(XSUM, answers={"map": fields})) == by_hand
