"""What truerate publishes of boards of mFAVA and WildHallucinations, read again: labelled passages and
replies, facts with verdicts.
"""

from dataclasses import replace

import polars as pl
import pytest

from tests.hub import small_board
from truerate.config.layout import ORIGIN
from truerate.core.errors import TruerateError
from truerate.core.schemas import Document, Fact, Generation, Item, Judgement, Sample, frame, pair, pairs
from truerate.hub.configs import configs_of
from truerate.hub.dataset import origin_of
from truerate.hub.shards import shards_of
from truerate.tracks.mfava.dataset import targets, training
from truerate.tracks.wildhallucinations.dataset import ready
from truerate.tracks.wildhallucinations.replies import verdicts_of

BOARD, CARD = small_board.BOARD, small_board.CARD | {"licence": "CC0-1.0"}
SPAN = {"start": 0, "end": 3, "type": "entity", "p": None}


def document(name, text, licence="CC0-1.0"):
    named = {"document_id": name, "title": name, "text": text, "url": f"https://example.org/{name}"}
    return BOARD["document"] | named | {"licence": licence}


def item(name, task, /, *documents, lang="en", question="", **attributes):
    named = {"item_id": name, "group_id": f"g-{name[:2]}", "document_ids": list(documents)}
    return (
        BOARD["item"]
        | named
        | {"task": task, "lang": lang, "question": question, "attributes": pairs(**attributes)}
    )


def sample(
    name, of, *, label_source="silver", split="train", spans=(), lang="en", is_hallucinated=None, **attributes
):
    return BOARD["sample"] | {
        "sample_id": name,
        **{column: of[column] for column in ("item_id", "group_id", "task")},
        "lang": lang,
        "text": f"Tin text {name}",
        "is_hallucinated": bool(spans) if is_hallucinated is None else is_hallucinated,
        "label_source": label_source,
        "generator": "m",
        "spans": list(spans),
        "split": split,
        "attributes": pairs(**attributes),
    }


@pytest.fixture
def lay(put):
    """Publish tables into the folder that is read; gives the configs."""

    def run(tables, track, *, has_origin=True):
        configs = configs_of(tables, card=CARD, source=small_board.SOURCE, tasks=small_board.TASKS)
        for shard in (entry for config in configs for entry in shards_of(config, rows_per_shard=3)):
            put(shard.path, shard.content)
        facts = small_board.facts(
            source=CARD, track=replace(small_board.TRACK, name=track), languages=("en",)
        )
        if has_origin:
            put(ORIGIN, origin_of(facts, configs, licence=None))
        else:
            put("README.md", f"---\nlicense: cc0-1.0\ntags: [{track}]\n---\n")
        return [config.name for config in configs]

    return run


def refused(read, **part):
    with pytest.raises(TruerateError) as error:
        read("truerate", **part)
    assert "\n" not in str(error.value)
    return str(error.value)


def by_published(samples):
    return {
        row["published_id"]: row
        for row in samples.with_columns(pair("attributes", "published_id")).to_dicts()
    }


# ---- mFAVA -------------------------------------------------------------------------------------------------
def passages():
    """A labelled English passage and its translation, one held out, a silver passage with its gold label, a
    labelled reply.
    """
    ours = [
        item("t1", "train", "d1"),
        item("t1-de", "train", "d2", lang="de"),
        item("h1", "held-out", "d3"),
        item("s1", "silver", "d4"),
    ]
    ours += [item("w1", "wild", "d5", question="What is tin?")]
    train, translated, stored, silver, wild = ours
    samples = [
        sample("a", train, spans=[SPAN]),
        sample("b", translated, lang="de", spans=[SPAN], translated_from="a"),
        sample("c", stored, split="test"),
        sample("d", silver, spans=[SPAN], split="test"),
        sample("e", silver, label_source="gold", split="test", silver="d", n_labels=2),
        sample(
            "f",
            wild,
            label_source="gold",
            spans=[SPAN | {"p": 0.5}],
            is_hallucinated=False,
            split="train",
            n_labels=2,
        ),
    ]
    documents = [document(f"d{k}", f"Reference {k}.") for k in range(1, 6)]
    return {
        "items": frame(Item, ours),
        "documents": frame(Document, documents),
        "samples": frame(Sample, samples),
    }


