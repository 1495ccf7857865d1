"""What a source was when its tables were made, beside the build's outputs: what changed since then can be
named.

DVC watches what lies below `inputs`; files elsewhere are compared by `truerate build`, `plan` and `sources`
alone.
"""

import hashlib
from pathlib import Path
from typing import Any

from truerate.config.layout import Layout
from truerate.config.stage_settings import Stage
from truerate.core.keys import digest, files
from truerate.core.schemas import read_json
from truerate.pipeline.guard import watched_by, write_json

SETTINGS = "its settings in params.yaml"
OF_ALL = ("languages", "seed", "on_bad_row")  # settings that decide the tables of every source


def state_of(config: Layout, name: str) -> dict[str, Any]:
    """Return what decides a source's tables: digest of settings; size, time, SHA-256 of user files."""
    sizes = {file: _size_and_time(Path(file)) for file in _own_files(config, name)}
    files_now = {file: [*stat, _sha256(Path(file))] for file, stat in sizes.items()}
    return {"settings": _settings(config, name), "files": files_now}


def save_state(config: Layout, name: str, state: dict[str, Any]) -> None:
    """Write what a source was when the tables that now lie there were made of it."""
    write_json(config.imported(name), state | {"card": digest(config.source(name, "card.json"))})


def changes(config: Layout, name: str) -> list[str]:
    """Return what changed since a source was imported: files, `SETTINGS`; none if imported elsewhere."""
    card, saved = Path(config.source(name, "card.json")), Path(config.imported(name))
    if not (card.is_file() and saved.is_file()):
        return []
    state = read_json(saved)
    if state["card"] != digest(card):
        return []
    now = _own_files(config, name)
    changed = [f"{file!r} is not there any more" for file in state["files"] if file not in now]
    changed += [f"{file!r} is new" for file in now if file not in state["files"]]
    changed += [
        f"{file!r} has other content" for file in now if not _is_same(Path(file), state["files"].get(file))
    ]
    return ([SETTINGS] if state["settings"] != _settings(config, name) else []) + changed


def change_note(config: Layout, name: str) -> str | None:
    """Return one line on a source that changed since it was imported, with what to do; or None."""
    changed = changes(config, name)
    if not changed:
        return None
    more = f", {len(changed) - 1} more" if len(changed) > 1 else ""
    return f"changed since it was imported ({changed[0]}{more}); run `truerate build sources`"


def change_notes(config: Layout, board: str | None = None) -> list[str]:
    """Return such a line for each source that a board uses; default: that any board uses."""
    names = (
        [config.p.board(board).source, *config.p.track(board).sources()] if board else config.p.used_sources()
    )
    notes = {name: change_note(config, name) for name in names}
    return [f"source {name!r} {note}" for name, note in notes.items() if note]


def with_changed_files(config: Layout) -> list[str]:
    """Return the used sources of which a file changed since they were imported, watched by DVC or not."""
    return [name for name in config.p.used_sources() if set(changes(config, name)) - {SETTINGS}]


def _own_files(config: Layout, name: str) -> list[str]:
    """The files of a source that no command makes and no revision pins."""
    source = config.p.source(name)
    labels = source.answers.labels if source.answers else None
    paths = [path for path in (None if source.make or source.hub else source.path, labels) if path]
    return list(dict.fromkeys(str(file) for path in paths for file in files(Path(path).expanduser())))


def _settings(config: Layout, name: str) -> str:
    watched: dict[str, Any] = watched_by(config, Stage("sources"))
    of_source = {key: watched.get(key, {}).get(name) for key in ("sources", "sizes", "code")}
    return digest(own=of_source, of_all={key: watched[key] for key in OF_ALL})


def _is_same(file: Path, saved: list[Any] | None) -> bool:
    """Return whether a file is what it was; True of a new one. Bytes are read if the time alone differs."""
    if saved is None:
        return True
    size, time = _size_and_time(file)
    return size == saved[0] and (time == saved[1] or _sha256(file) == saved[2])


def _size_and_time(file: Path) -> list[int]:
    state = file.stat()
    return [state.st_size, state.st_mtime_ns]


def _sha256(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
