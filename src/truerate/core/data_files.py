"""The YAML files that lie beside code: facts of a paper and words of pages, in the order in which they are written."""

from pathlib import Path
from typing import Any

import yaml

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def data_beside(module: str, name: str) -> dict[str, Any]:
    """Return what the YAML file `name` in the folder of a module (`__file__`) holds."""
    values: dict[str, Any] = yaml.load(Path(module).with_name(name).read_text("utf-8"), _Loader)
    return values
