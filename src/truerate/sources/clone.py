"""A public data set in its publisher's layout: which files are its own, and rows in the reader's shape."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from truerate.sources.cuts import Cut
from truerate.sources.parquet import SUFFIX, named


@dataclass(frozen=True)
class PublicSet:
    """What is told of a public set before it is read, beside its card.

    `repository`: `owner/name`, of which a clone is a folder `name` (or `owner__name`). `holds`: what the set is made of,
    each part with the patterns of files below the folder of which one must be there: the publisher's first, then the
    short ones of this project. `labelled_by`: who labelled it. `unproven`: the parts that were read on made-up files
    alone, by the documented layout. `by_part`: the parts that an entry's `part` needs; where it is not there, all of them
    belong to every entry.
    """

    repository: str
    holds: Mapping[str, tuple[str, ...]]
    labelled_by: str
    unproven: tuple[str, ...] = ()
    by_part: Mapping[str, tuple[str, ...]] | None = None

    @property
    def folders(self) -> tuple[str, ...]:
        """The names of a folder that holds it: `owner__name`, as collections of clones have it, and `name`."""
        return self.repository.replace("/", "__"), self.repository.rpartition("/")[2]

    def parts(self, part: str | None) -> tuple[str, ...]:
        """What of it an entry reads, by the entry's `part`."""
        return (self.by_part or {}).get(part or "", tuple(self.holds))

    def missing(self, folder: Path, part: str | None = None) -> list[str]:
        """What of it a folder does not hold."""
        return [name for name in self.parts(part) if not any(matching(folder, *self.holds[name]))]

    def unread(self, folder: Path) -> list[str]:
        """The files that lie in the set's own folders, of the kind of its files there, under names that are none of
        theirs: what is read does not hold them. What lies at the top of a folder may be anything.
        """
        files = matching(folder, *(pattern for patterns in self.holds.values() for pattern in patterns))
        kinds = {
            f"{directory}/*{Path(file).suffix}"
            for file in files
            if (directory := Path(file).parent.as_posix()) != "."
        }
        return sorted({*matching(folder, *kinds)} - {*files})

    def repacked(self, folder: Path) -> list[str]:
        """Files of the set that lie packed (`batch_2.json.gz`) or as Parquet where nothing reads them instead."""
        patterns = [pattern for patterns in self.holds.values() for pattern in patterns]
        files = {*matching(folder, *patterns)}
        read = {file for pattern in patterns if not _is_glob(pattern) for file in named(folder, pattern)}
        packed = matching(folder, *(f"{pattern}.*" for pattern in patterns))
        columns = matching(folder, *(str(Path(pattern).with_suffix(SUFFIX)) for pattern in patterns))
        is_beside = {str(Path(file).with_suffix("")) for file in files}
        alone = {file for file in packed if file.rpartition(".")[0] not in files}
        alone |= {file for file in columns if str(Path(file).with_suffix("")) not in is_beside}
        return sorted(alone - files - read)

    def is_in(self, folder: Path, part: str | None = None) -> bool:
        """Whether a folder holds any of it."""
        return len(self.missing(folder, part)) < len(self.parts(part))


def _is_glob(pattern: str) -> bool:
    return any(sign in pattern for sign in "*?[")


def matching(folder: Path, *patterns: str) -> list[str]:
    """The files below a folder that fit one of the patterns, by name; hidden ones and those in hidden folders left out."""
    paths = {
        path.relative_to(folder) for pattern in patterns for path in folder.glob(pattern) if path.is_file()
    }
    return sorted(path.as_posix() for path in paths if not any(piece.startswith(".") for piece in path.parts))


def changed(cut: Callable[[bytes], Cut], change: Callable[[dict, int], dict]) -> Callable[[bytes], Cut]:
    """A cutter whose rows pass through `change` (values, number from 1); non-objects pass unchanged."""

    def cut_changed(raw: bytes) -> Cut:
        for number, make in cut(raw):
            yield number, lambda number=number, make=make: _change(make(), number, change)

    return cut_changed


def _change(values: object, number: int, change: Callable[[dict, int], dict]) -> object:
    return change(values, number) if isinstance(values, dict) else values


def numbered(first: int) -> Callable[[dict, int], dict]:
    """The change that gives rows the field `row`, their place in the file counted from `first`; a row that has one keeps it."""
    return lambda values, number: {"row": number - 1 + first, **values}
