"""The built site on a static Space: every page arrives, stale ones go, and what is no site is refused."""

import pytest

from truerate.core.errors import TruerateError
from truerate.hub.release import README
from truerate.hub.space import draft_of

from .drafts import REPO, content, put


@pytest.fixture
def site(tmp_path):
    folder = tmp_path / "site"
    for path, text in {
        "index.html": "<h1>Board</h1>",
        "boards/a.html": "<p>a</p>",
        "assets/x.js": "1",
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    return folder


def test_a_site_arrives_whole_with_a_card_the_hub_takes(hub_here, site):
    put(draft_of(site, title="Who makes things up?"), kind="space", tag="v1.0")
    there = content(hub_here, kind="space")
    assert there["index.html"] == b"<h1>Board</h1>" and there["boards/a.html"] == b"<p>a</p>"
    assert "sdk: static" in there[README].decode() and "title: Who makes things up?" in there[README].decode()
    assert hub_here.is_private(REPO, "space") and set(hub_here.tags(REPO, "space")) == {"v1.0"}


def test_a_page_that_is_no_longer_made_is_deleted_and_an_equal_site_commits_nothing(hub_here, site):
    put(draft_of(site, title="t"), kind="space")
    n_commits = len(hub_here.commits(REPO, "space"))
    put(draft_of(site, title="t"), kind="space")
    assert len(hub_here.commits(REPO, "space")) == n_commits
    (site / "boards/a.html").rename(site / "boards/b.html")
    put(draft_of(site, title="t"), kind="space")
    there = content(hub_here, kind="space")
    assert "boards/b.html" in there and "boards/a.html" not in there


@pytest.mark.filterwarnings("error::UserWarning")
def test_rows_behind_a_number_go_out_with_the_site_without_a_warning(hub_here, site):
    (site / "rows.parquet").write_bytes(b"PAR1")
    put(draft_of(site, title="t"), kind="space")
    assert content(hub_here, kind="space")["rows.parquet"] == b"PAR1"


def test_what_no_page_needs_stays_at_home(site):
    for name in ("assets/x.js.map", "sitemap.xml.gz", "assets/javascripts/lunr/min/lunr.ja.min.js"):
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_bytes(b"x")
    assert sorted(draft_of(site, title="t").fixed) == [
        "README.md",
        "assets/x.js",
        "boards/a.html",
        "index.html",
    ]


@pytest.mark.parametrize(
    ("name", "message"),
    [("index.html", "no index.html"), ("link", "is a link"), ("README.md", "a name that")],
)
def test_what_is_no_site_is_refused_in_one_line(site, name, message):
    if name == "index.html":
        (site / name).unlink()
    elif name == "link":
        (site / name).symlink_to(site / "index.html")
    else:
        (site / name).write_text("x", "utf-8")
    with pytest.raises(TruerateError, match=message) as caught:
        draft_of(site, title="t")
    assert "\n" not in str(caught.value)
