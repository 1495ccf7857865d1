"""Readers of public formats: each module with a function `read` turns a folder into documents, items, samples and judgements."""

import inspect
import pkgutil
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from truerate.errors import TruerateError, listed
from truerate.params import Source
from truerate.sources.collection import SourceTables
from truerate.sources.training import with_training


def readers() -> list[str]:
    """The names that `reader:` in params.yaml may have: the modules of this folder that have a function `read`."""
    names = [module.name for module in pkgutil.iter_modules(__path__)]
    return sorted(name for name in names if hasattr(import_module(f"{__name__}.{name}"), "read"))


def check_reader(name: str, source: Source) -> None:
    """Raise TruerateError, with the allowed names, where a source's reader is none."""
    for reader in (source.reader, *([source.training.reader] if source.training else [])):
        if reader not in readers():
            raise TruerateError(f"source {name!r}: reader {reader!r} is not known; allowed: {listed(readers())}")
    if source.part is not None and "part" not in inspect.signature(_reader(source.reader)).parameters:
        raise TruerateError(f"source {name!r}: reader {source.reader!r} reads its folder whole; take `part` away")


def read_source(name: str, source: Source, folder: Path, on_bad_row: str) -> SourceTables:
    """The tables of a source whose files lie in `folder`, with those of its `training` folder if it names one.

    Raises TruerateError for an unknown reader, an unreadable file, and, where `on_bad_row` is `stop`, for the first bad row.
    """
    check_reader(name, source)
    part = {} if source.part is None else {"part": source.part}
    tables = _read(name, source.reader, Path(folder), on_bad_row, **part)
    if source.training is None:
        return tables
    other = Path(source.training.path).expanduser()
    if not other.is_dir():
        where = f"sources.{name}.training.path in params.yaml"
        raise TruerateError(f"source {name!r}: no folder {str(other)!r} to learn from; put the files there or correct {where}")
    learned = source.training.name or name
    is_same = (learned, source.training.reader, other.resolve()) == (name, source.reader, Path(folder).resolve())
    return with_training(tables, tables if is_same else _read(learned, source.training.reader, other, on_bad_row))


def _read(name: str, reader: str, folder: Path, on_bad_row: str, **part: str) -> SourceTables:
    return _reader(reader)(folder, name=name, on_bad_row=on_bad_row, **part)


def _reader(name: str) -> Callable[..., SourceTables]:
    return import_module(f"{__name__}.{name}").read
