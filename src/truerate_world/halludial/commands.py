"""The command that writes the sources of the protocol: `write-dialogues`."""

import argparse
from collections.abc import Callable
from pathlib import Path


def add_commands(add: Callable[..., argparse.ArgumentParser]) -> None:
    """Add the sub-command."""
    command = add(write_dialogues, "write-dialogues", languages=True)
    command.add_argument("folder")
    command.add_argument("--dialogues", type=int, required=True, help="how many dialogues")


def write_dialogues(options: argparse.Namespace) -> None:
    """Fill a folder with dialogues on given knowledge, in FaithDial's format."""
    from truerate_world.halludial.sources import write

    write(Path(options.folder), options.seed, options.dialogues)
