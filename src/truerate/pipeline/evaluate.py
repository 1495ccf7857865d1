"""The stages `label`, `audit` and `score`: labels back in, and judgements held against them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import polars as pl

from truerate.config.layout import Layout
from truerate.config.stage_settings import Stage
from truerate.core.errors import TruerateError
from truerate.core.keys import digest
from truerate.core.metric import refuse_unrecorded
from truerate.core.schemas import (
    Document,
    Item,
    Judgement,
    Outcome,
    Reject,
    Sample,
    Score,
    frame,
    load,
    pair,
    save,
    scan,
    set_apart,
)
from truerate.core.text import passage_of
from truerate.pipeline.checks.own_labels import label_files, read_all
from truerate.pipeline.dataset import load_dataset, load_pruned
from truerate.pipeline.dataset_tables import DATASET
from truerate.pipeline.guard import unchanged, write_json
from truerate.pipeline.sources import load_source
from truerate.pipeline.tracks import card_of, protocol_of, records_of

MOST_BYTES = 100_000_000  # of the documents that the audit holds together
LABELS = {
    "judgements": Judgement,
    "rejects": Reject,
    "scores": Score,
}  # tables of the labels, beside the samples


def contexts(
    config: Layout,
    board: str,
    samples: pl.DataFrame | None = None,
    *,
    about: pl.DataFrame | None = None,
    whole: Mapping[str, str] | None = None,
) -> pl.DataFrame:
    """Return what a text is checked against: item_id, knowledge, question, history of a board's items.

    With `samples`, those with evidence of their own have a row under their own id. `about`: only items and
    documents (`needed`) of these samples are read. `whole`: longer texts by document id, which stand in as
    knowledge.
    """
    from truerate.detectors.evidence import with_evidence
    from truerate.tracks.asking import context_frame

    items, rows = load(Item, config.dataset(board, "items")), None
    if about is not None:
        items = items.filter(pl.col("item_id").is_in(about["item_id"].unique().implode()))
        rows = pl.col("document_id").is_in(sorted(needed(items, about, with_own=samples is not None)))
    documents = pl.concat([load(Document, path, rows=rows) for path in _documents(config, board)])
    texts = documents
    if whole:
        longer = pl.col("document_id").replace_strict(whole, default=None, return_dtype=pl.String)
        texts = documents.with_columns(text=pl.coalesce(longer, "text"))
    references = context_frame(protocol_of(config, board).contexts(items, texts))
    return references if samples is None else with_evidence(references, samples, documents)


def _documents(config: Layout, board: str) -> list[str]:
    """The files of documents of a board: its source's, and those of its data set."""
    return [config.source(config.p.board(board).source, "documents"), config.dataset(board, "documents")]


def needed(items: pl.DataFrame, samples: pl.DataFrame, *, with_own: bool) -> set[str]:
    """The documents of samples: those of their items, or (`with_own`) the passages of their own evidence."""
    evidence = samples.select(
        "item_id", evidence=pair("attributes", "evidence") if with_own else pl.lit(None)
    )
    passages = " ".join(evidence["evidence"].cast(pl.String).drop_nulls()).split()
    cited = {passage[0] for name in passages if (passage := passage_of(name))}
    whole = evidence.filter(pl.col("evidence").is_null())["item_id"].unique(maintain_order=True)
    documents = items.filter(pl.col("item_id").is_in(whole.implode()))["document_ids"].explode()
    return cited | set(documents.drop_nulls())


def label(config: Layout, board: str) -> None:
    """Labels back in: the board's samples with those that people labelled, their judgements and agreement."""
    files = label_files(config, board)
    with unchanged(config, Stage("label", board)):
        track = protocol_of(config, board)
        tasks = list(_tasks(config.dataset(board, "tasks.jsonl")))
        names = {"samples", *track.labelled_columns} if track.labelled_columns else DATASET
        each = partial(track.labelled, tasks=tasks) if track.labelled else None
        dataset = load_dataset(config, board, names, track.labelled_columns, each)
        rows = read_all(config, board, files)
        where = ", ".join(map(str, files))
        tables = {"samples": dataset["samples"]} | {name: frame(model) for name, model in LABELS.items()}
        if track.label:
            inputs = digest(config.source(config.p.board(board).source), config.dataset(board), *files)
            source = load_source(config, board)
            labelled = track.label(config, board, source, dataset, tasks, rows, where=where, inputs=inputs)
            tables = {name: getattr(labelled, name) for name in LABELS}
            tables["samples"] = pl.concat([dataset["samples"], labelled.samples])
            refuse_unrecorded(board, tables["scores"]["metric"], records_of(config, board))
        elif rows:
            what = f"track {config.p.board(board).track!r} reads no labels; delete the file"
            raise TruerateError(f"labels of board {board!r} in {where}: {what}")
        save(Sample, tables["samples"].sort("sample_id"), config.labels(board, "samples"))
        for name, model in LABELS.items():
            save(model, tables[name], config.labels(board, name))


def _tasks(path: str) -> Iterator[dict[str, Any]]:
    """The tasks that people were given, without the passages that these show, which no label reads."""
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                task = json.loads(line)
                yield {key: value for key, value in task.items() if key != "passages"}


