"""Boards marked to be made again: what goes, what stays, and which stages DVC then runs."""

import json
import os
import shutil
from pathlib import Path

import polars as pl
import pytest
import yaml
from committed import with_sources
from dvc.repo import Repo

from truerate.config.layout import WORK as MARK
from truerate.config.layout import Layout, _digest_of, beside
from truerate.core.errors import TruerateError
from truerate.core.schemas import Generation, frame, write_parquet
from truerate.pipeline.repair import invalidate

ROOT = Path(__file__).parents[2]
HELD, OTHER = "halueval-closed-world", "mfava-closed-world"
KEY = "ab" * 32


@pytest.fixture
def at(tmp_path, monkeypatch) -> Layout:
    return with_sources(tmp_path, monkeypatch)


def replies(*dead: str) -> pl.DataFrame:
    """A reply that came, and one per key that did not."""
    known = {
        "item_id": "i",
        "purpose": "p",
        "model": "m",
        "sample_index": 0,
        "params": "{}",
        "text": "",
        "cost_usd": 0.0,
    }
    rows = [
        known | {"generation_id": key, "prompt_key": key, "status": "dead", "reason": "rejected"}
        for key in dead
    ]
    return frame(Generation, [known | {"generation_id": "g", "prompt_key": "cd" * 32, "status": "ok"}, *rows])


def built(config: Layout, board: str) -> list[Path]:
    """A board's scratch tree as a build leaves it, every reply there."""
    current, _ = invalidate.graph(config, board)
    for path in current:
        write_parquet(replies(), path)
    return current


def names(paths) -> set[str]:
    """Scratch files as model/step."""
    return {f"{path.parent.name.split('@')[0]}/{path.name.split('-')[0]}" for path in paths}


# ---- which boards hold a letter ----------------------------------------------------------------------------
def test_a_board_holds_a_letter_in_its_scratch_files_or_in_its_data_set(at):
    assert invalidate.ask_again(at, {KEY}) == []
    write_parquet(replies(KEY), Path(at.dataset(OTHER, "generations")))
    write_parquet(replies(KEY), Path(at.scratch(HELD, "sample", "elm")[0]))
    assert invalidate.ask_again(at, {"ef" * 32}) == invalidate.ask_again(at, set()) == []
    assert invalidate.ask_again(at, {KEY}) == [HELD, OTHER]


def test_a_file_that_is_no_table_is_named_in_one_line(at):
    path = Path(at.scratch(HELD, "sample", "elm")[0])
    path.parent.mkdir(parents=True)
    path.write_bytes(b"PAR1")
    with pytest.raises(TruerateError, match=f"{path.parent.name}/sample-0.parquet.*delete it"):
        invalidate.ask_again(at, {KEY})


# ---- which scratch files go --------------------------------------------------------------------------------
@pytest.mark.parametrize("board", Layout.load(str(ROOT / "params.yaml")).p.boards)
def test_each_scratch_file_stands_behind_what_it_is_made_from(at, board):
    current, reads = invalidate.graph(at, board)
    for place, path in enumerate(current):
        assert set(reads(path)) <= set(current[:place]), path
    assert any(reads(path) for path in current)


def test_what_follows_from_a_stale_file_goes_with_it_and_nothing_else(at):
    current = built(at, HELD)
    subjects = {f"{name}/recognise" for name in at.p.track(HELD).subjects}
    last = f"{at.p.track(HELD).refinement_judge}/judge_refined"
    found = names(invalidate.to_remove(at, HELD, lambda path: names([path]) == {"elm/recognise"}))
    assert found == {"elm/recognise", last}
    subjects.add(last)
    generator = f"{at.p.track(HELD).dataset_generator}/sample"
    gone = names(invalidate.to_remove(at, HELD, lambda path: names([path]) == {generator}))
    assert gone == {generator, f"{at.p.track(HELD).filter_judge}/filter", *subjects}
    assert names(invalidate.to_remove(at, HELD, lambda path: path.name.startswith("respond-"))) == {
        f"{at.p.track(HELD).responder}/respond",
        "similarity/select",
        *subjects,
    }
    assert invalidate.to_remove(at, HELD, lambda path: False) == [] and len(current) > len(gone)


