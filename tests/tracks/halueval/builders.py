"""Small tables and replies for the track's tests."""

from truerate.core.keys import content_id
from truerate.core.schemas import Document, Item, Judgement, Reject, Sample, frame, pairs
from truerate.core.schemas.rows import sample_row
from truerate.llm.request import Reply
from truerate.sources.collection import SourceTables
from truerate.tracks.asking import Prompter
from truerate.tracks.halueval.context import Context
from truerate.tracks.halueval.settings import Settings

SAMPLING = {"temperature": 1.0, "top_p": 1.0, "max_tokens": 64}


def settings(**changes) -> Settings:
    values = {"tasks": ("qa", "dialogue", "summarization", "general"), "generators": ("gen",)}
    values |= {"dataset_generator": "gen", "filter_judge": "judge", "responder": "gen"}
    values |= {"subjects": ("judge",), "schemes": ("one-pass", "conversational"), "pattern": "assigned"}
    values |= {"length_slack_words": 5, "sampling": SAMPLING}
    values |= {"recognition": SAMPLING | {"temperature": 0.0}}
    values |= {"variants": ("plain", "knowledge", "chain-of-thought", "contrast"), "n_responses": 3}
    values |= {"similarity": "chrf", "refinement": True, "refinement_judge": None, "n_retrieved": 2}
    values |= {"knowledge": "source", "n_annotators": 3, "probe_pass_rate": 0.8, "n_topics": 2}
    return Settings(**values | changes)


def prompter(prompts_dir: str | None = None, **changes) -> Prompter:
    return Prompter("halueval", settings(**changes), 7, prompts_dir)


def context(task: str = "qa", item_id: str = "i1", **changes) -> Context:
    values = {"item_id": item_id, "task": task, "group_id": f"g-{item_id}", "lang": "en"}
    values |= {"knowledge": "" if task == "general" else "Lisbon is the capital of Portugal."}
    values |= {"history": "[Human]: Where shall we go?" if task == "dialogue" else ""}
    values |= {"question": "" if task == "summarization" else "What is the capital of Portugal?"}
    values |= {"right_answer": None if task == "general" else "Lisbon"}
    return Context(**values | changes)


def ok(text: str) -> Reply:
    return Reply(content_id("reply", text), "ok", text, "stop", None, 10, 2, 0.0, False)


def dead(reason: str = "refusal") -> Reply:
    return Reply(content_id("reply", reason), "dead", "", None, reason, None, None, 0.0, False)


def item(item_id: str, task: str = "qa", **changes) -> dict:
    ids = {"item_id": item_id, "source": "s", "task": task, "lang": "en", "group_id": f"g-{item_id}"}
    texts = {"history": "", "question": f"Question {item_id}?", "attributes": []}
    has_none = task == "general"
    defaults = {
        "document_ids": [] if has_none else ["d1"],
        "right_answer": None if has_none else f"Right {item_id}",
    }
    return ids | texts | defaults | changes


def document(document_id: str = "d1", text: str = "Lisbon is the capital of Portugal.") -> dict:
    more = {"url": None, "source": "s", "licence": "CC0", "dated": None, "is_wikipedia": False}
    return {"document_id": document_id, "lang": "en", "title": document_id, "text": text, **more}


def sample(sample_id: str, item_id: str, is_hallucinated: bool, **changes) -> dict:
    ids = {"sample_id": sample_id, "item_id": item_id, "group_id": f"g-{item_id}", "task": "qa", "lang": "en"}
    label = {"is_hallucinated": is_hallucinated, "label_source": "published", "split": "test"}
    attributes = pairs(**changes.pop("attributes", {}))
    return sample_row(**ids | label | {"text": f"text {sample_id}"} | changes, attributes=attributes)


def tables(items: list[dict], documents: list[dict] = (), samples: list[dict] = ()) -> SourceTables:
    parts = frame(Document, list(documents) or [document()]), frame(Item, items), frame(Sample, list(samples))
    return SourceTables(*parts, frame(Judgement), frame(Reject), {})
