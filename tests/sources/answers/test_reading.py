"""Answers and labels as people hand them over: what fits, and one line for what does not."""

import csv
import gzip
import io
import json
import re

import polars as pl
import pytest
from house import ROOT

from tests.cases import case_table
from truerate.core.errors import SourceError
from truerate.llm.replies.texts.abstaining import says_not_known
from truerate.llm.replies.texts.refusals import is_refusal
from truerate.sources.answers.labels import with_labels
from truerate.sources.answers.reading import ABSTAINED, EMPTY, STATED, state_of
from truerate.sources.answers.table import read_table

CASES = case_table(__file__)


def written(folder, text, name="answers.jsonl"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return str(path)


def test_what_fits_is_read_whatever_the_ends_of_lines(tmp_path):
    lines = [
        {"answer": "A lake.", "reference": ["One.", "Two."], "id": 7, "topic": "lakes", "hot": True, "n": 2},
        {"answer": "A hill.", "reference": None, "system": "alder", "lang": "en", "question": "What?"},
    ]
    text = "\r\n".join(["", *map(json.dumps, lines), ""])
    table = read_table(written(tmp_path, b"\xef\xbb\xbf" + text.encode()))
    first, second = table.frame.iter_rows(named=True)
    assert (first["id"], first["reference"]) == ("7", "One.\n\nTwo.")
    assert {name: first[f"slice:{name}"] for name in table.slices} == {
        "topic": "lakes",
        "hot": "true",
        "n": "2",
    }
    assert [second[name] for name in ("id", "reference", "system", "lang")] == [
        "3",
        "",
        "alder",
        "en",
    ]  # its line


@pytest.mark.parametrize(
    ("text", "says"),
    [
        *CASES["what_does_not_fit_is_one_line_with_its_number"],
        ("[" * 100_000, "line 1: it is no JSON"),
        (b'{"answer": "a"}\n{"answer": "\xff"}', "line 2: byte 28 is no UTF-8"),
        ('{"answer": "' + "a" * 10_000_000 + '"}', "line 1: it has 10,000,014 characters"),
    ],
)
def test_what_does_not_fit_is_one_line_with_its_number(tmp_path, text, says):
    with pytest.raises(SourceError) as told:
        read_table(written(tmp_path, text))
    assert says in str(told.value)
    assert "\n" not in str(told.value)


ONE = '{"id": 1, "is_hallucinated": true}'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        *CASES["labels_that_do_not_fit_their_answers"],
        (f'{ONE}\n{{"id": 9, "is_hallucinated": true}}', "line 2: no answer has the id '9'"),
        (f'{ONE}\n{{"id": "1", "is_hallucinated": true}}', "line 2: id '1' is labelled twice"),
        (f'{ONE}\n{{"id": 2, "spans": []}}', "line 2: 'is_hallucinated' and 'spans' are mixed"),
    ],
)
def test_labels_that_do_not_fit_their_answers(tmp_path, text, says):
    answers = read_table(written(tmp_path, '{"answer": "A lake."}\n{"answer": "A hill."}'))
    with pytest.raises(SourceError) as told:
        with_labels(answers, written(tmp_path, text, "labels.jsonl"))
    assert says in str(told.value)


def test_labels_that_fit(tmp_path):
    answers = read_table(written(tmp_path, '{"answer": "A lake."}\n{"answer": "A hill."}'))
    lines = '{"id": 2, "spans": [{"start": 2, "end": 6}, [0, 1]]}\n{"id": "1", "spans": []}'
    found = with_labels(answers, written(tmp_path, lines, "labels.jsonl")).frame
    marked = [[list(span.values()) for span in spans] for spans in found["spans"].to_list()]
    assert found["label"].to_list() == [False, True] and marked == [[], [[0, 1], [2, 6]]]


def test_an_id_that_is_null_is_the_number_of_its_line(tmp_path):
    found = read(tmp_path, {"answer": "A lake.", "id": None}, {"answer": "A hill.", "id": "b"})
    assert found.frame["id"].to_list() == ["1", "b"]


@pytest.mark.parametrize("orient", ["columns", "index", "split", "records", "table"])
def test_every_json_that_pandas_writes_is_a_table(tmp_path, orient):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"answer": ["A lake.", "A hill."], "is_hallucinated": [False, True]})
    table = read_table(written(tmp_path, frame.to_json(orient=orient)))
    assert table.frame.select("answer", "label").rows() == [("A lake.", False), ("A hill.", True)]


