"""A page store as the release wrote it that kept every fault for ever: what passes is asked for again, and
nothing else is.

It was written by that release's own code over loopback, with these settings, through a proxy.
"""

import shutil
from pathlib import Path

import pytest

from truerate.config import Fetch
from truerate.web.outcomes import Outcome
from truerate.web.stats import stats
from truerate.web.store import PageStore, limits

from .stub_web import PAGE, fetched

SETTINGS = Fetch.model_validate(
    {
        "proxy": None, "concurrency": 8, "timeout_s": 0.5, "max_bytes": 2000, "max_redirects": 2, "per_host_s": 0, "unlimited_hosts": [],
        "user_agent": "truerate (test)", "robots": True, "allowed_private": ["127.0.0.1"], "login_hosts": ["members.invalid"],
        "sign_in_phrases": [], "extract": "tags",
    }
)  # fmt: skip
LASTING = {
    "good": "ok", "gone": "status", "missing": "status", "pdf": "not-html", "big": "too-large", "circle": "redirects", "shut": "robots",
    "inward": "refused-address", "members": "login-host",
}  # fmt: skip
PASSING = {
    "busy": "status", "limited": "status", "silent": "timeout", "cut": "error", "lost": "robots", "mute": "timeout", "down": "error",
}  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    shutil.copy(Path(__file__).parent / "data" / "pages_of_format_1.sqlite", tmp_path / "pages.sqlite")
    return tmp_path


def urls(hosts):
    return [f"http://{host}.invalid/a" for host in hosts]


def test_nothing_that_lasts_is_asked_for_again(folder):
    names = [*urls(LASTING), "ftp://good.invalid/a"]
    results, stub = fetched({}, names, folder, as_proxy=True, settings=SETTINGS)
    assert stub.asked == [] and [page.outcome.value for page in results] == [*LASTING.values(), "error"]
    assert results[0].body == PAGE[2]


def test_what_passes_is_asked_for_again_with_the_rules_that_did_not_come(folder):
    with PageStore(folder / "pages.sqlite") as store:
        assert [store.page("", url, limits(SETTINGS)).outcome.value for url in urls(PASSING)] == list(
            PASSING.values()
        )
    results, stub = fetched(
        dict.fromkeys(urls(PASSING), PAGE), urls(PASSING), folder, as_proxy=True, settings=SETTINGS
    )
    assert {page.outcome for page in results} == {Outcome.OK}
    rules = {
        f"http://{host}.invalid/robots.txt" for host in ("lost", "mute", "down")
    }  # those of the others were read
    assert set(stub.asked) == {*urls(PASSING), *rules}


def test_its_searches_and_counts_are_read(folder):
    with PageStore(folder / "pages.sqlite") as store:
        assert store.results("", "Varn", 3) == [{"link": "http://good.invalid/a"}]
        counted = stats(store)
    # the pages above, the rules of fifteen hosts (one has some, eleven have none, three did not come), and an
    # address of another kind
    assert counted["n_pages"].sum() == 9 + 7 + 15 + 1 and counted.filter("may_pass")["n_pages"].sum() == 7 + 3
