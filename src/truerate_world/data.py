"""Data files beside the modules that read them: phrases, names and planted numbers, as YAML."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml


@cache
def beside(module: str) -> dict[str, Any]:
    """Return the mapping in the YAML file beside a module (its `__file__`), every list as a tuple."""
    text = Path(module).with_suffix(".yaml").read_text("utf-8")
    mapping: dict[str, Any] = _frozen(yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
    return mapping


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _frozen(element) for key, element in value.items()}
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
