"""The whole track over HTTP: a hand-made source, a model behind a real endpoint, its data set."""

import asyncio
import threading
from dataclasses import replace

import polars as pl
import pytest
import yaml
from stub import serve

from truerate.config import Params
from truerate.config.layout import Layout
from truerate.core.errors import TruerateError
from truerate.core.schemas import Item, Judgement, Sample, frame, pairs, validate
from truerate.core.tags import TYPES
from truerate.llm import estimate
from truerate.llm.generation import facts, generations
from truerate.pipeline import graph
from truerate.pipeline.dataset_tables import DATASET
from truerate.pipeline.planning.plan import planned
from truerate.tracks.asking import context_frame
from truerate.tracks.mfava import steps
from truerate.tracks.mfava.context import contexts

from .tiny_wiki import ROOT, SEEDS, Wiki, item, sample, settings, source, tables

BOARD = "wiki"
SIZES = {
    "train": 2,
    "held_out": 1,
    "silver": 2,
    "articles": 2,
    "natural": 2,
    "seeds": [42],
    "scopes": ["multi"],
    "labels": ["binary"],
}


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
    values = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
    values["sizes"]["demo"]["mfava"] = SIZES | {"train": n_train}
    values |= {"profile": "demo", "n_shards": 2}
    values["boards"] = {BOARD: {"track": "mfava", "source": "hand-made"}}
    values["sources"] = {"hand-made": {"reader": "silver_prompts", "path": str(ROOT / "rules")}}
    values["endpoints"]["loopback"] = {"base_url": url, "concurrency": 4}
    values["models"]["m"] = {"endpoint": "loopback", "model": "m"}
    values["tracks"]["mfava"] = settings(**changes).model_dump()
    return Layout(Params.model_validate(values))


