"""WildHallucinations (Zhao et al. 2024): entities from people's chats, each with its category and web pages
about it.

Its card documents the columns `entity`, `perplexity`, `info` (up to ten pages), `category` and `wiki` (1:
some page is Wikipedia's), in Parquet files `data/train-*`. By public code that reads it a page holds `text`
and `status_code`, and perhaps `url`: a page's title and address are read where they are there.
"""

from functools import partial
from pathlib import Path

from truerate.core.keys import content_id
from truerate.core.text import MAX_NAME, name_fault, name_key
from truerate.sources.cards import is_of_wikipedia
from truerate.sources.collection import Collection, reads
from truerate.sources.cuts import (
    SUFFIX,
    Cut,
    csv_records,
    json_rows,
    parquet_rows,
    values_as_rows,
    whole_text,
)
from truerate.sources.downloads import matching
from truerate.sources.rows import BadRow, Reason, Row

COLUMNS = ("entity", "perplexity", "info", "category", "wiki")
GOT = 200
MOST_CHARS = 100_000_000  # of pages that are in memory together: those of the paper's list have 2.7 billion
WIKIPEDIA, WEB = "CC BY-SA 4.0", "not stated (web page)"


@reads("wildhallucinations")
def read(collection: Collection) -> None:
    """Read each entity as an item of task `entity` with its pages as documents; attributes `name`, `domain`
    (category), `perplexity`, `wiki`. Pages without text are left out; an entity without a page is a reject.
    """
    collection.documents.most_chars = MOST_CHARS
    files = matching(collection.folder, f"**/*{SUFFIX}", "**/*.jsonl")
    collection.refuse_none(files, "no entities", "*.parquet", "*.jsonl")
    parquet = partial(parquet_rows, columns=COLUMNS, needed=COLUMNS[:1])
    for file in files:
        cut = parquet if file.endswith(SUFFIX) else json_rows
        collection.read(file, cut, partial(_keep, collection), in_parts=True)


def _keep(collection: Collection, row: Row) -> None:
    shown = row.text("entity").strip()
    if fault := name_fault(shown):
        raise BadRow(Reason.UNUSABLE_NAME, f"field 'entity' is no name that can be used: {fault}")
    item_id = entity_id(collection, shown)
    about = {"domain": row.optional_text("category"), "perplexity": row.number_or_none("perplexity")}
    about |= {"wiki": _wiki(row)}
    pages = [_page(page) for page in row.rows("info")]
    got = [page for page in pages if page is not None]
    collection.counts.update(n_pages=len(pages), n_pages_without_text=len(pages) - len(got))
    if not got:
        raise BadRow(Reason.NO_KNOWLEDGE, "none of its pages holds text")
    document_ids = list(dict.fromkeys(collection.document(**page) for page in got))
    collection.entity(item_id, shown, document_ids=document_ids, **about)


def _page(page: Row) -> dict | None:
    """A page as the columns of its document, None where there is no text of it."""
    status, text = page.values.get("status_code"), page.optional_text("text")
    if status not in (None, GOT, str(GOT)) or not (text or "").strip():
        return None
    url = page.optional_text("url") or page.optional_text("link")
    is_wikipedia = is_of_wikipedia(url)
    rights = {"licence": WIKIPEDIA if is_wikipedia else WEB, "is_wikipedia": is_wikipedia}
    return {"text": text, "title": page.optional_text("title") or "", "url": url, **rights}


def _wiki(row: Row) -> bool | None:
    """Return whether a page of Wikipedia is among them, as published (1, 0, true or false)."""
    value = row.values.get("wiki")
    value = None if value != value else value  # as tables in memory write an absent number
    if value not in (None, 0, 1):
        raise BadRow(Reason.UNKNOWN_VALUE, f"field 'wiki' is {str(value)[:40]!r}; allowed: 0, 1, true, false")
    return None if value is None else bool(value)


