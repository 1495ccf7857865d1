"""Where a source's files lie: a folder, one that a command fills, or a pinned data set of the Hub."""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from truerate.config import Source
from truerate.config.layout import Layout
from truerate.config.places import SENTINEL, holds_links_alone, refuse_others
from truerate.core.errors import SettingsError, SourceError, listed
from truerate.core.keys import digest
from truerate.core.process.terminal import announced_wait
from truerate.sources.hub import dataset as hub
from truerate.sources.hub.files import ABOUT, about

OF_FILE = "answers"  # the reader of a person's own file: its path may be the file


def folder_of(name: str, source: Source, config: Layout) -> Path:
    """The folder of a source's files, created or downloaded if need be. Raises TruerateError if there is
    none.
    """
    if source.hub:
        whole, files = hub.fetched(name, source.hub)
        is_part = source.hub.config is not None or source.hub.split is not None
        beside = about([file for file in ABOUT if (whole / file).is_file()])
        return (
            _linked(name, files, Path(config.chosen(name)), whole=whole, beside=beside) if is_part else whole
        )
    folder = Path(source.path).expanduser()
    if source.make:
        return _make(name, source, folder, config)
    if not folder.is_dir() and not (source.reader == OF_FILE and folder.is_file()):
        advice = f"put the files there or correct sources.{name}.path in params.yaml"
        what = "no file or folder" if source.reader == OF_FILE else "no folder"
        raise SourceError(f"source {name!r}: {what} {str(folder)!r}; {advice}")
    return folder


def _make(name: str, source: Source, folder: Path, config: Layout) -> Path:
    """Run the command that fills the folder unless the same command, values and code filled it; swap it
    whole.
    """
    values = _values(source, config)
    named_values = {key: value for key, value in values.items() if key in source.places()}
    stamp = digest(*config.code_at(source.code), make=source.make, values=named_values)
    if (folder / SENTINEL).is_file() and (folder / SENTINEL).read_text("utf-8").strip() == stamp:
        return folder
    who = f"source {name!r}: sources.{name}.path"
    refuse_others(folder, who)
    with _aside(folder) as scratch:
        _run(name, _command(name, source.make, {**values, "path": str(scratch)}))
        if not scratch.is_dir():
            raise SourceError(f"source {name!r}: `{source.make}` wrote no folder; it must fill {{path}}")
        (scratch / SENTINEL).write_text(f"{stamp}\n", "utf-8")
        refuse_others(folder, who)  # the command may have run for long
        _swap(scratch, folder)
    return folder


@contextmanager
def _aside(folder: Path) -> Iterator[Path]:
    """A name for a folder beside another, in a new one that is deleted with its content at the end."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    aside = tempfile.mkdtemp(prefix=f"{folder.name}.", suffix=".tmp", dir=folder.parent)
    os.chmod(aside, 0o755)  # what is moved out of it is read by others, as any folder is
    try:
        yield Path(aside) / folder.name
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def check_make(name: str, source: Source, config: Layout) -> None:
    """Raise TruerateError if a command cannot be filled in, fills no folder, or names absent code."""
    _command(name, source.make, {**_values(source, config), "path": source.path})
    if "{path}" not in source.make:
        what = f"make: {source.make!r} must hold {{path}}, the folder that it fills"
        raise SettingsError(f"source {name!r}: {what}")
    digest(*config.code_at(source.code))


def _values(source: Source, config: Layout) -> dict[str, object]:
    """Return what a command may name besides its folder."""
    languages = ",".join(source.languages or config.p.languages)
    return {"seed": config.p.seed, "languages": languages} | config.p.sizes_for(source)


def _command(name: str, make: str, values: dict[str, object]) -> list[str]:
    """The command's words with their values; `python` is the one that runs now."""
    try:
        words = [word.format(**values) for word in shlex.split(make)]
    except (KeyError, IndexError, ValueError, TypeError, AttributeError) as error:
        problem = f"make: {make!r} cannot be filled in ({error!r})"
        allowed = listed(f"{{{value}}}" for value in values)
        raise SettingsError(f"source {name!r}: {problem}; allowed: {allowed}") from None
    return [sys.executable if word == "python" else word for word in words[:1]] + words[1:]


def _run(name: str, words: list[str]) -> None:
    command, how = shlex.join(words), {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    try:
        with announced_wait(f"source {name!r}: `{command}` runs"):
            done = subprocess.run(words, **how, text=True, errors="replace")
    except OSError as error:
        advice = f"correct sources.{name}.make in params.yaml"
        raise SettingsError(f"source {name!r}: starting {words[:1]}: {error.strerror}; {advice}") from None
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise SourceError(f"source {name!r}: `{command}` ended with exit code {done.returncode}: {last}")


def _swap(scratch: Path, folder: Path) -> None:
    """Put a finished folder in the place of an old one of ours, which is then deleted."""
    if folder.exists():
        os.replace(folder, scratch.with_name("old"))
    os.replace(scratch, folder)


def _linked(name: str, files: list[str], target: Path, *, whole: Path, beside: Sequence[str] = ()) -> Path:
    """Fill a folder, anew each time, with these files of a whole alone, by their names below the folder that
    they share; those `beside` keep their place.
    """
    base = os.path.commonpath([os.path.dirname(file) for file in files])
    places = {file: file for file in beside} | {file: os.path.relpath(file, base or ".") for file in files}
    if not holds_links_alone(target):
        refuse_others(target, f"source {name!r}: the folder of links to its files")
    with _aside(target) as scratch:
        for file, inside in places.items():
            target_file = scratch / inside
            target_file.parent.mkdir(parents=True, exist_ok=True)
            try:
                target_file.symlink_to((whole / file).resolve())
            except OSError:  # where links are not allowed
                shutil.copyfile(whole / file, target_file)
        if not holds_links_alone(scratch):
            (scratch / SENTINEL).write_text("links", "utf-8")
        _swap(scratch, target)
    return target
