"""The data set of a board: a source's samples, items, what detectors learn from and judge, and what people
label. Pure.

A board whose models write its samples (`silver`) leaves the source's own labels out: they are of other texts.
Else the source's samples are the data set: published responses, or those that people labelled (scenario
`natural`). A published split may have texts of one dialogue on both sides (`leaking`): it stands as `split`, and
as `split_by_sample`; on which side detectors take such a text is its `detector_split` (`Split.by`).
"""

from collections.abc import Iterable, Sequence

import polars as pl

from truerate.annotation.tasks import annotators, in_turns
from truerate.core.keys import draw
from truerate.core.schemas import SPLITS, Sample, frame, pair, pairs
from truerate.llm.generation import facts
from truerate.tracks.asking import detector_texts, judged_texts, reply_texts
from truerate.tracks.halludial.context import side_of
from truerate.tracks.halludial.judging import Contexts, Judged
from truerate.tracks.halludial.prompting import META, RESPOND
from truerate.tracks.halludial.settings import Labelling, Settings

NATURAL = "natural"  # the scenario of responses that people label, and the kind of their task
PEOPLE = "gold"  # the label source of what people labelled
TRAINED_ON = ("silver", "published")  # label sources to learn from: what people label is for tests
BY_DETECTORS = (
    "detector_split"  # the attribute of a text that detectors take on another side than its `split`
)
NEITHER = "none"  # its value where they neither learn from the text nor judge it


def source_samples(published: pl.DataFrame, items: pl.DataFrame, settings: Settings) -> pl.DataFrame:
    """Return the source's samples by id, each with a scenario (its own, else `natural`) and its item's
    `corpus`. What people labelled is tested on, whatever its publisher's split: no detector learns from it.
    Where the published split leaks, texts have `split_by_sample`, and those of leaking dialogues
    `detector_split`; where no test text was published, dialogues are parted here, unless `split.by` says
    otherwise.
    """
    corpus_of = dict(items.select("item_id", pair("attributes", "corpus")).iter_rows())
    leaks, is_published = leaking(published), settings.split.by == "published"
    is_parted = is_published or not only_train(published)
    rows = []
    for row in published.iter_rows(named=True):
        attributes = {"scenario": NATURAL, "corpus": corpus_of.get(row["item_id"]), **facts(row)}
        split = row["split"] if is_parted else side_of(row["group_id"], settings)
        split = "test" if row["label_source"] == PEOPLE else split
        if leaks and row["label_source"] in TRAINED_ON:
            attributes["split_by_sample"] = split
            if row["group_id"] in leaks:
                is_taken = is_published or side_of(row["group_id"], settings) == split
                attributes[BY_DETECTORS] = split if is_taken else NEITHER
        rows.append({**row, "split": split, "attributes": pairs(**attributes)})
    return frame(Sample, rows).sort("sample_id")


def leaking(samples: pl.DataFrame) -> set[str]:
    """Return the dialogues with texts to learn from on both sides of their split."""
    sides = samples.filter(pl.col("label_source").is_in(TRAINED_ON)).group_by("group_id", maintain_order=True)
    return set(sides.agg(n=pl.col("split").n_unique()).filter(pl.col("n") == len(SPLITS))["group_id"])


def sides(samples: pl.DataFrame) -> dict[str, str]:
    """Return the side of each dialogue all of whose texts stand on one."""
    by_group = samples.group_by("group_id", maintain_order=True)
    named = by_group.agg(pl.col("split").min(), n=pl.col("split").n_unique()).filter(n=1)
    return dict(named.select("group_id", "split").iter_rows())


def only_train(samples: pl.DataFrame) -> bool:
    """Return whether a set was published without its test texts."""
    sides = samples.filter(pl.col("label_source").is_in(TRAINED_ON))["split"]
    return not sides.is_empty() and bool((sides == "train").all())


def items_of(items: pl.DataFrame, *tables: pl.DataFrame) -> pl.DataFrame:
    """Return the items that the tables name, by id."""
    named = pl.concat([table["item_id"] for table in tables]).unique(maintain_order=True)
    return items.filter(pl.col("item_id").is_in(named.to_list())).sort("item_id")


def training(samples: pl.DataFrame) -> pl.DataFrame:
    """Return the texts that detectors learn from: samples of the train side, never people's labels."""
    texts = samples.filter(pl.col("label_source").is_in(TRAINED_ON), split="train")
    return detector_texts(texts, "is_hallucinated").sort("target_id")


def targets(samples: pl.DataFrame, generations: pl.DataFrame) -> pl.DataFrame:
    """Return the texts that detectors judge: samples of the test side, what people labelled, and every
    response of the test dialogues; none shares a group with a text learned from, unless detectors take a
    leaking split as published. A label of a response is compared with the judgement of the response: it is
    not judged again.
    """
    is_tested = (pl.col("split") == "test") | (pl.col("label_source") == PEOPLE)
    judged = samples.filter(is_tested & pair("attributes", "generation").is_null())
    is_test = pair("attributes", "split") == "test"
    responses = reply_texts(generations.filter(is_test, purpose=RESPOND), "dialogue")
    whole = pl.concat([detector_texts(judged, "is_hallucinated"), responses], how="diagonal")
    whole = whole.unique("target_id", keep="first", maintain_order=True)
    taken = samples.filter(pair("attributes", BY_DETECTORS).is_in(SPLITS))
    return whole.sort("target_id") if leaking(taken) else judged_texts(whole, training(samples))


# ---- what people are given to label ------------------------------------------------------------------------


def annotation_tasks(
    responses: Iterable[dict], judgements: Sequence[Judged], contexts: Contexts, rules: Labelling
) -> list[dict]:
    """Return the annotation tasks by `task_id`: responses by `generation_id` (yes or no, with the spans),
    judgements by `judgement_id` (accurate or not), with the annotators who get them. Nothing in a task says
    what a model says of the response, but the evaluation that is to be judged.
    """
    names = annotators(rules.n_annotators)
    about: list[tuple[str, str, str, str, dict]] = [
        (row["generation_id"], NATURAL, row["item_id"], row["text"], {}) for row in responses
    ]
    for judgement in judgements:
        evaluation = {"evaluation": judgement.evaluation}
        about.append((judgement.judgement_id, META, judgement.item_id, judgement.response, evaluation))
    tasks = []
    for task_id, kind, item_id, response, evaluation in sorted(about, key=lambda task: task[0]):
        context = contexts[item_id]
        task = {"task_id": task_id, "kind": kind, "group_id": context.group_id, "lang": context.lang}
        texts = {"knowledge": context.knowledge, "conversation": context.history, "response": response}
        tasks.append({**task, **texts, **evaluation, "annotators": names})
    return tasks


def natural_responses(rows: Iterable[dict], n: int, seed: int) -> list[dict]:
    """Return the responses of `n` conversations (a dialogue with one responder), as evenly over the
    responders as they come: each one's dialogues are drawn in a seeded order, in turns.
    """
    by_conversation: dict[tuple[str, str], list[dict]] = {}
    for row in rows:
        row_facts = facts(row)
        name = row_facts["group_id"] if row_facts.get("turn") is not None else row["item_id"]
        by_conversation.setdefault((row["model"], name), []).append(row)
    ordered = in_turns(
        by_conversation,
        owner=lambda key: key[0],
        order=lambda key: (draw(seed, "natural", *key), key),
        turn_order=lambda model, turn: draw(seed, "natural-turn", model, turn),
    )
    return [row for key in ordered[:n] for row in by_conversation[key]]
