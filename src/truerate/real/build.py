"""The boards of public files: the same code and stages, in a work folder of its own with a lock of its own.

Third-party data are never committed; this build reads them from a folder. Its tables go into the work folder,
and into a file between markers where one is named. One bad set costs its own boards alone: sets are read
before any is built, and boards are built one by one.
"""

import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml

from truerate.config import track_blocks
from truerate.config.data import OF_BOARD
from truerate.config.layout import WORK, Layout
from truerate.core.errors import TruerateError, listed
from truerate.core.keys import digest
from truerate.core.schemas import Reject, load
from truerate.core.terminal import say
from truerate.flow.real_results import RESULTS
from truerate.real.corrections import with_errata
from truerate.real.pipeline import write_stages
from truerate.real.sets import boards_in, set_of, survey, unreadable, untaught
from truerate.real.stages import LOG, run, run_boards
from truerate.sources.clone import matching

TABLES = "tables.md"  # in the work folder
COPIED = ("src", "rules", "site", "profiles", "Snakefile", "dvc.yaml", ".dvcignore")


def build(at: Layout, data: str, *, work: str, tables: str | None, results: str | None = None) -> None:
    """Build the boards of what is found in `data` in the folder `work`, with their tables, which go into the
    file `tables`, too, if named, and their results with the rows behind them into the folder `results`, if named.

    Prints what was built, what was left out and why, and where the page is. Raises TruerateError where a set
    that is there was left out, once the others are built; and before anything is built for a folder or file
    that cannot be used.
    """
    found = with_errata(at, boards_in(at, Path(data)))
    if tables:
        from truerate.real.markers import read_between
        from truerate.real.tables import NAME

        if not Path(tables).is_file():
            raise TruerateError(
                f"tables of public files: no file {tables!r} to write them into; name one with --tables"
            )
        read_between(Path(tables), NAME)
    refuse_foreign(Path(work), [Path(data) / entry["folder"] for entry in found.values()])
    for line in survey(at, Path(data), found):
        say(line)
    place, files = Path(work), Path(data).absolute()
    furnish(place)
    (place / LOG).write_text("", "utf-8")
    boards, left_out = readable(place, found, files)
    if boards:
        declare(place, boards, files)
        if reason := run(place, "check"):
            raise TruerateError(
                f"settings of the boards in {work!r}: {reason}; {place / LOG} holds all that was said"
            )
        left_out |= run_boards(place, list(boards))
        finish(place, boards, left_out, files, tables)
        if results and (built := [name for name in boards if name not in left_out]):
            from truerate.real.committing import commit_results

            print(*commit_results(place, built, Path(results)), sep="\n")
    for name, reason in left_out.items():
        print(f"left out: {name}: {reason}")
    if left_out:
        n = f"{len(left_out)} of {len(found)} boards"
        raise TruerateError(
            f"public files: {n} left out: {listed(left_out)}; the lines above say why: mend that and run this again"
        )


def readable(work: Path, found: Mapping[str, dict], data: Path) -> tuple[dict[str, dict], dict[str, str]]:
    """The boards whose source can be read, and why those of the others cannot.

    A board that learns from another folder is read without it where that one is bad.
    """
    say(f"reading the files of {len(found)} boards")
    write_params(work, found, data)
    left_out = unreadable(work, found)
    alone = {name: found[name] | {"training": None} for name in left_out if _learns_elsewhere(found[name])}
    if alone:
        write_params(work, alone, data)
        bad = unreadable(work, alone)
        alone = {name: entry for name, entry in alone.items() if name not in bad}
        for name in alone:
            say(
                untaught(
                    name,
                    f"the folder {found[name]['training']['folder']!r}, which cannot be read: {left_out.pop(name)}",
                )
            )
        left_out |= bad
    return {name: alone.get(name, entry) for name, entry in found.items() if name not in left_out}, left_out


def _learns_elsewhere(entry: dict) -> bool:
    return bool(entry["training"]) and entry["training"]["folder"] != entry["folder"]


