"""Small dialogues, rows and replies for the track's tests."""

import polars as pl

from truerate.core.keys import content_id
from truerate.core.schemas import Document, Item, frame, generation_row, pairs
from truerate.llm.generation import generation
from truerate.llm.request import Reply
from truerate.tracks.halludial.context import Context, Turn
from truerate.tracks.halludial.prompting import Questions
from truerate.tracks.halludial.settings import Settings

SAMPLING = {"temperature": 1.0, "top_p": 1.0, "max_tokens": 64}
COLD = SAMPLING | {"temperature": 0.0}
KNOWLEDGE = "Lisbon is the capital of Portugal. It lies on the Tagus."
RIGHT = "It is Lisbon, on the Tagus."


def settings(**changes) -> Settings:
    models = {"responders": ("gen",), "annotator": "judge", "inducer": "writer", "subjects": ("judge",)}
    models |= {"meta_judge": "judge", "detector": None}
    bounds = {"max_words": 8, "max_history_words": 100, "slack_words": 6, "n_topics": 2, "on_broken": "keep"}
    asking = {"responding": SAMPLING, "annotating": COLD, "inducing": SAMPLING, "detecting": COLD}
    rules = {"split": {"train": 0.6}, "labelling": {"n_annotators": 3, "screening_agreement": 0.6}}
    rules |= {"temperatures": (0.5,), "similarity": "chrf"}
    return Settings(**{**models, **bounds, **asking, **rules, **changes})


def questions(**changes) -> Questions:
    return Questions("halludial", settings(**changes), 7)


def context(item_id: str = "i0", turn: int | None = 0, **changes) -> Context:
    """Turn number `turn` of a dialogue, with as many of the assistant's turns before it."""
    turns = [
        Turn(*judgements)
        for k in range(turn or 0)
        for judgements in (("User", f"q{k}"), ("Assistant", f"gold {k}"))
    ]
    question = "What is the capital?"
    values = {"item_id": item_id, "group_id": "g", "lang": "en", "knowledge": KNOWLEDGE, "question": question}
    values |= {"right_answer": RIGHT, "turns": (*turns, Turn("User", question)), "turn": turn}
    return Context(**{**values, "dialogue": None if turn is None else "d", **changes})


def tables(n_dialogues: int = 3, n_turns: int = 3) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Items and documents of dialogues with as many turns each."""
    documents, items = [], []
    for d in range(n_dialogues):
        lines: list[str] = []
        for t in range(n_turns):
            documents.append({"document_id": f"k{d}{t}", "lang": "en", "title": "", "text": f"Fact {d} {t}.", "url": None,
                              "source": "s", "licence": "", "dated": None, "is_wikipedia": False})  # fmt: skip
            items.append({"item_id": f"i{d}{t}", "source": "s", "task": "dialogue", "lang": "en", "group_id": f"g{d}",
                          "document_ids": [f"k{d}{t}"], "history": "\n".join(lines), "question": f"Question {t}?",
                          "right_answer": f"Answer {d} {t}.", "attributes": pairs(dialogue=d, turn=t)})  # fmt: skip
            lines += [f"[Human]: Question {t}?", f"[Assistant]: Answer {d} {t}."]
    return frame(Item, items), frame(Document, documents)


def row(purpose: str, name: str, text: str, *, item: str = "i0", model: str = "gen", **attributes) -> dict:
    """A Generation row; `known`: its attributes, and `status`, `reason`."""
    outcome = {key: attributes.pop(key) for key in ("status", "reason") if key in attributes}
    values = {"generation_id": name, "item_id": item, "purpose": purpose, "model": model, "text": text}
    return generation_row(**values, attributes=pairs(**attributes), **outcome)


def response(name: str, text: str = "It is Lisbon.", **attributes) -> dict:
    """The row of a response in gold history at the base temperature."""
    usual = {"history": "gold", "temperature": "1", "group_id": "g", "lang": "en", "split": "test"}
    usual |= {"turn": "0"}
    return row("respond", name, text, **usual | attributes)


def annotated(target: str, text: str = "No. It holds.", verdict: str = "no", **attributes) -> dict:
    """The row of an annotation of a response."""
    return row("annotate", f"a-{target}", text, model="judge", target=target, verdict=verdict, **attributes)


def rows(asked, replies, read) -> list[dict]:
    """Generation rows of replies, as a step makes them."""
    return [
        generation(question, reply, read(question, reply.text))
        for question, reply in zip(asked, replies, strict=True)
    ]


def ok(text: str) -> Reply:
    return Reply(content_id("reply", text), "ok", text, "stop", None, 10, 2, 0.0, False)


def dead(reason: str = "refusal") -> Reply:
    return Reply(content_id("reply", reason), "dead", "", None, reason, None, None, 0.0, False)
