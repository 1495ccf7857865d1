"""Gold samples from what annotators returned (mFAVA section 3.1, appendix A.2): how label rows are read, and
the rows of tables that come of them.

A row names its task, its annotator and typed spans by `start` and `end` (code points, half-open), or by
`text` where it first occurs; no spans: nothing is hallucinated. Each span may hold its `plausibility` (1–5, very
unlikely to very likely to fool a reader); a row may hold one of the whole passage.
"""

from collections.abc import Mapping, Sequence

import polars as pl

from truerate.annotation import labels as annotation
from truerate.annotation.labels import BadLabel, Label, Labelled, Span, judgement_of, located_spans, reject
from truerate.config.layout import Layout
from truerate.core.keys import content_id, split_of
from truerate.core.schemas import pairs, sample_row
from truerate.core.spans.tags import TYPES
from truerate.metrics.score_writer import ScoreWriter
from truerate.metrics.spans import HARD
from truerate.metrics.tokens import offsets_by
from truerate.tracks.mfava.plausibility import plausibility_scores, read_plausibility
from truerate.tracks.mfava.settling import (
    Text,
    label_scores,
    published_agreement,
    published_rows,
    row_types,
    screened,
    settled,
)

# Why a label row stops a run unless params say `on_bad_row: reject`.
OF_SPANS = ("bad_spans", "unknown_type", "outside_text", "overlapping_types")
BAD_ROWS = (*annotation.BAD_ROWS, *OF_SPANS, "bad_plausibility")
TEXT_COLUMNS = ("item_id", "group_id", "task", "lang", "text", "generator")  # that a gold sample keeps


def label(
    config: Layout,
    board: str,
    tables,
    dataset: Mapping[str, pl.DataFrame],
    tasks: Sequence[dict],
    rows: Sequence[tuple],
    *,
    where: str,
    inputs: str,
) -> Labelled:
    """Return gold samples, every label as a judgement, rejects and agreement, from the rows of label files
    (`label_files.read_labels`). `inputs` is the digest that their scores name.
    """
    settings = config.p.track(board)
    tokenizer, rules = settings.tokenizer, settings.labelling
    writer = ScoreWriter(board, inputs, config.p.statistics, config.p.seed)
    texts = texts_of(tasks, dataset, tokenizer=tokenizer)
    labels, rejects = annotation.checked_labels(
        rows, texts, read_row, where=where, on_bad_row=config.p.on_bad_row
    )
    kept = screened(labels, texts, threshold=rules.screening_agreement)
    for (lang, name), share in kept.agreement.items():
        if (lang, name) not in kept.passed:
            detail = f"{share:.3f} agreement with silver in {lang}"
            rejects.append(reject("screened_out", detail, target=name))
    for name in sorted(set(texts) - set(kept.labels)) if labels else []:
        rejects.append(reject("no_labels", "nobody who is heard labelled it", target=name))
    judgements = []
    for label in labels:
        has_passed = (texts[label.task_id].lang, label.annotator) in kept.passed
        rated = " ".join(str(rating or "–") for rating in label.ratings) or None
        attributes = {"heard": "yes" if has_passed else None, "plausibility": label.rating}
        attributes |= {"span_plausibility": rated}
        judgements.append(judgement_of(label, label.value, attributes))
    samples = [
        _sample(texts[name], of_task, kept.closest, settle=rules.settle)
        for name, of_task in sorted(kept.labels.items())
    ]
    scores = label_scores(labels, texts, kept, writer) if labels else []
    counted = [label for of_task in kept.labels.values() for label in of_task]
    scores += plausibility_scores(counted, texts, writer) if counted else []
    scores += published_rows(dataset["samples"], tokenizer, writer)
    scores += published_agreement(tables.samples, tables.judgements, tokenizer, writer)
    return Labelled.of_rows(samples, judgements, rejects, scores)


def texts_of(
    tasks: Sequence[dict], dataset: Mapping[str, pl.DataFrame], *, tokenizer: str
) -> dict[str, Text]:
    """Return the texts given out, by task: silver samples by `sample_id`, replies by `generation_id`."""
    names = [task["task_id"] for task in tasks]
    cut, texts = offsets_by(tokenizer), {}
    samples = dataset["samples"].filter(pl.col("sample_id").is_in(names))
    for row in samples.iter_rows(named=True):
        offsets, name = tuple(cut(row["text"])), row["sample_id"]
        silver = row_types(offsets, row["spans"]) if row["label_source"] == "silver" else None
        texts[name] = Text(name, **{key: row[key] for key in TEXT_COLUMNS}, offsets=offsets, silver=silver)
    items = dataset["items"].select("item_id", "group_id", "lang")
    replies = dataset["generations"].filter(pl.col("generation_id").is_in(names))
    replies = replies.join(items, on="item_id", how="left", maintain_order="left")
    replies = replies.with_columns(task=pl.lit("wild"), generator="model")
    for row in replies.iter_rows(named=True):
        offsets, name = tuple(cut(row["text"])), row["generation_id"]
        texts[name] = Text(name, **{key: row[key] for key in TEXT_COLUMNS}, offsets=offsets, silver=None)
    return texts


def read_row(row: dict, text: Text) -> tuple[dict, Sequence[annotation.LeftOut]]:
    """Return the fields of a Label that a row holds of its text; raises BadLabel where it does not hold."""
    if row.get("spans") is None:
        detail = "field 'spans' is missing; an empty list says that nothing is hallucinated"
        raise BadLabel("missing_field", detail)
    located: dict[Span, int | None] = {}
    for span, record in located_spans(row["spans"], text.text, TYPES, bad_type="unknown_type"):
        if span is None:
            start, end = record.get("start"), record.get("end")
            shown = f"{start}–{end}" if start is not None else repr(str(record.get("text"))[:40])
            detail = f"span {shown} is not a part of the text of {len(text.text)} characters"
            raise BadLabel("outside_text", detail)
        rating = read_plausibility(record.get("plausibility"))
        if None not in (earlier := located.get(span), rating) and rating != earlier:
            detail = (
                f"span {span.start}–{span.end} has two ratings of its plausibility, {earlier} and {rating}"
            )
            raise BadLabel("bad_plausibility", detail)
        located[span] = earlier if rating is None else rating
    spans = tuple(sorted(located))
    for before, after in zip(spans, spans[1:], strict=False):
        if after.start < before.end and after.type != before.type:
            both = f"{before.type} {before.start}–{before.end} and {after.type} {after.start}–{after.end}"
            raise BadLabel("overlapping_types", f"spans of different types overlap: {both}")
    ratings = tuple(located[span] for span in spans) if any(located.values()) else ()
    rating = read_plausibility(row.get("plausibility"))
    return {"value": bool(spans), "spans": spans, "rating": rating, "ratings": ratings}, ()


def _sample(text: Text, labels: Sequence[Label], closest: Mapping[str, str], *, settle: str) -> dict:
    """A gold sample; its id is its own: what it labels (`silver`, `generation`) is judged by its id."""
    spans = settled(labels, text, closest, settle=settle)
    of_text = {"silver": "silver", "wild": "generation"}.get(text.task, "")
    attributes = {"n_labels": len(labels), "settled": settle if len(labels) > 1 else None}
    return sample_row(
        sample_id=content_id("gold", text.task_id),
        **{name: getattr(text, name) for name in TEXT_COLUMNS},
        is_hallucinated=any(span["p"] is None or span["p"] > HARD for span in spans),
        label_source="gold",
        spans=spans,
        split=split_of(text.group_id),
        attributes=pairs(**attributes, **({of_text: text.task_id} if of_text else {})),
    )
