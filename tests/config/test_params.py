"""params.yaml: every mistake ends in one line that names what is allowed."""

from pathlib import Path

import pytest
import yaml

from tests.cases import cases
from truerate.config import load_params
from truerate.core.errors import SettingsError

ROOT = Path(__file__).parents[2]


def edited(tmp_path: Path, change) -> Path:
    params = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
    change(params)
    path = tmp_path / "params.yaml"
    path.write_text(yaml.safe_dump(params), "utf-8")
    return path


@pytest.mark.parametrize(
    ("written", "read"), [("yes", "yes"), ("no", "no"), ("'yes'", "yes"), ("ids-only", "ids-only")]
)
def test_rights_are_read_as_they_are_written_though_yaml_takes_yes_for_true(tmp_path, written, read):
    rights = yaml.safe_load(f"{{licence: CC BY 4.0, redistribution: {written}}}")
    found = load_params(edited(tmp_path, lambda p: p["sources"]["closed-world"].update(rights=rights)))
    assert found.source("closed-world").rights.redistribution == read
    told = {"licence": "CC BY 4.0", "redistribution": read}
    assert found.values["sources"]["closed-world"]["rights"].items() >= told.items()


@cases(Path(__file__).with_name("mistakes.yaml"), "allowed", "parts")
def test_mistake_is_named_with_what_is_allowed(tmp_path, change, parts):
    with pytest.raises(SettingsError) as caught:
        load_params(edited(tmp_path, change))
    assert all(part in str(caught.value) for part in parts), caught.value
    assert "\n" not in str(caught.value)


def test_simulated_models_never_stand_on_real_data(tmp_path):
    def change(p):
        p["sources"]["real"] = {"reader": "halueval", "path": "x"}
        p["boards"]["real"] = {"track": "halueval", "source": "real"}

    p = load_params(edited(tmp_path, change))
    assert p.models_on("real", ["aster", None, "birch"]) == ()
    assert p.models_on("halueval-closed-world", ["aster", None, "birch"]) == ("aster", "birch")


def test_committed_params_hold_and_have_closed_world_boards_only():
    p = load_params(ROOT / "params.yaml")
    assert p.boards and all(p.source(board.source).is_simulated for board in p.boards.values())
