"""Which files of a folder hold a public data set: in its publisher's layout (sets.yaml), and under the names by which it
is offered for download.

A download is one file, or the Parquet shards of one split and configuration, known by their columns. Of several in
a folder (two splits, two forms) the source's `split` names the one to read.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

from truerate.core.data_files import read_data
from truerate.core.errors import SourceError, listed
from truerate.sources.collection import Collection
from truerate.sources.cuts import SUFFIX, Cut, columns_of, named, parquet_rows
from truerate.sources.hub.files import WORDS
from truerate.sources.rows import BadRow, Row


# ---- a set in its publisher's layout ------------------------------------------------------------------------
@dataclass(frozen=True)
class PublicSet:
    """A record of sets.yaml, which says what the fields mean."""

    repository: str
    holds: Mapping[str, list[str]]
    labelled_by: str
    unproven: tuple[str, ...] = ()
    by_part: Mapping[str, list[str]] | None = None
    bring: str = ""

    @property
    def folders(self) -> tuple[str, ...]:
        """The names of a folder that holds it: `owner__name`, as in collections of clones, and `name`."""
        return self.repository.replace("/", "__"), self.repository.rpartition("/")[2]

    @property
    def patterns(self) -> list[str]:
        """The patterns of its files, of all parts."""
        return [pattern for patterns in self.holds.values() for pattern in patterns]

    def parts(self, part: str | None) -> tuple[str, ...]:
        """Return what of it an entry reads, by the entry's `part`."""
        return tuple((self.by_part or {}).get(part or "", self.holds))

    def missing(self, folder: Path, part: str | None = None) -> list[str]:
        """Return what of it a folder does not hold."""
        return [name for name in self.parts(part) if not matching(folder, *self.holds[name])]

    def unread(self, folder: Path) -> list[str]:
        """The files in the set's own folders, of the kind of its files there, that are none of them and so
        not read.
        """
        files = matching(folder, *self.patterns)
        paths = [Path(file) for file in files if Path(file).parent != Path()]
        kinds = {f"{path.parent.as_posix()}/*{path.suffix}" for path in paths}
        return sorted({*matching(folder, *kinds)} - {*files})

    def repacked(self, folder: Path) -> list[str]:
        """Files of the set that lie packed (`batch_2.json.gz`) or as Parquet where nothing reads them
        instead.
        """
        files = {*matching(folder, *self.patterns)}
        plain = [pattern for pattern in self.patterns if not any(sign in pattern for sign in "*?[")]
        read = {file for pattern in plain for file in named(folder, pattern)}
        packed = matching(folder, *(f"{pattern}.*" for pattern in self.patterns))
        columns = matching(folder, *(str(Path(pattern).with_suffix(SUFFIX)) for pattern in self.patterns))
        is_beside = {str(Path(file).with_suffix("")) for file in files}
        alone = {file for file in packed if file.rpartition(".")[0] not in files}
        alone |= {file for file in columns if str(Path(file).with_suffix("")) not in is_beside}
        return sorted(alone - files - read)

    def is_in(self, folder: Path, part: str | None = None) -> bool:
        """Return whether a folder holds any of it."""
        return len(self.missing(folder, part)) < len(self.parts(part))


@cache
def public_sets() -> dict[str, dict]:
    """Return the records of sets.yaml by reader."""
    return read_data(Path(__file__).with_name("sets.yaml"), dict)


def public_set(reader: str) -> PublicSet:
    """Return the set that a reader was written for, as sets.yaml has it."""
    return PublicSet(**public_sets()[reader])


def matching(folder: Path, *patterns: str) -> list[str]:
    """The files below a folder that fit one of the patterns, by name, but for hidden files and folders."""
    paths = {path for pattern in patterns for path in folder.glob(pattern) if path.is_file()}
    files = (path.relative_to(folder) for path in paths)
    return sorted(file.as_posix() for file in files if not any(piece.startswith(".") for piece in file.parts))


# ---- a set as it is downloaded ------------------------------------------------------------------------------
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
        """Return whether a folder holds it, in whatever form. Raises BadRow for a Parquet file that is none."""
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
