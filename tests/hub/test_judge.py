"""A judge of boosted trees on the loopback Hub: published, fetched at a revision, and asked."""

import json

import numpy as np
import pytest

from tests.detectors.fitting import fit_judges
from tests.detectors.judges.dialogues import responses
from tests.hub.detectors_made import CARD, LICENCE
from truerate.config import Judging
from truerate.core.errors import TruerateError
from truerate.core.schemas import Score, frame, read_json, score_row
from truerate.detectors.judges.trees import MODEL_TYPE, Marker
from truerate.hub import detector as published
from truerate.hub.detector import judge_draft as draft_of
from truerate.hub.kept import Kept
from truerate.hub.push import publish
from truerate.hub.release import DetectorFacts, Stamp, Target
from truerate.pipeline.judges.judge_network import network_judge
from truerate.pipeline.judges.judge_prompts import Asked

REPO = "org/judge"


@pytest.fixture(scope="module")
def cell(tmp_path_factory):
    """The folder of a judge fitted on a few dialogues."""
    folder = tmp_path_factory.mktemp("judges")
    judges = {"judge": Judging(form="trees", folds=3)}
    fit_judges(judges, responses(30), {}, seeds=[42], folder=folder / "out", scratch=folder / "scratch")
    (results,) = (folder / "out" / "judge").iterdir()
    return results


def facts_of(cell, **changed) -> DetectorFacts:
    rows = [
        score_row(metric, subject, {**where, "scenario": "natural", "variant": "zero-shot"}, interval, 40, board="b", inputs="0" * 16)
        for subject, metric, where, interval in (
            ("judge", "balanced_accuracy", {}, (0.9, 0.8, 0.95)),
            ("judge", "tpr", {}, (0.85, 0.7, 0.9)),
            ("judge", "span_f1", {"over": "all"}, (0.8, 0.6, 0.9)),
            ("lexical-lr", "balanced_accuracy", {}, (0.6, 0.5, 0.7)),
            ("judge", "balanced_accuracy", {"kind": "matched"}, (0.1, 0.0, 0.2)),
        )
    ]  # fmt: skip
    answer = {
        "detector": "judge",
        "board": "dialogues",
        "title": "Dialogues",
        "folder": cell,
        "training": read_json(cell / "facts.json") | {"passages": {"en": 30}},
        "settings": {"scope": "multi", "labels": "binary", "seed": 42, "lang": None, "confidence": 0.95},
        "source": CARD,
        "licence": LICENCE,
        "languages": ("en",),
        "scores": frame(Score, rows),
        "recipe": {"build/params.yaml": "seed: 42\n"},
        "is_simulated": False,
    }
    return DetectorFacts(**answer | changed)


def put(facts: DetectorFacts, tag: str) -> None:
    publish(
        draft_of(facts, repo=REPO),
        Target(REPO, "model", tag=tag),
        dry_run=False,
        check=lambda files: None,
        say=lambda line: None,
        today="2026-11-22",
    )


def release(facts: DetectorFacts) -> dict:
    files = draft_of(facts, repo=REPO).files
    return dict(files(stamp=Stamp("2026-11-22"), changelog="", kept=Kept()))


def replies(weights: str) -> list[str]:
    judge, _ = network_judge(weights)
    rows = responses(6, start=500).to_dicts()
    return [
        judge(Asked(row["knowledge"], f"{row['history']}\nUser: {row['question']}", row["text"], True))
        for row in rows
    ]


def test_what_was_published_answers_as_what_was_trained(hub_here, cell):
    put(facts_of(cell), "v1.0")
    local = replies(str(cell))
    assert replies(f"{REPO}@v1.0") == local and {reply[:2] for reply in local} == {"No", "Ye"}
    commit = hub_here.tags(REPO, kind="model")["v1.0"]
    assert network_judge(f"{REPO}@v1.0")[1] == f"{REPO}@{commit}"


def test_nothing_that_is_read_is_code(hub_here, cell):
    files = release(facts_of(cell))
    assert {path for path in files if "/" not in path} == {
        "CHANGELOG.md", "README.md", "SHA256SUMS", "config.json", "decision.json", "state.npz", "truerate.json",
    }  # fmt: skip
    assert json.loads(files["config.json"])["model_type"] == published.JUDGE_TYPE == MODEL_TYPE
    with np.load(cell / published.STATE, allow_pickle=False) as arrays:
        assert all(arrays[name].dtype != object for name in arrays.files)


def test_the_card_says_how_well_it_does(cell):
    card = release(facts_of(cell))["README.md"].decode()
    (line,) = [line for line in card.splitlines() if line.startswith("| natural")]
    cells = [entry.strip() for entry in line.strip("| ").split("|")]
    assert cells[1:4] == ["40", "90.0 (80.0–95.0)", "85.0 (70.0–90.0)"]
    assert cells[4:] == ["–", "80.0 (60.0–90.0)", "–", "60.0 (50.0–70.0)"]
    assert "truerate serve-judge org/judge@v1.0" in card


def test_a_damaged_download_is_found(hub_here, cell):
    put(facts_of(cell), "v2.0")
    hub_here.fault(method="GET", path=r".*decision\.json|.*/[0-9a-f]{64}.*", kind="corrupt", times=9)
    with pytest.raises(TruerateError, match="is not what was published"):
        network_judge(f"{REPO}@v2.0")


def test_what_is_no_such_judge_is_one_line(cell, tmp_path):
    with pytest.raises(TruerateError, match="only judges of `form: trees` go out"):
        draft_of(facts_of(cell, folder=tmp_path), repo=REPO)
    with pytest.raises(TruerateError, match="nothing to learn from"):
        draft_of(facts_of(cell, training={"is_fitted": False}), repo=REPO)
    with pytest.raises(TruerateError, match="redistribution"):
        draft_of(facts_of(cell, source=CARD | {"redistribution": "labels"}), repo=REPO)
    assert Marker.load(cell).decision
