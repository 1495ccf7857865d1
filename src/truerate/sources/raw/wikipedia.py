"""Wikipedia articles, as the MediaWiki API gives them (plain-text extracts with heading lines; a page or a
response per row), or as the Hub has its dumps (`wikimedia/wikipedia`: Parquet with `title`, `text`, `url`).

The lead, before the first heading, is the reference of an article. Headings of dumps have no marks: a short
line of its own that ends in no sign is taken for one.
"""

import re
from functools import partial
from pathlib import Path

from truerate.core.keys import content_id
from truerate.core.text import clean
from truerate.sources.collection import Collection, reads
from truerate.sources.cuts import Cut, json_rows, parquet_rows, readable
from truerate.sources.downloads import Download, forms_in, one_of
from truerate.sources.rows import BadRow, Reason, Row

FILES = ("articles.jsonl", "articles.json")
DUMP = Download("Wikipedia", {}, columns=("title", "text", "url"))
_HEADING = re.compile(r"^={2,6}[^=\n].*?={2,6}[ \t\r]*$", re.MULTILINE)
_BARE_HEADING = re.compile(r"(?<=\n)[ \t]*\n([^\n]{0,79}[^\s.!?:;,\"')\]])[ \t]*(?=\n|\Z)")
_HOST = re.compile(r"https?://([a-z]{2,3})\.(?:m\.)?wikipedia\.org/")


@reads("wikipedia")
def read(collection: Collection) -> None:
    """Each page as an item of task `article` whose document is its lead."""
    folder = collection.folder
    present = [file for file in FILES if (folder / file).is_file()]
    dumps = [] if present else forms_in(folder, DUMP)
    columns = f"or Parquet with the columns {', '.join(DUMP.columns)}"
    collection.refuse_none(present or dumps, "no articles", *FILES, columns)
    for file in present:
        collection.read(file, pages, partial(_keep, collection))
    for file in one_of(dumps, DUMP, folder, name=collection.name, split=None) if dumps else ():
        collection.read(file, parquet_rows, lambda row: _keep(collection, _of_dump(row)))


def _of_dump(row: Row) -> Row:
    """A row of a dump as a page of the API: its headings get their marks."""
    extract = _BARE_HEADING.sub(r"\n== \1 ==", row.text("text"))
    return Row({**row.values, "extract": extract}, row.number)


def pages(raw: bytes) -> Cut:
    """The pages of a file: a row that is a response of the API (`query.pages`) holds many."""
    for number, make in json_rows(raw):
        try:
            values = make()
        except BadRow:
            yield number, make
            continue
        for page in _in_response(values):
            yield number, lambda page=page: page


def _in_response(values: object) -> list[object]:
    query = values.get("query") if isinstance(values, dict) else None
    of_response = query.get("pages") if isinstance(query, dict) else None
    if isinstance(of_response, dict):
        return list(of_response.values())
    return of_response if isinstance(of_response, list) else [values]


def _keep(collection: Collection, row: Row) -> None:
    if "missing" in row.values or "invalid" in row.values:
        raise BadRow(Reason.NO_KNOWLEDGE, "there is no such page")
    title, extract, lang = row.text("title"), row.text("extract"), _language(row)
    lead = _lead(extract)
    if not lead:
        raise BadRow(Reason.NO_KNOWLEDGE, f"no text before the first heading of {title!r}")
    depth = row.number_or_none("depth")
    document_id = collection.document(lead, title=title, lang=lang, url=_address(row))
    collection.item(
        "article",
        group=("article", lang, title),
        lang=lang,
        document_ids=[document_id],
        title=title,
        n_characters=len(extract),
        n_sections=len(_HEADING.findall(extract)),
        depth=None if depth is None else float(depth),  # of the article's wiki
        category=next(iter(_names(row, "categories")), None),
        tags="; ".join(_names(row, "templates")) or None,
        id=row.values.get("pageid"),
    )
    collection.counts[f"n_articles_{lang}"] += 1


def whole_texts(folder: Path, name: str) -> dict[str, str]:
    """The whole text of each readable article of a folder by the id of its document, the lead, in a source of
    this name.
    """
    texts_by_id = {}
    files = [(folder / file, pages) for file in FILES if (folder / file).is_file()]
    dumps = () if files else forms_in(folder, DUMP)
    shards = [(folder / file, parquet_rows) for dump in dumps for file in dump.files]
    for path, cut in (*files, *shards):
        for number, values in readable(cut(path.read_bytes())):
            try:
                row = Row(values, number)
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
    return next(filter(None, map(row.optional_text, ("url", "canonicalurl", "fullurl"))), None)


def _address(row: Row) -> str | None:
    """The address of the very revision, where the page says which it is."""
    url, revision = _url(row), row.values.get("revid") or row.values.get("lastrevid")
    if url is None or not isinstance(revision, int):
        return url
    return f"{url}{'&' if '?' in url else '?'}oldid={revision}"


def _names(row: Row, field: str) -> list[str]:
    """The names of categories or templates on a page, each once, without their namespace."""
    names = []
    for entry in row.items(field) if row.values.get(field) is not None else ():
        name = entry.get("title") if isinstance(entry, dict) else entry
        if not isinstance(name, str):
            raise BadRow(Reason.WRONG_TYPE, f"field {field!r} holds {str(name)[:40]!r}; it must hold names")
        names.append(clean(name.partition(":")[2] if isinstance(entry, dict) else name))
    return list(dict.fromkeys(names))
