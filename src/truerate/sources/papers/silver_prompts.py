"""Prompts with a reference passage each: what silver passages are written from (mFAVA section 3.1)."""

from collections.abc import Sequence
from functools import partial

from truerate.sources.collection import Collection, reads
from truerate.sources.cuts import json_lines
from truerate.sources.rows import BadRow, Reason, Row

FILES = ("prompts.jsonl",)


@reads("silver_prompts")
def read(collection: Collection, languages: Sequence[str] = ()) -> None:
    """Read each prompt as an item of task `silver`; prompts on one reference form a group, over languages and
    formats.

    A row that names no language is a prompt in each of `languages`, those of the source in params.yaml.
    """
    collection.read(FILES[0], json_lines, partial(_keep, collection, languages))


def _keep(collection: Collection, languages: Sequence[str], row: Row) -> None:
    attributes = {name: row.optional_text(name) for name in ("subject", "origin", "id")}
    stated = [row.language()] if row.values.get("lang") is not None else []
    if not stated and not languages:
        problem = "no field 'lang'; write one, or name the `languages` of the source in params.yaml"
        raise BadRow(Reason.MISSING_FIELD, problem)
    question, reference, written_in = row.text("question"), row.text("reference"), (stated or ["en"])[0]
    keep_prompt(collection, question, reference, stated or languages, lang=written_in, **attributes)


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
