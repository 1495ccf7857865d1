"""Cards from templates, in which every value is escaped (`inert`), and BibTeX."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from truerate.core.bibtex import entry
from truerate.core.text import clean

TEMPLATES = Path(__file__).parent / "templates"
# What GitHub's Markdown acts on within a line, and at its beginning. A backslash is an entity: `\(` and `\\(`
# begin formulas on the Hub.
_ACTS = re.compile(r"([`*_\[\]<>|~&@$!]|:(?=//)|(?<=\bwww)\.)")
_BEGINS = re.compile(r"^(\d{1,9}(?=[.)](?:\s|$)))?([-+=#]|(?<=\d)[.)])")
_ADDRESS = re.compile(r"https?://[A-Za-z0-9.-]+(?::\d+)?(?:/[\w./~%?=&#+,;:@-]*)?", re.ASCII)


def inert(value: object) -> Markup:
    """A value as Markdown shows it: on one line, without invisible characters, and nothing in it acts. Markup
    and numbers pass; None is a dash.
    """
    if isinstance(value, Markup | int | float):
        return Markup(value)
    text = "–" if value is None else " ".join(clean(str(value)).split())
    text = _ACTS.sub(r"\\\1", text.replace("\\", "\0")).replace("\0", "&#92;")
    return Markup(_BEGINS.sub(lambda match: f"{match[1] or ''}\\{match[2]}", text))


def code(value: object) -> Markup:
    """A name of ours (path, config, repository) for a code span: characters of no such name are dropped."""
    return Markup(re.sub(r"[^\w./@:+ -]", "", str(value)))


def codes(names: Iterable[object]) -> Markup:
    """Names of ours as code spans, parted by commas."""
    return Markup(", ".join(f"`{code(name)}`" for name in names))


def linked(text: object, address: object) -> Markup:
    """A text that links to a plain web address; the text alone if the address is absent or unusual."""
    shown = inert(text)
    return Markup(f"[{shown}](<{address}>)") if address and _ADDRESS.fullmatch(str(address)) else shown


def verbatim(text: str) -> Markup:
    """A text of ours for a fenced block, whose lines hold no backtick (see `entry`)."""
    return Markup(text.replace("`", ""))


def prose(text: str) -> Markup:
    """A text of our own that may hold Markdown (the docstrings of tables), on one line."""
    return Markup(" ".join(text.split()))


def filled(template: str, values: Mapping[str, object]) -> str:
    """A template of ours with these values, ending in one newline."""
    return re.sub(r"\n{3,}", "\n\n", _environment().get_template(template).render(values)).strip() + "\n"


@cache
def _environment() -> Environment:
    """Return what templates are filled with: each is compiled once per process."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=inert,
    )
    environment.filters |= {each.__name__: each for each in (code, codes, linked, prose, verbatim)}
    return environment


# ---- citations ---------------------------------------------------------------------------------------------
_KINDS = {"dataset": "Data set", "model": "Model", "space": "Site"}
_PAGES = {"dataset": "datasets/", "model": "", "space": "spaces/"}


def bibtex(repo: str, title: str, kind: str) -> str:
    """A repository of the Hub as a BibTeX entry of type `misc`."""
    address = f"https://huggingface.co/{_PAGES[kind]}{repo}"
    return entry(repo, title=title, howpublished=address, note=f"{_KINDS[kind]}, made by truerate")
