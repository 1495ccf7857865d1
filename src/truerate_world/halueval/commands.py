"""The command that writes the sources of the protocol: `write`."""

import argparse
from collections.abc import Callable
from pathlib import Path


def add_commands(add: Callable[..., argparse.ArgumentParser]) -> None:
    """Add the sub-command."""
    command = add(write_sources, "write", languages=True)
    command.add_argument("folder")
    command.add_argument("--items", type=int, required=True, help="items per task")


def write_sources(options: argparse.Namespace) -> None:
    """Fill a folder with the world's seed files in their public formats."""
    from truerate_world.halueval.sources import write

    write(Path(options.folder), options.seed, options.items, options.languages)
