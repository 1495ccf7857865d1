"""A profile laid over params.yaml: what a paper's own build has otherwise, in a file that says nothing else."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from truerate.config import checked
from truerate.config.yaml_faults import settings_in
from truerate.core.errors import SettingsError

# Blocks of entries that a profile brings whole; of all others its keys stand over those of params.yaml.
WHOLE = ("sources", "boards", "public_data", "endpoints", "models", "detectors", "backbones")


def with_profile(params: str | Path, profile: str | Path) -> str:
    """params.yaml with a profile laid over it, as YAML. Raises TruerateError if either is unreadable or the
    result wrong.
    """
    if not Path(profile).is_file():
        raise SettingsError(
            f"reading {str(profile)!r}: no such file; name a profile, such as those in profiles/"
        )
    base, over = settings_in(params), settings_in(profile)
    for path, found in ((params, base), (profile, over)):
        if not isinstance(found, dict):
            raise SettingsError(f"reading {str(path)!r}: it holds no mapping of keys to values")
    made = laid_over(base, over)
    checked(made, Path(profile).name, text=Path(profile).read_text("utf-8"))
    return yaml.safe_dump(made, sort_keys=False, allow_unicode=True, width=120)


def laid_over(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """The values of both, those of `over` first, without settings and sizes of tracks that no board runs any more."""
    made = {**base, **{key: _merged(base.get(key), value, key) for key, value in over.items()}}
    run = {board.get("track") for board in made.get("boards", {}).values()}
    made["tracks"] = {name: one for name, one in made.get("tracks", {}).items() if name in run}
    made["sizes"] = {
        name: {track: size for track, size in sizes.items() if track in run}
        for name, sizes in made.get("sizes", {}).items()
    }
    return made


def _merged(base: object, over: object, key: str = "") -> object:
    if key in WHOLE or not (isinstance(base, dict) and isinstance(over, dict)):
        return over
    return {**base, **{name: _merged(base.get(name), value) for name, value in over.items()}}
