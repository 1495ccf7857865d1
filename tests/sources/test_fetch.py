"""Where files come from: a folder, or a command that fills it."""

from pathlib import Path

import pytest

from truerate.config import Params, Source
from truerate.config.layout import Layout
from truerate.core.errors import TruerateError
from truerate.sources.hub.fetch import SENTINEL, folder_of

PARAMS = Path(__file__).parents[2] / "params.yaml"
SCRIPT = """
import pathlib, sys
folder, log, *more = sys.argv[1:]
pathlib.Path(folder).mkdir()
pathlib.Path(folder, "made.txt").write_text(" ".join(more))
with open(log, "a") as file: file.write("made\\n")
"""


@pytest.fixture
def at():
    return Layout.load(str(PARAMS))


@pytest.fixture
def maker(tmp_path):
    """A source whose command is a real script that notes each run."""
    script, log = tmp_path / "make.py", tmp_path / "runs.log"
    script.write_text(SCRIPT)
    make = f"python {script} {{path}} {log} --seed {{seed}} --items {{n_items}} --languages {{languages}}"
    source = Source(reader="alpaca", path=str(tmp_path / "world"), make=make, code=(str(script),))
    return source, lambda: log.read_text().count("made") if log.exists() else 0


def test_a_folder_is_taken_as_it_is(tmp_path, at):
    assert folder_of("x", Source(reader="alpaca", path=str(tmp_path)), at) == tmp_path


def test_a_missing_folder_is_one_line(tmp_path, at):
    with pytest.raises(TruerateError, match="no folder .*nowhere.*sources.x.path"):
        folder_of("x", Source(reader="alpaca", path=str(tmp_path / "nowhere")), at)


def test_a_command_fills_the_folder_once(maker, at):
    source, n_runs = maker
    folder = folder_of("x", source, at)
    largest = max(at.p.size["halueval"].model_dump().values())
    assert (folder / "made.txt").read_text() == f"--seed {at.p.seed} --items {largest} --languages en"
    assert folder_of("x", source, at) == folder and n_runs() == 1
    assert sorted(path.name for path in folder.parent.iterdir()) == ["make.py", "runs.log", "world"]


def test_a_value_that_the_command_does_not_name_makes_nothing_again(maker, at):
    """The sizes of a track that comes or goes, and of others, are nothing to it."""
    source, n_runs = maker
    folder_of("x", source, at)
    values = at.p.model_dump(mode="json")
    values["sizes"]["demo"]["mfava"]["silver"] = 777
    folder_of("x", source, Layout(Params.model_validate(values)))
    assert n_runs() == 1
    values["sizes"]["demo"]["halueval"]["general_pool"] = 777
    folder_of("x", source, Layout(Params.model_validate(values)))
    assert n_runs() == 2


def test_other_code_or_another_command_makes_it_again(maker, at):
    source, n_runs = maker
    folder = folder_of("x", source, at)
    (folder / "stale.txt").write_text("of the old world")
    Path(source.code[0]).write_text(SCRIPT + "# changed\n")
    assert not (folder_of("x", source, at) / "stale.txt").exists() and n_runs() == 2
    folder_of("x", source.model_copy(update={"make": source.make + " --more"}), at)
    assert n_runs() == 3


def test_a_failed_command_is_one_line_and_leaves_the_old_folder(maker, at):
    source, _ = maker
    folder = folder_of("x", source, at)
    Path(source.code[0]).write_text("raise SystemExit('no such thing')")
    with pytest.raises(TruerateError, match="ended with exit code 1: no such thing$"):
        folder_of("x", source, at)
    assert (folder / SENTINEL).is_file() and [path.name for path in folder.parent.glob("world*")] == ["world"]


def test_wrong_commands_are_one_line(tmp_path, at):
    path = str(tmp_path / "w")
    with pytest.raises(TruerateError, match=r"allowed: .*\{languages\}, .*\{n_items\}, \{path\}, \{seed\}"):
        folder_of("x", Source(reader="alpaca", path=path, make="python {pth}", code=(str(PARAMS),)), at)
    with pytest.raises(TruerateError, match="No such file"):
        folder_of(
            "x", Source(reader="alpaca", path=path, make="no-such-program {path}", code=(str(PARAMS),)), at
        )
    with pytest.raises(TruerateError, match="wrote no folder"):
        folder_of("x", Source(reader="alpaca", path=path, make="python -c pass", code=(str(PARAMS),)), at)
