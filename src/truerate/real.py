"""The boards of public files: the same code and stages, in a work folder of its own with a lock of its own.

Third-party data are never committed; this build reads them from a folder, and its tables go into a file between markers.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import yaml

from truerate.errors import TruerateError, listed
from truerate.keys import digest
from truerate.layout import Layout

MARK = ".truerate-real"  # stands in a work folder that an earlier build made
WEIGHTS = ("weights", "similarity", "seq2seq", "tokenizer", "rarity")  # keys of params.yaml whose value may be a Hub id or a folder
BUILT_IN = ("tiny", "chrf", "words", "ngram")  # what stands there for neither
COPIED = ("src", "rules", "site", "profiles", "Snakefile", "dvc.yaml", ".dvcignore")


def build(at: Layout, data: str, *, work: str, tables: str | None) -> None:
    """Build the boards of what is found in `data` by `dvc repro` in `work`; write their tables into the file `tables` if it is named."""
    found = boards_in(at, Path(data))
    if tables and not Path(tables).is_file():
        raise TruerateError(f"tables of public files: no file {tables!r} to write them into; name one with --tables")
    refuse_foreign(Path(work), at.p.paths.build)
    prepare(Path(work), found, Path(data).absolute())
    finished = subprocess.run([sys.executable, "-m", "dvc", "repro"], cwd=work, check=False)
    if finished.returncode:
        raise TruerateError(f"building the boards of {data!r} in {work!r} ended with {finished.returncode}; the lines above say why")
    if tables:
        from truerate.real_tables import write_tables

        write_tables(Path(work), list(found), Path(tables))


def boards_in(at: Layout, data: Path) -> dict[str, dict]:
    """The boards of `public_data` in params.yaml whose folder is there, by name; without `training` where that folder is not."""
    if not data.is_dir():
        raise TruerateError(f"public files: {str(data)!r} is no folder; name one with `make real DATA=DIR`")
    public = {name: entry.model_dump() for name, entry in at.p.public_data.items()}
    found = {name: entry for name, entry in public.items() if (data / entry["folder"]).is_dir()}
    for entry in found.values():
        if entry["training"] and not (data / entry["training"]["folder"]).is_dir():
            entry["training"] = None
    if not found:
        folders = listed({entry["folder"] for entry in public.values()})
        raise TruerateError(f"public files: nothing known in {str(data)!r}; looked for the folders {folders}")
    return found


def refuse_foreign(work: Path, build: str) -> None:
    """Raise TruerateError for a folder that holds something else: code in it would be replaced. Folders below `build` are ours."""
    is_ours = Path(build).resolve() in work.resolve().parents or (work / MARK).is_file()
    if work.is_dir() and any(work.iterdir()) and not is_ours:
        raise TruerateError(f"work folder {str(work)!r} holds something else; name an empty one with --work")


def prepare(work: Path, boards: dict[str, dict], data: Path) -> None:
    """A work folder with the code of now, a params.yaml that declares these boards alone, and a DVC project without git."""
    work.mkdir(parents=True, exist_ok=True)
    (work / MARK).touch()
    for name in COPIED:
        _copy(Path(name), work / name)
    params = yaml.safe_load(Path("params.yaml").read_text("utf-8"))
    names = {(entry["reader"], entry["folder"]): name for name, entry in boards.items()}
    params["sources"] = {name: _source(entry, data, names) for name, entry in boards.items()}
    params = with_places(params)
    if params["llm"]["prompts_dir"]:
        params["llm"]["prompts_dir"] = str(Path(params["llm"]["prompts_dir"]).absolute())
    params["boards"] = {name: {"track": entry["track"], "source": name, "title": entry["title"]} for name, entry in boards.items()}
    (work / "params.yaml").write_text(yaml.safe_dump(params, sort_keys=False, allow_unicode=True), "utf-8")
    watched = work / params["paths"]["inputs"]  # DVC does not see the public files themselves, but it sees their digests here
    watched.mkdir(exist_ok=True)
    for name, entry in boards.items():
        folders = [part["folder"] for part in (entry, entry["training"]) if part]
        (watched / f"{name}.digest").write_text(f"{digest(*(data / folder for folder in folders))}\n", "utf-8")
    if not (work / ".dvc").is_dir():
        subprocess.run([sys.executable, "-m", "dvc", "init", "--no-scm", "--quiet"], cwd=work, check=True)
        shutil.copy(".dvc/config", work / ".dvc/config.local")


def with_places(value, key: str = ""):
    """Settings in which a folder of weights that is named from here is named from the root: the stages run in the work folder."""
    if isinstance(value, dict):
        return {name: with_places(held, name) for name, held in value.items()}
    is_folder = key in WEIGHTS and value and value not in BUILT_IN and Path(value).is_dir()
    return str(Path(value).absolute()) if is_folder else value


def _source(entry: dict, data: Path, names: dict[tuple[str, str], str]) -> dict:
    """An entry of `public_data` as one of `sources`: its folder, and the one that its detectors learn from, by the name of that board."""
    own, taught = _reading(entry, data), entry["training"]
    return own | {"training": _reading(taught, data) | {"name": names.get((taught["reader"], taught["folder"]))}} if taught else own


def _reading(part: dict, data: Path) -> dict:
    own = {"part": part["part"]} if part.get("part") else {}
    return {"reader": part["reader"], "path": str(data / part["folder"])} | own


def _copy(source: Path, target: Path) -> None:
    """Replace a file or folder of the work folder by the present one; compiled Python stays behind."""
    if source.is_dir():
        if target.is_dir():
            shutil.rmtree(target)
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    else:
        shutil.copy(source, target)
