"""Errata of boards of public files: found by the board's name, refused where no board takes them."""

from pathlib import Path

import pytest

from truerate.config.layout import Layout
from truerate.core.errors import SettingsError
from truerate.results.work_folder import with_errata

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def at():
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        return Layout.load("params.yaml")


def test_a_board_has_the_errata_of_its_name_and_others_have_none(at, tmp_path):
    (tmp_path / "evouna.csv").write_text("", "utf-8")
    found = with_errata(at, {"evouna": {}, "faithbench": {}}, tmp_path)
    assert found == {"evouna": {"errata": str(tmp_path / "evouna.csv")}, "faithbench": {"errata": None}}


def test_no_folder_of_errata_is_no_fault(at, tmp_path):
    assert with_errata(at, {"evouna": {}}, tmp_path / "absent") == {"evouna": {"errata": None}}


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("evuona", r"there is no board 'evuona'; did you mean 'evouna'\?; boards: "),
        (
            "xsum-hallucinations",
            r"labels of board 'xsum-hallucinations' cannot be corrected here; allowed: .*evouna",
        ),
    ],
)
def test_errata_that_no_board_takes_are_refused_before_anything_is_built(name, told, at, tmp_path):
    (tmp_path / f"{name}.csv").write_text("", "utf-8")
    with pytest.raises(SettingsError, match=told):
        with_errata(at, {"evouna": {}}, tmp_path)
