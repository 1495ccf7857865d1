"""Files of other tools as they lie: answers, verdicts and labels, and one line where something is missing."""

import io
import json
import zipfile
from collections import Counter
from pathlib import Path

import polars as pl
import pytest
import zstandard
from house import ROOT

from tests.cases import case_table
from truerate.answers.drawing import draw_labels
from truerate.core.errors import SourceError
from truerate.sources.answers.exports import read_export
from truerate.sources.answers.opening import named_after
from truerate.sources.answers.table import read_table

CASES = case_table(__file__)
FOREIGN = ROOT.parent / "shared" / "cases" / "foreign"


def exported(folder, name, text):
    path = folder / name
    content = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(content)
    return read_export(path, content)


def label(record):
    return next(iter(record["labels"].values()), None)


@pytest.mark.parametrize("case", CASES["rows_of_a_tool"].values(), ids=list(CASES["rows_of_a_tool"]))
def test_a_file_says_who_answered_what_and_who_judged_it(tmp_path, case):
    export = exported(tmp_path, case["name"], case["text"])
    assert export.tool == case["tool"]
    assert [record["answer"] for record in export.records] == case["answers"]
    verdicts = {
        judge: [record["verdicts"].get(judge) for record in export.records]
        for judge in dict.fromkeys(name for record in export.records for name in record["verdicts"])
    }
    assert verdicts == case.get("verdicts", {})
    assert [label(record) for record in export.records] == case.get("labels", [None] * len(export.records))
    for role in ("reference", "golden"):
        assert role not in case or export.records[0][role] == case[role]
    assert case.get("note", "") in " ".join(export.notes)


@pytest.mark.parametrize(("name", "text", "says"), CASES["what_lacks_its_answers"])
def test_what_lacks_its_answers_is_one_line_with_where_they_are(tmp_path, name, text, says):
    with pytest.raises(SourceError) as error:
        exported(tmp_path, name, text)
    assert says in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    "case", CASES["files_named_together"].values(), ids=list(CASES["files_named_together"])
)
def test_files_that_are_one_export_are_named_together(tmp_path, case):
    files, expected = case
    paths = [tmp_path / name for name in files]
    for path, text in zip(paths, files.values(), strict=True):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text.replace("|", "\n"), "utf-8")
    if isinstance(expected, dict):
        assert dict(read_table(paths).frame.select("id", "label").iter_rows()) == expected
        return
    with pytest.raises(SourceError) as error:
        read_table(paths)
    assert expected in str(error.value) and all(str(path) in str(error.value) for path in paths)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        '{"answer": "a", "reference": "b"}',
        "answer,reference\na,b",
        '{"prompt": "p", "response": "r", "my_score": 0.1}',
        "",
        "[1, 2]",
        "{",
        b"\xff\xfe\x00",
        b"PK\x03\x04",
    ],
)
def test_a_file_of_no_tool_is_left_to_the_reader_of_plain_files(tmp_path, text):
    assert exported(tmp_path, "a.txt", text) is None


