"""A public data set in its publisher's layout (sets.yaml): which files of a folder are its own."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from truerate.core.data_files import read_data
from truerate.sources.cuts import SUFFIX, named


@dataclass(frozen=True)
class PublicSet:
    """A record of sets.yaml, which says what the fields mean."""

    repository: str
    holds: Mapping[str, list[str]]
    labelled_by: str
    unproven: tuple[str, ...] = ()
    by_part: Mapping[str, list[str]] | None = None

    @property
    def folders(self) -> tuple[str, ...]:
        """The names of a folder that holds it: `owner__name`, as in collections of clones, and `name`."""
        return self.repository.replace("/", "__"), self.repository.rpartition("/")[2]

    @property
    def patterns(self) -> list[str]:
        """The patterns of its files, of all parts."""
        return [pattern for patterns in self.holds.values() for pattern in patterns]

    def parts(self, part: str | None) -> tuple[str, ...]:
        """What of it an entry reads, by the entry's `part`."""
        return tuple((self.by_part or {}).get(part or "", self.holds))

    def missing(self, folder: Path, part: str | None = None) -> list[str]:
        """What of it a folder does not hold."""
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
        """Whether a folder holds any of it."""
        return len(self.missing(folder, part)) < len(self.parts(part))


@cache
def _sets() -> dict[str, dict]:
    return read_data(Path(__file__).with_name("sets.yaml"), dict)


def public_set(reader: str) -> PublicSet:
    """Return the set that a reader was written for, as sets.yaml has it."""
    return PublicSet(**_sets()[reader])


def matching(folder: Path, *patterns: str) -> list[str]:
    """The files below a folder that fit one of the patterns, by name, but for hidden files and folders."""
    paths = {path for pattern in patterns for path in folder.glob(pattern) if path.is_file()}
    files = (path.relative_to(folder) for path in paths)
    return sorted(file.as_posix() for file in files if not any(piece.startswith(".") for piece in file.parts))
