"""The card of a source: its name and rights as the folder's `source.json` says them."""

from pathlib import Path
from urllib.parse import urlsplit

from truerate.core.errors import SourceError
from truerate.sources.cuts import parse
from truerate.sources.rows import BadRow

CARD_FIELDS = ("name", "citation", "licence", "redistribution", "url", "lang")
# of a card where its reader, or source.json, says them
TOLD_FIELDS = ("note", "caveats", "labelled_by", "judge", "judges_own")
REDISTRIBUTION = ("no", "ids-only", "yes")


def card_in(folder: Path, name: str) -> dict:
    """What `source.json` says of the folder's rights and language; nothing where there is none.

    Raises SourceError where it is no object of these fields.
    """
    path = folder / "source.json"
    if not path.exists():
        return {}
    try:
        card = parse(path.read_bytes())
    except OSError as error:
        raise SourceError(f"source {name!r}: source.json: {error.strerror}") from None
    except BadRow as bad:
        raise SourceError(f"source {name!r}: source.json: {bad.detail}") from None
    if not isinstance(card, dict) or card.get("redistribution", "no") not in REDISTRIBUTION:
        raise SourceError(
            f"source {name!r}: source.json must be an object whose `redistribution` is one of {', '.join(REDISTRIBUTION)}"
        )
    wrong = [
        field
        for field in CARD_FIELDS
        if not isinstance(card.get(field, ""), str if field in ("name", "licence") else str | None)
    ]
    if wrong:
        raise SourceError(
            f"source {name!r}: source.json: {wrong[0]!r} is {card[wrong[0]]!r}; it must be text, or not stand there"
        )
    return {"licence": "not stated", "redistribution": "no", "is_wikipedia": False} | card


def is_of_wikipedia(url: str | None) -> bool:
    """Whether an address is of Wikipedia, in any language: its host alone tells, not what stands behind it."""
    try:
        host = (urlsplit(url or "").hostname or "").rstrip(".")
    except ValueError:
        return False
    return host == "wikipedia.org" or host.endswith(".wikipedia.org")