def finish(
    work: Path, boards: dict[str, dict], left_out: Mapping[str, str], data: Path, tables: str | None
) -> None:
    """Make the page and the tables of the boards that were built, and print what they are and where. Nothing
    where none was.
    """
    built = [name for name in boards if name not in left_out]
    if not built:
        return
    if len(built) < len(boards):
        write_params(work, boards, data, shown=built)
    if reason := run(work):
        raise TruerateError(
            f"making the page of {listed(built)} in {str(work)!r}: {reason}; {work / LOG} holds all that was said"
        )
    from truerate.real.tables import tables_of, write_tables

    at = Layout.load(str(work / "params.yaml"))
    (work / TABLES).write_text("\n".join(tables_of(at, work, built).values()), "utf-8")
    print("")
    for name in built:
        print(f"built: {name}{_rejected(work / at.source(name, 'rejects'))}")
    if tables:
        kept = write_tables(work, built, Path(tables))
        print(f"tables: {tables}" + (f" (those of {listed(kept)} stay as they were)" if kept else ""))
    print(f"tables: {work / TABLES}")
    print(f"page: {work.absolute() / at.p.paths.site / 'index.html'}")


def _rejected(path: Path) -> str:
    """How many rows of a source were not kept, by reason; empty where all were."""
    reasons = (
        load(Reject, path)["reason"].value_counts(sort=True).sort("count", "reason", descending=[True, False])
    )
    said = ", ".join(f"{n} {reason}" for reason, n in reasons.rows())
    return f" (rows not kept: {said})" if said else ""


def refuse_foreign(work: Path, sets: Sequence[Path] = ()) -> None:
    """Raise TruerateError for a folder that holds something else, which would be replaced, and for one inside
    what is read or copied.
    """
    if file := next(
        (str(place) for place in (work, *work.parents) if place.exists() and not place.is_dir()), None
    ):
        raise TruerateError(
            f"work folder {str(work)!r}: {file!r} is a file; name a folder that is absent or empty with --work"
        )
    if work.is_dir() and any(work.iterdir()) and not (work / WORK).is_file():
        raise TruerateError(f"work folder {str(work)!r} holds something else; name an empty one with --work")
    for folder in sets:
        if work.resolve() in folder.resolve().parents:
            raise TruerateError(
                f"work folder {str(work)!r} holds the public files {str(folder)!r}; name another with --work"
            )
    for place in (*map(Path, COPIED), *sets):
        if place.resolve() in (work.resolve(), *work.resolve().parents):
            raise TruerateError(
                f"work folder {str(work)!r} lies in {str(place)!r}, which the build reads; name another with --work"
            )


def furnish(work: Path) -> None:
    """A work folder with the code of now and a DVC project without git."""
    work.mkdir(parents=True, exist_ok=True)
    (work / WORK).touch()
    (work / RESULTS).mkdir(exist_ok=True)  # empty: the page of a work folder shows the boards built there
    for name in COPIED:
        _copy(Path(name), work / name)
    write_stages(work)
    if (work / ".dvc").is_dir():  # a kill may have cut what DVC wrote there
        subprocess.run(
            [sys.executable, "-m", "truerate", "mend"], cwd=work, stdout=subprocess.DEVNULL, check=False
        )
    else:
        subprocess.run([sys.executable, "-m", "dvc", "init", "--no-scm", "--quiet"], cwd=work, check=True)
        shutil.copy(".dvc/config", work / ".dvc/config.local")


def declare(work: Path, boards: dict[str, dict], data: Path) -> None:
    """A params.yaml that declares these boards alone, and the digests of their files: DVC does not see these,
    but it sees the digests.
    """
    watched = work / write_params(work, boards, data)["paths"]["inputs"]
    watched.mkdir(exist_ok=True)
    for name, entry in boards.items():
        files = [file for part in (entry, entry["training"]) if part for file in _files(part, data)]
        files += [Path(entry["errata"])] if entry.get("errata") else []
        (watched / f"{name}.digest").write_text(f"{digest(*files)}\n", "utf-8")


