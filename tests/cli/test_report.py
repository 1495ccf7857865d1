"""What the terminal shows of built tables."""

import gzip
import json
import threading
import urllib.request
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

from truerate.cli import main, report
from truerate.config.layout import Layout
from truerate.core.schemas import Row, Score, frame, pairs, save

BOARD = "halueval-closed-world"
ROW = {
    "board": BOARD,
    "table": "recognition",
    "subject": "aster",
    "kind": "model",
    "metric": "accuracy",
    "slice": pairs(task="qa", variant="plain"),
    "rank_low": 1,
    "rank_high": 2,
    "is_leading": True,
    "value": 0.875,
    "low": 0.8,
    "high": None,
    "n": 160,
    "provenance": "0123456789ab",
}
SHARED = ("board", "metric", "subject", "slice", "value", "low", "high", "n")
SCORE = {key: ROW[key] for key in SHARED} | {"method": "estimator", "inputs": "x"}


@pytest.fixture
def at(tmp_path, monkeypatch):
    """A folder with the committed settings and nothing built."""
    text = Path(__file__).parents[2].joinpath("params.yaml").read_text("utf-8")
    (tmp_path / "params.yaml").write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    return Layout.load()


def test_before_a_build_every_command_says_what_to_run(at, capfd):
    for command in (["board", BOARD], ["audit", BOARD], ["plan"], ["where"], ["serve"]):
        assert main(command) == 2, command
        said = capfd.readouterr()
        assert "dvc repro" in said.err and said.err.count("\n") == 1 and not said.out
    assert main(["boards"]) == 0 and main(["sources"]) == 0
    assert "not built" in capfd.readouterr().out


def test_boards_name_who_may_be_first(at, capfd):
    save(Row, frame(Row, [ROW, ROW | {"subject": "elm", "is_leading": False}]), at.leaderboard("rows"))
    assert main(["boards", "--json"]) == 0
    assert json.loads(capfd.readouterr().out)[0]["leads"] == "qa: aster"


def test_a_board_is_shown_with_rank_ranges_and_dashes_for_what_is_missing(at, capfd):
    save(Row, frame(Row, [ROW]), at.leaderboard("rows"))
    report.show_board(at, BOARD, as_json=False)
    line = capfd.readouterr().out.splitlines()[1].split()
    assert line[:6] == ["recognition", "aster", "model", "accuracy", "task=qa", "variant=plain"]
    assert line[6:] == ["1–2", "0.875", "0.800", "–", "160", "up"]


def test_an_audit_is_shown_worst_first(at, capfd):
    shown = [
        SCORE | {"metric": "shortcut_pairwise", "subject": name, "value": value}
        for name, value in (("words", 0.6), ("overlap", 0.9))
    ]
    save(Score, frame(Score, shown), at.audit(BOARD))
    assert main(["audit", BOARD, "--json"]) == 0
    assert [row["subject"] for row in json.loads(capfd.readouterr().out)] == ["overlap", "words"]


def test_a_port_out_of_range_is_one_line(at, capfd):
    page = at.p.paths.site + "/index.html"
    Path(page).parent.mkdir(parents=True)
    Path(page).write_text("x")
    assert main(["serve", "--port", "99999"]) == 2
    assert "choose another with --port" in capfd.readouterr().err


def test_doctor_never_shows_a_key(at, monkeypatch, capfd):
    monkeypatch.setenv("SECRET_KEY_OF_MINE", "sk-do-not-show")
    params = at.p.model_dump(mode="json")
    params["endpoints"]["mine"] = {"base_url": "http://127.0.0.1:9/v1", "api_key_env": "SECRET_KEY_OF_MINE"}
    Path("params.yaml").write_text(json.dumps(params), "utf-8")
    assert main(["doctor", "--json"]) == 0
    shown = capfd.readouterr().out
    found = {(row["kind"], row["name"]): row["state"] for row in json.loads(shown)}
    assert "sk-do-not-show" not in shown
    assert found["key", "SECRET_KEY_OF_MINE"] == "ok" and found["endpoint", "mine"] == "missing"


def test_who_never_answered_is_told_in_place_of_a_rank(at, capfd):
    empty = {"rank_low": None, "rank_high": None, "value": None, "low": None}
    silent = [
        ROW | empty | {"subject": "nobody"},
        ROW | empty | {"subject": "nobody", "metric": "no_answers", "value": 160.0},
    ]
    other = (
        ROW
        | empty
        | {"subject": "nobody", "metric": "precision", "slice": pairs(task="dialogue", variant="plain")}
    )  # another task
    save(Row, frame(Row, [ROW, *silent, other]), at.leaderboard("rows"))
    assert main(["board", BOARD, "--json"]) == 0
    shown = {(row["subject"], row["metric"]): row["ranks"] for row in json.loads(capfd.readouterr().out)}
    assert shown == {("aster", "accuracy"): "1–2", ("nobody", "accuracy"): "no answers"} | {
        ("nobody", "no_answers"): None,
        ("nobody", "precision"): None,
    }
    assert main(["board", BOARD]) == 0
    assert "no answers" in capfd.readouterr().out
    assert main(["board", BOARD, "--table", "recognition", "--json"]) == 0
    assert {row["table"] for row in json.loads(capfd.readouterr().out)} == {"recognition"}
    assert main(["board", BOARD, "--table", "none"]) == 2
    assert "no table 'none'; its tables: recognition" in capfd.readouterr().err


def test_text_is_served_compressed_to_who_takes_it(tmp_path):
    (tmp_path / "page.html").write_text("<p>" + "a figure " * 1000, "utf-8")
    (tmp_path / "rows.parquet").write_bytes(b"PAR1" * 100)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(report.Compressed, directory=str(tmp_path))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()

        def fetched(name: str, **headers: str) -> tuple[str | None, bytes]:
            request = urllib.request.Request(f"http://127.0.0.1:{server.server_port}/{name}", headers=headers)
            with urllib.request.urlopen(request) as reply:
                return reply.headers["Content-Encoding"], reply.read()

        takes = {"Accept-Encoding": "gzip, br"}
        encoding, packed = fetched("page.html", **takes)
        assert encoding == "gzip" and len(packed) < 200
        assert gzip.decompress(packed) == (tmp_path / "page.html").read_bytes() == fetched("page.html")[1]
        assert fetched("rows.parquet", **takes) == (None, b"PAR1" * 100)
        server.shutdown()
