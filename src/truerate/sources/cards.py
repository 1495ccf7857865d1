"""The card of a source (name, rights), by cards.yaml or the folder's `source.json`."""

import json
from functools import cache
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlsplit

from truerate.core.data_files import read_data
from truerate.core.errors import SourceError
from truerate.sources.cuts import parse
from truerate.sources.rows import BadRow

CARD_FIELDS = ("name", "citation", "licence", "redistribution", "url", "lang")
# of a card where its reader, or source.json, says them
TOLD_FIELDS = ("note", "caveats", "labelled_by", "judge", "judges_own")
OF_MODELS = ("task", "dated")  # of a set's models
RIGHTS = ("name", "citation", "licence", "redistribution", "url")
REDISTRIBUTION = ("no", "ids-only", "yes")


@cache
def _published_cards() -> dict[str, dict]:
    return read_data(Path(__file__).with_name("cards.yaml"), dict)


def published_card(reader: str) -> dict:
    """Return the card of the set that a reader was written for, as cards.yaml has it, without OF_MODELS."""
    return {field: value for field, value in _published_cards()[reader].items() if field not in OF_MODELS}


def of_models(reader: str, part: str | None) -> dict[str, str]:
    """Return what the models of a published set were asked to do, and when it was published; empty of others."""
    card = _published_cards().get(reader, {})
    by_part = card.get("task", "")
    task = by_part if isinstance(by_part, str) else by_part[part or ""]
    return {"task": task, "dated": card.get("dated", "")}


def card_in(folder: Path, name: str) -> dict:
    """Return what `source.json` says of the folder's rights and language; raises SourceError where it is not
    of this form.
    """
    path, where = folder / "source.json", f"source {name!r}: source.json"
    if not path.exists():
        return {}
    try:
        card = parse(path.read_bytes())
    except (OSError, BadRow) as error:
        raise SourceError(f"{where}: {getattr(error, 'strerror', None) or error}") from None
    if not isinstance(card, dict) or card.get("redistribution", "no") not in REDISTRIBUTION:
        allowed = ", ".join(REDISTRIBUTION)
        raise SourceError(f"{where} must be an object whose `redistribution` is one of {allowed}")
    for field in CARD_FIELDS:
        if not isinstance(card.get(field, ""), str if field in ("name", "licence") else str | None):
            raise SourceError(f"{where}: {field!r} is {card[field]!r}; it must be text, or not stand there")
    return {"licence": "not stated", "redistribution": "no", "is_wikipedia": False} | card


def keep_card(folder: Path, card: dict) -> None:
    """Say in a folder whose its files are, where it does not say so yet: in `source.json`."""
    if not (path := folder / "source.json").exists():
        path.write_text(json.dumps(card, ensure_ascii=False, indent=1) + "\n", "utf-8")


def own_card(name: str, given: dict) -> dict:
    """The rights of a source by its name and its `source.json`, whatever the card of its format says."""
    card = dict.fromkeys(RIGHTS) | {"name": name, "licence": "not stated", "redistribution": "no"}
    return card | {field: given[field] for field in (*RIGHTS, *TOLD_FIELDS) if given.get(field)}


@cache
def _published_sums() -> frozenset[str]:
    """SHA-256 of the files of public sets, as their publishers have them and as this project has repacked
    them.
    """
    lines = (files(__package__) / "published.sha256").read_text("utf-8").splitlines()
    return frozenset(line.partition(" ")[0] for line in lines)


def are_published(card: dict) -> bool:
    """Return whether all files that were read are files of public sets, unchanged."""
    return bool(card["files"]) and {file["sha256"] for file in card["files"]} <= _published_sums()


def is_of_wikipedia(url: str | None) -> bool:
    """Return whether an address is of Wikipedia, in any language, by its host alone."""
    try:
        host = (urlsplit(url or "").hostname or "").rstrip(".")
    except ValueError:
        return False
    return host == "wikipedia.org" or host.endswith(".wikipedia.org")
