"""The command that writes the sources of the protocol: `write-wiki`."""

import argparse
from collections.abc import Callable
from pathlib import Path

HELD_OUT = "English passages of entities and wordings that training never shows"


def add_commands(add: Callable[..., argparse.ArgumentParser]) -> None:
    """Add the sub-command."""
    command = add(write_wiki, "write-wiki", languages=True)
    command.add_argument("folder")
    command.add_argument("--train", type=int, required=True, help="English training passages")
    command.add_argument("--held-out", type=int, default=0, help=HELD_OUT)
    command.add_argument("--silver", type=int, required=True, help="prompts per language")
    articles = "articles per language that may be asked about"
    command.add_argument("--articles", type=int, required=True, help=articles)


def write_wiki(options: argparse.Namespace) -> None:
    """Fill a folder with the wiki's passages, silver prompts and articles in their public formats."""
    from truerate_world.mfava.sources import write

    sizes = {"n_train": options.train, "n_held_out": options.held_out}
    sizes |= {"n_silver": options.silver, "n_articles": options.articles}
    write(Path(options.folder), options.seed, **sizes, languages=options.languages)
