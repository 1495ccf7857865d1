"""The data scripts of the sample browser, opened as a page does."""

import json
from collections.abc import Iterable

from truerate.site.samples.packing import unpacked


def values_of(files: Iterable[tuple[str, str]]) -> dict[str, object]:
    """What each script hands over, by path; packed lists of words stay as they are."""
    return {path: _value(path, text) for path, text in files}


def _value(path: str, text: str) -> object:
    assert "<" not in text and text.endswith(");\n"), path
    *_, packed = json.loads("[" + text[text.index("(") + 1 : -3] + "]")
    return json.loads(unpacked(packed)) if isinstance(packed, str) else packed
