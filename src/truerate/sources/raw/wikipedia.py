"""Wikipedia articles: as the MediaWiki API gives them (plain-text extracts with heading lines), a page or a
whole response per row, or as the Hub has its dumps (`wikimedia/wikipedia`: Parquet with `title`, `text`, `url`).

The text before the first heading, the lead, is the reference of what is asked about an article, and a document to
look up. Dumps have headings without marks: there a short line of its own that ends in no sign is taken for one.
"""

import re
from pathlib import Path

from truerate.core.errors import SourceError
from truerate.core.keys import content_id
from truerate.core.text import clean
from truerate.sources.cards import published_card
from truerate.sources.collection import Collection, SourceTables
from truerate.sources.cuts import Cut, json_rows
from truerate.sources.downloads import Download, downloaded_forms, one_of
from truerate.sources.parquet import parquet_rows
from truerate.sources.rows import BadRow, Reason, Row

FILES = ("articles.jsonl", "articles.json")
DUMP = Download("Wikipedia", {}, columns=("title", "text", "url"))
CARD = published_card("wikipedia")
_HEADING = re.compile(r"^={2,6}[^=\n].*?={2,6}[ \t\r]*$", re.MULTILINE)
_BARE_HEADING = re.compile(r"(?<=\n)[ \t]*\n([^\n]{0,79}[^\s.!?:;,\"')\]])[ \t]*(?=\n|\Z)")
_HOST = re.compile(r"https?://([a-z]{2,3})\.(?:m\.)?wikipedia\.org/")


def read(folder: Path, *, name: str, on_bad_row: str) -> SourceTables:
    """Each page as an item of task `article` whose document is its lead."""
    collection = Collection(folder, name=name, on_bad_row=on_bad_row, card=CARD)
    present = [file for file in FILES if (folder / file).is_file()]
    for file in present:
        collection.read(file, pages, lambda row: _keep(collection, row))
    for file in () if present else _dump(folder, name):
        collection.read(file, parquet_rows, lambda row: _keep(collection, _of_dump(row)))
    return collection.tables()


def _dump(folder: Path, name: str) -> list[str]:
    """The Parquet files of the one dump that a folder holds; raises SourceError where it holds none or several."""
    if not (forms := downloaded_forms(folder, DUMP)):
        sought = f"{', '.join(FILES)}; or Parquet with the columns {', '.join(DUMP.columns)}"
        raise SourceError(f"source {name!r}: no articles in {str(folder)!r}; looked for: {sought}")
    return one_of(forms, DUMP, folder, name=name, split=None)


def _of_dump(row: Row) -> Row:
    """A row of a dump as a page of the API: its headings get their marks."""
    extract = _BARE_HEADING.sub(r"\n== \1 ==", row.text("text"))
    return Row({**row.values, "extract": extract}, row.number)


def pages(raw: bytes) -> Cut:
    """The pages of a file: a row that is a response of the API (`query.pages`) holds many."""
    for number, make in json_rows(raw):
        try:
            values = make()
        except BadRow as bad:
            yield number, lambda bad=bad: _raise(bad)
            continue
        for page in _in_response(values):
            yield number, lambda page=page: page


def _raise(bad: BadRow) -> None:
    raise bad


def _in_response(values: object) -> list[object]:
    query = values.get("query") if isinstance(values, dict) else None
    if not isinstance(query, dict):
        return [values]
    pages_value = query.get("pages")
    return (
        list(pages_value.values())
        if isinstance(pages_value, dict)
        else pages_value
        if isinstance(pages_value, list)
        else [values]
    )


def _keep(collection: Collection, row: Row) -> None:
    if "missing" in row.values or "invalid" in row.values:
        raise BadRow(Reason.NO_KNOWLEDGE, "there is no such page")
    title, extract, lang = row.text("title"), row.text("extract"), _language(row)
    lead = _lead(extract)
    if not lead:
        raise BadRow(Reason.NO_KNOWLEDGE, f"no text before the first heading of {title!r}")
    document_id = collection.document(lead, title=title, lang=lang, url=_address(row))
    collection.item(
        "article",
        group=("article", lang, title),
        lang=lang,
        document_ids=[document_id],
        title=title,
        n_characters=len(extract),
        n_sections=len(_HEADING.findall(extract)),
        depth=_depth(row),
        category=_category(row),
        tags="; ".join(_tags(row)) or None,
        id=row.values.get("pageid"),
    )
    collection.counts[f"n_articles_{lang}"] += 1


