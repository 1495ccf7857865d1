"""A hand-made source of two languages, the settings of its board, and a model that keeps every rule."""

import json
import re
from pathlib import Path

from stub import Stub

from truerate.config import load_params
from truerate.core.keys import content_id
from truerate.core.schemas import Document, Item, Judgement, Reject, Sample, frame, pairs
from truerate.llm.request import Reply
from truerate.sources.collection import SourceTables
from truerate.tracks.asking import Prompter
from truerate.tracks.mfava.settings import Settings

ROOT = Path(__file__).parents[3]
LANGS, SEEDS = ("en", "de"), (42, 43)
TEXTS = {  # language -> reference, right sentences
    "en": "{s} is a town by the river Odla. It was founded in 1204. Its market is known for cheese.",
    "de": "{s} ist eine Stadt am Fluss Odla. Sie wurde 1204 gegründet. Ihr Markt ist für Käse bekannt.",
}
PARAMS = load_params(ROOT / "params.yaml")


def settings(**changes) -> Settings:
    values = PARAMS.tracks["mfava"].model_dump()
    values |= dict.fromkeys(("writer", "translator", "query_writer", "checker"), "m")
    values |= {"languages": LANGS, "subjects": ("m",)}
    values["wild"] |= {"subset_seeds": SEEDS, "n_checked": 1, "min_characters": 50}
    values["labelling"] |= {"n_annotators": 3, "n_plausibility": 1}
    return Settings.model_validate(values | changes)


def prompter(**changes) -> Prompter:
    return Prompter("mfava", settings(**changes), 7)


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
    ids = {"item_id": f"{task}-{name}-{lang}", "group_id": f"g-{name}", "document_ids": [f"d-{name}-{lang}"]}
    question = f"What is {name}?" if task in ("silver", "wild") else ""
    texts = {"history": "", "question": question, "right_answer": None, "attributes": pairs(subject=name)}
    return {"source": "s", "task": task, "lang": lang, **ids, **texts, **changes}


def sample(name: str, item_id: str, text: str, spans: list[dict], **changes) -> dict:
    ids = {"sample_id": name, "item_id": item_id, "group_id": f"g-{item_id.split('-')[1]}", "pair_id": None}
    labels = {
        "is_hallucinated": bool(spans),
        "label_source": "silver",
        "spans": [{"p": None, **span} for span in spans],
    }
    nothing = dict.fromkeys(("generator", "pattern", "rationale"))
    more = {"task": "train", "lang": "en", "split": "train", "attributes": []}
    return {**ids, "text": text, **labels, **nothing, **more, **changes}


def article(name: str, lang: str, **attributes) -> dict:
    columns = {"title": name, "n_characters": 3000, "depth": 20.0} | attributes
    return item("article", name, lang, attributes=pairs(**columns))


def tables(items: list[dict], samples: list[dict] = ()) -> SourceTables:
    names = {(row["document_ids"][0].split("-")[1], row["lang"]) for row in items if row["document_ids"]}
    documents = frame(Document, [document(*name) for name in sorted(names)])
    texts = frame(Item, items), frame(Sample, list(samples))
    return SourceTables(documents, *texts, frame(Judgement), frame(Reject), {})


def source() -> SourceTables:
    """Two silver prompts and three articles per language, and three English training passages."""
    items = [item("silver", name, lang) for name in ("Arlo", "Bend") for lang in LANGS]
    items += [article(name, lang) for name in ("Casp", "Dorn") for lang in LANGS]
    items += [article("Stub", lang, n_characters=10) for lang in LANGS]
    trained = ("Elda", "Fenn", "Gost")
    items += [item("train", name, "en") for name in trained]
    text = "{} lies by the river Odla. Nobody there eats cheese."
    spans = [{"start": 23, "end": 27, "type": "entity"}, {"start": 29, "end": 53, "type": "contradictory"}]
    return tables(
        items, [sample(f"t-{name}", f"train-{name}-en", text.format(name), spans) for name in trained]
    )


# ---- a model -----------------------------------------------------------------------------------------------
def fields(prompt: str) -> tuple[dict[str, str], str]:
    """What a prompt gives under its headings, and its cue."""
    parts = re.split(r"^#([A-Z][A-Za-z ]*)#:[ \n]?", prompt, flags=re.MULTILINE)[1:]
    texts = [re.sub(r"</?data-[0-9a-f]{8}>", "", text).strip() for text in parts[1::2]]
    return dict(zip(parts[::2], texts, strict=True)), parts[-2] if parts else ""


def writer_reply(prompt: str) -> str:
    """What the model says: it keeps every rule, and puts `[xx]` before what it translates."""
    given, cue = fields(prompt)
    if cue == "Tagged Passage":
        return inserted(given["Passage"], given["Type"])
    replies = {
        "Passage": lambda: given["Reference"],
        "Translation": lambda: f"[{given['Target Language']}] {given['Text']}",
        "Queries": lambda: f"1. What is {given['Title']}?\n2. Where is {given['Title']}?",
        "Answerable": lambda: "Yes",
        "": lambda: f"{prompt.strip('?').split()[-1]} is a town with a market and a castle on the hill.",
    }
    return replies[cue]()


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
        return 200, {}, self.completion(writer_reply(self.last["messages"][-1]["content"]))
