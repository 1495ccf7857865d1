"""Which files of a folder hold a public data set, under the names by which its publisher offers it.

A data set is one file, or the Parquet shards of one split and configuration, known by their columns. Of
several in a folder (two splits, two forms) the source's `split` names the one to read.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from truerate.core.errors import SourceError, listed
from truerate.sources.clone import matching
from truerate.sources.collection import Collection
from truerate.sources.cuts import SUFFIX, Cut, columns_of, parquet_rows
from truerate.sources.hub.files import WORDS
from truerate.sources.rows import BadRow, Row

_SPLIT = re.compile(r"[a-z]+", re.IGNORECASE)


@dataclass(frozen=True)
class Download:
    """How a data set is downloaded: the names of its single files with the split of each (empty: unknown or
    none), the `columns` by which its Parquet files are known, and whether it is published in several splits.
    """

    title: str
    files: Mapping[str, str]
    columns: tuple[str, ...] = ()
    has_splits: bool = False

    def is_in(self, folder: Path) -> bool:
        """Whether a folder holds it, in whatever form. Raises BadRow for a Parquet file that is none."""
        return any(matching(folder, file) for file in self.files) or bool(forms_in(folder, self))


@dataclass(frozen=True)
class Form:
    """A form of a data set in a folder: its name, its split (empty: not known), its files."""

    title: str
    split: str
    files: tuple[str, ...]


def forms_in(folder: Path, download: Download) -> list[Form]:
    """The forms of a data set in a folder: its single files, and the Parquet files at any depth that have its
    columns, the shards of a split in a folder together. Raises BadRow for a Parquet file that is none.
    """
    single = {file: split for file, split in download.files.items() if (folder / file).is_file()}
    forms = [Form(file, split, (file,)) for file, split in single.items()]
    shards: dict[tuple[str, str], list[str]] = {}
    for file in matching(folder, f"**/*{SUFFIX}") if download.columns else ():
        path = PurePosixPath(file)
        try:
            is_of_set = set(download.columns) <= set(columns_of(folder / file))
        except BadRow as bad:
            raise BadRow(bad.reason, f"{file}: {bad.detail}") from None
        if is_of_set:
            word = _SPLIT.match(path.name)  # which may tell the split
            split = WORDS.get(word[0].lower(), "") if word else ""
            shards.setdefault((path.parent.as_posix(), split), []).append(file)
    for (directory, split), files in shards.items():
        pattern = str(PurePosixPath(directory) / f"{split or '*'}*{SUFFIX}")
        forms.append(Form(pattern if len(files) > 1 else files[0], split, tuple(files)))
    return forms


def one_of(forms: list[Form], download: Download, folder: Path, *, name: str, split: str | None) -> list[str]:
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


def read_download(
    collection: Collection,
    download: Download,
    cut: Callable[[bytes], Cut],
    keep: Callable[[Row], None],
    *,
    split: str | None = None,
) -> None:
    """Read the one form of a data set that a folder holds: Parquet, or files that `cut` cuts."""
    forms = forms_in(collection.folder, download)
    for file in one_of(forms, download, collection.folder, name=collection.name, split=split):
        collection.read(file, parquet_rows if file.endswith(SUFFIX) else cut, keep)


def looked_for(downloads: Sequence[Download]) -> str:
    """The names of files that are looked for, for a message."""
    names = ", ".join(file for download in downloads for file in download.files)
    columns = [", ".join(download.columns) for download in downloads if download.columns]
    return "; or ".join([names, *(f"Parquet with the columns {of_one}" for of_one in columns)])
