"""The YAML files beside code: facts of a paper and words of pages, in the order in which they are written."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import yaml

from truerate.core.errors import TruerateError

if TYPE_CHECKING:
    from pydantic import ConfigDict

T = TypeVar("T")
RECORD: "ConfigDict" = {"extra": "forbid"}  # of the records that such files hold
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_data(path: Path, build: Callable[[dict[str, Any]], T]) -> T:
    """Return what `build` makes of a YAML file's mapping; TruerateError if absent, no YAML or wrong keys."""
    name = "/".join(path.parts[-3:])
    try:
        values: dict[str, Any] = yaml.load(path.read_text("utf-8"), _Loader)
        return build(values)
    except FileNotFoundError:
        raise TruerateError(f"{name} is not there") from None
    except yaml.YAMLError as error:
        raise TruerateError(f"{name} is no YAML: {' '.join(str(error).split())}") from None
    except ValueError as error:
        from pydantic import ValidationError  # loaded by the files alone that hold its records

        if not isinstance(error, ValidationError):
            raise
        fault = error.errors(include_url=False)[0]
        where = ".".join(map(str, fault["loc"]))
        what = fault["msg"].replace("Input should", "it must")
        raise TruerateError(f"{name}: {where}: {what} (got {str(fault['input'])[:80]!r})") from None
    except (AttributeError, KeyError, TypeError) as error:
        raise TruerateError(f"{name} does not hold what it must: {error}") from None
