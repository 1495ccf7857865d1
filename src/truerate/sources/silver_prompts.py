"""Information-seeking prompts with a reference passage each, in any language: what silver passages are
written from (mFAVA section 3.1).
"""

from pathlib import Path

from truerate.sources.collection import Collection, SourceTables
from truerate.sources.rows import Row, json_lines

FILES = ("prompts.jsonl",)
CARD = {
    "name": "Information-seeking prompts",
    "citation": None,
    "licence": "not stated",
    "redistribution": "no",
    "url": None,
    "lang": None,
}


def read(folder: Path, *, name: str, on_bad_row: str) -> SourceTables:
    """Each prompt as an item of task `silver`; prompts on one reference form a group, over languages and
    formats alike by its text.
    """
    collection = Collection(folder, name=name, on_bad_row=on_bad_row, card=CARD)
    collection.read(FILES[0], json_lines, lambda row: _keep(collection, row))
    return collection.tables()


def _keep(collection: Collection, row: Row) -> None:
    lang, question, reference = row.language(), row.text("question"), row.text("reference")
    subject = row.optional_text("subject")
    attributes = {"subject": subject, "origin": row.optional_text("origin"), "id": row.optional_text("id")}
    collection.item(
        "silver",
        group=("reference", reference),
        question=question,
        lang=lang,
        document_ids=[collection.document(reference, title=subject or "", lang=lang)],
        **attributes,
    )
    collection.counts[f"n_prompts_{lang}"] += 1
