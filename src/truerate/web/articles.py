"""Articles of wikis, fetched into the files that the reader `wikipedia` reads.

`articles.jsonl` has an article per line, `left_out.jsonl` what was not taken, with its reason,
`titles.<lang>.tsv` the titles that were taken with their revisions: given back as `--titles`, they fetch the
same set again.
"""

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import aiohttp
from lxml import etree, html

from truerate.core.errors import EndpointError, SettingsError, SourceError, TruerateError
from truerate.core.keys import digest, page_key
from truerate.core.process.system_errors import check_regular
from truerate.web import mediawiki
from truerate.web.article_files import ArticleFiles
from truerate.web.guard import Guard, host_of
from truerate.web.mediawiki import Absent, Site, Wiki
from truerate.web.outcomes import PATTERNS, tidy
from truerate.web.pauses import Clock

ENGLISH = "en"  # whose names of maintenance tags settings hold
# Why a page is not taken: the API's code of an absent one (`mediawiki.ABSENT`), or one of these.
REASONS = ("too-short", "no-lead", "excluded-tag", "disambiguation", "twice")
LOOKED_AT = 100  # pages drawn per article that is wanted, before the drawing ends
_LANG = re.compile(r"[a-z]{2,3}")
_HEADINGS = ("h2", "h3", "h4", "h5", "h6")
_BLOCKS = ("p", "ul", "ol", "li", "dl", "dt", "dd", "blockquote", "pre", "section", "br", *_HEADINGS)
_SPACE = re.compile(r"[ \t\r\n]+")
_HAS_CLASS = ".//*[contains(concat(' ', normalize-space(@class), ' '), ' {} ')]"
_ASIDE = " | ".join(
    [
        *(f".//{tag}" for tag in PATTERNS["aside_tags"]),
        *map(_HAS_CLASS.format, PATTERNS["aside_classes"]),
        ".//*[@id='coordinates']",
        ".//div[not(contains(@class, 'mw-heading') or contains(@class, 'mw-parser-output'))]",
    ]
)


@dataclass(frozen=True)
class Wanted:
    """What to fetch: `n` articles per language (None: all titles), their length, templates that exclude."""

    languages: Sequence[str]
    n: int | None
    min_characters: int
    excluded_tags: Sequence[str]
    titles: str | None = None  # a file of titles; `{lang}` in it stands for the language


@dataclass(frozen=True)
class Asked:
    """How to fetch: the API's address (`{lang}` in it), the contact, private hosts allowed, the pause."""

    contact: str
    api: str = mediawiki.API
    allowed_private: Sequence[str] = ()
    pause_s: float = 0.1


By = tuple[Asked, Guard, Clock | None]
Pages = AsyncIterator[tuple[str, dict | str]]  # a title, and its page or why there is none


def fetch(folder: Path, wanted: Wanted, asked: Asked, *, clock: Clock | None = None) -> dict[str, int]:
    """Fetch and write, language by language; return the number of articles of each.

    Raises TruerateError where a language has none, once all others are written: a rerun asks for the rest.
    """
    _check(wanted)
    guard = Guard(asked.allowed_private)
    titles = {lang: _titles(wanted.titles, lang) for lang in wanted.languages} if wanted.titles else {}
    urls = {lang: mediawiki.checked(asked.api, lang, guard) for lang in wanted.languages}
    if len(set(urls.values())) < len(urls):
        problem = "is the same for all languages; write {lang} where they differ"
        raise SettingsError(f"fetching articles: --api {asked.api!r} {problem}")
    limits = (wanted.n, wanted.min_characters, list(wanted.excluded_tags), asked.api)
    files = ArticleFiles(folder, wanted.languages, digest(limits=limits, titles=titles))
    failed = asyncio.run(_fetch(urls, titles, wanted, files, (asked, guard, clock)))
    if failed:
        first, error = next(iter(failed.items()))
        if len(urls) == 1:
            raise error
        more = f" ({', '.join(failed)} all failed)" if len(failed) > 1 else ""
        came = f"what came of {len(files.done)} other languages is in {str(folder)!r}"
        raise EndpointError(f"{error}; that is {first!r}{more}: {came}, run the same again for the rest")
    files.end()
    return dict(files.done)


