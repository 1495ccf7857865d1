"""The whole track over HTTP: a hand-made source, a model behind a real endpoint, its data set."""

import asyncio
import threading
from collections import Counter
from dataclasses import replace

import polars as pl
import pytest
import yaml
from stub import serve

from truerate.config import Params
from truerate.config.layout import Layout
from truerate.core.errors import TruerateError
from truerate.core.schemas import Item, Judgement, Sample, frame, pairs, validate
from truerate.core.spans.tags import TYPES
from truerate.llm.ask import estimate
from truerate.llm.generation import facts, generations
from truerate.pipeline import graph
from truerate.pipeline.dataset_tables import DATASET
from truerate.pipeline.planning.plan import planned
from truerate.tracks.asking import context_frame
from truerate.tracks.mfava import dataset, steps
from truerate.tracks.mfava.context import contexts

from .tiny_wiki import ROOT, SEEDS, Wiki, item, sample, settings, source, tables

BOARD = "wiki"
STEPS = ("silver", "translate", "query", "check", "answer")
SIZES = {"train": 2, "held_out": 1, "silver": 2, "articles": 2, "natural": 2}
SIZES |= {"seeds": [42], "scopes": ["multi"], "labels": ["binary"]}
VALUES = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
TABLES = source()
NOTHING = {"judgements": frame(Judgement)}


@pytest.fixture(scope="module")
def url():
    """The address of the model."""
    loop, server = asyncio.new_event_loop(), Wiki()
    listening = loop.run_until_complete(serve(server))
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1"
    loop.call_soon_threadsafe(loop.stop)
    thread.join()


def layout(url: str, n_train: int = 2, **changes) -> Layout:
    values = VALUES | {"profile": "demo", "n_shards": 2}
    values["sizes"] = {
        **VALUES["sizes"],
        "demo": VALUES["sizes"]["demo"] | {"mfava": SIZES | {"train": n_train}},
    }
    values["boards"] = {BOARD: {"track": "mfava", "source": "hand-made"}}
    values["sources"] = {"hand-made": {"reader": "silver_prompts", "path": str(ROOT / "rules")}}
    values["endpoints"] = VALUES["endpoints"] | {"loopback": {"base_url": url, "concurrency": 4}}
    values["models"] = VALUES["models"] | {"m": {"endpoint": "loopback", "model": "m"}}
    values["tracks"] = VALUES["tracks"] | {"mfava": settings(**changes).model_dump()}
    return Layout(Params.model_validate(values))


