"""Planted scores: the exact expectation of what the simulated judges say of the texts at hand."""

import polars as pl
import pytest

from tests.rows import document, sample
from tests.rows import item as item_row
from truerate.core.schemas import Document, Generation, Item, Sample, Score, frame, pairs, validate
from truerate_world.halueval.models.claim_checker import PATTERNS
from truerate_world.halueval.models.profiles import PROFILES
from truerate_world.halueval.truth import planted_scores
from truerate_world.manners import manners_of
from truerate_world.simulated_model import reply

from ..asking import recognition, sampling

CONTRAST = ("accuracy", "accuracy_both_orders", "first_position_rate", "unparsed_rate")
VARIANTS = ["plain", "knowledge", "chain-of-thought", "contrast"]


@pytest.fixture(scope="module")
def tables(world, items):
    """Items, documents and samples of a board: per item the right text and one candidate; one label is wrong
    on purpose.
    """
    item_rows, documents, samples, asked = [], [], [], {}
    silver = {"label_source": "silver"}
    for number, item in enumerate(items[::2]):
        name, task = f"i{number:03d}", item["task"]
        history = item.get("Dialogue History", "")
        earlier, _, question = history.rpartition("\n[Human]: ")
        evidence = item.get("Knowledge") or item["Document"]
        documents.append(document(f"d{name}", evidence, title=name))
        asks = {"history": earlier, "question": item.get("Question", question), "right_answer": item["right"]}
        item_rows.append(item_row(name, task, document_ids=[f"d{name}"], **asks))
        pattern = PATTERNS[task][number % len(PATTERNS[task])]
        wrong = reply(world, "sim-quill", sampling(item, pattern), temperature=1.0, seed=5)
        wrong = item["right"] if number == 1 else wrong.truth["read"] or "nothing"
        samples += [
            sample(
                f"{name}-{is_wrong}",
                name,
                text,
                is_wrong,
                task=task,
                pattern=kind,
                **silver | {"pair_id": name},
            )
            for is_wrong, text, kind in ((False, item["right"], None), (True, wrong, pattern))
        ]
        asked[name] = item
    return frame(Item, item_rows), frame(Document, documents), frame(Sample, samples), asked


def planted(world, tables, **more):
    items, documents, samples, _ = tables
    models = {"a": "sim-aster", "e": "sim-elm"}
    return planted_scores(
        "b",
        world=world,
        models=models,
        samples=samples,
        items=items,
        documents=documents,
        variants=VARIANTS,
        **more,
    )


def value(rows, metric, subject, **where):
    found = [
        row
        for row in rows
        if (row["metric"], row["subject"], row["slice"]) == (metric, subject, pairs(**where))
    ]
    assert len(found) == 1
    return found[0]["value"], found[0]["n"]


def test_rows_are_scores_of_method_planted(world, tables):
    rows = planted(world, tables, inputs="abc")
    data = validate(Score, frame(Score, rows), where="test")
    assert (
        set(data["method"]) == {"planted"} and set(data["inputs"]) == {"abc"} and set(data["board"]) == {"b"}
    )
    assert (
        data.select(
            "metric",
            "subject",
            pl.col("slice").cast(pl.List(pl.Struct({"key": pl.String, "value": pl.String}))),
        )
        .is_duplicated()
        .sum()
        == 0
    )


@pytest.mark.parametrize("variant", VARIANTS[:3])
def test_planted_rates_are_the_mean_of_the_probabilities_that_the_judges_draw_with(world, tables, variant):
    _, _, samples, asked = tables
    rows = planted(world, tables)
    for alias, model in {"a": "sim-aster", "e": "sim-elm"}.items():
        drawn = {}
        for row in samples.iter_rows(named=True):
            if variant == "knowledge" and row["task"] == "summarization":
                continue
            p = reply(world, model, recognition(asked[row["item_id"]], row["text"], variant)).truth["p"]
            drawn.setdefault((row["task"], row["is_hallucinated"]), []).append(p)
            if row["pattern"]:
                drawn.setdefault((row["task"], row["pattern"]), []).append(p)
        for (task, group), found in drawn.items():
            mean = sum(found) / len(found)
            where = {"task": task, "variant": variant}
            if group is False:
                assert value(rows, "tnr", alias, **where) == (pytest.approx(1 - mean), len(found))
            else:
                pattern = {} if group is True else {"pattern": group}
                assert value(rows, "tpr", alias, **where, **pattern) == (pytest.approx(mean), len(found))
            assert value(rows, "unparsed_rate", alias, **where)[0] == PROFILES[model].unparsed


def test_contrast_counts_pairs_and_knowledge_skips_summaries(world, tables):
    rows = planted(world, tables)
    elm = PROFILES["sim-elm"]
    unbiased, read = (1 - elm.position_bias) * elm.contrast["qa"], 1 - elm.unparsed
    found = {name: value(rows, name, "e", task="qa", variant="contrast") for name in CONTRAST}
    assert found == {
        "accuracy": (pytest.approx((unbiased + elm.position_bias / 2) * read), 60),
        "accuracy_both_orders": (pytest.approx(unbiased * read**2), 30),
        "first_position_rate": (pytest.approx((1 + elm.position_bias) / 2), 60),
        "unparsed_rate": (elm.unparsed, 60),
    }
    assert not [row for row in rows if row["slice"] == pairs(task="summarization", variant="knowledge")]


def test_only_subjects_are_ranked_and_generators_have_their_failures(world, tables):
    attributes = [
        pairs(task="qa", pattern=name, scheme="one-pass") for name in ("inference", "inference", "unknown")
    ]
    shown = [{"purpose": "sample", "model": "e", "attributes": one} for one in attributes]
    shown += [{"purpose": "filter", "model": "a", "attributes": pairs(task="qa")}] * 2
    schema = frame(Generation).select("purpose", "model", "attributes").schema
    rows = planted(world, tables, subjects=["a"], generations=pl.DataFrame(shown, schema=schema))
    elm, aster = PROFILES["sim-elm"], PROFILES["sim-aster"]
    failure = elm.failure("qa", "inference")
    assert value(rows, "candidate_failure_rate", "e", task="qa", pattern="inference") == (
        pytest.approx(failure),
        2,
    )
    # of those that can be read: with a = .22 that say the right answer again, a third of them in a sentence, and
    # u = .01 thoughts that are cut, (1 - a)(1 - u) of a/3 + (1 - a/3)(1 - u) are new
    a, u = elm.restating["qa", "inference"], manners_of("sim-elm").unfinished
    too_long = (1 - a) * (1 - u) / (a / 3 + (1 - a / 3) * (1 - u)) * elm.verbosity
    for reason, rate in {"refusal": elm.refusal, "right-restated": (1 - elm.refusal) * a / 3}.items():
        found = value(rows, "candidate_failure_rate", "e", task="qa", reason=reason)
        assert found == (pytest.approx(rate), 2)
    assert value(rows, "length_rule_broken_rate", "e", task="qa", scheme="one-pass")[0] == pytest.approx(
        too_long
    )
    assert value(rows, "filter_disagreement_rate", "a", task="qa") == (aster.position_bias, 1)
    assert value(rows, "filter_unparsed_rate", "a", task="qa") == (aster.unparsed, 2)
    assert {row["subject"] for row in rows if row["metric"] == "tpr"} == {"a"}


def test_nothing_to_judge_gives_no_row(world, tables):
    items, documents, samples, _ = tables
    rows = planted_scores(
        "b",
        world=world,
        models={"a": "sim-aster"},
        samples=samples.clear(),
        items=items,
        documents=documents,
        variants=VARIANTS,
    )
    assert rows == []
