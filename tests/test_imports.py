"""The arrows of the house: what each room may import of truerate."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cases import case_table

CASES = case_table(__file__)

SRC = Path(__file__).parents[1] / "src"
# Of each room, in the order in which they stand on one another: the rooms that it may import besides itself.
ROOMS = CASES["rooms"]


def imported(path: Path) -> set[str]:
    """The dotted modules of truerate that a file names in imports, at any depth."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= (
                {node.module}
                if node.module != "truerate"
                else {f"truerate.{alias.name}" for alias in node.names}
            )
    return {name for name in found if name.split(".")[0] in ("truerate", "truerate_world")}


def test_every_room_stands_in_the_table():
    rooms = {path.name for path in (SRC / "truerate").iterdir() if any(path.glob("*.py"))}
    assert rooms == set(ROOMS)
    assert {path.name for path in (SRC / "truerate").glob("*.py")} == {"__init__.py", "__main__.py"}


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_import_only_what_stands_before_them(room):
    """At any depth, in functions too."""
    for path in (SRC / "truerate" / room).rglob("*.py"):
        names = {name.split(".")[1] for name in imported(path) if name.startswith("truerate.")}
        assert names <= {room, *ROOMS[room].split()}, path


def test_tracks_never_import_one_another():
    """What several of them need stands in a module beside them; `registry` alone names them."""
    beside = [path.stem for path in (SRC / "truerate" / "tracks").glob("*.py")]
    for path in sorted((SRC / "truerate" / "tracks").rglob("*.py")):
        if path.stem == "registry":
            continue
        track = path.relative_to(SRC / "truerate" / "tracks").parts[0]
        others = {
            name
            for name in imported(path)
            if name.startswith("truerate.tracks.") and name.split(".")[2] not in (track, *beside)
        }
        assert not others, path


def test_nothing_in_truerate_names_the_closed_world():
    files = [path for path in (SRC / "truerate").rglob("*") if path.suffix in (".py", ".j2")]
    assert not [path for path in files if "truerate_world" in path.read_text("utf-8")]


@pytest.mark.parametrize(("modules", "heavy"), CASES["a_step_does_not_wait_for_what_it_does_not_use"])
def test_a_step_does_not_wait_for_what_it_does_not_use(modules, heavy):
    code = f"import sys, {modules}; print([name for name in {heavy} if name in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        == "[]\n"
    )


def modules() -> dict[str, Path]:
    """The files of truerate by dotted name."""
    names = {path: path.relative_to(SRC).with_suffix("").parts for path in (SRC / "truerate").rglob("*.py")}
    return {".".join(parts[: -1 if parts[-1] == "__init__" else None]): path for path, parts in names.items()}


def named_in(path: Path) -> set[str]:
    """What a file imports at any depth, in functions too; of `from package import name` both the package,
    whose `__init__` runs, and the name. Imports for type checkers alone never run and are left out.
    """
    tree = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: write whole names in imports"
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def test_no_module_imports_itself_by_way_of_others():
    files = modules()
    needs = {name: named_in(path) & files.keys() - {name} for name, path in files.items()}
    circle = set(files)
    # peel off what imports nothing of the rest, and what nothing of the rest imports, until nothing is left
    while circle != (inner := {name for name in circle if needs[name] & circle} & _needed(needs, circle)):
        circle = inner
    assert not {name: sorted(needs[name] & circle) for name in circle}


def _needed(needs: dict[str, set[str]], within: set[str]) -> set[str]:
    return set().union(*(needs[name] for name in within))
