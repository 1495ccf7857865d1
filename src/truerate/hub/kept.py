"""What people wrote into a card on the Hub, which a release keeps.

Theirs are the keys of the YAML head that no release of ours writes (a gating prompt, settings of the viewer),
and the section between the two lines that every card of ours ends with. All else is ours; the mark of the
repository (truerate.json) holds its digest, so that an edit there is seen.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import yaml

from truerate.core.errors import TruerateError

BEGIN = "<!-- yours: what stands between these two lines is kept by every release -->"
END = "<!-- end of yours -->"
# Keys that a release of ours may write; of every other key the value that stands on the Hub is kept.
OURS = frozenset(
    "license license_name license_link language pretty_name size_categories task_categories tags "
    "annotations_creators source_datasets configs dataset_info library_name pipeline_tag base_model datasets "
    "metrics model-index model_name title emoji colorFrom colorTo sdk app_file short_description".split()
)
_HEAD = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*\r?\n?", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Kept:
    """What is kept of a card: YAML keys that are not ours with their values, and the text of the section."""

    fields: Mapping[str, object] = field(default_factory=dict)
    section: str = ""


def kept_of(card: str) -> Kept:
    """Return what people wrote into a card: keys of its YAML head, and their section."""
    head, body = _parted(card)
    section = body.split(BEGIN, 1)[1].split(END, 1)[0] if BEGIN in body else ""
    return Kept({name: value for name, value in head.items() if name not in OURS}, section.strip("\r\n"))


def with_kept(card: str, kept: Kept) -> str:
    """A card of ours that ends with the section of theirs, and whose head holds their keys behind ours."""
    text = f"{card.rstrip()}\n\n{BEGIN}\n" + (f"{kept.section}\n" if kept.section else "") + f"{END}\n"
    if not kept.fields:
        return text
    more = yaml.safe_dump(dict(kept.fields), allow_unicode=True, sort_keys=False, width=1000)
    head = _HEAD.match(text)
    if head is None:
        return f"---\n{more}---\n\n{text}"
    return f"{text[: head.end(1)]}{more}{text[head.end(1) :]}"


def digest_of(card: str) -> str:
    """The SHA-256 of our part of a card, without people's keys and section, and blanks at line ends."""
    head, body = _parted(card)
    ours = {name: value for name, value in head.items() if name in OURS}
    if BEGIN in body:
        before, rest = body.split(BEGIN, 1)
        body = before + (rest.split(END, 1)[1] if END in rest else "")
    lines = [line.rstrip() for line in body.splitlines()]
    text = yaml.safe_dump(ours, allow_unicode=True, sort_keys=True) + "\n".join(filter(None, lines))
    return hashlib.sha256(text.encode()).hexdigest()


def refuse_edited(card: str, digest: str | None, *, where: str) -> None:
    """Raise TruerateError where a card is not as our release left it (`digest`, if its mark has one), but for
    what is kept.
    """
    if digest and card and digest_of(card) != digest:
        advice = f"move the text between the lines {BEGIN!r} and {END!r} at its end, or say --replace-card"
        raise TruerateError(f"{where}: its README.md was edited by hand where a release writes; {advice}")


def _parted(card: str) -> tuple[dict, str]:
    """The YAML head of a card, empty where it has none that can be read, and the text below it."""
    match = _HEAD.match(card)
    if match is None:
        return {}, card
    try:
        head = yaml.safe_load(match[1])
    except yaml.YAMLError:
        head = None
    return (head, card[match.end() :]) if isinstance(head, dict) else ({}, card[match.end() :])


# ---- the change log ----------------------------------------------------------------------------------------
TITLE = "# Change log"


class Release(NamedTuple):
    """One entry: `version` is the tag or None, `day` ISO 8601; the counts leave out the log itself."""

    version: str | None
    day: str
    summary: str
    n_added: int
    n_changed: int
    n_deleted: int


def added(old: str, release: Release) -> str:
    """Return the change log with a release on top of the older ones; `old`: the log as it stands, or any
    text, or none.
    """
    counts = f"{release.n_added} added, {release.n_changed} changed, {release.n_deleted} deleted"
    heading = f"## {release.version or 'untagged'} · {release.day}"
    entry = f"{heading}\n\n{' '.join(release.summary.split())}\n\nFiles besides this one: {counts}.\n"
    older = old.strip().removeprefix(TITLE).strip()
    return f"{TITLE}\n\n{entry}" + (f"\n{older}\n" if older else "")
