"""The data set of a board: samples, documents and items from replies and source, rejected rows, what
detectors learn from and judge, and what people label. Pure: it asks nothing.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from truerate.annotation.tasks import annotators, in_turns
from truerate.core.keys import content_id, draw, split_of
from truerate.core.schemas import Document, Item, Sample, frame, pair, pairs, reject_row, sample_row
from truerate.core.spans.tags import TYPES, parse_tags
from truerate.core.text import clean
from truerate.llm.generation import facts, rejected
from truerate.tracks.asking import detector_texts, judged_texts, reply_texts
from truerate.tracks.mfava.context import SOURCE, Context, chosen
from truerate.tracks.mfava.settings import Labelling
from truerate.tracks.mfava.silver import INSERT
from truerate.tracks.mfava.translating import REFERENCE, TRANSLATE, UNSOUND, is_sound
from truerate.tracks.mfava.wild import ANSWER

TRAIN, HELD_OUT = "train", "held-out"  # tasks of labelled passages: to learn from, and to be tested on alone
INSERTED, NATURAL = "inserted", "natural"  # kinds of annotation tasks


# ---- samples -----------------------------------------------------------------------------------------------


def silver_samples(rows: Iterable[dict], contexts: Mapping[str, Context]) -> list[dict]:
    """Return the Sample rows of passages that came through all six rounds: the last text with its spans."""
    inserted = [row for row in rows if row["purpose"] == INSERT and row["status"] == "ok"]
    last = [row for row in inserted if facts(row)["type"] == TYPES[-1]]
    return [_sample(contexts[row["item_id"]], row["text"], "silver", row["model"]) for row in last]


def _sample(context: Context, marked: str, task: str, generator: str | None, **attributes: object) -> dict:
    text, spans, _ = parse_tags(marked)
    return sample_row(
        sample_id=content_id("sample", context.item_id, marked, generator),
        item_id=context.item_id,
        group_id=context.group_id,
        task=task,
        lang=context.lang,
        text=text,
        is_hallucinated=bool(spans),
        label_source="silver",
        generator=generator,
        spans=[{**span, "p": None} for span in spans],
        split=split_of(context.group_id, task),
        attributes=pairs(**attributes),
    )


def labelled(
    samples: pl.DataFrame, contexts: Mapping[str, Context], sizes: Mapping[str, int], *, seed: int
) -> list[dict]:
    """Return the English labelled samples that a board uses: of as many items per task as `sizes` says."""
    is_english = (pl.col("lang") == SOURCE) & pl.col("task").is_in(list(sizes))
    english = samples.filter(is_english).sort("sample_id").to_dicts()
    kept: set[str] = set()
    for task, n in sizes.items():
        named = dict.fromkeys(row["item_id"] for row in english if row["task"] == task)
        taken = chosen((contexts[name] for name in named if name in contexts), n, seed)
        kept |= {context.item_id for context in taken}
    return [row for row in english if row["item_id"] in kept]


def rejected_samples(samples: Iterable[dict]) -> list[dict]:
    """Return Reject rows of labelled samples whose spans cannot be written as tags."""
    shared = {"where": TRANSLATE, "reason": UNSOUND, "detail": "a span leaves the text or lies over another"}
    unsound = [row for row in samples if not is_sound(row)]
    return [reject_row(target_id=row["sample_id"], text=clean(row["text"]), **shared) for row in unsound]


def translated(
    rows: Iterable[dict], samples: Iterable[dict], contexts: Mapping[str, Context], documents: pl.DataFrame
) -> tuple[list[dict], list[dict], list[dict], list[dict]]:
    """Return Document, Item, Sample rows of translations, and Reject rows of those without a reference."""
    sample_ids = {row["sample_id"] for row in samples}
    document_of = {row["document_id"]: row for row in documents.iter_rows(named=True)}
    read = [(row, facts(row)) for row in rows if row["status"] == "ok"]
    of_references = [(row, row_facts) for row, row_facts in read if row["purpose"] == REFERENCE]
    references = {(row["item_id"], row_facts["lang"]): row["text"] for row, row_facts in of_references}
    new_documents, items, passages, rejects = {}, {}, [], []
    for row, row_facts in sorted(read, key=lambda pair: pair[0]["generation_id"]):
        if row["purpose"] != TRANSLATE or row_facts["sample"] not in sample_ids:
            continue
        context, lang = contexts[row["item_id"]], row_facts["lang"]
        if (reference := references.get((context.item_id, lang))) is None:
            rejects.append(rejected(row, "no-reference", "the reference has no translation"))
            continue
        # the translated reference has the rights of the first document that it was translated from
        record = {"document_id": content_id("translated", lang, reference), "lang": lang, "text": reference}
        origin = document_of[context.document_ids[0]]
        new_documents[record["document_id"]] = {**origin, **record, "dated": None}
        item_id = content_id("translated", context.item_id, lang)
        of_context = {name: getattr(context, name) for name in ("source", "task", "group_id")}
        texts: dict[str, Any] = {"history": "", "question": "", "right_answer": None}
        texts["attributes"] = pairs(translated_from=context.item_id, subject=context.subject or None)
        ids = {"item_id": item_id, "lang": lang, "document_ids": [record["document_id"]]}
        items[item_id] = of_context | ids | texts
        there = replace(context, item_id=item_id, lang=lang)
        origin_id = row_facts["sample"]
        passages.append(_sample(there, row["text"], context.task, row["model"], translated_from=origin_id))
    return list(new_documents.values()), list(items.values()), passages, rejects


# ---- tables ------------------------------------------------------------------------------------------------


def documents_frame(rows: Sequence[dict]) -> pl.DataFrame:
    """Return the documents that translations have, by id; the source's own stand with the source."""
    return frame(Document, list(rows)).sort("document_id")


