"""Reading texts with a fitted cell: soft spans of each passage."""

from collections.abc import Callable, Iterable, Iterator

import polars as pl

from truerate.core.errors import TruerateError
from truerate.core.schemas import read_json
from truerate.detectors.tokens.cells import Reader, version_of
from truerate.detectors.tokens.labels import labels_of
from truerate.detectors.tokens.rules import BY_NAME, load_state, passages_of
from truerate.detectors.tokens.span_probabilities import judgements, soft_spans
from truerate.detectors.training.scratch import FACTS

BATCH = 256  # texts that a rule reads at a time


def judge_cell(reader: Reader, passages: pl.DataFrame) -> pl.DataFrame:
    """The Judgements of a cell on the passages that are its own."""
    own, cell = reader.cell.own(passages), reader.cell
    return judgements(cell.member, version_of(reader.folder), own, predict(reader, own), **cell.attributes)


def predict(reader: Reader, passages: pl.DataFrame) -> list[list[dict]] | None:
    """Soft spans of each passage, in their order; None where the cell has learned nothing."""
    if not reader.folder.is_dir():
        if reader.cell.lang is not None and reader.folder.parents[1].is_dir():
            return None  # a mono detector of a language in which there was nothing to learn from
        raise TruerateError(
            f"reading detector {reader.cell.member!r}: nothing at {str(reader.folder)!r}; run `dvc repro train`"
        )
    if not read_json(reader.folder / FACTS)["is_fitted"]:
        return None
    spans = dict((by_rule if reader.backbone is None else _by_network())(reader, passages))
    return [spans.get(target, []) for target in passages["target_id"]]


def _by_network() -> Callable[[Reader, pl.DataFrame], Iterable[tuple[str, list[dict]]]]:
    # torch and transformers stand behind it, which a rule does without
    from truerate.detectors.tokens.networks import read_network

    return read_network


def by_rule(reader: Reader, passages: pl.DataFrame) -> Iterator[tuple[str, list[dict]]]:
    """Target and soft spans of each passage, as a rule reads it."""
    rule, labels = BY_NAME[reader.cell.member], labels_of(reader.cell.labels)
    state = load_state(reader.folder) if rule.learn else {}
    for part in passages.iter_slices(BATCH):
        units = passages_of(part, labels, sees_reference=rule.sees_reference)
        for target, one, reading in zip(part["target_id"], units, rule.read(state, units), strict=True):
            yield target, soft_spans(one.text, reading, labels)
