"""Which functions make the numbers that are published, by what refers to what in the code.

The code is read as syntax trees and nothing is imported. What a top-level function, class or constant refers to
by name, it may call; so a number is made by what can be reached from the functions that give a board's tables.
"""

import ast
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from truerate.config.layout import ROOT
from truerate.site.docs import function_docs

# The fields of syntax trees that hold statements, or what holds them (handlers of `try`, cases of `match`).
BODIES = ("body", "orelse", "finalbody", "handlers", "cases")
Name = tuple[str, str]  # dotted module, top-level name in it
ROOMS = ("metrics", "tracks", "leaderboard")
# What a track publishes: its scores, and what they read that it counted before (similarities of responses).
OF_TRACKS = ("exported", "label", "score", "topics")


def published_formulas(root: str | Path = ROOT) -> list[dict]:
    """Name, module and docstring of each public function of `metrics/` behind a published number."""
    names = {(module.rsplit(".", 1)[-1], name) for module, name in published_names(root)}
    return [doc for doc in function_docs(f"{root}/metrics") if (doc["module"], doc["name"]) in names]


def published_names(root: str | Path = ROOT) -> set[Name]:
    """The top-level names of `metrics/`, tracks and leaderboard that published tables depend on."""
    refers = references(root, ROOMS)
    computed = set(_computed_steps(Path(root)))
    return reached(refers, [name for name in refers if _gives_a_table(*name) or name in computed])


def _computed_steps(folder: Path) -> Iterator[Name]:
    """The functions of track steps that need no model (`stand_in`); scores are made from their rows."""
    for path in sorted((folder / "tracks").glob("*/graph.py")):
        try:
            tree = ast.parse(path.read_text("utf-8"))
        except SyntaxError:
            continue
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            if any(keyword.arg == "stand_in" for keyword in call.keywords) and isinstance(
                call.args[0], ast.Constant
            ):
                yield f"{folder.name}.tracks.{path.parent.name}.steps", str(call.args[0].value)


def _gives_a_table(module: str, name: str) -> bool:
    room, *_ = module.split(".")[1:] or [""]
    return name in OF_TRACKS if room == "tracks" else room == "leaderboard"


def reached(refers: Mapping[Name, set[Name]], start: Iterable[Name]) -> set[Name]:
    """All names that the first ones refer to, directly or through others, themselves included."""
    found, waiting = set(), list(start)
    while waiting:
        name = waiting.pop()
        if name in refers and name not in found:
            found.add(name)
            waiting.extend(refers[name])
    return found


def references(root: str | Path, rooms: Iterable[str]) -> dict[Name, set[Name]]:
    """What each top-level function, class and constant of some folders of the package under `root` refers to."""
    folder = Path(root)
    refers: dict[Name, set[Name]] = {}
    for path in sorted(path for room in rooms for path in (folder / room).rglob("*.py")):
        parts = (folder.name, *path.relative_to(folder).with_suffix("").parts)
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        known = _references_in(path.read_text("utf-8"), module)
        refers |= {(module, name): set(named) for name, named in known.items()}
    return refers


@cache  # by the code itself: a process that renders again, or another copy of the package, reads no file twice
def _references_in(code: str, module: str) -> Mapping[str, frozenset[Name]]:
    """The names that each top-level name of a module refers to; none of a broken module of an unused track."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return {}
    imported = _imported(tree)
    own = {name: statement for statement in tree.body for name in _declared(statement)}
    return {name: frozenset(_named_in(statement, module, own, imported)) for name, statement in own.items()}


def _imported(tree: ast.Module) -> dict[str, tuple[str, str]]:
    """What each imported name stands for, wherever in the module it is imported: (module, name in it)."""
    found = {}
    waiting: deque[ast.AST] = deque([tree])
    while waiting:  # as ast.walk goes, but that expressions, which hold no statement, are left out
        node = waiting.popleft()
        waiting += [
            inner for part in BODIES for inner in getattr(node, part, ()) if isinstance(inner, ast.AST)
        ]
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {alias.asname or alias.name: (node.module, alias.name) for alias in node.names}
    return found


def _declared(statement: ast.stmt) -> list[str]:
    """The names that a top-level statement declares."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return [statement.name]
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return [
        node.id
        for target in targets
        if target is not None
        for node in ast.walk(target)
        if isinstance(node, ast.Name)
    ]


def _named_in(
    statement: ast.stmt, module: str, own: Mapping[str, ast.stmt], imported: Mapping[str, tuple[str, str]]
) -> Iterator[Name]:
    """The package's names in a statement: of its module, imported ones, and attributes of modules (`recognition.f1`)."""
    waiting: list[ast.AST] = [statement]
    while waiting:  # in half the time of ast.walk; the order is nothing to a set
        node = waiting.pop()
        for value in vars(node).values():
            if isinstance(value, ast.AST):
                waiting.append(value)
            elif isinstance(value, list):
                waiting += [one for one in value if isinstance(one, ast.AST)]
        if isinstance(node, ast.Name):
            if node.id in own:
                yield module, node.id
            if node.id in imported:
                yield imported[node.id]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id in imported:
                yield ".".join(imported[node.value.id]), node.attr
