"""A source of answers opened: a file, several, a folder, a pattern of names, stdin or a table in memory, as the
records of another tool's export or as plain ones.
"""

import glob
from collections.abc import Sequence
from os import PathLike
from pathlib import Path

import polars as pl

from truerate.core.errors import SourceError, listed
from truerate.core.process.system_errors import check_regular
from truerate.sources.answers.exports import Export, read_export, read_frame, read_together
from truerate.sources.answers.forms import (
    HUB,
    STDIN,
    Records,
    Source,
    content_of,
    frame_of,
    named,
    records_of,
    several,
)

ENDINGS = ".parquet .arrow .feather .jsonl .ndjson .json .csv .tsv .eval .gz".split()
WILD = "*?["  # a name with one of these is a pattern, if no file has it


def opened(source: Source, *, is_plain: bool = False) -> Export | Records:
    """The export that a source is, or the records of a plain one, which `is_plain` says it is. Several files, those of
    a folder and those that a pattern (`runs/*.jsonl`) names are read as one: logs of one tool, or parts of one
    table. Raises SourceError, one line.
    """
    if (paths := paths_of(source)) is not None:
        return _together(source, paths, is_plain=is_plain)
    if isinstance(source, str | PathLike):
        content = content_of(source, "answers")
        export = None if is_plain else read_export(Path(source), content)
        return records_of(source, "answers", content) if export is None else export
    if is_plain or isinstance(source, list):
        return records_of(source, "answers")
    try:
        frame = frame_of(source)
    except ValueError as error:
        raise SourceError(f"{named(source, 'answers')}: {error}") from None
    export = read_frame(frame)
    return records_of(frame, "answers") if export is None else export


def paths_of(source: Source) -> list[Path] | None:
    """The files that a source names, sorted: of a folder all that may hold answers, of a pattern those that it fits.
    None where it is one file, stdin or a table. Raises SourceError where there are none.
    """
    if several(source):
        return [Path(path) for path in source]
    if not isinstance(source, str | PathLike) or str(source) == STDIN or str(source).startswith(HUB):
        return None
    path = Path(source)
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.suffix in ENDINGS and file.is_file())
        what = f"it is a folder without a file of answers; allowed: {listed(ENDINGS)}"
    elif not path.exists() and any(sign in str(source) for sign in WILD):
        files = sorted(Path(name) for name in glob.glob(str(source), recursive=True))
        what = "no file has such a name"
    else:
        return None
    if not files:
        raise SourceError(f"{named(source, 'answers')}: {what}")
    return files


def named_after(source: str, suffix: str) -> Path:
    """The path of what is written of a source: beside it, or beside the folder that a pattern looks through, with a
    suffix in place of its own; `answers…` here of stdin and of a data set of the Hub.
    """
    path = Path(source)
    if source == STDIN or source.startswith(HUB):
        path = Path("answers")
    while any(sign in str(path) for sign in WILD) and not path.exists():
        path = path.parent if path.parent.name else Path("answers")
    return path.with_name(f"{path.stem}{suffix}")


def _together(source: Source, paths: Sequence[Path], *, is_plain: bool) -> Export | Records:
    """The export that files are, or the records of all of them."""
    folder = Path(source) if isinstance(source, str | PathLike) else None
    if folder is not None and folder.is_dir() and (saved := read_export(folder, b"")) is not None:
        return saved
    for path in paths:
        check_regular(path, "answers")
    contents = [content_of(path, "answers") for path in paths]
    export = None if is_plain else read_together(source, paths, contents)
    if export is not None:
        return export
    read = [records_of(path, "answers", content) for path, content in zip(paths, contents, strict=True)]
    names = {frozenset(records[0][1]) for records in read if records}
    if len(names) > 1 or len({path.suffix for path in paths}) > 1:
        raise SourceError(
            f"{named(source, 'answers')}: its {len(paths)} files are not parts of one export or one table: their fields "
            "or forms differ; name files of one kind"
        )
    records = [record for of_file in read for _, record in of_file]
    return list(enumerate(records, start=1))


def of_hub(name: str) -> pl.DataFrame:
    """The rows of a data set of the Hub (`hub:ORG/NAME`), of all its Parquet files. Raises SourceError."""
    try:
        return pl.read_parquet(f"hf://datasets/{name.removeprefix(HUB)}@~parquet/**/*.parquet")
    except (pl.exceptions.PolarsError, OSError) as error:
        raise SourceError(f"reading the answers {name!r}: {str(error).splitlines()[0]}") from None
