"""Licences: what a source's own words mean on the Hub, which may be joined, and what may go out under which
(licences.yaml).

In doubt it refuses: what nobody stated, or somebody refuses, allows nothing, and words that are not
understood are a licence of their own that goes with no other.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from truerate.core.data_files import read_data
from truerate.core.errors import TruerateError, listed

_FACTS = read_data(Path(__file__).with_name("licences.yaml"), dict)
_ENTRIES: Mapping[str, dict[str, str]] = _FACTS["licences"]
_RANKS = {id: rank for rank, id in enumerate(_ENTRIES)}
GOES_INTO: Mapping[str, frozenset[str]] = {kind: frozenset(into) for kind, into in _FACTS["kinds"].items()}
# not even under their own licence: labelled, cut and joined rows are derivatives
SHUT = ("no-derivatives", "unknown")


@dataclass(frozen=True)
class Licence:
    """A licence as the Hub names it: `id` is one of its identifiers, `other` where none fits; then `name`
    (and `link`) say which it is.

    `is_known` is False where nobody said what may be done with the texts, or somebody refuses it. `parts` are
    the licences that its words name where these cannot be joined: such texts have no licence as one work.
    """

    id: str
    name: str
    link: str | None = None
    is_share_alike: bool = False
    is_non_commercial: bool = False
    is_known: bool = True
    is_no_derivatives: bool = False
    parts: tuple["Licence", ...] = ()

    @property
    def kind(self) -> str:
        """What it asks of a work that holds texts under it: a key of `GOES_INTO`."""
        if not self.is_known:
            return "unknown"
        if self.id in _ENTRIES:
            return _ENTRIES[self.id]["kind"]
        return "no-derivatives" if self.is_no_derivatives else "other"

    @property
    def identity(self) -> tuple[str, str]:
        """What tells it from other licences."""
        return self.id, "" if self.id in _ENTRIES else self.name


def _listed_licence(id: str, name: str, kind: str, link: str, **_: str) -> Licence:
    return Licence(
        id,
        name,
        link,
        is_share_alike="share-alike" in kind,
        is_non_commercial="non-commercial" in kind or "-nc-" in id,
        is_no_derivatives=kind == "no-derivatives",
    )


LICENCES: Mapping[str, Licence] = {id: _listed_licence(id, **entry) for id, entry in _ENTRIES.items()}

# ---- words -------------------------------------------------------------------------------------------------
_SILENT, _REFUSED, _NARROWED = (
    re.compile("|".join(_FACTS[key])) for key in ("silent", "refused", "narrowed")
)
_SPELLED = {f"s{rank}": id for id, rank in _RANKS.items() if "spelled" in _ENTRIES[id]}
_CC = r"(?P<cc>cc[ -]by(?:[ -](?:nc|sa|nd))*)(?:[ -]?(?:licen[cs]e )?(?:v|version )?(?P<version>\d\.\d))?"
_SPELLINGS = "|".join(f"(?P<{group}>{_ENTRIES[id]['spelled']})" for group, id in _SPELLED.items())
_NAMES = re.compile(f"(?<![a-z0-9-])(?:{_CC}|{_SPELLINGS})(?![a-z0-9-])")
_REMARK = re.compile(r"\([^()]*\)")


def licence_of(words: str) -> Licence:
    """Return the one licence that a card's own words say.

    `A; B` (or `A / B`) are joined: the strictest that all may go into. Where there is none, and where words
    are not understood, it is `other` with these words as its name; where a part is not stated, or may not go
    out, it is not known.
    """
    words = " ".join(words.split())
    parts = [licence for statement in words.split(";") for licence in _licences_in(statement.strip())]
    if not all(part.is_known for part in parts):
        return Licence("other", words or "not stated", is_known=False)
    whole = parts[0] if len(parts) == 1 else combined(parts)
    if whole is not None and whole.id in LICENCES:
        return whole
    flags = ("is_share_alike", "is_non_commercial", "is_no_derivatives")
    asked = {flag: any(getattr(part, flag) for part in parts) for flag in flags}
    return Licence("other", words, **asked, parts=() if whole else tuple(_flat(parts)))


def _licences_in(statement: str) -> list[Licence]:
    """The licences that one part of a card's words names; remarks in brackets say what they cover."""
    plain = statement.casefold()
    outside = _REMARK.sub(" ", plain).strip(" .,") or plain
    if "creative commons" in outside:
        for word, short in _FACTS["abbreviations"].items():
            outside = re.sub(word, short, outside)
    licences = [_read(match, statement) for match in _NAMES.finditer(outside)]
    if any(words.search(text) for words in (_SILENT, _REFUSED) for text in (outside, plain)):
        return [Licence("other", statement or "not stated", is_known=False)]
    remainder = " ".join([_NAMES.sub(" ", outside), *_REMARK.findall(plain)])
    return licences if licences and not _NARROWED.search(remainder) else [Licence("other", statement)]


