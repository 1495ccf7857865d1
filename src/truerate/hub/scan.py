"""Secrets, e-mail addresses and local paths in the files of a release, by the patterns of scan.yaml.

Polars sifts all strings by rough patterns first; Python looks closely at those that pass."""

import base64
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import NamedTuple
from urllib.parse import quote, quote_plus

import polars as pl

from truerate.core.data_files import read_data
from truerate.core.errors import TruerateError
from truerate.hub.release import Files
from truerate.hub.scan_text import Strings, Unread, frame_of, strings_of

# ---- what secrets, e-mail addresses and local paths look like ----------------------------------------------
EMAIL, PATH = "e-mail address", "local path"


class Rule(NamedTuple):
    """One pattern: the kind that it finds, its regular expression, and a rough one that every hit passes."""

    kind: str
    pattern: re.Pattern
    hint: str


_PATTERNS = read_data(Path(__file__).with_name("scan.yaml"), dict)
_PARTS: Mapping[str, str] = _PATTERNS["parts"]


def _rule(kind: str, pattern: str, hint: str, flags: re.RegexFlag = re.NOFLAG) -> Rule:
    whole = re.sub("<(?:edge|piece|start)>", lambda part: _PARTS[part[0]], pattern)
    return Rule(kind, re.compile(whole, flags), hint)


RULES = (
    *(_rule(kind, **patterns, flags=re.ASCII) for kind, patterns in _PATTERNS["secrets"].items()),
    *(_rule(PATH, **patterns) for patterns in _PATTERNS["paths"]),
    # what stands left of it is read backwards: see `_address`
    _rule(EMAIL, r"(?<=[\w.%+-])@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}", r"@[\w-]+\."),
)
BUILD_RULES = tuple(_rule(PATH, **patterns) for patterns in _PATTERNS["build_paths"])


def is_absolute(path: str) -> bool:
    """Return whether a path starts at a root, of POSIX or of Windows."""
    return PurePosixPath(path).is_absolute() or PureWindowsPath(path).is_absolute()


def place_rule(folder: str) -> Rule:
    """A folder of this machine and what lies in it; Windows' separators either way, and doubled."""
    if PurePosixPath(folder).is_absolute():
        start, pattern = "<start>", pl.escape_regex(folder.rstrip("/"))
    else:
        parts = re.split(r"[\\/]+", folder.rstrip("\\/"))
        start, pattern = "<edge>", r"[\\/]{1,2}".join(map(pl.escape_regex, parts))
    return _rule(PATH, rf"{start}{pattern}(?![A-Za-z0-9_])<piece>{{0,400}}", pattern)


# ---- the scan ----------------------------------------------------------------------------------------------
# How names of variables end whose values are secret; PWD is not among them: it names the current folder.
SECRET_NAMES = ("KEY", "KEY_ID", "TOKEN", "SECRET", "CREDENTIALS", "PASSWORD", "PASSWD", "PASSPHRASE", "PASS")
MIN_SECRET, MIN_PLACE = 8, 6  # characters; a shorter value stands in too many innocent words
N_SHOWN = 4  # characters of a find
BUILD = "build/"  # the folder that says how a release came about
_BEHIND_HOST = re.compile(r"://[^\s/:?#=\"'<>]{1,253}\Z")
_AT_ASCII = re.compile(r"@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}")
_IN_ADDRESS = re.compile(r"[\w.%+-]")
# domains that are set apart for examples
_NOBODY = re.compile(r"(?:\A|\.)example\.[a-z.]+\Z|\.(?:example|test|invalid|localhost)\Z")


class Finding(NamedTuple):
    """Something that must not go out: in which file, where in it, of what kind, and its first characters."""

    path: str
    where: str
    kind: str
    shown: str


