"""params.yaml as frozen models: the one place where names, directories and numbers are read.

Unknown keys, wrong types and names that are declared nowhere end in one line that says what is allowed.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from truerate.config.blocks import Block, Cut, Names, Sampling, Share, Size, Track, Word
from truerate.config.data import (
    Board,
    HubSource,
    PublicData,
    Rights,
    Source,
    Training,
    of_public_data,
)
from truerate.config.detectors import Backbone, Detector, Entailer, Grid, Judging, Published, RateOf
from truerate.config.faults import error_lines, redact, settings_in
from truerate.config.models import Endpoint, Llm, Model
from truerate.config.names import mismatched, undeclared
from truerate.config.params import Audit, Params, Paths, Statistics
from truerate.config.placement import misplaced
from truerate.config.project import completed
from truerate.config.web import Fetch, Search
from truerate.core.errors import SettingsError

__all__ = [
    "Audit", "Backbone", "Block", "Board", "Cut", "Detector", "Endpoint", "Entailer", "Fetch", "Grid", "HubSource",
    "Judging", "Llm", "Model", "Names", "Params", "Paths", "PublicData", "Published", "RateOf", "Rights",
    "Sampling", "Search", "Share", "Size", "Source", "Statistics", "Track", "Training", "Word", "load_params",
]  # fmt: skip


def load_params(path: str | Path = "params.yaml") -> Params:
    """Read and check params.yaml. Raises TruerateError with one line per mistake."""
    return checked(completed(settings_in(path)), Path(path).name)


def checked(values: Any, file: str) -> Params:
    """Validate plain values as settings of `file`. Raises SettingsError, one line per mistake."""
    try:
        params = Params.model_validate(values)
    except ValidationError as error:
        raise SettingsError(
            "\n".join(error_lines(error.errors(include_url=False), Params, file=file))
        ) from None
    for lines in ((*misplaced(params), *undeclared(params)), mismatched(params), _of_public_data(params)):
        if faults := [redact(f"{file}: {line}") for line in dict.fromkeys(lines)]:
            raise SettingsError("\n".join(faults))
    return params


def _of_public_data(params: Params) -> Iterator[str]:
    """Lines on settings of public files: undeclared names, and mismatches if a detector is for the track."""
    for name, alone in params.of_public_data():
        track = params.public_data[name].track
        is_detected = any(family.members_on(track) for family in alone.detectors.values())
        lines = (*misplaced(alone), *undeclared(alone))
        yield from (
            of_public_data(line, name) for line in lines or (mismatched(alone) if is_detected else ())
        )
