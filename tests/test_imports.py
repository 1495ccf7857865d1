"""The arrows of the house: what each room may import of truerate."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SRC = Path(__file__).parents[1] / "src"
GROUND = [
    *("errors", "lenient", "terminal", "display", "hiding", "onehost", "params", "keys", "layout", "places", "schemas", "text", "tags"),
    "networks",
]
ALLOWED = {
    "llm": {*GROUND, "llm"},
    "web": {*GROUND, "web"},
    "sources": {*GROUND, "sources"},
    "metrics": {"errors", "networks", "metrics"},
    "tracks": {*GROUND, "llm", "web", "metrics", "sources"},
    "detectors": {*GROUND, "llm", "metrics", "detectors"},
    "leaderboard": {*GROUND, "metrics", "leaderboard"},
    "site": {*GROUND, "rights", "site"},
    "hub": {*GROUND, "rights", "hub"},
}
# What `keys` needs before params is read stands first; each ground module sees those before it alone.
ORDER = [
    *("errors", "text", "lenient", "terminal", "display", "hiding", "onehost", "keys", "mistakes", "params", "settings"),
    *("layout", "schemas", "products", "places", "tags", "networks", "rights"),
]


def imported(path: Path) -> set[str]:
    """The dotted modules of truerate that a file names in imports, at any depth."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} if node.module != "truerate" else {f"truerate.{alias.name}" for alias in node.names}
    return {name for name in found if name.split(".")[0] in ("truerate", "truerate_world")}


@pytest.mark.parametrize("room", ALLOWED)
def test_rooms_import_only_what_stands_before_them(room):
    for path in (SRC / "truerate" / room).rglob("*.py"):
        names = {name.split(".")[1] for name in imported(path) if name.startswith("truerate.")}
        assert names <= ALLOWED[room] | {room}, path


def test_ground_modules_see_only_those_before_them():
    for place, module in enumerate(ORDER):
        place_of = SRC / "truerate" / module
        files = list(place_of.glob("*.py")) or [place_of.with_suffix(".py")]
        names = {name.split(".")[1] for path in files for name in imported(path)}
        assert names <= {*ORDER[:place], *([module] if place_of.is_dir() else [])}, module


def test_tracks_never_import_one_another():
    for path in (SRC / "truerate" / "tracks").rglob("*.py"):
        track = path.relative_to(SRC / "truerate" / "tracks").parts[0]
        others = {name for name in imported(path) if name.startswith("truerate.tracks.") and name.split(".")[2] != track}
        assert not others, path


def test_nothing_in_truerate_names_the_closed_world():
    files = [path for path in (SRC / "truerate").rglob("*") if path.suffix in (".py", ".j2")]
    assert not [path for path in files if "truerate_world" in path.read_text("utf-8")]


@pytest.mark.parametrize(
    ("modules", "heavy"),
    [
        ("truerate.flow, truerate.tracks.wildhallucinations.scratch", ["torch", "pandera", "pandas", "trafilatura", "numpy", "scipy"]),
        ("truerate.flow, truerate.tracks.halueval.scratch", ["torch", "pandera", "pandas", "numpy"]),
        ("truerate.flow, truerate.tracks.mfava.scratch", ["torch", "pandera", "pandas", "numpy", "py3langid"]),
        ("truerate.flow.check_names, truerate.detectors, truerate.detectors.tokens", ["torch", "transformers", "pandera"]),
    ],
)
def test_a_step_does_not_wait_for_what_it_does_not_use(modules, heavy):
    code = f"import sys, {modules}; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
