"""Waits: told when they are long, and never for ever."""

import time

import pytest

from llm.asked import asking
from truerate.core.errors import TruerateError
from truerate.llm.ask import ask
from truerate.llm.store.responses import Store
from truerate.llm.transport import progress, rate_limit


@pytest.fixture
def soon(monkeypatch):
    """A wait is long after a tenth of a second."""
    monkeypatch.setattr(progress, "LONG_S", 0.1)


def test_what_is_under_way_is_told(at, soon, capsys):
    ask([asking("[[slow 0.4]]")], at(), label="x")
    assert "endpoint 'stub': no answer for 0 s: 1 under way at http://127.0.0.1:" in capsys.readouterr().err


def test_a_pause_is_told(at, soon, capsys):
    ask([asking("[[429 x1 0.5]]")], at(), label="x")
    assert "it asked to wait, " in capsys.readouterr().err


def test_a_short_run_says_nothing(at, capsys):
    ask([asking("x")], at(), label="x")
    assert "no answer" not in capsys.readouterr().err


@pytest.mark.parametrize("column", ["next_at", "paused_until"])
def test_a_moment_in_the_far_future_was_written_by_another_clock(at, stub, column):
    layout = at(endpoint={"rpm": 6000})
    row = {"next_at": 0.0, "paused_until": 0.0, column: time.time() + 10 * rate_limit.LONGEST_S}
    with Store(layout.store) as store:
        store.write(
            lambda link: link.execute(
                "INSERT INTO pace VALUES ('stub', ?, ?)", [row["next_at"], row["paused_until"]]
            )
        )
    since = time.monotonic()
    assert ask([asking("x")], layout, label="x")[0].status == "ok"
    assert time.monotonic() - since < 5


def test_a_fault_that_asks_for_hours_ends_the_run(at):
    with pytest.raises(TruerateError, match="asks to wait 7,200 s"):
        ask([asking("[[503-later 7200]]")], at(), label="x")
