"""The authors' own prompts, read from a clone of their repository and written as templates.

Where the words of a template stand is data of a track (`clone.yaml`). Nothing of a clone is run: its scripts
are parsed (`ast`), and only texts and lists of messages that are put together from texts and names are read.
What was read stands in a template as text alone: no word of it opens a turn or is code of a template.
"""

import ast
import hashlib
import json
import os
import re
import shutil
import string
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
from pydantic.dataclasses import dataclass as record

from truerate.core.data_files import RECORD, read_data
from truerate.core.errors import SettingsError, SourceError, listed
from truerate.core.text import clean
from truerate.llm.guard import has_chat_marks
from truerate.llm.prompts import TRACKS

LONGEST = 4_000  # characters of a licence that is kept, so that its notice can go with the words
LARGEST = 2**18  # bytes of a file of prompts
RECORDED = "imported.json"  # beside the templates: what they were made from, by which they are known again
INSTRUCTION = "instruction"  # the name that stands for the text of a file in the scripts
ROLES = ("system", "user", "assistant")
# what Jinja would take for code; a brace at the end may stand before one of a name
_CODE = re.compile(r"\{(?=[{%#]|\Z)")
_TURN = re.compile(r"^=(?=(?:== )(?:system|user|assistant) ===)", re.MULTILINE)
_LLAMA = re.compile(r"\s*\[INST\]\s*<<SYS>>\s*(.*?)\s*<</SYS>>\s*(.*?)\s*\[/INST\]\s*", re.DOTALL)


@record(frozen=True, config=RECORD)
class Words:
    """Where the words of one template stand: a list of messages in a `script`, known by the names that it is
    made of, or the text of a `constant` there. `names`: what stands for each name in the template.
    `instruction`: the file whose text the name `instruction` stands for; `turns`: in its place, a file of
    messages (JSON lines) that come before.
    """

    script: str
    names: dict[str, str]
    instruction: str | None = None
    turns: str | None = None
    constant: str | None = None

    @property
    def files(self) -> tuple[str, ...]:
        """The files that it is made from."""
        return tuple(path for path in (self.instruction, self.turns, self.script) if path)


@record(frozen=True, config=RECORD)
class Repository:
    """A repository of authors. `marks`: files by which a clone is known; `licence`: its file; `note`: what it
    does not hold, so that our own words stay.
    """

    name: str
    marks: tuple[str, ...]
    note: str
    licence: str = "LICENSE"
    templates: dict[str, Words] = field(default_factory=dict)


class Unread(Exception):
    """Why the words of a template are not there, or are not understood."""


class Piece(NamedTuple):
    """A part of a message: text, or the name of what is put there."""

    text: str
    is_name: bool = False


Messages = list[tuple[str, list[Piece]]]


@dataclass(frozen=True)
class Clone:
    """The files of a clone, each with the digest of what was read."""

    folder: Path
    digests: dict[str, str] = field(default_factory=dict)

    def text(self, path: str) -> str:
        """Return the text of a file. Raises Unread where it is not there or no plain text of a modest size."""
        file = self.folder / path
        if not file.is_file():
            raise Unread(f"{path} is not there")
        if not file.resolve().is_relative_to(self.folder.resolve()):
            raise Unread(f"{path} is a link that leads out of the clone")
        with file.open("rb") as opened:
            content = opened.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise Unread(f"{path} has more than {LARGEST:,} bytes")
        try:
            text = content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
        except UnicodeDecodeError as error:
            raise Unread(f"{path} is no UTF-8 (byte {error.start})") from None
        if clean(text) != text:
            raise Unread(f"{path} holds control characters")
        self.digests[path] = hashlib.sha256(content).hexdigest()
        return text


def repositories() -> dict[str, Repository]:
    """Return the repositories that tracks name, by track."""
    files = sorted(TRACKS.glob("*/clone.yaml"))
    return {file.parent.name: read_data(file, lambda values: Repository(**values)) for file in files}


def import_prompts(clone: str, to: str) -> tuple[pl.DataFrame, list[str]]:
    """Write the templates of a clone to `<to>/<track>/`. Return a row per template (`template`, `from`,
    `sha256` of these files, `result`: imported, or why not) and lines on licence and what stays ours. Raises
    TruerateError for a folder that is no clone of a known repository, one without any of its prompts, and
    a place that holds other files.
    """
    track, repository = _repository(clone)
    read = Clone(Path(clone))
    sources, rows = dict[str, str](), []
    for name, words in repository.templates.items():
        try:
            sources[name], result = _template(read, repository, words), "imported"
        except Unread as why:
            result = f"not imported: {why}"
        digests = " ".join(read.digests.get(path, "–")[:12] for path in words.files)
        rows.append({"template": name, "from": " ".join(words.files), "sha256": digests, "result": result})
    if not sources:
        reason = f"{rows[0]['template']}: {rows[0]['result']}" if rows else repository.note
        raise SourceError(f"{clone!r}: nothing of {repository.name} to import; {reason}")
    licence, notice = _licence(read, repository)
    origin = {"repository": repository.name, "files": read.digests, "licence": licence, "notice": notice}
    _write(Path(to), track, sources, origin)
    notes = [f"licence: {licence}", f"{repository.name}: {repository.note}"]
    return pl.DataFrame(rows), notes