def whole_texts(folder: Path, name: str) -> dict[str, str]:
    """The whole text of each article of a folder by the id of its document, the lead, in the source of a name;
    none of a folder without articles. Rows that cannot be read, which `read` books, have none.
    """
    texts_by_id = {}
    files = [(folder / file, pages) for file in FILES if (folder / file).is_file()]
    dumps = () if files else downloaded_forms(folder, DUMP)
    shards = [(folder / file, parquet_rows) for dump in dumps for file in dump.files]
    for path, cut in (*files, *shards):
        for number, make in cut(path.read_bytes()):
            try:
                row = Row(make(), number)
                extract = (row if cut is pages else _of_dump(row)).text("extract")
            except BadRow:
                continue
            if lead := _lead(extract):
                texts_by_id.setdefault(content_id(name, lead), extract)  # as `read` keeps the first
    return texts_by_id


def _lead(extract: str) -> str:
    """The text before the first heading, all of it where there is none."""
    heading = _HEADING.search(extract)
    return extract[: heading.start()].strip() if heading else extract.strip()


def _language(row: Row) -> str:
    """The page's own language: its field, else that of its address."""
    if row.values.get("lang") is not None:
        return row.language()
    if match := _HOST.match(_url(row) or ""):
        return match[1]
    raise BadRow(Reason.MISSING_FIELD, "no field 'lang', and no address of Wikipedia that tells it")


def _url(row: Row) -> str | None:
    return next(
        (text for field in ("url", "canonicalurl", "fullurl") if (text := row.optional_text(field))), None
    )


def _address(row: Row) -> str | None:
    """The address of the very revision, where the page says which it is."""
    url, revision = _url(row), row.values.get("revid") or row.values.get("lastrevid")
    if url is None or not isinstance(revision, int):
        return url
    return f"{url}{'&' if '?' in url else '?'}oldid={revision}"


def _depth(row: Row) -> float | None:
    """The depth of the article's wiki, None where it is not known."""
    depth = row.values.get("depth")
    if depth is not None and (isinstance(depth, bool) or not isinstance(depth, int | float)):
        raise BadRow(
            Reason.WRONG_TYPE,
            f"field 'depth' is {str(depth)[:40]!r}; it must be a number, or null where it is not known",
        )
    return None if depth is None else float(depth)


def _category(row: Row) -> str | None:
    """The first category that the page shows, of names or of the API's titles; None where none is told."""
    if row.values.get("categories") is None:
        return None
    entries = [entry.get("title") if isinstance(entry, dict) else entry for entry in row.items("categories")]
    if wrong := [entry for entry in entries if not isinstance(entry, str)]:
        raise BadRow(
            Reason.WRONG_TYPE, f"field 'categories' holds {str(wrong[0])[:40]!r}; it must hold names"
        )
    names = [
        name.partition(":")[2] if isinstance(entry, dict) else name
        for entry, name in zip(row.items("categories"), entries, strict=True)
    ]
    return clean(names[0]) if names else None


def _tags(row: Row) -> list[str]:
    """Names of the templates on the page, in order, each once, without their namespace."""
    if row.values.get("templates") is None:
        return []
    titles = [entry.get("title") if isinstance(entry, dict) else entry for entry in row.items("templates")]
    if wrong := [entry for entry in titles if not isinstance(entry, str)]:
        raise BadRow(Reason.WRONG_TYPE, f"field 'templates' holds {str(wrong[0])[:40]!r}; it must hold names")
    names = [
        name.partition(":")[2] if isinstance(entry, dict) else name
        for entry, name in zip(row.items("templates"), titles, strict=True)
    ]
    return list(dict.fromkeys(clean(name) for name in names))
