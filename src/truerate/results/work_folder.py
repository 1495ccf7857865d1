"""The work folder in which boards of public files are built: a DVC project of its own with the code of now,
whose params.yaml declares these boards alone.
"""

import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from truerate.config import track_blocks
from truerate.config.data import OF_BOARD
from truerate.config.layout import WORK, Layout
from truerate.core.errors import SettingsError, TruerateError, listed, meant
from truerate.core.keys import digest
from truerate.pipeline.checks.project import refuse_no_clone
from truerate.pipeline.tracks import load_track
from truerate.results.read import RESULTS
from truerate.results.sets import set_of
from truerate.results.stages import write_stages
from truerate.sources.downloads import matching

COPIED = ("src", "rules", "site", "profiles", "Snakefile", "dvc.yaml", ".dvcignore")
ERRATA, SUFFIX = "errata", ".csv"  # a file per board, named by it


def refuse_foreign(work: Path, sets: Sequence[Path] = ()) -> None:
    """Raise TruerateError for a folder that holds something else, or lies in what is read or copied."""
    where = f"work folder {str(work)!r}"
    for path in (work, *work.parents):
        if path.exists() and not path.is_dir():
            hint = "name a folder that is absent or empty with --work"
            raise TruerateError(f"{where}: {str(path)!r} is a file; {hint}")
    if work.is_dir() and any(work.iterdir()) and not (work / WORK).is_file():
        raise TruerateError(f"{where} holds something else; name an empty one with --work")
    for folder in sets:
        if work.resolve() in folder.resolve().parents:
            raise TruerateError(f"{where} holds the public files {str(folder)!r}; name another with --work")
    for path in (*map(Path, COPIED), *sets):
        if path.resolve() in (work.resolve(), *work.resolve().parents):
            what = f"{where} lies in {str(path)!r}, which the build reads"
            raise TruerateError(f"{what}; name another with --work")


