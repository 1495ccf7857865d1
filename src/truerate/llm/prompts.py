"""Prompt templates: Jinja files of a track, or the user's own in their place, made into chat messages.

A line of the template that reads exactly `=== system ===`, `=== user ===` or `=== assistant ===` starts a
message; the template is cut there before anything is rendered, so that no data can open a turn. Without such
a line the whole is one user message. Values are neutralised where they are put in (`guard`); the filter
`fence` gives them a block of their own. Headings stand in the template.
"""

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from stat import S_ISREG
from typing import Any

from jinja2 import ChoiceLoader, FileSystemLoader, StrictUndefined, Template, TemplateError, meta, nodes
from jinja2.sandbox import SandboxedEnvironment
from markupsafe import Markup

from truerate.core.errors import SettingsError, listed
from truerate.llm import guard

TRACKS = Path(__file__).parents[1] / "tracks"
BESIDE = "authors_"  # before the name of a built-in prompt: other words for it, that are asked beside it
# What a template can raise, by Jinja or by what it computes.
BROKEN = (TemplateError, TypeError, ValueError, ArithmeticError, LookupError, RecursionError)
# Values that are what they were when they were met before, so that what was rendered of them stands.
PLAIN = (str, bool, int, float, tuple, type(None))
PLAIN_TYPES = frozenset(PLAIN)
_ROLE = re.compile(r"^=== (system|user|assistant) ===[ \t]*$", re.MULTILINE)


def render(track: str, name: str, prompts_dir: str | None, **values: object) -> list[dict[str, Any]]:
    """The non-empty messages of a track's prompt: `<prompts_dir>/<track>/<name>.j2`, else the built-in one.
    Raises TruerateError for an absent or broken template, and for a value that is missing or None.
    """
    path, changed = _path(track, name, prompts_dir)
    try:
        parts = _parts(path, changed, track, prompts_dir)
        messages = [{"role": part.role, "content": _text(part, values)} for part in parts]
    except BROKEN as error:
        raise _broken(path, error, f"; given: {', '.join(sorted(values)) or 'none'}") from None
    if not any(message["content"] for message in messages):
        raise SettingsError(
            f"prompt {str(path)!r}: nothing comes out of it; given: {', '.join(sorted(values)) or 'none'}"
        )
    return [message for message in messages if message["content"]]


def check_folder(prompts_dir: str) -> None:
    """Raise TruerateError for a user's template that replaces none or does not compile; `_…` files are for
    inclusion.
    """
    paths = [path for path in sorted(Path(prompts_dir).rglob("*.j2")) if not path.name.startswith("_")]
    if not paths:
        raise SettingsError(
            f"params.yaml: llm.prompts_dir: no template in {prompts_dir!r}; it must hold <track>/<name>.j2, "
            f"or be null"
        )
    for path in paths:
        track = path.parent.name
        names = [path.stem for path in (TRACKS / track / "prompts").glob("*.j2")]
        is_known = path.stem.removeprefix(BESIDE) in names
        if path != Path(prompts_dir) / track / path.name or not is_known or not path.is_file():
            raise SettingsError(
                f"prompt {str(path)!r} replaces none; <track>/<name>.j2 with name one of: {listed(names)}"
            )
        try:
            _parts(path, path.stat().st_mtime_ns, track, prompts_dir)
        except BROKEN as error:
            raise _broken(path, error) from None


def is_there(track: str, name: str, prompts_dir: str | None) -> bool:
    """Return whether a track's prompt has a template, the user's own or a built-in one."""
    return any(path.is_file() for path in _places(track, name, prompts_dir))


def reads(track: str, name: str, prompts_dir: str | None, *values: str) -> bool:
    """Return whether a template reads one of these values; True where one that it includes may. Raises
    TruerateError for an absent or broken template.
    """
    path, changed = _path(track, name, prompts_dir)
    try:
        parts = _parts(path, changed, track, prompts_dir)
    except BROKEN as error:
        raise _broken(path, error) from None
    return any(part.names is None or {*values} & {*part.names} for part in parts)


def compile_built_in(track: str) -> None:
    """Compile the built-in prompts of a track, for all forks of this process."""
    for path in sorted((TRACKS / track / "prompts").glob("[!_]*.j2")):
        _parts(*_path(track, path.stem, None), track, None)