def _repository(clone: str) -> tuple[str, Repository]:
    """The repository of which a folder is a clone, with its track."""
    if not Path(clone).is_dir():
        raise SourceError(f"{clone!r} is no folder; name a clone of one of: {_names()}")
    for track, repository in repositories().items():
        if any((Path(clone) / mark).exists() for mark in repository.marks):
            return track, repository
    marks = listed(mark for repository in repositories().values() for mark in repository.marks)
    what = f"is no clone of a repository whose prompts are known; known: {_names()}; looked for: {marks}"
    raise SourceError(f"{clone!r} {what}")


def _names() -> str:
    return listed(repository.name for repository in repositories().values())


def _licence(read: Clone, repository: Repository) -> tuple[str, str]:
    """How the licence of a clone begins, and its text; empty where there is none or it is long."""
    try:
        text = read.text(repository.licence).strip()
        first = text.partition("\n")[0]
    except Unread as why:
        return f"not stated ({why})", ""
    return f"{first[:80]} ({repository.licence})", text if len(text) <= LONGEST else ""


# ---- what a clone says -------------------------------------------------------------------------------------


def _template(read: Clone, repository: Repository, words: Words) -> str:
    """The source of a template: a comment that names its files, and its messages."""
    script = _parsed(read, words.script)
    messages = _constant(script, words) if words.constant else _listed_messages(script, words)
    if words.turns:
        *before, (role, pieces) = messages
        pieces = [piece for piece in pieces if piece != Piece(INSTRUCTION, is_name=True)]
        messages = [*_turns(read, words.turns), *before, (role, pieces)]
    texts = {INSTRUCTION: read.text(words.instruction)} if words.instruction else {}
    head = "{# " + f"{repository.name}: {', '.join(words.files)}" + " #}\n"
    return head + "\n".join(
        f"=== {role} ===\n{_source(pieces, words.names, texts)}" for role, pieces in messages
    )


def _source(pieces: Iterable[Piece], names: Mapping[str, str], texts: Mapping[str, str]) -> str:
    """A message as source of a template, its own text inert."""
    parts = [Piece(texts[piece.text]) if piece.is_name and piece.text in texts else piece for piece in pieces]
    source, inert = "", ""
    for part in parts:
        if part.is_name:
            source, inert = source + _inert(inert) + "{{ " + names[part.text] + " }}", ""
        else:
            inert += part.text
    return (source + _inert(inert)).strip("\n")


def _inert(text: str) -> str:
    """A text that Jinja and the cut into turns leave as it is. Raises Unread for marks of a chat template."""
    if has_chat_marks(text):
        raise Unread("a text holds marks of a chat template")
    return _TURN.sub('{{ "=" }}', _CODE.sub('{{ "{" }}', text))


