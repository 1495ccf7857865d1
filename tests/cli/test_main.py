"""The entry point: a command of its own process is sparing with the search for garbage, a call is not."""

import atexit
import gc

import pytest

from truerate.cli import main


@pytest.fixture
def threshold():
    """The threshold at which Python looks for garbage, put back after the test."""
    before = gc.get_threshold()
    yield before
    gc.set_threshold(*before)


def test_a_command_of_its_own_process_looks_seldom_for_garbage(monkeypatch, tmp_path, threshold, capsys):
    """Whether `truerate` or `python -m truerate` starts it: both call `main` without arguments."""
    monkeypatch.setattr(atexit, "register", lambda *_: None)  # or the tests' own process would end at once
    monkeypatch.setattr("sys.argv", ["truerate", "mend"])
    monkeypatch.chdir(tmp_path)
    assert (main(), capsys.readouterr().out) == (0, "nothing to mend\n")
    assert gc.get_threshold()[0] > threshold[0]


def test_a_call_leaves_the_process_of_its_caller_as_it_is(monkeypatch, tmp_path, threshold):
    monkeypatch.chdir(tmp_path)
    assert (main(["mend"]), gc.get_threshold()) == (0, threshold)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["bord"], "truerate: argument COMMAND: 'bord' is unknown; did you mean 'board'?; allowed: "),
        (["rate"], "truerate rate: the following arguments are required: FILE"),
        (["llm", "stat"], "truerate llm: argument WHAT: 'stat' is unknown; did you mean 'stats'?; allowed: "),
        (["rate", "a.csv", "--fail-above", "x"], "truerate rate: argument --fail-above: invalid float value"),
    ],
)
def test_a_mistake_on_the_command_line_is_one_line(words, line, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(words)
    told = capsys.readouterr().err
    assert stopped.value.code == 2 and told.startswith(line) and told.count("\n") == 1