def test_pages_are_fetched_again_for_a_track_without_asking_who_made_the_entities(at):
    board = "wildhallucinations-closed-world"
    built(at, board)
    gone = names(invalidate.to_remove(at, board, lambda path: path.name.startswith("evidence-")))
    asked = {
        f"{name}/{step}" for name in at.p.track(board).subjects for step in ("generate", "facts", "cite")
    }
    assert gone == {"web/evidence", *asked}


def test_files_of_earlier_settings_go_together_where_one_is_stale(at):
    current = built(at, HELD)
    earlier = [
        Path(at.p.paths.build) / HELD / "elm@000000000000" / f"{step}-0.parquet"
        for step in ("sample", "recognise")
    ]
    for path in earlier:
        write_parquet(replies(), path)
    assert not set(earlier) & set(invalidate.to_remove(at, HELD, lambda path: path == current[0]))
    assert invalidate.to_remove(at, HELD, lambda path: path == earlier[0]) == sorted(earlier)
    shutil.rmtree(at.source(at.p.board(HELD).source))  # nothing has a key any more
    _digest_of.cache_clear()
    assert invalidate.to_remove(at, HELD, lambda path: path == earlier[0]) == sorted([*earlier, *current])


def test_what_lies_beside_a_stale_file_goes_with_it(at):
    path = Path(at.scratch(HELD, "recognise", "elm", "quill")[0])
    write_parquet(replies(KEY), path)
    write_parquet(replies(), beside(str(path), "judgements"))
    assert invalidate.ask_again(at, {KEY}) == [HELD]
    assert not list(path.parent.iterdir())


def test_boards_of_public_files_which_share_the_store_are_marked_too(at, tmp_path):
    work = Path(at.p.paths.build) / "real"
    shutil.copytree("data", work / "data")
    for name in ("src", "rules", "params.yaml"):
        (work / name).symlink_to((tmp_path / name).resolve())
    (work / MARK).touch()
    for folder, step in ((Path("."), "sample"), (work, "respond")):
        write_parquet(replies(KEY), folder / at.scratch(HELD, step, "elm")[0])
    assert invalidate.ask_again_everywhere(at, {KEY}) == [HELD, f"{HELD} in {work}"]
    assert not list(tmp_path.rglob(f"{HELD}/elm@*/*.parquet")) and Path.cwd() == tmp_path
    assert invalidate.ask_again_everywhere(at, {KEY}) == []


# ---- which stages DVC runs ---------------------------------------------------------------------------------
@pytest.fixture
def repo(at) -> Repo:
    """A repository of DVC in which each data set is a copy of a file; that of HELD was built of two contents
    in turn.
    """
    Path("in").mkdir()
    for board in (HELD, OTHER):
        Path("in", board).write_text("first")
    out = at.dataset("${item}")
    copy = {
        "cmd": f"mkdir -p {out} && cp in/${{item}} {out}/out && echo >> ran",
        "deps": ["in/${item}"],
        "outs": [{out: {"persist": True}}],
    }
    Path("dvc.yaml").write_text(
        yaml.safe_dump({"stages": {"dataset": {"foreach": [HELD, OTHER], "do": copy}}})
    )
    Repo.init(no_scm=True).close()
    with Repo() as found:
        for content in ("second", "first"):
            found.reproduce()
            Path("in", HELD).write_text(content)
        found.reproduce()
        yield found


def test_dvc_runs_the_marked_stage_and_no_other_and_its_lock_ends_as_it_was(at, repo):
    lock = Path("dvc.lock").read_bytes()
    invalidate.mark(at, [HELD], lambda path: False)
    assert repo.status() == {f"dataset@{HELD}": ["changed command"]}
    assert [stage.addressing for stage in repo.reproduce()] == [f"dataset@{HELD}"]
    assert Path("dvc.lock").read_bytes() == lock and repo.status() == {}


def test_while_a_build_runs_nothing_is_marked(at, repo):
    path = Path(at.scratch(HELD, "sample", "elm")[0])
    write_parquet(replies(KEY), path)
    lock = Path("dvc.lock").read_bytes()
    out = {os.path.abspath(at.dataset(HELD)): {"pid": os.getppid(), "cmd": "dvc repro"}}
    Path(".dvc/tmp/rwlock").write_text(json.dumps({"read": {}, "write": out}))
    with pytest.raises(TruerateError, match=f"{HELD}.*a build runs here"):
        invalidate.ask_again(at, {KEY})
    assert path.is_file() and Path("dvc.lock").read_bytes() == lock