def _files(part: dict, data: Path) -> list[Path]:
    """The files that a set is read from; all of its folder but hidden ones where its reader does not name them."""
    folder, public = data / part["folder"], set_of(part["reader"])
    patterns = [pattern for some in public.holds.values() for pattern in some] if public else ["**/*"]
    found = matching(folder, *patterns) or matching(folder, "**/*")
    return [folder / file for file in found] or [folder]


def write_params(
    work: Path, boards: Mapping[str, dict], data: Path, *, shown: list[str] | None = None
) -> dict:
    """Write the user's params.yaml with the sources of these boards alone, and the boards, or the `shown`
    ones of them; returns it.
    """
    params = yaml.safe_load(Path("params.yaml").read_text("utf-8"))
    names = {(entry["reader"], entry["folder"]): name for name, entry in boards.items()}
    params["sources"] = {name: _source(entry, data, names) for name, entry in boards.items()}
    params = with_places(params)
    blocks = [(params["llm"], "prompts_dir")]
    for track, values in [
        *params["tracks"].items(),
        *((board["track"], board["settings"]) for board in boards.values()),
    ]:
        blocks += [(values or {}, place) for place in track_blocks.declared(track, "Settings").files_in]
    for block, place in blocks:
        *parents, key = place.split(".")
        for parent in parents:
            block = block.get(parent) or {}
        if block.get(key):
            block[key] = str(Path(block[key]).absolute())
    params["paths"]["inputs"] = "inputs"  # the user's own may lie anywhere, and is not written to
    named = {name: {"source": name} | {key: entry[key] for key in OF_BOARD} for name, entry in boards.items()}
    for board in named.values():  # public files are taken whole, whatever the profile's sizes
        whole = dict.fromkeys(track_blocks.declared(board["track"], "Sizes").caps_published)
        board["sizes"] = whole | (board["sizes"] or {})
    params["boards"] = {name: board for name, board in named.items() if shown is None or name in shown}
    params["detectors"] = {
        name: family
        for name, family in params["detectors"].items()
        if family.get("learns_from") in (None, *params["boards"])  # no board that is not built here can teach
    }
    (work / "params.yaml").write_text(yaml.safe_dump(params, sort_keys=False, allow_unicode=True), "utf-8")
    return params


def with_places(value, key: str = ""):
    """Settings in which a folder of weights that is named from here is named from the root: the stages run in
    the work folder.
    """
    ours = _weights()
    if isinstance(value, dict):  # a block in the place of weights names them as its model
        named = {name: key if key in ours and name == "model" else name for name in value}
        return {name: with_places(held, named[name]) for name, held in value.items()}
    is_folder = key in ours and value and value != ours[key] and Path(value).is_dir()
    return str(Path(value).absolute()) if is_folder else value


def _weights() -> dict[str, str | None]:
    """The keys of params.yaml whose value may be a Hub id or a folder, with the word of ours that is neither."""
    own = {
        place.rpartition(".")[2]: word
        for track in track_blocks.found()
        if not track_blocks.fault_of(track)
        for place, word in track_blocks.declared(track, "Settings").weights_in.items()
    }
    return own | {"weights": "tiny"}


def _source(entry: dict, data: Path, names: dict[tuple[str, str], str]) -> dict:
    """An entry of `public_data` as one of `sources`: its folder, and the one that its detectors learn from,
    by the name of that board.
    """
    own, taught = _reading(entry, data) | {"is_public": True}, entry["training"]
    own |= {key: entry[key] for key in ("errata",) if entry.get(key)}
    return (
        own | {"training": _reading(taught, data) | {"name": names.get((taught["reader"], taught["folder"]))}}
        if taught
        else own
    )


def _reading(part: dict, data: Path) -> dict:
    own = {key: part[key] for key in ("part", "on_bad_row") if part.get(key)}
    return {"reader": part["reader"], "path": str(data / part["folder"])} | own


def _copy(source: Path, target: Path) -> None:
    """Replace a file or folder of the work folder by the present one; compiled Python stays behind."""
    if source.is_dir():
        if target.is_dir():
            shutil.rmtree(target)
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    else:
        shutil.copy(source, target)
