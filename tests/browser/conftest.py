"""A built site and a Chromium, one of each for all these tests; without Chromium they are skipped and say so."""

import dataclasses
import os
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "site"))  # the tiny tables and the build

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    here = str(Path(__file__).parent) + os.sep
    for item in items:
        if str(item.path).startswith(here):
            item.add_marker(pytest.mark.browser)
            if config.pluginmanager.hasplugin("xdist"):
                item.add_marker(
                    pytest.mark.xdist_group("browser")
                )  # one worker runs them all: one site, one browser
            if CHROMIUM is None:
                item.add_marker(
                    pytest.mark.skip(reason="no Chromium on this machine: install the package `chromium`")
                )


@pytest.fixture(scope="session")
def built_site(tmp_path_factory) -> Path:
    from test_site_build import build
    from tiny_results import write_results, write_texts
    from tiny_tables import tiny_tables

    from truerate.results.read import real_boards

    results = tmp_path_factory.mktemp("results")
    write_texts(write_results(results, gamma="larch-3.1-8b-instruct", task="summaries", dated="2020-05"))
    tables = dataclasses.replace(tiny_tables(), real=real_boards(results))
    return build(tmp_path_factory.mktemp("browser"), {}, tables)


@pytest.fixture(
    scope="package"
)  # nothing wider: while playwright runs, no other test of this process could run an event loop
def chromium():
    api = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: pip install -e .[dev]"
    )
    with api.sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield browser
        browser.close()


class Visitor:
    """Opens pages of the site from disk; `leave` closes them and fails if a request left the site or a script failed."""

    def __init__(self, chromium, site: Path):
        self.chromium, self.site, self.contexts, self.faults = chromium, site, [], []

    def __call__(self, name: str, *, scheme: str = "light", width: int = 1360, script: bool = True):
        context = self.chromium.new_context(
            color_scheme=scheme,
            viewport={"width": width, "height": 900},
            accept_downloads=True,
            java_script_enabled=script,
            reduced_motion="reduce",
        )
        self.contexts.append(context)
        page = context.new_page()
        page.on(
            "request",
            lambda request: self.note(
                request.url, is_fault=not request.url.startswith(("file:", "blob:", "data:"))
            ),
        )
        page.on("pageerror", lambda error: self.note(str(error)))
        page.on("console", lambda message: self.note(message.text, is_fault=message.type == "error"))
        path, _, fragment = name.partition("#")
        page.goto((self.site / path).as_uri() + (f"#{fragment}" if fragment else ""))
        return page

    def note(self, text: str, *, is_fault: bool = True):
        if is_fault:
            self.faults.append(text)

    def leave(self):
        for context in self.contexts:
            context.close()
        assert self.faults == []


@pytest.fixture
def visit(chromium, built_site):
    """Opens pages for one test."""
    visitor = Visitor(chromium, built_site)
    yield visitor
    visitor.leave()


@pytest.fixture(scope="module")
def visit_once(chromium, built_site):
    """Opens pages that several tests of a module look at and leave as they were."""
    visitor = Visitor(chromium, built_site)
    yield visitor
    visitor.leave()
