"""Which files of a folder hold a public data set, under the names by which its publisher offers it.

A data set is one file, or the shards of one split of one configuration as Parquet, which its columns tell.
Where a folder holds several (two splits, two forms), the source's `split` says which is read.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from truerate.core.errors import SourceError, listed
from truerate.sources.hub.files import WORDS
from truerate.sources.parquet import SUFFIX, columns_of
from truerate.sources.rows import BadRow

SPLITS = ("train", "validation", "test")
_SPLIT = re.compile(r"[a-z]+", re.IGNORECASE)


@dataclass(frozen=True)
class Download:
    """How a data set is downloaded. `files`: names of its single files with the split that each holds (empty:
    it is not known, or there is none); `columns`: those by which its Parquet files are known; `has_splits`:
    whether it is published in several.
    """

    title: str
    files: Mapping[str, str]
    columns: tuple[str, ...] = ()
    has_splits: bool = False


@dataclass(frozen=True)
class Found:
    """A form of a data set that lies in a folder: what it is called, its split (empty: not known), its files."""

    title: str
    split: str
    files: tuple[str, ...]


def downloaded_forms(folder: Path, download: Download) -> list[Found]:
    """The forms of a data set in a folder. Raises BadRow for a Parquet file that is none."""
    single = [
        Found(file, split, (file,)) for file, split in download.files.items() if (folder / file).is_file()
    ]
    return single + (_parquet(folder, download.columns) if download.columns else [])


def one_of(
    forms: list[Found], download: Download, folder: Path, *, name: str, split: str | None
) -> list[str]:
    """The files of the one form that is read: of the split, where one is named and the data set has several.

    Raises SourceError, one line with what is there, where there is no such form or more than one.
    """
    where = f"source {name!r}: {download.title} in {str(folder)!r}"
    fit = [form for form in forms if split is None or not download.has_splits or form.split == split]
    if not forms:
        raise SourceError(f"{where}: no file of it; looked for: {looked_for([download])}")
    if not fit:
        there = listed(f"{form.title} ({form.split or 'of no known split'})" for form in forms)
        raise SourceError(f"{where}: no split {split!r}; found: {there}; set `split`, or put its file there")
    if len(fit) > 1:
        splits = [form.split for form in fit]
        by_split = "" not in splits and len(set(splits)) == len(splits)
        how = f"set the source's `split` to one of {', '.join(splits)}" if by_split else "keep one of them"
        raise SourceError(f"{where}: several files of it: {listed(form.title for form in fit)}; {how}")
    return list(fit[0].files)


def looked_for(downloads: Sequence[Download]) -> str:
    """The names of files that are looked for, for a message."""
    names = [file for download in downloads for file in download.files]
    by_columns = [
        f"Parquet with the columns {', '.join(download.columns)}"
        for download in downloads
        if download.columns
    ]
    return "; or ".join([", ".join(names), *by_columns])


def _parquet(folder: Path, columns: tuple[str, ...]) -> list[Found]:
    """The Parquet files at any depth that have these columns, the shards of a split in a folder together."""
    shards: dict[tuple[str, str], list[str]] = {}
    for path in sorted(folder.rglob(f"*{SUFFIX}")):
        file = path.relative_to(folder)
        if not any(piece.startswith(".") for piece in file.parts) and set(columns) <= _columns(path, file):
            shards.setdefault((file.parent.as_posix(), _split(file.name)), []).append(file.as_posix())
    return [
        Found(str(PurePosixPath(directory) / f"{split or '*'}*{SUFFIX}"), split, tuple(files))
        if len(files) > 1
        else Found(files[0], split, tuple(files))
        for (directory, split), files in shards.items()
    ]


def _columns(path: Path, file: Path) -> set[str]:
    """The columns of a Parquet file."""
    try:
        return set(columns_of(path))
    except BadRow as bad:
        raise BadRow(bad.reason, f"{file.as_posix()}: {bad.detail}") from None


def _split(file: str) -> str:
    """The split that the first word of a Parquet file's name tells; empty where it tells none."""
    word = _SPLIT.match(file)
    return WORDS.get(word[0].lower(), "") if word else ""
