"""The tables of an imported source, and its reference texts, which may outgrow memory while they are read."""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl

from truerate.core.schemas import Document, frame, scan, validate, write


@dataclass(frozen=True)
class SourceTables:
    """An imported source: validated tables, and a card that names its rights, its files and its counts.

    Documents that outgrow memory are a query of files: of scratch files that last as long as `kept_open`, or
    of the imported table. `own_rights` hold where the files are not the set of the card; None where the card
    is their own.
    """

    documents: pl.DataFrame | pl.LazyFrame
    items: pl.DataFrame
    samples: pl.DataFrame
    judgements: pl.DataFrame
    rejects: pl.DataFrame
    card: dict
    kept_open: object = None
    own_rights: dict | None = None

    @property
    def tables(self) -> dict[str, pl.DataFrame | pl.LazyFrame]:
        """The five tables by name."""
        names = ("documents", "items", "samples", "judgements", "rejects")
        return {name: getattr(self, name) for name in names}


class Documents:
    """Document rows in the order in which a reader gives them, of each id the first.

    When those in memory exceed `most_chars` characters (None: never), they go to a file of a scratch folder
    (`TMPDIR`), which lasts as long as this object.
    """

    def __init__(self, most_chars: int | None = None) -> None:
        self.most_chars = most_chars
        self._ids: set[str] = set()
        self._rows: list[dict[str, Any]] = []
        self._n_chars = 0
        self._folder: TemporaryDirectory[str] | None = None
        self._files: list[Path] = []

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, row: dict[str, Any]) -> None:
        """Take a row; one whose id was taken before counts no more."""
        if row["document_id"] in self._ids:
            return
        self._ids.add(row["document_id"])
        self._rows.append(row)
        self._n_chars += len(row["text"])
        if self.most_chars is not None and self._n_chars > self.most_chars:
            self._write()

    def table(self, *, where: str) -> pl.DataFrame | pl.LazyFrame:
        """All rows, validated (raises TruerateError, which begins with `where`); where some went to disk, a
        query of files, which `schemas.save_query` validates.
        """
        if not self._files:
            return validate(Document, frame(Document, self._rows), where=where)
        self._write()
        return scan(Document, self._files)

    def _write(self) -> None:
        self._folder = self._folder or TemporaryDirectory(prefix="truerate-source-")
        path = Path(self._folder.name) / f"{len(self._files):05}.parquet"
        write(Document, frame(Document, self._rows), path)
        self._files.append(path)
        self._rows, self._n_chars = [], 0
