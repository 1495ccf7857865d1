"""FAVA's files of prompts (Mishra et al. 2024) as what silver passages are written from: what its generator is
given (`title` with the article's `intro`), and prompts that people's annotations are of (`prompt`), where a
reference stands beside them (`evidence` or `reference`).

As published, annotations name no reference: such a row is booked as a reject.
"""

from collections.abc import Sequence
from pathlib import Path

from truerate.core.errors import SourceError
from truerate.sources.collection import Collection, SourceTables
from truerate.sources.cuts import json_rows
from truerate.sources.papers import fava
from truerate.sources.papers.silver_prompts import keep_prompt, targets
from truerate.sources.rows import BadRow, Reason, Row

FILES = ("annotations.json", "passages.jsonl")
LANG = "en"
QUESTION = "What is {title}, and what is known about it?"  # about a title; the paper's own is not printed
CARD = fava.CARD | {"name": "FAVA's prompts"}


def read(folder: Path, *, name: str, on_bad_row: str, languages: Sequence[str] = ()) -> SourceTables:
    """Each prompt as an item of task `silver` in each of `languages` (default English), once for all models."""
    collection = Collection(folder, name=name, on_bad_row=on_bad_row, card=CARD)
    present = [file for file in FILES if collection.has(file)]
    if not present:
        raise SourceError(
            f"source {name!r}: none of FAVA's prompts in {str(folder)!r}; looked for: {', '.join(FILES)}"
        )
    for file in present:
        collection.read(file, json_rows, lambda row: _keep(collection, row, languages))
    return collection.tables()


def _keep(collection: Collection, row: Row, languages: Sequence[str]) -> None:
    title = row.optional_text("title") or row.optional_text("subject")
    if "intro" in row.values:
        question, reference = QUESTION.format(title=row.text("title").strip()), row.text("intro")
    else:
        question = row.text("prompt").strip()
        reference = row.optional_text("evidence") or row.optional_text("reference") or ""
    if not reference.strip():
        raise BadRow(Reason.NO_KNOWLEDGE, f"no reference beside the prompt {question[:60]!r}")
    target_languages = targets(languages or (LANG,))
    keep_prompt(collection, question, reference, target_languages, lang=LANG, subject=title, origin="FAVA")
