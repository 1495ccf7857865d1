"""The languages that prompts can speak of, those of languages.csv: what they call them, the scripts they are
written in, and NLLB's code.

Codes are ISO 639-1, else 639-3. One that is not there is refused in one line: prompts name their language, and
replies are told by script.
"""

import csv
from pathlib import Path
from typing import NamedTuple

from truerate.core.errors import SettingsError, listed


class Language(NamedTuple):
    """A language by its English name, the Unicode scripts of its texts, and its code in NLLB."""

    name: str
    scripts: tuple[str, ...]
    nllb: str


with Path(__file__).with_name("languages.csv").open(encoding="utf-8", newline="") as _file:
    LANGUAGES = {
        row["code"]: Language(row["name"], tuple(row["scripts"].split()), row["nllb"])
        for row in csv.DictReader(_file)
    }


def language(code: str, where: str = "languages") -> Language:
    """A language by its code; SettingsError with the known codes for others. `where`: the setting."""
    if code not in LANGUAGES:
        raise SettingsError(f"{where}: unknown language code {code!r}; known: {listed(LANGUAGES)}")
    return LANGUAGES[code]