@pytest.mark.parametrize("has_origin", [True, False])
def test_passages_and_replies_with_their_labels(lay, read, has_origin):
    tables = passages()
    assert lay(tables, "mfava", has_origin=has_origin)[:4] == ["train", "held-out", "silver", "wild"]
    got = read("truerate")
    back, before = by_published(got.samples), {row["sample_id"]: row for row in tables["samples"].to_dicts()}
    assert back.keys() == before.keys()
    kept = (
        "group_id",
        "task",
        "lang",
        "text",
        "is_hallucinated",
        "label_source",
        "generator",
        "spans",
        "split",
    )
    for column in kept:
        assert {name: row[column] for name, row in back.items()} == {
            name: row[column] for name, row in before.items()
        }, column
    reference = {row["document_id"]: row["text"] for row in got.documents.to_dicts()}
    items = {row["item_id"]: row for row in got.items.to_dicts()}
    assert {name: reference[items[row["item_id"]]["document_ids"][0]] for name, row in back.items()} == {
        "a": "Reference 1.", "b": "Reference 2.", "c": "Reference 3.", "d": "Reference 4.", "e": "Reference 4.", "f": "Reference 5."
    }  # fmt: skip
    assert (
        items[back["f"]["item_id"]]["question"] == "What is tin?"
        and back["d"]["item_id"] == back["e"]["item_id"]
    )


def test_attributes_that_name_another_sample_name_it_by_its_id_of_now(lay, read):
    lay(passages(), "mfava")
    got = by_published(read("truerate").samples)
    named = {name: {entry["key"]: entry["value"] for entry in row["attributes"]} for name, row in got.items()}
    assert (
        named["b"]["translated_from"] == got["a"]["sample_id"]
        and named["e"]["silver"] == got["d"]["sample_id"]
    )
    alone = by_published(read("truerate", part="wild").samples)
    assert alone.keys() == {"f"}


def test_detectors_learn_and_judge_the_same_texts_as_on_the_published_board(lay, read):
    tables = passages()
    lay(tables, "mfava")
    got = read("truerate").samples
    for chosen in (training, lambda samples: targets(samples, frame(Generation))):
        assert sorted(chosen(got)["text"]) == sorted(chosen(tables["samples"])["text"]) != []


def test_tasks_of_another_track_are_one_line(lay, read):
    lay(passages(), "mfava")
    assert "part 'qa' is not known; allowed: held-out, silver, train, wild" in refused(read, part="qa")
    assert "part 'replies' is not known" in refused(read, part="replies")


# ---- WildHallucinations ------------------------------------------------------------------------------------
SILENT = "I am sorry, but I have no information about Varn."


def reply(name, of, *, status="ok", model="aster"):
    named = {"generation_id": name, "item_id": of, "purpose": "generate", "model": model, "status": status}
    counted = {"finish_reason": "stop", "n_tokens_in": 1, "n_tokens_out": 1, "attributes": pairs(lang="en")}
    return BOARD["generation"] | named | counted | {"text": f"Reply {name}."}


def fact(name, of, index, evidence=("p1:0-4",)):
    named = {"fact_id": name, "generation_id": of, "sentence_index": index, "text": f"Fact {name}."}
    return BOARD["fact"] | named | {"evidence": list(evidence)}


def verdict(name, of, is_unsupported, judge="quill", **attributes):
    given = {"verdict": is_unsupported, "status": "unparsed" if is_unsupported is None else "ok"}
    named = {"judgement_id": name, "target_id": of, "judge": judge, "attributes": pairs(**attributes)}
    return BOARD["judgement"] | given | named


