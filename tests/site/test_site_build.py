"""mkdocs builds the rendered pages strictly, twice to the same bytes, and the result asks no other host."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tiny_tables import tiny_tables

from truerate.site import Tables, render_site

SITE = Path(__file__).parents[2] / "site"


def build_sources(folder: Path, tables: Tables | None = None) -> Path:
    """The rendered pages where mkdocs looks for them."""
    for name, text in render_site(tables or tiny_tables(), SITE).items():
        path = folder / "build/site_src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder / "build/site_src"


def build(folder: Path, seed: str, tables: Tables | None = None) -> Path:
    """A built site in a fresh folder laid out as the project is, by default of the tiny tables."""
    (folder / "site").mkdir(parents=True)
    shutil.copy(SITE / "mkdocs.yml", folder / "site")
    shutil.copytree(SITE / "overrides", folder / "site/overrides")
    build_sources(folder, tables)
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "-q",
        "-f",
        str(folder / "site/mkdocs.yml"),
    ]
    done = subprocess.run(
        command,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1", "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return folder / "build/site"


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    return build(tmp_path_factory.mktemp("first"), "1")


def _digests(folder: Path) -> dict[str, str]:
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in folder.rglob("*")
        if file.is_file()
    }


@pytest.mark.proof
def test_two_builds_are_the_same_bytes(built, tmp_path):
    assert _digests(build(tmp_path / "second", "2")) == _digests(built)


def test_no_source_or_link_leaves_the_site(built):
    for page in built.rglob("*.html"):
        found = re.findall(r"""\b(?:src|href)=["']?(?:https?:)?//[^"'\s>]+""", page.read_text("utf-8"))
        assert not found, page.name


def test_hostile_text_comes_through_mkdocs_as_text(built):
    page = (built / "ledger.html").read_text("utf-8")
    assert "<img src=x" not in page and "window.__xss=2</script>" not in page
    assert "&#60;img" in page or "&lt;img" in page


def test_titles_in_the_page_head_are_plain(built):
    for page in built.rglob("*.html"):
        assert re.search(r"<title>[^<>]+</title>", page.read_text("utf-8"))
