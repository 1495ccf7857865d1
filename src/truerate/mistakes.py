"""Mistakes in params.yaml, in the words of someone who writes YAML: what pydantic found, keys that stand twice, literal secrets."""

import yaml
from pydantic import BaseModel

from truerate.errors import TruerateError, listed

# What pydantic says of its own classes, in the words of someone who writes YAML.
_MAPPING = "must be a mapping of keys to values"
_PLAIN = {"dict_type": _MAPPING, "model_type": _MAPPING, "tuple_type": "must be a list"}
_PLAIN |= {kind: "must not be empty" for kind in ("too_short", "string_too_short")}
_SCALARS = ("float", "int", "str", "bool")  # how pydantic names the ways to read one value; each complains on its own
_N_SHOWN = 80


def said(fault: dict, whole: type[BaseModel], *, file: str) -> str:
    """One mistake as `params.yaml: key: what is wrong (got …); allowed: …`."""
    place = [str(part) for part in fault["loc"] if part != "[key]"]
    if fault["type"] == "extra_forbidden":
        *parents, key = fault["loc"]
        return f"{file}: unknown key {'.'.join(place)!r}; allowed here: {listed(_fields_at(parents, whole))}"
    what = _PLAIN.get(fault["type"], fault["msg"].removeprefix("Value error, "))
    if place and place[-1] in _SCALARS:
        place, what = place[:-1], "must be a number, a text, true or false"
    has_value = fault["type"] != "missing" and not (isinstance(fault["input"], dict) and fault["type"] == "value_error")
    got = f" (got {_shown(fault['input'])})" if has_value else ""
    return f"{file}: {'.'.join(place) or 'the file'}: {what}{got}"


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _N_SHOWN else text[:_N_SHOWN] + "…"


def _fields_at(parents: list, whole: type[BaseModel]) -> list[str]:
    """The keys that the block at this place of the file may hold."""
    block: type[BaseModel] | None = whole
    for part in parents:
        field = block.model_fields.get(str(part)) if block else None
        if field is None:
            continue  # the name of an entry (a model, a board …): its block was found from the mapping's type
        block = _block_in(field.annotation)
    return list(block.model_fields) if block else []


def _block_in(annotation: object) -> type[BaseModel] | None:
    """The settings block inside a field's type (`Block`, `dict[str, Block]`, `Block | None`)."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in getattr(annotation, "__args__", ()) if (found := _block_in(part))), None)


def refuse_secrets(found: dict) -> None:
    """A literal key in a committed file is refused before anything else is said of it."""
    endpoints = found.get("endpoints")
    for name, entry in endpoints.items() if isinstance(endpoints, dict) else ():
        if isinstance(entry, dict) and "api_key" in entry:
            raise TruerateError(
                f"params.yaml: endpoints.{name}.api_key: a literal key is refused; name its environment variable as `api_key_env`"
            )


class OnceOnly(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """Safe YAML in which no key stands twice: the first of the two would be lost without a word. By libyaml where PyYAML holds it."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict:
        """A mapping, its keys checked."""
        seen = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.tag == "tag:yaml.org,2002:merge":
                continue
            if key.value in seen:
                raise yaml.constructor.ConstructorError(None, None, f"key {key.value!r} stands there twice", key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)
