"""Mistakes in params.yaml, in the words of someone who writes YAML: what pydantic found, keys that stand
twice, literal secrets.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import BaseModel
from pydantic_core import ErrorDetails

from truerate.core.errors import SettingsError, closest, listed, meant

# What pydantic says, in the words of someone who writes YAML; {…} are the values that it names.
_MAPPING, _LIST, _WHOLE, _NUMBER = (
    "must be a mapping of keys to values",
    "must be a list",
    "must be a whole number",
    "must be a number",
)
_PLAIN = {
    **dict.fromkeys(("dict_type", "model_type", "mapping_type"), _MAPPING),
    **dict.fromkeys(("tuple_type", "list_type"), _LIST),
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float", "int_parsing_size"), _WHOLE),
    **dict.fromkeys(("float_type", "float_parsing"), _NUMBER),
    **dict.fromkeys(("bool_type", "bool_parsing"), "must be true or false"),
    **dict.fromkeys(("string_type", "string_unicode", "string_sub_type"), "must be text"),
    "finite_number": "must be a number, not infinite",
    "too_short": "must not be empty",
    "string_too_short": "must not be empty",
    "too_long": "must have at most {max_length} entries",
    "string_too_long": "must be at most {max_length} characters long",
    "greater_than_equal": "must be at least {ge:,}",
    "less_than_equal": "must be at most {le:,}",
    "greater_than": "must be above {gt:,}",
    "less_than": "must be below {lt:,}",
    "literal_error": "must be {expected}",
    "invalid_key": "a name must be text: put it in quotes",
    "recursion_loop": "holds itself",
}
NAMED, MAPPED = (
    "by name",
    "by mapping",
)  # the ways of a value that is a name or a mapping, where pydantic tells them
NO_PLACES = ("[key]", NAMED, MAPPED)  # parts of a place that nobody wrote
_SCALARS = (
    "float",
    "int",
    "str",
    "bool",
)  # how pydantic names the ways to read one value; each complains on its own
_N_SHOWN, _N_LINES = 80, 6
_SHAPES = re.compile(
    r"\b(?:(?:sk|pk|rk)[-_][\w\-]{8,}|hf_\w{8,}|gh[opsur]_\w{16,}|xox[abp]-[\w\-]{8,}|AKIA\w{12,}|AIza[\w\-]{20,})"
    r"|\bBearer\s+[^\s'\"]+|[^\s/@:'\"]+:[^\s/@'\"]+@(?=\S)"
)
# how keys end that name an environment variable: where a person put the secret itself, it is not repeated
_SECRET = "_env"


def error_lines(
    faults: Sequence[ErrorDetails], whole: type[BaseModel], *, file: str, text: str = ""
) -> list[str]:
    """The mistakes as lines `params.yaml: key: what is wrong (got …)`, each once; a misspelt key is not
    missing under its right name. `text`: what the file holds, to quote words that YAML reads otherwise.
    """
    root = yaml.compose(text, Loader=_Loader)
    misspelt = {
        path
        for fault in faults
        if fault["type"] == "extra_forbidden" and (path := _right_place(fault, whole))
    }
    broken = {
        tuple(fault["loc"][:-1]) for fault in faults
    }  # a list with a wrong entry is not too short as well
    open_ = [fault for fault in faults if fault["type"] != "missing" or tuple(fault["loc"]) not in misspelt]
    open_ = [fault for fault in open_ if fault["type"] != "too_short" or tuple(fault["loc"]) not in broken]
    by_block: dict[object, list[str]] = {}
    for fault in open_:
        lines = by_block.setdefault(fault["loc"][0] if fault["loc"] else "", [])
        if (line := _line(fault, whole, file, root)) not in lines:
            lines.append(line)
    return [veiled(line) for block, lines in by_block.items() for line in _few(lines, block)]


def veiled(line: str) -> str:
    """A line without what has the shape of a secret: keys of well-known services, `Bearer …`, a user with a
    password before a host.
    """
    return _SHAPES.sub("[key]", line)


def _few(lines: list[str], block: object) -> list[str]:
    """The lines on one block; of many the first, and how many more there are: something else stands in its
    place.
    """
    return (
        lines
        if len(lines) <= _N_LINES
        else [f"{lines[0]}; and {len(lines) - 1} more mistakes below {str(block)!r}"]
    )


def _line(fault: ErrorDetails, whole: type[BaseModel], file: str, root: yaml.Node | None) -> str:
    path = [_short(str(part)) for part in fault["loc"] if part not in NO_PLACES]
    if fault["type"] == "extra_forbidden":
        *parents, key = fault["loc"]
        allowed = fields_at(parents, whole)
        return f"{file}: unknown key {'.'.join(path)!r}{meant(key, allowed)}; allowed here: {listed(allowed)}"
    what = _plain(fault)
    if path and path[-1] in _SCALARS:
        path, what = path[:-1], "must be a number, a text, true or false"
    where = ".".join(path) or "the file"
    if fault["type"] == "missing":
        is_entry = isinstance(fault["loc"][-1], int)
        return (
            f"{file}: {'.'.join(path[:-1])}: has too few entries"
            if is_entry
            else f"{file}: {where}: is required and not there"
        )
    is_hidden = path[-1:] in (["base_url"], ["launch"])  # a password or key may stand in it
    is_hidden |= any(part.endswith(_SECRET) for part in path) or (
        isinstance(fault["input"], dict) and fault["type"] == "value_error"
    )
    got = "" if is_hidden else f" (got {_shown(fault['input'])})"
    is_word = what == _PLAIN["string_type"] and isinstance(fault["input"], bool | int | float | date)
    if is_word and not is_hidden and (written := _written(root, fault["loc"])) is not None:
        got += f': write "{_short(written)}" in quotes'
    return f"{file}: {where}: {what}{got}"


def _written(node: yaml.Node | None, loc: Sequence[int | str]) -> str | None:
    """The word that stands at a place of a file, as it was written there without quotes; None where none does."""
    is_key = loc[-1] == "[key]"
    loc = [part for part in loc if part not in NO_PLACES]
    for depth, part in enumerate(loc, 1):
        if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
        elif isinstance(node, yaml.MappingNode):
            entries = [pair for pair in node.value if part in _keys_of(pair[0])]
            node = entries[0][0 if is_key and depth == len(loc) else 1] if entries else None
        else:
            return None
    return node.value if isinstance(node, yaml.ScalarNode) and not node.style else None


def _keys_of(node: yaml.Node) -> tuple[Any, ...]:
    """How a key may be called in the place of a fault."""
    if not isinstance(node, yaml.ScalarNode):
        return ()
    value = node.value if node.style else yaml.safe_load(node.value)
    return node.value, value, str(value), repr(value)


def _short(text: str) -> str:
    return text if len(text) <= _N_SHOWN else text[:_N_SHOWN] + "…"


def _plain(fault: ErrorDetails) -> str:
    """What is wrong with a value, without pydantic's English."""
    if known := _PLAIN.get(fault["type"]):
        more = (
            meant(fault["input"], _words(fault["ctx"]["expected"]))
            if fault["type"] == "literal_error" and isinstance(fault["input"], str)
            else ""
        )
        return known.format(**fault.get("ctx", {})) + more
    return str(fault["msg"]).removeprefix("Value error, ").replace("Input should be", "must be")


