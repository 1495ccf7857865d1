"""The steps of Capitals, and what the stages call."""

import polars as pl
from truerate.tracks.capitals.context import contexts

from truerate.config.layout import Layout
from truerate.core.schemas import Outcome, Score, frame
from truerate.llm import Request, ask
from truerate.llm.counts import counts
from truerate.llm.generation import Prompted, decoding, generation, generations
from truerate.llm.prompts import render
from truerate.tracks.asking import Asking, ask_prompted, in_shard


def answer(
    at: Layout, board: str, model: str, tables, shard: int, upstream: dict, *, asking: Asking = ask
) -> pl.DataFrame:
    """One subject's answers to a shard's questions, as Generation rows."""
    settings, n = at.p.track(board), at.p.size_of(board).countries
    found = contexts(tables.items.sort("item_id").head(n), tables.documents)
    asked = []
    for one in in_shard(found.values(), shard, at.p.n_shards):
        messages = render("capitals", "answer", at.p.llm.prompts_dir, question=one.question)
        asked.append(Prompted(Request(model, messages, decoding(settings.answering)), one.item_id, "answer"))
    replies = ask_prompted(asked, at, f"{board}: answer {model}", asking)
    return generations([generation(*pair) for pair in zip(asked, replies, strict=True)])


def exported(at, board, tables, replies, beside) -> tuple[dict[str, pl.DataFrame], list[dict]]:
    """The data set: the items with what was answered. Nobody labels anything."""
    answers = replies.get("answer", generations([]))
    return {"items": tables.items, "generations": answers, "counts": counts(answers)}, []


def score(at, board, *, items, samples, judgements, generations, inputs) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The share of right answers per subject, and each answer's outcome for the paired tests."""
    from truerate.metrics.naming import names

    from truerate.metrics.score_writer import ScoreWriter

    writer = ScoreWriter(board, inputs, at.p.statistics, at.p.seed)
    right = dict(items.select("item_id", "right_answer").iter_rows())
    scores, outcomes = [], []
    for (subject,), rows in generations.group_by("model", maintain_order=True):
        ids = rows["item_id"].to_list()
        hits = [names(text, right[item]) for item, text in zip(ids, rows["text"], strict=True)]
        scores.append(writer.share("capital_accuracy", subject, {}, hits, ids))
        told = {"board": board, "metric": "capital_accuracy", "subject": subject, "slice": []}
        outcomes += [
            told | {"unit_id": item, "cluster_id": item, "value": float(hit)}
            for item, hit in zip(ids, hits, strict=True)
        ]
    return frame(Score, scores), frame(Outcome, outcomes)