def test_answers_by_id_and_arrow_files_are_tables(tmp_path):
    answers = {"a": {"answer": "A lake."}, "b": {"answer": "A hill."}}
    assert read_table(written(tmp_path, json.dumps(answers))).frame["answer"].to_list() == [
        "A lake.",
        "A hill.",
    ]
    frame, path = pl.DataFrame({"answer": ["A lake."]}), tmp_path / "a.arrow"
    for write in (frame.write_ipc, frame.write_ipc_stream):
        write(path)
        assert read_table(path).frame["answer"].to_list() == ["A lake."]
    with pytest.raises(SourceError, match="it is no whole Arrow file"):
        read_table(written(tmp_path, path.read_bytes()[:40]))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"\x1f\x8b\x08\x00", "it is no whole gzip file"),
        (b"PAR1\x15\x04", "it is no whole Parquet file"),
        ('{"answer": "a"}\n'.encode("utf-16"), "it is UTF-16 or UTF-32; save it as UTF-8"),
        ('{"answer": "a"}\n'.encode("utf-16-le"), "it is UTF-16 or UTF-32; save it as UTF-8"),
        ('{"answer": "a"}\n'.encode("utf-32-be"), "it is UTF-16 or UTF-32; save it as UTF-8"),
        (b'[{"answer": "a"}, 3]', "line 2: it is no object"),
        (b'[\n{"answer": "a"},\n{"answer": b}]', "line 3: it is no JSON"),
        (b"id,answer\n1,a,b\n", "line 2: it has 3 cells, the header 2"),
        (b"answer,answer\na,b\n", "line 1: column 'answer' stands there twice"),
        (b'id,answer\n1,"a\n', "it is no CSV"),
        (b"PK\x03\x04\x14\x00xl/workbook.xml", "it is an Excel workbook; save it as CSV"),
        (b"\x28\xb5\x2f\xfd", "it is packed; unpack it"),
    ],
)
def test_what_has_no_form_says_so_and_what_to_do(tmp_path, content, says):
    with pytest.raises(SourceError, match=re.escape(says)) as told:
        read_table(written(tmp_path, content))
    assert "\n" not in str(told.value)


ROWS = [
    {"id": "a", "answer": "12:30", "contexts": "It opened, they say,\nat noon.", "score": "0.5"},
    {"id": "b", "answer": "1908-05-01", "contexts": 'The "old" mill.', "score": ""},
]


def parquet(frame):
    frame.write_parquet(file := io.BytesIO())
    return file.getvalue()


def delimited(sign):
    csv.writer(file := io.StringIO(), delimiter=sign).writerows(
        [list(ROWS[0]), *(list(row.values()) for row in ROWS)]
    )
    return file.getvalue().encode()


LINES = "".join(json.dumps(row) + "\n" for row in ROWS).encode()


@pytest.mark.parametrize(
    "content",
    [
        LINES,
        LINES.replace(b"\n", b"\r"),
        gzip.compress(LINES, mtime=0),
        json.dumps(ROWS).encode(),
        json.dumps({"run": "x", "rows": ROWS}, indent=1).encode(),
        json.dumps({name: [row[name] for row in ROWS] for name in ROWS[0]}).encode(),
        *(delimited(sign) for sign in ",;\t"),
        *(f"sep={sign}\r\n".encode() + delimited(sign) for sign in ";\t"),  # as Excel writes it
        parquet(pl.DataFrame(ROWS)),
    ],
)
def test_every_plain_form_is_one_table(tmp_path, content):
    file = written(tmp_path, content, "of_any_name")
    tables = [read_table(file, verdicts=["score"])]
    tables += [read_table(source, verdicts=["score"]) for source in (ROWS, pl.DataFrame(ROWS))]
    for table in tables:
        assert table.frame["id"].to_list() == ["a", "b"]
        assert table.frame["answer"].to_list() == ["12:30", "1908-05-01"]
        assert table.frame["reference"].to_list() == [row["contexts"] for row in ROWS]
        assert table.frame["verdict:score"].to_list() == [0.5, None] and table.slices == []


@pytest.mark.parametrize("score", ["0,5", "50 %"])
def test_a_number_as_a_spreadsheet_shows_it_is_one_line_with_how_to_write_it(tmp_path, score):
    file = written(tmp_path, f"answer;score\na;{score}\n")
    with pytest.raises(SourceError, match=f"line 2: 'score' is '{score}' .write it with a point and without"):
        read_table(file, verdicts=["score"])


def test_classes_of_datasets_count_by_their_names(tmp_path):
    features = {"label": {"names": ["hallucinated", "faithful"], "_type": "ClassLabel"}}
    meta = {"huggingface": json.dumps({"info": {"features": features}})}
    frame = pl.DataFrame({"answer": ["a", "b", "c"], "label": [0, 1, -1]})
    frame.write_parquet(tmp_path / "x.parquet", metadata=meta)
    assert read_table(tmp_path / "x.parquet").frame["label"].to_list() == [True, False, None]


def test_repeats_are_runs_of_an_item(tmp_path):
    same = {"id": "x", "question": "When?", "reference": "In 1412."}
    table = read(tmp_path, same | {"answer": "In 1412."}, same | {"answer": "In 1733."})
    assert (
        table.frame["run"].to_list() == ["1", "2"]
        and "1 answers have the id of another one" in table.notes[-1]
    )
    epochs = [same | {"answer": "In 1412.", "epoch": n} for n in (1, 2)]
    assert read(tmp_path, *epochs).frame["run"].to_list() == ["1", "2"]
    for other in ({"question": "Who?"}, {"reference": "In 1733."}):
        with pytest.raises(SourceError, match="line 2: id 'x' is that of line 1 too"):
            read(tmp_path, same | {"answer": "a"}, same | {"answer": "a"} | other)
    with pytest.raises(SourceError, match="id 'x' is that of line 1 too"):
        read(tmp_path, epochs[0], epochs[0])


