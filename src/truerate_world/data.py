"""Data files beside the modules that read them: phrases, names and planted numbers, as YAML."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@cache
def beside(module: str) -> dict[str, Any]:
    """Return the mapping in the YAML file beside a module (its `__file__`), every list as a tuple."""
    return read_mapping(Path(module).with_suffix(".yaml"))


def read_mapping(path: Path) -> dict[str, Any]:
    """Return the mapping in a YAML file, every list as a tuple."""
    return {key: _frozen(value) for key, value in yaml.load(path.read_text("utf-8"), _LOADER).items()}


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _frozen(element) for key, element in value.items()}
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