def zip_of(members):
    """A zip whose members are Zstandard, as Inspect writes it: stored, then their method renamed to 93."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        for name, value in members.items():
            file.writestr(name, zstandard.compress(json.dumps(value).encode()))
    content = bytearray(packed.getvalue())
    for entry in zipfile.ZipFile(packed).infolist():
        content[entry.header_offset + 8] = 93
    place = content.find(b"PK\x01\x02")
    while place >= 0:
        content[place + 10] = 93
        place = content.find(b"PK\x01\x02", place + 4)
    return bytes(content)


def test_an_eval_of_inspect_is_read_though_its_members_are_zstandard(tmp_path):
    def sample(epoch, value):
        output = {"choices": [{"message": {"content": "1908-05-01"}}]}
        scores = {"faithful": {"value": value}, "length": {"value": 9}}
        return {"id": "s", "epoch": epoch, "input": "q", "target": "t", "output": output, "scores": scores}

    members = {"header.json": {"eval": {"model": "m/elm"}}}
    members |= {f"samples/s_epoch_{n}.json": sample(n, value) for n, value in ((1, "I"), (2, "C"))}
    export = exported(tmp_path, "log.eval", zip_of(members))
    records = [(r["id"], r["run"], r["system"], r["answer"], r["verdicts"]) for r in export.records]
    assert records == [
        ("s", "1", "m/elm", "1908-05-01", {"faithful": 1}),
        ("s", "2", "m/elm", "1908-05-01", {"faithful": 0}),
    ]
    with pytest.raises(SourceError, match="no whole log of Inspect"):
        exported(tmp_path, "cut.eval", zip_of(members)[:-30])


def test_partial_grades_of_inspect_are_said_and_a_threshold_takes_them_for_faithful(tmp_path):
    def sample(number, value, *history):
        score = {"value": value, "history": [{"value": old} for old in (*history, value)] if history else []}
        output = {"completion": "It opened in 1908."}
        return {"id": number, "input": "q", "target": "t", "output": output, "scores": {"grader": score}}

    grades = [sample(number, grade) for number, grade in enumerate("CIPP")]
    log = {"status": "success", "eval": {"model": "elm"}, "samples": grades}
    (tmp_path / "log.json").write_text(json.dumps(log))
    # C, I, P, P: 3 of 4 are flagged from .5 on, 1 of 4 from .6 on
    by_threshold = {t: read_table(tmp_path / "log.json", threshold=t) for t in (0.5, 0.6)}
    assert {t: table.flags("grader").tolist() for t, table in by_threshold.items()} == {
        0.5: [0, 1, 1, 1],
        0.6: [0, 1, 0, 0],
    }
    says = "'grader': 2 of 4 grades are partial (P): each counts as .5 and is flagged; --threshold 0.6 flags only what is wrong"
    assert says in by_threshold[0.5].notes

    log["samples"] = [*grades[:2], sample(2, "P", "C"), sample(3, "I", "C")]
    (tmp_path / "edited.json").write_text(json.dumps(log))
    table = read_table(tmp_path / "edited.json")
    assert table.frame["label"].to_list() == [None, None, None, True]
    assert any("edited: 2" in note and "(1 of them say neither" in note for note in table.notes)


def test_two_files_of_traces_are_joined_by_what_the_scores_are_of(tmp_path):
    (tmp_path / "scores.jsonl").write_text(
        '{"name": "is_faithful", "source": "ANNOTATION", "value": 0, "dataType": "BOOLEAN", "traceId": "t"}\n'
        '{"name": "hallucination", "source": "EVAL", "value": 0.25, "dataType": "NUMERIC", "subject": {"id": "t"}}'
    )
    text = (
        '{"id": "o0", "traceId": "t", "type": "SPAN", "output": "no answer"}\n'
        '{"id": "o1", "traceId": "t", "type": "GENERATION", "startTime": "1", "output": {"content": "draft"}}\n'
        '{"id": "o2", "traceId": "t", "type": "GENERATION", "startTime": "2", "output": {"content": "12:30"}, '
        '"input": [{"role": "user", "content": "When?"}], "model": "elm"}'
    )
    (record,) = exported(tmp_path, "observations.jsonl", text).records
    assert (record["answer"], record["question"], record["system"]) == ("12:30", "When?", "elm")
    assert (record["verdicts"], label(record)) == ({"hallucination": 0.25}, True)


def test_spans_are_joined_with_their_annotations(tmp_path):
    (tmp_path / "annotations.csv").write_text(
        "span_id,annotation_name,annotator_kind,result.label,result.score\n"
        "s1,hallucination,LLM,factual,0.0\ns1,reviewed,HUMAN,hallucinated,\ns2,hallucination,LLM,hallucinated,1.0\n"
    )
    span = {
        "input.value": "When?",
        "output.value": "12:30",
        "llm.model_name": "elm",
        "retrieval.documents.0.document.content": "It opens at 12:30.",
        "retrieval.documents.1.document.content": "It closes.",
    }
    text = "\n".join(
        json.dumps({"context": {"span_id": f"s{n}"}, "span_kind": "LLM", "attributes": span}) for n in (1, 2)
    )
    first, second = exported(tmp_path, "spans.jsonl", text).records
    assert first["reference"] == ["It opens at 12:30.", "It closes."]
    assert (first["verdicts"], label(first), second["verdicts"]) == (
        {"hallucination": 0},
        True,
        {"hallucination": 1},
    )


def test_a_folder_of_datasets_names_its_classes(tmp_path):
    rows = {"question": ["q", "q"], "contexts": [["A passage."], ["B."]], "reference": ["x y", "z"]}
    pl.DataFrame(rows | {"response": ["12:30", "No"], "label": [0, 1]}).write_ipc_stream(
        tmp_path / "data-0.arrow"
    )
    features = {"label": {"names": ["hallucinated", "faithful"], "_type": "ClassLabel"}}
    (tmp_path / "dataset_info.json").write_text(json.dumps({"features": features}))
    beside = exported(tmp_path, "t.csv", "response,label\n12:30,0\nNo,1\nYes,\n").records
    assert [(r["answer"], label(r)) for r in beside] == [("12:30", True), ("No", False), ("Yes", None)]
    records = read_export(tmp_path, b"").records
    assert [(r["answer"], label(r), r["golden"], r["reference"]) for r in records] == [
        ("12:30", True, "x y", ["A passage."]),
        ("No", False, "z", ["B."]),
    ]


def test_the_table_of_an_export_has_its_judge_and_its_people(tmp_path):
    case = CASES["rows_of_a_tool"]["trulens, an even vote of people"]
    (tmp_path / case["name"]).write_text(case["text"])
    table = read_table(tmp_path / case["name"])
    assert (list(table.verdicts), table.frame["verdict:Groundedness"].to_list()) == (
        ["Groundedness"],
        [0.75, 0],
    )
    assert table.frame["label"].to_list() == [True, None]
    assert table.frame["system"].to_list() == ["elm", "oak"]
    turned = read_table(tmp_path / case["name"], verdicts=["not:Groundedness"])
    assert turned.frame["verdict:Groundedness"].to_list() == [0.25, 1]
    with pytest.raises(SourceError, match="no such judge; it has Groundedness"):
        read_table(tmp_path / case["name"], verdicts=["other"])


def test_a_label_of_a_data_set_is_none_of_the_answer(tmp_path):
    row = {"doc_id": 0, "doc": {"question": "q", "hallucination": "yes", "label": 1}, "target": "t"}
    row |= {"resps": [["a"]], "filtered_resps": ["a"], "metrics": ["acc"], "acc": 0.0}
    export = exported(tmp_path, "samples_x.jsonl", json.dumps(row))
    assert (export.records[0]["labels"], export.records[0]["verdicts"]) == ({}, {"acc": 1})
    assert "left out: hallucination, label" in " ".join(export.notes)


def test_a_folder_or_a_pattern_is_read_as_one(tmp_path):
    def log(model, epochs, folder):
        samples = [
            {
                "id": "s",
                "epoch": n,
                "input": "q",
                "output": {"completion": "A"},
                "scores": {"faithful": {"value": "I"}},
            }
            for n in range(1, epochs + 1)
        ]
        (tmp_path / folder).mkdir(exist_ok=True)
        text = json.dumps({"status": "success", "eval": {"model": model}, "samples": samples})
        (tmp_path / folder / f"{model}{epochs}.json").write_text(text)

    log("elm", 1, "logs"), log("elm", 2, "logs"), log("oak", 1, "logs")
    for source in (
        tmp_path / "logs",
        str(tmp_path / "logs" / "*.json"),
        sorted((tmp_path / "logs").iterdir()),
    ):
        frame = read_table(source).frame
        assert frame["system"].to_list() == ["elm", "elm", "elm", "oak"]
        assert frame.select("id", "run").rows() == [("s", "1"), ("s", "elm2: 1"), ("s", "2"), ("s", "1")]
    with pytest.raises(SourceError, match=r"--map system=x: an export of Inspect .* --map answer=FIELD"):
        read_table(tmp_path / "logs", fields={"system": "x"})
    (tmp_path / "logs" / "a.csv").write_text("answer\nA\n")
    with pytest.raises(SourceError, match=r"files of several tools \(Inspect, none\)"):
        read_table(tmp_path / "logs")
    assert [named_after(name, "-rate") for name in ("a/b.csv", "a/*.csv", "a/**/b?.csv", "*.csv", "-")] == [
        Path("a/b-rate"),
        Path("a-rate"),
        Path("a-rate"),
        Path("answers-rate"),
        Path("answers-rate"),
    ]
    with pytest.raises(SourceError, match="no file has such a name"):
        read_table(str(tmp_path / "*.none"))


def test_labels_are_drawn_by_the_score_of_an_export(tmp_path):
    path = tmp_path / "r.jsonl"
    row = {"user_input": "q", "retrieved_contexts": ["c"]}
    lines = [json.dumps(row | {"response": f"A{n}", "faithfulness": n / 40}) for n in range(40)]
    path.write_text("\n".join(lines))
    sheets = draw_labels(str(path), n=20, score="faithfulness", design="uncertain")
    assert any("drawn: 20 of 40 answers, uncertain" in note for note in sheets.notes)
    assert sheets.rows["probability"].n_unique() > 10 and "faithfulness" not in sheets.rows.columns


def test_the_parts_of_a_table_are_one_and_a_table_of_a_tool_is_read_from_memory(tmp_path):
    frame = pl.DataFrame({"answer": ["A", "B", "C"], "is_hallucinated": [True, False, False]})
    for n in range(3):
        frame[n : n + 1].write_parquet(tmp_path / f"part-{n}.parquet")
    assert read_table(tmp_path).frame.select("id", "answer", "label").rows() == [
        ("1", "A", True),
        ("2", "B", False),
        ("3", "C", False),
    ]
    row = {"user_input": "q", "retrieved_contexts": ["c"], "response": "A", "faithfulness": 0.25}
    table = read_table(pl.DataFrame([row]))
    assert table.frame["verdict:faithfulness"].to_list() == [0.75] and table.notes[0] == "an export of RAGAS"
    (tmp_path / "x.csv").write_text("answer,is_hallucinated\nA,true\n")
    with pytest.raises(SourceError, match="not parts of one export or one table"):
        read_table(tmp_path)


TABLE = {  # of the files at hand: answers that the judge flags, of how many; that people say are hallucinated
    "datasets-5.2.0.jsonl": ((6, 16), (6, 16)),
    "deepeval-4.3.1-goldens.json": (None, (6, 16)),
    "deepeval-4.3.1-test_run.json": ((6, 16), (6, 16)),
    "eee-0.3.0-from-inspect-larch.json": ((2, 16), None),
    "eee-0.3.0-from-inspect-larch_samples.jsonl": ((2, 16), None),
    "inspect-0.3.285-larch.eval": ((2, 16), (4, 16)),
    "inspect-0.3.285-larch.json": ((2, 16), (4, 16)),
    "label-studio-export.json": ((6, 16), (6, 16)),
    "label-studio-sdk-2.1.2-JSON_MIN.json": ((6, 16), (6, 16)),
    "langfuse-5.0.4-observations.jsonl": ((6, 16), (6, 16)),
    "langfuse-5.0.4-scores.jsonl": ((6, 16), (6, 16)),
    "lm-eval-0.4.13-results_larch.json": ((1, 8), (2, 8)),
    "lm-eval-0.4.13-samples_orvane_larch.jsonl": ((1, 8), (2, 8)),
    "promptfoo-0.123.1-out.jsonl": ((6, 16), (6, 16)),
    "ragas-0.4.3-dataset.jsonl": (None, None),
    "ragas-0.4.3-result.csv": ((6, 15), None),
    "trulens-2.16.0-records.csv": ((6, 16), (6, 15)),
    "uqlm-0.6.7-to_df.csv": ((6, 16), None),
}


@pytest.mark.skipif(not FOREIGN.is_dir(), reason="../shared/cases/foreign is not there")
@pytest.mark.parametrize("name", TABLE)
def test_files_that_the_tools_wrote_give_the_rates_counted_by_hand(name):
    path = FOREIGN / name
    records = read_export(path, path.read_bytes()).records
    judge = next(iter(records[0]["verdicts"]), None)
    verdicts = [record["verdicts"].get(judge) for record in records]
    judged = [verdict >= 0.5 for verdict in verdicts if verdict is not None]
    labels = [label(record) for record in records if label(record) is not None]
    of_judge, of_people = TABLE[name]
    assert ((sum(judged), len(judged)) if judged else None) == of_judge
    assert ((sum(labels), len(labels)) if labels else None) == of_people
    answers = Counter(record["answer"] for record in records)
    assert answers["12:30"] and answers["1908-05-01"]
