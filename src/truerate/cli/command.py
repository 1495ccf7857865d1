"""The command line, made from commands.yaml: a parser per command, and the function that runs it."""

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from truerate.core.data_files import read_data

COMMANDS = Path(__file__).with_name("commands.yaml")
WORDS: dict[str, Any] = read_data(Path(__file__).with_name("words.yaml"), dict)  # of reports
TYPES: Mapping[str, Callable[[str], Any]] = {"int": int, "float": float}
RUNS: dict[str, Callable[[argparse.Namespace], int | None]] = {}  # by the words of a command


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


def layout():
    """The layout of the settings in this folder."""
    from truerate.config.layout import Layout

    return Layout.load()


def parser() -> argparse.ArgumentParser:
    """The command line: reading commands first, then the steps of the build."""
    about = "Benchmarks of LLM hallucination whose numbers can be believed."
    top = argparse.ArgumentParser(prog="truerate", description=about)
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
    for argument in entry.get("names", ()):
        parser.add_argument(argument)
    if entry.get("json"):
        parser.add_argument("--json", action="store_true", help="print JSON for programs")
    for argument, how in entry.get("arguments", {}).items():
        names = argument.split(" ")  # an option by several names
        parser.add_argument(*names, **how | ({"type": TYPES[how["type"]]} if "type" in how else {}))
    parser.set_defaults(run=RUNS[words])
