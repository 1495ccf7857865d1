"""A small board about entities of the closed world, whose models are called as functions: no endpoint, no
search, no clock.
"""

from dataclasses import dataclass
from pathlib import Path

from truerate.config import Params, load_params
from truerate.config.layout import Layout
from truerate.core.keys import content_id
from truerate.core.schemas import Document, Item, frame, generation_row, pairs
from truerate.llm.generation import generations
from truerate.llm.request import Reply
from truerate.tracks.wildhallucinations.entities import item
from truerate_world.encyclopedia import build
from truerate_world.simulated_model import reply
from truerate_world.wildhallucinations.annotator_noise import readable
from truerate_world.wildhallucinations.models.planted import PAPER_DOMAIN
from truerate_world.wildhallucinations.models.writing import text_of

ROOT = Path(__file__).parents[3]
BOARD = "wildhallucinations-closed-world"
WORLD = build(7)


@dataclass(frozen=True)
class Tables:
    """What of a source the steps look at."""

    items: object
    documents: object


def layout(**settings) -> Layout:
    """The committed params with one shard; `settings` of the track are replaced."""
    values = load_params(str(ROOT / "params.yaml")).model_dump()
    values |= {"profile": "demo", "n_shards": 1}
    values["sizes"]["demo"]["wildhallucinations"] |= {"entities": 10_000}
    verification = settings.pop("verification", {})
    values["tracks"]["wildhallucinations"] |= settings
    values["tracks"]["wildhallucinations"]["verification"] |= verification
    return Layout(Params.model_validate(values)).on(BOARD)


def board(entities) -> tuple[Tables, dict]:
    """Tables of entities and what the steps before `generate` would have given: their pages, found and read."""
    items, documents, searched = [], {}, []
    for index in entities:
        name, entity = WORLD.lexicon().name(index), WORLD.entities[index]
        texts = [(page, text_of(WORLD, page)) for page in readable(WORLD, index)]
        if not texts:
            continue
        item_id, rows = content_id("entity", "closed", name), [_document(page, text) for page, text in texts]
        documents |= {row["document_id"]: row for row in rows}
        items.append(_item(item_id, name, entity))
        searched.append(_searched(item_id, name, [row["document_id"] for row in rows]))
    tables = Tables(frame(Item, items), frame(Document))
    return tables, {"evidence": generations(searched), "documents": frame(Document, list(documents.values()))}


def _document(page, text: str) -> dict:
    ids = {"document_id": content_id("web", page.url, text), "lang": "en", "title": page.title, "text": text}
    more = {"url": page.url, "source": "web", "licence": "not stated", "dated": page.dated}
    return ids | more | {"is_wikipedia": page.kind == "encyclopedia"}


def _item(item_id: str, name: str, entity) -> dict:
    facts_of_entity = {
        "domain": PAPER_DOMAIN[entity.domain],
        "is_wikipedia": str(entity.is_wikipedia).lower(),
    }
    facts_of_entity["rarity_group"] = "10^3" if entity.popularity < 0.2 else "10^1"
    return item(item_id, "closed", name, **facts_of_entity)


def _searched(item_id: str, name: str, ids: list[str]) -> dict:
    keys = {"generation_id": content_id("search", item_id), "prompt_key": content_id("search", name)}
    of_row = {"item_id": item_id, "purpose": "search", "model": "web", "text": ""}
    attributes = pairs(name=name, documents=" ".join(ids), n_results=len(ids))
    return generation_row(**keys, **of_row, attributes=attributes)


class Asking:
    """Stands where `llm.ask` does: the world's models are called, equal requests once. `changed` may rewrite
    a reply's text.
    """

    def __init__(self, config: Layout, changed=None):
        self.at, self.changed = config, changed
        self.requests, self.tasks, self.labels = [], [], []

    def __call__(self, requests, at, *, label):
        self.labels.append(label)
        return [self._reply(request) for request in requests]

    def _reply(self, request) -> Reply:
        self.requests.append(request)
        model = self.at.p.models[request.model].model
        params = request.params
        text_of_reply = reply(
            WORLD, model, list(request.messages), temperature=params["temperature"], seed=params.get("seed")
        )
        self.tasks.append(text_of_reply.task)
        text = self.changed(request, text_of_reply.text) if self.changed else text_of_reply.text
        key = content_id(model, request.messages, params, request.sample_index)
        return Reply(key, "ok", text, "stop", None, 1, 1, 0.0, False)
