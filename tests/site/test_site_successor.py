"""The successor of mkdocs-material builds the same sources, where it is installed."""

import shutil
import subprocess

import pytest
from test_site_build import SITE, build_sources

ZENSICAL = shutil.which("zensical")


def beside_sources(config: str) -> str:
    """The configuration as zensical takes it: it wants the built site below the folder of its configuration, so
    the same lines stand one folder higher.
    """
    return config.replace("_dir: ../build/", "_dir: build/").replace("custom_dir: ", "custom_dir: site/")


def test_one_configuration_serves_both():
    told = beside_sources((SITE / "mkdocs.yml").read_text("utf-8"))
    assert "docs_dir: build/site_src" in told
    assert "../" not in told
    assert "hooks:" not in told, "zensical leaves them out without a word"


@pytest.mark.skipif(ZENSICAL is None, reason="zensical is not installed: pip install zensical")
def test_zensical_builds_every_page_strictly(tmp_path):
    sources = build_sources(tmp_path)
    shutil.copytree(SITE / "overrides", tmp_path / "site/overrides")
    (tmp_path / "zensical.yml").write_text(beside_sources((SITE / "mkdocs.yml").read_text("utf-8")), "utf-8")
    done = subprocess.run(
        [ZENSICAL, "build", "--strict", "-f", "zensical.yml"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    wanted = {path.relative_to(sources).with_suffix(".html") for path in sources.rglob("*.md")}
    assert wanted
    assert all((tmp_path / "build/site" / page).is_file() for page in wanted)
