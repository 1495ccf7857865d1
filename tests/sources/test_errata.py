"""Errata: labels that a person corrects are applied when a set is read, and whatever is wrong in the file is
one line.
"""

import gzip

import pytest

from truerate.config import Source
from truerate.core.errors import SourceError
from truerate.core.schemas import Sample, load, pair, save
from truerate.sources.reading import read_source

QUESTIONS = [
    {"question": f"Where is {town}?", "golden_answer": "Oster", "improper": False}
    | {"answer_fid": "In Oster.", "judge_fid": True, "answer_gpt4": "In Lund.", "judge_gpt4": False}
    for town in ("Varn", "Holm")
]
GOOD = "id,label,reason\nFiD/nq-1,hallucinated,Varn lies in Lund\n"


@pytest.fixture
def corrected(put, tmp_path):
    """The tables of two questions, with errata of this text where there is one."""

    def run(errata=None):
        put("EVOUNA/NQ.json", QUESTIONS)
        path = put("errata/evouna.csv", errata) if errata is not None else None
        source = Source(reader="evouna", path=str(tmp_path), errata=str(path) if path else None)
        return read_source("x", source, tmp_path, "stop")

    return run


def labels(tables):
    keys = [pair("attributes", key).alias(key) for key in ("unit", "rule_uncorrected")]
    return tables.samples.select("generator", "is_hallucinated", *keys).sort("generator", "unit").rows()


def test_a_correction_moves_its_label_alone_and_the_published_one_stays_beside(corrected, tmp_path):
    tables = corrected(GOOD)
    assert labels(tables) == [
        ("FiD", True, "nq-1", "False"),
        ("FiD", False, "nq-2", "False"),
        ("GPT-4", True, "nq-1", "True"),
        ("GPT-4", True, "nq-2", "True"),
    ]
    assert tables.card["caveats"][-1].startswith("errata/evouna.csv corrects 1 of 4 labels")
    save(Sample, tables.samples, tmp_path / "samples.parquet")
    assert load(Sample, tmp_path / "samples.parquet").height == 4


def test_without_errata_nothing_moves(corrected):
    plain, with_them = corrected(), corrected(GOOD)
    assert [row[3] for row in labels(plain)] == [None] * 4 and "caveats" not in plain.card
    assert with_them.samples["sample_id"].to_list() == plain.samples["sample_id"].to_list()


def test_spans_go_where_a_reply_is_not_hallucinated_after_all(put, read, tmp_path):
    text = "Town x has a lake."
    annotations = [{"label": ["Unwanted"], "summary_start": 11, "summary_end": 17, "summary_span": "a lake"}]
    summary = {"sample_id": 0, "source": "Town x has a river.", "summary": text, "annotations": annotations}
    put("data_for_release/batch_1.json", {"samples": [summary | {"metadata": {"summarizer": "a/b"}}]})
    errata = put("errata/x.csv", "id,label,reason\na/b/1-0,not hallucinated,the river is a lake\n")
    before = read("faithbench").samples
    source = Source(reader="faithbench", path=str(tmp_path), errata=str(errata))
    after = read_source("x", source, tmp_path, "stop").samples
    assert before["is_hallucinated"].to_list() == [True] and len(before["spans"][0]) == 1
    assert after["is_hallucinated"].to_list() == [False] and len(after["spans"][0]) == 0


@pytest.mark.parametrize(
    "errata",
    [
        b"\xef\xbb\xbf" + GOOD.encode(),
        GOOD.replace("\n", "\r\n").encode(),
        b"reason,id,label\nVarn lies in Lund,FiD/nq-1,hallucinated\n\n",
        b"id,label,reason\n FiD/nq-1 ,hallucinated ,Varn lies in Lund",
    ],
    ids=["byte order mark", "CRLF", "columns in another order, empty line", "blanks, no last line end"],
)
def test_the_same_table_however_it_is_saved(errata, corrected):
    assert labels(corrected(errata)) == labels(corrected(GOOD))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("FiD/nq-9,hallucinated,x", r"line 2: id 'FiD/nq-9' is of no reply of this set"),
        ("FiD/nq-1,wrong,x", r"line 2: label 'wrong' is not known; allowed: hallucinated, not hallucinated"),
        ("FiD/nq-1,hallucinated,", r"line 2: the correction of 'FiD/nq-1' has no reason"),
        ("FiD/nq-1,hallucinated,x\nFiD/nq-1,hallucinated,y", r"line 3: id 'FiD/nq-1' stands there twice, first in line 2"),
        ("GPT-4/nq-1,hallucinated,x", r"'GPT-4/nq-1' is published as 'hallucinated', so there is nothing to correct"),
        (",hallucinated,x", r"line 2: it has no id"),
        ("FiD/nq-1,hallucinated", r"line 2: it has other cells than the header"),
        ("FiD/nq-1,hallucinated,x,y", r"line 2: it has other cells than the header"),
        ("", r"it holds no correction"),
        ("FiD/nq-8,hallucinated,x\nFiD/nq-9,hallucinated,x", r"line 2: .*; line 3: id 'FiD/nq-9'"),
        ('"FiD/nq-1', r"it is no CSV|line 2: it has other cells"),
        ("FiD/" + "9" * 5000 + ",hallucinated,x", r"id 'FiD/9{76}' is of no reply"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_errata_is_one_line_that_names_the_line_of_the_file(lines, message, corrected):
    with pytest.raises(SourceError, match=message) as fault:
        corrected(f"id,label,reason\n{lines}\n" if lines else "id,label,reason\n")
    assert str(fault.value).startswith("errata/evouna.csv: ") and "\n" not in str(fault.value)


@pytest.mark.parametrize(
    "raw", [b"", b"id,verdict,reason\n", gzip.compress(GOOD.encode(), mtime=0), b"id,label,reason\n\xff,x,y"]
)
def test_a_file_that_is_no_such_table_is_one_line(raw, corrected):
    with pytest.raises(SourceError, match=r"its columns are|not UTF-8|no CSV"):
        corrected(raw)


def test_of_many_faults_the_first_are_named_and_the_rest_counted(corrected):
    many = "".join(f"FiD/nq-{n},hallucinated,x\n" for n in range(10, 20))
    with pytest.raises(SourceError, match=r"line 6: [^;]*; [^;]*; and 5 more$"):
        corrected(f"id,label,reason\n{many}")
