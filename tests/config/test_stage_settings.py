"""What a stage reads of params.yaml: what it reads moves its file, what it does not leaves it."""

from pathlib import Path

import pytest
import yaml

from truerate.config import Params
from truerate.config.stage_settings import Stage, read_by, stages

ROOT = Path(__file__).parents[2]


@pytest.fixture
def params():
    """The committed settings."""
    return yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))


def read(params) -> dict[Stage, dict]:
    p = Params.model_validate(params)
    return {stage: read_by(p, stage) for stage in stages(p)}


def moved(params, change) -> set[str]:
    """The names of the stages whose settings a change moves, with what they are of."""
    before = read(params)
    change(params)
    after = read(params)
    return {
        "/".join(filter(None, stage))
        for stage in before.keys() | after.keys()
        if before.get(stage) != after.get(stage)
    }


def test_a_stage_stands_for_each_board(params):
    assert len(list(stages(Params.model_validate(params)))) == 3 + 8 * len(params["boards"])


def test_a_family_moves_its_own_stages_and_what_shows_them(params):
    found = moved(params, lambda p: p["detectors"]["baselines"].update(folds=4))
    track_of = {name: board["track"] for name, board in params["boards"].items()}
    own = [name for name, track in track_of.items() if track in params["detectors"]["baselines"]["tracks"]]
    assert 0 < len(own) < len(track_of)
    assert found == {f"{stage}/{board}" for stage in ("train", "judge", "score") for board in own} | {"site"}


def test_a_size_moves_its_tracks_data_and_training(params):
    found = moved(params, lambda p: p["sizes"]["demo"]["mfava"].update(silver=9))
    board = "mfava-closed-world"
    assert found == {"sources", f"dataset/{board}", f"train/{board}", f"judge/{board}"}


def test_what_no_stage_reads_moves_nothing(params):
    assert not moved(
        params, lambda p: (p["llm"].update(budget_usd=5.0), p["sizes"]["full"]["mfava"].update(silver=9))
    )


def told(params) -> dict[str, dict[str, int]]:
    return read(params)[Stage("sources")]["sizes"]


def test_the_command_of_a_source_is_told_the_largest_size_of_its_boards(params):
    of_wiki = {
        f"mfava_{name}": params["sizes"]["demo"]["mfava"][name]
        for name in ("train", "held_out", "silver", "articles")
    }
    assert told(params)["closed-world-wiki"] == of_wiki
    board = params["boards"]["mfava-closed-world"]
    params["boards"]["more"] = board | {"sizes": {"silver": 99, "train": 30}}
    assert told(params)["closed-world-wiki"] == of_wiki | {"mfava_silver": 99}
    del params["boards"]["mfava-closed-world"]
    assert told(params)["closed-world-wiki"] == of_wiki | {"mfava_silver": 99, "mfava_train": 30}


def test_a_size_that_no_command_names_makes_no_source_again(params):
    """So the sizes of a new track run no source of others again."""
    assert "sources" not in moved(params, lambda p: p["sizes"]["demo"]["mfava"].update(natural=5))
    params["boards"]["halueval-closed-world"]["sizes"] = {"qa": 500}
    assert moved(params, lambda p: p["boards"]["halueval-closed-world"].pop("sizes")) >= {"sources"}


def test_a_source_that_no_board_reads_is_not_made(params):
    """It makes nothing again; one that a track's settings name is read beside the board's own."""
    source = {"reader": "wikipedia", "path": "inputs/wiki"}
    assert "sources" not in moved(params, lambda p: p["sources"].update(wiki=source))
    params["tracks"]["halueval"]["knowledge_source"] = "wiki"
    assert "wiki" in Params(**params).used_sources()
    assert moved(params, lambda p: p["sources"]["wiki"].update(path="inputs/other")) >= {"sources"}
