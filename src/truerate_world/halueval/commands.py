"""The command that writes the sources of the protocol: `write`."""

import argparse
from collections.abc import Callable
from pathlib import Path

from truerate_world.arguments import add_world


def add_commands(add: Callable[..., argparse.ArgumentParser]) -> None:
    """Add the sub-command."""
    command = add(write_sources, "write")
    command.add_argument("folder")
    command.add_argument("--items", type=int, required=True, help="items per task")
    add_world(command)


def write_sources(options: argparse.Namespace) -> None:
    """Fill a folder with the world's seed files in their public formats."""
    from truerate_world.halueval.sources import write

    write(Path(options.folder), options.seed, options.items, options.languages)