@pytest.fixture(scope="module")
def at(url, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRUERATE_STORE", str(tmp_path_factory.mktemp("store") / "responses.sqlite"))
        yield layout(url)


TABLES = source()


def run(at, given, name, upstream=None, model="m"):
    return pl.concat(
        [getattr(steps, name)(at, BOARD, model, given, shard, upstream or {}) for shard in range(2)]
    )


def all_replies(at, given):
    made = {name: run(at, given, name) for name in ("silver", "translate", "query")}
    return made | {name: run(at, given, name, {"query": made["query"]}) for name in ("check", "answer")}


@pytest.fixture(scope="module")
def replies(at):
    return all_replies(at, TABLES)


@pytest.fixture(scope="module")
def exported(at, replies):
    return steps.exported(at, BOARD, TABLES, replies, {"judgements": frame(Judgement)})


def test_tables_hold_their_schemas_and_account_for_every_reply(exported):
    made, _ = exported
    assert set(made) == set(DATASET) - {"facts"}
    for name, data in made.items():
        validate(DATASET[name], data, where=name)
    assert made["counts"]["n_in"].sum() == made["generations"].height
    by_purpose = dict(made["generations"].group_by("purpose").len().iter_rows())
    # 2 prompts in 2 languages; 2 of 3 training items into German; 2 articles in 2 languages; 1 check per
    # language; 8 queries
    assert by_purpose == {
        "write": 4,
        "insert": 24,
        "translate": 2,
        "translate_reference": 2,
        "query": 4,
        "check": 2,
        "answer": 8,
    }
    known = [facts(row) for row in made["generations"].iter_rows(named=True)]
    assert all({"lang", "task"} <= set(one) for one in known)


def test_silver_samples_hold_a_span_of_each_type(exported):
    made, _ = exported
    silver = made["samples"].filter(task="silver")
    assert (
        silver.height == 4
        and silver["generator"].unique().to_list() == ["m"]
        and silver["label_source"].unique().to_list() == ["silver"]
    )
    row = silver.filter(lang="de").row(0, named=True)
    marked = {span["type"]: row["text"][span["start"] : span["end"]] for span in row["spans"]}
    assert set(marked) == set(TYPES) and (marked["entity"], marked["relation"]) == ("1999", "Odla's mouth")
    assert (
        "1204" not in row["text"]
        and "<" not in row["text"]
        and all(span["p"] is None for span in row["spans"])
    )


def test_translations_have_items_documents_and_spans_of_their_own(exported):
    made, _ = exported
    german = made["samples"].filter(task="train", lang="de")
    assert (
        german.height == 2 and made["samples"].filter(task="train", lang="en").height == 2
    )  # of three; not chosen ones stay out
    for row in german.iter_rows(named=True):
        assert [row["text"][span["start"] : span["end"]] for span in row["spans"]] == [
            "Odla",
            "Nobody there eats cheese",
        ]
        own = made["items"].filter(item_id=row["item_id"]).row(0, named=True)
        origin = facts(own)["translated_from"]
        assert (
            (own["lang"], own["group_id"]) == ("de", row["group_id"]) == ("de", f"g-{origin.split('-')[1]}")
        )
        reference = (
            made["documents"].filter(pl.col("document_id").is_in(own["document_ids"])).row(0, named=True)
        )
        assert (
            reference["lang"] == "de"
            and reference["text"].startswith("[German]")
            and reference["licence"] == "CC0"
        )
    known = context_frame(contexts(made["items"], pl.concat([TABLES.documents, made["documents"]])))
    assert (
        known.filter(pl.col("item_id").is_in(german["item_id"].to_list()))["knowledge"]
        .str.starts_with("[German]")
        .all()
    )


def test_queries_become_items_with_subset_seed_and_check(exported):
    made, _ = exported
    wild = [(row, facts(row)) for row in made["items"].filter(task="wild").iter_rows(named=True)]
    assert len(wild) == 8 and {(known["subset"], known["subset_seed"]) for _, known in wild} == {
        ("0", "42"),
        ("1", "43"),
    }
    assert sum(known.get("answerable") == "yes" for _, known in wild) == 2  # one per language
    answers = made["generations"].filter(purpose="answer")
    seeds = {row["item_id"]: facts(row)["subset_seed"] for row in answers.iter_rows(named=True)}
    assert seeds == {row["item_id"]: known["subset_seed"] for row, known in wild} and set(seeds.values()) == {
        str(seed) for seed in SEEDS
    }
    assert {
        facts(row).get("wrong_language")
        for row in answers.filter(pl.col("params").str.contains("seed")).iter_rows(named=True)
    } == {
        None,
        "yes",  # the model answers in English whatever it is asked in
    }


def test_excluded_articles_are_rejects(exported):
    made, _ = exported
    assert made["rejects"].select("where", "reason").rows() == [("article", "too-short")] * 2


def test_annotation_tasks_are_the_passages_and_some_replies(exported):
    made, tasks = exported
    assert {task["task_id"] for task in tasks if task["kind"] == "inserted"} == set(
        made["samples"].filter(task="silver")["sample_id"]
    )
    natural = [task for task in tasks if task["kind"] == "natural"]
    assert len(natural) == 4 and {task["task_id"] for task in natural} < set(
        made["generations"]["generation_id"]
    )


def test_learned_from_is_translate_train_and_judged_is_all_else(exported):
    made, _ = exported
    training = steps.training(made["samples"])
    assert sorted(training["lang"].to_list()) == ["de", "de", "en", "en"] and training[
        "task"
    ].unique().to_list() == ["train"]
    targets = steps.targets(made["samples"], made["generations"])
    assert (
        targets.columns
        == training.columns
        == ["target_id", "item_id", "group_id", "lang", "task", "text", "spans"]
    )
    assert dict(targets.group_by("task").len().iter_rows()) == {"silver": 4, "wild": 8}
    assert not set(targets["group_id"]) & set(training["group_id"])


def test_a_reply_that_people_labelled_is_judged_once(exported):
    made, _ = exported
    reply = made["generations"].filter(purpose="answer", status="ok").row(0, named=True)
    known = {"task": "wild", "label_source": "gold"}
    known["attributes"] = pairs(generation=reply["generation_id"])
    gold = frame(Sample, [sample("gold-reply", "wild-A-en", reply["text"], [], **known)])
    judged = steps.targets(pl.concat([made["samples"], gold]), made["generations"])["target_id"].to_list()
    assert reply["generation_id"] in judged and "gold-reply" not in judged


def test_without_training_passages_the_training_split_of_silver_is_learned_from_never_gold():
    both = [
        sample(
            f"{label}-{name}",
            f"silver-{name}-en",
            "Arlo flies.",
            [],
            task="silver",
            label_source=label,
            split=split,
        )
        for name, split in (("A", "train"), ("B", "test"))
        for label in ("silver", "gold")
    ]
    made = frame(Sample, both)
    assert steps.training(made)["target_id"].to_list() == ["silver-A"]
    assert steps.targets(made, generations([]))["target_id"].to_list() == [
        "gold-B",
        "silver-B",
    ]  # gold-A is a text that was learned from


def held_out(name: str, **changes) -> tuple[dict, dict]:
    """The item of a held-out passage and its sample."""
    own = {"group_id": f"g-{name}", "split": "test"} | changes
    spans = [{"start": 0, "end": 4, "type": "entity"}]
    of = item("held-out", name, "en", group_id=own["group_id"])
    return of, sample(f"h-{name}", of["item_id"], f"{name} lies by the sea.", spans, task="held-out", **own)


def test_held_out_passages_are_translated_and_judged_and_never_learned_from(at):
    items, samples = zip(held_out("Hale"), held_out("Iver"), strict=True)
    given = replace(
        TABLES,
        items=pl.concat([TABLES.items, frame(Item, list(items))]),
        documents=tables(list(items)).documents,
    )
    given = replace(given, samples=pl.concat([TABLES.samples, frame(Sample, list(samples))]))
    given = replace(given, documents=pl.concat([TABLES.documents, given.documents]))
    made, _ = steps.exported(
        at, BOARD, given, {"translate": run(at, given, "translate")}, {"judgements": frame(Judgement)}
    )
    held = made["samples"].filter(task="held-out")
    assert sorted(held["lang"]) == ["de", "en"] and set(held["split"]) == {
        "test"
    }  # one of two is chosen, and translated
    assert made["samples"].filter(task="train").height == 4
    learned, judged = steps.training(made["samples"]), steps.targets(made["samples"], made["generations"])
    assert set(learned["task"]) == {"train"} and judged["task"].to_list() == ["held-out"] * 2
    assert (
        made["items"].filter(pl.col("item_id").is_in(held["item_id"].to_list()))["task"].to_list()
        == ["held-out"] * 2
    )


def test_nothing_is_learned_from_a_text_whose_reference_is_held_out():
    taught = [
        sample("a", "train-Elda-en", "Elda flies.", []),
        sample("b", "train-Fenn-en", "Fenn flies.", []),
    ]
    made = frame(Sample, [*taught, held_out("Hale", group_id="g-Elda")[1]])
    assert steps.training(made)["target_id"].to_list() == ["b"]
    assert steps.targets(made, generations([]))["target_id"].to_list() == ["h-Hale"]


def test_again_nothing_is_asked_and_the_plan_knows_it(at, replies):
    made = planned(at, BOARD, TABLES)
    assert [(one.step, len(one.requests)) for one in made] == [
        ("silver", 28),
        ("translate", 4),
        ("query", 4),
        ("check", 2),
        ("answer", 8),
    ]
    assert [estimate(one.requests, at).n_calls for one in made] == [0] * 5


def test_a_plan_before_anything_is_stored_foresees_every_call(at, replies, monkeypatch, tmp_path):
    monkeypatch.setenv("TRUERATE_STORE", str(tmp_path / "empty.sqlite"))
    made = planned(at, BOARD, TABLES)
    assert [estimate(one.requests, at).n_calls for one in made] == [28, 4, 4, 2, 8]
    assert [len(one.reminders) for one in made] == [
        2 * 28,
        0,
        0,
        0,
        0,
    ]  # every round may be tried twice again


def test_a_source_that_holds_labelled_texts_and_queries_passes_through(at):
    items = [
        item("silver", "Arlo", "en"),
        item("silver", "Bend", "de"),
        item("wild", "Casp", "en"),
        item("wild", "Casp", "de"),
    ]
    held = [
        sample("s", "silver-Arlo-en", "It flies.", [], task="silver"),
        sample("g", "silver-Arlo-en", "It flies.", [], task="silver", label_source="gold"),
    ]
    given = tables(items, held)
    replies = all_replies(at, given)
    assert {name: rows.height for name, rows in replies.items()} == {
        "silver": 0,
        "translate": 0,
        "query": 0,
        "check": 0,
        "answer": 2,
    }
    made, tasks = steps.exported(at, BOARD, given, replies, {"judgements": frame(Judgement)})
    assert made["samples"].equals(given.samples.sort("sample_id"))
    kept = made["items"].filter(pl.col("task") == "wild").sort("item_id")
    assert kept.equals(given.items.filter(pl.col("task") == "wild").sort("item_id")) and {
        task["kind"] for task in tasks
    } == {"natural"}


def test_where_no_model_may_stand_nothing_is_asked_and_all_lists_are_empty(url, monkeypatch):
    named = {
        "writer": "quill",
        "translator": "quill",
        "query_writer": "quill",
        "checker": "aster",
        "subjects": ("aster",),
    }
    simulated = layout(url, **named)  # simulated models, and a source that is not
    monkeypatch.chdir(ROOT)
    assert graph.for_export(simulated, BOARD) == [] and planned(simulated, BOARD, TABLES) == []
    for name in ("silver", "translate", "query", "check", "answer"):
        assert run(simulated, TABLES, name, model="quill").is_empty()
    made, tasks = steps.exported(simulated, BOARD, TABLES, {}, {"judgements": frame(Judgement)})
    assert tasks == [] and made["generations"].is_empty() and made["rejects"].is_empty()
    assert made["samples"].height == 2  # the English training passages that were chosen


def test_translating_in_parts_changes_nothing(at, monkeypatch, replies):
    monkeypatch.setattr(steps, "N_AT_ONCE", 3)
    assert run(at, TABLES, "translate").equals(replies["translate"])


def test_without_english_training_items_nothing_is_translated(at):
    given = replace(
        TABLES, items=TABLES.items.filter(pl.col("task") != "train"), samples=TABLES.samples.clear()
    )
    assert run(at, given, "translate").is_empty()


def test_a_training_sample_whose_spans_overlap_is_a_reject_and_the_rest_goes_on(at):
    over = [
        {"start": 0, "end": 6, "type": "entity", "p": None},
        {"start": 4, "end": 9, "type": "relation", "p": None},
    ]
    rows = TABLES.samples.sort("sample_id").to_dicts()
    given = replace(TABLES, samples=frame(Sample, [row | {"spans": over} for row in rows[:1]] + rows[1:]))
    whole = layout(at.p.endpoints["loopback"].base_url, n_train=3)
    replies = {"translate": run(whole, given, "translate")}
    made, _ = steps.exported(whole, BOARD, given, replies, {"judgements": frame(Judgement)})
    assert made["rejects"].filter(where="translate").select("target_id", "reason").rows() == [
        (rows[0]["sample_id"], "overlapping-spans")
    ]
    assert (
        made["samples"].filter(task="train", lang="de").height
        == made["samples"].filter(task="train", lang="en").height
        == 2
    )


def test_a_reference_that_was_not_translated_drops_its_passages(at, replies):
    cut = replies["translate"].with_columns(
        status=pl.when(pl.col("purpose") == "translate_reference")
        .then(pl.lit("unparsed"))
        .otherwise("status"),
        reason=pl.when(pl.col("purpose") == "translate_reference").then(pl.lit("empty")).otherwise("reason"),
    )
    made, _ = steps.exported(
        at, BOARD, TABLES, replies | {"translate": cut}, {"judgements": frame(Judgement)}
    )
    assert made["samples"].filter(task="train", lang="de").is_empty() and made["documents"].is_empty()
    reasons = (
        made["rejects"]
        .filter(pl.col("where") != "article")
        .group_by("where", "reason")
        .len()
        .sort("where")
        .rows()
    )
    assert reasons == [("translate", "no-reference", 2), ("translate_reference", "empty", 2)]


@pytest.mark.parametrize(
    ("langs", "said"),
    [
        (
            ("en", "fr"),
            "board 'wiki': source 'hand-made' has nothing in language 'fr'; it has: de, en; take 'fr' out of",
        ),
        (("en", "xx"), "unknown language code 'xx'; known: ar, "),
    ],
)
def test_a_language_that_is_not_there_is_one_clear_line(url, langs, said):
    wrong = layout(url, languages=langs)
    for name in ("silver", "query"):
        with pytest.raises(TruerateError) as caught:
            run(wrong, TABLES, name)
        assert said in str(caught.value) and "\n" not in str(caught.value)


def test_translator_and_seq2seq_are_not_both_named():
    with pytest.raises(ValueError, match="not both"):
        settings(seq2seq="some/model")


def test_each_step_reads_the_queries_of_this_moment(at, monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(Layout, "source", lambda self, name, table="": "rules")
    paths = graph.for_export(at, BOARD)
    assert [path.rpartition("/")[2] for path in paths] == [
        f"{step}-{shard}.parquet"
        for step in ("silver", "translate", "query", "check", "answer")
        for shard in range(2)
    ]
    assert all(graph.is_current(at, BOARD, path) for path in paths) and not graph.is_current(
        at, BOARD, "elsewhere/silver-0.parquet"
    )


def test_items_of_the_wild_are_the_same_for_every_step(at, replies):
    made = steps.wild_items(at, BOARD, TABLES, replies["query"])
    validate(Item, frame(Item, made), where="items")
    assert {row["item_id"] for row in made} == set(replies["answer"]["item_id"]) and {
        row["source"] for row in made
    } == {"s"}
