"""The command that writes the sources of the protocol: `write-chats`."""

import argparse
from collections.abc import Callable
from pathlib import Path


def add_commands(add: Callable[..., argparse.ArgumentParser]) -> None:
    """Add the sub-command."""
    command = add(write_conversations, "write-chats", languages=False)
    command.add_argument("folder")
    command.add_argument("--chats", type=int, required=True, help="conversations")


def write_conversations(options: argparse.Namespace) -> None:
    """Fill a folder with conversations in WildChat's format."""
    from truerate_world.wildhallucinations.chats import write_chats

    write_chats(Path(options.folder), options.seed, options.chats)
