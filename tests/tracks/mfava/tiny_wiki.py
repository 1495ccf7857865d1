"""A hand-made source of two languages, and a model that answers the track's prompts by their headings."""

import json
import re
from pathlib import Path

from stub import Stub

from truerate.config import load_params
from truerate.core.keys import content_id
from truerate.core.schemas import Document, Item, Judgement, Reject, Sample, frame, pairs
from truerate.core.tags import TYPES
from truerate.llm import Reply
from truerate.sources.collection import SourceTables
from truerate.tracks.mfava.settings import Settings

ROOT = Path(__file__).parents[3]
LANGS = ("en", "de")
SEEDS = (42, 43)
TEXTS = {  # language -> reference, right sentences
    "en": "{s} is a town by the river Odla. It was founded in 1204. Its market is known for cheese.",
    "de": "{s} ist eine Stadt am Fluss Odla. Sie wurde 1204 gegründet. Ihr Markt ist für Käse bekannt.",
}


def settings(**changes) -> Settings:
    values = load_params(ROOT / "params.yaml").tracks["mfava"].model_dump()
    values |= {
        "languages": LANGS,
        "writer": "m",
        "translator": "m",
        "query_writer": "m",
        "checker": "m",
        "subjects": ("m",),
    }
    values["wild"] |= {"subset_seeds": SEEDS, "n_checked": 1, "min_characters": 50}
    values["labelling"] |= {"n_annotators": 3, "n_plausibility": 1}
    return Settings.model_validate(values | changes)


def ok(text: str, *, finish: str = "stop") -> Reply:
    return Reply(content_id("reply", text), "ok", text, finish, None, 10, 2, 0.0, False)


def dead(reason: str = "timeout") -> Reply:
    return Reply(content_id("reply", reason), "dead", "", None, reason, None, None, 0.0, False)


def document(name: str, lang: str) -> dict:
    more = {"url": None, "source": "s", "licence": "CC0", "dated": None, "is_wikipedia": False}
    return {
        "document_id": f"d-{name}-{lang}",
        "lang": lang,
        "title": name,
        "text": TEXTS[lang].format(s=name),
        **more,
    }


def item(task: str, name: str, lang: str, **changes) -> dict:
    values = {
        "item_id": f"{task}-{name}-{lang}",
        "source": "s",
        "task": task,
        "lang": lang,
        "group_id": f"g-{name}",
        "document_ids": [f"d-{name}-{lang}"],
        "history": "",
        "question": f"What is {name}?" if task in ("silver", "wild") else "",
        "right_answer": None,
        "attributes": pairs(subject=name),
    }
    return values | changes


def sample(
    name: str, item_id: str, text: str, spans: list[dict], *, task: str = "train", lang: str = "en", **changes
) -> dict:
    values = {
        "sample_id": name,
        "item_id": item_id,
        "pair_id": None,
        "group_id": f"g-{item_id.split('-')[1]}",
        "task": task,
        "lang": lang,
        "text": text,
        "is_hallucinated": bool(spans),
        "label_source": "silver",
        "generator": None,
        "pattern": None,
        "spans": [{"p": None, **span} for span in spans],
        "rationale": None,
        "split": "train",
        "attributes": [],
    }
    return values | changes


def article(name: str, lang: str, **known) -> dict:
    return item(
        "article",
        name,
        lang,
        attributes=pairs(**{"title": name, "n_characters": 3000, "depth": 20.0} | known),
    )


def tables(items: list[dict], samples: list[dict] = ()) -> SourceTables:
    names = {(row["document_ids"][0].split("-")[1], row["lang"]) for row in items if row["document_ids"]}
    documents = [document(*name) for name in sorted(names)]
    return SourceTables(
        frame(Document, documents),
        frame(Item, items),
        frame(Sample, list(samples)),
        frame(Judgement),
        frame(Reject),
        {},
    )


def source() -> SourceTables:
    """Two silver prompts and three articles per language, and three English training passages."""
    items = [item("silver", name, lang) for name in ("Arlo", "Bend") for lang in LANGS]
    items += [article(name, lang) for name in ("Casp", "Dorn") for lang in LANGS] + [
        article("Stub", lang, n_characters=10) for lang in LANGS
    ]
    items += [item("train", name, "en") for name in ("Elda", "Fenn", "Gost")]
    text = "{} lies by the river Odla. Nobody there eats cheese."
    spans = [{"start": 23, "end": 27, "type": "entity"}, {"start": 29, "end": 53, "type": "contradictory"}]
    return tables(
        items,
        [
            sample(f"t-{name}", f"train-{name}-en", text.format(name), spans)
            for name in ("Elda", "Fenn", "Gost")
        ],
    )


# ---- a model -----------------------------------------------------------------------------------------------
def fields(prompt: str) -> tuple[dict[str, str], str]:
    """What a prompt gives under its headings, and its cue."""
    parts = re.split(r"^#([A-Z][A-Za-z ]*)#:[ \n]?", prompt, flags=re.MULTILINE)[1:]
    found = {
        name: re.sub(r"</?data-[0-9a-f]{8}>", "", text).strip()
        for name, text in zip(parts[::2], parts[1::2], strict=True)
    }
    return found, parts[-2] if parts else ""


def said(prompt: str) -> str:
    """What the model says: it keeps every rule, and puts `[xx]` before what it translates."""
    given, cue = fields(prompt)
    if cue == "Passage":
        return given["Reference"]
    if cue == "Tagged Passage":
        return inserted(given["Passage"], given["Type"])
    if cue == "Translation":
        return f"[{given['Target Language']}] {given['Text']}"
    if cue == "Queries":
        return "\n".join(
            f"{place}. {word} is {given['Title']}?" for place, word in enumerate(("What", "Where"), start=1)
        )
    if cue == "Answerable":
        return "Yes"
    return f"{prompt.strip('?').split()[-1]} is a town with a market and a castle on the hill."


def inserted(passage: str, type_: str) -> str:
    """The passage with one insertion of a type: numbers and `Odla` are replaced, sentences put at the end."""
    replaced = {"entity": ("1204", "1999"), "relation": ("Odla", "Odla's mouth")}
    if type_ in replaced:
        old, new = replaced[type_]
        return passage.replace(old, f"<{type_}><delete>{old}</delete><mark>{new}</mark></{type_}>", 1)
    return f"{passage} <{type_}>A {type_} thing.</{type_}>"


class Wiki(Stub):
    """The model behind an endpoint."""

    async def answer(self, body: bytes) -> tuple[int, dict, bytes] | str:
        self.last = json.loads(body)
        self.calls[content_id(self.last)] += 1
        return 200, {}, self.completion(said(self.last["messages"][-1]["content"]))


N_ROUNDS = 1 + len(TYPES)
