"""Arguments that several commands of the closed world share."""

import argparse


def add_world(command: argparse.ArgumentParser) -> None:
    """Add what says which world it is: its seed and its languages."""
    command.add_argument("--seed", type=int, default=7)
    command.add_argument(
        "--languages",
        type=lambda text: tuple(text.split(",")),
        default=("en",),
        help="comma-joined, as in en,de",
    )