@pytest.fixture(scope="module")
def at(url, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRUERATE_STORE", str(tmp_path_factory.mktemp("store") / "responses.sqlite"))
        yield layout(url)


def run(at, given, name, upstream=None, model="m"):
    step = getattr(steps, name)
    return pl.concat([step(at, BOARD, model, given, shard, upstream or {}) for shard in range(2)])


def all_replies(at, given):
    result = {name: run(at, given, name) for name in ("silver", "translate", "query")}
    return result | {name: run(at, given, name, {"query": result["query"]}) for name in ("check", "answer")}


@pytest.fixture(scope="module")
def replies(at):
    return all_replies(at, TABLES)


@pytest.fixture(scope="module")
def exported(at, replies):
    return steps.exported(at, BOARD, TABLES, replies, NOTHING)


@pytest.fixture(scope="module")
def built(exported):
    return exported[0]


def test_tables_hold_their_schemas_and_account_for_every_reply(built):
    assert set(built) == set(DATASET) - {"facts"}
    for name, data in built.items():
        validate(DATASET[name], data, where=name)
    assert built["counts"]["n_in"].sum() == built["generations"].height
    # 2 prompts in 2 languages; 2 of 3 training items into German; 2 articles in 2 languages; 1 check per
    # language; 8 queries
    expected = {"write": 4, "insert": 24, "translate": 2, "translate_reference": 2, "query": 4, "check": 2}
    expected |= {"answer": 8}
    assert Counter(built["generations"]["purpose"]) == expected
    assert all({"lang", "task"} <= set(facts(row)) for row in built["generations"].iter_rows(named=True))


def test_silver_samples_hold_a_span_of_each_type(built):
    silver = built["samples"].filter(task="silver", generator="m", label_source="silver")
    assert silver.height == built["samples"].filter(task="silver").height == 4
    row = silver.filter(lang="de").row(0, named=True)
    marked = {span["type"]: row["text"][span["start"] : span["end"]] for span in row["spans"]}
    assert set(marked) == set(TYPES) and (marked["entity"], marked["relation"]) == ("1999", "Odla's mouth")
    assert "1204" not in row["text"] and "<" not in row["text"]
    assert all(span["p"] is None for span in row["spans"])


def test_translations_have_items_documents_and_spans_of_their_own(built):
    german, items, documents = (
        built["samples"].filter(task="train", lang="de"),
        built["items"],
        built["documents"],
    )
    # of three; not chosen ones stay out
    assert german.height == built["samples"].filter(task="train", lang="en").height == 2
    columns = context_frame(contexts(items, pl.concat([TABLES.documents, documents])))
    for row in german.iter_rows(named=True):
        shown = [row["text"][span["start"] : span["end"]] for span in row["spans"]]
        assert shown == ["Odla", "Nobody there eats cheese"]
        values = items.filter(item_id=row["item_id"]).row(0, named=True)
        group = f"g-{facts(values)['translated_from'].split('-')[1]}"
        assert (values["lang"], values["group_id"], row["group_id"]) == ("de", group, group)
        reference = documents.filter(pl.col("document_id").is_in(values["document_ids"])).row(0, named=True)
        assert (reference["lang"], reference["licence"]) == ("de", "CC0")
        assert columns.filter(item_id=row["item_id"])["knowledge"].item() == reference["text"]
        assert reference["text"].startswith("[German]")


def test_queries_become_items_with_subset_seed_and_check(built):
    wild = {row["item_id"]: facts(row) for row in built["items"].filter(task="wild").iter_rows(named=True)}
    assert Counter((columns["subset"], columns["subset_seed"]) for columns in wild.values()) == {
        ("0", "42"): 4,
        ("1", "43"): 4,
    }
    assert sum(columns.get("answerable") == "yes" for columns in wild.values()) == 2  # one per language
    answers = {
        row["item_id"]: facts(row)
        for row in built["generations"].filter(purpose="answer").iter_rows(named=True)
    }
    seeds = {name: columns["subset_seed"] for name, columns in answers.items()}
    assert seeds == {name: columns["subset_seed"] for name, columns in wild.items()}
    assert set(seeds.values()) == set(map(str, SEEDS))
    # the model answers in English whatever it is asked in
    assert {columns.get("wrong_language") for columns in answers.values()} == {None, "yes"}


def test_excluded_articles_are_rejects_and_annotation_tasks_are_the_passages_and_some_replies(exported):
    result, tasks = exported
    assert result["rejects"].select("where", "reason").rows() == [("article", "too-short")] * 2
    ids = {
        kind: {task["task_id"] for task in tasks if task["kind"] == kind} for kind in ("inserted", "natural")
    }
    assert ids["inserted"] == set(result["samples"].filter(task="silver")["sample_id"])
    assert len(ids["natural"]) == 4 and ids["natural"] < set(result["generations"]["generation_id"])


def test_detectors_learn_from_translate_train_and_judge_all_else_each_text_once(built):
    training = dataset.training(built["samples"])
    assert Counter(training.select("lang", "task").rows()) == {("de", "train"): 2, ("en", "train"): 2}
    targets = dataset.targets(built["samples"], built["generations"])
    columns = ["target_id", "item_id", "group_id", "lang", "task", "text", "spans"]
    assert targets.columns == training.columns == columns
    assert Counter(targets["task"]) == {"silver": 4, "wild": 8}
    assert not set(targets["group_id"]) & set(training["group_id"])
    reply = built["generations"].filter(purpose="answer", status="ok").row(0, named=True)
    attributes = {
        "task": "wild",
        "label_source": "gold",
        "attributes": pairs(generation=reply["generation_id"]),
    }
    gold = frame(Sample, [sample("gold-reply", "wild-A-en", reply["text"], [], **attributes)])
    judged = dataset.targets(pl.concat([built["samples"], gold]), built["generations"])
    assert judged.equals(targets)


def test_without_training_passages_the_training_split_of_silver_is_learned_from_never_gold():
    texts = []
    for name, split in (("A", "train"), ("B", "test")):
        for label in ("silver", "gold"):
            columns = {"task": "silver", "label_source": label, "split": split}
            texts.append(sample(f"{label}-{name}", f"silver-{name}-en", "Arlo flies.", [], **columns))
    result = frame(Sample, texts)
    assert dataset.training(result)["target_id"].to_list() == ["silver-A"]
    # gold-A is a text that was learned from
    assert dataset.targets(result, generations([]))["target_id"].to_list() == ["gold-B", "silver-B"]


def held_out(name: str, **changes) -> tuple[dict, dict]:
    """The item of a held-out passage and its sample."""
    values = {"group_id": f"g-{name}", "split": "test"} | changes
    spans = [{"start": 0, "end": 4, "type": "entity"}]
    of = item("held-out", name, "en", group_id=values["group_id"])
    return of, sample(
        f"h-{name}", of["item_id"], f"{name} lies by the sea.", spans, task="held-out", **values
    )


def test_held_out_passages_are_translated_and_judged_and_never_learned_from(at):
    passages = tables(*map(list, zip(held_out("Hale"), held_out("Iver"), strict=True)))
    joined = {
        name: pl.concat([getattr(TABLES, name), getattr(passages, name)])
        for name in ("items", "samples", "documents")
    }
    given = replace(TABLES, **joined)
    result, _ = steps.exported(at, BOARD, given, {"translate": run(at, given, "translate")}, NOTHING)
    texts = result["samples"].filter(task="held-out", split="test")
    assert sorted(texts["lang"]) == ["de", "en"]  # one of two is chosen, and translated
    assert result["samples"].filter(task="train").height == 4
    assert set(dataset.training(result["samples"])["task"]) == {"train"}
    judged = dataset.targets(result["samples"], result["generations"])
    assert judged["task"].to_list() == ["held-out"] * 2
    items = result["items"].filter(pl.col("item_id").is_in(texts["item_id"].to_list()))
    assert items["task"].to_list() == ["held-out"] * 2


def test_nothing_is_learned_from_a_text_whose_reference_is_held_out():
    passages = [sample(name[0], f"train-{name}-en", f"{name} flies.", []) for name in ("Elda", "Fenn")]
    result = frame(Sample, [*passages, held_out("Hale", group_id="g-Elda")[1]])
    assert dataset.training(result)["target_id"].to_list() == ["F"]
    assert dataset.targets(result, generations([]))["target_id"].to_list() == ["h-Hale"]


def test_a_rerun_asks_nothing_and_a_plan_foresees_every_call(at, replies, monkeypatch, tmp_path):
    result = planned(at, BOARD, TABLES)
    assert [(question.step, len(question.requests)) for question in result] == list(
        zip(STEPS, (28, 4, 4, 2, 8), strict=True)
    )
    assert [estimate(question.requests, at).n_calls for question in result] == [0] * 5
    monkeypatch.setenv("TRUERATE_STORE", str(tmp_path / "empty.sqlite"))
    result = planned(at, BOARD, TABLES)
    assert [estimate(question.requests, at).n_calls for question in result] == [28, 4, 4, 2, 8]
    assert [len(question.reminders) for question in result] == [
        2 * 28,
        0,
        0,
        0,
        0,
    ]  # every round may be tried twice again


def test_a_source_that_holds_labelled_texts_and_queries_passes_through(at):
    names = (
        ("silver", "Arlo", "en"),
        ("silver", "Bend", "de"),
        ("wild", "Casp", "en"),
        ("wild", "Casp", "de"),
    )
    held_out = [
        sample(label, "silver-Arlo-en", "It flies.", [], task="silver", label_source=label)
        for label in ("silver", "gold")
    ]
    given = tables([item(*name) for name in names], held_out)
    replies = all_replies(at, given)
    assert [replies[name].height for name in STEPS] == [0, 0, 0, 0, 2]
    result, tasks = steps.exported(at, BOARD, given, replies, NOTHING)
    assert result["samples"].equals(given.samples.sort("sample_id"))
    kept, values = (items.filter(task="wild").sort("item_id") for items in (result["items"], given.items))
    assert kept.equals(values) and {task["kind"] for task in tasks} == {"natural"}


def test_where_no_model_may_stand_nothing_is_asked_and_all_lists_are_empty(url, monkeypatch):
    named = dict.fromkeys(("writer", "translator", "query_writer"), "quill")
    simulated = layout(url, **named, checker="aster", subjects=("aster",))  # and a source that is not
    monkeypatch.chdir(ROOT)
    assert graph.for_export(simulated, BOARD) == [] and planned(simulated, BOARD, TABLES) == []
    assert all(run(simulated, TABLES, name, model="quill").is_empty() for name in STEPS)
    result, tasks = steps.exported(simulated, BOARD, TABLES, {}, NOTHING)
    assert tasks == [] and result["generations"].is_empty() and result["rejects"].is_empty()
    assert result["samples"].height == 2  # the English training passages that were chosen


def test_translating_in_parts_changes_nothing_and_without_english_passages_nothing_is_translated(
    at, monkeypatch, replies
):
    monkeypatch.setattr(steps, "N_AT_ONCE", 3)
    assert run(at, TABLES, "translate").equals(replies["translate"])
    items = TABLES.items.filter(pl.col("task") != "train")
    assert run(at, replace(TABLES, items=items, samples=TABLES.samples.clear()), "translate").is_empty()


def test_a_training_sample_whose_spans_overlap_is_a_reject_and_the_rest_goes_on(at, url):
    over = [{"start": k, "end": k + 6, "type": "entity", "p": None} for k in (0, 4)]
    rows = TABLES.samples.sort("sample_id").to_dicts()
    given = replace(TABLES, samples=frame(Sample, [rows[0] | {"spans": over}, *rows[1:]]))
    whole = layout(url, n_train=3)
    result, _ = steps.exported(whole, BOARD, given, {"translate": run(whole, given, "translate")}, NOTHING)
    rejected = result["rejects"].filter(where="translate").select("target_id", "reason").rows()
    assert rejected == [(rows[0]["sample_id"], "overlapping-spans")]
    assert Counter(result["samples"].filter(task="train")["lang"]) == {"de": 2, "en": 2}


def test_a_reference_that_was_not_translated_drops_its_passages(at, replies):
    is_reference = pl.col("purpose") == "translate_reference"
    cut = replies["translate"].with_columns(
        pl.when(is_reference).then(pl.lit(value)).otherwise(name).alias(name)
        for name, value in (("status", "unparsed"), ("reason", "empty"))
    )
    result, _ = steps.exported(at, BOARD, TABLES, replies | {"translate": cut}, NOTHING)
    assert result["samples"].filter(task="train", lang="de").is_empty() and result["documents"].is_empty()
    rejected = result["rejects"].filter(pl.col("where") != "article").select("where", "reason").rows()
    assert Counter(rejected) == {("translate", "no-reference"): 2, ("translate_reference", "empty"): 2}


LACKING = "board 'wiki': source 'hand-made' has nothing in language 'fr'; it has: de, en; take 'fr' out of"


@pytest.mark.parametrize(
    ("code", "judgements"), [("fr", LACKING), ("xx", "unknown language code 'xx'; known: ar, ")]
)
def test_a_language_that_is_not_there_is_one_clear_line(url, code, judgements):
    wrong = layout(url, languages=("en", code))
    for name in ("silver", "query"):
        with pytest.raises(TruerateError) as caught:
            run(wrong, TABLES, name)
        assert judgements in str(caught.value) and "\n" not in str(caught.value)


def test_translator_and_seq2seq_are_not_both_named():
    with pytest.raises(ValueError, match="not both"):
        settings(seq2seq="some/model")


def test_each_step_reads_the_queries_of_this_moment(at, monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(Layout, "source", lambda self, name, table="": "rules")
    paths = graph.for_export(at, BOARD)
    names = [f"{step}-{shard}.parquet" for step in STEPS for shard in range(2)]
    assert [path.rpartition("/")[2] for path in paths] == names
    assert all(graph.is_current(at, BOARD, path) for path in paths)
    assert not graph.is_current(at, BOARD, "elsewhere/silver-0.parquet")


def test_items_of_the_wild_are_the_same_for_every_step(at, replies):
    result = steps.wild_items(steps.WikiWork(at, BOARD, TABLES, replies))
    validate(Item, frame(Item, result), where="items")
    assert {row["item_id"] for row in result} == set(replies["answer"]["item_id"])
    assert {row["source"] for row in result} == {"s"}
