"""Licences: what a source's own words mean on the Hub, which of them may be joined, and what may not go out
under which.

This is a reading of the licences for the use made of them here (tables of texts and labels), not legal
advice. It errs on the side of refusing: what nobody stated, or somebody refuses, allows nothing, and other
words that are not understood are a licence of their own that goes with no other.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from truerate.core.errors import TruerateError, listed

CC, ODC, CDLA = "https://creativecommons.org/", "https://opendatacommons.org/licenses/", "https://cdla.dev/"


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
        return KINDS.get(self.id) or ("no-derivatives" if self.is_no_derivatives else "other")

    @property
    def identity(self) -> tuple[str, str]:
        """What tells it from other licences."""
        return self.id, "" if self.id in KINDS else self.name


# What a text of a kind may stand in, besides a work under its very own licence. One-way: what asks little
# goes into what asks more.
GOES_INTO: Mapping[str, frozenset[str]] = {
    "public": frozenset(
        (
            "public",
            "notice",
            "attribution",
            "non-commercial",
            "share-alike",
            "non-commercial share-alike",
            "other",
        )
    ),
    "notice": frozenset(
        ("notice", "attribution", "non-commercial", "share-alike", "non-commercial share-alike", "other")
    ),
    "attribution": frozenset(
        ("attribution", "non-commercial", "share-alike", "non-commercial share-alike", "other")
    ),
    "non-commercial": frozenset(("non-commercial", "non-commercial share-alike")),
    "share-alike": frozenset(),
    "non-commercial share-alike": frozenset(),
    "other": frozenset(),
    "no-derivatives": frozenset(),
    "unknown": frozenset(),
}
SHUT = (
    "no-derivatives",
    "unknown",
)  # not even under their own licence: labelled, cut and joined rows are derivatives
LATER = {  # share-alike licences that themselves allow a later version
    "cc-by-sa-3.0": "cc-by-sa-4.0",
    "cc-by-nc-sa-2.0": "cc-by-nc-sa-4.0",
    "cc-by-nc-sa-3.0": "cc-by-nc-sa-4.0",
}
# (the Hub's id, its name, where it stands, kind). Within a kind a text goes into what stands below it, not
# above.
ROWS = (
    ("cc0-1.0", "CC0 1.0", f"{CC}publicdomain/zero/1.0/", "public"),
    ("pddl", "PDDL 1.0", f"{ODC}pddl/1-0/", "public"),
    ("unlicense", "The Unlicense", "https://unlicense.org/", "public"),
    ("cdla-permissive-2.0", "CDLA-Permissive-2.0", f"{CDLA}permissive-2-0/", "notice"),
    ("cdla-permissive-1.0", "CDLA-Permissive-1.0", f"{CDLA}permissive-1-0/", "notice"),
    ("isc", "ISC", "https://opensource.org/license/isc-license-txt", "notice"),
    ("mit", "MIT", "https://opensource.org/license/mit", "notice"),
    ("bsd-2-clause", "BSD 2-Clause", "https://opensource.org/license/bsd-2-clause", "notice"),
    ("bsd-3-clause", "BSD 3-Clause", "https://opensource.org/license/bsd-3-clause", "notice"),
    ("apache-2.0", "Apache-2.0", "https://www.apache.org/licenses/LICENSE-2.0", "notice"),
    ("odc-by", "ODC-BY 1.0", f"{ODC}by/1-0/", "attribution"),
    ("cc-by-2.0", "CC BY 2.0", f"{CC}licenses/by/2.0/", "attribution"),
    ("cc-by-2.5", "CC BY 2.5", f"{CC}licenses/by/2.5/", "attribution"),
    ("cc-by-3.0", "CC BY 3.0", f"{CC}licenses/by/3.0/", "attribution"),
    ("cc-by-4.0", "CC BY 4.0", f"{CC}licenses/by/4.0/", "attribution"),
    ("cc-by-nc-2.0", "CC BY-NC 2.0", f"{CC}licenses/by-nc/2.0/", "non-commercial"),
    ("cc-by-nc-3.0", "CC BY-NC 3.0", f"{CC}licenses/by-nc/3.0/", "non-commercial"),
    ("cc-by-nc-4.0", "CC BY-NC 4.0", f"{CC}licenses/by-nc/4.0/", "non-commercial"),
    ("odbl", "ODbL 1.0", f"{ODC}odbl/1-0/", "share-alike"),
    ("cdla-sharing-1.0", "CDLA-Sharing-1.0", f"{CDLA}sharing-1-0/", "share-alike"),
    ("gfdl", "GFDL", "https://www.gnu.org/licenses/fdl-1.3.html", "share-alike"),
    ("cc-by-sa-3.0", "CC BY-SA 3.0", f"{CC}licenses/by-sa/3.0/", "share-alike"),
    ("cc-by-sa-4.0", "CC BY-SA 4.0", f"{CC}licenses/by-sa/4.0/", "share-alike"),
    ("cc-by-nc-sa-2.0", "CC BY-NC-SA 2.0", f"{CC}licenses/by-nc-sa/2.0/", "non-commercial share-alike"),
    ("cc-by-nc-sa-3.0", "CC BY-NC-SA 3.0", f"{CC}licenses/by-nc-sa/3.0/", "non-commercial share-alike"),
    ("cc-by-nc-sa-4.0", "CC BY-NC-SA 4.0", f"{CC}licenses/by-nc-sa/4.0/", "non-commercial share-alike"),
    ("cc-by-nd-4.0", "CC BY-ND 4.0", f"{CC}licenses/by-nd/4.0/", "no-derivatives"),
    ("cc-by-nc-nd-3.0", "CC BY-NC-ND 3.0", f"{CC}licenses/by-nc-nd/3.0/", "no-derivatives"),
    ("cc-by-nc-nd-4.0", "CC BY-NC-ND 4.0", f"{CC}licenses/by-nc-nd/4.0/", "no-derivatives"),
)
KINDS: Mapping[str, str] = {id: kind for id, _, _, kind in ROWS}
PLACES: Mapping[str, int] = {id: rank for rank, id in enumerate(KINDS)}


def _asked(kind: str, id: str = "") -> dict[str, bool]:
    return {
        "is_share_alike": "share-alike" in kind,
        "is_non_commercial": "non-commercial" in kind or "-nc-" in id,
        "is_no_derivatives": kind == "no-derivatives",
    }


LICENCES: Mapping[str, Licence] = {
    id: Licence(id, name, link, **_asked(kind, id)) for id, name, link, kind in ROWS
}

# ---- words -------------------------------------------------------------------------------------------------
SILENT = re.compile(  # nobody said what may be done
    r"^(?:none|n/?a|-|–|\?)?$|\b(?:not|un|nowhere)[ -]?(?:stated|known|specified|given|clear)\b|\bcopyright|\ball rights reserved\b"
    r"|\b(?:no|without) licen[cs]e\b"
)
# somebody says that it may not go out, or that one has to ask; a known name beside it does not change that
REFUSED = re.compile(
    r"\bproprietary\b|\binternal\b|\bconfidential\w*|\bdo(?:es)? not\b|\bdon['’]?t\b|\bpermissions?\b|\bask\b|\bcontact\b|\bon request\b"
    r"|\bupon request\b|\bfair[ -](?:use|dealing)\b|\blicen[cs]ed? (?:from|to)\b|(?<!community data licen[cs]e )\bagreements?\b"
    r"|\b(?:not?|non|never|without)\b[ -]?(?:\w+ ){0,2}(?:re-?)?distribut\w*"
    r"|\b(?:re-?)?distribut\w+ (?:is |are )?(?:not|prohibited|forbidden|restricted)\b"
    r"|\btb[adc]\b|\bto be (?:announced|decided|determined|confirmed)\b|\bpending\b"
)
NARROWED = re.compile(  # a known licence with a restriction of somebody's own is not that licence
    r"\b(?:only|except|not|no|non[ -]?commercial|research|academic|personal|prohibited|forbidden|restrict\w*)\b"
)
# How people write what is not the Hub's id; the first that fits at a place counts, so longer names stand
# before shorter ones.
SPELLINGS = (
    (r"creative commons zero|cc[ -]?zero|cc[ -]?0(?:[ -]1\.0)?", "cc0-1.0"),
    (r"odc[ -]?pddl(?:[ -]1\.0)?|pddl(?:[ -]1\.0)?", "pddl"),
    (r"(?:the )?unlicense", "unlicense"),
    (r"cdla[ -]permissive[ -](?:v|version )?2(?:\.0)?", "cdla-permissive-2.0"),
    (r"cdla[ -]permissive[ -](?:v|version )?1(?:\.0)?", "cdla-permissive-1.0"),
    (r"cdla[ -]sharing(?:[ -](?:v|version )?1(?:\.0)?)?", "cdla-sharing-1.0"),
    (r"apache(?:[ -]software)?(?:[ -]licen[cs]e)?,?[ -]?(?:v|version )?2(?:\.0)?", "apache-2.0"),
    (r"bsd[ -]2(?:[ -]clause)?", "bsd-2-clause"),
    (r"bsd[ -]3(?:[ -]clause)?", "bsd-3-clause"),
    (
        r"odc[ -]by(?:[ -](?:v|version )?1\.0)?|open data commons attribution(?: licen[cs]e)?(?: v?1\.0)?",
        "odc-by",
    ),
    (r"odbl(?:[ -](?:v|version )?1\.0)?|odc[ -]odbl(?:[ -]1\.0)?", "odbl"),
    (r"gfdl|gnu free documentation licen[cs]e", "gfdl"),
    (r"mit", "mit"),
    (r"isc", "isc"),
)
_CC_WORDS = {
    "creative commons": "cc",
    "attribution": "by",
    "non[ -]?commercial": "nc",
    "share[ -]?alike": "sa",
    r"no[ -]?deriv\w*": "nd",
}
_CC = r"(?P<cc>cc[ -]by(?:[ -](?:nc|sa|nd))*)(?:[ -]?(?:licen[cs]e )?(?:v|version )?(?P<version>\d\.\d))?"
_SPELLED = "|".join(f"(?P<s{rank}>{spelling})" for rank, (spelling, _) in enumerate(SPELLINGS))
_NAMES = re.compile(f"(?<![a-z0-9-])(?:{_CC}|{_SPELLED})(?![a-z0-9-])")
_REMARK = re.compile(r"\([^()]*\)")


def licence_of(words: str) -> Licence:
    """What a card's own words say: one licence.

    `A; B` (or `A / B`) are joined: the strictest that all may go into. Where there is none, and where the
    words are not understood, it is `other` with these words as its name; where a part says that nobody stated
    it, or that it may not go out, the whole is not known.
    """
    words = " ".join(words.split())
    parts = [licence for statement in words.split(";") for licence in _licences_in(statement.strip())]
    if not all(part.is_known for part in parts):
        return Licence("other", words or "not stated", is_known=False)
    whole = parts[0] if len(parts) == 1 else combined(parts)
    if whole is not None and whole.id in LICENCES:
        return whole
    asked = {name: any(getattr(part, name) for part in parts) for name in _asked("")}
    return Licence("other", words, **asked, parts=() if whole else tuple(_flat(parts)))


def _licences_in(statement: str) -> list[Licence]:
    """The licences that one part of a card's words names; remarks in brackets say what they cover."""
    plain = statement.casefold()
    outside = _REMARK.sub(" ", plain).strip(" .,") or plain
    if "creative commons" in outside:
        for word, short in _CC_WORDS.items():
            outside = re.sub(word, short, outside)
    licences = [_read(match, statement) for match in _NAMES.finditer(outside)]
    if any(words.search(text) for words in (SILENT, REFUSED) for text in (outside, plain)):
        return [Licence("other", statement or "not stated", is_known=False)]
    remainder = " ".join([_NAMES.sub(" ", outside), *_REMARK.findall(plain)])
    return licences if licences and not NARROWED.search(remainder) else [Licence("other", statement)]


