"""The site as any server of files hands it out, below a path and under a strict content security policy."""

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

PATH = "/x/y/"
POLICY = (  # as the guide has it (publishing.md)
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class Files(SimpleHTTPRequestHandler):
    """The files of a folder below PATH, and nothing above it."""

    def translate_path(self, path):
        inside = path[len(PATH) - 1 :] if path.startswith(PATH) else "/no-such-file"
        return super().translate_path(inside)

    def end_headers(self):
        self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def address(built_site):
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Files, directory=built_site)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}{PATH}"
        server.shutdown()


@pytest.fixture
def page(chromium, address):
    """A page that fails its test if a request leaves the path, is refused, or a script breaks."""
    faults: list[str] = []
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.on(
        "request",
        lambda one: None if one.url.startswith((address, "data:", "blob:")) else faults.append(one.url),
    )
    page.on("response", lambda one: faults.append(f"{one.status} {one.url}") if one.status >= 400 else None)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    yield page
    context.close()
    assert faults == []


def test_pages_and_samples_load_below_a_path(page, address):
    page.goto(address)
    board = page.locator("a[href*='boards/']").first.get_attribute("href").partition("#")[0]
    for name in (board, "guide/index.html", "models.html"):
        page.goto(address + name)
        assert page.locator("h1").first.is_visible()
    page.goto(f"{address}samples.html#board=halueval-closed-world&task=dialogue")
    page.locator(".tr-record").first.wait_for()
    assert "of 132 records" in page.get_by_role("status").inner_text()


def test_the_search_of_the_site_finds_pages_below_a_path(page, address):
    page.goto(f"{address}guide/index.html")
    page.locator(".md-search__input").click()
    page.locator(".md-search__input").press_sequentially("labels")
    first = page.locator(".md-search-result__link").first
    first.wait_for()
    assert first.get_attribute("href").startswith(address)
