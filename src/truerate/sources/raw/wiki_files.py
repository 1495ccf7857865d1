"""The inputs of mFAVA, whichever a folder holds: tagged passages, prompts with references, articles."""

from collections.abc import Sequence
from pathlib import Path

from truerate.core.errors import SourceError
from truerate.sources.joined import join
from truerate.sources.papers import fava, fava_prompts, silver_prompts
from truerate.sources.raw import natural_questions, wikipedia
from truerate.sources.tables import SourceTables

PROMPTS = (silver_prompts, fava_prompts, natural_questions)  # formats whose rows are put in many languages
FORMATS = (fava, *PROMPTS, wikipedia)


def read(folder: Path, *, name: str, on_bad_row: str, languages: Sequence[str] = ()) -> SourceTables:
    """Join the tables of every format found; a prompt without a language is one in each of `languages`."""
    modules = [module for module in FORMATS if any((folder / file).is_file() for file in module.FILES)]
    if not modules:
        files = ", ".join(file for module in FORMATS for file in module.FILES)
        raise SourceError(f"source {name!r}: no file of it in {str(folder)!r}; looked for: {files}")
    options = {"name": name, "on_bad_row": on_bad_row}
    more = {"languages": languages}
    return join([module.read(folder, **options, **(more if module in PROMPTS else {})) for module in modules])
