"""What a shared link shows: title, sentence and picture, at a whole address where the site has one."""

import struct
from html.parser import HTMLParser
from pathlib import Path

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config

SITE = Path(__file__).parents[2] / "site"
PAGES = {
    "index.md": "---\ntitle: Leaderboard\n---\n\n# Home\n",
    "real/x.md": "---\ntitle: A board\ndescription: Nobody is first.\n---\n\n# A board\n",
}


class Metas(HTMLParser):
    """The meta tags of a page, by property or name."""

    def __init__(self, page: str):
        super().__init__()
        self.found = {}
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        told = dict(attrs)
        if tag == "meta" and (name := told.get("property") or told.get("name")):
            self.found[name] = told.get("content")


def built(folder: Path, **settings) -> dict[str, dict]:
    """Two pages built with the project's own settings, and the metas of each."""
    for name, text in PAGES.items():
        (folder / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "docs" / name).write_text(text, "utf-8")
    config = load_config(
        str(SITE / "mkdocs.yml"),
        docs_dir=str(folder / "docs"),
        site_dir=str(folder / "out"),
        nav=[{"Leaderboard": "index.md"}],
        strict=False,
        **settings,
    )
    build(config)
    return {
        name: Metas((folder / "out" / name).with_suffix(".html").read_text("utf-8")).found for name in PAGES
    }


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    monkeypatch.setenv("NO_MKDOCS_2_WARNING", "1")


def test_without_an_address_the_picture_lies_beside_the_pages(tmp_path):
    found = built(tmp_path)
    assert found["index.md"]["og:image"] == "assets/preview.png"
    assert found["real/x.md"]["og:image"] == "../assets/preview.png"
    assert not any("://" in (content or "") for metas in found.values() for content in metas.values())
    assert "og:url" not in found["index.md"]
    assert found["real/x.md"]["og:title"] == "A board · truerate"
    assert found["real/x.md"]["og:description"] == "Nobody is first."
    assert found["index.md"]["og:title"] == "truerate"


def test_with_an_address_picture_and_page_have_a_whole_one(tmp_path):
    metas = built(tmp_path, site_url="https://example.org/x/y/")["real/x.md"]
    assert metas["og:image"] == "https://example.org/x/y/assets/preview.png"
    assert metas["og:url"] == "https://example.org/x/y/real/x.html"
    assert metas["twitter:card"] == "summary_large_image"


def test_the_picture_is_copied_and_of_the_size_that_is_said(tmp_path):
    metas = built(tmp_path)["index.md"]
    data = (tmp_path / "out/assets/preview.png").read_bytes()
    width, height = struct.unpack(">II", data[16:24])
    assert (str(width), str(height)) == (metas["og:image:width"], metas["og:image:height"]) == ("1200", "630")
    assert not (tmp_path / "out/main.html").exists(), "a template is no page"