def furnish(work: Path) -> None:
    """Fill a work folder with the code of now and a DVC project without git; compiled Python stays behind."""
    refuse_no_clone()
    work.mkdir(parents=True, exist_ok=True)
    (work / WORK).touch()
    (work / RESULTS).mkdir(exist_ok=True)  # empty: the page of a work folder shows the boards built there
    for name in COPIED:
        if Path(name).is_dir():
            if (work / name).is_dir():
                shutil.rmtree(work / name)
            shutil.copytree(name, work / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        else:
            shutil.copy(name, work / name)
    write_stages(work)
    if (work / ".dvc").is_dir():  # a kill may have cut what DVC wrote there
        mend = [sys.executable, "-m", "truerate", "mend"]
        subprocess.run(mend, cwd=work, stdout=subprocess.DEVNULL, check=False)
    else:
        subprocess.run([sys.executable, "-m", "dvc", "init", "--no-scm", "--quiet"], cwd=work, check=True)
        shutil.copy(".dvc/config", work / ".dvc/config.local")


def with_errata(config: Layout, boards: Mapping[str, dict], folder: Path = Path(ERRATA)) -> dict[str, dict]:
    """The entries of boards with `errata`, the absolute path of each one's `errata/BOARD.csv` beside
    params.yaml, null where it has none.

    Raises SettingsError, one line, for a file that is of no board, or of one that shows no ranks without it.
    The content of a file is checked when the set is read.
    """
    public = config.p.public_data
    files = {path.name.removesuffix(SUFFIX): path for path in sorted(folder.glob(f"[!.]*{SUFFIX}"))}
    for name, path in files.items():
        where = f"errata {path.as_posix()!r}"
        if name not in public:
            what = f"there is no board {name!r}{meant(name, public)}"
            raise SettingsError(f"{where}: {what}; boards: {listed(public)}")
        able = [board for board, entry in public.items() if load_track(entry.track).card.takes_errata]
        if name not in able:
            what = f"the labels of board {name!r} cannot be corrected here"
            raise SettingsError(f"{where}: {what}; allowed: {listed(able)}")
    paths = {name: str(path.absolute()) for name, path in files.items()}
    return {name: entry | {"errata": paths.get(name)} for name, entry in boards.items()}


def declare(work: Path, boards: dict[str, dict], data: Path) -> None:
    """Write a params.yaml that declares these boards alone, and the digests of their files: DVC does not see
    these, but it sees the digests.
    """
    inputs = work / write_params(work, boards, data)["paths"]["inputs"]
    inputs.mkdir(exist_ok=True)
    for name, entry in boards.items():
        files = [file for part in (entry, entry["training"]) if part for file in _files(part, data)]
        files += [Path(entry["errata"])] if entry.get("errata") else []
        files += [Path(labels).expanduser()] if (labels := _labels(entry)) else []
        (inputs / f"{name}.digest").write_text(f"{digest(*files)}\n", "utf-8")


def _labels(entry: dict) -> str | None:
    """The file of labels beside a file of answers; None where there is none."""
    return (entry.get("answers") or {}).get("labels")


def _files(part: dict, data: Path) -> list[Path]:
    """Return the files that a set is read from; all but hidden ones where its reader names none."""
    folder, public = data / part["folder"], set_of(part["reader"])
    patterns = [pattern for each in public.holds.values() for pattern in each] if public else ["**/*"]
    files = matching(folder, *patterns) or matching(folder, "**/*")
    return [folder / file for file in files] or [folder]


def write_params(
    work: Path, boards: Mapping[str, dict], data: Path, *, shown: list[str] | None = None
) -> dict:
    """Write and return the user's params.yaml with these sources, and their boards or the `shown` ones."""
    params = yaml.safe_load(Path("params.yaml").read_text("utf-8"))
    params["sources"] = _sources(boards, data)
    params = with_places(params)
    settings = [*params["tracks"].items()]
    settings += [(board["track"], board["settings"]) for board in boards.values()]
    blocks = [(params["llm"], "prompts_dir")]
    for track, values in settings:
        blocks += [(values or {}, path) for path in track_blocks.declared(track, "Settings").files_in]
    for block, path in blocks:
        *parents, key = path.split(".")
        for parent in parents:
            block = block.get(parent) or {}
        if block.get(key):
            block[key] = str(Path(block[key]).absolute())
    params["paths"]["inputs"] = "inputs"  # the user's may lie anywhere, and is not written to
    params["boards"] = {}
    for name, entry in boards.items():
        if shown is None or name in shown:
            board = {"source": name} | {key: entry[key] for key in OF_BOARD}
            # public files are taken whole, whatever the profile's sizes
            whole = dict.fromkeys(track_blocks.declared(board["track"], "Sizes").caps_published)
            params["boards"][name] = board | {"sizes": whole | (board["sizes"] or {})}
    params["detectors"] = {
        name: family
        for name, family in params["detectors"].items()
        if family.get("learns_from") in (None, *params["boards"])  # no board that is not built here can teach
    }
    sheets = params["hub"].get("datasheets") or {}
    params["hub"]["datasheets"] = {name: sheet for name, sheet in sheets.items() if name in params["boards"]}
    (work / "params.yaml").write_text(yaml.safe_dump(params, sort_keys=False, allow_unicode=True), "utf-8")
    return params


def with_places(value: Any, key: str = "") -> Any:
    """Return settings in which folders of weights are absolute: the stages run in the work folder."""
    # the keys of params.yaml whose value may be a Hub id or a folder, with the word of ours that is neither
    words = {
        path.rpartition(".")[2]: word
        for track in track_blocks.track_names()
        if not track_blocks.fault_of(track)
        for path, word in track_blocks.declared(track, "Settings").weights_in.items()
    } | {"weights": "tiny"}
    if isinstance(value, dict):  # a block in the place of weights names them as its model
        keys = {name: key if key in words and name == "model" else name for name in value}
        return {name: with_places(inner, keys[name]) for name, inner in value.items()}
    is_folder = key in words and value and value != words[key] and Path(value).is_dir()
    return str(Path(value).absolute()) if is_folder else value


def _sources(boards: Mapping[str, dict], data: Path) -> dict[str, dict]:
    """Return the entries of `public_data` as `sources`, with the folder that their detectors learn from."""

    def reading(part: dict) -> dict:
        options = {key: part[key] for key in ("part", "on_bad_row") if part.get(key)}
        return {"reader": part["reader"], "path": str(data / part["folder"])} | options

    names = {(entry["reader"], entry["folder"]): name for name, entry in boards.items()}
    sources = {}
    for name, entry in boards.items():
        given = {key: entry[key] for key in ("rights", "answers") if entry.get(key)}
        if labels := _labels(entry):  # the stages run in the work folder
            given["answers"] = given["answers"] | {"labels": str(Path(labels).expanduser().absolute())}
        sources[name] = reading(entry) | ({"is_public": True} if not given.get("rights") else {}) | given
        if entry.get("errata"):
            sources[name]["errata"] = entry["errata"]
        if training := entry["training"]:
            board = names.get((training["reader"], training["folder"]))
            sources[name]["training"] = reading(training) | {"name": board}
    return sources
