"""mkdocs builds the rendered pages strictly, twice to the same bytes, and the result asks no other host."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml
from tiny_tables import tiny_tables

from truerate.site import Tables, render_site

ROOT = Path(__file__).parents[2]
SITE = ROOT / "site"


def build_sources(folder: Path, tables: Tables | None = None) -> Path:
    """The rendered pages where mkdocs looks for them."""
    for name, text in render_site(tables or tiny_tables(), SITE).items():
        path = folder / "build/site_src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder / "build/site_src"


def build(folder: Path, environment: dict[str, str], tables: Tables | None = None) -> Path:
    """A built site in a fresh folder laid out as the project is, by default of the tiny tables, by the command of the stage."""
    (folder / "site").mkdir(parents=True)
    shutil.copy(SITE / "mkdocs.yml", folder / "site")
    shutil.copytree(SITE / "overrides", folder / "site/overrides")
    build_sources(folder, tables)
    _, command, _ = yaml.safe_load((ROOT / "dvc.yaml").read_text("utf-8"))["stages"]["site"]["cmd"]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    own = os.environ | environment | {"PATH": path, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, shell=True, cwd=folder, env=own, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "build/site"


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    return build(tmp_path_factory.mktemp("first"), {"PYTHONHASHSEED": "1"})


def _digests(folder: Path) -> dict[str, str]:
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in folder.rglob("*")
        if file.is_file()
    }


@pytest.mark.proof
def test_two_builds_are_the_same_bytes(built, tmp_path):
    """On another day, too, in another time zone, by another user."""
    day = {"SOURCE_DATE_EPOCH": "1900000000", "TZ": "Pacific/Auckland", "USER": "x", "HOME": str(tmp_path)}
    assert _digests(build(tmp_path / "second", day | {"PYTHONHASHSEED": "2"})) == _digests(built)


def test_no_file_holds_the_day_of_the_build(built):
    """gzip's header has a time stamp, four bytes from the fourth on (RFC 1952)."""
    assert (built / "sitemap.xml.gz").read_bytes()[4:8] == bytes(4)
    today = datetime.now(UTC).date().isoformat()
    assert not [file for file in built.rglob("*") if file.is_file() and today.encode() in file.read_bytes()]


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
