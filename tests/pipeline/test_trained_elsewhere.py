"""Families of detectors that judge a board by what was learned on another one."""

import json
import os
import shutil
from pathlib import Path

import pytest
import yaml
from test_detect import BOARD, QUESTIONS, ROOT, edited, sided

from truerate.config.layout import Layout
from truerate.config.stage_settings import Stage
from truerate.core.errors import TruerateError
from truerate.core.schemas import Generation, Judgement, Sample, frame, load, save
from truerate.pipeline import dataset, detect, evaluate, guard, sources, trained_elsewhere

OTHER = "elsewhere"
ABROAD = {"tracks": ["halueval"], "members": ["length"], "folds": 2, "learns_from": BOARD}


@pytest.fixture(scope="module")
def labelled(tmp_path_factory) -> Path:
    """A project with two boards of published pairs, labelled: one teaches the family of the other."""
    folder = tmp_path_factory.mktemp("labelled")
    for name in ("src", "rules", "site"):
        (folder / name).symlink_to(ROOT / name)
    (folder / "inputs").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        fill(folder)
    return folder


@pytest.fixture
def at(labelled, tmp_path, monkeypatch) -> Layout:
    """A copy of that project."""
    shutil.copytree(labelled, tmp_path, symlinks=True, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return Layout.load()


def fill(folder: Path) -> None:
    params = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
    params["sources"], params["boards"] = {}, {}
    for board, rows in ((BOARD, QUESTIONS), (OTHER, QUESTIONS[:5])):
        (folder / board).mkdir()
        (folder / board / "qa_data.json").write_text("\n".join(map(json.dumps, rows)), "utf-8")
        params["sources"][board] = {"reader": "halueval", "path": board}
        params["boards"][board] = {"track": "halueval", "source": board, "title": board}
    params["detectors"] = {"long": ABROAD}
    Path("params.yaml").write_text(yaml.safe_dump(params, sort_keys=False), "utf-8")
    guard.check_params()
    made = Layout.load()
    for board in (BOARD, OTHER):
        sources.import_source(made, board)
        dataset.export(made, board, made.dataset(board, "card.json"), [])
        evaluate.label(made, board)


def watched(config: Layout, board: str = OTHER) -> dict:
    """What DVC watches of the judging of a board."""
    return json.loads(Path(config.settings(Stage("judge", board))).read_text("utf-8"))


def versions(config: Layout, board: str) -> set[str]:
    """What judged a board."""
    return set(load(Judgement, config.judgements("long", board))["judge_version"])


def test_a_board_is_judged_by_what_another_taught_and_teaches_nothing_itself(at):
    for board in (BOARD, OTHER):
        detect.train(at, board)
    assert sorted(os.listdir(at.trained(BOARD))) == [".made", "families.json", "long"]
    assert sorted(os.listdir(at.trained(OTHER))) == [".made", "families.json"]
    for board in (BOARD, OTHER):
        detect.judge(at, board)
    said = load(Judgement, at.judgements("long", OTHER))
    assert said.height == 10 and said["verdict"].null_count() == 0
    assert versions(at, OTHER) <= versions(at, BOARD)
    assert not Path(at.judged(BOARD), "learned.json").exists()


def test_on_a_first_build_judging_before_the_training_is_refused_in_one_line(at):
    assert watched(at)["learned"] == {"long": None} and "learned" not in watched(at, BOARD)
    detect.train(at, OTHER)
    with pytest.raises(TruerateError, match=f"run `dvc repro train@{BOARD}`, then this again") as raised:
        detect.judge(at, OTHER)
    assert "\n" not in str(raised.value)
    assert trained_elsewhere.first(at.p) == [f"train@{BOARD}"]
    detect.train(at, BOARD)
    assert isinstance(watched(at)["learned"]["long"], str)
    detect.judge(at, OTHER)


def test_a_change_of_the_board_that_taught_changes_what_is_watched_of_the_judging(at):
    for stage in (detect.train, detect.judge):
        for board in (BOARD, OTHER):
            stage(at, board)
    before, said = watched(at), versions(at, OTHER)
    trained_elsewhere.refuse_stale(at)
    rows = [row | {"right_answer": "It was found by nobody at all in those days."} for row in QUESTIONS]
    Path(BOARD, "qa_data.json").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    sources.import_source(at, BOARD)
    dataset.export(at, BOARD, at.dataset(BOARD, "card.json"), [])
    evaluate.label(at, BOARD)
    detect.train(at, BOARD)
    after = watched(at)
    assert after["learned"] != before["learned"]
    assert {key: one for key, one in after.items() if key != "learned"} == {
        key: one for key, one in before.items() if key != "learned"
    }
    with pytest.raises(
        TruerateError, match=f"board {OTHER!r} was judged by what was learned on board {BOARD!r}"
    ):
        trained_elsewhere.refuse_stale(at)
    detect.judge(at, OTHER)
    assert versions(at, OTHER).isdisjoint(said)
    trained_elsewhere.refuse_stale(at)


def test_an_equal_training_changes_nothing_that_is_watched(at):
    detect.train(at, BOARD)
    before = Path(at.settings(Stage("judge", OTHER))).read_bytes()
    detect.train(at, BOARD)
    assert Path(at.settings(Stage("judge", OTHER))).read_bytes() == before
    guard.check_params()
    assert Path(at.settings(Stage("judge", OTHER))).read_bytes() == before


def test_boards_of_one_track_are_judged_by_what_one_of_them_taught_in_place_of_its_namesake(at):
    """`own` learns on each board; `abroad` brings what `own` learned on the first one to all others."""
    own = {"tracks": ["halueval"], "members": ["length", "punctuation"], "folds": 5}
    abroad = {"tracks": ["halueval"], "members": ["length"], "learns_from": BOARD}
    edited(lambda p: p.update(detectors={"own": own, "abroad": abroad}))
    config = Layout.load()
    for stage in (detect.train, detect.judge):
        for board in (BOARD, OTHER):
            stage(config, board)

    def by(family: str, board: str) -> dict[str, set[str]]:
        rows = load(Judgement, config.judgements(family, board)).select("judge", "judge_version").rows()
        return {judge: {version for name, version in rows if name == judge} for judge, _ in rows}

    first, other = by("own", BOARD), by("own", OTHER)
    assert first.keys() == {"length", "punctuation"} and config.p.families(BOARD) == ("own",)
    assert other.keys() == {"punctuation"}
    taught = by("abroad", OTHER)
    assert taught.keys() == {"length"} and taught["length"] <= first["length"]


def test_a_judge_is_not_asked_of_texts_that_it_learned_from_on_another_board_of_the_source(
    tmp_path, monkeypatch
):
    """Both boards hold `seen`, each under an id and in a group of its own; `fresh` stands here alone, and `other`
    there on the side of the test.
    """
    for name in ("src", "rules", "site", "inputs"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    first, second = "halludial-closed-world", "halludial-again"
    params = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
    params["boards"] = {first: params["boards"][first], second: params["boards"][first] | {"title": "again"}}
    abroad = {"tracks": ["halludial"], "members": ["hallujudge-tiny"], "learns_from": first}
    params["detectors"] = {"hallujudge": params["detectors"]["hallujudge"], "abroad": abroad}
    Path("params.yaml").write_text(yaml.safe_dump(params, sort_keys=False), "utf-8")
    config = Layout.load()
    texts = {first: [("a", "seen", "train"), ("b", "other", "test")]}
    texts[second] = [("c", "seen", "test"), ("d", "fresh", "test"), ("e", "other", "test")]
    samples = {
        board: frame(
            Sample,
            [sided(name, split, split) | {"text": text, "group_id": name} for name, text, split in rows],
        )
        for board, rows in texts.items()
    }
    save(Sample, samples[first], config.labels(first, "samples"))
    save(Generation, frame(Generation), config.dataset(second, "generations"))
    asked = detect.targets(config, second, samples[second])
    left = detect.unlearned(config, second, samples[second], asked, "sample", first)
    assert asked["target_id"].to_list() == ["c", "d", "e"] and left["target_id"].to_list() == ["d", "e"]
    counts = detect.left_out(config, second, samples[second])
    assert counts == {"hallujudge-tiny": {"learned_on": first, "n": 1, "of": 3}}
    assert detect.left_out(config, first, samples[first]) == {}
    Path(config.judged(second)).mkdir(parents=True, exist_ok=True)
    guard.write_json(f"{config.judged(second)}/{trained_elsewhere.LEFT_OUT}", counts)
    (line,) = trained_elsewhere.left_out_lines(config, second)
    assert (
        line
        == f"hallujudge-tiny learned on board {first!r} from 1 of the 3 texts here; it is not rated on these"
    )


def test_two_that_learned_elsewhere_may_not_bring_one_name(at):
    own = {"tracks": ["halueval"], "members": ["length"], "folds": 2}
    abroad = {"tracks": ["halueval"], "members": ["length"], "learns_from": BOARD}
    said = broken(lambda p: p.update(detectors={"own": own, "one": abroad, "two": abroad}))
    assert said.startswith("params.yaml: detectors.two.members: 'length' is a member of 'one' too")


def broken(change) -> str:
    """What the settings are refused with after a change."""
    with pytest.raises(TruerateError) as raised:
        edited(change)
    return str(raised.value)


def test_a_board_that_is_not_there_is_one_line(at):
    said = broken(lambda p: p["detectors"]["long"].update(learns_from="bensh"))
    assert said.startswith(
        "params.yaml: detectors.long.learns_from: board 'bensh' is not declared; did you mean 'bench'?"
    )


def test_a_board_none_of_whose_families_has_the_member_is_one_line(at):
    other = {"tracks": ["wildhallucinations"], "members": ["length"], "folds": 2, "learns_from": BOARD}
    said = broken(lambda p: p["detectors"].update(long=other))
    assert said.startswith(
        "params.yaml: detectors.long.learns_from: no family that learns on board 'bench' has 'length'"
    )


def test_a_circle_is_one_line(at):
    """Each would learn from a board on which only the other has its members."""

    def circle(p):
        p["boards"][OTHER]["track"] = "wildhallucinations"
        first = {"tracks": ["halueval"], "members": ["length"], "learns_from": OTHER}
        second = {"tracks": ["wildhallucinations"], "members": ["length"], "learns_from": BOARD}
        p["detectors"] = {"first": first, "second": second}

    lines = broken(circle).splitlines()
    assert any(
        "detectors.first.learns_from: family 'second' has its members on board 'elsewhere', but learns from "
        "'bench'; a circle" in line
        for line in lines
    )
