"""The boards of public files: the same code and stages, in a work folder of its own with a lock of its own.

Third-party data are never committed; this build reads them from a folder. Its tables go into the work folder,
and into a file between markers where one is named. One bad set costs its own boards alone: sets are read
before any is built, and boards are built one by one.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

from truerate.config.layout import Layout
from truerate.core.errors import TruerateError, listed
from truerate.core.process.terminal import say
from truerate.core.schemas import Reject, load
from truerate.results.commit import commit_results
from truerate.results.files import Result, save_result
from truerate.results.markers import read_between
from truerate.results.published_table import read_tables, tables_in
from truerate.results.read import RESULTS
from truerate.results.sets import boards_in, no_training, survey, unreadable
from truerate.results.stages import LOG, run, run_boards
from truerate.results.tables import NAME, tables_of, write_tables
from truerate.results.work_folder import declare, furnish, refuse_foreign, with_errata, write_params

TABLES = "tables.md"  # in the work folder


def build(config: Layout, data: str, *, work: str, tables: str | None, results: str | None = None) -> None:
    """Build the boards of what is found in `data` (`build_boards`). Raises TruerateError where a set that is
    there was left out, once the others are built.
    """
    published, left_out = read_tables(config, tables_in(config, Path(data)))
    present = with_errata(config, boards_in(config, Path(data), may_be_empty=bool(published or left_out)))
    lines = survey(config, Path(data), present)
    how = {"work": work, "tables": tables, "results": results}
    build_boards(present, Path(data), lines, published=published, left_out=left_out, **how)


def build_boards(
    present: Mapping[str, dict],
    data: Path,
    lines: Iterable[str],
    *,
    work: str,
    tables: str | None,
    results: str | None,
    published: Mapping[str, Result] = MappingProxyType({}),
    left_out: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Build boards of entries as of `public_data` whose folders or files lie in `data`, in the folder `work`,
    with their tables, which go into the file `tables`, too, if named, and their results with the rows behind
    them into the folder `results`, if named; so do those of tables that others `published`.

    Prints `lines`, what was built, what was left out and why (`left_out`: before), and where the page is. Raises
    TruerateError where one was left out, once the others are built; and before anything is built for a folder or
    file that cannot be used.
    """
    if tables:
        if not Path(tables).is_file():
            what = f"no file {tables!r} to write them into"
            raise TruerateError(f"tables of public files: {what}; name one with --tables")
        read_between(Path(tables), NAME)
    folder, files = Path(work), data.absolute()
    refuse_foreign(folder, [data / entry["folder"] for entry in present.values()])
    for line in lines:
        say(line)
    furnish(folder)
    (folder / LOG).write_text("", "utf-8")
    for name, result in published.items():
        for to in [folder / RESULTS, *([Path(results)] if results else [])]:
            save_result(result, to / name)
        print(f"published figures: {to / name} ({result.card.n_subjects} models)")
    boards, unread = readable(folder, present, files)
    left_out = dict(left_out) | unread
    if boards:
        declare(folder, boards, files)
        if reason := run(folder, "check"):
            what = f"settings of the boards in {work!r}: {reason}"
            raise TruerateError(f"{what}; {folder / LOG} holds all that was said")
        left_out |= run_boards(folder, list(boards))
        if built := [name for name in boards if name not in left_out]:
            finish(folder, boards, built, files, tables)
            if results:
                print(*commit_results(folder, built, Path(results)), sep="\n")
    for name, reason in left_out.items():
        print(f"left out: {name}: {reason}")
    if left_out:
        what = (
            f"{len(left_out)} of {len({*present, *published, *left_out})} boards left out: {listed(left_out)}"
        )
        hint = "the lines above say why: mend that and run this again"
        raise TruerateError(f"public files: {what}; {hint}")


def readable(work: Path, present: Mapping[str, dict], data: Path) -> tuple[dict[str, dict], dict[str, str]]:
    """The boards whose source can be read, and why those of the others cannot.

    A board that learns from another folder is read without it where that one is bad.
    """
    say(f"reading the files of {len(present)} board{'s' * (len(present) != 1)}")
    write_params(work, present, data)
    left_out = unreadable(work, present)
    alone = {}
    for name in left_out:
        training = present[name]["training"]
        if training and training["folder"] != present[name]["folder"]:
            alone[name] = present[name] | {"training": None}
    if alone:
        write_params(work, alone, data)
        bad = unreadable(work, alone)
        for name in [name for name in alone if name not in bad]:
            folder = present[name]["training"]["folder"]
            say(no_training(name, f"the folder {folder!r}, which cannot be read: {left_out.pop(name)}"))
        left_out |= bad
    return {name: alone.get(name, entry) for name, entry in present.items() if name not in left_out}, left_out


def finish(work: Path, boards: dict[str, dict], built: list[str], data: Path, tables: str | None) -> None:
    """Make the page and the tables of the boards that were built, and print what they are and where."""
    if len(built) < len(boards):
        write_params(work, boards, data, shown=built)
    if reason := run(work):
        what = f"making the page of {listed(built)} in {str(work)!r}: {reason}"
        raise TruerateError(f"{what}; {work / LOG} holds all that was said")
    config = Layout.load(str(work / "params.yaml"))
    (work / TABLES).write_text("\n".join(tables_of(config, work, built).values()), "utf-8")
    print("")
    for name in built:
        reasons = load(Reject, work / config.source(name, "rejects"))["reason"].value_counts(sort=True)
        reasons = reasons.sort("count", "reason", descending=[True, False])
        counts = ", ".join(f"{n} {reason}" for reason, n in reasons.rows())
        print(f"built: {name}{f' (rows not kept: {counts})' if counts else ''}")
    if tables:
        kept = write_tables(work, built, Path(tables))
        print(f"tables: {tables}" + (f" (those of {listed(kept)} stay as they were)" if kept else ""))
    print(f"tables: {work / TABLES}")
    print(f"page: {work.absolute() / config.p.paths.site / 'index.html'}")
