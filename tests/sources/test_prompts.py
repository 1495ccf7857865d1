"""Prompts with references from FAVA's and Natural Questions' files, and one row put in many languages."""

import gzip
import json

import polars as pl
import pytest

from truerate.config import Source
from truerate.sources.reading import read_source

TOKENS = "<P> The Ost ( a river ) is 40 km long , and `` cold '' . </P> <P> Other . </P>".split(" ")
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
