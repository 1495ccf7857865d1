"""Mistakes in params.yaml in plain words: pydantic's errors, keys that stand twice, literal secrets."""

import re
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import BaseModel
from pydantic_core import ErrorDetails

from truerate.core.errors import SettingsError, closest, listed, meant

_MAPPING, _TEXT, _WHOLE = "must be a mapping of keys to values", "must be text", "must be a whole number"
# pydantic's error types in the words of someone who writes YAML; {…} are the values that it names
_PLAIN = {
    **dict.fromkeys(("dict_type", "model_type", "mapping_type"), _MAPPING),
    **dict.fromkeys(("tuple_type", "list_type"), "must be a list"),
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float", "int_parsing_size"), _WHOLE),
    **dict.fromkeys(("float_type", "float_parsing"), "must be a number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "must be true or false"),
    **dict.fromkeys(("string_type", "string_unicode", "string_sub_type"), _TEXT),
    **dict.fromkeys(("too_short", "string_too_short"), "must not be empty"),
    "finite_number": "must be a number, not infinite",
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
NAMED, MAPPED = "by name", "by mapping"  # the tags of a value that is a name or a mapping
NO_PLACES = ("[key]", NAMED, MAPPED)  # parts of a place that nobody wrote
# pydantic's names of the ways to read one value, each with its own error
_SCALARS = ("float", "int", "str", "bool")
_N_SHOWN, _N_LINES = 80, 6
_SHAPES = re.compile(
    r"\b(?:(?:sk|pk|rk)[-_][\w\-]{8,}|hf_\w{8,}|gh[opsur]_\w{16,}|xox[abp]-[\w\-]{8,}|AKIA\w{12,}|AIza[\w\-]{20,})"
    r"|\bBearer\s+[^\s'\"]+|[^\s/@:'\"]+:[^\s/@'\"]+@(?=\S)"
)
_SECRET = "_env"  # how keys end that name an environment variable: a secret put there is not repeated


def error_lines(faults: Sequence[ErrorDetails], whole: type[BaseModel], *, file: str) -> list[str]:
    """The mistakes as lines `params.yaml: key: what is wrong (got …)`, each once, many of one block as one. A
    misspelt key is not missing under its right name; a list with a wrong entry is not too short as well.
    """
    unknown = [fault["loc"] for fault in faults if fault["type"] == "extra_forbidden"]
    misspelt = {(*parents, closest(key, fields_at(parents, whole)) or "") for *parents, key in unknown}
    broken = {tuple(fault["loc"][:-1]) for fault in faults}
    by_block: dict[object, dict[str, None]] = {}
    for fault in faults:
        skipped = {"missing": misspelt, "too_short": broken}.get(fault["type"], ())
        if tuple(fault["loc"]) not in skipped:
            block = fault["loc"][0] if fault["loc"] else ""
            by_block.setdefault(block, {})[_line(fault, whole, file)] = None
    lines = []
    for name, (first, *more) in by_block.items():
        is_many = len(more) >= _N_LINES
        more_lines = f"; and {len(more)} more mistakes below {str(name)!r}"
        lines += [first + more_lines] if is_many else [first, *more]
    return list(map(redact, lines))


def redact(line: str) -> str:
    """A line without what looks like a secret: known services' keys, `Bearer …`, a password before a host."""
    return _SHAPES.sub("[key]", line)


def _line(fault: ErrorDetails, whole: type[BaseModel], file: str) -> str:
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
        if isinstance(fault["loc"][-1], int):
            return f"{file}: {'.'.join(path[:-1])}: has too few entries"
        return f"{file}: {where}: is required and not there"
    value = fault["input"]
    is_hidden = path[-1:] in (["base_url"], ["launch"])  # a password or key may stand in it
    is_hidden |= any(part.endswith(_SECRET) for part in path)
    if is_hidden or (isinstance(value, dict) and fault["type"] == "value_error"):
        return f"{file}: {where}: {what}"
    is_word = what == _TEXT and isinstance(value, bool | int | float | date)
    hint = ": YAML reads it otherwise; write the word in quotes" if is_word else ""
    return f"{file}: {where}: {what} (got {_shown(value)}){hint}"


def _short(text: str) -> str:
    return text if len(text) <= _N_SHOWN else text[:_N_SHOWN] + "…"


def _plain(fault: ErrorDetails) -> str:
    """The error of a value, without pydantic's English."""
    if template := _PLAIN.get(fault["type"]):
        is_word = fault["type"] == "literal_error" and isinstance(fault["input"], str)
        near = meant(fault["input"], fault["ctx"]["expected"].split("'")[1::2]) if is_word else ""
        return template.format(**fault.get("ctx", {})) + near
    return str(fault["msg"]).removeprefix("Value error, ").replace("Input should be", "must be")


def _shown(value: object) -> str:
    """One value as it is written; of others their kind alone, since a secret may lie inside."""
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list | tuple | set):
        return f"a list of {len(value)}" if value else "an empty list"
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) and abs(value) >= 10**_N_SHOWN:
        return "a number of many digits"
    if isinstance(value, str | int | float):
        return _short(repr(value))
    return f"a {type(value).__name__}, {str(value)!r}"


