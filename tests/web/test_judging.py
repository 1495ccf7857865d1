"""Texts that a page with status 200 holds in place of what it was asked for."""

import pytest

from truerate.web.outcomes import Outcome, judged

FILLING = "Varn is a town on the Odla, founded in 1204 by monks. " * 8


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Varn", "404 Not Found\nThe page you requested could not be found."),
        ("Error 503", "Come back later."),
        ("", "Access Denied\nYou don’t have permission to access this page. Reference #18.2f"),
        ("Just a moment...", "Enable JavaScript and cookies to continue"),
        ("", "Please verify you are a human by completing the CAPTCHA below."),
        ("", "We value your privacy. We and our partners use cookies. Accept all"),
        ("", "Seite nicht gefunden"),
        ("", "ページが見つかりません"),
    ],
)
def test_an_error_or_a_wall_is_no_evidence(title, text):
    assert judged(text, title, None).outcome is Outcome.ERROR_PAGE


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("404 Not Found", FILLING),  # a long text has something else to say
        ("", f"{FILLING} We use cookies."),
        (
            "",
            "Varn was founded in 1844. Delia Furett was its first mayor. We use cookies to count visitors. Terms of use.",
        ),
        ("Captcha", "A captcha tells people from programs; the word was coined in 2003."),
        ("Varn", "Varn has 404 houses. Its page in the register was found in 1990."),
        ("", "The band Access played for two years."),
    ],
)
def test_a_text_that_speaks_of_such_things_is_read(title, text):
    assert judged(text, title, None).outcome is Outcome.OK


def test_signing_in_comes_first():
    assert judged("Please log in. We use cookies.", "", None, ["please log in"]).outcome is Outcome.SIGN_IN
    assert judged("", "404 Not Found", None).outcome is Outcome.EMPTY
