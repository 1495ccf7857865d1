"""Files too large to be read whole: the columns that count, equal to what was planted, in every form."""

import json

import numpy as np
import polars as pl
import pytest

from truerate.answers.rating import rate
from truerate.answers.telling import as_dict, lines
from truerate.core.errors import SourceError
from truerate.sources.answers import large
from truerate.sources.answers.table import read_table

N = 100_001


@pytest.fixture(scope="module")
def planted():
    """Texts with quotation marks and line breaks; labels of a few answers late in the file; two systems."""
    number = pl.int_range(N)
    text = pl.concat_str(pl.lit('It "opened",\nin '), number, pl.lit(" they say." + " and more" * 36))
    frame = pl.select(
        id=pl.concat_str(pl.lit("a"), number),
        response=pl.when(number % 1000 != 7).then(text),
        model=pl.when(number % 2 == 0).then(pl.lit("larch")).otherwise(pl.lit("rowan ")),
        judge=(number % 4 == 0).cast(pl.Float64) * 0.75,
        is_hallucinated=pl.when(number % 499 == 498).then(number % 8 == 3),
    )
    return frame.with_columns(pl.when(pl.int_range(N) != 5).then("judge"))


@pytest.mark.parametrize("form", ["parquet", "csv", "ndjson", "frame"])
def test_a_large_source_is_read_by_columns(planted, tmp_path, form):
    source = planted if form == "frame" else tmp_path / f"answers.{form}"
    if form != "frame":
        getattr(planted, f"write_{form}")(source)
    table = read_table(source, verdicts=["judge"])
    frame = table.frame
    assert not table.has_texts and frame.height == N and (frame["answer"] == "").all()
    assert frame["id"].to_list() == planted["id"].to_list()
    assert frame["verdict:judge"].to_list() == planted["judge"].to_list()
    assert frame["label"].to_list() == planted["is_hallucinated"].to_list()
    assert set(frame["system"]) == {"larch", "rowan"}  # as plain names
    assert (frame["state"] == "empty").sum() == planted["response"].null_count()
    report = rate(source, verdicts="judge")
    assert report.rate.k == 200 and report.unjudged == {"no verdict in the file": 1}
    assert report.rate.low <= report.rate.value <= report.rate.high


@pytest.fixture
def both(monkeypatch):
    """What is said of a source that is read whole, and of the same one read by columns, in many blocks."""

    def said(source, **how):
        for size in ((10**9, 2**40, 2**22), (50, 1, 2**10)):
            for name, value in zip(("MANY", "LARGE", "BLOCK"), size, strict=True):
                monkeypatch.setattr(large, name, value)
            try:
                report = rate(source, **how)
            except SourceError as error:
                yield str(error)
            else:
                # which texts are the same is not known of a file whose texts are not read
                told = as_dict(report) | {"lines": list(lines(report)), "retests": None}
                for notes in (told["notes"], told["lines"]):
                    notes[:] = [
                        note
                        for note in notes
                        if not note.strip().startswith("a large file")
                        and "again on the same text" not in note
                    ]
                yield json.dumps(told)

    return said


@pytest.mark.parametrize("form", ["parquet", "csv", "ndjson", "frame"])
@pytest.mark.parametrize("n_questions", [600, 80])
def test_a_large_source_says_what_a_small_one_does(both, tmp_path, form, n_questions):
    """Bit for bit: names in several forms, labels of a kind and of another, empty answers, weights, repeats."""
    draw, number = np.random.default_rng(3), pl.int_range(600)
    is_wrong, score = draw.random(600) < 0.3, draw.random(600).round(3)
    frame = pl.select(
        id=pl.concat_str(pl.lit("a"), number // 2),
        question=pl.concat_str(pl.lit(" When was "), number % n_questions, pl.lit(" built?")),
        answer=pl.when(number % 50 == 3)
        .then(pl.lit(" –… "))
        .otherwise(pl.concat_str(pl.lit("It was built\nin "), number)),
        model=pl.when(number % 2 == 0)
        .then(pl.lit("larch"))
        .when(number % 4 == 1)
        .then(pl.lit("rowan "))
        .otherwise(pl.lit("rowan")),
        topic=pl.when(number % 3 == 0).then(pl.lit("harbours")),
        judge=pl.when(number % 40 != 7).then(pl.Series(score)),
        second_judge=pl.Series(np.where(is_wrong ^ (score < 0.2), "yes", "No")),
        human_1=pl.when(number % 5 == 0).then(pl.Series(np.where(is_wrong, "hallucinated", "faithful"))),
        is_hallucinated=pl.when(number % 10 == 5).then(pl.Series(is_wrong)),
        weight=pl.when(number % 5 == 0).then(pl.lit(5.0)),
    )
    source = frame if form == "frame" else tmp_path / f"x.{form}"
    if form != "frame":
        getattr(frame, f"write_{form}")(source)
    whole, by_columns = both(source, verdicts="judge,second_judge")
    assert by_columns == whole and '"is_corrected": true' in whole


ROW = 'a{n},"It says\n""so"".",{n},{judge},\n'


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("70,0.5,", "70,perhaps,"), "line 142: 'judge' is 'perhaps'; allowed: true, false"),
        (("70,0.5,", "70,inf,"), "line 142: 'judge' is "),
        (("70,0.5,\n", "70,0.5,\n\n,,,,\n"), None),
        (("70,0.5,", "70,0.5"), None),
        (("70,0.5,", "70,0.5,,more"), "line 142: it has 6 cells, the header 5; quote texts"),
        (("a70", "a70\x85"), None),
        (("a70,", "a69,"), "line 142: id 'a69' is that of line 140 too"),
        (("70,0.5,", "70,0.5,maybe"), "line 142: 'is_hallucinated' is 'maybe'"),
    ],
)
def test_what_does_not_fit_is_said_alike(both, tmp_path, change, message):
    rows = "".join(ROW.format(n=n, judge=0.5) for n in range(200))
    text = "id,answer,question,judge,is_hallucinated\n" + rows.replace(*change)
    (tmp_path / "x.csv").write_text(text, "utf-8", newline="")
    whole, by_columns = both(tmp_path / "x.csv", verdicts="judge")
    assert message is None or message in whole
    assert by_columns == whole


@pytest.mark.parametrize("judge", ["NaN", "null", '"perhaps"', "-Infinity", "0.5", '"0.5"', "1e400", "} {"])
def test_lines_that_hold_no_number_are_read_alike(both, tmp_path, judge):
    row = '{{"id": "a{n}", "answer": "It is: NaN.", "judge": {judge}}}\n\n'
    text = "".join(row.format(n=n, judge=judge if n == 70 else 0.25) for n in range(200))
    (tmp_path / "x.jsonl").write_text(text, "utf-8")
    whole, by_columns = both(tmp_path / "x.jsonl", verdicts="judge")
    assert by_columns == whole
