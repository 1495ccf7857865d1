"""Training passages, silver prompts and articles: alone, together, and every way in which a row can be wrong."""

import polars as pl
import pytest

from truerate.core.errors import TruerateError
from truerate.core.schemas import pair

TOWN = "Varn is a town on the Ost."
OWN = {"id": "t1", "lang": "en", "subject": "Varn", "reference": TOWN}
MARKED = (
    "Varn is a <entity><delete>town</delete><mark>city</mark></entity>. <invented>It has a moon.</invented>"
)
PROMPT = {
    "id": "p1", "lang": "de", "question": "Wo liegt Varn?", "reference": "Varn liegt am Ost.",
    "subject": "Varn", "origin": "own",
}  # fmt: skip
ASKED = "Read the following references:\nx\nPlease identify all the errors in the following passage "
PAGE = {
    "pageid": 5,
    "lang": "fr",
    "title": "Varn",
    "url": "https://fr.wikipedia.org/wiki/Varn",
    "extract": "Varn est une ville.\n\n== Histoire ==\nNée en 1203.\n\n=== Le pont ===\nDe 1410.",
    "templates": ["Unreferenced"],
    "depth": 241.3,
    "revid": 77,
}


def cut(sample):
    return [(sample["text"][span["start"] : span["end"]], span["type"]) for span in sample["spans"]]


def attributes(row):
    return {entry["key"]: entry["value"] for entry in row["attributes"]}


# ---- training passages -------------------------------------------------------------------------------------
def test_a_marked_passage(put, read):
    put("fava.jsonl", [OWN | {"marked": MARKED}])
    got = read("fava")
    item, sample = got.items.row(0, named=True), got.samples.row(0, named=True)
    assert (item["task"], item["lang"], item["right_answer"], attributes(item)["subject"]) == (
        "train",
        "en",
        "Varn is a town.",
        "Varn",
    )
    assert (sample["text"], sample["label_source"]) == ("Varn is a city. It has a moon.", "silver")
    assert cut(sample) == [("city", "entity"), ("It has a moon.", "invented")]
    assert got.documents["text"].to_list() == [TOWN] and item["group_id"] == sample["group_id"]


def test_the_published_training_file_marks_corrections(put, read):
    # `mark` holds the right words there and `delete` the ones that stand in the text
    prompt = "Read the following references:\nReference[1]: {}\nPlease identify all the errors in the following {}{}"
    tail = "passage using the references provided and suggest edits:\nText: "
    completion = "Varn is a <entity><mark>town</mark><delete>city</delete></entity>. <invented>It has a moon.</invented>"
    rows = [{"prompt": prompt.format(TOWN, tail, "Varn is a city. It has a moon."), "completion": completion}]
    put("training.json", rows)
    got = read("fava")
    assert cut(got.samples.row(0, named=True)) == [("city", "entity"), ("It has a moon.", "invented")]
    assert got.items["right_answer"].to_list() == ["Varn is a town."] and got.documents["text"].to_list() == [
        f"Reference[1]: {TOWN}"
    ]
    assert (got.card["licence"], got.card["redistribution"]) == ("CC BY 4.0", "yes")


def test_both_shapes_of_a_training_prompt_are_read(put, read):
    prompt = f"Read the following references:\n{TOWN}\nPlease identify all the errors in the following text using the information in "
    prompt += "the references provided and suggest edits if necessary:\n[Text] Varn is old.\n[Edited] "
    put("training.json", [{"prompt": prompt, "completion": "Varn is <subjective>old</subjective>."}])
    assert read("fava").samples["text"].to_list() == ["Varn is old."]


def test_a_generated_passage_with_its_evidence(put, read):
    put("fava.jsonl", [{"evidence": TOWN, "errored_passage": MARKED}])
    assert cut(read("fava").samples.row(0, named=True))[0] == ("city", "entity")


def test_passages_of_the_held_out_file_are_a_task_of_their_own_and_all_of_the_test_split(put, read):
    put("fava.jsonl", [OWN | {"marked": MARKED}])
    put(
        "heldout.jsonl",
        [OWN | {"id": f"h{n}", "reference": f"{TOWN} {n}", "marked": MARKED} for n in range(12)],
    )
    samples = read("fava").samples
    assert samples["task"].value_counts().sort("task").rows() == [("held-out", 12), ("train", 1)]
    assert set(samples.filter(task="held-out")["split"]) == {"test"}


def test_malformed_passages_never_stop_a_run_but_broken_rows_do(put, read, reasons):
    put("fava.jsonl", [OWN | {"marked": "A <entity>b."}])
    assert reasons(read("fava", "stop")) == [(1, "malformed")]
    put("fava.jsonl", [OWN | {"marked": MARKED, "lang": "klingon"}])
    with pytest.raises(
        TruerateError, match="fava.jsonl row 1: field 'lang' is 'klingon'; write an ISO 639 code"
    ):
        read("fava", "stop")


