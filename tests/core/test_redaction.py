"""Secret values in what endpoints say."""

import base64
import json
import urllib.parse

import pytest

from truerate.core.redaction import Redactor

KEY = 'tk/live "4242"+x'
FORMS = {
    "plain": KEY,
    "in JSON": json.dumps(KEY)[1:-1],
    "in an address": urllib.parse.quote(KEY, safe=""),
    "in a form": urllib.parse.quote_plus(KEY),
    "base64": base64.b64encode(KEY.encode()).decode(),
    "base64 for addresses": base64.urlsafe_b64encode(KEY.encode()).decode().rstrip("="),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_hidden(form):
    hiding = Redactor([KEY])
    assert "4242" not in hiding.text(f"said {FORMS[form]}!") and "[key]" in hiding.text(
        f"said {FORMS[form]}!"
    )
    assert FORMS[form].encode() not in hiding.body(f"said {FORMS[form]}!".encode(), is_error=False)


def test_a_value_is_found_behind_needless_escapes():
    body = (
        b'{"content": "is it '
        + "".join(f"\\u{ord(letter):04x}" for letter in "secret-4711").encode()
        + b' or caf\\u00e9"}'
    )
    assert (
        Redactor(["secret-4711"]).body(body, is_error=False) == '{"content":"is it [key] or café"}'.encode()
    )
    assert b"4711" not in Redactor(["a/secret-4711"]).body(b'{"content": "a\\/secret-4711"}', is_error=False)


@pytest.mark.parametrize("value", ["EMPTY", "none", "ollama", "", " "])
def test_what_is_no_secret_stays(value):
    assert Redactor([value]).text("EMPTY none ollama") == "EMPTY none ollama"


def test_short_values_are_hidden_in_errors_alone():
    hiding = Redactor(["abcd"])
    assert hiding.body(b"abcdef", is_error=False) == b"abcdef"
    assert hiding.body(b"abcd is wrong", is_error=True) == b"[key] is wrong"
