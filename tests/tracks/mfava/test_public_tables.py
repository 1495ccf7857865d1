"""README tables of boards whose detectors mark tokens, from scores and counts as the flow writes them."""

import polars as pl

from truerate.core.schemas import Sample, Score, frame, pairs, sample_row
from truerate.tracks.mfava.published import (
    character_table,
    detection_table,
    malformed_table,
    public_tables,
    text_table,
)


def score(metric, subject, value, low=None, high=None, **where):
    row = {"board": "b", "method": "estimator", "n": 3, "inputs": "x", "metric": metric, "subject": subject}
    return row | {"slice": pairs(**where), "value": value, "low": low, "high": high}


GOLD = {"against": "gold", "labels": "binary", "scope": "multi"}
NATURAL = GOLD | {"against": "natural"}
SCORES = [
    score("token_precision", "token-lr", 0.5, 0.4, 0.6, lang="de", **GOLD),
    score("token_recall", "token-lr", 0.25, lang="de", **GOLD),
    score("token_f1", "token-lr", 1 / 3, 0.3, 0.4, lang="de", **GOLD),
    score("token_auroc", "token-lr", 0.7, 0.65, 0.75, lang="de", **GOLD),
    score("token_f1", "token-lr", 0.4, lang="all", **GOLD),
    score("token_f1", "token-lr", 0.9, lang="de", **GOLD | {"against": "silver"}),
    score("token_f1", "token-lr", 0.9, lang="de", type="entity", **GOLD),
    score("token_f1", "mark-none", None, lang="de", **GOLD),
    score("iou", "token-lr", 0.3, 0.2, 0.4, lang="sv", **NATURAL),
    score("iou", "mark-none", 0.1, lang="sv", **NATURAL),
    score("iou", "mark-all", 0.5, lang="zh", **NATURAL),
    score("iou", "mark-all", 0.4, lang="all", **NATURAL),
]


def test_detection_is_against_gold_without_types_and_the_mean_stands_last():
    measured = ("0.500 (0.400–0.600)", "0.250", "0.333 (0.300–0.400)", "0.700 (0.650–0.750)")
    assert detection_table(frame(Score, SCORES)).rows() == [
        ("de", "mark-none", "multi", "binary", None, None, "–", None),
        ("de", "token-lr", "multi", "binary", *measured),
        ("all", "token-lr", "multi", "binary", None, None, "0.400", None),
    ]


def test_a_line_per_language_with_the_rules_first_and_how_many_answers_have_a_page():
    expected = [
        ("sv", None, "0.100", "0.300 (0.200–0.400)"),
        ("zh", "0.500", None, None),
        ("all", "0.400", None, None),
    ]
    table = character_table(frame(Score, SCORES), "iou")
    assert table.columns == ["lang", "mark-all", "mark-none", "token-lr"] and table.rows() == expected
    counts = {"n_answers_sv": 4, "n_answers_with_page_sv": 3, "n_answers_zh": 5}
    counts |= {"n_answers_with_page_zh": 0, "n_items": 9}
    table = character_table(frame(Score, SCORES), "iou", counts)
    assert table["with page"].to_list() == ["3 of 4", "0 of 5", "3 of 9"]


def test_runs_of_one_detector_stand_apart():
    runs = [score("iou", "tiny", 0.1, lang="sv", labels="binary", scope=scope) for scope in ("multi", "mono")]
    table = character_table(frame(Score, runs), "iou")
    assert table.columns == ["lang", "tiny mono binary", "tiny multi binary"]


def test_malformed_rows_are_counted_by_language_and_reason():
    counts = {"n_items": 4, "n_gold_rows_de": 8, "n_gold_clean_de": 6, "n_gold_unknown-type_de": 2}
    counts |= {"n_silver_rows_ar": 3, "n_gold_repeated_de": 1}
    rows = [("gold", "de", 8, 6, "25.0 %", 0, 0, 2, 0), ("silver", "ar", 3, 0, "100.0 %", 0, 0, 0, 0)]
    assert malformed_table(counts).rows() == rows


def test_texts_are_counted_by_task_labels_and_language():
    base = {"item_id": "i", "group_id": "g", "task": "silver", "text": "ab", "split": "train"}
    base |= {"label_source": "gold"}
    marked = {"is_hallucinated": True, "spans": [{"start": 0, "end": 1, "type": "entity", "p": None}]}
    plain = {"is_hallucinated": False, "spans": []}
    rows = [
        sample_row(**base, sample_id=str(n), lang="de", attributes=[], **(marked if n > 1 else plain))
        for n in range(4)
    ]
    assert text_table(frame(Sample, rows)).rows() == [("silver", "de", "gold", 4, "50.0 %", 2)]


def test_nothing_measured_gives_tables_without_rows():
    tables = dict(public_tables(frame(Sample), frame(Score), {"counts": {"n_items": 0}}))
    assert len(tables) == 7
    assert all(isinstance(table, pl.DataFrame) and table.is_empty() for table in tables.values())
