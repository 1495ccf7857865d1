"""Steps that dvc.yaml of the release before named: they go on working, with a line that says what is new."""

import pytest

from truerate.cli import main


@pytest.mark.parametrize("name", ["train", "judge"])
def test_a_family_before_the_board_is_taken_with_a_line(monkeypatch, capsys, name):
    assert main([name, "baselines", "no-such-board"]) == 2
    first, last = capsys.readouterr().err.splitlines()
    assert "takes a board alone" in first and "'baselines'" in first
    assert "board 'no-such-board' is not declared in params.yaml" in last


def test_prune_says_that_the_next_stage_does_it(capsys):
    assert main(["prune", "judgements", "x"]) == 0 and main(["prune", "boards"]) == 0
    assert capsys.readouterr().err.count("the next release refuses it") == 2
