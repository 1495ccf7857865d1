"""Families of detectors at work on a board: each asked once for the same texts in the same state."""

import copy
import json
import os
from pathlib import Path

import pytest
import yaml

from truerate.config.layout import Layout
from truerate.core.schemas import Judgement, Sample, frame, load
from truerate.pipeline import dataset, detect, evaluate, guard, sources

ROOT = Path(__file__).parents[2]
BOARD = "bench"
QUESTIONS = [{"question": f"Who found ore {k}?", "right_answer": f"Ada {k} did.", "hallucinated_answer": f"Bo {k}.",
              "knowledge": f"Ada {k} found ore {k}."} for k in range(12)]  # fmt: skip


@pytest.fixture
def at(tmp_path, monkeypatch) -> Layout:
    """A board of published pairs with one family of rules, labelled and not yet trained."""
    for name in ("src", "rules", "site"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "inputs").mkdir()
    (tmp_path / "pairs").mkdir()
    lines = [json.dumps(row) for row in QUESTIONS]
    (tmp_path / "pairs/qa_data.json").write_text("\n".join(lines), "utf-8")
    monkeypatch.chdir(tmp_path)
    params = copy.deepcopy(yaml.safe_load((ROOT / "params.yaml").read_text("utf-8")))
    params["sources"] = {"pairs": {"reader": "halueval", "path": "pairs"}}
    params["boards"] = {BOARD: {"track": "halueval", "source": "pairs", "title": "Pairs"}}
    params["detectors"] = {
        "flat": {"tracks": ["halueval"], "members": ["always", "never"], "folds": 2},
        "long": {"tracks": ["halueval"], "members": ["length"], "folds": 2},
    }
    Path("params.yaml").write_text(yaml.safe_dump(params, sort_keys=False), "utf-8")
    guard.check_params()
    made = Layout.load()
    sources.import_source(made, "pairs")
    dataset.export(made, BOARD, made.dataset(BOARD, "card.json"), [])
    evaluate.label(made, BOARD)
    return made


def edited(change) -> Layout:
    """The settings after a change, written as the first stage would."""
    params = yaml.safe_load(Path("params.yaml").read_text("utf-8"))
    change(params)
    Path("params.yaml").write_text(yaml.safe_dump(params, sort_keys=False), "utf-8")
    guard.check_params()
    return Layout.load()


def kept(config: Layout) -> dict[str, int]:
    """When what each family said was written, by the file it is kept in."""
    return {
        path.name: path.stat().st_mtime_ns for path in Path(config.p.paths.build, "judged", BOARD).iterdir()
    }


def test_a_family_that_judged_the_same_texts_before_is_not_asked_again(at):
    detect.train(at, BOARD)
    detect.judge(at, BOARD)
    first = kept(at)
    said = Path(at.judgements("flat", BOARD)).read_bytes()
    at = edited(lambda p: p["detectors"]["long"].update(folds=3))
    detect.train(at, BOARD)
    detect.judge(at, BOARD)
    after = kept(at)
    assert {name: after[name] for name in first} == first
    assert sorted(name.partition("@")[0] for name in after.keys() - first.keys()) == ["long"]
    assert Path(at.judgements("flat", BOARD)).read_bytes() == said
    assert load(Judgement, at.judgements("flat", BOARD))["judge"].unique().sort().to_list() == [
        "always",
        "never",
    ]


def test_a_board_without_detectors_says_so_and_nothing_is_empty(at):
    at = edited(lambda p: p["detectors"].clear())
    detect.train(at, BOARD)
    detect.judge(at, BOARD)
    for folder in (at.trained(BOARD), at.judged(BOARD)):
        assert (
            sorted(os.listdir(folder)) == [".made", "families.json"]
            and json.loads(Path(folder, "families.json").read_text()) == {}
        )


# ---- both splits -------------------------------------------------------------------------------------------
DIALOGUES = "halludial-closed-world"


def sided(sample_id: str, split: str, by_sample: str) -> dict:
    """A text of one side by its dialogue, and of another by itself."""
    known = {
        "sample_id": sample_id,
        "item_id": "i",
        "pair_id": None,
        "group_id": f"g-{split}",
        "task": "dialogue",
    }
    known |= {
        "lang": "en",
        "text": sample_id,
        "is_hallucinated": True,
        "label_source": "silver",
        "generator": "m",
    }
    known |= {"pattern": None, "spans": [], "rationale": None, "split": split}
    return known | {"attributes": [{"key": "split_by_sample", "value": by_sample}]}


def test_a_judge_of_the_published_split_learns_from_other_texts_and_judges_none_of_them(monkeypatch):
    monkeypatch.chdir(ROOT)
    at = Layout.load()
    sides = [("a", "train", "train"), ("b", "train", "test"), ("c", "test", "train"), ("d", "test", "test")]
    samples = frame(Sample, [sided(*one) for one in sides])
    assert detect.training_texts(at, DIALOGUES, samples)["target_id"].to_list() == ["a", "b"]
    assert detect.training_texts(at, DIALOGUES, samples, "sample")["target_id"].to_list() == ["a", "c"]
    texts = samples.filter(split="test").select(target_id="sample_id")
    left = {how: detect.unlearned(at, DIALOGUES, samples, texts, how) for how in ("group", "sample")}
    assert left["group"]["target_id"].to_list() == ["c", "d"] and left["sample"]["target_id"].to_list() == [
        "d"
    ]
