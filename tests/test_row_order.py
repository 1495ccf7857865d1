"""Order of rows and last digits: the same on every run and any number of threads."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cases import case_table

CASES = case_table(__file__)

SRC = Path(__file__).parents[1] / "src" / "truerate"
# What a name may be looked up in, whatever its order.
UNORDERED = {"is_in", "set", "sorted", "len", "frozenset"}
# Polars' aggregates of floats depend on threads; of truth values and whole numbers they are exact.
EXACT = CASES["exact"]
# Functions that take the first or last row of a group without a sort of their own.
FIRST_OF_EQUALS = {("metrics/cells.py", "moments")}  # columns that are constant within a cluster
AS_A_SET = ("sort", "height", "implode")
INEXACT = ("sum", "mean", "dot", "std", "var")
METHODS = ("join", "group_by", "unique", "agg", "approx_n_unique")
THREADS = ("1", "2", "8")


def calls(source: str) -> Iterator[tuple[ast.Call, list[ast.AST]]]:
    """Each call of one of METHODS with the nodes around it, innermost first."""
    if not any(f".{method}(" in source for method in METHODS):
        return
    tree = ast.parse(source)
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in METHODS:
            around = []
            while (above := parents.get(around[-1] if around else node)) is not None:
                around.append(above)
            yield node, around


def is_lookup(around: list[ast.AST]) -> bool:
    """Whether what is around a value only asks what is in it."""
    names = {
        getattr(node.func, "attr", getattr(node.func, "id", ""))
        for node in around
        if isinstance(node, ast.Call)
    }
    return bool(names & UNORDERED) or any(isinstance(node, ast.Set | ast.SetComp) for node in around)


def is_counted(around: list[ast.AST]) -> bool:
    """Whether a `group_by` is followed by `len` and then by `sort` or `dict`."""
    names = [node.attr for node in around if isinstance(node, ast.Attribute)]
    is_dict = any(isinstance(node, ast.Call) and getattr(node.func, "id", "") == "dict" for node in around)
    return names[:1] == ["len"] and (names[1:2] == ["sort"] or is_dict)


def faults(source: str, name: str = "") -> list[str]:
    """The calls of a module's text whose result may differ between runs, as `line: method`."""
    found = []
    for call, around in calls(source):
        method, settings = call.func.attr, {word.arg for word in call.keywords}
        after = around[0].attr if isinstance(around[0], ast.Attribute) else ""
        is_ordered = "maintain_order" in settings
        if getattr(call.func.value, "id", "") == "np":
            continue
        if method == "join":
            is_fault = bool(settings & {"on", "left_on", "how"}) and not is_ordered
        elif method == "group_by":
            is_fault = not is_ordered and not is_counted(around)
        elif method == "unique" and call.args:
            is_fault = not is_ordered or "keep" not in settings
        elif method == "unique":
            is_fault = not is_ordered and after not in AS_A_SET and not is_lookup(around)
        else:
            is_fault = method == "approx_n_unique"
        if is_fault:
            found.append(f"{call.lineno}: {method}")
        if method == "agg" and name not in EXACT:
            values = [*call.args, *(word.value for word in call.keywords)]
            inner = [node for value in values for node in ast.walk(value) if isinstance(node, ast.Attribute)]
            found += [f"{node.end_lineno}: {node.attr}" for node in inner if node.attr in INEXACT]
    return found


def unsorted_firsts(source: str) -> set[str]:
    """The functions that take the first or last row of each group and sort nothing."""
    found = set()
    if ".group_by(" not in source:
        return found
    for function in ast.walk(ast.parse(source)):
        if isinstance(function, ast.FunctionDef):
            used = {node.attr for node in ast.walk(function) if isinstance(node, ast.Attribute)}
            if (
                "group_by" in used
                and used & {"first", "last", "head", "tail"}
                and not used & {"sort", "sort_by"}
            ):
                found.add(function.name)
    return found


def test_no_result_depends_on_threads():
    sources = {
        path.relative_to(SRC).as_posix(): path.read_text("utf-8") for path in sorted(SRC.rglob("*.py"))
    }
    found = {name: faults(source, name) for name, source in sources.items()}
    assert {name: lines for name, lines in found.items() if lines} == {}
    firsts = {(name, each) for name, source in sources.items() for each in unsorted_firsts(source)}
    assert firsts == set(FIRST_OF_EQUALS)


@pytest.mark.parametrize(("line", "n"), CASES["what_the_reading_finds"])
def test_what_the_reading_finds(line, n):
    assert len(faults(line)) == n


TABLES = """
import hashlib, sys
import numpy as np, polars as pl
from truerate.core.aggregates import average, total
from truerate.metrics.cells import mean_of, moments, product_cells, ratio_cells
from truerate.metrics.recognition import counted

n, n_tries = int(sys.argv[1]), int(sys.argv[2])
rng = np.random.default_rng(0)
rows = pl.DataFrame({
    "subject": rng.integers(0, 7, n).astype(str), "group_id": rng.integers(0, n // 3, n).astype(str),
    "score": rng.random(n) * 10.0 ** rng.integers(-6, 6, n), "share": rng.random(n),
    "verdict": rng.random(n) < 0.4, "is_hallucinated": rng.random(n) < 0.5, "status": ["ok"] * n,
})
ratios = {name: mean_of(name) for name in ("score", "share")}
products = {"both": ("share", "score")}


def tables():
    by = ["subject"]
    sums = moments(rows, ratios, by=by, cluster=["subject", "group_id"], products=products)
    yield sums
    yield ratio_cells(sums, list(ratios), by=by, confidence=0.95, is_share=False)
    yield product_cells(sums, products, by=by, confidence=0.95)
    yield counted(rows, by)
    values = pl.col("score")
    yield rows.group_by(by, maintain_order=True).agg(total(values), mean=average(values))
    yield rows.lazy().group_by("group_id", maintain_order=True).agg(total(values)).collect()


for _ in range(n_tries):
    print(hashlib.sha256("".join(table.write_json() for table in tables()).encode()).hexdigest())
"""


def test_tables_have_the_same_bytes_on_any_number_of_threads():
    """The larger size: as many texts as the largest of the four papers judges."""
    for n, n_tries in ((900, 10), (141_480, 4)):
        assert len({line for threads in THREADS for line in digests(n, threads, n_tries=n_tries)}) == 1


def digests(n: int, threads: str, *, n_tries: int) -> list[str]:
    """Digests of `TABLES` over `n` rows in a process of so many threads."""
    ended = subprocess.run(
        [sys.executable, "-c", TABLES, str(n), str(n_tries)],
        env=os.environ | {"POLARS_MAX_THREADS": threads},
        capture_output=True,
        text=True,
        check=True,
    )
    return ended.stdout.split()
