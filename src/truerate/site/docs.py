"""Docstrings as data: what the methods and data pages print, read from the code itself."""

import ast
import inspect
from functools import cache
from pathlib import Path

from truerate.core import schemas


def function_docs(folder: str | Path) -> list[dict]:
    """Return every public function of a folder's modules as `{name, module, doc}`, without importing them."""
    return [
        {"name": name, "module": path.stem, "doc": doc}
        for path in sorted(Path(folder).rglob("*.py"))
        for name, doc in _function_docs(path.read_text("utf-8"))
    ]


@cache  # by the code itself
def _function_docs(code: str) -> tuple[tuple[str, str], ...]:
    """The public functions of one module, each with its docstring, if it has one."""
    return tuple(
        (node.name, doc)
        for node in ast.parse(code).body
        if isinstance(node, ast.FunctionDef)
        and not node.name.startswith("_")
        and (doc := ast.get_docstring(node))
    )


def schema_docs() -> list[dict]:
    """Return every table of `truerate.core.schemas` as `{name, doc, columns: [{name, …}]}`, in order."""
    tables = [
        schema
        for schema in vars(schemas).values()
        if isinstance(schema, type) and issubclass(schema, schemas.Table) and schema is not schemas.Table
    ]
    return [
        {"name": table.__name__, "doc": inspect.getdoc(table) or "", "columns": _columns(table)}
        for table in tables
    ]


def _columns(table: type[schemas.Table]) -> list[dict]:
    return [
        {"name": name, "dtype": _words(str(kind)), "is_nullable": rule.nullable, "rule": _rules(rule)}
        for name, (kind, rule) in table.fields().items()
    ]


def _words(dtype: str) -> str:
    """A type in a reader's words."""
    if dtype.startswith("List(Struct"):
        return "spans" if "start" in dtype else "key–value pairs"
    return {
        "String": "text",
        "Int64": "integer",
        "Float64": "number",
        "Boolean": "true or false",
        "List(String)": "list of text",
    }.get(dtype, dtype)


def _rules(rule: schemas.FieldRules) -> str:
    """Return what the schema checks of a column, in words."""
    checks = [
        "unique" if rule.unique else "",
        f"one of {', '.join(map(str, rule.isin))}" if rule.isin is not None else "",
        f"≥ {rule.ge}" if rule.ge is not None else "",
        f"≤ {rule.le}" if rule.le is not None else "",
    ]
    return "; ".join(filter(None, checks))
