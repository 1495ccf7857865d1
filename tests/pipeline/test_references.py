"""What detectors are given: the lead of an article, the whole of it, or of that what speaks of the text."""

import copy
import json
from pathlib import Path

import polars as pl
import pytest
import yaml

from truerate.config.layout import Layout
from truerate.config.places import claim_output
from truerate.config.stage_settings import Stage, read_by
from truerate.core.schemas import Document, Item, load, save
from truerate.pipeline import detect, guard, references, sources

ROOT = Path(__file__).parents[2]
BOARD = "bench"
LEAD = "Varn is a town."
BODY = "The castle burned in 1204. Cheese is sold on Mondays. Nobody rules it."
WHOLE = f"{LEAD}\n\n== History ==\n{BODY}"


@pytest.fixture
def referring(tmp_path, monkeypatch):
    """A board of one article, made with a `reference`; gives its layout."""
    for name in ("src", "rules", "site"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "inputs").mkdir()
    (tmp_path / "wiki").mkdir()
    page = {"title": "Varn", "lang": "en", "extract": WHOLE}
    (tmp_path / "wiki/articles.jsonl").write_text(json.dumps(page), "utf-8")
    monkeypatch.chdir(tmp_path)

    def made(**own: object) -> Layout:
        params = copy.deepcopy(yaml.safe_load((ROOT / "params.yaml").read_text("utf-8")))
        params["sources"] = {"wiki": {"reader": "wikipedia", "path": "wiki"}}
        params["boards"] = {BOARD: {"track": "mfava", "source": "wiki", **own}}
        Path("params.yaml").write_text(yaml.safe_dump(params, sort_keys=False), "utf-8")
        guard.check_params()
        at = Layout.load()
        sources.import_source(at, "wiki")
        claim_output(at, Stage("dataset", BOARD))
        save(Item, load(Item, at.source("wiki", "items")), at.dataset(BOARD, "items"))
        save(Document, load(Document, at.source("wiki", "documents")).clear(), at.dataset(BOARD, "documents"))
        return at

    return made


def given(config: Layout, text: str) -> str:
    """The reference of a text on the article."""
    item = load(Item, config.source("wiki", "items"))["item_id"][0]
    texts = pl.DataFrame({"item_id": [item], "text": [text]})
    told = detect.conversations(config, BOARD, texts)["knowledge"].to_list()
    assert detect.passages(config, BOARD, texts)["reference"].to_list() == told
    return told[0]


def test_the_lead_is_the_default_and_leaves_no_trace(referring):
    at = referring()
    assert given(at, "Cheese is sold.") == LEAD
    assert references.referring(at, BOARD) == {}
    assert "articles" not in read_by(at.p, Stage("sources"))
    assert not Path(at.source("wiki", sources.ARTICLES)).exists()


def test_the_whole_article_or_what_speaks_of_the_text_is_given(referring):
    assert given(referring(reference="article"), "Cheese is sold.") == WHOLE
    at = referring(reference="retrieved", reference_sentences=1)
    assert given(at, "Cheese is sold.") == "Cheese is sold on Mondays."
    assert given(at, "A castle burned down.") == "The castle burned in 1204."
    assert read_by(at.p, Stage("sources"))["articles"] == ["wiki"]
    assert references.referring(at, BOARD) == {"reference": "retrieved", "sentences": 1}


def test_back_at_the_lead_the_whole_texts_go(referring):
    referring(reference="article")
    at = referring()
    assert given(at, "Cheese is sold.") == LEAD
    assert not Path(at.source("wiki", sources.ARTICLES)).exists()
