"""BibTeX entries, whose values are data: nothing in a title ends an entry or the block that shows it."""

from collections.abc import Sequence

import regex as re

from truerate.core.card import Card
from truerate.core.text import clean

_AS_IS = {"author", "howpublished", "url", "eprint", "archiveprefix"}
_LATEX_SPECIAL = re.compile(r"([&%$#_])")
_LATEX_ACCENT = re.compile(r"([~^])")
_ARXIV = re.compile(r"arXiv:(\d{4}\.\d{4,5})")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_INITIALS = re.compile(r"(?:\w\.[ -]?)+ ?[\w’' -]{2,}")
_HEAD = re.compile(
    r"(.+?[^\W\d_]{2,})\. \S"
)  # of a citation: all before the first full stop that no initial has
OTHERS = "others"


def entry(key: str, *, authors: Sequence[str] = (), **fields: str) -> str:
    """A BibTeX entry of type `misc` under a key of letters, digits and hyphens.

    `authors`: one name each; one without initials is a publisher's and stands in braces. Braces, backslashes,
    line breaks and backticks of a value, which would end it or the block that shows it, are left out; what LaTeX
    acts on in words is escaped, in addresses it is not.
    """
    name = re.sub(r"[^A-Za-z0-9]+", "-", key).strip("-").lower()
    plain = {field: _plain(text) for field, text in fields.items()}
    names = [_escaped(_plain(author)) for author in authors]
    whole = [each if each == OTHERS or _INITIALS.match(each) else f"{{{each}}}" for each in names if each]
    plain = ({"author": " and ".join(whole)} if whole else {}) | plain
    for field in plain.keys() - _AS_IS:
        plain[field] = _escaped(plain[field])
    lines = [f"  {field} = {{{text}}}," for field, text in plain.items() if text]
    return "\n".join([f"@misc{{{name},", *lines, "}"])


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[{}\\`]", "", clean(text)).split())


def _escaped(text: str) -> str:
    return str(_LATEX_ACCENT.sub(r"\\\1{}", _LATEX_SPECIAL.sub(r"\\\1", text)))


def authors_of(citation: str) -> list[str]:
    """Return the names at the head of a citation `A. One, B. C. Two. Title …`, or the one publisher there
    (`Vectara. Table …`); none where the head is of another form.
    """
    head = match[1] if (match := _HEAD.match(citation)) else ""
    names = [
        name.strip()
        for name in re.split(r", (?:and |& )?| and | & ", head.removesuffix(" et al").rstrip(","))
        if name.strip()
    ]
    if names and all(_INITIALS.fullmatch(name) for name in names):
        return [*names, OTHERS] if head.endswith(" et al") else names
    return [head] if len(names) == 1 and len(head.split()) <= 3 and not head.endswith(" et al") else []


def year_of(*texts: str) -> str:
    """Return the first year, 1900 to 2099, in the first of these texts that has one; empty where none has."""
    return next((match[0] for text in texts if (match := _YEAR.search(text))), "")


def bibtex_of_paper(track: Card) -> str:
    """The paper of a track as a BibTeX entry; its authors stand in the note, as the citation spells them."""
    number = _ARXIV.search(track.citation)
    eprint = {"eprint": number[1], "archiveprefix": "arXiv"} if number else {}
    return entry(track.name, title=track.paper, howpublished=track.url, note=track.citation, **eprint)
