"""The stages from `label` to `score`: labels back in, detectors trained and asked, their judgements held
against the labels.
"""

import json
from pathlib import Path

import polars as pl

from truerate.config.layout import Layout
from truerate.config.places import claim
from truerate.config.stage_settings import Stage
from truerate.core.errors import TruerateError, listed
from truerate.core.keys import digest
from truerate.core.schemas import (
    Document,
    Generation,
    Item,
    Judgement,
    Outcome,
    Reject,
    Sample,
    Score,
    frame,
    load,
    save,
    write_parquet,
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

    room = track_of(at, board, "context")
    documents = pl.concat([load_source(at, board).documents, load(Document, at.dataset(board, "documents"))])
    known = room.context_frame(room.contexts(load(Item, at.dataset(board, "items")), documents))
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


def train(at: Layout, detector: str, board: str) -> None:
    """Fit one family of detectors on a board: whole-text members once per fold, token members on the training
    texts.
    """
    family, folder = family_of(at, detector), Path(at.detector(detector, board))
    members = family.members_on(at.p.board(board).track)
    with unchanged(at, Stage("train", board, detector)):
        claim(at, "detectors")
        folder.mkdir(parents=True)
        if detector not in at.p.families(board):
            return
        samples = load(Sample, at.labels(board, "samples"))
        if family.folds:
            from truerate.detectors import fit_family

            own = {"folder": folder, "n_folds": family.folds, "entailment": family.entailment}
            fit_family(members, samples, contexts(at, board, samples), at.p.seed, **own)
        else:
            from truerate.detectors.tokens.family import fit_tokens

            taught = passages(at, board, track_of(at, board, "steps").training(samples))
            fit_tokens(members, taught, at.p, at.p.size_of(board), folder=folder, scratch=Path(at.training))


def judge(at: Layout, detector: str, board: str) -> None:
    """What one family of detectors says of each text of a board: asked in a state that has not seen it."""
    family, folder = family_of(at, detector), Path(at.detector(detector, board))
    members = family.members_on(at.p.board(board).track)
    with unchanged(at, Stage("judge", board, detector)):
        if detector not in at.p.families(board):
            return write_parquet(frame(Judgement), Path(at.judgements(detector, board)))
        samples = load(Sample, at.labels(board, "samples"))
        if family.folds:
            from truerate.detectors import judge_family

            own = {"folder": folder, "n_folds": family.folds, "entailment": family.entailment}
            judged = judge_family(members, samples, contexts(at, board, samples), **own)
        else:
            from truerate.detectors.tokens.family import judge_tokens

            targets = track_of(at, board, "steps").targets(
                samples, load(Generation, at.dataset(board, "generations"))
            )
            judged = judge_tokens(
                members, passages(at, board, targets), at.p, at.p.size_of(board), folder=folder
            )
        save(Judgement, judged.sort("judgement_id"), at.judgements(detector, board))


def passages(at: Layout, board: str, texts: pl.DataFrame) -> pl.DataFrame:
    """Texts (`target_id`, `item_id`, `group_id`, `lang`, `task`, `text`, `spans`) with the `reference` of
    their items.
    """
    known = contexts(at, board).select("item_id", reference="knowledge")
    return texts.join(known, on="item_id", how="left", maintain_order="left").with_columns(
        pl.col("reference").fill_null("")
    )


def family_of(at: Layout, detector: str):
    """A declared family of detectors."""
    if detector not in at.p.detectors:
        raise TruerateError(
            f"detector {detector!r} is not declared in params.yaml; declared: {listed(at.p.detectors)}"
        )
    return at.p.detectors[detector]


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
