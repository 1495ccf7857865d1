"""Tables in, pages out: `render_site` collects what each page shows and fills the templates."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import CodeType

from jinja2 import BytecodeCache, Environment, FileSystemLoader, StrictUndefined
from jinja2.bccache import Bucket
from markupsafe import Markup

import truerate.site.board as board
import truerate.site.detector_pages as detector_pages
import truerate.site.downloads.boards as downloads
import truerate.site.ledger as ledger
import truerate.site.methods.pages as methods
import truerate.site.models.pages as models
import truerate.site.overview as overview
import truerate.site.samples.browser as samples
from truerate.core.errors import TruerateError
from truerate.core.metric import refuse_unrecorded
from truerate.site.legend import legend
from truerate.site.measures import ABSENT, day_in_words, roughly, signed, thousands
from truerate.site.safety import coded, inert, plain, slug
from truerate.site.tables import Fill, Tables

ASSETS = (".css", ".js", ".svg")


class Compiled(BytecodeCache):
    """Compiled templates in memory, by name and text; those who share one share filters and settings."""

    def __init__(self) -> None:
        self._code: dict[tuple[str, str], CodeType] = {}

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        return name

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._code.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        if bucket.code is not None:
            self._code[bucket.key, bucket.checksum] = bucket.code


COMPILED = Compiled()


def render_site(tables: Tables, folder: str | Path = "site") -> dict[str, str]:
    """Return the site as {path under docs_dir: text}, sorted; equal tables give equal bytes (`rendered`)."""
    return dict(sorted(rendered(tables, folder)))


def rendered(tables: Tables, folder: str | Path = "site") -> Iterator[tuple[str, str]]:
    """Yield every file of the site, path and text; raises TruerateError without templates or a record."""
    folder = Path(folder)
    if not (folder / "templates").is_dir():
        raise TruerateError(
            f"rendering the site: no templates in {str(folder)!r}; run truerate in the folder that holds "
            "params.yaml"
        )
    for shown in tables.boards:
        met = tables.rows.filter(board=shown.name)["metric"]
        refuse_unrecorded(shown.name, [*met, *shown.audit["metric"]], shown.measures)
    yield from _pages(tables, folder).items()
    for shown in tables.boards:
        yield from samples.scripts(tables, shown)
    for committed in tables.real:
        yield from samples.committed_scripts(committed)


def _pages(tables: Tables, folder: Path) -> dict[str, str]:
    """Every page, table and asset; prose by hand stands in the place of a page of its name."""
    judged = detector_pages.judged_on(tables)
    fill = _filler(folder, tables, detector_pages.detectors_of(judged, tables.real))
    pages = {
        "index.md": fill("home.md.j2", ".", **overview.home(tables)),
        "detectors.md": fill("detectors.md.j2", ".", **overview.detectors(tables)),
        "data.md": fill("data.md.j2", ".", **overview.data(tables)),
        "models.md": fill("models.md.j2", ".", **models.listing(tables)),
        "samples.md": fill("samples.md.j2", ".", **samples.context(tables)),
        "ledger.md": fill("ledger.md.j2", ".", **ledger.context(tables)),
        downloads.INDEX: downloads.index(tables),
        "build_info.js": "truerateBuild(null);\n",
    }
    pages |= methods.pages(tables, fill, folder)
    if tables.real and tables.is_simulated:
        pages["checks.md"] = fill("checks.md.j2", ".", **overview.checks(tables))
    for shown in tables.boards:
        pages[f"boards/{shown.name}.md"] = fill("board.md.j2", "..", **board.context(tables, shown))
        pages |= downloads.files_of(tables, shown)
        if sheet := tables.datasheets.get(shown.name):
            pages[f"datasheets/{shown.name}.md"] = fill("datasheet.md.j2", "..", board=shown, sections=sheet)
    for name in overview.models_of(tables):
        pages[f"models/{slug(name)}.md"] = fill("model.md.j2", "..", **overview.model(tables, name))
    if tables.catalogue.models:
        pages["compare.md"] = fill("models/compare.md.j2", ".")
        pages["models/compare.js"] = models.compared(tables)
    for model in tables.catalogue.models:
        page = model.page.removesuffix("html") + "md"
        pages[page] = fill("models/model.md.j2", "../..", **models.context(tables, model))
    for name, address in detector_pages.detectors_of(judged, tables.real).items():
        values = detector_pages.context(tables, judged, name)
        pages[f"detectors/{address}.md"] = fill("one_detector.md.j2", "..", **values)
    for committed in tables.real:
        pages |= committed.files(fill)
    pages |= {
        file.relative_to(folder).as_posix(): file.read_text("utf-8")
        for file in sorted((folder / "assets").rglob("*"))
        if file.suffix in ASSETS
    }
    written = sorted((folder / "pages").rglob("[!_]*.md"))  # prose by hand, the guide in a folder of its own
    return pages | {str(file.relative_to(folder / "pages")): file.read_text("utf-8") for file in written}


def _filler(folder: Path, tables: Tables, detectors: Mapping[str, str]) -> Fill:
    """A function that fills one template."""
    environment = environment_of(folder)
    environment.globals |= {
        "site": tables,
        "classes": classes,
        "legend_of": legend,
        "page_of": _page_of(tables, detectors),
    }

    def fill(template: str, root: str, **values: object) -> str:
        return environment.get_template(template).render(root=Markup(root), **values).lstrip()

    return fill


def environment_of(folder: Path) -> Environment:
    """Return the environment of the site's templates; every value passes `inert` unless it is Markup."""
    environment = Environment(
        loader=FileSystemLoader(folder / "templates"),
        undefined=StrictUndefined,
        autoescape=lambda name: True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=inert,
        bytecode_cache=COMPILED,
    )
    environment.filters |= {
        "slug": slug,
        "yaml": _yaml,
        "plain": plain,
        "thousands": thousands,
        "roughly": roughly,
        "in_words": day_in_words,
        "oneline": _oneline,
        "percent": percent,
        "billions": models.billions,
        "short_title": models.short_title,
        "signed": signed,
        "prose": overview.prose,
        "coded": coded,
    }
    return environment


def _page_of(tables: Tables, detectors: Mapping[str, str]):
    """Return a function from a subject's name and kind to its page; empty where it has none."""
    asked = set(overview.models_of(tables))

    def page_of(name: str, kind: str) -> str:
        if kind == "model":
            return f"models/{slug(name)}.html" if name in asked else ""
        return f"detectors/{detectors[name]}.html" if kind == "baseline" and name in detectors else ""

    return page_of


def percent(share: float | None, digits: int = 1) -> Markup:
    """A share in per cent, without the sign; a dash where there is none."""
    return ABSENT if share is None else Markup(f"{100 * share:.{digits}f}")


def classes(*names: object) -> Markup:
    """The value of a class attribute: the names that are there, of those that a condition gives."""
    return Markup(" ".join(str(name) for name in names if name))


def _yaml(text: object) -> Markup:
    """A page title for the front matter: mkdocs writes it unescaped into the page's head."""
    return Markup(json.dumps(plain(text), ensure_ascii=False))


def _oneline(block: str) -> Markup:
    """Return a block of HTML on one line, so that Markdown sees one raw block; data newlines are entities."""
    joined = re.sub(r"(?<=>)\s*\n\s*(?=<)", "", str(block).strip())
    return Markup(re.sub(r"\s*\n\s*", " ", joined))
