import json
from pathlib import Path

import polars as pl
import pytest

from truerate.core.claims import FileCounts
from truerate.core.errors import TruerateError
from truerate.leaderboard.consistency import check_totals
from truerate.leaderboard.file_counts import check_counts
from truerate.leaderboard.ledger import COLUMNS, ledger_of, load_published, unchecked
from truerate.metrics.intervals import wilson
from truerate.tracks.halueval.protocol import PROTOCOL
from truerate.tracks.mfava.protocol import PROTOCOL as MFAVA

DATA = Path(__file__).parents[3] / "shared/data"
needs_data = pytest.mark.skipif(
    not (DATA / "published_results.csv").is_file(), reason="no published results beside this checkout"
)

PUBLISHED = pl.DataFrame(
    [
        ("helma", "6", "davinci", "accuracy", "qa", 49.21, None),
        ("helma", "6", "davinci", "accuracy", "general", 77.54, None),
        ("helma", "5", "-", "n_samples", "qa", 10000.0, None),
    ],
    schema=dict.fromkeys(COLUMNS, pl.String) | {"value": pl.Float64},
    orient="row",
)


def test_every_row_says_why_it_cannot_be_checked():
    lines = unchecked(PUBLISHED, PROTOCOL.reasons)
    assert {line["verdict"] for line in lines} == {"cannot be checked"}
    assert [line["reason"] for line in lines] == [
        PROTOCOL.reasons["helma", table] for table in ("6", "6", "5")
    ]
    assert lines[0]["quantity"] == "davinci · accuracy · qa" and lines[0]["source"] == "helma Table 6"
    assert lines[2]["published"] == 10000 and lines[2]["quantity"] == "n_samples · qa"
    assert unchecked(PUBLISHED, {})[0]["reason"] == "no row of ours measures this"


def test_a_missing_file_is_one_line():
    with pytest.raises(TruerateError, match="reading published results 'nowhere.csv'"):
        load_published("nowhere.csv")


@needs_data
def test_printed_totals_of_helma_hold():
    # Table 5: 10,000 per task; Table 7: 3,109, 891 and 3,868 failures of ChatGPT
    lines = check_totals(
        load_published(DATA / "published_results.csv").filter(source="helma"), PROTOCOL.totals
    )
    assert [line["verdict"] for line in lines] == ["consistent"] * 6
    assert sorted(line["ours"] for line in lines) == [891, 3109, 3868, 10000, 10000, 10000]


@needs_data
def test_printed_totals_of_mfava_hold():
    lines = check_totals(load_published(DATA / "published_results.csv").filter(source="mfava"), MFAVA.totals)
    assert [line["verdict"] for line in lines] == ["consistent"] * 5
    assert {line["quantity"][-2:]: line["ours"] for line in lines} == {
        "ru": 1088,
        "ar": 667,
        "zh": 1227,
        "de": 1777,
        "tr": 1018,
    }
    assert sum(line["ours"] for line in lines) == 5777


@needs_data
def test_printed_averages_of_mfava_table_10_hold():
    """Over its 27 rows of silver languages."""
    rows = load_published(DATA / "published_results.csv").filter(source="mfava", table="10")
    silver = rows.filter(pl.col("slice").str.ends_with("/silver") & (pl.col("slice") != "Average/silver"))
    printed = rows.filter(slice="Average/silver")
    for metric, value in printed.select("metric", "value").rows():
        lines = silver.filter(metric=metric)["value"]
        assert len(lines) == 27 and lines.mean() == pytest.approx(value, abs=0.006), metric


@needs_data
def test_class_behaviour_behind_an_accuracy():
    """HELMA Tables 6 + 7, 5,000 texts of each class: ChatGPT finds 37.8 % of the hallucinations in QA at
    accuracy 62.59.
    """
    rows = load_published(DATA / "published_results.csv").filter(source="helma", model="gpt-3.5-turbo")
    for task, recall, specificity in (
        ("qa", 0.378, 0.874),
        ("dialogue", 0.822, 0.626),
        ("summarization", 0.226, 0.944),
    ):
        failed = rows.filter(table="7", metric="n_failed", slice=task)["value"].item()
        accuracy = rows.filter(table="6", metric="accuracy", slice=task)["value"].item() / 100
        assert 1 - failed / 5000 == pytest.approx(recall, abs=0.001)
        assert 2 * accuracy - (1 - failed / 5000) == pytest.approx(specificity, abs=0.001)


