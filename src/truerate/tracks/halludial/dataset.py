"""The data set of a board: samples, rejects and items out of all replies and the source. Pure: it asks nothing.

A board whose models write its samples leaves the source's own labels out: they are of other texts. Without
such models the source's samples are the data set: published responses, or those that people labelled (scenario
`natural`).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from truerate.annotation.tasks import annotators, in_turns
from truerate.core.keys import draw
from truerate.core.schemas import SPANS, Sample, frame, pair, pairs
from truerate.llm.generation import facts
from truerate.tracks.halludial import annotating, inducing
from truerate.tracks.halludial.context import Context
from truerate.tracks.halludial.meta_judging import Judged
from truerate.tracks.halludial.prompting import RESPOND
from truerate.tracks.halludial.settings import Labelling, Settings

NATURAL = "natural"  # the scenario of responses that people label, and the kind of their task
PEOPLE = "gold"  # the label source of what people labelled
LEARNED = (
    "silver",
    "published",
)  # label sources that detectors learn from: what people label is kept to test on
_COLUMNS: dict[str, Any] = {
    "target_id": pl.String,
    "item_id": pl.String,
    "group_id": pl.String,
    "lang": pl.String,
    "task": pl.String,
    "text": pl.String,
    "spans": SPANS,
    "is_hallucinated": pl.Boolean,
}
TEXT = pl.Schema(_COLUMNS)  # of what detectors learn from and judge


# ---- samples -----------------------------------------------------------------------------------------------


def samples(
    rows: Sequence[dict], found: Mapping[str, Context], settings: Settings
) -> tuple[list[dict], list[dict]]:
    """Sample rows that the replies make, sorted by id, and Reject rows of texts that were read and are none."""
    natural, unread = annotating.samples(rows, found, settings)
    written, unfit = inducing.samples(rows, found, settings)
    return sorted([*natural, *written], key=lambda row: row["sample_id"]), [*unread, *unfit]


def source_samples(published: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    """The source's samples by id, each with a scenario (that of the source, else `natural`) and the `corpus` of
    its item. What people labelled is tested on, whatever its publisher's split: no detector learns from it.
    """
    corpus_of = dict(items.select("item_id", pair("attributes", "corpus")).iter_rows())
    rows = [
        {
            **row,
            "split": "test" if row["label_source"] == PEOPLE else row["split"],
            "attributes": pairs(
                **{"scenario": NATURAL, "corpus": corpus_of.get(row["item_id"]), **facts(row)}
            ),
        }
        for row in published.iter_rows(named=True)
    ]
    return frame(Sample, rows).sort("sample_id")


def items_of(items: pl.DataFrame, *tables: pl.DataFrame) -> pl.DataFrame:
    """The items that the tables name, by id."""
    named = pl.concat([table["item_id"] for table in tables]).unique(maintain_order=True)
    return items.filter(pl.col("item_id").is_in(named.to_list())).sort("item_id")


# ---- what detectors learn from and judge -------------------------------------------------------------------


def training(samples: pl.DataFrame) -> pl.DataFrame:
    """The texts that detectors learn from: samples of the train dialogues, never people's labels."""
    is_learned = pl.col("label_source").is_in(LEARNED) & (pl.col("split") == "train")
    return _texts(samples.filter(is_learned))


def targets(samples: pl.DataFrame, generations: pl.DataFrame) -> pl.DataFrame:
    """The texts that detectors judge: samples of the test dialogues, what people labelled, and every response of
    the test dialogues in both histories, at all temperatures; none shares a group with a text learned from.

    What people say of a response is held against the judgement of the response: it is not judged again.
    """
    used = training(samples)["group_id"].unique(maintain_order=True).to_list()
    is_tested = (pl.col("split") == "test") | (pl.col("label_source") == PEOPLE)
    held = samples.filter(is_tested & pair("attributes", "generation").is_null())
    responses = generations.filter(
        (pl.col("purpose") == RESPOND) & (pl.col("status") == "ok") & (pair("attributes", "split") == "test")
    ).select(
        pl.col("generation_id").alias("target_id"),
        "item_id",
        pair("attributes", "group_id"),
        pair("attributes", "lang"),
        pl.lit("dialogue").alias("task"),
        "text",
        pl.lit([], dtype=SPANS).alias("spans"),
        pl.lit(None, dtype=pl.Boolean).alias("is_hallucinated"),
    )
    found = pl.concat([_texts(held), responses.cast(TEXT)]).unique(
        "target_id", keep="first", maintain_order=True
    )
    return found.filter(~pl.col("group_id").is_in(used)).sort("target_id")


def _texts(samples: pl.DataFrame) -> pl.DataFrame:
    named = samples.select(pl.col("sample_id").alias("target_id"), *list(TEXT)[1:])
    return named.cast(TEXT).sort("target_id")


# ---- What people are given to label: natural responses (yes or no, with the --------------------------------


META = "meta"  # the kind of a task about a judgement


def annotation_tasks(
    responses: Sequence[dict], judgements: Sequence[Judged], found: Mapping[str, Context], rules: Labelling
) -> list[dict]:
    """The annotation tasks, sorted by `task_id`: responses by `generation_id`, judgements by `judgement_id`.
    Each names the annotators who get it. Nothing in a task says what a model said of the response, but the
    evaluation that is to be judged.
    """
    names = annotators(rules.n_annotators)
    natural = [
        _annotation_task(row["generation_id"], NATURAL, row["text"], found[row["item_id"]])
        for row in responses
    ]
    meta = [
        {
            **_annotation_task(judgement.judgement_id, META, judgement.response, found[judgement.item_id]),
            "evaluation": judgement.evaluation,
        }
        for judgement in judgements
    ]
    tasks = [{**task, "annotators": names} for task in (*natural, *meta)]
    return sorted(tasks, key=lambda task: task["task_id"])


def _annotation_task(task_id: str, kind: str, response: str, context: Context) -> dict:
    return {
        "task_id": task_id,
        "kind": kind,
        "group_id": context.group_id,
        "lang": context.lang,
        "knowledge": context.knowledge,
        "conversation": context.history,
        "response": response,
    }


def natural_responses(rows: Iterable[dict], n: int, seed: int) -> list[dict]:
    """The responses of `n` conversations (a dialogue with one responder), as evenly over the responders as they
    come: each one's dialogues are drawn in a seeded order, in turns.
    """
    by_conversation: dict[tuple[str, str], list[dict]] = {}
    for row in rows:
        known_facts = facts(row)
        name = known_facts["group_id"] if known_facts.get("turn") is not None else row["item_id"]
        by_conversation.setdefault((row["model"], name), []).append(row)
    drawn = in_turns(
        by_conversation,
        owner=lambda key: key[0],
        order=lambda key: (draw(seed, "natural", *key), key),
        turn_order=lambda model, turn: draw(seed, "natural-turn", model, turn),
    )
    return [row for key in drawn[:n] for row in by_conversation[key]]
