"""The whole track over HTTP: a small closed world, its models, its data set, its judgements and labels."""

from collections import Counter
from pathlib import Path

import polars as pl
import pytest

from truerate.config import Params, load_params
from truerate.config.layout import Layout
from truerate.core.schemas import Count, Generation, Item, Judgement, Reject, Sample, frame, pair, validate
from truerate.llm.ask import estimate
from truerate.llm.generation import facts
from truerate.pipeline.planning.plan import planned
from truerate.sources.papers import faithdial
from truerate.tracks.halludial import steps
from truerate.tracks.halludial.dataset import targets, training
from truerate_world.__main__ import main as write_world

BOARD = "halludial-closed-world"
ROOT = Path(__file__).parents[3]
N_DIALOGUES, N_LOCATED = 4, 6
SIZES = {
    "dialogues": N_DIALOGUES,
    "tempered": 1,
    "located": N_LOCATED,
    "compared": 2,
    "natural": 2,
    "meta": 2,
}
MODELS = ("aster", "elm")


@pytest.fixture(scope="module")
def at(tmp_path_factory):
    """The project's own settings made small, with a store of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        patch.setenv("TRUERATE_STORE", str(tmp_path_factory.mktemp("store") / "responses.sqlite"))
        values = load_params("params.yaml").model_dump()
        values["sizes"]["demo"]["halludial"] |= SIZES
        values |= {"profile": "demo", "n_shards": 2}
        values["tracks"]["halludial"] |= {"responders": MODELS, "subjects": MODELS, "temperatures": (0.2,)}
        yield Layout(Params.model_validate(values)).on(BOARD)


@pytest.fixture(scope="module")
def tables(at, tmp_path_factory):
    folder = tmp_path_factory.mktemp("world")
    write_world(["write-dialogues", str(folder), "--seed", "7", "--dialogues", str(N_DIALOGUES)])
    return faithdial.read(folder, name="closed-world-dialogues", on_bad_row="stop")


@pytest.fixture(scope="module")
def built(at, tables):
    """The tables of the data set, and its tasks."""
    replies, judged = {}, []
    roles = {"respond": MODELS, "detect": MODELS}
    for step in ("respond", "annotate", "induce", "detect", "meta"):
        models = roles.get(step, ("quill",))
        parts = []
        for model in models:
            for shard in range(2):
                given = getattr(steps, step)(at, BOARD, model, tables, shard, replies)
                rows, beside = given if isinstance(given, tuple) else (given, {})
                parts.append(rows)
                judged += beside.values()
        replies[step] = pl.concat(parts)
    return steps.exported(at, BOARD, tables, replies, {"judgements": pl.concat(judged).sort("judgement_id")})


def attributes_of(data: pl.DataFrame, *keys: str) -> pl.DataFrame:
    return data.with_columns(pair("attributes", key) for key in keys)


def test_tables_hold_their_schemas_and_account_for_every_reply(built):
    result, _ = built
    for table in (Item, Generation, Sample, Judgement, Reject, Count):
        name = f"{table.__name__.lower()}s"
        validate(table, result[name], where=name)
    assert result["counts"]["n_in"].sum() == result["generations"].height
    assert result["items"]["group_id"].n_unique() == N_DIALOGUES


def test_each_turn_is_answered_once_and_test_dialogues_in_self_history_and_at_other_temperatures(
    built, tables
):
    result, _ = built
    rows = attributes_of(
        result["generations"].filter(purpose="respond"), "history", "temperature", "split", "group_id"
    )
    n_of = {tuple(key): n for *key, n in rows.group_by("history", "temperature").len().iter_rows()}
    n_turns = tables.items.height
    n_test = rows.filter(split="test", history="gold", temperature="1")["item_id"].n_unique()
    assert 0 < n_test < n_turns
    assert (n_of["gold", "1"], n_of["self", "1"]) == (2 * n_turns, 2 * n_test)
    tempered = rows.filter(temperature="0.2")
    assert tempered["group_id"].n_unique() == 1 and set(tempered["split"]) == {"test"}


@pytest.mark.parametrize("setting", [{"drop": ("temperature",)}, {"params": {"temperature": 1.0}}])
def test_a_model_that_no_temperature_is_told_has_no_responses_at_others(at, tables, setting):
    """Its four temperatures were one, and the line over them was drawn of one reply."""
    values = at.p.model_dump()
    values["models"]["elm"] |= setting
    board = Layout(Params.model_validate(values)).on(BOARD)
    asked = {
        step.model: len(step.requests) for step in planned(board, BOARD, tables) if step.step == "respond"
    }
    assert 0 < asked["elm"] < asked["aster"]


def test_the_first_response_is_the_same_in_both_histories(built):
    """No turn of the assistant stands before it: the question is one, and is paid for once."""
    rows = attributes_of(built[0]["generations"].filter(purpose="respond"), "history", "temperature", "turn")
    first = rows.filter(turn="0", temperature="1")
    both = first.pivot("history", index=["item_id", "model"], values="prompt_key").drop_nulls()
    assert both.height and (both["gold"] == both["self"]).all()


def test_samples_are_of_both_scenarios_with_their_dialogues_on_one_side(built):
    samples = attributes_of(built[0]["samples"], "scenario", "kind")
    assert set(samples["scenario"]) == {"spontaneous", "induced"}
    assert set(samples["kind"].drop_nulls()) == {"reference", "factuality", "faithfulness", "matched"}
    assert (
        samples.group_by("group_id").agg(pl.col("split").n_unique())["split"].to_list() == [1] * N_DIALOGUES
    )
    assert samples.filter(kind="factuality")["is_hallucinated"].all()
    for row in samples.iter_rows(named=True):
        assert all(0 <= span["start"] < span["end"] <= len(row["text"]) for span in row["spans"])


def test_every_test_sample_is_judged_and_some_are_located(built):
    result, _ = built
    judged = attributes_of(result["judgements"], "variant", "kind", "order")
    tested = set(result["samples"].filter(split="test")["sample_id"])
    for model in MODELS:
        values = judged.filter(judge=model)
        assert set(values.filter(variant="zero-shot")["target_id"]) == tested
        assert values.filter(variant="three-shot").height == N_LOCATED
    compared = judged.filter(variant="compare", judge="aster").group_by("kind").len()
    # both orders, both sides, two pairs of each kind (spontaneous ones as far as there are)
    counts = {kind: n for kind, n in compared.iter_rows() if kind != "spontaneous"}
    assert counts == {"factuality": 8, "faithfulness": 8}


def test_judgements_are_judged_and_given_to_people_beside_whole_conversations(built):
    result, tasks = built
    by_kind = {kind: [task for task in tasks if task["kind"] == kind] for kind in ("natural", "meta")}
    judged = attributes_of(result["generations"].filter(purpose="meta"), "target", "reasked")
    judged = judged.filter(pl.col("reasked").is_null())
    ids = {kind: {task["task_id"] for task in of_kind} for kind, of_kind in by_kind.items()}
    assert set(judged["target"]) == ids["meta"] <= set(result["judgements"]["judgement_id"])
    responses = result["generations"].filter(pl.col("generation_id").is_in(list(ids["natural"])))
    conversations = Counter((row["model"], facts(row)["group_id"]) for row in responses.iter_rows(named=True))
    assert len(conversations) == 2 and {model for model, _ in conversations} == set(MODELS)


def test_detectors_learn_and_judge_apart(built):
    result, _ = built
    trained, judged = training(result["samples"]), targets(result["samples"], result["generations"])
    assert not set(trained["group_id"]) & set(judged["group_id"])
    responses = result["generations"].filter(pl.col("purpose") == "respond", pl.col("status") == "ok")
    tested = attributes_of(responses, "split").filter(split="test")["generation_id"]
    assert set(tested) < set(judged["target_id"])  # and induced and matched texts, and references


def test_a_plan_asks_nothing_more_once_all_is_stored(at, tables, built):
    requests = [request for step in planned(at, BOARD, tables) for request in step.requests]
    cost = estimate(requests, at)
    assert (cost.n_calls, cost.n_stored > 0) == (0, True)


def test_a_board_of_real_data_asks_no_simulated_model_and_keeps_the_sources_labels(at, tables):
    values = at.p.model_dump()
    values["sources"]["closed-world-dialogues"] |= {"is_simulated": False}
    real = Layout(Params.model_validate(values)).on(BOARD)
    for step in ("respond", "annotate", "induce", "detect", "meta"):
        given = getattr(steps, step)(real, BOARD, "quill", tables, 0, {})
        assert (given[0] if isinstance(given, tuple) else given).is_empty()
    result, tasks = steps.exported(real, BOARD, tables, {}, {"judgements": frame(Judgement)})
    assert tasks == [] and result["generations"].is_empty()
    assert result["samples"]["sample_id"].to_list() == sorted(tables.samples["sample_id"])
    assert {facts(row)["scenario"] for row in result["samples"].iter_rows(named=True)} == {"natural"}