def _words(expected: str) -> list[str]:
    """The allowed words in pydantic's "'demo' or 'full'"."""
    return expected.split("'")[1::2]


def _shown(value: object) -> str:
    """A value as a line can show it: what is written there where it is one value; what lies inside of others
    may be a secret.
    """
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list | tuple | set):
        return "an empty list" if not value else f"a list of {len(value)}"
    if value is None:
        return "nothing"
    if not isinstance(value, str | int | float | bool):
        return f"a {type(value).__name__}, {str(value)!r}"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**_N_SHOWN:
        return "a number of many digits"
    text = {True: "true", False: "false"}[value] if isinstance(value, bool) else repr(value)
    return _short(text)


def _right_place(fault: ErrorDetails, whole: type[BaseModel]) -> tuple[int | str, ...] | None:
    """Where a misspelt key should stand."""
    *parents, key = fault["loc"]
    near = closest(key, fields_at(parents, whole))
    return (*parents, near) if near else None


def fields_at(parents: Sequence[int | str], whole: type[BaseModel]) -> list[str]:
    """The keys that the block at this place of the file may hold."""
    block: type[BaseModel] | None = whole
    for part in parents:
        field = block.model_fields.get(str(part)) if block else None
        if field is None:
            continue  # the name of an entry (a model, a board …): its block was found from the mapping's type
        block = block_in(field.annotation)
    return list(block.model_fields) if block else []