def _read(match: re.Match, statement: str) -> Licence:
    """One name as a licence; a Creative Commons version without an id on the Hub is `other`."""
    if not match["cc"]:
        return next(LICENCES[id] for index, (_, id) in enumerate(SPELLINGS) if match[f"s{index}"])
    elements = sorted(set(re.split("[ -]", match["cc"])[2:]))  # nc, nd, sa: the order of the Hub's ids
    id = "-".join(["cc-by", *elements, match["version"] or ""])
    asked = {
        "is_share_alike": "sa" in elements,
        "is_non_commercial": "nc" in elements,
        "is_no_derivatives": "nd" in elements,
    }
    return LICENCES.get(id) or Licence("other", statement, **asked)


# ---- rules -------------------------------------------------------------------------------------------------
def goes_into(part: Licence, whole: Licence) -> bool:
    """Whether a text under one licence may stand in a work under another (`GOES_INTO`, `LATER`, `ROWS`)."""
    if part.kind in SHUT or part.parts:
        return False
    if part.identity == whole.identity or LATER.get(part.id) == whole.id:
        return True
    if whole.kind not in GOES_INTO[part.kind]:
        return False
    return part.kind != whole.kind or PLACES[part.id] < PLACES[whole.id]


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
    return list(
        {part.identity: part for licence in licences for part in (licence.parts or (licence,))}.values()
    )


