"""What mFAVA starts from, whichever of it a folder holds: tagged passages, prompts with references, Wikipedia
articles.
"""

from pathlib import Path

from truerate.core.errors import SourceError
from truerate.sources import fava, silver_prompts, wikipedia
from truerate.sources.collection import SourceTables
from truerate.sources.joined import join

FORMATS = (fava, silver_prompts, wikipedia)


def read(folder: Path, *, name: str, on_bad_row: str) -> SourceTables:
    """The tables of every format found, one below the other."""
    found = [module for module in FORMATS if any((folder / file).is_file() for file in module.FILES)]
    if not found:
        files = ", ".join(file for module in FORMATS for file in module.FILES)
        raise SourceError(f"source {name!r}: no file of it in {str(folder)!r}; looked for: {files}")
    return join([module.read(folder, name=name, on_bad_row=on_bad_row) for module in found])
