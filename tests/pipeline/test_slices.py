"""What of params.yaml and dvc.lock goes out with one board: all that its stages read, and nothing of another."""

import re
from pathlib import Path

import pytest
import yaml

from truerate.config import Params, load_params
from truerate.config.stage_settings import Stage, read_by, stages
from truerate.core.errors import TruerateError
from truerate.pipeline.publishing.slices import own_lock, own_settings

ROOT = Path(__file__).parents[2]
P = load_params(ROOT / "params.yaml")
REGISTERS = (
    "sources",
    "boards",
    "endpoints",
    "models",
    "detectors",
    "backbones",
)  # of which a slice holds the board's own entries


def loaded(tmp_path, text: str) -> Params:
    (tmp_path / "params.yaml").write_text(text, "utf-8")
    return load_params(tmp_path / "params.yaml")


def edited(tmp_path, change) -> Params:
    values = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
    change(values)
    return loaded(tmp_path, yaml.safe_dump(values, sort_keys=False))


def with_another(values: dict) -> None:
    """A board of another user of this checkout, on another track, with a source, an endpoint and a model of
    its own.
    """
    values["sources"]["hidden-source"] = {"reader": "halueval", "path": "inputs/hidden-folder"}
    values["boards"]["hidden-board"] = {
        "track": "halueval",
        "source": "hidden-source",
        "title": "Hidden title",
    }
    values["endpoints"]["hidden-endpoint"] = {
        "base_url": "http://hidden-host.internal:8000/v1",
        "api_key_env": "HIDDEN_KEY",
    }
    values["models"]["hidden-model"] = {"endpoint": "hidden-endpoint", "model": "hidden/weights"}
    values["tracks"]["halueval"]["subjects"].append("hidden-model")
    values["backbones"]["hidden-network"] = dict(values["backbones"]["tiny-plain"])
    values["public_data"]["hidden-data"] = {"track": "halueval", "reader": "halueval", "folder": "hidden"}
    values["hub"]["allow_emails"] = ["hidden@example.com"]
    values["hub"]["allow_paths"] = ["/hidden/*"]
    values["llm"]["budget_usd"] = 4321.5
    values["site"]["title"] = "Hidden site"


# ---- settings ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("board", P.boards)
def test_a_slice_is_a_params_file_from_which_the_stages_of_the_board_read_the_same(tmp_path, board):
    own = loaded(tmp_path, own_settings(P, board))
    assert list(own.boards) == [board] and list(own.sources) == [P.board(board).source]
    assert own.track(board) == P.track(board) and own.size_of(board) == P.size_of(board)
    assert own.families(board) == P.families(board)
    for stage in [one for one in stages(P) if one.board == board]:
        there, here = read_by(P, stage), read_by(own, stage)
        for place, value in here.items():
            register, _, name = place.partition(".")
            if register in REGISTERS and not name:
                assert value.items() <= there[place].items() or register == "detectors", (stage, place)
            elif register != "detectors":
                assert value == there[place], (stage, place)
    for family in P.families(board):
        track = P.board(board).track
        assert own.detectors[family].members_on(track) == P.detectors[family].members_on(track)


