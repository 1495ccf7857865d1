"""Tables of cases in YAML files beside the tests; changes of the settings by dotted path."""

from pathlib import Path

import pytest
import yaml


def case_table(test_file: str) -> dict:
    """The cases of a test file, by group: the YAML file of its name beside it."""
    return yaml.safe_load(Path(test_file).with_suffix(".yaml").read_text("utf-8"))


def cases(path: Path, group: str, *fields: str):
    """A test for each case of a group of a file, by its name: the change of settings where a case has one, then
    these fields of it.
    """
    found = yaml.safe_load(path.read_text("utf-8"))[group]
    rows = [
        pytest.param(change_of(case), *(case[field] for field in fields), id=name)
        for name, case in found.items()
    ]
    return pytest.mark.parametrize(("change", *fields), rows)


def change_of(case: dict):
    """A function that changes settings as a case says: `copy` to a path from another, `set` it, `remove` it."""

    def change(params: dict) -> None:
        for path, source in case.get("copy", {}).items():
            put(params, path, at(params, source))
        for path, value in case.get("set", {}).items():
            put(params, path, value)
        for path in case.get("remove", ()):
            holder, name = _holder(params, path)
            del holder[name]

    return change


def put(params: dict, path: str, value: object) -> None:
    """Set the value at a dotted path of settings; a path with slashes holds a name with dots."""
    holder, name = _holder(params, path)
    holder[name] = value


def at(params: dict, path: str) -> object:
    """The value at a dotted path of settings."""
    holder, name = _holder(params, path)
    return holder[name]


def _holder(params: dict, path: str) -> tuple[dict, str]:
    """The mapping that holds the last name of a dotted path, and that name."""
    *above, name = path.split("/", 1) if "/" in path else path.split(".")
    for part in above:
        params = params[part]
    return params, name
