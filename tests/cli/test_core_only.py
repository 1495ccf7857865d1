"""truerate with its core dependencies alone: what works, what names the extra to install, what the wheel holds."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from house import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
EXTRAS = yaml.safe_load((ROOT / "src/truerate/cli/words.yaml").read_text("utf-8"))["extras"]
COMMANDS = yaml.safe_load((ROOT / "src/truerate/cli/commands.yaml").read_text("utf-8"))
# a module whose name is not that of its distribution
DISTRIBUTIONS = {"material": "mkdocs-material", "ruamel": "ruamel.yaml.clib", "sklearn": "scikit-learn"}
BELOW = {"lxml", "safetensors", "tokenizers"}  # come with another distribution of the same extra
# runs each line of stdin as a command, in one process from which the modules of `sys.argv` are hidden
RUNNER = """
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout
from importlib.abc import MetaPathFinder

class Hidden(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in sys.argv:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hidden())
from truerate.cli import main

for line in sys.stdin.read().splitlines():
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = main(line.split())
        except SystemExit as end:
            code = end.code
    print(json.dumps([line, code, out.getvalue(), err.getvalue()]))
"""
WORKS = [
    "rate a.jsonl",
    "check --reference r.txt --answer r.txt",
    "label draw a.jsonl --n 2",
    "sources --readers",
    "doctor",
    "completion bash",
    "--version",
    "init begun",
    "verify release",
]
DETECT, BUILD = "truerate[detect]", "truerate[build]"
STATEMENT = {
    "_type": "https://in-toto.io/Statement/v1",
    "predicateType": "https://slsa.dev/provenance/v1",
    "subject": [],
}
NEEDS = {
    "rate a.jsonl --detector .": DETECT,
    "check --reference r.txt --answer r.txt --detector org/name": DETECT,
    "serve-judge . --port 1": DETECT,
    "fetch-articles to --contact a@example.org": BUILD,
    "publish b --to org/name": DETECT,
    "verify release --key r.txt": "truerate[verify]",
}


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """Exit code, output and errors by command: those above, and every listed one as far as its line of help."""
    folder = tmp_path_factory.mktemp("empty")
    row = {"answer": "The dam was built in 1931.", "reference": "The dam was built in 1913.", "question": "?"}
    rows = [row | {"id": f"a{i}"} for i in range(4)]
    (folder / "a.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    (folder / "r.txt").write_text("The dam was built in 1913.", "utf-8")
    (folder / "release").mkdir()
    (folder / "release/provenance.intoto.jsonl").write_text(json.dumps(STATEMENT), "utf-8")
    plain = [f"{name} --help" for name, entry in COMMANDS.items() if "help" in entry]
    lines = [*WORKS, *NEEDS, *plain]
    hidden = [module for modules in EXTRAS.values() for module in modules]
    done = subprocess.run(
        [sys.executable, "-c", RUNNER, *hidden],
        input="\n".join(lines),
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    results = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line for line, *_ in results] == lines
    return {line: rest for line, *rest in results}


def test_the_core_rates_draws_labels_and_explains_itself(ran):
    for line in [*WORKS, *(line for line in ran if line.endswith("--help"))]:
        code, out, err = ran[line]
        assert code == 0 and out and "Traceback" not in err, (line, err)


@pytest.mark.parametrize("line", NEEDS)
def test_a_command_that_lacks_an_extra_names_it_in_one_line(ran, line):
    code, out, err = ran[line]
    assert (code, out) == (2, "")
    assert re.fullmatch(
        rf".* needs \w+, which is not installed: pip install '{re.escape(NEEDS[line])}'\n", err
    ), err


def test_each_extra_names_the_modules_that_it_brings():
    for extra, modules in EXTRAS.items():
        declared = {
            re.split(r"[<>=;\[ ]", need)[0]
            for need in PROJECT["project"]["optional-dependencies"][extra]
            if not need.startswith("truerate")
        }
        named = {
            DISTRIBUTIONS.get(module, module.replace("_", "-")) for module in modules if module not in BELOW
        }
        assert declared == named, extra


def test_the_wheel_holds_every_file_of_the_package():
    patterns = PROJECT["tool"]["setuptools"]["package-data"]
    for package, globs in patterns.items():
        folder = ROOT / "src" / package
        shipped = {path for glob in globs for path in folder.glob(glob)}
        files = {path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
        left_out = {
            Path(path).relative_to(folder) for path in files - shipped if path.suffix not in (".py", ".pyc")
        }
        assert not left_out, (package, left_out)
