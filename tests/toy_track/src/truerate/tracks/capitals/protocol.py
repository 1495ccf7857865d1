"""Capitals: a whole protocol, which asks models for capitals and scores what they name."""

from typing import NamedTuple

import polars as pl
from truerate.tracks.capitals.graph import GRAPH
from truerate.tracks.capitals.settings import Settings, Sizes

from truerate.core.schemas import Outcome, Score, frame
from truerate.llm import Request, ask
from truerate.llm.counts import counts
from truerate.llm.generation import Prompted, decoding, generation, generations
from truerate.llm.prompts import render
from truerate.metrics.score_writer import ScoreWriter
from truerate.tracks.asking import ask_prompted, in_shard
from truerate.tracks.protocol import Protocol


class Context(NamedTuple):
    """A question with the sentence that answers it."""

    item_id: str
    question: str
    knowledge: str
    history: str = ""


def contexts(items: pl.DataFrame, documents: pl.DataFrame) -> dict[str, Context]:
    """The contexts of items by item_id, in the items' order."""
    text = dict(documents.select("document_id", "text").iter_rows())
    rows = items.select("item_id", "question", "document_ids").iter_rows()
    return {item: Context(item, question, " ".join(map(text.get, ids))) for item, question, ids in rows}


def answer(at, board, model, tables, shard, upstream, *, asking=ask) -> pl.DataFrame:
    """One subject's answers to a shard's questions, as Generation rows."""
    settings, n = at.p.track(board), at.p.size_of(board).countries
    asked = []
    found = contexts(tables.items.sort("item_id").head(n), tables.documents)
    for one in in_shard(found.values(), shard, at.p.n_shards):
        messages = render("capitals", "answer", at.p.llm.prompts_dir, question=one.question)
        asked.append(Prompted(Request(model, messages, decoding(settings.answering)), one.item_id, "answer"))
    replies = ask_prompted(asked, at, f"{board}: answer {model}", asking)
    return generations([generation(*pair) for pair in zip(asked, replies, strict=True)])


def exported(at, board, tables, replies, beside):
    """The data set: the items with what was answered. Nobody labels anything."""
    answers = replies.get("answer", generations([]))
    return {"items": tables.items, "generations": answers, "counts": counts(answers)}, []


def score(at, board, *, items, samples, judgements, generations, inputs):
    """The share of right answers per subject, and each answer's outcome for the paired tests."""
    writer = ScoreWriter(board, inputs, at.p.statistics, at.p.seed)
    right = dict(items.select("item_id", "right_answer").iter_rows())
    scores, outcomes = [], []
    for (subject,), rows in generations.group_by("model", maintain_order=True):
        ids = rows["item_id"].to_list()
        hits = [
            right[item].casefold() in text.casefold() for item, text in zip(ids, rows["text"], strict=True)
        ]
        scores.append(writer.share("capital_accuracy", subject, {}, hits, ids))
        fixed = {"board": board, "metric": "capital_accuracy", "subject": subject, "slice": []}
        outcomes += [
            fixed | {"unit_id": item, "cluster_id": item, "value": float(hit)}
            for item, hit in zip(ids, hits, strict=True)
        ]
    return frame(Score, scores), frame(Outcome, outcomes)


class Capitals(Protocol):
    """Do models name the right capital?"""

    name, graph, settings, sizes = "capitals", GRAPH, Settings, Sizes
    step_functions = {"answer": answer}
    contexts = staticmethod(contexts)
    exported, score = staticmethod(exported), staticmethod(score)

    def assumed(self, step, key, request, settings) -> str:
        """The reply that a plan takes a missing one to be: any words, nothing depends on it."""
        return "Paris"


PROTOCOL = Capitals()
