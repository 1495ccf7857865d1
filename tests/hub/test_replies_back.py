"""A board of published labelled replies goes to the Hub and comes back as a board with the same rates."""

import json
from pathlib import Path

import polars as pl
import pytest
import yaml

from tests.hub.stages import CARD, LOCK, ROOT, build_board, declare, put_on_hub
from truerate.config.layout import Layout
from truerate.core.schemas import Sample, Score, load
from truerate.pipeline import pages
from truerate.results.exchange.releasing import exchange_files
from truerate.sources.answers.table import read_table

REPO = "org/replies"
FAULTS = {"m-one": {1, 2, 5}, "m-two": {2}}  # the sources of which a system says something false


def rates(config: Layout, board: str) -> list[tuple]:
    """Build a board; its rates with their intervals."""
    build_board(config, board)
    pages.leaderboard(config)
    scores = load(Score, config.scores(board, "scores")).filter(metric="hallucination_rate")
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
    answer = [
        {
            "source_id": str(k),
            "task_type": "QA",
            "source": "MARCO",
            "prompt": "Answer.",
            "source_info": {"question": f"What is Varn {k}?", "passages": f"Varn {k} is a town."},
        }
        for k in range(6)
    ]
    words = [
        {"id": f"{model}-{k}", "source_id": str(k), "model": model, "temperature": 0.7, "split": "test", "quality": "good",
         "response": f"A river of {model}.",
         "labels": [{"start": 2, "end": 7, "text": "river", "meta": "", "label_type": "Evident Conflict", "due_to_null": False,
                     "implicit_true": False}] if k in faults else []}
        for model, faults in FAULTS.items() for k in range(6)
    ]  # fmt: skip
    for name, rows in (("source_info", answer), ("response", words)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (folder / "source.json").write_text(json.dumps(CARD), "utf-8")


def test_rates_are_the_same_where_the_published_replies_are_read(replies, hub_here):
    source = {"reader": "ragtruth", "path": "inputs/replies"}
    at = declare("labelled_replies", {"first": source}, detectors={})
    first, samples = rates(at, "first"), load(Sample, at.labels("first", "samples"))
    by_system = {subject: value for subject, _, value, *_ in first}
    assert by_system["m-one"] == 3 / 6 and by_system["m-two"] == pytest.approx(1 / 6, abs=1e-6)
    Path("dvc.lock").write_text(LOCK.format(board="first"), "utf-8")
    commit = put_on_hub(at, "first", REPO)
    back = {"reader": "truerate", "hub": {"repo": REPO, "revision": commit}}
    here = declare("labelled_replies", {"back": back}, detectors={})
    assert rates(here, "back") == first
    second = load(Sample, here.labels("back", "samples"))
    columns = ("group_id", "task", "text", "generator", "is_hallucinated", "spans")
    assert (
        second.select(columns)
        .sort(pl.all().exclude("spans"))
        .equals(samples.select(columns).sort(pl.all().exclude("spans")))
    )


def test_a_release_for_other_tools_gives_the_same_rates_to_who_reads_it(replies, hub_here, tmp_path):
    source = {"reader": "ragtruth", "path": "inputs/replies"}
    at = declare("labelled_replies", {"first": source}, detectors={})
    rates(at, "first")
    Path("dvc.lock").write_text(LOCK.format(board="first"), "utf-8")
    more = exchange_files(at, "first", benchmark=True, eee=True)
    put_on_hub(at, "first", REPO, more=more)
    files = hub_here.files(REPO)
    assert yaml.safe_load(files["eval.yaml"])["tasks"] == [{"id": "all", "config": "qa", "split": "test"}]
    lines = {path: content for path, content in files.items() if path.endswith("_samples.jsonl")}
    shares = {}
    for path, content in lines.items():
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_bytes(content)
        other = path.replace("_samples.jsonl", ".json")
        (tmp_path / other).write_bytes(files[other])
        table = read_table(tmp_path / path, verdicts=("hallucination_rate",))
        assert set(table.frame["answer"]) == {f"A river of {Path(path).parent.name}."}
        shares[Path(path).parent.name] = table.flags("hallucination_rate").mean()
    assert all(path.startswith("every_eval_ever/data/first/unknown/m-") for path in lines)
    assert shares == pytest.approx({"m-one": 3 / 6, "m-two": 1 / 6})
    put_on_hub(at, "first", REPO, tag="v1.1")  # without them: they do not stay behind what they are of
    assert not [path for path in hub_here.files(REPO) if path.startswith("every_eval_ever/")]
