"""What every command is made of: a parser with a function behind it, and the settings that it works on."""

import argparse
from collections.abc import Callable


def add(
    commands, name: str, help_text: str | None, run: Callable, *arguments: str, json: bool = False
) -> argparse.ArgumentParser:
    """One command whose positional arguments are handed to `run` through the options. Steps stand without a
    line in --help.
    """
    extra = {"help": help_text} if help_text else {}
    command = commands.add_parser(name, description=help_text, **extra)
    for argument in arguments:
        command.add_argument(argument)
    if json:
        command.add_argument("--json", action="store_true", help="print JSON for programs")
    command.set_defaults(run=run)
    return command


def layout():
    """The layout of the settings in this folder."""
    from truerate.config.layout import Layout

    return Layout.load()
