"""Profile laid over params.yaml: what a paper's own build has otherwise, in a file that says nothing else."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from truerate.config import checked
from truerate.config.faults import settings_in
from truerate.core.errors import SettingsError

# Blocks of entries that a profile brings whole; of all others its keys stand over those of params.yaml.
WHOLE = (
    "sources",
    "boards",
    "public_data",
    "published_tables",
    "endpoints",
    "models",
    "detectors",
    "backbones",
)


def with_profile(params: str | Path, profile: str | Path) -> str:
    """params.yaml with a profile laid over it, as YAML. Raises SettingsError for a wrong file or result."""
    if not Path(profile).is_file():
        what = "no such file; name a profile, such as those in profiles/"
        raise SettingsError(f"reading {str(profile)!r}: {what}")
    base, over = settings_in(params), settings_in(profile)
    for path, values in ((params, base), (profile, over)):
        if not isinstance(values, dict):
            raise SettingsError(f"reading {str(path)!r}: it holds no mapping of keys to values")
    values = laid_over(base, over)
    checked(values, Path(profile).name)
    return yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=120)


def laid_over(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """The values of both, `over` first, without settings and sizes of tracks that no board runs any more."""
    values = {**base, **{key: _merged(base.get(key), value, key) for key, value in over.items()}}
    run = [_entries(board).get("track") for board in _entries(values.get("boards")).values()]
    values["tracks"] = _of(run, values.get("tracks", {}))
    if isinstance(sizes := values.get("sizes", {}), dict):
        values["sizes"] = {name: _of(run, tracks) for name, tracks in sizes.items()}
    return values


def _entries(values: object) -> dict[str, Any]:
    """A mapping of settings; an empty one in place of what is none, which `checked` refuses."""
    return values if isinstance(values, dict) else {}


def _of(run: list[Any], tracks: object) -> object:
    """The entries of these tracks; what is no mapping as it is."""
    return {name: of for name, of in tracks.items() if name in run} if isinstance(tracks, dict) else tracks


def _merged(base: object, over: object, key: str = "") -> object:
    if key in WHOLE or not (isinstance(base, dict) and isinstance(over, dict)):
        return over
    return {**base, **{name: _merged(base.get(name), value) for name, value in over.items()}}
