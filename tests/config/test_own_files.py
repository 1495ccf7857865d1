"""Which files of the user's own a stage watches, and that an edit of one moves it and no other stage."""

import copy
import os
from pathlib import Path

import pytest
import yaml

from truerate.config import Params
from truerate.config.stage_settings import LARGE, own_files, stages, stamp_of

ROOT = Path(__file__).parents[2]
COMMITTED = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))


def watching(tmp_path, change) -> set[str]:
    """The stages that watch `w`, a folder of weights there, after a change of the settings."""
    os.makedirs(tmp_path / "w", exist_ok=True)
    values = copy.deepcopy(COMMITTED)
    change(values, str(tmp_path / "w"))
    p = Params.model_validate(values)
    return {stage.address for stage in stages(p) if str(tmp_path / "w") in own_files(p, stage)}


OF_TRACK = {"dataset", "annotate", "label", "truth", "score"}


@pytest.mark.parametrize(
    ("track", "key"),
    [
        ("halueval", "similarity"),
        ("mfava", "tokenizer"),
        ("mfava", "seq2seq"),
        ("wildhallucinations", "rarity"),
    ],
)
def test_weights_of_a_track_are_watched_by_the_stages_that_read_its_settings(tmp_path, track, key):
    more = {"translator": None} if key == "seq2seq" else {}
    found = watching(tmp_path, lambda p, w: p["tracks"][track].update({key: w} | more))
    assert found == {f"{name}@{track}-closed-world" for name in OF_TRACK}


def test_a_stamp_moves_with_names_and_bytes_and_large_files_by_size_and_time(tmp_path):
    (tmp_path / "a").write_text("1")
    first = stamp_of(str(tmp_path))
    os.utime(tmp_path / "a", (1, 1))
    assert stamp_of(str(tmp_path)) == first
    (tmp_path / "a").write_text("2")
    second = stamp_of(str(tmp_path))
    (tmp_path / "a").rename(tmp_path / "b")
    assert len({first, second, stamp_of(str(tmp_path)), stamp_of(str(tmp_path / "b"))}) == 4
    with (tmp_path / "c").open("wb") as file:
        file.truncate(LARGE)
    third = stamp_of(str(tmp_path))
    os.utime(tmp_path / "c", (1, 1))
    assert stamp_of(str(tmp_path)) != third


def test_a_source_that_is_searched_for_knowledge_is_watched_by_the_data_set_alone(tmp_path):
    def search(p, w):
        p["sources"]["corpus"] = {"reader": "wikipedia", "path": w}
        p["tracks"]["halueval"]["knowledge_source"] = "corpus"

    assert watching(tmp_path, search) == {"dataset@halueval-closed-world"}