def samples_frame(written: Sequence[dict], source: pl.DataFrame, kept: Iterable[dict]) -> pl.DataFrame:
    """Return the samples written here and the source's but English labelled ones not chosen."""
    is_english = pl.col("task").is_in([TRAIN, HELD_OUT]) & (pl.col("lang") == SOURCE)
    is_kept = pl.col("sample_id").is_in([row["sample_id"] for row in kept])
    whole = pl.concat([frame(Sample, list(written)), source.filter(~is_english | is_kept)])
    return whole.unique("sample_id", keep="first", maintain_order=True).sort("sample_id")


def items_frame(written: Sequence[dict], source: pl.DataFrame, *tables: pl.DataFrame) -> pl.DataFrame:
    """Return the items that the tables name and the source's queries, by id; one written here comes first."""
    ours = frame(Item, list(written)).unique("item_id", keep="first", maintain_order=True)
    named = pl.concat([table["item_id"] for table in tables]).unique(maintain_order=True).to_list()
    is_kept = pl.col("item_id").is_in(named) | (pl.col("task") == "wild")
    theirs = source.filter(is_kept & ~pl.col("item_id").is_in(ours["item_id"].to_list()))
    return pl.concat([ours, theirs]).sort("item_id")


# ---- what detectors learn from and judge -------------------------------------------------------------------


def training(samples: pl.DataFrame) -> pl.DataFrame:
    """Return the texts that detectors learn from: silver ones of task `train`, else the silver passages of
    the training split; never gold, and none that shares a group with a held-out text.
    """
    held_out = samples.filter(task=HELD_OUT)["group_id"].unique(maintain_order=True).to_list()
    silver = samples.filter((pl.col("label_source") == "silver") & ~pl.col("group_id").is_in(held_out))
    passages = silver.filter(task=TRAIN)
    texts = silver.filter(task="silver", split="train") if passages.is_empty() else passages
    return detector_texts(texts).sort("target_id")


