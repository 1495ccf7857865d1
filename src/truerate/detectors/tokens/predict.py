"""Cells of the grid fitted in scratch folders that their content names, and texts read with them: soft spans
of each passage.
"""

import os
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from truerate.config import RateOf
from truerate.core.errors import TruerateError
from truerate.core.keys import content_id, draw
from truerate.core.schemas import Gathered, Judgement, read_json
from truerate.detectors.tokens.cells import Job, Reader, halves, version_of
from truerate.detectors.tokens.rules import BY_NAME, load_state, save_state
from truerate.detectors.tokens.span_probabilities import (
    MARKED,
    Spans,
    judged_spans,
    labels_of,
    not_fitted,
    soft_spans,
)
from truerate.detectors.tokens.validate import of_readings
from truerate.detectors.tokens.word_features import can_learn, passages_of
from truerate.detectors.training import processes
from truerate.detectors.training.jobs import FACTS, made_once

BATCH = 256  # texts that a rule reads at a time
AT_ONCE = 2_000  # texts whose spans are objects of Python together: many times the memory of their columns


def judge_cell(reader: Reader, passages: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """The Judgements of a cell on the passages that are its own, some at a time, as it reads them; behind
    them those of texts without a token. Soft spans stand where `is_labelled`, else those that are marked.
    """
    cell, threshold = reader.cell, threshold_of(reader.folder)
    own_passages = cell.passages_of(passages)
    how = {"threshold": threshold, **cell.attributes}
    version = version_of(reader.folder)
    if (read := readings(reader, own_passages)) is None:
        for part in own_passages.iter_slices(AT_ONCE):
            yield not_fitted(cell.member, version, part["target_id"].to_list(), **how)
        return
    labelled, read_targets = set(own_passages.filter("is_labelled")["target_id"]), set[str]()
    texts = iter(read)
    while some := list(islice(texts, AT_ONCE)):
        read_targets.update(text.target_id for text in some)
        yield judged_spans(cell.member, version, some, labelled=labelled, **how)
    silent = [Spans(target, []) for target in own_passages["target_id"] if target not in read_targets]
    if silent:
        yield judged_spans(cell.member, version, silent, labelled=labelled, **how)


def judge_once(
    reader: Reader, passages: pl.DataFrame, kept: Path, texts: str, of_rates: RateOf | None = None
) -> list[Path]:
    """The files that hold what `judge_cell` gives, in the folder `kept`, where they lie already if this very
    cell judged these very `texts` (a digest) before. With `of_rates` a cell of another detector is asked of
    those texts alone that are `is_labelled`.
    """
    if of_rates is not None and not reader.cell.is_of(of_rates):
        passages, texts = passages.filter("is_labelled"), f"{texts}, labelled"
    how = None if reader.backbone is None else reader.backbone.content()
    key = content_id("judged", texts, reader.cell._asdict(), version_of(reader.folder), how)
    output = kept / f"{reader.cell.member}-{reader.cell.name}@{key}"
    if not output.is_dir():
        kept.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=kept, prefix=".judged-") as aside:  # the folder appears whole
            rows = Gathered({"judgements": Judgement}, Path(aside) / output.name)
            rows.folder.mkdir()
            for some in judge_cell(reader, passages):
                rows.keep({"judgements": some})
            rows.files()
            os.replace(rows.folder, output)
    return sorted(output.iterdir())


def threshold_of(folder: Path) -> float:
    """The p above which a fitted cell marks: chosen on the passages that were held back, stored with what was
    learned; one half where nothing was chosen.
    """
    facts = folder / FACTS
    validation = read_json(facts).get("validation", {}) if facts.is_file() else {}
    return float(validation.get("threshold", MARKED))


def predict(reader: Reader, passages: pl.DataFrame) -> list[list[dict]] | None:
    """Soft spans of each passage, in their order; None where the cell has learned nothing."""
    read = readings(reader, passages)
    if read is None:
        return None
    spans = {reading.target_id: reading.spans for reading in read}
    return [spans.get(target, []) for target in passages["target_id"]]


def readings(reader: Reader, passages: pl.DataFrame) -> Iterable[Spans] | None:
    """The soft spans of each passage that holds a token; None where the cell has learned nothing."""
    if not reader.folder.is_dir():
        if reader.cell.lang is not None and reader.folder.parents[1].is_dir():
            return None  # a mono detector of a language in which there was nothing to learn from
        raise TruerateError(
            f"reading detector {reader.cell.member!r}: nothing at {str(reader.folder)!r}; run `dvc repro "
            "train`"
        )
    if not reader.is_fitted:
        return None
    if reader.backbone is None:
        return by_rule(reader, passages)
    from truerate.detectors.tokens.train import read_network  # torch, which a rule does without

    return read_network(reader, passages)


def by_rule(reader: Reader, passages: pl.DataFrame) -> Iterator[Spans]:
    """The soft spans of each passage, as a rule reads it."""
    rule, labels = BY_NAME[reader.cell.member], labels_of(reader.cell.labels)
    state = load_state(reader.folder) if rule.learn else {}
    for part in passages.iter_slices(BATCH):
        units = passages_of(part, labels, sees_reference=rule.sees_reference)
        for target, passage, reading in zip(part["target_id"], units, rule.read(state, units), strict=True):
            yield Spans(target, soft_spans(passage.text, reading, labels))


MOST = 10_000  # passages that a rule learns from, and as many that validate it: 150 KB each while it learns


def fit(job: Job) -> None:
    """Fit a cell unless its state is there; of several processes only the first fits rules."""
    if job.backbone is not None:
        from truerate.detectors.tokens.train import fit_network  # torch, which a rule does without

        made_once(job.scratch, partial(fit_network, job))
    elif not processes.rank():
        made_once(job.scratch, partial(fit_rule, job))


def fit_rule(job: Job, folder: Path) -> tuple[dict, dict]:
    """Learn a rule, or note that it has nothing to learn (a constant) or nothing to learn from. Of many
    passages it learns from MOST that are drawn by their ids, and is validated on as many of the others.
    """
    rule, labels = BY_NAME[job.cell.member], labels_of(job.cell.labels)
    if rule.learn is None:
        return {"is_fitted": True}, {}
    training, held_out = (
        passages_of(drawn(half, MOST), labels, sees_reference=rule.sees_reference)
        for half in halves(job.passages, job.training_share)
    )
    if not can_learn(training):
        return {"is_fitted": False}, {}
    state = rule.learn(training, len(labels) - 1)
    save_state(state, folder)
    agreement = of_readings(
        zip((passage.labels for passage in held_out), rule.read(state, held_out), strict=True)
    )
    return {
        "is_fitted": True,
        "validation": agreement.facts(),
        "n_parameters": sum(values.size for values in state.values()),
    }, {}


def drawn(passages: pl.DataFrame, most: int) -> pl.DataFrame:
    """At most so many passages (`target_id`), in order: those whose ids draw the smallest numbers."""
    if passages.height <= most:
        return passages
    draws = pl.Series([draw("lesson", name) for name in passages["target_id"]])
    return passages.filter(draws.rank("ordinal") <= most)
