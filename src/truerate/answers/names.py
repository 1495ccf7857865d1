"""Names of systems and values of fields: what is seen alike is one, and what only looks alike is said."""

import unicodedata
from collections.abc import Iterable, Iterator

from truerate.core.invisible import is_unseen

# Letters and signs that look like others, after case folding.
_LOOKS = str.maketrans(
    "авекмнорстухіјѕһԁԛԝьαβεικνορτυχγ01‐‑‒–—―−_", "abekmhopctyxijshdqwbabeikvoptuxyol--------"
)


def plain(name: str) -> str:
    """A name for comparison and display: NFKC, no invisible signs, single blanks."""
    visible = (sign for sign in unicodedata.normalize("NFKC", name) if not is_unseen(sign))
    return " ".join("".join(visible).split())


def look_alikes(field: str, written: Iterable[str]) -> Iterator[str]:
    """Yield a line for names of a field that are one however they are written, and for those that look alike and are several."""
    names = sorted(set(written))
    same: dict[str, list[str]] = {}
    alike: dict[str, list[str]] = {}
    for name in names:
        same.setdefault(plain(name), []).append(name)
    for shown in same:
        alike.setdefault(shown.casefold().translate(_LOOKS), []).append(shown)
    for group in same.values():
        if len(group) > 1:
            yield f"{field}: {_listed(group)} are one"
    for group in alike.values():
        if len(group) > 1:
            yield f"{field}: {_listed(group)} look alike and are counted apart; write them alike if they are one"


def _listed(names: Iterable[str]) -> str:
    return " and ".join(map(ascii, names))