# ---- a ready list of entities -------------------------------------------------------------------------------
LISTS = ("entities.csv", "entities.jsonl")
_FAULTS = {
    "too-long": f"the name is longer than {MAX_NAME} characters",
    "control-character": "the name holds a control character",
    "path-like": "the name is a path or an address",
}


@reads("entity_list")
def read_entity_list(collection: Collection) -> None:
    """Read each name as an item of task `entity`; fields `name`, and perhaps `domain`, `n_chats` and `url`.

    Of names that differ in case, quotes, blanks or a possessive alone the first counts, the others are
    duplicates.
    """
    present = [file for file in LISTS if (collection.folder / file).is_file()]
    collection.refuse_none(present, "no list of entities", *LISTS)
    for file in present:
        cut = partial(csv_records, columns=("name",)) if file.endswith(".csv") else json_rows
        collection.read(file, cut, partial(_keep_name, collection))


def _keep_name(collection: Collection, row: Row) -> None:
    given, shown = row.values.get("name"), row.text("name").strip()
    fault = name_fault(given.encode("utf-8", "replace").decode("utf-8").strip(" "))
    if fault == "empty":
        raise BadRow(Reason.EMPTY_FIELD, "field 'name' holds no letter or digit")
    if fault is not None:
        raise BadRow(Reason.UNUSABLE_NAME, f"{fault}: {_FAULTS[fault]}")
    n_chats = None if row.values.get("n_chats") in (None, "") else row.integer("n_chats")
    if n_chats is not None and n_chats < 0:
        raise BadRow(Reason.OUT_OF_RANGE, f"field 'n_chats' is {n_chats}; it must be 0 or more")
    about = {name: row.optional_text(name) for name in ("domain", "url")}
    collection.entity(entity_id(collection, shown), shown, n_chats=n_chats, **about)


# ---- a list of prompts --------------------------------------------------------------------------------------
PROMPTS = ("prompts.jsonl", "prompts.csv", "prompts.txt")
MAX_PROMPT = 20_000  # characters


@reads("prompt_list")
def read_prompt_list(collection: Collection) -> None:
    """Read each prompt as an item of task `entity` that is asked as it stands (attribute `is_prompt`); fields
    `prompt`, and perhaps `topic`, which becomes the attribute `domain`. A text file holds one prompt a line.

    Prompts that differ in blank space alone are duplicates; one of more than MAX_PROMPT characters is a reject.
    """
    present = [file for file in PROMPTS if (collection.folder / file).is_file()]
    collection.refuse_none(present, "no list of prompts", *PROMPTS)
    cuts = {".csv": partial(csv_records, columns=("prompt",)), ".jsonl": json_rows, ".txt": _prompt_lines}
    for file in present:
        collection.read(file, cuts[Path(file).suffix], partial(_keep_prompt, collection))


def _prompt_lines(raw: bytes) -> Cut:
    ((_, row),) = whole_text(raw)
    return values_as_rows([{"prompt": line} for line in row()["text"].splitlines() if line.strip()])


def _keep_prompt(collection: Collection, row: Row) -> None:
    prompt = row.text("prompt").strip()
    if len(prompt) > MAX_PROMPT:
        raise BadRow(
            Reason.OUT_OF_RANGE, f"field 'prompt' has {len(prompt):,} characters; at most {MAX_PROMPT:,}"
        )
    item_id = content_id("prompt", collection.name, " ".join(prompt.split()))
    if item_id in collection.items:
        raise BadRow(Reason.DUPLICATE, f"the same prompt was already read as {item_id}")
    collection.entity(item_id, prompt, is_prompt="true", domain=row.optional_text("topic"))


def entity_id(collection: Collection, name: str) -> str:
    """The id of an entity by its name. Raises BadRow where an equal name was read before."""
    item_id = content_id("entity", collection.name, name_key(name))
    if item_id in collection.items:
        raise BadRow(Reason.DUPLICATE, f"the same name was already read as {item_id}")
    return item_id