def replies():
    """Two replies of three and one facts, one of which got no verdict; one that abstains; one of which no
    fact was written.

    Beside the verifier's verdicts stand one of a single call, a detector's, and those of people, who labelled
    one fact.
    """
    items = [item("e1", "entity", "p1", "p2", question="Varn", name="Varn", domain="places")]
    silent = reply("r3", "e1", status="abstained") | {"text": SILENT}
    generations = [reply("r1", "e1"), reply("r2", "e1", model="birch"), silent, reply("r4", "e1")]
    generations += [
        reply("r5", "e1") | {"purpose": "write_facts"},
        reply("r6", "e1", status="dead") | {"text": ""},
    ]
    facts = [
        fact("f1", "r1", 0),
        fact("f2", "r1", 1, ["p2:1-3", "gone:0-1"]),
        fact("f3", "r1", 2),
        fact("f4", "r2", 0),
    ]
    given = {"f1": False, "f2": True, "f3": None, "f4": False}
    judgements = [verdict(f"v-{name}", name, words, generation="r") for name, words in given.items()]
    judgements += [
        verdict("v1", "f1", True, generation="r", stage="single"),
        verdict("v2", "f1", True, judge="support"),
    ]
    judgements += [verdict("v3", "f1", True, judge="fay", stage="annotation", kind="fact")]
    entity = items[0] | {"task": "fact"}
    gold = [
        sample(
            "f1",
            entity,
            label_source="gold",
            is_hallucinated=True,
            fact="f1",
            n_labels=3,
            evidence="p1:0-4 p2:1-3",
        )
    ]
    documents = [document("p1", "Varn is a town."), document("p2", "Nobody says.", "not stated")]
    return {
        "items": frame(Item, items),
        "documents": frame(Document, documents),
        "generations": frame(Generation, generations),
        "facts": frame(Fact, facts),
        "judgements": frame(Judgement, judgements),
        "samples": frame(Sample, gold),
    }


@pytest.mark.parametrize("part", [None, "replies"])
def test_replies_come_back_with_facts_and_the_verifier_s_verdicts(lay, read, part):
    lay(replies(), "wildhallucinations")
    got = read("truerate", part=part)
    created = ready(got)
    assert sorted(created.generations.select("text", "model", "status").rows()) == [
        (SILENT, "aster", "abstained"), ("Reply r1.", "aster", "ok"), ("Reply r2.", "birch", "ok")
    ]  # fmt: skip
    judged = verdicts_of(created.facts, created.judgements, None).sort("text")
    # r1: f1 supported, f2 not, f3 without a verdict: 1 of 2; r2: 1 of 1
    assert judged.select("text", "is_supported").rows() == [
        ("Fact f1.", True),
        ("Fact f2.", False),
        ("Fact f4.", True),
    ]
    assert set(got.samples["label_source"]) == {"published"}
    assert sorted(got.rejects.select("where", "target_id", "reason").rows()) == [
        ("facts", "f3", "unlabelled"), ("generations", "r4", "unlabelled")
    ]  # fmt: skip
    assert got.items.select("question", pair("attributes", "domain"), "group_id").rows() == [
        ("Varn", "places", "g-e1")
    ]


@pytest.mark.parametrize("lost", [0, 1])
def test_a_reply_whose_facts_were_written_in_parts_is_whole_where_every_part_is(lay, read, lost):
    """Its only fact is that of r2; the first of the two parts lost a line, or did not."""
    parts = [
        reply(f"w{k}", "e1") | {"purpose": "write_facts", "attributes": pairs(generation="r2", **of_part)}
        for k, of_part in enumerate(({"first_sentence": 0, "n_malformed": lost}, {"first_sentence": 9}))
    ]
    tables = replies()
    lay(
        tables | {"generations": pl.concat([tables["generations"], frame(Generation, parts)])},
        "wildhallucinations",
    )
    marks = (
        ready(read("truerate")).generations.filter(text="Reply r2.").select(pair("attributes", "is_whole"))
    )
    assert marks.item() == ("false" if lost else None)


def test_evidence_names_the_passages_by_their_documents_of_now(lay, read):
    """A page that no licence lets out comes without its text, so that no passage of it can be named."""
    lay(replies(), "wildhallucinations")
    got = read("truerate")
    assert got.documents["text"].to_list() == ["Varn is a town."]
    page = got.documents["document_id"][0]
    results = {row["text"]: row["evidence"] for row in ready(got).facts.to_dicts()}
    assert results == {"Fact f1.": [f"{page}:0-4"], "Fact f2.": [], "Fact f4.": [f"{page}:0-4"]}
    assert got.items["document_ids"].to_list() == [[page]]