@dataclass(frozen=True)
class Sought:
    """What is looked for, and what is allowed. `literals`: what a secret value looks like → its variable."""

    literals: Mapping[str, str]
    emails: frozenset[str]
    paths: tuple[str, ...]
    rules: tuple[Rule, ...] = RULES

    def matches(self, text: str, rules: Iterable[Rule]) -> Iterator[tuple[str, str, str]]:
        """(kind, what was met, what may be shown of it) for each find in a text."""
        for form, name in self.literals.items():
            if form in text:
                yield f"value of {name}", form, form[: min(N_SHOWN, len(form) // 4)] + "…"
        begun = set()  # where paths begin: one that several rules find is one
        for rule in rules:
            for match in rule.pattern.finditer(text):
                met = whole = match[0]
                if rule.kind == EMAIL:
                    met, whole = _address(text, match)
                elif rule.kind == PATH:
                    start = match.start()
                    if start in begun or _BEHIND_HOST.search(text, max(0, start - 256), start):
                        continue
                    begun.add(start)
                    met = whole = met.rstrip(".,;:!?)]}`")  # which end the sentence, not the path
                if not self._is_allowed(rule.kind, met, whole):
                    yield rule.kind, met, met[:N_SHOWN] + "…"

    def _is_allowed(self, kind: str, met: str, whole: str) -> bool:
        if kind == PATH:
            return any(met == path or path.endswith("*") and met.startswith(path[:-1]) for path in self.paths)
        domain = met.rpartition("@")[2].casefold()
        allowed = (met.casefold(), whole.casefold(), f"*@{domain}")
        return kind == EMAIL and bool(_NOBODY.search(domain) or not self.emails.isdisjoint(allowed))

    def masked(self, text: str) -> str:
        """A place or file name as it may be printed: what must not go out is cut there, too."""
        for _, met, shown in sorted(self.matches(text, self.rules), key=lambda match: -len(match[1])):
            text = text.replace(met, shown)
        return " ".join(text.split())[:200]

    def sifted(self, strings: Strings) -> Iterator[tuple[str, str, list[Rule]]]:
        """Yield (place, text, rules that may match) of each string with a hint; of bytes secrets."""
        rules = [rule for rule in self.rules if not (strings.is_binary and rule.kind in (EMAIL, PATH))]
        passes = pl.col("text").str.contains("|".join(rule.hint for rule in rules))
        if self.literals:
            passes |= pl.col("text").str.contains_any(list(self.literals))
        hinted = [pl.col("text").str.contains(rule.hint).alias(f"rule {n}") for n, rule in enumerate(rules)]
        for where, text, *hints in strings.data.filter(passes).select("place", "text", *hinted).iter_rows():
            yield where, text, [rule for rule, is_hinted in zip(rules, hints, strict=True) if is_hinted]


def scan(
    files: Files,
    *,
    environment: Mapping[str, str],
    secrets: Iterable[str],
    allow_emails: Iterable[str] = (),
    allow_paths: Iterable[str] = (),
    values: Iterable[str] = (),
    places: Iterable[str] = (),
) -> list[Finding]:
    """Return what must not go out of the files of a release, each find once per file and kind of place, in
    path order.

    Looked at: file names; text; JSON and JSON Lines, their strings and keys unescaped; Parquet, its strings
    (categories, lists, structs), column names and metadata; the header of safetensors; of any other file its
    bytes. `secrets` are names of variables whose values are secret, beside those of `SECRET_NAMES`, and
    `values` further secrets: found as they are, in base64 or URL-encoded. `places` are folders of this
    machine (absolute ones of six characters and more). `allow_emails` holds addresses or `*@domain`,
    `allow_paths` whole paths or their beginnings with `*`. Raises TruerateError for a file that cannot be
    read.
    """
    local = (folder for folder in sorted(set(places)) if len(folder) >= MIN_PLACE and is_absolute(folder))
    rules = (*RULES, *map(place_rule, local))
    emails = frozenset(map(str.casefold, allow_emails))
    sought = Sought(literals(environment, secrets, values), emails, tuple(allow_paths), rules)
    generated = replace(sought, rules=(*rules, *BUILD_RULES))
    return [
        finding
        for path in sorted(files)
        for finding in _scan_file(path, files[path], generated if path.startswith(BUILD) else sought)
    ]


def refuse(findings: Sequence[Finding]) -> None:
    """Raise TruerateError where there are findings: how many, the first three (secrets first), what to do."""
    if not findings:
        return
    ordered = sorted(findings, key=lambda finding: finding.kind in (EMAIL, PATH))
    shown = "; ".join(f"{find.path}, {find.where}: {find.kind} {find.shown!r}" for find in ordered[:3])
    more = f"; and {len(findings) - 3} more" if len(findings) > 3 else ""
    harmless = "harmless e-mail addresses and paths go into hub.allow_emails, hub.allow_paths"
    hint = f"take them out of what they were made from; {harmless}"
    raise TruerateError(f"publishing: {len(findings)} found that must not go out: {shown}{more}; {hint}")


def literals(
    environment: Mapping[str, str], secrets: Iterable[str], values: Iterable[str] = ()
) -> dict[str, str]:
    """Return what secrets look like → the variable that holds them (`a further secret` for one of `values`).

    They are looked for as they are, in base64 wherever they begin in it, and URL-encoded.
    """
    names = set(secrets)
    named = (name for name in environment if name in names or name.upper().endswith(SECRET_NAMES))
    of_variables = sorted((name, environment[name]) for name in named)
    forms_by_name: dict[str, str] = {}
    for name, value in (*(("a further secret", value) for value in values), *of_variables):
        value = value.strip()
        if len(value) >= MIN_SECRET:
            raw = value.encode("utf-8", "surrogateescape")
            forms = {value, *(form for offset in range(3) for form in _base64(raw, offset))}
            forms |= {
                how(value, safe=safe, errors="replace") for how in (quote, quote_plus) for safe in ("", "/")
            }
            forms_by_name |= dict.fromkeys(sorted(forms), name)
    return forms_by_name


def _base64(value: bytes, offset: int) -> Iterator[str]:
    """The base64 characters that a value alone decides if it begins `offset` bytes after a group of three."""
    encoded = base64.b64encode(bytes(offset) + value).rstrip(b"=")[(0, 2, 3)[offset] :]
    plain = (encoded if (offset + len(value)) % 3 == 0 else encoded[:-1]).decode("ascii")
    yield from {plain, plain.translate(str.maketrans("+/", "-_"))}


def _scan_file(path: str, content: bytes | Path, sought: Sought) -> Iterator[Finding]:
    name = sought.masked(path)
    reported = set()
    for strings in (Strings("its name", frame_of([""], [path])), *strings_of(path, content)):
        if isinstance(strings, Unread):
            yield Finding(name, sought.masked(strings.where), strings.kind, "…")
            continue
        for where, text, rules in sought.sifted(strings):
            for kind, met, shown in sought.matches(text, rules):
                if (strings.called, kind, met) not in reported:
                    reported.add((strings.called, kind, met))
                    yield Finding(name, sought.masked(f"{strings.called} {where}".strip()), kind, shown)


def _address(text: str, at: re.Match) -> tuple[str, str]:
    """An e-mail address around its `@domain`: its plain ASCII, if that is an address (scripts without blanks
    let other words stand right beside it), and all of it.
    """
    start = at.start()
    while start and at.start() - start < 64 and _IN_ADDRESS.match(text, start - 1):
        start -= 1
    left = text[start : at.start()]
    local = re.search(r"[!-~]*\Z", left)[0]
    domain = _AT_ASCII.match(text, at.start(), at.end())
    return (local or left) + (domain or at)[0], left + at[0]