def fields_at(parents: Sequence[int | str], whole: type[BaseModel]) -> list[str]:
    """The keys that the block at this place of the file may hold."""
    block: type[BaseModel] | None = whole
    for (
        part
    ) in parents:  # the name of an entry (a model, a board …) is no field: its block is that of the mapping
        if field := block.model_fields.get(str(part)) if block else None:
            block = block_in(field.annotation)
    return list(block.model_fields) if block else []


def block_in(annotation: object) -> type[BaseModel] | None:
    """The block inside a field's type (`dict[str, Block]`, `Block | None`), or all tracks' (`ByTrack`)."""
    if whole := getattr(annotation, "whole", None):
        block: type[BaseModel] = whole()
        return block
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((inner for part in get_args(annotation) if (inner := block_in(part))), None)


def _literal_keys(value: object, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The places of `api_key` and its like in mappings, at any depth."""
    for key, inner in value.items() if isinstance(value, dict) and len(path) < 9 else ():
        here = (*path, str(key))
        if str(key).lower() in ("api_key", "apikey", "authorization"):
            yield here
        yield from _literal_keys(inner, here)


_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class NoDuplicateKeysLoader(_Loader):  # type: ignore[misc]  # which of the two is known when it runs
    """Safe YAML (by libyaml where PyYAML has it) that refuses a key that stands twice, and numbers that YAML
    1.1 reads otherwise than a person: `0123` (83) and `12:30` (750).
    """

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """A mapping, its keys checked."""
        keys = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.tag == "tag:yaml.org,2002:merge":
                continue
            if key.value in keys:
                what = f"key {key.value!r} stands there twice"
                raise yaml.constructor.ConstructorError(None, None, what, key.start_mark)
            keys.add(key.value)
        mapping: dict[Any, Any] = super().construct_mapping(node, deep)
        return mapping

    def construct_number(self, node: yaml.ScalarNode) -> int | float:
        """A number, its digits checked."""
        is_int = node.tag == "tag:yaml.org,2002:int"
        value: int | float = self.construct_yaml_int(node) if is_int else self.construct_yaml_float(node)
        digits = node.value.lstrip("+-").replace("_", "")
        if ":" in digits or (is_int and len(digits) > 1 and digits[0] == "0" and digits.isdigit()):
            what = f'YAML reads {node.value} as {value}; write "{node.value}" in quotes, or {value}'
            raise yaml.constructor.ConstructorError(None, None, what, node.start_mark)
        return value


for _kind in ("int", "float"):
    NoDuplicateKeysLoader.add_constructor(
        f"tag:yaml.org,2002:{_kind}", NoDuplicateKeysLoader.construct_number
    )


def settings_in(path: str | Path) -> Any:
    """Plain values in a file of settings. Raises SettingsError for an unreadable file or a literal key."""
    path = Path(path)
    try:
        values = yaml.load(path.read_text("utf-8"), Loader=NoDuplicateKeysLoader)
    except OSError as error:
        what = f"{error.strerror}; run truerate in the folder that holds params.yaml"
    except UnicodeDecodeError as error:
        what = f"not UTF-8 at byte {error.start}; save it as UTF-8"
    except RecursionError:
        what = "not YAML: mappings or lists lie too deep in one another"
    except (yaml.YAMLError, ValueError) as error:  # ValueError: a date or number that is none
        what = f"not YAML: {_yaml_fault(error)}"
    else:
        for *above, key in _literal_keys(values):
            hint = f"a literal key is refused; name its environment variable as `{key}{_SECRET}`"
            raise SettingsError(f"{path.name}: {'.'.join((*above, key))}: {hint}")
        return values
    raise SettingsError(f"reading {str(path)!r}: {what}")


def _yaml_fault(error: Exception) -> str:
    """Return what stops YAML from reading a file, with line and column where it tells them."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is None:
        text = " ".join(str(error).split()).replace('in "<unicode string>", ', "")
        return text.replace('"<unicode string>"', "the file")
    words = filter(None, [getattr(error, "context", None), getattr(error, "problem", None)])
    return f"line {mark.line + 1}, column {mark.column + 1}: {', '.join(words)}"
