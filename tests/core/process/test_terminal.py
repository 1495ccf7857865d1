"""Lines about waits."""

import threading

from truerate.core.process import terminal


def test_only_a_long_wait_of_known_length_is_told(capsys):
    terminal.say_wait(terminal.LONG_S, "short")
    terminal.say_wait(12.4, "endpoint 'e' asked for it")
    assert capsys.readouterr().err == "truerate: waiting 12 s: endpoint 'e' asked for it\n"


def test_a_wait_of_unknown_length_is_told_once_it_is_long(capsys, monkeypatch):
    monkeypatch.setattr(terminal, "LONG_S", 0.0)
    was_said = threading.Event()
    monkeypatch.setattr(terminal, "say", lambda line: (print(line), was_said.set()))
    with terminal.announced_wait("a lock"):
        assert was_said.wait(10)
    assert capsys.readouterr().out == "still waiting: a lock\n"


def test_a_wait_that_ends_soon_says_nothing(capsys):
    with terminal.announced_wait("a lock"):
        pass
    assert capsys.readouterr().err == ""
