"""Keeps the values of keys out of everything that an endpoint's words may reach: terminal, log, store, tables."""

import base64
import json
import re
import urllib.parse
from collections.abc import Iterable

import orjson

SHORTEST = 6  # characters of a value that is looked for in replies; a shorter one would be found in ordinary words
SHORTEST_IN_ERRORS = 3
HIDDEN = "[key]"
# What servers without keys document as the value to give: no secret, and words that replies may hold.
PLACEHOLDERS = frozenset(
    {"none", "empty", "dummy", "not-needed", "no-key-required", "sk-no-key-required", "ollama", "lm-studio", "placeholder"}
)
_ESCAPED = re.compile(rb"\\(?:u00[0-7]|/)")  # letters of ASCII that need no escape in JSON


class Hiding:
    """Replaces secret values by `[key]`, in every form in which they can stand in text: as they are, in JSON, in addresses, in base64."""

    def __init__(self, values: Iterable[str]):
        """`values`: the secrets; placeholders that are none, and empty ones, are left out."""
        secrets = {value.strip() for value in values if value.strip().casefold() not in PLACEHOLDERS}
        self._always = _longest_first(form for value in secrets if len(value) >= SHORTEST for form in _forms(value))
        self._in_errors = _longest_first(form for value in secrets if len(value) >= SHORTEST_IN_ERRORS for form in _forms(value))

    def text(self, said: str) -> str:
        """A message (of an error, a log) without secret values."""
        for form in self._in_errors:
            said = said.replace(form, HIDDEN)
        return said

    def body(self, body: bytes, *, is_error: bool) -> bytes:
        """The body of a reply without secret values. JSON that escapes plain letters is written anew first, for a value may hide in it."""
        forms = self._in_errors if is_error else self._always
        if forms and _ESCAPED.search(body):
            body = _unescaped(body)
        for form in forms:
            if (encoded := form.encode()) in body:
                body = body.replace(encoded, HIDDEN.encode())
        return body


def _forms(value: str) -> set[str]:
    """A value as it is, inside a JSON string, percent-encoded, and in both alphabets of base64."""
    encoded = {encode(value.encode()).decode().rstrip("=") for encode in (base64.b64encode, base64.urlsafe_b64encode)}
    return {value, json.dumps(value)[1:-1], urllib.parse.quote(value, safe=""), urllib.parse.quote_plus(value), *encoded}


def _longest_first(forms: Iterable[str]) -> list[str]:
    return sorted(set(forms), key=lambda form: (-len(form), form))


def _unescaped(body: bytes) -> bytes:
    """JSON without needless escapes; what is no JSON stays as it is."""
    try:
        return orjson.dumps(orjson.loads(body))
    except (orjson.JSONDecodeError, orjson.JSONEncodeError, RecursionError):
        return body
