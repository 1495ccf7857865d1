"""Reading texts with a fitted cell: soft spans of each passage."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import polars as pl

from truerate.config import RateOf
from truerate.core.errors import TruerateError
from truerate.core.keys import content_id
from truerate.core.schemas import Judgement, read, read_json, write
from truerate.detectors.tokens.cells import Reader, version_of
from truerate.detectors.tokens.labels import labels_of
from truerate.detectors.tokens.passages import passages_of
from truerate.detectors.tokens.rules import BY_NAME, load_state
from truerate.detectors.tokens.span_probabilities import (
    MARKED,
    Said,
    Spans,
    judgements,
    said_of,
    soft_spans,
)
from truerate.detectors.training.scratch import FACTS

BATCH = 256  # texts that a rule reads at a time
NOTHING = Said(0.0, [])  # of a text without a token


def judge_cell(reader: Reader, passages: pl.DataFrame) -> pl.DataFrame:
    """The Judgements of a cell on the passages that are its own: with soft spans where `is_labelled`, else
    with those that are marked.

    Spans are cut as they are read: a board's soft ones at once take many times the memory of its texts.
    """
    own, cell = reader.cell.own(passages), reader.cell
    read, is_labelled = readings(reader, own), dict(own.select("target_id", "is_labelled").iter_rows())
    threshold, said = threshold_of(reader.folder), None
    if read is not None:
        told = {
            one.target_id: said_of(one, is_labelled=is_labelled[one.target_id], threshold=threshold)
            for one in read
        }
        said = [told.get(target, NOTHING) for target in own["target_id"]]
    version = version_of(reader.folder)
    return judgements(cell.member, version, own, said, threshold=threshold, **cell.attributes)


def judge_once(
    reader: Reader, passages: pl.DataFrame, kept: Path | None, texts: str, of_rates: RateOf | None = None
) -> pl.DataFrame:
    """`judge_cell`, read from the folder `kept` where this very cell judged these very `texts` (a digest) before. With
    `of_rates` a cell of another detector is asked of those texts alone that are `is_labelled`.
    """
    if of_rates is not None and not reader.cell.is_of(of_rates):
        passages, texts = passages.filter("is_labelled"), f"{texts}, labelled"
    if kept is None:
        return judge_cell(reader, passages)
    how = None if reader.backbone is None else reader.backbone.content()
    key = content_id("judged", texts, reader.cell._asdict(), version_of(reader.folder), how)
    path = kept / f"{reader.cell.member}-{reader.cell.name}@{key}.parquet"
    if not path.is_file():
        write(Judgement, judge_cell(reader, passages), path)
    return read(Judgement, path)


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
    spans = {one.target_id: one.spans for one in read}
    return [spans.get(target, []) for target in passages["target_id"]]


def readings(reader: Reader, passages: pl.DataFrame) -> Iterable[Spans] | None:
    """The soft spans of one passage after the other, of those that hold a token; None where the cell has learned
    nothing.
    """
    if not reader.folder.is_dir():
        if reader.cell.lang is not None and reader.folder.parents[1].is_dir():
            return None  # a mono detector of a language in which there was nothing to learn from
        raise TruerateError(
            f"reading detector {reader.cell.member!r}: nothing at {str(reader.folder)!r}; run `dvc repro train`"
        )
    if not read_json(reader.folder / FACTS)["is_fitted"]:
        return None
    return (by_rule if reader.backbone is None else _by_network())(reader, passages)


def _by_network() -> Callable[[Reader, pl.DataFrame], Iterable[Spans]]:
    # torch and transformers stand behind it, which a rule does without
    from truerate.detectors.tokens.networks import read_network

    return read_network


def by_rule(reader: Reader, passages: pl.DataFrame) -> Iterator[Spans]:
    """The soft spans of each passage, as a rule reads it."""
    rule, labels = BY_NAME[reader.cell.member], labels_of(reader.cell.labels)
    state = load_state(reader.folder) if rule.learn else {}
    for part in passages.iter_slices(BATCH):
        units = passages_of(part, labels, sees_reference=rule.sees_reference)
        for target, one, reading in zip(part["target_id"], units, rule.read(state, units), strict=True):
            yield Spans(target, soft_spans(one.text, reading, labels))
