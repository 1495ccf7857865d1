"""A docstring in one line: what the function computes, the range of its value, and its sources."""

import re
from dataclasses import dataclass

_END = re.compile(
    r"(?<=\.)(?<!\b[A-Z]\.)(?<! al\.)(?<!Ann\.)(?<!Eq\.)\s+(?=[A-Z`Σλ√\d])|\n\s*\n"
)  # of a sentence
# A range is a phrase of its own, `…, in [0, 1]` or `In [0, 1]`: elsewhere it is that of an argument.
_RANGE = re.compile(r"(?:^|[,;.] )(?:[Ii]n (\[[−\d.]+, [\d.]+\])|([Aa]t (?:most|least) \d))(?=\W|$)")
_NAME = r"[A-Z][\w’'-]+"
_CITED = re.compile(
    rf"((?:{_NAME}(?:, | & |, & ))*{_NAME}(?: et al\.)?)(?:,? \(?| [a-z][a-z –-]{{0,40}}\()((?:18|19|20)\d\d)\b"
)
_OWNED = re.compile(r"[’']s?(?=$| )")
_PAPER = re.compile(
    r"\b(?:mFAVA|HaluEval|HalluDial|FActScore) (?:(?:Eq\.|Table|section|Figure) )?\d+(?:\.\d+)*"
)
_BRACKETS = re.compile(rf" ?\((?:[^()]*(?:18|19|20)\d\d[^()]*|{_PAPER.pattern}[^()]*)\)")


@dataclass(frozen=True)
class Brief:
    """One line of the index of functions: what it computes, and `range` and `source`, empty where not stated."""

    text: str
    range: str = ""
    source: str = ""


def brief(doc: str) -> Brief:
    """Return the first sentence of a docstring without "Return", sources and range, and these two beside it."""
    whole = " ".join(doc.split())
    first = " ".join(_END.split(doc.strip(), maxsplit=1)[0].split())
    text = _RANGE.sub("", _BRACKETS.sub("", first)).removeprefix("Return ").rstrip(" .,:;")
    stated = _RANGE.search(whole)
    cited = [f"{_OWNED.sub('', names)} {year}" for names, year in _CITED.findall(whole)]
    return Brief(
        text=text[:1].upper() + text[1:] if re.match(r"[a-z]{2,} ", text) else text,
        range=(stated[1] or stated[2].lower()) if stated else "",
        source="; ".join(dict.fromkeys([*_PAPER.findall(whole), *cited])),
    )