def targets(samples: pl.DataFrame, generations: pl.DataFrame) -> pl.DataFrame:
    """Return the texts that detectors judge: held-out, silver and gold samples, and replies in the wild, none
    of a group learned from. A reply that people labelled is judged once, as the reply.
    """
    judged = samples.filter(
        pl.col("task").is_in([HELD_OUT, "silver", "wild"])
        & pl.col("label_source").is_in(["silver", "gold"])
        & pair("attributes", "generation").is_null()
    )
    texts = [detector_texts(judged), reply_texts(generations.filter(purpose=ANSWER), "wild")]
    return judged_texts(pl.concat(texts), training(samples))


# ---- what people are given to label ------------------------------------------------------------------------


def annotation_tasks(
    samples: Iterable[dict],
    replies: Sequence[dict],
    contexts: Mapping[str, Context],
    rules: Labelling,
    *,
    n_natural: int,
    seed: int,
) -> list[dict]:
    """Return the annotation tasks by `task_id`: every silver sample, and `n_natural` of the replies of each
    language.

    Each names the annotators who get it: in each language and kind the first of a seeded order (`n_shared`)
    go to all, the others to one each in turn. Silver spans stand in inserted ones alone: they are shown to no
    annotator, but one is screened by them. `rate_plausibility`: the reader also rates how likely each part
    that they mark is to fool someone.
    """
    texts = [(row["sample_id"], INSERTED, row, row["spans"]) for row in samples]
    texts += [(row["generation_id"], NATURAL, row, ()) for row in natural(replies, n_natural, seed)]
    groups: dict[tuple[str, str], list[dict]] = {}
    for task_id, kind, row, spans in sorted(texts, key=lambda text: (draw(seed, "deal", text[0]), text[0])):
        context = contexts[row["item_id"]]
        task = {"task_id": task_id, "lang": context.lang, "kind": kind, "text": row["text"]}
        task |= {"reference": context.knowledge, "question": context.question, "subject": context.subject}
        task["spans"] = [{name: span[name] for name in ("start", "end", "type")} for span in spans]
        groups.setdefault((context.lang, kind), []).append(task)
    names = annotators(rules.n_annotators)
    for (_, kind), tasks in groups.items():
        shared = n_shared(kind, len(tasks), rules)
        for index, task in enumerate(tasks):
            task["annotators"] = names if index < shared else [names[(index - shared) % len(names)]]
            is_rated = rules.n_plausibility is None or index < rules.n_plausibility
            task["rate_plausibility"] = kind == INSERTED and is_rated
    return sorted((task for tasks in groups.values() for task in tasks), key=lambda task: task["task_id"])


def natural(replies: Iterable[dict], n: int, seed: int) -> list[dict]:
    """Return `n` of the replies per language, as evenly over the models as they come: each model's are drawn
    in a seeded order, in turns.
    """
    by_lang: dict[str, list[dict]] = {}
    for row in replies:
        by_lang.setdefault(facts(row)["lang"], []).append(row)
    drawn = []
    for lang, rows in by_lang.items():
        drawn += in_turns(
            rows,
            owner=lambda row: row["model"],
            order=lambda row: (draw(seed, "natural", row["generation_id"]), row["generation_id"]),
            turn_order=lambda model, turn, lang=lang: draw(seed, "turn", lang, model, turn),
        )[:n]
    return drawn


def n_shared(kind: str, n: int, rules: Labelling) -> int:
    """Return how many of `n` texts of one kind go to every annotator: of passages `shared_rate` of the texts;
    of replies so many that they take `shared_natural_labels` of the labels.

    m shared ones take m · A of m · A + n − m labels, A annotators: m = s · n / (A − s · (A − 1)).
    """
    if kind == INSERTED:
        return round(rules.shared_rate * n)
    share, n_annotators = rules.shared_natural_labels, rules.n_annotators
    return round(share * n / (n_annotators - share * (n_annotators - 1)))


def n_labels(kind: str, n: int, rules: Labelling) -> int:
    """Return how many labels people make of `n` texts of one kind."""
    return n + (rules.n_annotators - 1) * n_shared(kind, n, rules)