def _read(match: re.Match, statement: str) -> Licence:
    """One name as a licence; a Creative Commons version without an id on the Hub is `other`."""
    if not match["cc"]:
        return next(LICENCES[id] for group, id in _SPELLED.items() if match[group])
    elements = sorted(set(re.split("[ -]", match["cc"])[2:]))  # nc, nd, sa: the order of the Hub's ids
    id = "-".join(["cc-by", *elements, match["version"] or ""])
    names = {"sa": "is_share_alike", "nc": "is_non_commercial", "nd": "is_no_derivatives"}
    return LICENCES.get(id) or Licence("other", statement, **{names[element]: True for element in elements})


# ---- rules -------------------------------------------------------------------------------------------------
def goes_into(part: Licence, whole: Licence) -> bool:
    """Return whether a text under one licence may stand in a work under another (`kinds`, `later`, order of
    licences.yaml).
    """
    if part.kind in SHUT or part.parts:
        return False
    if part.identity == whole.identity or _ENTRIES.get(part.id, {}).get("later") == whole.id:
        return True
    if whole.kind not in GOES_INTO[part.kind]:
        return False
    return part.kind != whole.kind or _RANKS[part.id] < _RANKS[whole.id]


def combined(licences: Iterable[Licence]) -> Licence | None:
    """The licence of a work that holds texts under all of these: the strictest of them, if all others may go
    into it.

    None where they cannot be joined (two share-alike ones, share-alike with non-commercial), where one allows
    no derivatives or is not known, and for none at all.
    """
    parts = _flat(licences)
    return next((whole for whole in parts if all(goes_into(part, whole) for part in parts)), None)


def _flat(licences: Iterable[Licence]) -> list[Licence]:
    """Each licence once, and the parts of one that is several."""
    parts = (part for licence in licences for part in (licence.parts or (licence,)))
    return list({part.identity: part for part in parts}.values())


def check_target(target: str, licences: Iterable[Licence], *, what: str) -> Licence:
    """The licence of the Hub's id `target`, if all of `licences` may go out under it; `what` goes out, for
    the message.

    Raises TruerateError where the id is none of ours (so are `other` and `unknown`), or a licence does not
    allow it.
    """
    if target not in LICENCES:
        problem = f"{target!r} is no licence that can be asked for"
        raise TruerateError(f"publishing {what}: {problem}; allowed: {listed(LICENCES)}")
    parts = _flat(licences)
    if against := [part.name for part in parts if not goes_into(part, LICENCES[target])]:
        allowed = [id for id, whole in LICENCES.items() if all(goes_into(part, whole) for part in parts)]
        hint = "one of these" if allowed else "null, so that each config goes out under its own"
        problem = f"not allowed by {'; '.join(against)}; allowed: {listed(allowed)}"
        advice = f"set hub.licence{' to ' if allowed else ': '}{hint}"
        raise TruerateError(f"publishing {what} under {target!r}: {problem}; {advice}")
    return LICENCES[target]


def words_of(card: Mapping) -> str:
    """The words on the licence of what may be published: `own_licence` if only the source's own part may."""
    whole = card.get("licence") or ""
    is_whole = card.get("redistribution") == "yes" or not card.get("own_redistribution")
    return whole if is_whole else card.get("own_licence") or whole


def refuse_unpublishable(card: Mapping, *, what: str, advice: str = "") -> None:
    """Raise TruerateError where a source's card lets nothing out: neither texts nor ids, no known licence, or
    licences that cannot be joined (its tables do not say which row is under which). `advice` ends the message.
    """
    rights, words = (card.get("redistribution"), card.get("own_redistribution")), words_of(card)
    where = f"publishing {what}: source {card.get('name') or '?'!r}, licence {words or 'not stated'!r}"
    hint = (
        "whoever holds the rights can allow it (`redistribution`, `licence`) in the source's card "
        f"or under `rights` of the source in params.yaml{advice}"
    )
    if not {"yes", "ids-only"} & set(rights):
        stated = rights[0] or "not stated"
        raise TruerateError(f"{where}: redistribution is {stated!r}; allowed: yes, ids-only; {hint}")
    licence = licence_of(words)
    if not licence.is_known or any(part.kind in SHUT for part in _flat([licence])):
        why = "allows no derivatives" if licence.is_known else "is not known"
        allowed = f"{listed(LICENCES)} and named ones"
        raise TruerateError(
            f"{where}: the licence {why}, so nothing of it goes out; allowed: {allowed}; {hint}"
        )
    if licence.parts:
        hint = f"make a source, and a board, of each in params.yaml{advice}"
        raise TruerateError(f"{where}: texts under these cannot stand in one work; {hint}")
