"""Where a source's files lie: a folder, a folder that a command fills, or a pinned data set of the Hugging Face Hub."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from truerate.errors import TruerateError, listed
from truerate.keys import digest
from truerate.layout import Layout
from truerate.params import Source
from truerate.sources import hub
from truerate.terminal import told

STAMP = ".made"


def folder_of(name: str, source: Source, at: Layout) -> Path:
    """The folder that holds a source's files, made or downloaded if need be. Raises TruerateError where there is none."""
    if source.hub:
        whole, files = hub.fetched(name, source.hub)
        is_part = source.hub.config is not None or source.hub.split is not None
        return _linked(whole, files, Path(at.chosen(name))) if is_part else whole
    folder = Path(source.path).expanduser()
    if source.make:
        return _make(name, source, folder, at)
    if not folder.is_dir():
        raise TruerateError(
            f"source {name!r}: no folder {str(folder)!r}; put the files there or correct sources.{name}.path in params.yaml"
        )
    return folder


def _make(name: str, source: Source, folder: Path, at: Layout) -> Path:
    """Run the command that fills the folder, unless what lies there was made by the same command and code; the folder is swapped whole."""
    values = {"seed": at.p.seed, "languages": ",".join(source.languages or at.p.languages)} | sizes(at)
    stamp = digest(*source.code, make=source.make, values=values)
    if (folder / STAMP).is_file() and (folder / STAMP).read_text("utf-8").strip() == stamp:
        return folder
    scratch = folder.with_name(f"{folder.name}.{os.getpid()}.tmp")
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.parent.mkdir(parents=True, exist_ok=True)
    try:
        _run(name, _command(name, source.make, {**values, "path": str(scratch)}))
        if not scratch.is_dir():
            raise TruerateError(f"source {name!r}: `{source.make}` wrote no folder; it must fill {{path}}")
        (scratch / STAMP).write_text(f"{stamp}\n", "utf-8")
        _swap(scratch, folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return folder


def sizes(at: Layout) -> dict[str, int]:
    """The sizes of the profile as a command may name them: `{halueval_qa}`, `{mfava_train}`, …; `{n_items}` is HaluEval's largest."""
    found = {f"{track}_{name}": n for track, size in at.p.size for name, n in size.model_dump().items() if isinstance(n, int)}
    return found | {"n_items": max(at.p.size.halueval.model_dump().values())}


def _command(name: str, make: str, values: dict[str, object]) -> list[str]:
    """The command's words with their values; `python` is the one that runs now."""
    try:
        words = [word.format(**values) for word in shlex.split(make)]
    except (KeyError, IndexError, ValueError) as error:
        raise TruerateError(
            f"source {name!r}: make: {make!r} cannot be filled in ({error!r}); allowed: {listed(f'{{{v}}}' for v in values)}"
        ) from None
    return [sys.executable if word == "python" else word for word in words[:1]] + words[1:]


def _run(name: str, words: list[str]) -> None:
    try:
        with told(f"source {name!r}: `{shlex.join(words)}` runs"):
            done = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
    except OSError as error:
        raise TruerateError(
            f"source {name!r}: starting {words[:1]}: {error.strerror}; correct sources.{name}.make in params.yaml"
        ) from None
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise TruerateError(f"source {name!r}: `{shlex.join(words)}` ended with exit code {done.returncode}: {last}")


def _swap(scratch: Path, folder: Path) -> None:
    """Put a finished folder in the place of an old one."""
    old = folder.with_name(f"{folder.name}.{os.getpid()}.old")
    if folder.exists():
        os.replace(folder, old)
    os.replace(scratch, folder)
    shutil.rmtree(old, ignore_errors=True)


def _linked(folder: Path, files: list[str], target: Path) -> Path:
    """A folder that holds these files of another and nothing else, by their names below the folder that they share; made anew each time."""
    base = os.path.commonpath([os.path.dirname(file) for file in files])
    scratch = target.with_name(f"{target.name}.{os.getpid()}.tmp")
    shutil.rmtree(scratch, ignore_errors=True)
    for file in files:
        place = scratch / os.path.relpath(file, base or ".")
        place.parent.mkdir(parents=True, exist_ok=True)
        _link((folder / file).resolve(), place)
    _swap(scratch, target)
    return target


def _link(file: Path, place: Path) -> None:
    try:
        place.symlink_to(file)
    except OSError:  # where links are not allowed
        shutil.copyfile(file, place)