def check_target(target: str, licences: Iterable[Licence], *, what: str) -> Licence:
    """The licence of the Hub's id `target`, if all of `licences` may go out under it; `what` is what goes
    out, for the message.

    Raises TruerateError where the id is none of ours (`other` and `unknown` say nothing, so they are none) or
    one of the licences does not allow it.
    """
    if target not in LICENCES:
        raise TruerateError(
            f"publishing {what}: {target!r} is no licence that can be asked for; allowed: {listed(LICENCES)}"
        )
    parts = _flat(licences)
    if against := [part.name for part in parts if not goes_into(part, LICENCES[target])]:
        where = f"publishing {what} under {target!r}: not allowed by {'; '.join(against)}"
        allowed = [id for id, whole in LICENCES.items() if all(goes_into(part, whole) for part in parts)]
        hint = (
            "set hub.licence to one of these"
            if allowed
            else "set hub.licence: null, so that each config goes out under its own"
        )
        raise TruerateError(f"{where}; allowed: {listed(allowed)}; {hint}")
    return LICENCES[target]


def words_of(card: Mapping) -> str:
    """The words on the licence of what may be published: `own_licence` if only the source's own part may."""
    whole = card.get("licence") or ""
    return (
        whole
        if card.get("redistribution") == "yes" or not card.get("own_redistribution")
        else card.get("own_licence") or whole
    )