def block_in(annotation: object) -> type[BaseModel] | None:
    """The settings block inside a field's type (`Block`, `dict[str, Block]`, `Block | None`), or that of all
    tracks (`ByTrack`).
    """
    if whole := getattr(annotation, "whole", None):
        block: type[BaseModel] = whole()
        return block
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := block_in(part))), None)


def refuse_secrets(settings: Mapping[Any, Any], file: str = "params.yaml") -> None:
    """A literal key in a committed file is refused before anything else is said of it."""
    for path in _literal_keys(settings, ()):
        *where, key = path
        raise SettingsError(
            f"{file}: {'.'.join(path)}: a literal key is refused; name its environment variable as `{key}{_SECRET}`"
        )


def _literal_keys(value: object, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The places of `api_key` in mappings, at any depth."""
    for key, inner in value.items() if isinstance(value, dict) and len(path) < 9 else ():
        here = (*path, str(key))
        if str(key).lower() in ("api_key", "apikey", "authorization"):
            yield here
        yield from _literal_keys(inner, here)


def yaml_fault(error: Exception, file: str) -> str:
    """What stops YAML from reading a file, with its name, line and column."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is not None:
        words = [getattr(error, "context", None), getattr(error, "problem", None)]
        return f"reading {file!r}: not YAML: line {mark.line + 1}, column {mark.column + 1}: {', '.join(filter(None, words))}"
    what = (
        " ".join(str(error).split())
        .replace('in "<unicode string>", ', "")
        .replace('"<unicode string>"', repr(file))
    )
    return f"reading {file!r}: not YAML: {'mappings or lists lie too deep in one another' if isinstance(error, RecursionError) else what}"


_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class OnceOnly(_Loader):  # type: ignore[misc]  # which of the two is known when it runs
    """Safe YAML in which no key stands twice: the first of the two would be lost without a word. By libyaml
    where PyYAML holds it.
    """

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """A mapping, its keys checked."""
        seen = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.tag == "tag:yaml.org,2002:merge":
                continue
            if key.value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"key {key.value!r} stands there twice", key.start_mark
                )
            seen.add(key.value)
        mapping: dict[Any, Any] = super().construct_mapping(node, deep)
        return mapping

    def construct_number(self, node: yaml.ScalarNode) -> int | float:
        """A number as a person reads it: `0123` (83 to YAML 1.1) and `12:30` (750) are refused."""
        is_int = node.tag == "tag:yaml.org,2002:int"
        value: int | float = self.construct_yaml_int(node) if is_int else self.construct_yaml_float(node)
        digits = node.value.lstrip("+-").replace("_", "")
        if ":" in digits or (is_int and len(digits) > 1 and digits[0] == "0" and digits.isdigit()):
            raise yaml.constructor.ConstructorError(
                None,
                None,
                f'YAML reads {node.value} as {value}; write "{node.value}" in quotes, or {value}',
                node.start_mark,
            )
        return value


for _kind in ("int", "float"):
    OnceOnly.add_constructor(f"tag:yaml.org,2002:{_kind}", OnceOnly.construct_number)


def settings_in(path: str | Path) -> Any:
    """What a file of settings holds, as plain values. Raises TruerateError where it cannot be read."""
    path = Path(path)
    try:
        found = yaml.load(path.read_text("utf-8"), Loader=OnceOnly)
    except OSError as error:
        raise SettingsError(
            f"reading {str(path)!r}: {error.strerror}; run truerate in the folder that holds params.yaml"
        ) from None
    except UnicodeDecodeError as error:
        raise SettingsError(
            f"reading {str(path)!r}: not UTF-8 at byte {error.start}; save it as UTF-8"
        ) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # ValueError: a date or number that is none
        raise SettingsError(yaml_fault(error, str(path))) from None
    if isinstance(found, dict):
        refuse_secrets(found, path.name)
    return found
