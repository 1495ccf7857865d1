"""Tiny tables as readers give them, and the labels that a reader makes of them."""

from truerate.core.schemas import Item, Judgement, Sample, frame, judgement_row, pairs, sample_row
from truerate.results.labels import labels_of
from truerate.sources import labels_by
from truerate.sources.public.unit_labels import Tables


def tiny_item(item_id="i1", **more):
    right = more.pop("right_answer", None)
    row = {
        "item_id": item_id,
        "source": "s",
        "task": "entity",
        "lang": "en",
        "group_id": "g",
        "document_ids": [],
    }
    return row | {"history": "", "question": "?", "right_answer": right, "attributes": pairs(**more)}


def tiny_sample(
    sample_id, task, *, text="a text", item_id="i1", generator="m", is_hallucinated=False, **more
):
    return sample_row(
        sample_id=sample_id,
        item_id=item_id,
        group_id="g",
        task=task,
        lang="en",
        text=text,
        is_hallucinated=is_hallucinated,
        label_source="published",
        generator=generator,
        split="test",
        attributes=pairs(**more),
    )


def tiny_verdict(target_id, judge, is_hallucinated, **more):
    return judgement_row(
        judgement_id=f"{target_id} {judge}",
        judge=judge,
        judge_version="published",
        target_id=target_id,
        verdict=is_hallucinated,
        **more,
    )


def labels_made(reader, samples, items=(), judgements=()):
    """The labels that a reader makes of these rows, as a board has them."""
    tables = Tables(
        frame(Sample, list(samples)), frame(Item, list(items)), frame(Judgement, list(judgements))
    )
    return labels_of("b", labels_by(reader)(tables))


def cells(labels, *names):
    """Some columns of labels, row by row."""
    return labels.select(*names).rows()