def refuse_unpublishable(card: Mapping, *, what: str) -> None:
    """Raise TruerateError where a source's card lets nothing out: neither texts nor ids, of all or of its
    own, or no known licence.

    Nor does a source go out whose texts are under licences that cannot be joined: its tables do not say which
    row is under which.
    """
    rights = (card.get("redistribution"), card.get("own_redistribution"))
    where = (
        f"publishing {what}: source {card.get('name') or '?'!r}, licence {words_of(card) or 'not stated'!r}"
    )
    allow = "whoever holds the rights can allow it (`redistribution`, `licence`)"
    hint = f"{allow} in the source's card or under `rights` of the source in params.yaml"
    if not {"yes", "ids-only"} & set(rights):
        raise TruerateError(
            f"{where}: redistribution is {rights[0] or 'not stated'!r}; allowed: yes, ids-only; {hint}"
        )
    licence = licence_of(words_of(card))
    if not licence.is_known or any(part.kind in SHUT for part in _flat([licence])):
        why = "allows no derivatives" if licence.is_known else "is not known"
        raise TruerateError(
            f"{where}: the licence {why}, so nothing of it goes out; allowed: {listed(LICENCES)} and named ones; {hint}"
        )
    if licence.parts:
        raise TruerateError(
            f"{where}: texts under these cannot stand in one work; make a source, and a board, of each in params.yaml"
        )