def read(tmp_path, *records):
    return read_table(written(tmp_path, "".join(json.dumps(record) + "\n" for record in records)))


def states(tmp_path, *records):
    return read(tmp_path, *records).frame["state"].to_list()


SOUND = "The harbour of Karlomi was built in 1412."


@pytest.mark.parametrize(
    "text", ["", None, "  \n", "\u200b\u200d\ufeff", "\u00ad", "\x00", "<think>Perhaps 1412", "<|im_end|>"]
)
def test_an_answer_of_which_nothing_is_seen_is_empty(tmp_path, text):
    assert states(tmp_path, {"answer": text}, {"answer": "1412"}) == [EMPTY, STATED]


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("I'm sorry, I can't answer that.", ABSTAINED),
        ("I don't know.", ABSTAINED),
        ("The document does not mention who built it.", ABSTAINED),
        ("Ich weiß es nicht.", ABSTAINED),
        ("N/A", ABSTAINED),
        ("No", STATED),
        ("There is no toll on the east bridge.", STATED),
        ("Little Women", STATED),
        ("Khyber Pass.", STATED),
        ("I cannot draw charts. " + "The town has 4,100 people and a mill. " * 12, STATED),
        *((text, EMPTY) for text in ("...", "-", "—\n", "\u200b?!")),
        *((text, ABSTAINED) for text in ("n.a.", "Not available.")),
        *((text, STATED) for text in ("7", "A", "👍", "N/A is sodium")),
    ],
)
def test_abstentions_are_a_third_state(tmp_path, text, state):
    assert states(tmp_path, {"answer": text}) == [state]


def test_a_field_says_better_whether_an_answer_abstains(tmp_path):
    unsure = "I don't know."
    marked = [
        {"answer": unsure, "abstained": False},
        {"answer": SOUND, "abstained": "yes"},
        {"answer": unsure, "abstained": None},
    ]
    assert states(tmp_path, *marked) == [STATED, ABSTAINED, ABSTAINED]


def test_thought_and_special_tokens_are_cut_and_counted(tmp_path):
    texts = [
        f"<think>1900, or Venice?</think>{SOUND}",
        f"<|im_start|>assistant\n{SOUND}<|im_end|>",
        f"{SOUND}</s>",
    ]
    kept = [f"{SOUND} 3 < 4 ", "It was <s>1400</s> 1412."]
    file = read(tmp_path, *({"answer": text} for text in (*texts, *kept)))
    assert file.frame["answer"].to_list() == [SOUND, SOUND, SOUND, *kept]
    assert "cut off answers: thought in 1, special-token in 2" in file.notes


def test_names_that_look_alike_are_one_or_said_to_be_several(tmp_path):
    names = ["gpt-4", "gpt-4 ", "g\u200bpt-4", "ｇｐｔ-4", "GPT-4", "aster", "\u0430ster"]
    file = read(tmp_path, *({"answer": SOUND, "system": name} for name in names))
    assert file.frame["system"].to_list() == ["gpt-4"] * 4 + names[4:]
    assert any("'gpt-4 '" in note and note.endswith("are one") for note in file.notes)
    alike = "system: 'GPT-4' and 'gpt-4' look alike and are counted apart; write them alike if they are one"
    assert alike in file.notes
    assert any(r"'aster' and '\u0430ster' look alike" in note for note in file.notes)


def test_no_abstention_of_the_corpora_lacks_the_hint_that_is_looked_for_first():
    corpora = [ROOT / f"tests/llm/replies/{name}.jsonl" for name in ("abstentions", "refusals")]
    texts = [json.loads(line)["text"] for path in corpora for line in path.read_text("utf-8").splitlines()]
    with (ROOT / "src/truerate/tracks/wildhallucinations/probe.csv").open(
        encoding="utf-8", newline=""
    ) as file:
        texts += [row["text"] for row in csv.DictReader(file)]
    short = [text for text in texts if text.strip() and len(text.split()) <= 60]
    abstaining = [text for text in short if says_not_known(text) or is_refusal(text)]
    assert len(abstaining) > 350
    assert [text for text in abstaining if state_of(text) != ABSTAINED] == []


def test_a_long_cell_is_read_and_the_limit_of_others_stays(tmp_path):
    limit = csv.field_size_limit()
    file = tmp_path / "long.csv"
    file.write_text("id,answer\na," + "x" * (limit + 1) + "\n", "utf-8")
    assert read_table(str(file)).frame["answer"].str.len_chars().to_list() == [limit + 1]
    assert csv.field_size_limit() == limit