def _check(wanted: Wanted) -> None:
    """Raise TruerateError where what is wanted cannot be."""
    problem, languages = None, ",".join(wanted.languages)
    if wrong := [lang for lang in wanted.languages if not _LANG.fullmatch(lang)]:
        problem = (
            f"languages: {wrong[0]!r} is no language code; write two or three small letters, as in en,de"
        )
    elif len(set(wanted.languages)) < len(wanted.languages) or not wanted.languages:
        problem = f"languages {languages!r}: name at least one, and each once"
    elif (wanted.n is None and not wanted.titles) or (wanted.n is not None and wanted.n < 1):
        problem = f"n {wanted.n}: say how many articles per language (1 or more), or name --titles"
    if problem:
        raise SettingsError(f"fetching articles: --{problem}")


async def _fetch(
    urls: dict[str, str], titles: dict, wanted: Wanted, files: ArticleFiles, by: By
) -> dict[str, TruerateError]:
    """Fetch and write one language after another; return the errors of those that failed."""
    asked, guard, clock = by
    failed: dict[str, TruerateError] = {}
    async with mediawiki.session(asked.contact, guard) as session:
        tags = LocalTags(session, by, wanted.excluded_tags)
        for lang in (lang for lang in urls if lang not in files.done):
            wiki = Wiki(session, urls[lang], pause_s=asked.pause_s, clock=clock)
            try:
                site = await wiki.site()
                shut = await tags.named(lang, wiki.url)
                pages = _by_title(wiki, titles[lang]) if titles else _drawn(wiki, wanted)
                rows, others = await _of_language(lang, site, pages, replace(wanted, excluded_tags=shut))
                if not rows:
                    counted = Counter(reject["reason"] for reject in others).most_common()
                    why = ", ".join(f"{n} {reason}" for reason, n in counted) or "it gave none"
                    no_page = f"fetching articles: no page at {wiki.url!r} fits ({why})"
                    raise EndpointError(f"{no_page}; see to the titles or the limits")
            except TruerateError as error:
                failed[lang] = error
                continue
            files.add(lang, rows, others)
    return failed


class LocalTags:
    """The names of maintenance tags in other languages, by the links of English templates; requested once."""

    def __init__(self, session: aiohttp.ClientSession, by: By, tags: Sequence[str]):
        self.session, self.tags, (self.asked, self.guard, self.clock) = session, tags, by
        self._names: dict[str, list[str]] | None = None

    async def named(self, lang: str, url: str) -> tuple[str, ...]:
        """The tags' own names and those in a language, by its code or the host of its wiki (`zh-yue`)."""
        if lang == ENGLISH or not self.tags or "{lang}" not in self.asked.api:
            return tuple(self.tags)
        if self._names is None:
            api = mediawiki.checked(self.asked.api, ENGLISH, self.guard)
            wiki = Wiki(self.session, api, pause_s=self.asked.pause_s, clock=self.clock)
            self._names = await wiki.names_elsewhere([f"Template:{tag}" for tag in self.tags])
        titles = [*self._names.get(lang, ()), *self._names.get(host_of(url).partition(".")[0], ())]
        return tuple(dict.fromkeys([*self.tags, *(title.partition(":")[2] for title in titles)]))


async def _of_language(lang: str, site: Site, pages: Pages, wanted: Wanted) -> tuple[list[dict], list[dict]]:
    """The articles that fit, in the order met, and the others with their reasons."""
    rows, others, page_ids = [], [], set()
    async for title, page in pages:
        why = page if isinstance(page, str) else "twice" if page.get("pageid") in page_ids else None
        if why is None:
            page_ids.add(page.get("pageid"))
            row = _row(lang, site, page)
            why = _unfit(row, page, wanted)
        if why is None:
            rows.append(row)
        else:
            others.append({"lang": lang, "title": title, "reason": why})
        if len(rows) == wanted.n:
            break
    return rows, others


