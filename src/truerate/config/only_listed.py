"""Settings of which one stage may read what `stage_settings.READ` lists for it: any other read raises.

For tests, which set STRICT in the environment: a stage that reads an unlisted setting would not run again when
that setting is edited. In a build of a user's the stages work with the plain settings.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from truerate.config import Params
from truerate.config.stage_settings import Stage, places

STRICT = "TRUERATE_STRICT_READS"
# Read by every stage: where things lie (dvc.yaml names it), and how requests are sent, which decides no row.
FREE = (
    "paths",
    *(
        f"llm.{key}"
        for key in (
            "max_attempts",
            "timeout_s",
            "backoff_s",
            "outage_s",
            "budget_usd",
            "budget_tokens",
            "lease_s",
        )
    ),
)
# What gives names that the places of a stage hold already: which families, models and endpoints a board
# has; and the sizes that a source's command is told, which the file of the stage `sources` holds.
NAMES_ALONE = (
    "families",
    "fitted",
    "teacher",
    "models_of",
    "endpoints_of",
    "judging_models",
    "judging_endpoints",
    "is_model",
    "sizes_told",
    "rules_of_cut",
)


class UnlistedRead(AssertionError):
    """A stage read a setting that its entry in `stage_settings.READ` does not list."""


def only_listed(p: Params, stage: Stage) -> Any:
    """The settings as a stage may read them: a stand-in for Params."""
    return Listed(p, (*FREE, *places(p, stage)), (), f"stage {stage.address!r}")


class Listed:
    """A block or a mapping of settings of which some places may be read."""

    def __init__(self, held: Any, allowed: tuple[str, ...], place: tuple[str, ...], stage: str) -> None:
        self._held, self._allowed, self._place, self._stage = held, allowed, place, stage

    def __getattr__(self, name: str) -> Any:
        if name in NAMES_ALONE:
            return getattr(self._held, name)
        of_class = getattr(type(self._held), name, None)
        if isinstance(of_class, property) and of_class.fget:
            return of_class.fget(self)
        if callable(of_class) and not isinstance(self._held, Mapping):
            return partial(of_class, self)
        if name.startswith("__"):
            raise AttributeError(name)
        if isinstance(self._held, Mapping):  # `items`, `keys`, `values`
            raise self._refused("*")
        return self._inner(name, lambda: getattr(self._held, name))

    def __getitem__(self, key: str) -> object:
        return self._inner(key, lambda: self._held[key])

    def get(self, key: str, default: object = None) -> object:
        """The value under a key of a mapping."""
        return self[key] if key in self else default

    def __iter__(self) -> Iterator[str]:
        raise self._refused("*")

    def __len__(self) -> int:
        raise self._refused("*")

    def __contains__(self, key: object) -> bool:
        self._inner(str(key), lambda: None)
        return key in self._held

    def _inner(self, key: str, read: Callable[[], object]) -> object:
        """The value under a key: whole where it is listed, guarded where only a part of it is."""
        place = (*self._place, key)
        name = ".".join(place)
        if any(name == one or name.startswith(f"{one}.") for one in self._allowed):
            return read()
        if any(one.startswith(f"{name}.") for one in self._allowed):
            return Listed(read(), self._allowed, place, self._stage)
        raise self._refused(key)

    def _refused(self, key: str) -> UnlistedRead:
        place = ".".join((*self._place, key))
        return UnlistedRead(
            f"{self._stage} reads {place!r}, which config/stage_settings.py does not list for it"
        )
