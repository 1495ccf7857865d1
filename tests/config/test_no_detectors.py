"""A board without detectors: none judges it or learns on it, and its stages know."""

from pathlib import Path

import pytest
import yaml

from truerate.config.layout import Layout
from truerate.config.stage_settings import Stage, read_by

ROOT = Path(__file__).parents[2]
BOARD = "halueval-closed-world"


@pytest.fixture
def params(tmp_path, monkeypatch):
    """The committed settings, with `has_detectors` of a board as given."""
    monkeypatch.chdir(ROOT)

    def load(value=None):
        text = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
        if value is not None:
            text["boards"][BOARD]["has_detectors"] = value
        (tmp_path / "params.yaml").write_text(yaml.safe_dump(text), "utf-8")
        return Layout.load(str(tmp_path / "params.yaml")).p

    return load


def test_no_family_judges_such_a_board_and_none_learns_on_it(params):
    with_them, without = params(), params(False)
    assert "baselines" in with_them.families(BOARD) and without.families(BOARD) == () == without.fitted(BOARD)
    others = [name for name in with_them.boards if name != BOARD]
    assert [without.families(name) for name in others] == [with_them.families(name) for name in others]


def test_its_audit_is_made_again_and_a_board_that_has_them_says_nothing_of_it(params):
    usual, said, without = (read_by(params(value), Stage("audit", BOARD)) for value in (None, True, False))
    assert usual == said != without
