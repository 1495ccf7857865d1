"""Capitals: a whole protocol, which asks models for capitals and scores what they name."""

import polars as pl
from truerate.tracks.capitals.settings import Settings, Sizes

from truerate.core.schemas import Score, frame
from truerate.llm.counts import counts
from truerate.llm.generation import generation, generations
from truerate.metrics.score_writer import ScoreWriter
from truerate.tracks.asking import PlainContext, Work, step_of
from truerate.tracks.protocol import Protocol


def contexts(items: pl.DataFrame, documents: pl.DataFrame) -> dict[str, PlainContext]:
    """Return by item_id each question with the sentence that answers it, in the items' order."""
    text = dict(documents.select("document_id", "text").iter_rows())
    rows = items.select("item_id", "question", "document_ids").iter_rows()
    return {item: PlainContext(item, " ".join(map(text.get, ids)), question) for item, question, ids in rows}


@step_of(Work)
def answer(work: Work) -> list[dict]:
    """Ask one subject a shard's questions; its answers are Generation rows."""
    items = work.tables.items.sort("item_id").head(work.size.countries)
    asked = []
    for context in work.in_shard(contexts(items, work.tables.documents).values()):
        about = work.model, context.item_id, work.settings.answering, {}
        asked.append(work.prompter.prompted("answer", *about, question=context.question))
    return [generation(*pair) for pair in zip(asked, work.asked(asked, "answer"), strict=True)]


class Capitals(Protocol):
    """Do models name the right capital?"""

    name, settings, sizes = "capitals", Settings, Sizes
    step_functions = {"answer": answer}
    contexts = staticmethod(contexts)

    def exported(self, at, board, tables, replies, beside):
        """Return the data set: the items with what was answered. Nobody labels anything."""
        answers = replies.get("answer", generations([]))
        return {"items": tables.items, "generations": answers, "counts": counts(answers)}, []

    def score(self, at, board, *, items, samples, judgements, generations, inputs):
        """Return the share of right answers per subject, and each answer's outcome for the paired tests."""
        writer = ScoreWriter(board, inputs, at.p.statistics, at.p.seed)
        right = dict(items.select("item_id", "right_answer").iter_rows())
        answers = generations.select("item_id", "text").iter_rows()
        is_right = [right[item].casefold() in text.casefold() for item, text in answers]
        rows = generations.select(subject="model", unit_id="item_id", cluster_id="item_id")
        rows = rows.with_columns(value=pl.Series(is_right, dtype=pl.Float64))
        shares = {"capital_accuracy": pl.col("value")}
        scores = writer.shares_by(rows, shares, subject="subject", cluster="unit_id")
        return frame(Score, scores), writer.outcomes("capital_accuracy", {}, rows)

    def assumed(self, step, key, request, settings) -> str:
        """Return the reply that a plan takes a missing one to be: any words, nothing depends on it."""
        return "Paris"


PROTOCOL = Capitals()
