"""General user queries (HELMA 2.2): several answers per query; the queries whose answers agree least are
labelled by people.
"""

from collections.abc import Sequence

import polars as pl

from truerate.core.keys import draw
from truerate.core.schemas import pair, pairs
from truerate.llm.generation import Prompted, decoding, facts, generation
from truerate.llm.request import Reply, Request
from truerate.metrics.similarity import Measure, least_similar, mean_pairwise
from truerate.tracks.halueval.context import Context
from truerate.tracks.halueval.settings import Settings

PURPOSE = "respond"
SLICE = 4096  # rows that are Python objects at a time


def requests(queries: Sequence[Context], responder: str, settings: Settings) -> list[Prompted]:
    """Return `n_responses` requests per query: the query alone, verbatim, as one user message."""
    asked = []
    for query in queries:
        messages = ({"role": "user", "content": query.question},)
        for index in range(settings.n_responses):
            params = decoding(settings.decoding("responding"), index)
            request = Request(responder, messages, params, sample_index=index)
            attributes: dict[str, str | None] = {"task": "general", "index": str(index)}
            asked.append(Prompted(request, query.item_id, PURPOSE, attributes, may_decline=True))
    return asked


def collect(asked: Sequence[Prompted], replies: Sequence[Reply]) -> list[dict]:
    """Return Generation rows of the responses as they came."""
    return [generation(prompted, reply) for prompted, reply in zip(asked, replies, strict=True)]


def similarities(responses: pl.DataFrame, *, measure: Measure) -> pl.DataFrame:
    """Return the mean pairwise `similarity` of the responses per query (null where fewer than two came)."""
    ok = responses.filter(pl.col("status") == "ok").sort("item_id", "sample_index")
    groups = ok.group_by("item_id", maintain_order=True).agg("text")
    ids = responses["item_id"].unique().sort().to_list()
    values = mean_pairwise(groups["text"].to_list(), measure) if ids else []
    value_of = dict(zip(groups["item_id"].to_list(), values, strict=True))
    rounded = [None if (value := value_of.get(name)) is None else round(value, 6) for name in ids]
    schema = {"item_id": pl.String, "similarity": pl.Float64}
    return pl.DataFrame({"item_id": ids, "similarity": rounded}, schema=schema)


def marked(responses: pl.DataFrame, compared: pl.DataFrame, *, n: int | None, seed: int) -> pl.DataFrame:
    """Return the responses with the `similarity` of their query (`compared`) and, on one response each of the
    `n` least similar queries, `selected: yes`.

    Which of a query's responses is labelled is drawn by seed; a query with fewer than two responses is never
    selected.
    """
    kept, value_of = set(least_similar(compared, n)), dict(compared.iter_rows())
    ok = responses.filter((pl.col("status") == "ok") & pl.col("item_id").is_in(list(kept)))
    choices = ok.sort("item_id", "sample_index").group_by("item_id", maintain_order=True).agg("generation_id")
    drawn = {ids[int(draw(seed, "response", item_id) * len(ids))] for item_id, ids in choices.iter_rows()}

    def with_marks(row: dict) -> dict:
        value = value_of[row["item_id"]]
        similarity = None if value is None else f"{value:.6f}"
        selected = "yes" if row["generation_id"] in drawn else None
        return {**row, "attributes": pairs(**facts(row), similarity=similarity, selected=selected)}

    # a slice at a time: as Python objects the rows of a whole pool take ten times their place
    parts = [
        pl.DataFrame([with_marks(row) for row in part.iter_rows(named=True)], schema=responses.schema)
        for part in responses.iter_slices(SLICE)
    ]
    return pl.concat([responses.clear(), *parts])


def selected(generations: pl.DataFrame) -> pl.DataFrame:
    """Return the responses that people label and that recognition judges, from a data set's generations."""
    is_selected = (pl.col("purpose") == PURPOSE) & (pair("attributes", "selected") == "yes")
    return generations.filter(is_selected).sort("generation_id")


def annotation_tasks(responses: pl.DataFrame, items: pl.DataFrame, probes: pl.DataFrame) -> list[dict]:
    """Return what labellers are given, sorted by `task_id`: the selected responses and, so that labellers can
    be screened, the probe set.

    Nothing in a task says whether it is a probe: a labeller who knew would take care there alone. Without
    responses to label there is nothing to screen for, and the list is empty.
    """
    if responses.is_empty():
        return []
    query_of = dict(items.select("item_id", "question").iter_rows())
    tasks = [
        {"task_id": row[name], "query": query_of[row["item_id"]], "response": row["text"]}
        for rows, name in ((responses, "generation_id"), (probes, "sample_id"))
        for row in rows.iter_rows(named=True)
    ]
    return sorted(tasks, key=lambda task: task["task_id"])
