"""What the names of fields say, however they are written: by truerate, other tools and people."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from truerate.core.data_files import read_data

NAMES: Mapping[str, Any] = read_data(Path(__file__).with_name("fields.yaml"), dict)
ROLES: Mapping[str, Sequence[str]] = NAMES["roles"]
ALWAYS_EVIDENCE, GOLDEN = (NAMES[name] for name in ("always_evidence", "golden"))
LABELS, VERDICTS, GOOD, ANNOTATORS = (
    re.compile(NAMES[name], re.IGNORECASE)
    for name in ("labels_like", "verdicts_like", "good_if_high", "annotators_like")
)
_KNOWN = {name for names in ROLES.values() for name in names} | {*GOLDEN}
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_GAP = re.compile(r"[\s-]+")


def as_snake(name: str) -> str:
    """A name as `is_hallucinated` is written, of `Is Hallucinated` or `isHallucinated`."""
    return _GAP.sub("_", _HUMP.sub("_", name.strip())).lower()


def canonical_names(written: Iterable[str]) -> dict[str, str]:
    """The names by which a file's fields are known, where they are written in another way: `Model Response`
    → `model_response`. A name that several fields would have is none's.
    """
    names = list(written)
    by_snake: dict[str, list[str]] = {}
    for name in names:
        by_snake.setdefault(as_snake(name), []).append(name)
    return {
        same[0]: snake
        for snake, same in by_snake.items()
        if len(same) == 1 and same[0] != snake and _is_known(snake)
    }


def _is_known(name: str) -> bool:
    patterns = (LABELS, VERDICTS, GOOD)
    return name in _KNOWN or any(pattern.fullmatch(name) for pattern in patterns)


def is_annotator(name: str) -> bool:
    """Return whether a field's name says that it holds who labelled a line."""
    return bool(ANNOTATORS.fullmatch(as_snake(name)))


def is_good_if_high(name: str) -> bool:
    """Return whether a field's name says that its high or true values mean faithful."""
    return bool(GOOD.fullmatch(as_snake(name)))