# ---- prompts -----------------------------------------------------------------------------------------------
def test_prompts_become_silver_items(put, read):
    put("prompts.jsonl", [PROMPT, PROMPT | {"question": "Was ist Varn?", "lang": "DE"}])
    got = read("silver_prompts")
    assert got.items.select("task", "lang", "question").rows() == [
        ("silver", "de", "Wo liegt Varn?"),
        ("silver", "de", "Was ist Varn?"),
    ]
    assert got.items["group_id"].n_unique() == got.documents.height == 1  # both ask about one reference
    assert attributes(got.items.row(0, named=True)) == {"id": "p1", "origin": "own", "subject": "Varn"}
    assert got.samples.is_empty() and got.card["redistribution"] == "no"


def test_a_prompt_that_stands_twice_is_kept_once(put, read, reasons):
    put("prompts.jsonl", [PROMPT, PROMPT])
    assert reasons(read("silver_prompts")) == [(2, "duplicate")]


# ---- articles ----------------------------------------------------------------------------------------------
def test_the_lead_of_an_article_is_its_reference(put, read):
    put("articles.jsonl", [PAGE])
    got = read("wikipedia")
    document = got.documents.row(0, named=True)
    assert (document["text"], document["title"], document["lang"], document["is_wikipedia"]) == (
        "Varn est une ville.",
        "Varn",
        "fr",
        True,
    )
    assert (
        document["url"] == "https://fr.wikipedia.org/wiki/Varn?oldid=77"
        and document["licence"] == "CC BY-SA 4.0"
    )
    expected = attributes(got.items.row(0, named=True))
    assert expected == {
        "title": "Varn",
        "n_characters": str(len(PAGE["extract"])),
        "n_sections": "2",
        "depth": "241.3",
    } | {"tags": "Unreferenced", "id": "5"}


@pytest.mark.parametrize("as_list", [True, False])
def test_a_response_of_the_api(put, read, as_list):
    page = {
        "pageid": 5,
        "ns": 0,
        "title": "Varn",
        "extract": "Stadt.\n== Lage ==\nAm Ost.",
        "fullurl": "https://de.wikipedia.org/wiki/Varn",
    }
    page |= {"templates": [{"ns": 10, "title": "Vorlage:Belege fehlen"}], "lastrevid": 9}
    gone = {"title": "Nichts", "missing": True}
    put(
        "articles.json",
        [{"batchcomplete": True, "query": {"pages": [page, gone] if as_list else {"5": page, "-1": gone}}}],
    )
    got = read("wikipedia")
    assert got.items["lang"].to_list() == ["de"] and got.documents["text"].to_list() == ["Stadt."]
    assert attributes(got.items.row(0, named=True))["tags"] == "Belege fehlen"
    assert got.rejects.select("row", "reason").rows() == [(1, "no-knowledge")]


def test_an_article_without_headings_is_all_lead(put, read):
    put("articles.jsonl", [PAGE | {"extract": "Varn = ville. 1 == 1.", "depth": None, "templates": None}])
    got = read("wikipedia")
    assert got.documents["text"].to_list() == ["Varn = ville. 1 == 1."]
    assert set(attributes(got.items.row(0, named=True))) == {"title", "n_characters", "n_sections", "id"}


# ---- together ----------------------------------------------------------------------------------------------
def test_a_folder_holds_any_of_them_under_one_card(put, read):
    put("fava.jsonl", [OWN | {"marked": MARKED}])
    put("prompts.jsonl", [PROMPT])
    put("articles.jsonl", [PAGE])
    put(
        "source.json",
        {
            "name": "own wiki", "licence": "CC0-1.0", "redistribution": "yes", "citation": None,
            "url": None, "lang": "en,de,fr",
        },
    )  # fmt: skip
    got = read("wiki_files")
    assert got.items["task"].to_list() == ["train", "silver", "article"] and got.documents.height == 3
    assert (got.card["name"], got.card["licence"], got.card["redistribution"]) == (
        "own wiki",
        "CC0-1.0",
        "yes",
    )
    assert got.card["counts"]["n_items"] == 3 and len(got.card["files"]) == 3
    assert got.samples.select(pl.col("task"), pair("attributes", "subject")).rows() == [("train", None)]
    assert not got.documents["is_wikipedia"].any()  # the folder's own card says what it is


def test_a_folder_with_none_of_them_is_one_line(read):
    with pytest.raises(
        TruerateError, match="looked for: fava.jsonl, training.json, heldout.jsonl, prompts"
    ) as error:
        read("wiki_files")
    assert "simplified-nq-train.jsonl" in str(error.value) and "articles.jsonl" in str(error.value)