def audit(config: Layout, board: str) -> None:
    """Shortcut audit of a board; empty without labels or detectors. `on_shortcut: fail` ends the build."""
    from truerate.leaderboard import audit as room

    is_audited = card_of(config, board).is_audited and config.p.board(board).has_detectors
    with unchanged(config, Stage("audit", board)):
        rules = {"p": config.p.audit, "statistics": config.p.statistics, "seed": config.p.seed}
        scores = room.audit_of(looked_at(config, board), board=board, **rules) if is_audited else frame(Score)
        save(Score, scores, config.audit(board))
    findings = room.findings(scores, config.p.audit.threshold) if is_audited else ()
    if findings and config.p.audit.on_shortcut == "fail":
        hint = "set audit.on_shortcut: flag to keep the set with a warning"
        raise TruerateError(f"shortcut audit of {board!r}: {findings[0]}; {hint}")


def looked_at(config: Layout, board: str) -> Iterator[pl.DataFrame]:
    """Audited texts in the order of the samples, in parts whose documents are about MOST_BYTES together."""
    from truerate.leaderboard import audit as room

    samples = load(Sample, config.labels(board, "samples"), columns=room.LOOKED_AT).sort("sample_id")
    for start, n in _by_bytes(config, board, samples):
        part = samples.slice(start, n)
        yield room.joined(part, contexts(config, board, about=part))


def _by_bytes(config: Layout, board: str, samples: pl.DataFrame) -> Iterator[tuple[int, int]]:
    """Yield where each part of samples begins and how many it has: at least one part, of at least one sample."""
    items = load(Item, config.dataset(board, "items"), columns=("item_id", "document_ids"))
    documents_of = {name: set(ids) for name, ids in items.iter_rows()}
    sizes = scan(Document, _documents(config, board)).select("document_id", pl.col("text").str.len_bytes())
    size_of = dict(sizes.collect(engine="streaming").iter_rows())
    start, documents, n_bytes = 0, set[str](), 0
    for index, item in enumerate(samples["item_id"]):
        new = documents_of.get(item, set()) - documents
        n_new = sum(size_of.get(name, 0) for name in new)
        if index > start and n_new and n_bytes + n_new > MOST_BYTES:
            yield start, index - start
            start, documents, n_bytes, new = index, set(), 0, documents_of.get(item, set())
            n_new = sum(size_of.get(name, 0) for name in new)
        documents |= new  # in place: a copy for each sample would take the time of all before it
        n_bytes += n_new
    yield start, samples.height - start


def score(config: Layout, board: str) -> None:
    """Judgements against labels: scores with intervals, outcomes for the paired tests, topics of failure."""
    with unchanged(config, Stage("score", board)):
        scores, outcomes, topics = _scored(config, board)
        metrics = [
            name for table in (scores, outcomes) for name in table["metric"].unique(maintain_order=True)
        ]
        refuse_unrecorded(board, metrics, records_of(config, board))
        labelled = load(Score, config.labels(board, "scores"))
        save(Score, pl.concat([labelled, scores]), config.scores(board, "scores"))
        save(Outcome, outcomes, config.scores(board, "outcomes"))
        write_json(config.scores(board, "topics.json"), topics)


def _scored(config: Layout, board: str) -> tuple[pl.DataFrame, pl.DataFrame, list[dict]]:
    """The scores, outcomes and topics of a board; what they are made from is let go before they are saved."""
    track = protocol_of(config, board)
    read = ("items", "generations", *track.scored)
    dataset = load_dataset(config, board, read, track.scored_columns, track.pruned)
    samples = load(Sample, config.labels(board, "samples"))
    judged = [config.judgements(name, board) for name in config.p.families(board)]
    inputs = digest(config.dataset(board), config.labels(board), *judged)
    tables = {"items": dataset["items"], "samples": samples}
    more = {name: dataset[name] for name in ("generations", *track.scored)}
    if track.referenced:
        answers = dataset["generations"].filter(purpose=track.referenced)
        more["references"] = contexts(config, board, about=answers)
    with scored_judgements(config, board, judged, **tables, generations=dataset["generations"]) as judgements:
        inputs_of_score = {**tables, "judgements": judgements}
        scores, outcomes = track.score(config, board, **inputs_of_score, **more, inputs=inputs)
        topics = []
        if track.topics:
            topics = track.topics(
                config, board, **inputs_of_score, documents=load_source(config, board).documents
            )
    return scores, outcomes, topics


@contextmanager
def scored_judgements(
    config: Layout,
    board: str,
    judged: Sequence[str],
    *,
    items: pl.DataFrame,
    samples: pl.DataFrame,
    generations: pl.DataFrame,
) -> Iterator[pl.DataFrame | dict[str, pl.LazyFrame]]:
    """The judgements that `score` reads, of the data set and of detectors, whole or in the track's parts."""
    track = protocol_of(config, board)
    columns = track.scored_columns.get("judgements")
    rows = track.scored_judgements(config, board, samples, generations) if track.scored_judgements else None
    of_dataset = config.dataset(board, "judgements")
    if track.scored_parts is None:
        read = partial(load_pruned, "judgements", columns=columns, pruned=track.pruned)
        yield pl.concat([read(of_dataset), *(read(path, rows=rows) for path in judged)])
        return
    parts = track.scored_parts(items, samples, generations)
    taken = {"rows": rows, "columns": columns, "within": "judge"}
    with set_apart(Judgement, [of_dataset, *judged], parts=parts, **taken) as queries:
        yield queries
