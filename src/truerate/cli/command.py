"""The command line, made from commands.yaml: a parser per command, and the function that runs it."""

import argparse
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import Any, NoReturn

import truerate
from truerate.core.data_files import read_data
from truerate.core.errors import meant
from truerate.core.process.project import project_of

COMMANDS = Path(__file__).with_name("commands.yaml")
WORDS: dict[str, Any] = read_data(Path(__file__).with_name("words.yaml"), dict)  # of reports
FILES = ("FILE", "FOLDER", "PREFIX")  # how commands.yaml marks an argument as a path
OR_FOLDER = "NAME|FOLDER"  # one that is a path where such a folder is there
NO_FILES = ("-", "hub:")  # how a value begins that is no path, though the argument may be one
TYPES: Mapping[str, Callable[[str], Any]] = {"int": int, "float": float}
RUNS: dict[str, Callable[[argparse.Namespace], int | None]] = {}  # by the words of a command


class _Parser(argparse.ArgumentParser):
    """A command line whose mistakes are one line and exit code 2; an unknown word offers the nearest."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} ({self.prog} --help)\n")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            listed = getattr(action, "_choices_actions", None)  # of commands: those with a line of help
            allowed = (
                [choice.dest for choice in listed] if listed else [str(choice) for choice in action.choices]
            )
            near = meant(str(value), allowed)
            raise argparse.ArgumentError(action, f"{value!r} is unknown{near}; allowed: {', '.join(allowed)}")


def command(*names: str) -> Callable[[Callable], Callable]:
    """Mark the function that runs the commands of these names, each the words that a person types. It returns
    None, or the exit code.
    """

    def kept(run: Callable) -> Callable:
        RUNS.update(dict.fromkeys(names, run))
        return run

    return kept


def needed_extra(module: str | None) -> str | None:
    """Return what to install for a module that is not there, as a sentence; None where no extra brings it."""
    top = (module or "").partition(".")[0]
    extra = next((extra for extra, modules in WORDS["extras"].items() if top in modules), None)
    return extra and f"pip install 'truerate[{extra}]'"


@contextmanager
def in_project(options: argparse.Namespace) -> Iterator[None]:
    """Work in the folder of `-C`, then in that of the project around it, if any; files that the options name
    stay those of where the command was given.
    """
    with chdir(options.in_folder or "."):
        here = Path.cwd()
        project = project_of(here) or here
        for argument in options.files if project != here else ():
            value = getattr(options, argument.dest)
            if isinstance(value, list):
                setattr(options, argument.dest, [_whole(path, argument) for path in value])
            elif isinstance(value, str) and value not in (argument.default, argument.const):
                setattr(options, argument.dest, _whole(value, argument))
        with chdir(project):
            yield


def _whole(value: str, argument: argparse.Action) -> str:
    """Return the absolute path of a file that an argument names; a value that is no path as it is."""
    is_path = argument.metavar != OR_FOLDER or os.path.isdir(value)
    return os.path.abspath(value) if is_path and not value.startswith(NO_FILES) else value


def layout():
    """The layout of the settings in this folder."""
    from truerate.config.layout import Layout

    return Layout.load()


def parser() -> argparse.ArgumentParser:
    """The command line: reading commands first, then the steps of the build."""
    about = "Benchmarks of LLM hallucination whose numbers can be believed."
    top = _Parser(prog="truerate", description=about)
    top.add_argument("--version", action="version", version=f"truerate {truerate.__version__}")
    top.add_argument(
        "-C", dest="in_folder", metavar="FOLDER", help="work in that folder, or the project around it"
    )
    commands = top.add_subparsers(metavar="COMMAND", dest="command", required=True)
    for name, entry in read_data(COMMANDS, dict.items):
        if "commands" not in entry:
            _add(commands, name, name, entry)
            continue
        group = commands.add_parser(name, help=entry["help"]).add_subparsers(required=True, metavar="WHAT")
        for what, inner in entry["commands"].items():
            _add(group, what, f"{name} {what}", inner)
    return top


def _add(commands: Any, name: str, words: str, entry: Mapping[str, Any]) -> None:
    """Add one command as commands.yaml has it; one without a line of help is not listed."""
    parser = commands.add_parser(
        name, description=entry.get("help"), **{"help": entry["help"]} if "help" in entry else {}
    )
    files = [parser.add_argument(argument) for argument in entry.get("files", ())]
    for argument in entry.get("names", ()):
        parser.add_argument(argument)
    if entry.get("json"):
        parser.add_argument("--json", action="store_true", help="print JSON for programs")
    for argument, how in entry.get("arguments", {}).items():
        names = argument.split(" ")  # an option by several names
        action = parser.add_argument(*names, **how | ({"type": TYPES[how["type"]]} if "type" in how else {}))
        files += [action] if action.metavar in (*FILES, OR_FOLDER) else []
    parser.set_defaults(run=RUNS[words], files=files)
