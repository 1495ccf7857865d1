"""A stage that reads a setting which is not listed for it fails, as long as the tests run."""

from pathlib import Path

import pytest

from truerate.config import load_params
from truerate.config.layout import Layout
from truerate.config.only_listed import STRICT, UnlistedRead, only_listed
from truerate.config.stage_settings import Stage
from truerate.pipeline.guard import handed

ROOT = Path(__file__).parents[2]
BOARD, OTHER = "halueval-closed-world", "mfava-closed-world"
P = load_params(ROOT / "params.yaml")


def test_what_is_listed_is_read_as_ever():
    p = only_listed(P, Stage("dataset", BOARD))
    assert p.track(BOARD) == P.track(BOARD) and p.size_of(BOARD) == P.size_of(BOARD)
    assert (p.seed, p.llm.prompts_dir, p.paths.build) == (P.seed, P.llm.prompts_dir, P.paths.build)
    assert p.models_on(BOARD, ["aster", None]) == ("aster",) and p.board(BOARD) == P.board(BOARD)
    assert p.llm.max_attempts == P.llm.max_attempts  # it decides no row


@pytest.mark.parametrize(
    "read",
    [
        lambda p: p.statistics,
        lambda p: p.track(OTHER),
        lambda p: p.board(OTHER),
        lambda p: p.size["mfava"],
        lambda p: p.sizes["full"],
        lambda p: list(p.boards),
        lambda p: OTHER in p.boards,
        lambda p: p.values,
    ],
)
def test_what_is_not_listed_is_an_error(read):
    with pytest.raises(UnlistedRead, match="stage 'dataset@halueval-closed-world' reads"):
        read(only_listed(P, Stage("dataset", BOARD)))


def test_only_tests_pay_for_it(monkeypatch):
    at = Layout(P)
    assert handed(at, Stage("audit", BOARD)).p is not P
    monkeypatch.delenv(STRICT)
    assert handed(at, Stage("audit", BOARD)) is at
