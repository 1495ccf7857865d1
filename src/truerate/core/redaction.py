"""Secrets: read from the environment, and kept out of all that an endpoint's words may reach: terminal, log, store,
tables.
"""

import base64
import html
import json
import os
import re
import urllib.parse
from collections.abc import Iterable

import orjson

from truerate.core.errors import SettingsError
from truerate.core.lenient import loads
from truerate.core.text import clean

SHORTEST = (
    6  # characters of a value that is looked for in replies; a shorter one would be met in ordinary words
)
SHORTEST_IN_ERRORS = 3
MASKED = 4  # characters that servers leave out of a long value when they show it
HIDDEN = "[key]"
# What servers without keys document as the value to give: no secret, and words that replies may hold.
PLACEHOLDERS = frozenset(
    "none empty dummy not-needed no-key-required sk-no-key-required ollama lm-studio placeholder".split()
)
_ESCAPED = re.compile(r"\\u00([0-7][0-9a-fA-F])")


class Redactor:
    """Replaces secret values by `[key]` in all forms: plain, JSON, HTML, addresses, base64, hex."""

    def __init__(self, values: Iterable[str]):
        """`values`: the secrets; placeholders that are none, and empty ones, are left out."""
        secrets = {value.strip() for value in values if value.strip().casefold() not in PLACEHOLDERS}
        self._always, self._in_errors = (
            sorted(forms, key=lambda form: (-len(form), form))  # the longest first
            for least in (SHORTEST, SHORTEST_IN_ERRORS)
            for forms in [{form for value in secrets if len(value) >= least for form in _forms(value)}]
        )

    def text(self, message: str) -> str:
        """A message (of an error, a log) without secret values."""
        return _without(clean(message), self._in_errors) if self._in_errors else message

    def body(self, body: bytes, *, is_error: bool) -> bytes:
        """A reply's body without secrets as UTF-8, unescaped, without control characters."""
        forms = self._in_errors if is_error else self._always
        return _without(_plain(body), forms).encode() if forms else body


def _without(message: str, forms: Iterable[str]) -> str:
    for form in forms:
        message = message.replace(form, HIDDEN)
    return message


def _forms(value: str) -> set[str]:
    """A value's forms: plain, JSON (once, twice), HTML, addresses, hex, base64 (behind a scheme too), cut."""
    in_json = json.dumps(value)[1:-1]
    forms = {value, in_json, json.dumps(in_json)[1:-1], html.escape(value), html.escape(value, quote=False)}
    forms |= {urllib.parse.quote(value, safe=safe) for safe in ("", "/", "/:", "/:&=+,;@")} | {
        urllib.parse.quote_plus(value)
    }
    forms |= {value.encode().hex(), value.encode().hex().upper()}
    for start in ("", "Bearer ", ":", "::"):  # as in a header of its own; behind a user name of any length
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            coded = encode(f"{start}{value}".encode()).decode().rstrip("=")
            forms.add(coded if start in ("", "Bearer ") else coded[4:-2])
    if len(value) >= 4 * MASKED:
        forms |= {value[:-MASKED], value[MASKED:]}
    return {form for form in forms if len(form) >= min(len(value), SHORTEST_IN_ERRORS)}


def _plain(body: bytes) -> str:
    """A body as text: JSON without needless escapes, else with plain letters for escapes."""
    try:
        return orjson.dumps(_cleaned(loads(body))).decode()
    except (ValueError, TypeError, RecursionError):
        text = body.decode(json.detect_encoding(body), "replace")
        return clean(_ESCAPED.sub(lambda match: chr(int(match[1], 16)), text))


def _cleaned(value: object) -> object:
    """JSON whose texts are clean, so that no control character parts a value in two."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(name): _cleaned(inner) for name, inner in value.items()}
    return [_cleaned(inner) for inner in value] if isinstance(value, list) else value


def secret(variable: str, doing: str, what: str) -> str:
    """The value of a variable of the environment. Raises SettingsError where it has none that can be sent."""
    value = os.environ.get(variable, "")
    if value and value.isascii() and value.isprintable():
        return value
    wrong = "is not set" if not value else "holds a line break or a character beyond ASCII"
    raise SettingsError(f"{doing}: the variable {variable} {wrong}; export it with {what}")