async def _drawn(wiki: Wiki, wanted: Wanted) -> Pages:
    """Pages drawn at random, rendered where their source (bytes) is long enough for that many characters."""
    n_visited = 0
    async for page in wiki.random():
        n_visited += 1
        if n_visited > LOOKED_AT * wanted.n:
            return
        if page.get("length", 0) < wanted.min_characters:
            yield page["title"], "too-short"
        else:
            yield page["title"], await _rendered(wiki, page["title"], page.get("lastrevid"))


async def _by_title(wiki: Wiki, titles: Iterable[tuple[str, int | None]]) -> Pages:
    for title, revision in titles:
        yield title, await _rendered(wiki, title, revision)


async def _rendered(wiki: Wiki, title: str, revision: int | None) -> dict | str:
    try:
        return await wiki.rendered(title=title, revision=revision)
    except Absent as absent:
        return str(absent)


def _row(lang: str, site: Site, page: dict) -> dict:
    templates, categories = (
        [each for each in page.get(field, []) if isinstance(each, dict) and isinstance(each.get(name), str)]
        for field, name in (("templates", "title"), ("categories", "category"))
    )
    return {
        "pageid": page.get("pageid"),
        "title": page["title"],
        "lang": lang,
        "url": site.address(page["title"]),
        "revid": page.get("revid"),
        "depth": site.depth,
        "templates": [{"title": template["title"]} for template in templates if template.get("ns") == 10],
        "categories": [each["category"].replace("_", " ") for each in categories if not each.get("hidden")],
        "extract": plain_text(page["text"]),
    }


def _unfit(row: dict, page: dict, wanted: Wanted) -> str | None:
    """Return why an article is not taken (one of REASONS), None where it is."""
    tags = {page_key(template["title"].partition(":")[2]) for template in row["templates"]}
    properties = page.get("properties")
    if "disambiguation" in (properties if isinstance(properties, dict) else {}):
        return "disambiguation"
    if tags & {page_key(tag) for tag in wanted.excluded_tags}:
        return "excluded-tag"
    if len(row["extract"]) < wanted.min_characters:
        return "too-short"
    return "no-lead" if not row["extract"] or row["extract"].startswith("==") else None


def plain_text(markup: str) -> str:
    """Return the sentences of a rendered page, a paragraph per line, headings as lines `== like this ==`."""
    try:
        root = html.fragment_fromstring(markup, create_parent="div")
    except (etree.LxmlError, ValueError):
        return ""
    for element in root.iter(etree.Element):
        element.text, element.tail = (
            _SPACE.sub(" ", part) if part else part for part in (element.text, element.tail)
        )
    for element in root.xpath(_ASIDE):
        if element.getparent() is not None:
            element.drop_tree()
    for element in list(root.iter(*_BLOCKS)):
        if element.tag in _HEADINGS:
            marks = "=" * int(element.tag[1])
            title = " ".join(element.text_content().split())
            tail = element.tail
            element.clear()
            element.text, element.tail = f"{marks} {title} {marks}", tail
        element.text, element.tail = f"\n{element.text or ''}", f"\n{element.tail or ''}"
    return tidy(root.text_content())


def _titles(path: str, lang: str) -> list[tuple[str, int | None]]:
    """Read the titles of a file, one per line, with the revision that may follow a tab."""
    file = Path(path.replace("{lang}", lang))
    where = f"fetching articles: --titles {str(file)!r}"
    try:
        check_regular(file, "titles")
        lines = file.read_text("utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is no UTF-8 text"
        raise SourceError(f"{where}: {why}; name a file with a title per line") from None
    titles = {}
    for number, line in enumerate(lines, 1):
        title, _, revision = (part.strip() for part in line.partition("\t"))
        if revision and not (revision.isascii() and revision.isdigit() and int(revision)):
            problem = f"{revision[:40]!r} is no revision; write TITLE<tab>NUMBER"
            raise SourceError(f"{where} line {number}: {problem}")
        if title:
            titles.setdefault((title, int(revision) if revision else None))
    if not titles:
        raise SourceError(f"{where}: no title in it; write one per line")
    return list(titles)
