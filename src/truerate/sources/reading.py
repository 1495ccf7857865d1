"""Readers of public formats (`registry`): each turns a folder into documents, items, samples and judgements."""

import inspect
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import polars as pl

from truerate.config import HubSource, Rights, Source
from truerate.core.errors import SettingsError, SourceError, listed
from truerate.sources.cards import RIGHTS, TOLD_FIELDS, are_published
from truerate.sources.errata import corrected, load_errata
from truerate.sources.registry import card_of, reader_of, readers
from truerate.sources.rows import BadRow
from truerate.sources.tables import BY_TASK, SourceTables, with_task_rights, with_training


def is_reader(name: str) -> bool:
    """Return whether `readers` has a name."""
    return reader_of(name) is not None


def check_reader(name: str, source: Source) -> None:
    """Raise TruerateError, with the allowed names, where a source's reader is none."""
    where = f"source {name!r}"
    for reader in (source.reader, *([source.training.reader] if source.training else [])):
        if not is_reader(reader):
            raise SettingsError(f"{where}: reader {reader!r} is not known; allowed: {listed(readers())}")
    accepted, reader = _options(source.reader), source.reader
    if source.part is not None and "part" not in accepted:
        raise SettingsError(f"{where}: reader {reader!r} reads its folder whole; take `part` away")
    if source.split is not None and "split" not in accepted:
        raise SettingsError(f"{where}: reader {reader!r} reads files of no split; take `split` away")
    if source.knowledge is not None and "knowledge" not in accepted:
        raise SettingsError(f"{where}: reader {reader!r} has no choice of knowledge; take `knowledge` away")
    if source.answers is not None and "answers" not in accepted:
        raise SettingsError(f"{where}: reader {reader!r} knows its fields; take `answers` away")
    parts = getattr(reader_of(reader), "parts", ())
    if parts and source.part not in (None, *parts):
        raise SettingsError(f"{where}: part {source.part!r} is not known; allowed: {listed(parts)}")


def read_source(name: str, source: Source, folder: Path, on_bad_row: str) -> SourceTables:
    """Read a source whose files lie in `folder`, with those of its `training` folder if it names one.

    `on_bad_row`: where the source itself does not say. Raises TruerateError for an unknown reader, an
    unreadable file, and, where it is `stop`, for the first bad row.
    """
    check_reader(name, source)
    options: dict[str, object] = {
        "part": source.part,
        "split": source.split,
        "languages": source.languages or None,
    }
    options |= {"config": source.hub.config if source.hub else None, "knowledge": source.knowledge}
    options |= {"rights": source.rights, "answers": source.answers}
    accepted = _options(source.reader)
    more = {key: value for key, value in options.items() if value is not None and key in accepted}
    is_named = source.is_public or source.hub is not None
    where = (name, source.reader, Path(folder))
    tables = _read(*where, source.on_bad_row, on_bad_row, is_named=is_named, **more)
    tables = _with_rights(tables, source.rights)
    if source.errata:
        path = Path(source.errata).expanduser()
        tables = corrected(tables, load_errata(path), path)
    if training := source.training:
        other = Path(training.path).expanduser()
        if not other.is_dir():
            advice = f"put the files there or correct sources.{name}.training.path in params.yaml"
            raise SourceError(f"source {name!r}: no folder {str(other)!r} to learn from; {advice}")
        of_training = (training.name or name, training.reader, other)
        is_same = [*of_training[:2], other.resolve()] == [*where[:2], where[2].resolve()]
        how = (training.on_bad_row, source.on_bad_row or on_bad_row)
        learned_tables = tables if is_same else _read(*of_training, *how, is_named=source.is_public)
        tables = with_training(tables, learned_tables)
    return _with_place(tables, source.hub)


def _with_rights(tables: SourceTables, rights: Rights | None) -> SourceTables:
    """A source under the rights of its settings; reference texts under a licence of their own keep it."""
    if rights is None:
        return tables
    given = rights.model_dump(exclude_none=True)
    of_tasks = given.pop("tasks", {})
    card = tables.card | given
    if BY_TASK in card:  # what is said of the whole is said of each task
        card[BY_TASK] = {
            task: of_task | {key: given[key] for key in given if key in of_task}
            for task, of_task in card[BY_TASK].items()
        }
    is_its_own = pl.col("licence").is_in([tables.card["licence"], *tables.card["licence"].split("; ")])
    documents = tables.documents
    if rights.licence is not None:
        licence = pl.when(is_its_own).then(pl.lit(rights.licence)).otherwise("licence")
        documents = documents.with_columns(licence=licence)
    tables = replace(tables, documents=documents, card=card)
    return with_task_rights(tables, of_tasks) if of_tasks else tables


def _as_own(tables: SourceTables, reader: str) -> SourceTables:
    """A source under its own rights in place of its format's; so are reference texts without an address."""
    if tables.own_rights is None:
        return tables
    of_format = card_of(reader).get("caveats", ())
    caveats = [caveat for caveat in tables.card.get("caveats", ()) if caveat not in of_format]
    card = {
        field: value for field, value in tables.card.items() if field not in (*RIGHTS, *TOLD_FIELDS, BY_TASK)
    }
    card = card | ({"caveats": caveats} if caveats else {}) | tables.own_rights
    licence = pl.when(pl.col("url").is_null()).then(pl.lit(card["licence"])).otherwise("licence")
    documents = tables.documents.with_columns(licence=licence)
    return replace(tables, documents=documents, card=card)


def _with_place(tables: SourceTables, hub: HubSource | None) -> SourceTables:
    """Add the repository and revision of a source of the Hub to its card, and its address if it has none."""
    if hub is None:
        return tables
    address = {"url": tables.card["url"] or f"https://huggingface.co/datasets/{hub.repo}"}
    return replace(tables, card=tables.card | address | {"repository": hub.repo, "revision": hub.revision})


def _read(
    name: str,
    reader: str,
    folder: Path,
    own_on_bad_row: str | None,
    on_bad_row: str,
    *,
    is_named: bool,
    **more: object,
) -> SourceTables:
    """Read a folder. The reader's card, of the set that the format was made for, holds for a named public
    source and for files that are that set's by their checksums; others bear what they say of themselves.

    Raises SourceError where `own_on_bad_row` lets rows be rejected and every row was.
    """
    read = reader_of(reader)
    assert read is not None  # `check_reader` looked
    try:
        tables = read(folder, name=name, on_bad_row=own_on_bad_row or on_bad_row, **more)
    except BadRow as bad:  # of a file as a whole, met where the folder is looked through
        raise SourceError(f"source {name!r}: {bad.detail}; put a sound file there, or take it away") from None
    is_unusable = tables.items.is_empty() and tables.samples.is_empty() and not tables.rejects.is_empty()
    if own_on_bad_row and is_unusable:
        raise SourceError(f"source {name!r}: none of its rows can be used; {tables.rejects['detail'][0]}")
    return tables if is_named or are_published(tables.card) else _as_own(tables, reader)


def _options(reader: str) -> Mapping[str, object]:
    """The options that a reader takes, by name."""
    return inspect.signature(reader_of(reader)).parameters
