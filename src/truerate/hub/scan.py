"""What must not leave the house, looked for in every file of a release: secrets, e-mail addresses, paths of
this or another machine.

Polars sifts all strings by rough patterns first; Python looks closely at those that pass."""

import base64
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import NamedTuple
from urllib.parse import quote, quote_plus

import polars as pl

from truerate.core.errors import TruerateError
from truerate.hub.release import Files
from truerate.hub.scan_text import Strings, Unread, frame_of, strings_of

# ---- what secrets, e-mail addresses and local paths look like ------------------------------------------------
EMAIL, PATH = "e-mail address", "local path"
_EDGE = "(?<![A-Za-z0-9])"  # of ASCII words: a key may follow Chinese characters at once
_PIECE = r"[^\s\"'<>|]"
# kind → (what Python looks for, what a string must match to be looked at)
SECRETS: Mapping[str, tuple[str, str]] = {
    "Hugging Face token": (_EDGE + r"(?:hf|api_org)_[A-Za-z0-9]{20,}", r"(?:hf|api_org)_[A-Za-z0-9]{20}"),
    "API key": (
        # either unbroken, or with a digit: hyphenated words are no key
        _EDGE + r"sk-(?:ant-|proj-)?(?:[A-Za-z0-9]{20,}|(?=[A-Za-z_-]{0,200}[0-9])[A-Za-z0-9_-]{20,})",
        r"sk-[A-Za-z0-9_-]{20}",
    ),
    "live payment key": (_EDGE + r"[rs]k_live_[A-Za-z0-9]{20,}", r"k_live_"),
    "AWS key": (_EDGE + r"A(?:KIA|SIA)[A-Z0-9]{16}(?![A-Za-z0-9])", r"A(?:KIA|SIA)[A-Z0-9]{16}"),
    "GitHub token": (
        _EDGE + r"(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})",
        r"gh[pousr]_[A-Za-z0-9]{20}|github_pat_",
    ),
    "GitLab token": (_EDGE + r"glpat-[A-Za-z0-9_-]{20,}", r"glpat-"),
    "npm token": (_EDGE + r"npm_[A-Za-z0-9]{36,}", r"npm_[A-Za-z0-9]{36}"),
    "Google key": (_EDGE + r"AIza[A-Za-z0-9_-]{30,}", r"AIza[A-Za-z0-9_-]{30}"),
    "Slack token": (_EDGE + r"xox[baprs]-[A-Za-z0-9-]{10,}", r"xox[baprs]-"),
    "private key": (r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY", r"PRIVATE KEY"),
    "JSON web token": (r"(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*", r"eyJ[A-Za-z0-9_-]{8}"),
    "bearer token": (
        r"(?i:bearer)[ \t]{1,4}(?=[A-Za-z._~+/=-]{0,200}[0-9])[A-Za-z0-9._~+/=-]{16,}",
        r"(?i:bearer)[ \t]",
    ),
    "basic authorization": (
        r"(?i:authorization)[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?i:basic)\s{1,4}[A-Za-z0-9+/=]{8,}",
        r"(?i:authorization)",
    ),
    "password in an address": (
        r"(?<=[A-Za-z0-9])://[^\s/:@\"'<>]{0,128}:[^\s/@\"'<>]{1,256}@(?=[\w\[])",
        r"://[^\s/@]*:[^\s/@]*@",
    ),
}
_START = r"(?<![A-Za-z0-9_.~/-])"  # of a path from the root: neither a relative one nor one behind a host
_END = r"(?![A-Za-z0-9_-]|\.[A-Za-z0-9])"  # of a name: none of a longer one
PATHS = (
    (
        rf"{_START}(?:/mnt/[a-z])?/(?:home|Users)/(?:[^\s/\"'<>|:*?\\]{{1,64}}/{_PIECE}{{0,400}}|\w[\w.-]{{0,63}})",
        "/home/|/Users/",
    ),
    (rf"{_START}(?:/root/{_PIECE}{{1,400}}|(?<!<)/root{_END})", "/root"),  # </root> ends an element of XML
    (
        rf"{_START}~(?:[A-Za-z_][A-Za-z0-9_-]{{0,31}})?/\.?[A-Za-z0-9_]{_PIECE}{{0,400}}",
        "~[A-Za-z0-9_-]{0,32}/",
    ),
    (
        _EDGE + rf"[A-Za-z]:[\\/]{{1,2}}(?i:users)[\\/]{{1,2}}{_PIECE}{{1,400}}",
        r"[A-Za-z]:[\\/]{1,2}(?i:users)",
    ),
    (  # a share of a Windows server, also with its backslashes doubled; a row of a table in LaTeX ends alike
        r"(?<![A-Za-z0-9\\])(?:\\\\(?!hline)[A-Za-z0-9][\w.-]{1,62}\\|\\{4}[A-Za-z0-9][\w.-]{1,62}\\\\)(?=\w)[\w.$-]{2,80}+"
        rf"(?!\{{)(?:\\{_PIECE}{{0,400}})?",
        r"\\\\[A-Za-z0-9]",
    ),
    (_EDGE + rf"(?i:file)://{_PIECE}{{1,400}}", "(?i:file)://"),
)
_ROOTS = "home|Users|root|mnt|media|srv|opt|var|tmp|data|work|workspace|scratch|Volumes|private"
MADE_PATHS = (
    (rf"{_START}/(?:{_ROOTS})/[^\s/\"'<>|]{_PIECE}{{0,400}}", f"/(?:{_ROOTS})/"),
    (_EDGE + rf"[A-Za-z]:(?:\\{{1,2}}|/)[\w.$-]{_PIECE}{{0,400}}", r"[A-Za-z]:[\\/]"),
)
# what stands left of it is read backwards: see `_address`
_AT = r"(?<=[\w.%+-])@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}"


class Rule(NamedTuple):
    """One pattern: the kind that it finds, its regular expression, and a rough one that every hit passes."""

    kind: str
    pattern: re.Pattern
    hint: str


RULES = (
    *(Rule(kind, re.compile(pattern, re.ASCII), hint) for kind, (pattern, hint) in SECRETS.items()),
    *(Rule(PATH, re.compile(pattern), hint) for pattern, hint in PATHS),
    Rule(EMAIL, re.compile(_AT), r"@[\w-]+\."),
)
MADE_RULES = tuple(Rule(PATH, re.compile(pattern), hint) for pattern, hint in MADE_PATHS)


def is_absolute(path: str) -> bool:
    """Whether a path starts at a root, of POSIX or of Windows."""
    return PurePosixPath(path).is_absolute() or PureWindowsPath(path).is_absolute()


def place_rule(folder: str) -> Rule:
    """A folder of this machine and what lies in it; Windows' separators either way, and doubled."""
    if PurePosixPath(folder).is_absolute():
        pattern, start = pl.escape_regex(folder.rstrip("/")), _START
    else:
        pattern = r"[\\/]{1,2}".join(
            pl.escape_regex(part) for part in re.split(r"[\\/]+", folder.rstrip("\\/"))
        )
        start = _EDGE
    return Rule(PATH, re.compile(rf"{start}{pattern}(?![A-Za-z0-9_]){_PIECE}{{0,400}}"), pattern)


# ---- the scan ------------------------------------------------------------------------------------------------
# How names of variables end whose values are secret; PWD is not among them: it names the current folder.
SECRET_NAMES = ("KEY", "KEY_ID", "TOKEN", "SECRET", "CREDENTIALS", "PASSWORD", "PASSWD", "PASSPHRASE", "PASS")
MIN_SECRET, MIN_PLACE = 8, 6  # characters; a shorter value stands in too many innocent words
N_SHOWN = 4  # characters of a find
ENDS = {PATH: ".,;:!?)]}`"}  # what ends the sentence, not the path
# files that say how a release was made: machine-written settings, where any path from a usual root is a local
# one
MADE = "build/"
_BEHIND_HOST = re.compile(r"://[^\s/:?#=\"'<>]{1,253}\Z")
_AT_ASCII = re.compile(r"@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}")
_IN_ADDRESS = re.compile(r"[\w.%+-]")
_NOBODY = re.compile(
    r"(?:\A|\.)example\.[a-z.]+\Z|\.(?:example|test|invalid|localhost)\Z"
)  # domains that are set apart for examples


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
                if rule.kind == PATH and (
                    match.start() in begun
                    or _BEHIND_HOST.search(text, max(0, match.start() - 256), match.start())
                ):
                    continue
                if rule.kind == PATH:
                    begun.add(match.start())
                met, whole = (
                    _address(text, match)
                    if rule.kind == EMAIL
                    else (match[0].rstrip(ENDS.get(rule.kind, "")),) * 2
                )
                if not self._is_allowed(rule.kind, met, whole):
                    yield rule.kind, met, met[:N_SHOWN] + "…"

    def _is_allowed(self, kind: str, met: str, whole: str) -> bool:
        if kind == PATH:
            return any(met == path or path.endswith("*") and met.startswith(path[:-1]) for path in self.paths)
        if kind != EMAIL:
            return False
        domain = met.rpartition("@")[2].casefold()
        return bool(_NOBODY.search(domain)) or not self.emails.isdisjoint(
            (met.casefold(), whole.casefold(), f"*@{domain}")
        )

    def masked(self, text: str) -> str:
        """A place or file name as it may be printed: what must not go out is cut there, too."""
        for _, met, shown in sorted(self.matches(text, self.rules), key=lambda match: -len(match[1])):
            text = text.replace(met, shown)
        return " ".join(text.split())[:200]

    def sifted(self, strings: Strings) -> Iterator[tuple[str, str, list[Rule]]]:
        """Yield (place, text, rules that may match) of each string with a hint; bytes may hold secrets alone."""
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
    """What must not go out of the files of a release, each find once per file and kind of place, in the order
    of the paths.

    Looked at: file names; text; JSON and JSON Lines, their strings and keys unescaped; Parquet, its strings
    (categories, lists, structs), column names and metadata; the header of safetensors; of any other file its
    bytes. `secrets` are names of variables whose values are secret, beside those that end as `SECRET_NAMES`
    says, and `values` are further secrets: found as they are, in base64 or URL-encoded. `places` are folders
    of this machine, local paths wherever they lie (only absolute ones of six characters and more are looked
    for). `allow_emails` holds addresses or `*@domain`, `allow_paths` whole paths or their beginnings with
    `*`. Raises TruerateError for a file that cannot be read.
    """
    emails = frozenset(allow_email.casefold() for allow_email in allow_emails)
    rules = (
        *RULES,
        *(
            place_rule(where)
            for where in sorted(set(places))
            if len(where) >= MIN_PLACE and is_absolute(where)
        ),
    )
    sought = Sought(literals(environment, secrets, values), emails, tuple(allow_paths), rules)
    generated = replace(sought, rules=(*rules, *MADE_RULES))
    return [
        finding
        for path in sorted(files)
        for finding in _scan_file(path, files[path], generated if path.startswith(MADE) else sought)
    ]


def refuse(findings: Sequence[Finding]) -> None:
    """Raise TruerateError where there are findings: how many, the first three (secrets first), what to do."""
    if not findings:
        return
    ordered = sorted(findings, key=lambda finding: finding.kind in (EMAIL, PATH))
    shown = "; ".join(
        f"{finding.path}, {finding.where}: {finding.kind} {finding.shown!r}" for finding in ordered[:3]
    )
    more = f"; and {len(findings) - 3} more" if len(findings) > 3 else ""
    hint = "take them out of what they were made from; harmless e-mail addresses and paths go into hub.allow_emails, hub.allow_paths"
    raise TruerateError(f"publishing: {len(findings)} found that must not go out: {shown}{more}; {hint}")


def literals(
    environment: Mapping[str, str], secrets: Iterable[str], values: Iterable[str] = ()
) -> dict[str, str]:
    """What secrets look like → the variable that holds them (`a further secret` for one of `values`).

    They are looked for as they are, in base64 wherever they begin in it, and URL-encoded.
    """
    names = set(secrets)
    secret_values = sorted(
        (name, value)
        for name, value in environment.items()
        if name in names or name.upper().endswith(SECRET_NAMES)
    )
    forms_by_name = {}
    for name, value in (*(("a further secret", value) for value in values), *secret_values):
        value = value.strip()
        if len(value) >= MIN_SECRET:
            forms = {
                form
                for offset in range(3)
                for form in _base64(value.encode("utf-8", "surrogateescape"), offset)
            }
            forms |= {
                value,
                *(
                    how(value, safe=safe, errors="replace")
                    for how in (quote, quote_plus)
                    for safe in ("", "/")
                ),
            }
            forms_by_name |= dict.fromkeys(sorted(forms), name)
    return forms_by_name


def _base64(value: bytes, offset: int) -> Iterator[str]:
    """The base64 characters that a value alone decides if it begins `offset` bytes after a group of three."""
    encoded = base64.b64encode(bytes(offset) + value).rstrip(b"=")[(0, 2, 3)[offset] :]
    plain = (encoded if (offset + len(value)) % 3 == 0 else encoded[:-1]).decode("ascii")
    yield from {plain, plain.translate(str.maketrans("+/", "-_"))}


# ---- one file ----------------------------------------------------------------------------------------------
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
    """An e-mail address around its `@domain`: what of it is plain ASCII where that is an address, and all of it.

    Scripts without blanks let other words stand right before and after an address.
    """
    start = at.start()
    while start and at.start() - start < 64 and _IN_ADDRESS.match(text, start - 1):
        start -= 1
    whole = text[start : at.end()]
    local = re.search(r"[!-~]*\Z", text[start : at.start()])[0]
    domain = _AT_ASCII.match(text, at.start(), at.end())
    return (local or text[start : at.start()]) + (domain or at)[0], whole
