"""The published files: the counts that were found in them (published.yaml)."""

from collections import Counter
from pathlib import Path

import polars as pl
import pytest
import yaml

from truerate.config import Source
from truerate.core.schemas import pair
from truerate.sources.reading import read_source

CASES = yaml.safe_load(Path(__file__).with_name("published.yaml").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['reader']} {case.get('part', '')}".strip())
def test_what_was_found_in_the_published_files(public, case):
    folder = public(case["reader"], case["file"])
    source = Source(reader=case["reader"], path=str(folder), part=case.get("part"))
    got = read_source("x", source, folder, "stop")
    samples, tasks = got.samples, Counter(got.samples["task"])
    side_counts = samples.group_by("group_id").agg(pl.col("split").n_unique())["split"]
    corpus = got.items.select("item_id", pair("attributes", "corpus").alias("corpus"))
    by_system = samples.join(corpus, on="item_id").group_by("corpus", "generator")
    rates = by_system.agg(pl.col("is_hallucinated").mean().round(3)).rows()
    bare = got.items.filter(pl.col("document_ids").list.len() == 0)
    measured = {
        "heights": {name: got.tables[name].height for name in case["heights"]},
        "hallucinated": samples["is_hallucinated"].sum(),
        "marked": got.judgements["verdict"].sum(),
        "reasons": dict(Counter(got.rejects["reason"])),
        "systems": sorted(samples["generator"].unique(), key=str),
        "n_systems": samples["generator"].n_unique(),
        "is_one_side": side_counts.max() == 1,
        "licences": got.documents["licence"].n_unique(),
        "shares": sorted(map(list, rates), key=str),
        "tasks": {task: tasks[task] for task in case.get("tasks", {})},
        "counts": {name: got.card["counts"][name] for name in case.get("counts", {})},
        "without_page": dict(Counter(bare["lang"])),
        "n_languages": got.items["lang"].n_unique(),
    }
    expected = {key: value for key, value in case.items() if key in measured}
    expected |= {key: sorted(expected[key], key=str) for key in ("systems", "shares") if key in expected}
    assert {key: measured[key] for key in expected} == expected