@pytest.mark.skipif(
    not (DATA / "halueval/general.jsonl").is_file(), reason="no public HaluEval files beside this checkout"
)
def test_always_no_beats_davinci_on_the_general_set():
    """The full file has 815 hallucinated of 4,507: always-No is right in 81.9 %; the even rows must agree.
    davinci: 77.54 %.
    """
    labels = [
        json.loads(line)["hallucination"]
        for line in (DATA / "halueval/general.jsonl").read_text("utf-8").split("\n")
        if line
    ]
    lines = wilson(labels.count("no"), len(labels), confidence=0.95)
    assert lines.low < 1 - 815 / 4507 < lines.high and lines.low > 0.7754


# ---- printed figures that are counts of public files ---------------------------------------------------------
PRINTED = pl.DataFrame(
    [
        ("p", "2", "-", "spans_ENT", "de", 12.0, None),
        ("p", "2", "-", "spans_ENT", "Arabic", 10.0, None),
        ("p", "2", "-", "spans_ENT", "tr", 3.0, None),
        ("p", "2", "-", "spans_ENT", "3 languages", 25.0, None),
        ("p", "2", "-", "spans_Total", "2 languages", 27.0, None),
    ],
    schema=dict.fromkeys(COLUMNS, pl.String) | {"value": pl.Float64},
    orient="row",
)
OF_FILES = {"source": "p", "reader": "r", "table": "2", "rows": "n_rows"}
CARDS = {
    "board": (
        "r",
        {
            "n_rows_de": 4,
            "n_rows_ar": 1000,
            "n_tags-entity_de": 12,
            "n_tags-entity_ar": 9,
            "n_tags-relation_ar": 6,
        },
    ),
    "another": ("other", {"n_rows_de": 1, "n_tags-entity_de": 1}),
}


@pytest.mark.parametrize(
    ("by", "n_langs", "lines"),
    [
        (
            {"spans_ENT": "n_tags-entity"},
            3,
            [
                ("spans_ENT · de", 12, "reproduced", "counted in 4 rows of public files"),
                # (9 - 10) / 10
                (
                    "spans_ENT · Arabic",
                    9,
                    "differs",
                    "10.0 % below, counted in 1,000 rows of public files; n",
                ),
                # 12 + 9, of two languages where the figure is of three; the files hold no Turkish
                (
                    "spans_ENT · 3 languages",
                    21,
                    "cannot be checked",
                    "counted in 1,004 rows of public files, 2 languages; the figure is of 3; n",
                ),
            ],
        ),
        (
            {"spans_Total": "n_tags-"},
            2,
            [
                (
                    "spans_Total · 2 languages",
                    27,
                    "reproduced",
                    "counted in 1,004 rows of public files, 2 languages",
                )
            ],
        ),
    ],
)
def test_printed_counts_are_held_against_the_files_that_they_count(by, n_langs, lines):
    claim = FileCounts(**OF_FILES, by=by, n_langs=n_langs, note="n")
    found = list(check_counts(PRINTED, [claim], CARDS))
    assert [(line["quantity"], line["ours"], line["verdict"], line["reason"]) for line in found] == lines
    assert {line["board"] for line in found} == {"board"} and {line["source"] for line in found} == {
        "p Table 2"
    }


def test_a_figure_that_files_count_is_listed_once(tmp_path):
    PRINTED.write_csv(tmp_path / "published.csv")
    claim = FileCounts(**OF_FILES, by={"spans_ENT": "n_tags-entity"}, n_langs=3)
    lines = ledger_of([tmp_path / "published.csv"], [], {}, (), [claim], CARDS)
    assert [line["verdict"] for line in lines] == ["reproduced", "differs", *["cannot be checked"] * 3]
    assert [line["ours"] for line in lines] == [12, 9, 21, None, None]
