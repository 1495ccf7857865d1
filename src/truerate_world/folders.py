"""The folders of the closed world, one per protocol, found by name: what each offers is a module of its own.

`models/simulated_model` (which prompts are its own and what a model answers), `models/temperature`
(`asked_at`: its models are told at which temperature a reply is asked for), `models/site` (the pages of the
web that it needs), `breaks` and `broken_web` (what breaks that web on demand, by name, and the web so
broken), `commands` (sub-commands that write its sources) and `steps` (labels as people return them, and the
planted truth). Each is optional.
"""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

PARTS = ("models", "commands.py", "steps.py")


def tracks() -> list[str]:
    """The protocols that have a folder here, by name."""
    here = Path(__file__).parent
    return sorted({path.parent.name for part in PARTS for path in here.glob(f"*/{part}")})


def part_of(track: str, part: str) -> ModuleType | None:
    """A part of a protocol's folder; None where the protocol has no folder, or the folder not that part."""
    package = __package__
    for name in (track, *part.split(".")):
        package = f"{package}.{name}"
        if find_spec(package) is None:
            return None
    return import_module(package)
