"""What secrets, e-mail addresses and local paths look like: the patterns that `scan` looks for in a release.

Each is a rough one that polars sifts by and a close one for Python; no pattern takes more than linear time.
"""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath, PureWindowsPath
from typing import NamedTuple

import polars as pl

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