def _broken(path: Path, error: Exception, given: str = "") -> SettingsError:
    """The error of a template that does not compile, or cannot be rendered with what is given."""
    line = f", line {number}" if (number := getattr(error, "lineno", None)) else ""
    what = " ".join(str(getattr(error, "message", None) or error).split())
    return SettingsError(f"prompt {str(path)!r}{line}: {what}{given}")


def _path(track: str, name: str, prompts_dir: str | None) -> tuple[Path, int]:
    """The user's template if there is one, else the built-in one, and when it was changed."""
    paths = _places(track, name, prompts_dir)
    for path in paths:
        with suppress(OSError):
            facts = os.stat(path)
            if S_ISREG(facts.st_mode):
                return path, facts.st_mtime_ns
    raise SettingsError(f"prompt {name!r} of track {track!r}: no file at {' or '.join(map(str, paths))}")


@lru_cache(maxsize=256)
def _places(track: str, name: str, prompts_dir: str | None) -> tuple[Path, ...]:
    return tuple(folder / f"{name}.j2" for folder in _folders(track, prompts_dir))


def _folders(track: str, prompts_dir: str | None) -> list[Path]:
    return [*([Path(prompts_dir) / track] if prompts_dir else []), TRACKS / track / "prompts"]


@dataclass(frozen=True, eq=False)
class Part:
    """One message of a template. `names`: the values that it reads; None where another template may read
    more.
    """

    role: str
    template: Template
    names: tuple[str, ...] | None


def _text(part: Part, values: Mapping[str, object]) -> str:
    """The text of a part. An instruction that thousands of prompts share is rendered once."""
    if part.names is None:
        return part.template.render(**values).strip()
    given = [values.get(name, PLAIN) for name in part.names]
    if not PLAIN_TYPES.issuperset(map(type, given)):
        return part.template.render(**values).strip()
    return _rendered(part, *given)


@lru_cache(maxsize=1024, typed=True)
def _rendered(part: Part, *given: object) -> str:
    """A part of plain values; one that was not given is undefined."""
    values = {name: value for name, value in zip(part.names or (), given, strict=True) if value is not PLAIN}
    return part.template.render(**values).strip()


@lru_cache(maxsize=256)
def _parts(path: Path, _changed: int, track: str, prompts_dir: str | None) -> tuple[Part, ...]:
    """The compiled parts of a template with their roles, read again when the file changes."""
    environment = _environment(track, prompts_dir)
    return tuple(_part(role, source, environment) for role, source in messages_of(path))


def messages_of(path: Path) -> list[tuple[str, str]]:
    """Return role and source of each message of a template. Raises SettingsError for text before the first."""
    opening, *rest = _ROLE.split(path.read_text("utf-8"))
    if not rest:
        return [("user", opening)]
    if re.sub(r"\{#.*?#\}", "", opening, flags=re.DOTALL).strip():
        raise SettingsError(
            f"prompt {str(path)!r}: text before the first role line; allowed there: a Jinja comment"
        )
    return [(role, source.lstrip("\n")) for role, source in zip(rest[::2], rest[1::2], strict=True)]


def _part(role: str, source: str, environment: SandboxedEnvironment) -> Part:
    tree = environment.parse(source)
    reads_others = any(
        True for _ in tree.find_all((nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends))
    )
    names = None if reads_others else tuple(sorted(meta.find_undeclared_variables(tree)))
    return Part(role, environment.from_string(source), names)


@lru_cache(maxsize=16)
def _environment(track: str, prompts_dir: str | None) -> SandboxedEnvironment:
    """A sandbox that neutralises every value on output; autoescape marks the template's own text as safe."""
    environment = SandboxedEnvironment(
        loader=ChoiceLoader([FileSystemLoader(folder) for folder in _folders(track, prompts_dir)]),
        undefined=StrictUndefined,
        finalize=_finalise,
        autoescape=True,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["fence"] = lambda value: Markup(guard.fence(str(_given(value))))
    return environment


def _finalise(value: object) -> Markup:
    return value if isinstance(value, Markup) else Markup(guard.neutralise(str(_given(value))))


def _given(value: object) -> object:
    """The value itself; raises for None, which would stand in the prompt as a word."""
    if value is None:
        raise TemplateError("a value is None")
    return value
