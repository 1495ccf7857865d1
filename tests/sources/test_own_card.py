"""Files of one's own in a public format: they bear no card of the set that the format was made for."""

import json
from importlib.resources import files

import pytest

from truerate.config import HubSource, Rights, Source, Training
from truerate.core.errors import TruerateError
from truerate.hub.licences import refuse_unpublishable
from truerate.sources.cards import are_published, keep_card, published_card
from truerate.sources.reading import read_source

QA = {"knowledge": "Karlomi stands on the Teru.", "question": "Where does Karlomi stand?"} | {
    "right_answer": "On the Teru.",
    "hallucinated_answer": "On the Bertu.",
}
SOURCE_INFO = {"source_id": "0", "task_type": "QA", "source": "mine"} | {
    "source_info": {"question": "When?", "passages": "The harbour was built in 1412."}
}
RESPONSE = {"id": "0", "source_id": "0", "model": "m1", "split": "test", "quality": "good"} | {
    "response": "In 1412.",
    "labels": [],
}
SILVER = {"lang": "de", "row": 0, "references": "Varn am Ost.", "generated_text": "Varn liegt am Ost."} | {
    "silver_annotations": "Varn liegt am <entity>Ost</entity>."
}
PAGE = {"text": "Varn is a town.", "status_code": 200, "url": "https://varn.example/"}
ENTITY = {"entity": "Varn", "perplexity": 3.25, "info": [PAGE], "category": "geographic", "wiki": 0}
HOTPOT = {"_id": "1", "question": "Where?", "answer": "On the Teru.", "type": "bridge", "level": "easy"} | {
    "supporting_facts": [["Karlomi", 0]],
    "context": [["Karlomi", ["Karlomi stands on the Teru."]]],
}
OWN = {  # reader → its files, in rows of our own
    "halueval": {"qa_data.json": [QA]},
    "ragtruth": {"source_info.jsonl": [SOURCE_INFO], "response.jsonl": [RESPONSE]},
    "mfava": {"silver.jsonl": [SILVER]},
    "wildhallucinations": {"data/train-00000-of-00001.jsonl": [ENTITY]},
    "seed_files": {"hotpot_train_v1.1.json": json.dumps([HOTPOT])},
}
NOT_STATED = {"name": "mine", "citation": None, "licence": "not stated", "redistribution": "no", "url": None}
FORMATS = ("HaluEval", "RAGTruth", "mFAVA", "WildHallucinations", "HotpotQA")

WIKIPEDIA = published_card("wikipedia")


@pytest.fixture
def read_own(put, tmp_path):
    """The tables of files of one's own, by reader, with what the entry in params.yaml says beside it."""

    def run(reader, **settings):
        for file, rows in OWN[reader].items():
            put(file, rows)
        return read_source("mine", Source(reader=reader, path=str(tmp_path), **settings), tmp_path, "stop")

    return run


@pytest.mark.parametrize("reader", OWN)
def test_own_files_bear_the_name_of_their_entry_and_cannot_go_out(reader, read_own):
    got = read_own(reader)
    assert {field: got.card[field] for field in NOT_STATED} == NOT_STATED
    assert not any(name in json.dumps(got.card) for name in FORMATS)
    assert not {"labelled_by", "judge", "note", "caveats"} & got.card.keys()
    with pytest.raises(TruerateError, match="source 'mine', licence 'not stated': redistribution is 'no'"):
        refuse_unpublishable(got.card, what="x")


@pytest.mark.parametrize("reader", ["halueval", "ragtruth", "seed_files"])
def test_reference_texts_of_own_files_are_under_no_stated_licence(reader, read_own):
    assert read_own(reader).documents.lazy().collect()["licence"].to_list() == ["not stated"]


def test_pages_at_an_address_keep_the_licence_of_the_address(read_own):
    assert read_own("wildhallucinations").documents.lazy().collect()["licence"].to_list() == [
        "not stated (web page)"
    ]


def test_rights_set_all_fields(read_own):
    rights = {"name": "Harbours", "citation": "A. Baker 2026.", "url": "https://harbours.example/"} | {
        "licence": "CC BY 4.0",
        "redistribution": "yes",
    }
    got = read_own("halueval", rights=Rights(**rights))
    assert {field: got.card[field] for field in rights} == rights
    assert got.documents["licence"].to_list() == ["CC BY 4.0"]
    refuse_unpublishable(got.card, what="x")
    assert read_own("halueval", rights=Rights(licence="CC BY 4.0")).card["redistribution"] == "no"


