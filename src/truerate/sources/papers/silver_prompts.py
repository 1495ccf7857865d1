"""Prompts with a reference passage each: what silver passages are written from (mFAVA section 3.1)."""

from collections.abc import Sequence
from pathlib import Path

from truerate.sources.cards import published_card
from truerate.sources.collection import Collection, SourceTables
from truerate.sources.cuts import json_lines
from truerate.sources.rows import BadRow, Reason, Row

FILES = ("prompts.jsonl",)
CARD = published_card("silver_prompts")


def read(folder: Path, *, name: str, on_bad_row: str, languages: Sequence[str] = ()) -> SourceTables:
    """Each prompt as an item of task `silver`; prompts on one reference form a group, over languages and
    formats alike by its text.

    A row that names no language is a prompt in each of `languages`, those of the source in params.yaml.
    """
    collection = Collection(folder, name=name, on_bad_row=on_bad_row, card=CARD)
    collection.read(FILES[0], json_lines, lambda row: _keep(collection, row, languages))
    return collection.tables()


def _keep(collection: Collection, row: Row, languages: Sequence[str]) -> None:
    attributes = {
        "subject": row.optional_text("subject"),
        "origin": row.optional_text("origin"),
        "id": row.optional_text("id"),
    }
    is_of_one = row.values.get("lang") is not None
    target_languages = [row.language()] if is_of_one else targets(languages)
    written_in = target_languages[0] if is_of_one else "en"
    keep_prompt(
        collection,
        row.text("question"),
        row.text("reference"),
        target_languages,
        lang=written_in,
        **attributes,
    )


def targets(languages: Sequence[str]) -> Sequence[str]:
    """The languages in which a prompt is put that names none. Raises BadRow where the source names none."""
    if not languages:
        raise BadRow(
            Reason.MISSING_FIELD,
            "no field 'lang'; write one, or name the `languages` of the source in params.yaml",
        )
    return languages


def keep_prompt(
    collection: Collection,
    question: str,
    reference: str,
    languages: Sequence[str],
    *,
    lang: str,
    url: str | None = None,
    **attributes: str | None,
) -> None:
    """Note one prompt in each of the languages: its question and reference as they are, in `lang`."""
    document = {"title": attributes.get("subject") or "", "lang": lang, "url": url}
    for target in languages:
        collection.item(
            "silver",
            group=("reference", reference),
            question=question,
            lang=target,
            document_ids=[collection.document(reference, **document)],
            **attributes,
        )
        collection.counts[f"n_prompts_{target}"] += 1
