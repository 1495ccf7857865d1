import pytest

from truerate.core.errors import TruerateError
from truerate.web.outcomes import Outcome, Page, Text
from truerate.web.reading import Reader
from truerate.web.store import PageStore, limits

from .stub_web import fetch_settings

SETTINGS = fetch_settings(extract="tags")
GOOD = Page(
    "http://a/",
    Outcome.OK,
    "",
    "http://a/b",
    200,
    "text/html",
    "utf-8",
    b"<title>Varn</title><p>Varn is a town.</p>",
)
LATE = Page("http://c/", Outcome.TIMEOUT, "not within 1 s", "http://c/")


def test_pages_are_read_as_they_come_and_once(tmp_path):
    path = tmp_path / "p.sqlite"
    with PageStore(path) as store, Reader(path, "", SETTINGS) as reader:
        for page in (GOOD, LATE):
            store.keep("", page, limits(SETTINGS))
            reader.begin(page.url)
        for _ in range(2):
            assert reader.text(GOOD.url) == (Text(Outcome.OK, "Varn is a town.", "Varn"), "http://a/b")
            assert reader.text(LATE.url) == (Text(Outcome.TIMEOUT, detail="not within 1 s"), "http://c/")
            store.forget("", [GOOD.url])  # it was read already
        assert reader.markup("<title>Odla</title><p>Odla is a river.</p>") == Text(
            Outcome.OK, "Odla is a river.", "Odla"
        )


def test_a_store_that_cannot_be_opened_is_said_in_one_line(tmp_path):
    (tmp_path / "p.sqlite").write_bytes(b"no database" * 100)
    with (
        pytest.raises(TruerateError, match="page store"),
        Reader(tmp_path / "p.sqlite", "", SETTINGS) as reader,
    ):
        reader.text(GOOD.url)
