"""How large the code is and how far a reader has to walk in it, counted from the source.

    python benchmarks/house.py [--check] [--write benchmarks/RESULTS.md] [--before REVISION]

Lines of code are those that hold a token other than a comment or a docstring. A module has a static importer if
another module of `src` names it in an import statement, or pyproject.toml as an entry point. A word of WORDS.md counts
where it is the whole name of a function, class, argument, variable or module. The three walks are the file lists of
the guide's page *Architecture*. `--before` counts an older revision beside it. `--check` names each private word, each
module that nothing imports and each folder of more than twenty modules, and fails if there is one.
"""

import argparse
import ast
import io
import re
import subprocess
import sys
import tarfile
import tempfile
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from truerate.results.markers import write_between

ROOT = Path(__file__).parents[1]
PACKAGE, WORLD = Path("src/truerate"), Path("src/truerate_world")
# Words of the house's own that no name may be (WORDS.md, last paragraph).
PRIVATE_WORDS = frozenset(
    "told said own one made found held heard taught known place again ending making thinned real_held learned leaving "
    "seen hiding on_use dictation poles placed levelling".split()
)
GOALS = {
    "`src/truerate`, lines": "55,000",
    "`src/truerate`, lines of code": "38,000",
    "`src/truerate`, files": "420",
    "`src/truerate_world`, lines": "9,000",
    "tests, lines": "50,000",
    "modules without a static importer": "0",
    "modules in the largest folder": "20",
    "words of WORDS.md's last paragraph used as names": "0",
}
_LAYOUT = frozenset(
    (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
)


def code_lines(source: str) -> int:
    """Return the number of lines that hold code: neither blank, nor comment, nor docstring alone."""
    docstrings: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        body = getattr(node, "body", None)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and body:
            first = body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and first.end_lineno:
                docstrings.update(range(first.lineno, first.end_lineno + 1))
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _LAYOUT:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - docstrings)


def names(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield each name that a module binds with its line: functions, classes, arguments, variables, attributes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr, node.lineno


def imports(tree: ast.AST) -> Iterator[str]:
    """Yield the dotted names that a module imports; of `from a import b` both `a` and `a.b`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def not_imported(root: Path, trees: dict[Path, ast.Module]) -> list[str]:
    """Return the modules of the package that no other module and no entry point names, sorted."""
    modules = {
        path: ".".join(path.relative_to(root / "src").with_suffix("").parts)
        for path in trees
        if path.is_relative_to(root / PACKAGE) and not path.name.startswith("__")
    }
    imported = {name for tree in trees.values() for name in imports(tree)}
    entries = set(re.findall(r'"([\w.]+):\w+"', (root / "pyproject.toml").read_text("utf-8")))
    return sorted(name for name in modules.values() if name not in imported | entries)


class House:
    """The source of the tree at `root`: what is measured of it, and which of its rules it breaks."""

    def __init__(self, root: Path):
        self.root = root
        self.sources = {path: path.read_text("utf-8") for path in sorted((root / "src").rglob("*.py"))}
        self.trees = {path: ast.parse(source) for path, source in self.sources.items()}
        self.package = [path for path in self.sources if path.is_relative_to(root / PACKAGE)]

    def private_words(self) -> list[str]:
        """Return `file:line: name` of each name that is one of PRIVATE_WORDS."""
        bound = [(path, name, line) for path, tree in self.trees.items() for name, line in names(tree)]
        bound += [(path, path.stem, 1) for path in self.sources]
        return [
            f"{path.relative_to(self.root)}:{line}: the name '{name}' is a private word (WORDS.md)"
            for path, name, line in bound
            if name.strip("_") in PRIVATE_WORDS
        ]

    def folders(self, paths: Iterable[Path]) -> Counter[Path]:
        """Return the number of modules of each folder, without its `__init__`."""
        return Counter(path.parent.relative_to(self.root) for path in paths if path.name != "__init__.py")

    def measures(self) -> dict[str, int]:
        """Return the measures of GOALS."""
        world = [source for path, source in self.sources.items() if path.is_relative_to(self.root / WORLD)]
        counts = (
            sum(self.sources[path].count("\n") for path in self.package),
            sum(code_lines(self.sources[path]) for path in self.package),
            len(self.package),
            sum(source.count("\n") for source in world),
            sum(path.read_text("utf-8").count("\n") for path in (self.root / "tests").rglob("*.py")),
            len(not_imported(self.root, self.trees)),
            max(self.folders(self.package).values()),
            len(self.private_words()),
        )
        return dict(zip(GOALS, counts, strict=True))

    def faults(self) -> list[str]:
        """Return one line for each rule of the house that the tree breaks: words, importers, folders."""
        alone = [
            f"{name}: no module imports it and no entry point names it"
            for name in not_imported(self.root, self.trees)
        ]
        full = [
            f"{folder}: {n} modules of at most 20"
            for folder, n in self.folders(self.sources).items()
            if n > 20
        ]
        return [*self.private_words(), *alone, *full]


def table(now: dict[str, int], before: dict[str, int] | None = None) -> str:
    """Return the Markdown table of the measures beside their goals."""
    head = ["measure", *(["before"] if before else []), "now", "goal"]
    lines = [f"| {' | '.join(head)} |", f"| --- |{' ---: |' * (len(head) - 1)}"]
    for name, goal in GOALS.items():
        values = [before[name]] if before else []
        lines.append(f"| {name} | {' | '.join(f'{n:,}' for n in (*values, now[name]))} | {goal} |")
    return "\n".join(lines)


def measures_of(revision: str) -> dict[str, int]:
    """Return the measures of a committed revision."""
    command = ["git", "archive", revision, "src", "tests", "pyproject.toml"]
    packed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(folder, filter="data")
        return House(Path(folder)).measures()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--write", metavar="FILE")
    parser.add_argument("--before", metavar="REVISION")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    house = House(ROOT)
    if options.check:
        faults = house.faults()
        print("\n".join(faults) or "words, importers and folders are as they should be")
        return 1 if faults else 0
    text = table(house.measures(), measures_of(options.before) if options.before else None)
    print(text)
    if options.write:
        write_between(Path(options.write), "bench:house", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