def test_labelled_facts_come_back_as_people_labelled_them(lay, read):
    lay(replies(), "wildhallucinations")
    got = read("truerate", part="fact")
    (row,) = got.samples.to_dicts()
    expected = {entry["key"]: entry["value"] for entry in row["attributes"]}
    assert (row["task"], row["label_source"], row["is_hallucinated"], row["text"]) == (
        "fact",
        "gold",
        True,
        "Tin text f1",
    )
    assert got.items.select("task", "question", "group_id").rows() == [("entity", "Varn", "g-e1")]
    assert (expected["published_id"], expected["fact"]) == ("f1", row["sample_id"])
    assert ready(got).generations.is_empty() and ready(got).samples.height == 1


def test_replies_that_were_published_as_samples_keep_their_facts(lay, read):
    """A board on ready-made replies publishes them as samples: those are read, and the tables made of them
    are not.
    """
    entity = item("e1", "entity", question="Varn")
    ours = [sample("r1", entity, label_source="published", is_hallucinated=True, n_claims=2)]
    ours += [
        sample(
            f"f{k}",
            entity | {"task": "fact"},
            label_source="published",
            is_hallucinated=k == 2,
            generation="r1",
            place=k,
            label="x",
        )
        for k in (1, 2)
    ]
    tables = replies() | {"samples": frame(Sample, ours), "items": frame(Item, [entity])}
    lay(tables, "wildhallucinations")
    got = ready(read("truerate"))
    assert got.generations["text"].to_list() == ["Tin text r1"]
    assert verdicts_of(got.facts, got.judgements, None).select("text", "is_supported").rows() == [
        ("Tin text f1", True), ("Tin text f2", False)
    ]  # fmt: skip
    assert set(got.facts["generation_id"]) == set(got.generations["generation_id"])


def test_replies_without_one_of_their_tables_are_one_line(lay, read, tmp_path):
    lay(replies(), "wildhallucinations")
    for path in (tmp_path / "data" / "judgements").iterdir():
        path.unlink()
    assert (
        "no config 'judgements', so no replies with verdicts: they are read from facts, generations, items, judgements"
        in refused(read, part="replies")
    )
    assert read("truerate").samples.height == 1  # the labelled fact is there all the same


@pytest.mark.parametrize(
    "text", ["no json", "[]", '{"licences": 3}', '{"licences": {}, "track": "x", "redistribution": "yes"}']
)
def test_an_origin_that_is_not_ours_is_one_line(lay, read, put, text):
    lay(replies(), "wildhallucinations")
    put(ORIGIN, text)
    assert f"{ORIGIN}: " in refused(read) and "fetch the data set again" in refused(read)


def test_each_config_keeps_its_own_licence(lay, read):
    """A row whose page is under another licence than the source is in a config of its own; both are read,
    each under its words.
    """
    pages = [document("p1", "Varn is a town.", "CC BY 4.0"), document("p2", "Tin is a metal.")]
    entity = item("e1", "entity", question="Varn") | {"task": "fact"}
    ours = [
        sample(f"f{k}", entity, evidence=f"p{k}:0-{len(pages[k - 1]['text'])}", label_source="gold")
        for k in (1, 2)
    ]
    configs = lay(
        replies() | {"documents": frame(Document, pages), "samples": frame(Sample, ours)},
        "wildhallucinations",
    )
    assert {"fact-cc-by-4.0", "fact-cc0-1.0"} <= set(configs)
    got = read("truerate", part="fact")
    assert sorted(got.documents.select("text", "licence").rows()) == [
        ("Tin is a metal.", "cc0-1.0"),
        ("Varn is a town.", "cc-by-4.0"),
    ]
    assert got.card["licence"] == "cc-by-4.0; cc0-1.0" and got.card["redistribution"] == "yes"