@pytest.mark.parametrize("board", P.boards)
def test_a_slice_says_nothing_of_other_boards(board):
    said = own_settings(P, board)
    other = {name: one for name, one in P.boards.items() if name != board}
    names = {*other, *(one.source for one in other.values()), *(one.title for one in other.values())}
    tracks = {one.track for one in other.values()}
    assert not [name for name in names if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", said)]
    assert not tracks & {*yaml.safe_load(said)["tracks"], *yaml.safe_load(said)["sizes"]["demo"]}


@pytest.mark.parametrize("board", ["mfava-closed-world", "wildhallucinations-closed-world"])
def test_another_board_changes_no_byte(tmp_path, board):
    said = own_settings(edited(tmp_path, with_another), board)
    assert said == own_settings(P, board) and "idden" not in said


def test_a_model_that_joins_the_board_s_own_track_is_in_it(tmp_path):
    said = own_settings(edited(tmp_path, with_another), "halueval-closed-world")
    assert (
        "hidden-model" in said
        and "hidden-host" in said
        and "hidden-source" not in said
        and "hidden@example.com" not in said
    )


def test_a_comment_changes_no_byte(tmp_path):
    text = (ROOT / "params.yaml").read_text("utf-8")
    for changed in (
        f"# by maria on gpu-17.internal\n{text}",
        re.sub(r"#.*", "# other words", text),
        re.sub(r"[ ]*#.*\n", "\n", text),
    ):
        for board in P.boards:
            assert own_settings(loaded(tmp_path, changed), board) == own_settings(P, board)


def test_the_sizes_that_a_source_s_command_names_are_in_it(tmp_path):
    """The wild board's own command names its own track; one that names other tracks' sizes needs these to be
    built again.
    """

    def change(values):
        values["sources"]["closed-world-chats"]["make"] = "python -m x {path} {mfava_train} {n_items}"

    own = loaded(tmp_path, own_settings(edited(tmp_path, change), "wildhallucinations-closed-world"))
    assert own.size["mfava"] == P.size["mfava"] and own.size["halueval"] == P.size["halueval"]


def test_members_of_other_tracks_stay_at_home(tmp_path):
    """`support` judges the wild board alone, so that the slice of another board with the same family does not
    name it.
    """
    own = loaded(tmp_path, own_settings(P, "halueval-closed-world")).detectors["baselines"]
    assert own.tracks == ("halueval",) and "support" not in own.members and own.only == {}
    wild = loaded(tmp_path, own_settings(P, "wildhallucinations-closed-world")).detectors["baselines"]
    assert wild.only == {"support": ("wildhallucinations",)} and "support" in wild.members


@pytest.mark.parametrize("block", ["tracks", "sizes"])
def test_a_board_whose_track_has_no_block_is_one_line(tmp_path, block):
    def change(values):
        (values["tracks"] if block == "tracks" else values["sizes"]["demo"]).pop("mfava")

    with pytest.raises(TruerateError) as caught:
        edited(tmp_path, change)
    assert "board 'mfava-closed-world': track 'mfava' has no block under" in str(
        caught.value
    ) and "\n" not in str(caught.value)
    assert "there: halludial, halueval, labelled_replies, wildhallucinations" in str(caught.value)


# ---- the lock ----------------------------------------------------------------------------------------------
LOCK = {
    "schema": "2.0",
    "stages": {
        "check": {
            "cmd": "x params",
            "deps": [{"path": "params.yaml", "md5": "a1"}],
            "outs": [{"path": "build/settings", "md5": "a2"}],
        },
        "dataset@mfava-closed-world": {
            "cmd": "x other",
            "outs": [{"path": "data/datasets/mfava-closed-world", "md5": "a3"}],
        },
        "judge@other-closed-world": {"cmd": "x judge", "outs": [{"path": "data/x", "md5": "a4"}]},
        "label@halueval-closed-world": {
            "cmd": "x label",
            "deps": [
                {"path": "build/settings/label/halueval-closed-world.json", "md5": "a5"},
                {"path": "data/sources", "md5": "a6"},
                {"path": "src/truerate/core/text.py", "md5": "a7"},
            ],
            "outs": [{"path": "data/labels/halueval-closed-world", "md5": "a8"}],
        },
        "sources": {
            "cmd": "x sources",
            "deps": [{"path": "build/settings/sources.json", "md5": "a9"}, {"path": "inputs", "md5": "b1"}],
            "outs": [{"path": "data/sources", "md5": "b2"}],
        },
        "dataset@halueval-closed-world": {
            "cmd": "x dataset",
            "deps": [{"path": "data/sources/closed-world", "md5": "b3"}],
            "outs": [{"path": "data/datasets/halueval-closed-world", "md5": "b4"}],
        },
        "leaderboard": {"cmd": "x rows", "deps": [{"path": "data/scores", "md5": "b5"}]},
        "site": {"cmd": "x page"},
    },
}


def test_the_lock_holds_the_board_s_stages_and_the_hashes_that_are_its_own():
    kept = yaml.safe_load(own_lock(P, "halueval-closed-world", yaml.safe_dump(LOCK)))
    assert kept["schema"] == "2.0"
    assert kept["stages"] == {
        "sources": {"cmd": "x sources", "deps": [{"path": "inputs", "md5": "b1"}]},
        "dataset@halueval-closed-world": LOCK["stages"]["dataset@halueval-closed-world"],
        "label@halueval-closed-world": {
            "cmd": "x label",
            "deps": [{"path": "src/truerate/core/text.py", "md5": "a7"}],
            "outs": [{"path": "data/labels/halueval-closed-world", "md5": "a8"}],
        },
    }


def test_the_order_in_which_stages_ran_changes_no_byte():
    turned = LOCK | {"stages": dict(reversed(LOCK["stages"].items()))}
    own = [
        own_lock(P, "halueval-closed-world", yaml.safe_dump(lock, sort_keys=False)) for lock in (LOCK, turned)
    ]
    assert own[0] == own[1]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "stages: {a: [",
        "stages: 3\nschema: '2.0'",
        "stages: {}",
        "schema: 1\nstages: {sources: {deps: 3}}",
    ],
)
def test_a_lock_that_is_none_is_one_line(text):
    with pytest.raises(
        TruerateError,
        match=r"publishing board 'halueval-closed-world': dvc.lock cannot be read \(.*\); run `dvc repro`",
    ):
        own_lock(P, "halueval-closed-world", text)


def test_what_a_board_overrides_stands_with_its_track(tmp_path):
    """The file declares this board alone, so its settings and sizes are the track's; models that it does not ask
    are left out.
    """
    values = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
    own = {"settings": {"subjects": ["birch"]}, "sizes": {"qa": 3}}
    values["boards"]["halueval-closed-world"] |= own
    values["boards"]["wildhallucinations-closed-world"] |= {
        "settings": {"gamma": 7},
        "sizes": {"entities": 5},
    }
    p = Params.model_validate(values)
    for board in ("halueval-closed-world", "wildhallucinations-closed-world"):
        (tmp_path / "params.yaml").write_text(own_settings(p, board), "utf-8")
        again = load_params(tmp_path / "params.yaml")
        assert again.track(board) == p.track(board) and again.size_of(board) == p.size_of(board)
        assert not again.board(board).settings and set(again.size) <= set(p.size)
        asked = {place for place in read_by(again, Stage("dataset", board)) if place.startswith("models.")}
        assert asked == {f"models.{alias}" for alias in p.models_of(board)} != set()
        assert again.models.keys() <= set(p.track(board).models())


def test_the_source_is_made_again_as_large_as_another_board_needs_it(tmp_path):
    """Which the file says without naming that board."""

    def change(values):
        values["boards"]["large"] = values["boards"]["wildhallucinations-closed-world"] | {
            "sizes": {"chats": 900}
        }

    board = "wildhallucinations-closed-world"
    whole = edited(tmp_path, change)
    small, large = (
        loaded(tmp_path, own_settings(whole, board)),
        loaded(tmp_path, own_settings(whole, "large")),
    )
    assert small.size_of(board).chats == P.size_of(board).chats == 360 and large.size_of("large").chats == 900
    assert "--chats 900" in small.source("closed-world-chats").make
    assert "{wildhallucinations_chats}" in large.source("closed-world-chats").make
    assert "large" not in own_settings(whole, board)
