"""Weights that a board names are looked for before a model is asked: over a Hub on loopback."""

import json
from pathlib import Path

import pytest
import yaml
from committed import with_sources

from truerate.config.layout import Layout
from truerate.core.errors import TruerateError
from truerate.core.process import tools
from truerate.core.schemas import Item, frame, pairs, schema, write_parquet
from truerate.pipeline import run_tools
from truerate.pipeline.checks.weights import refuse_absent

BOARD = "halueval-closed-world"
ENTITY = {
    "item_id": "e", "source": "list", "task": "entity", "lang": "en", "group_id": "e", "document_ids": [],
    "history": "", "question": "Port Meridian",
}  # fmt: skip


@pytest.fixture
def named(tmp_path, monkeypatch):
    """The committed settings with the similarity that is named, as a function of its name."""
    with_sources(tmp_path, monkeypatch)

    def layout(similarity) -> Layout:
        values = yaml.safe_load(open("params.yaml").read())
        values["tracks"]["halueval"]["similarity"] = similarity
        with open("params.yaml", "w") as file:
            yaml.safe_dump(values, file)
        return Layout.load()

    return layout


def there(hub, name: str) -> None:
    hub.put_repo(name, "model", {"config.json": json.dumps({"model_type": "bert"}).encode()})


def test_a_name_that_the_hub_does_not_have_is_one_line(hub_here, named):
    for similarity in ("someone/no-such-encoder", {"model": "someone/no-such-encoder", "layer": 2}):
        with pytest.raises(
            TruerateError, match="tracks.halueval.similarity: 'someone/no-such-encoder'"
        ) as error:
            refuse_absent(named(similarity), BOARD)
        assert "\n" not in str(error.value) and "RepositoryNotFoundError" in str(error.value)


def test_one_that_is_on_the_hub_in_the_cache_or_in_a_folder_is_not_refused(hub_here, brisk, named, tmp_path):
    there(hub_here, "someone/encoder")
    at = named("someone/encoder")
    refuse_absent(at, BOARD)
    hub_here.stop()
    refuse_absent(at, BOARD)  # from the cache
    with pytest.raises(TruerateError, match="the Hub cannot be asked"):
        refuse_absent(named("someone/other"), BOARD)
    (tmp_path / "weights").mkdir()
    refuse_absent(named("weights"), BOARD)
    refuse_absent(named("chrf"), BOARD)


def test_the_stage_of_the_data_set_asks_before_snakemake_begins(hub_here, named, monkeypatch):
    at = named("someone/no-such-encoder")
    monkeypatch.setattr(tools.subprocess, "Popen", lambda *_, **__: pytest.fail("a step was begun"))
    with pytest.raises(TruerateError, match="no-such-encoder"):
        run_tools.make("rules/track.smk", f"{at.dataset(BOARD)}/card.json")


@pytest.mark.parametrize(("perplexity", "is_refused"), [("11.91", False), (None, True)])
def test_weights_that_a_published_list_makes_needless_are_not_looked_for(
    hub_here, named, perplexity, is_refused
):
    named("chrf")
    values = yaml.safe_load(open("params.yaml").read())
    values["tracks"]["wildhallucinations"]["rarity"] = "someone/gated-llama"
    with open("params.yaml", "w") as file:
        yaml.safe_dump(values, file)
    at = Layout.load()
    board = "wildhallucinations-closed-world"
    items = Path(at.source(at.p.board(board).source, "items"))
    items.parent.mkdir(parents=True, exist_ok=True)
    entity = frame(
        Item, [{name: None for name in schema(Item)} | ENTITY | {"attributes": pairs(perplexity=perplexity)}]
    )
    write_parquet(entity, items)
    if is_refused:
        with pytest.raises(TruerateError, match="tracks.wildhallucinations.rarity: 'someone/gated-llama'"):
            refuse_absent(at, board)
    else:
        refuse_absent(at, board)
