"""Readers of public formats: each module with a function `read` turns a folder into documents, items, samples and judgements."""

import pkgutil
from importlib import import_module
from pathlib import Path

from truerate.errors import TruerateError, listed
from truerate.params import Source
from truerate.sources.collection import SourceTables


def readers() -> list[str]:
    """The names that `reader:` in params.yaml may have: the modules of this folder that have a function `read`."""
    names = [module.name for module in pkgutil.iter_modules(__path__)]
    return sorted(name for name in names if hasattr(import_module(f"{__name__}.{name}"), "read"))


def check_reader(name: str, source: Source) -> None:
    """Raise TruerateError, with the allowed names, where a source's reader is none."""
    if source.reader not in readers():
        raise TruerateError(f"source {name!r}: reader {source.reader!r} is not known; allowed: {listed(readers())}")


def read_source(name: str, source: Source, folder: Path, on_bad_row: str) -> SourceTables:
    """The tables of a source whose files lie in `folder`, its card under the source's own name.

    Raises TruerateError for an unknown reader, an unreadable file, and, where `on_bad_row` is `stop`, for the first bad row.
    """
    check_reader(name, source)
    reader = import_module(f"{__name__}.{source.reader}")
    return reader.read(Path(folder), name=name, on_bad_row=on_bad_row)