def _parsed(read: Clone, path: str) -> ast.Module:
    text = read.text(path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes in texts
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Unread(f"{path} is no Python") from None


def _listed_messages(script: ast.Module, words: Words) -> Messages:
    """The first list of messages in a script that is made of exactly these names."""
    wanted = {*words.names, *([INSTRUCTION] if words.instruction or words.turns else [])}
    faults = []
    for entries in _message_lists(script):
        try:
            messages = [(role, _pieces(content)) for role, content in entries]
        except Unread as why:
            faults.append(str(why))
            continue
        except RecursionError:
            faults.append("a text is nested too deeply")
            continue
        if _names_in(messages) == wanted:
            return messages
    others = f"; of others {faults[0]}" if faults else ""
    raise Unread(f"{words.script} has no list of messages made of {listed(wanted)}{others}")


def _message_lists(script: ast.Module) -> Iterator[list[tuple[str, ast.expr]]]:
    """Role and content of each list of messages in a script, in the order in which they stand."""
    lists = [node for node in ast.walk(script) if isinstance(node, ast.List) and node.elts]
    for node in sorted(lists, key=lambda node: (node.lineno, node.col_offset)):
        entries = [_fields(element) for element in node.elts]
        if all({*fields} == {"role", "content"} for fields in entries):
            roles = [getattr(fields["role"], "value", None) for fields in entries]
            if all(role in ROLES for role in roles):
                yield [(str(role), fields["content"]) for role, fields in zip(roles, entries, strict=True)]


def _fields(node: ast.expr) -> dict[str, ast.expr]:
    if not isinstance(node, ast.Dict):
        return {}
    return {str(getattr(key, "value", "")): value for key, value in zip(node.keys, node.values, strict=True)}


def _pieces(node: ast.expr) -> list[Piece]:
    """The parts of a text: constants, names, sums of them, and strings with names in braces."""
    match node:
        case ast.Constant(value=str(text)):
            return [Piece(text)]
        case ast.Name(id=name) | ast.FormattedValue(value=ast.Name(id=name), conversion=-1, format_spec=None):
            return [Piece(name, is_name=True)]
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _pieces(left) + _pieces(right)
        case ast.JoinedStr(values=values):
            return [piece for value in values for piece in _pieces(value)]
    raise Unread(f"line {node.lineno} holds neither text nor a name ({type(node).__name__})")


def _constant(script: ast.Module, words: Words) -> Messages:
    """The messages of a text in a script, under its name or key; `{name}` in it is a name. The frame of a
    Llama-2 chat is that of its turns.
    """
    for node in ast.walk(script):
        text = _fields(node).get(words.constant or "") if isinstance(node, ast.Dict) else None
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", None) == words.constant:
            text = node.value
        if isinstance(text, ast.Constant) and isinstance(text.value, str):
            framed = _LLAMA.fullmatch(text.value)
            turns = [("system", framed[1]), ("user", framed[2])] if framed else [("user", text.value)]
            messages = [(role, list(_formatted(turn))) for role, turn in turns]
            if _names_in(messages) != {*words.names}:
                raise Unread(
                    f"{words.constant} of {words.script} is made of other names than {listed(words.names)}"
                )
            return messages
    raise Unread(f"{words.script} has no text {words.constant!r}")


def _formatted(text: str) -> Iterator[Piece]:
    try:
        for before, name, spec, conversion in string.Formatter().parse(text):
            yield Piece(before)
            if name is not None:
                yield Piece(name if not spec and not conversion else "", is_name=True)
    except ValueError as error:
        raise Unread(f"a text has braces that name nothing ({error})") from None


def _names_in(messages: Messages) -> set[str]:
    return {piece.text for _, pieces in messages for piece in pieces if piece.is_name}


def _turns(read: Clone, path: str) -> Messages:
    """The messages of a file of JSON lines, as they are."""
    messages: Messages = []
    for number, line in enumerate(read.text(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            turn: Any = json.loads(line)
        except (ValueError, RecursionError):
            raise Unread(f"{path}, line {number}: no JSON") from None
        is_turn = (
            isinstance(turn, dict) and turn.get("role") in ROLES and isinstance(turn.get("content"), str)
        )
        if not is_turn or not turn["content"].strip() or clean(turn["content"]) != turn["content"]:
            raise Unread(f"{path}, line {number}: no message with a role ({', '.join(ROLES)}) and plain text")
        messages.append((turn["role"], [Piece(turn["content"])]))
    if not messages:
        raise Unread(f"{path} holds no message")
    return messages


# ---- the folder of a track ---------------------------------------------------------------------------------


def _write(to: Path, track: str, sources: Mapping[str, str], origin: dict[str, Any]) -> None:
    """Write templates to the folder of a track, which is there whole or as it was."""
    folder, files = to / track, {f"{name}.j2": source.encode() for name, source in sources.items()}
    _refuse_others(folder)
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    files[RECORDED] = (json.dumps(origin | {"templates": digests}, indent=1, sort_keys=True) + "\n").encode()
    scratch, old = (to / f".{track}.{os.getpid()}.{kind}" for kind in ("new", "old"))
    try:
        scratch.mkdir(parents=True)
        for name, content in files.items():
            (scratch / name).write_bytes(content)
        if folder.exists():
            folder.rename(old)
        scratch.rename(folder)
    finally:
        if old.exists() and not folder.exists():
            old.rename(folder)
        for left in (scratch, old):
            shutil.rmtree(left, ignore_errors=True)


def _refuse_others(folder: Path) -> None:
    """Raise SettingsError for a folder that holds anything but what an import wrote."""
    if not os.path.lexists(folder):
        return
    written: Collection[tuple[str, str]] = ()
    try:
        written = json.loads((folder / RECORDED).read_text("utf-8"))["templates"].items()
        others = [
            path.name for path in folder.iterdir() if path.name != RECORDED and not _is_of(path, written)
        ]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        others = [RECORDED + " is lacking"]
    if others or folder.is_symlink():
        raise SettingsError(
            f"{str(folder)!r} is there and holds what no import wrote ({listed(others[:3])}); name another "
            "folder by --to, or move these files away"
        )


def _is_of(path: Path, written: Collection[tuple[str, str]]) -> bool:
    return path.is_file() and (path.name, hashlib.sha256(path.read_bytes()).hexdigest()) in written
