"""What says how to cite this says the same in both places, and what the package says of itself."""

import tomllib
from pathlib import Path

import yaml

HOUSE = Path(__file__).parents[2]


def test_the_citation_file_and_the_about_page_agree_with_the_package():
    project = tomllib.loads((HOUSE / "pyproject.toml").read_text("utf-8"))["project"]
    told = yaml.safe_load((HOUSE / "CITATION.cff").read_text("utf-8"))
    about = (HOUSE / "site/pages/about.md").read_text("utf-8")
    assert (told["version"], told["license"]) == (project["version"], project["license"])
    for said in (told["title"], told["version"], told["license"], told["authors"][0]["name"]):
        assert said in about
