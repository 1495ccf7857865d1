"""Prompts with references from FAVA's and Natural Questions' files, and one row put in many languages."""

import gzip
import json

import polars as pl
import pytest

from truerate.config import Source
from truerate.core.errors import TruerateError
from truerate.sources import read_source

TOKENS = "<P> The Ost ( a river ) is 40 km long , and `` cold '' . </P> <P> Other . </P>".split(" ")
ANSWER = 'The Ost (a river) is 40 km long, and "cold".'
NONE = {"long_answer": {"start_token": -1, "end_token": -1}}
FIRST = {"long_answer": {"start_token": 0, "end_token": 17}}
URL = "https://en.wikipedia.org//w/index.php?title=Ost_(river)&oldid=7"
TRAIN = {
    "example_id": 5,
    "question_text": "how long is the ost",
    "document_text": " ".join(TOKENS),
    "document_url": URL,
    "annotations": [NONE, FIRST],
}


@pytest.fixture
def read_in(tmp_path):
    """Read the folder in some languages."""

    def run(reader, *languages, on_bad_row="stop"):
        source = Source(reader=reader, path=str(tmp_path), languages=languages)
        return read_source("x", source, tmp_path, on_bad_row)

    return run


def fields_of(row):
    return {entry["key"]: entry["value"] for entry in row["attributes"]}


def test_a_question_with_its_long_answer_is_a_prompt_in_every_language(put, read_in):
    put("simplified-nq-train.jsonl", [TRAIN])
    got = read_in("natural_questions", "de", "la")
    assert got.items.select("task", "lang", "question").rows() == [
        ("silver", "de", "How long is the ost?"),
        ("silver", "la", "How long is the ost?"),
    ]
    assert got.documents.select("text", "lang", "title", "url").rows() == [(ANSWER, "en", "Ost (river)", URL)]
    assert got.items["group_id"].n_unique() == 1
    assert fields_of(got.items.row(0, named=True)) == {
        "id": "5",
        "origin": "Natural Questions",
        "subject": "Ost (river)",
    }


def test_the_three_layouts_give_the_same_prompt(put, read_in, tmp_path):
    tokens = [{"token": token, "html_token": token.startswith("<")} for token in TOKENS]
    row = {**TRAIN, "document_title": "Ost (river)", "document_tokens": tokens}
    del row["document_text"]
    put("v1.0-simplified_nq-dev-all.jsonl.gz", gzip.compress(json.dumps(row).encode() + b"\n"))
    packed = read_in("natural_questions")
    (tmp_path / "v1.0-simplified_nq-dev-all.jsonl.gz").unlink()
    lists = {"token": TOKENS, "is_html": [token.startswith("<") for token in TOKENS]}
    hub = {
        "id": "5",
        "question": {"text": "how long is the ost", "tokens": ["how"]},
        "document": {"title": "Ost (river)", "url": URL, "tokens": lists},
        "annotations": {"id": ["1", "2"], "long_answer": [NONE["long_answer"], FIRST["long_answer"]]},
    }
    pl.DataFrame([hub]).write_parquet(tmp_path / "natural_questions.parquet")
    assert read_in("natural_questions").items.equals(packed.items) and packed.items["lang"].to_list() == [
        "en"
    ]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"annotations": [NONE]}, "no-knowledge"),
        ({"annotations": []}, "no-knowledge"),
        ({"annotations": ["x"]}, "wrong-type"),
        ({"annotations": [{"long_answer": {"start_token": 0, "end_token": 1}}]}, "no-knowledge"),  # markup
        ({"question_text": None}, "missing-field"),
        ({"document_text": None}, "missing-field"),
    ],
)
def test_a_question_that_cannot_be_used_is_booked(put, read_in, reasons, change, reason):
    put("simplified-nq-train.jsonl", [TRAIN | change, TRAIN])
    got = read_in("natural_questions", on_bad_row="reject")
    assert reasons(got) == [(1, reason)] and got.items.height == 1


def test_a_broken_archive_ends_in_one_line(put, read_in):
    put("simplified-nq-train.jsonl.gz", b"no gzip")
    with pytest.raises(TruerateError, match="simplified-nq-train.jsonl.gz: not gzip") as error:
        read_in("natural_questions")
    assert "\n" not in str(error.value)


def test_fava_s_passages_and_prompts_with_a_reference(put, read_in, reasons):
    put("passages.jsonl", [{"title": "Varn", "intro": "Varn is a town."}])
    put(
        "annotations.json",
        [
            {"prompt": "Where is Varn?", "output": "x", "evidence": "Varn lies on the Ost."},
            {
                "prompt": "Where is Varn?",
                "output": "y",
                "evidence": "Varn lies on the Ost.",
            },  # another model's
            {"prompt": "Why?", "output": "x"},
        ],
    )
    got = read_in("fava_prompts", "en", "tr")
    answer = got.items.filter(lang="tr").select("question").to_series().to_list()
    assert answer == ["Where is Varn?", "What is Varn, and what is known about it?"]
    assert reasons(got) == [(2, "duplicate"), (3, "no-knowledge")]
    assert got.items["group_id"].n_unique() == 2


def test_own_prompts_without_a_language_are_put_in_those_of_the_source(put, read_in):
    put("prompts.jsonl", [{"question": "Where?", "reference": "There."}])
    got = read_in("wiki_files", "en", "fr")
    assert got.items["lang"].to_list() == ["en", "fr"] and got.documents["lang"].to_list() == ["en"]
    with pytest.raises(TruerateError, match="no field 'lang'; write one, or name the `languages`"):
        read_in("wiki_files")