def test_a_folder_says_of_itself_what_its_source_json_says_and_no_more(read_own, put):
    put("source.json", json.dumps({"licence": "CC0 1.0", "redistribution": "yes"}))
    got = read_own("halueval")
    assert {field: got.card[field] for field in NOT_STATED} == NOT_STATED | {
        "licence": "CC0 1.0",
        "redistribution": "yes",
    }


def test_texts_that_detectors_learn_from_are_ones_own_too(read_own, put, tmp_path):
    put("more/silver.jsonl", [SILVER | {"row": 1}])
    got = read_own("mfava", training=Training(reader="mfava", path=str(tmp_path / "more"), name="taught"))
    assert not any(name in json.dumps(got.card) for name in FORMATS)
    assert got.card["redistribution"] == got.card["own_redistribution"] == "no"


def test_a_named_public_source_bears_the_card_of_its_set(read_own, put, tmp_path):
    assert read_own("halueval", is_public=True).card["name"] == "HaluEval"
    pinned = Source(reader="halueval", hub=HubSource(repo="org/name", revision="0" * 40))
    assert read_source("mine", pinned, tmp_path, "stop").card["licence"] == "MIT"


def test_a_folder_of_several_sets_says_what_holds_of_each_task(read_own, put):
    """HotpotQA's questions may go out, the news articles beside them may not; of files of one's own nothing is
    said by task, and settings for the whole, or for a task, go before the cards.
    """
    put("stories/0a1b.story", "The bridge is closed.\n\n@highlight\n\nA bridge is closed\n")
    tables = read_own("seed_files", is_public=True)
    by_task = tables.card["rights_by_task"]
    assert {task: rights["redistribution"] for task, rights in by_task.items()} == {
        "qa": "yes",
        "summarization": "no",
    }
    assert (by_task["qa"]["licence"], tables.card["redistribution"]) == ("CC BY-SA 4.0", "no")
    assert {"key": "published_id", "value": "0a1b"} in tables.items.filter(task="summarization")[
        "attributes"
    ][0].to_list()
    assert "rights_by_task" not in read_own("seed_files").card
    paid = Rights(tasks={"summarization": {"licence": "CC BY 4.0", "redistribution": "yes"}})
    tables = read_own("seed_files", is_public=True, rights=paid)
    by_licence = dict(tables.documents.select("licence", "text").iter_rows())
    assert by_licence == {"CC BY-SA 4.0": "Karlomi stands on the Teru.", "CC BY 4.0": "The bridge is closed."}
    assert tables.card["redistribution"] == "yes" and tables.card["licence"] == "CC BY-SA 4.0; CC BY 4.0"
    whole = read_own("seed_files", is_public=True, rights=Rights(redistribution="ids-only")).card
    assert {rights["redistribution"] for rights in whole["rights_by_task"].values()} == {"ids-only"}


def test_published_files_are_known_by_their_checksums():
    lines = files("truerate.sources").joinpath("published.sha256").read_text("utf-8").splitlines()
    published = [{"sha256": line.split()[0]} for line in lines if "halueval/" in line]
    assert len(published) == 3 and are_published({"files": published})
    assert not are_published({"files": [*published, {"sha256": "0" * 64}]})  # one changed copy among them
    assert not are_published({"files": []})


def test_the_published_files_themselves_bear_their_card_under_any_name(public):
    folder = public("halueval", "general.jsonl")
    got = read_source("any", Source(reader="halueval", path=str(folder)), folder, "reject")
    assert (got.card["name"], got.card["licence"], got.card["redistribution"]) == ("HaluEval", "MIT", "yes")


def test_articles_that_were_fetched_say_whose_they_are(put, tmp_path):
    put("articles.jsonl", [{"title": "Varn", "lang": "de", "pageid": 1, "extract": "Varn ist eine Stadt."}])
    keep_card(tmp_path, WIKIPEDIA)
    got = read_source("mine", Source(reader="wikipedia", path=str(tmp_path)), tmp_path, "reject").card
    assert (got["name"], got["licence"], got["redistribution"]) == ("Wikipedia", "CC BY-SA 4.0", "yes")
    keep_card(tmp_path, WIKIPEDIA | {"licence": "other"})  # what stands there is the user's
    assert json.loads((tmp_path / "source.json").read_text("utf-8"))["licence"] == "CC BY-SA 4.0"
