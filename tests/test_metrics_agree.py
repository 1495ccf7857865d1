"""Site, terminal, Hub card and CSV say the same of every metric of every declared board."""

import csv
import html
import io
import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

from tests.records import SHARED, card
from truerate.cli import report
from truerate.config.layout import Layout
from truerate.core.errors import TruerateError
from truerate.core.metric import Metric
from truerate.core.schemas import Outcome, Row, Score, frame, save
from truerate.hub.card import metric_rows
from truerate.leaderboard.rows import rows
from truerate.pipeline import tracks
from truerate.site import Board, Tables, render_site

AT = Layout.load("params.yaml")
SAID = ("label", "table", "direction", "definition")


def score(board, metric):
    known = {"board": board, "metric": metric, "subject": "aster", "slice": [], "value": 0.5, "low": None}
    return known | {"high": None, "method": "estimator", "n": 10, "inputs": "x"}


def site_of(board, records, shared=SHARED):
    """The pages of a board that has one score of each metric, as the leaderboard gives them."""
    all_records = records | {one.name: one for one in shared}
    scores = frame(Score, [score(board, name) for name in all_records])
    table = rows(board, scores, frame(Outcome), AT.p.statistics, 7, {"aster": "model"}, all_records)
    track = AT.p.board(board).track
    told = Board(
        board,
        track,
        "x",
        "A board",
        track_card=card(track),
        metrics=tuple(records.values()),
        shared_metrics=shared,
    )
    return render_site(Tables("Boards", (told,), {}, table)), table


@pytest.mark.parametrize("board", AT.p.boards)
def test_site_terminal_hub_and_csv_agree(board, capsys):
    records = tracks.records_of(AT, board)
    wanted = {name: tuple(getattr(one, part) for part in SAID) for name, one in records.items()}
    report.show_metrics(AT, board, as_json=True)
    assert by_name(json.loads(capsys.readouterr().out)) == wanted
    scores = frame(Score, [score(board, name) for name in records])
    facts = SimpleNamespace(metrics=records, scores=scores, audit=frame(Score))
    assert by_name(metric_rows(facts)) == wanted
    pages, table = site_of(board, {one.name: one for one in tracks.metrics_of(AT, board)})
    assert by_name(csv.DictReader(io.StringIO(pages[f"boards/{board}-metrics.csv"]))) == wanted
    assert by_name(json.loads(pages[f"boards/{board}.json"])["metrics"]) == wanted
    for line in csv.DictReader(io.StringIO(pages[f"boards/{board}.csv"])):
        assert (line["label"], line["table"], line["direction"]) == wanted[line["metric"]][:3]
    assert set(table["metric"]) == set(records)


def by_name(lines):
    return {line["name"]: tuple(line[part] for part in SAID) for line in lines}


def test_the_methods_page_tells_of_each_metric_under_its_track():
    board = next(iter(AT.p.boards))
    records = {one.name: one for one in tracks.metrics_of(AT, board)}
    pages, _ = site_of(board, records)
    for one in records.values():
        anchor = f"measure-{AT.p.board(board).track}-{one.name}".replace("_", "-")
        assert f'id="{anchor}"' in pages[f"methods-{AT.p.board(board).track}.md"], one.name
    assert 'id="measure-shortcut-auroc"' in pages["methods-all-boards.md"]


def test_a_metric_of_later_is_one_record():
    """Nothing else names it: it has its row, its table on the page, its line in each CSV and on Methods."""
    board = next(iter(AT.p.boards))
    track = AT.p.board(board).track
    late = Metric("late_rate", "Comes late", "Share of what comes late.", "lateness", direction="down")
    own = {one.name: one for one in tracks.metrics_of(AT, board)}
    pages, table = site_of(board, own | {"late_rate": late})
    assert table.filter(metric="late_rate").select("table", "value").rows() == [("lateness", 0.5)]
    page = html.unescape(pages[f"boards/{board}.md"])
    assert (
        "Lateness: comes late" in page and f"#measure-{track}-late-rate" in page and "less is better" in page
    )
    assert "Share of what comes late." in html.unescape(pages[f"methods-{track}.md"])


def test_two_records_of_one_name_are_refused(monkeypatch):
    board = next(iter(AT.p.boards))
    first = tracks.metrics_of(AT, board)[0]
    monkeypatch.setattr(tracks, "SHARED", (*SHARED, replace(first)))
    with pytest.raises(TruerateError, match=f"two records of metric '{first.name}'; keep one"):
        tracks.records_of(AT, board)


def test_the_terminal_says_which_way_is_better(tmp_path, monkeypatch, capsys):
    board = next(iter(AT.p.boards))
    _, table = site_of(board, {one.name: one for one in tracks.metrics_of(AT, board)})
    monkeypatch.setattr(Layout, "leaderboard", lambda at, name="": str(tmp_path / "rows.parquet"))
    save(Row, table, str(tmp_path / "rows.parquet"))
    report.show_board(AT, board, as_json=True)
    told = {line["metric"]: line["better"] for line in json.loads(capsys.readouterr().out)}
    assert told == {name: one.direction or None for name, one in tracks.records_of(AT, board).items()}
