"""The stages `label`, `audit` and `score`: labels back in, and judgements held against them."""

import json
from pathlib import Path

import polars as pl

from truerate.config.layout import Layout
from truerate.config.stage_settings import Stage
from truerate.core.errors import TruerateError, listed
from truerate.core.keys import digest
from truerate.core.schemas import (
    Document,
    Item,
    Judgement,
    Outcome,
    Reject,
    Sample,
    Score,
    load,
    save,
)
from truerate.flow.dataset import load_dataset
from truerate.flow.guard import unchanged, write_json
from truerate.flow.sources import load_source
from truerate.flow.tracks import track_of


def contexts(at: Layout, board: str, samples: pl.DataFrame | None = None) -> pl.DataFrame:
    """What a text is checked against: item_id, knowledge, question, history of a board's items.

    With `samples`, those that name evidence of their own have a row under their own id.
    """
    from truerate.detectors.evidence import with_evidence
    from truerate.tracks.asking import context_frame

    room = track_of(at, board, "context")
    documents = pl.concat([load_source(at, board).documents, load(Document, at.dataset(board, "documents"))])
    known = context_frame(room.contexts(load(Item, at.dataset(board, "items")), documents))
    return known if samples is None else with_evidence(known, samples, documents)


def label(at: Layout, board: str) -> None:
    """Labels back in: the board's samples with those that people labelled, their judgements and agreement."""
    from truerate.sources.label_files import read_labels

    files = label_files(at, board)
    with unchanged(at, Stage("label", board)):
        dataset = load_dataset(at, board)
        tasks = [
            json.loads(line)
            for line in Path(at.dataset(board, "tasks.jsonl")).read_text("utf-8").split("\n")
            if line
        ]
        labelled = track_of(at, board, "steps").label(
            at,
            board,
            load_source(at, board),
            dataset,
            tasks,
            [(*row, str(path)) for path in files for row in read_labels(path)],
            where=", ".join(map(str, files)),
            inputs=digest(at.source(at.p.board(board).source), at.dataset(board), *files),
        )
        save(
            Sample,
            pl.concat([dataset["samples"], labelled.samples]).sort("sample_id"),
            at.labels(board, "samples"),
        )
        for name, model in {"judgements": Judgement, "rejects": Reject, "scores": Score}.items():
            save(model, getattr(labelled, name), at.labels(board, name))


def label_files(at: Layout, board: str) -> list[Path]:
    """Label files of a board: what the annotate stage wrote and what people put under
    inputs/labels/<board>.jsonl, .csv or .json.

    Raises TruerateError for a file there that no board would read.
    """
    from truerate.sources.label_files import KINDS

    folder = Path(at.p.paths.inputs) / "labels"
    lost = [
        path
        for path in sorted(folder.glob("[!.]*"))
        if path.suffix[1:] not in KINDS or path.stem not in at.p.boards
    ]
    if lost:
        names = f"name it <board>.{', .'.join(KINDS)}; boards: {listed(at.p.boards)}"
        raise TruerateError(f"labels {str(lost[0])!r}: no board reads it; {names}")
    own = [folder / f"{board}.{kind}" for kind in KINDS]
    return [path for path in (Path(at.annotations(board)), *own) if path.exists()]


def audit(at: Layout, board: str) -> None:
    """The shortcut audit of a board; with `on_shortcut: fail` a finding ends the build."""
    from truerate.leaderboard import audit as room

    with unchanged(at, Stage("audit", board)):
        samples = load(Sample, at.labels(board, "samples"))
        scores = room.audit(
            samples,
            contexts(at, board),
            board=board,
            p=at.p.audit,
            statistics=at.p.statistics,
            seed=at.p.seed,
        )
        save(Score, scores, at.audit(board))
    found = room.findings(scores, at.p.audit.threshold)
    if found and at.p.audit.on_shortcut == "fail":
        raise TruerateError(
            f"shortcut audit of {board!r}: {found[0]}; set audit.on_shortcut: flag to keep the set with a warning"
        )


def score(at: Layout, board: str) -> None:
    """Judgements against labels: scores with intervals, outcomes for the paired tests, topics of failure."""
    room = track_of(at, board, "steps")
    with unchanged(at, Stage("score", board)):
        dataset, samples = load_dataset(at, board), load(Sample, at.labels(board, "samples"))
        judgements = pl.concat(
            [
                dataset["judgements"],
                *(load(Judgement, at.judgements(name, board)) for name in at.p.families(board)),
            ]
        )
        inputs = digest(
            at.dataset(board),
            at.labels(board),
            *(at.judgements(name, board) for name in at.p.families(board)),
        )
        known = {"items": dataset["items"], "samples": samples, "judgements": judgements}
        more = {name: dataset[name] for name in ("generations", *getattr(room, "SCORED", ()))}
        scores, outcomes = room.score(at, board, **known, **more, inputs=inputs)
        save(Score, pl.concat([load(Score, at.labels(board, "scores")), scores]), at.scores(board, "scores"))
        save(Outcome, outcomes, at.scores(board, "outcomes"))
        write_json(
            at.scores(board, "topics.json"),
            room.topics(at, board, **known, documents=load_source(at, board).documents),
        )
