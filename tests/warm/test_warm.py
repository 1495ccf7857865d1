"""A command that is forked is to whoever runs it the process that it would have been."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.warm import warm

ROOT = Path(__file__).parents[2]
TOLD = """
import os, sys, json
print(json.dumps([sys.argv, os.getcwd(), os.environ.get("GIVEN"), "HOME" in os.environ, sys.path[0], sys.stdin.read()]))
print("aside", file=sys.stderr)
sys.exit(3)
"""


@pytest.fixture
def python() -> str:
    if (found := warm().python) == sys.executable:
        pytest.skip("forked on Linux alone")
    return found


def run(command: list[str], folder: Path, **environment: str) -> tuple[int, str, str]:
    own = {"GIVEN": "ä b", "PATH": os.environ["PATH"]} | environment
    done = subprocess.run(command, cwd=folder, env=own, input="fed", capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def test_what_it_is_given_says_and_returns_is_what_python_would(python, tmp_path):
    asked = ["-c", TOLD, "one", "two words"]
    assert run([python, *asked], tmp_path) == run([sys.executable, *asked], tmp_path)
    code, out, aside = run([python, *asked], tmp_path)
    assert code == 3 and "two words" in out and "fed" in out and aside == "aside\n"


def test_an_error_ends_it_as_it_ends_python(python, tmp_path):
    code, _, aside = run([python, "-c", "1 / 0"], tmp_path)
    assert code == 1 and aside.endswith("ZeroDivisionError: division by zero\n")


def test_it_ends_with_whoever_asked_for_it(python, tmp_path):
    waits = f"import os, time; open({str(tmp_path / 'id')!r}, 'w').write(f'{{os.getpid()}} '); time.sleep(60)"
    asking = subprocess.Popen([python, "-c", waits])
    deadline = time.monotonic() + 60
    while not (place := tmp_path / "id").is_file() or not place.read_text().endswith(" "):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    asking.kill()
    asking.wait()
    child = int(place.read_text())
    while Path(f"/proc/{child}").exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_nothing_of_the_project_is_imported_before(python, tmp_path):
    code = "import sys; print(sorted({'truerate', 'huggingface_hub', 'polars'} & set(sys.modules)))"
    assert run([python, "-c", code], tmp_path)[1] == "['polars']\n"


LENT = """
import sys
is_there = "truerate.core.keys" in sys.modules
from truerate.core import keys
print(is_there, keys.__file__, hasattr(keys, "ADDED"))
"""


def test_a_copy_of_the_project_has_its_modules_at_once_until_a_file_differs(python, tmp_path):
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    file = tmp_path / "src/truerate/core/keys.py"

    def told() -> str:
        return run([python, "-c", LENT], tmp_path, PYTHONPATH=str(tmp_path / "src"))[1]

    assert told() == f"True {file} False\n"
    added = tmp_path / "src/truerate/tracks/one_more.py"
    added.touch()
    assert told() == f"False {file} False\n"
    added.unlink()
    file.write_text(file.read_text("utf-8") + "ADDED = True\n", "utf-8")
    assert told() == f"False {file} True\n"
