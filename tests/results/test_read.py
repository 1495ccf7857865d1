"""results/ is read as its format says, and each break of it is one line."""

import json
from pathlib import Path

import polars as pl
import pytest
from tiny_results import CARD, HEADER, HOSTILE, outcomes, write_results

from truerate.core.errors import SourceError
from truerate.results.read import read_board, real_boards, tables_of

ROOT = Path(__file__).parents[2]


def test_no_folder_is_no_board(tmp_path):
    assert real_boards(tmp_path / "results") == ()


def test_a_board_is_read_with_its_ranks_and_what_would_tell_neighbours_apart(tmp_path):
    write_results(tmp_path)
    (tmp_path / "README.md").write_text("about results", "utf-8")
    (board,) = real_boards(tmp_path)
    assert [score.subject for score in board.ranked] == ["alpha", "beta", "gamma", HOSTILE]
    assert [score.rank for score in board.ranked] == ["1–3", "1–3", "1–4", "4"]
    # alpha and beta differ on 1 of 4 units, at 5 % / 6 pairs: z .995833 + z .8 = 2.638257 + .841621, squared
    # 12.10955; 4 · 12.10955 = 48.4: 49 units, 45 more
    assert board.more_units["alpha", "beta"] == 45
    assert board.spans_scale(board.ranked[2])
    assert not board.spans_scale(board.ranked[1])


def test_a_measure_of_one_slice_alone_stands_beside_the_score(tmp_path):
    path = write_results(tmp_path, headline=CARD["headline"] | {"slice": "estimator=raw"})
    scores = (path / "scores.csv").read_text("utf-8")
    scores = scores.replace("model,,", "model,estimator=raw,").replace(
        "model,task=", "model,estimator=raw;task="
    )
    lines = [
        score.replace("estimator=raw", "rule=measured") if score.startswith("responding") else score
        for score in scores.splitlines()
    ]
    (path / "scores.csv").write_text("\n".join(lines) + "\n", "utf-8")
    (board,) = real_boards(tmp_path)
    assert {name: score.value for name, score in board.overall("responding_rate").items()} == {
        "alpha": 0.5,
        "beta": 1.0,
    }
    assert [score.slice for score in board.scores if score.metric == "made_up_rate"].count(
        (("task", "qa"),)
    ) == 2


def card(**fields):
    return lambda path: (path / "card.json").write_text(json.dumps(CARD | fields), "utf-8")


def line(text):
    return lambda path: (path / "scores.csv").write_text(f"{HEADER}\n{text}\n", "utf-8")


def rows(table):
    return lambda path: table.write_parquet(path / "rows.parquet")


GOOD = "made_up_rate,alpha,model,,0.1,0,0.2,4,1,1,aa"


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda path: (path / "rows.parquet").unlink(), "no file 'rows.parquet'"),
        (lambda path: (path / "card.json").write_text("{", "utf-8"), "its JSON"),
        (lambda path: (path / "card.json").write_text("[]", "utf-8"), "its JSON"),
        (lambda path: (path / "scores.csv").write_bytes(b"\xff\xfe"), "other columns"),
        (lambda path: (path / "rows.parquet").write_bytes(b"PAR1"), "no table of units"),
        (card(board="other"), "is of board 'other'"),
        (card(title=7), "title"),
        (card(title="x" * 1_000_000), "at most 300 characters"),
        (card(n_units=-1), "n_units"),
        (card(caveats="few"), "caveats"),
        (card(set=CARD["set"] | {"url": "javascript:alert(1)"}), "set.url"),
        (card(headline=CARD["headline"] | {"direction": "left"}), "headline.direction"),
        (card(headline=CARD["headline"] | {"metric": "none"}), "has no record"),
        (card(set={}), "set.name"),
        (line(GOOD.replace(",0.1,", ",nan,")), "no number"),
        (line(GOOD.replace(",4,", ",four,")), "could not parse"),
        (line(GOOD.replace(",1,1,", ",2,1,")), "rank range"),
        (line(GOOD.replace("model", "robot")), "allowed"),
        (line(GOOD.replace("model,,", "model,task,")), "key=value"),
        (line(GOOD.replace(",0,0.2", ",0.3,0.2")), "above the high one"),
        (line(f"{GOOD}\n{GOOD}"), "twice"),
        (line("made_up_rate,alpha"), "no number"),
        (rows(outcomes().drop("value")), "no table of units"),
        (rows(outcomes().with_columns(pl.lit(float("nan")).alias("value"))), "no number"),
        (rows(pl.concat([outcomes(), outcomes()])), "a unit twice"),
        (rows(outcomes({"nobody": [1, 0]})), "has no score"),
    ],
)
def test_what_breaks_the_format_is_one_line(tmp_path, spoil, message):
    path = write_results(tmp_path)
    spoil(path)
    with pytest.raises(SourceError) as caught:
        real_boards(tmp_path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 700


def test_a_folder_by_a_strange_name_is_refused(tmp_path):
    write_results(tmp_path, "Judged board")
    with pytest.raises(SourceError, match="board"):
        real_boards(tmp_path)


def test_each_metric_is_over_everything_in_the_slice_that_its_others_are_parts_of():
    """FActScore's share that responds has a rule of its own, and stands by rarity and region, too."""
    board = read_board(ROOT / "results" / "factscore")
    assert set(board.overall("responding_rate")) == {"ChatGPT", "InstructGPT", "PerplexityAI"}
    assert {"rarity", "region"} <= {key for score in board.scores for key, _ in score.slice}
    assert board.n_labels == 17_632
    # as the track's words list them, where each has one; else as they come
    assert board.slice_keys["rarity"] == ["very rare", "rare", "medium", "freq", "very freq"]
    assert board.slice_keys["region"][0] == "Asia/Pacific"


def test_the_tables_of_a_board_are_its_rows_and_its_labels_where_it_has_any(tmp_path):
    path = write_results(tmp_path)
    assert tables_of("judged", tmp_path) == {"judged-rows.parquet": path / "rows.parquet"}
    (path / "labels.parquet").touch()
    assert set(tables_of("judged", tmp_path)) == {"judged-rows.parquet", "judged-labels.parquet"}
