"""How a repository and its paper are cited: BibTeX entries whose every value is data and nothing more."""

import re

from truerate.core.card import Card
from truerate.core.text import clean

_KINDS = {"dataset": "Data set", "model": "Model", "space": "Site"}
_PAGES = {"dataset": "datasets/", "model": "", "space": "spaces/"}
_AS_IS = ("howpublished", "eprint", "archiveprefix")
_ACTS = re.compile(r"([&%$#_])")
_ARXIV = re.compile(r"arXiv:(\d{4}\.\d{4,5})")


def signed(card: str, maker: str) -> str:
    """A card that ends by saying what made it; as it is where nobody says."""
    return f"{card.rstrip()}\n\nMade by {maker}.\n" if maker else card


def bibtex(repo: str, title: str, kind: str) -> str:
    """A repository of the Hub as a BibTeX entry of type `misc`."""
    address = f"https://huggingface.co/{_PAGES[kind]}{repo}"
    return entry(repo, title=title, howpublished=address, note=f"{_KINDS[kind]}, made by truerate")


def bibtex_of_paper(track: Card) -> str:
    """The paper of a track as a BibTeX entry; its authors stand in the note, as the citation spells them."""
    found = _ARXIV.search(track.citation)
    eprint = {"eprint": found[1], "archiveprefix": "arXiv"} if found else {}
    return entry(track.name, title=track.paper, howpublished=track.url, note=track.citation, **eprint)


def entry(key: str, **fields: str) -> str:
    """A BibTeX entry of type `misc` under a key of letters, digits and hyphens.

    Braces, backslashes, line breaks and backticks of a value, which would end it or the block that shows it, are
    left out; what LaTeX acts on in words is escaped, in addresses it is not.
    """
    name = re.sub(r"[^A-Za-z0-9]+", "-", key).strip("-").lower()
    plain = {field: " ".join(re.sub(r"[{}\\`]", "", clean(text)).split()) for field, text in fields.items()}
    told = {field: text if field in _AS_IS else _ACTS.sub(r"\\\1", text) for field, text in plain.items()}
    lines = [f"  {field} = {{{text}}}," for field, text in told.items() if text]
    return "\n".join([f"@misc{{{name},", *lines, "}"])
