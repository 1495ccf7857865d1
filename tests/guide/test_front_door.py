"""README, CONTRIBUTING and CHANGELOG: short, and what they name is there."""

import re
import shlex

import pytest
import yaml

from tests.guide.blocks import ROOT, blocks_of
from truerate.cli import main, parser

PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 150


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_files(page):
    targets = re.findall(r"\]\(([^)#]+)", (ROOT / page).read_text("utf-8"))
    gone = [target for target in targets if "://" not in target and not (ROOT / target).is_file()]
    assert not gone


def test_every_finding_is_in_its_table_and_in_the_guide():
    names = sorted(path.stem for path in (ROOT / "findings").glob("*.sh"))
    table = re.findall(r"^\| (\w+) \|", (ROOT / "findings/README.md").read_text("utf-8"), re.M)
    page = (ROOT / "site/pages/guide/surprises.md").read_text("utf-8")
    assert sorted(table) == sorted(["script", *names])
    assert set(re.findall(r"`findings/(\w+)\.sh`", page)) == set(names)


def test_the_picture_is_small():
    assert (ROOT / "site/assets/screenshot.png").stat().st_size < 200_000


@pytest.mark.parametrize("page", PAGES)
def test_commands_are_known(page):
    """Each command of a block is one that the command line, or make, takes."""
    lines = [
        line for one in blocks_of(page, ROOT) if one.language == "bash" for line in one.text.splitlines()
    ]
    commands = [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("truerate ")]
    for command in commands:
        parser().parse_args(command)  # exits where it is none
    targets = {line.split()[1] for line in lines if line.startswith("make ")}
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert all(re.search(rf"^{target}:", makefile, re.M) for target in targets)
    assert page != "README.md" or len(commands) >= 5


def test_the_settings_of_the_readme_are_accepted(tmp_path, monkeypatch, capsys):
    from tests.guide.test_guide import merge

    params = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
    merged = [block for block in blocks_of("README.md", ROOT) if block.language == "yaml"]
    for block in merged:
        merge(params, yaml.safe_load(block.text))
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(params), "utf-8")
    for name in ("src", "site", "rules"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "inputs/halueval").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert (main(["params"]), capsys.readouterr().err, len(merged)) == (0, "", 2)
