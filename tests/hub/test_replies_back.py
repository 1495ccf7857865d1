"""A board of published labelled replies goes to the Hub and comes back as a board with the same rates."""

import json
from pathlib import Path

import polars as pl
import pytest
import yaml

from tests.hub.drafts import DAY
from tests.hub.stages import made
from truerate.config.layout import Layout
from truerate.core.schemas import Sample, Score, load
from truerate.flow import guard, pages
from truerate.flow.release import board_draft
from truerate.hub import push
from truerate.hub.release import Target

ROOT, REPO = Path(__file__).parents[2], "org/replies"
CARD = {
    "name": "Replies",
    "citation": "A. Nobody. Replies. 2026.",
    "licence": "MIT",
    "redistribution": "yes",
    "url": "https://example.org/replies",
    "lang": "en",
}
FAULTS = {"m-one": {1, 2, 5}, "m-two": {2}}  # the sources of which a system says something false


def declare(name: str, source: dict) -> Layout:
    """A params.yaml that declares one board of labelled replies, without detectors."""
    values = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
    values["statistics"]["n_bootstrap"] = 100
    values |= {
        "detectors": {},
        "sources": {name: source},
        "boards": {name: {"track": "labelled_replies", "source": name}},
    }
    Path("params.yaml").write_text(yaml.safe_dump(values, sort_keys=False), "utf-8")
    guard.check_params()
    return Layout.load()


def rates(at: Layout, board: str) -> list[tuple]:
    """Build a board; its rates with their intervals."""
    made(at, board)
    pages.leaderboard(at)
    scores = load(Score, at.scores(board, "scores")).filter(metric="hallucination_rate")
    return sorted(
        (row["subject"], str(row["slice"]), row["value"], row["low"], row["high"], row["n"])
        for row in scores.to_dicts()
    )


@pytest.fixture
def replies(tmp_path, monkeypatch):
    """A folder with made-up replies of two systems to six sources, in RAGTruth's layout."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "src").symlink_to(ROOT / "src")
    folder = tmp_path / "inputs" / "replies"
    folder.mkdir(parents=True)
    told = [
        {
            "source_id": str(k),
            "task_type": "QA",
            "source": "MARCO",
            "prompt": "Answer.",
            "source_info": {"question": f"What is Varn {k}?", "passages": f"Varn {k} is a town."},
        }
        for k in range(6)
    ]
    said = [
        {"id": f"{model}-{k}", "source_id": str(k), "model": model, "temperature": 0.7, "split": "test", "quality": "good",
         "response": f"A river of {model}.",
         "labels": [{"start": 2, "end": 7, "text": "river", "meta": "", "label_type": "Evident Conflict", "due_to_null": False,
                     "implicit_true": False}] if k in faults else []}
        for model, faults in FAULTS.items() for k in range(6)
    ]  # fmt: skip
    for name, rows in (("source_info", told), ("response", said)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (folder / "source.json").write_text(json.dumps(CARD), "utf-8")


def test_rates_are_the_same_where_the_published_replies_are_read(replies, hub_here, tmp_path):
    at = declare("first", {"reader": "ragtruth", "path": "inputs/replies"})
    first, samples = rates(at, "first"), load(Sample, at.labels("first", "samples"))
    by_system = {subject: value for subject, _, value, *_ in first}
    assert by_system["m-one"] == 3 / 6 and by_system["m-two"] == pytest.approx(1 / 6, abs=1e-6)
    Path("dvc.lock").write_text("schema: '2.0'\nstages:\n  dataset@first: {cmd: x}\n", "utf-8")
    commit = push.publish(
        board_draft(at, "first", repo=REPO, folder=tmp_path / "release"),
        Target(REPO, "dataset", tag="v1.0"),
        dry_run=False,
        check=lambda files: None,
        say=lambda line: None,
        today=DAY,
    )
    here = declare("back", {"reader": "truerate", "hub": {"repo": REPO, "revision": commit}})
    assert rates(here, "back") == first
    again = load(Sample, here.labels("back", "samples"))
    columns = ("group_id", "task", "text", "generator", "is_hallucinated", "spans")
    assert (
        again.select(columns)
        .sort(pl.all().exclude("spans"))
        .equals(samples.select(columns).sort(pl.all().exclude("spans")))
    )
