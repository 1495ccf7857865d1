"""The guide is true: the settings of all its pages are merged into one tiny house, which is built once, and
each command of the pages is run in it; what cannot be run here is listed with its reason.
"""

import contextlib
import io
import json
import os
import re
import shlex
import subprocess
import sys
import zlib
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import polars as pl
import pytest
import yaml
from house import ROOT, TINY, House, move_in
from published import running, turned

from tests.cases import case_table
from tests.guide.blocks import GUIDE, Block, blocks, pages
from tests.stub import Stub, serving
from tests.warm import warm
from truerate.cli import main, parser

BOARD = "mfava-closed-world"
SMALL = {"train": 12, "held_out": 2, "silver": 4, "articles": 3, "natural": 2}
SMALL |= {"seeds": [42], "scopes": ["multi"], "labels": ["binary"]}
BASH = ("bash", "-euo", "pipefail", "-s")
CHECK = re.compile(r"(?:cat (\S+) \| )?truerate (check [^|@]+)")  # of a detector of this house
ADDRESS = "http://localhost:8000/v1"  # of the guide's own model; here a server on loopback stands there
NOT_RUN = case_table(__file__)["not_run"]
COMMAND = re.compile(
    r"(?:^|[|&;(]\s*|\$\()\s*(?:[A-Z_]+=\S+ )*truerate ((?:[^|&;<>()\n]|<[a-z])*)", re.MULTILINE
)
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("guide")]


def test_every_page_stands_in_the_navigation():
    assert sorted(pages()) == sorted(path.name for path in GUIDE.glob("*.md"))


def test_what_is_not_run_is_listed_with_its_reason():
    assert [[block.page, block.mark] for block in blocks() if block.mark] == NOT_RUN
    assert {block.language for block in blocks()} == {"bash", "python", "yaml", "yml", "nginx"}


def test_the_walk_from_raw_files_takes_ten_commands():
    """From the download to the tables and the audit; settings are written once."""
    walk = (GUIDE / "from-raw-files.md").read_text("utf-8").partition("\n## ")[0]
    lines = "\n".join(re.findall(r"```bash\n(.*?)```", walk, re.DOTALL)).replace("\\\n", " ").splitlines()
    commands = [one for line in lines for one in line.split(" && ") if one.strip()]
    assert len(commands) <= 10 and len(re.findall(r"```yaml", walk)) == 1
    assert commands[-1].startswith("truerate audit") and any(" board " in one for one in commands)


@pytest.mark.parametrize(
    "block", [one for one in blocks() if one.language == "yaml"], ids=lambda one: one.place
)
def test_settings_of_the_guide_are_accepted(block, tmp_path, monkeypatch, capsys):
    """Merged into the committed params.yaml alone, those that are not run, too."""
    params = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
    merge(params, yaml.safe_load(block.text))
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(params), "utf-8")
    for name in ("src", "site", "rules"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "inputs/prompts/mfava").mkdir(parents=True)  # what the pages' commands put there
    (tmp_path / "inputs/prompts/mfava/answer.j2").write_text("{{ query }}", "utf-8")
    (tmp_path / "inputs/prompts/halueval").mkdir()
    (tmp_path / "inputs/prompts/halueval/authors_recognise_qa.j2").write_text("{{ text }}", "utf-8")
    (tmp_path / "inputs/halueval").mkdir(parents=True)
    (tmp_path / "inputs/raw").mkdir()
    monkeypatch.chdir(tmp_path)
    assert (main(["params"]), capsys.readouterr().err) == (0, "")


def commands(block: Block) -> list[str]:
    """What stands behind `truerate` in a block, up to what the shell takes."""
    whole = re.sub(r"\s+#.*", "", block.text.replace("\\\n", " "))
    return [re.sub(r"\s\d$", "", found.strip()) for found in COMMAND.findall(whole)]


def test_every_command_is_one_that_the_command_line_takes():
    """Those that are not run, too."""
    found = [(block, one) for block in blocks() if block.language == "bash" for one in commands(block)]
    assert len(found) >= 70 and any(block.mark for block, _ in found)
    for block, command in found:
        try:
            parser().parse_args(shlex.split(command))
        except SystemExit:
            pytest.fail(f"{block.place}: truerate {command}")


def merge(settings: dict, more: dict) -> None:
    """Put a block of the guide into settings: mappings key by key, all else in place of what was there."""
    for key, value in more.items():
        if isinstance(value, dict) and isinstance(settings.get(key), dict):
            merge(settings[key], value)
        else:
            settings[key] = value


def shrink(params: dict) -> None:
    """One language, one subject of the world, networks of a few steps; and HaluEval's sizes."""
    mfava = params["tracks"]["mfava"]
    mfava |= {
        "languages": ["en"],
        "subjects": [name for name in mfava["subjects"] if name in ("aster", "llama")],
    }
    params["sources"]["closed-world-wiki"]["languages"] = ["en"]
    params["sizes"]["demo"]["halueval"] = TINY
    params["statistics"]["n_bootstrap"] = 100
    params["detectors"]["baselines"] |= {"members": ["always", "length"], "only": {}}
    members = [
        name
        for name in params["detectors"]["tokens"]["members"]
        if name in ("token-lr", "tiny-prefix", "mine")
    ]
    params["detectors"]["tokens"]["members"] = members
    for backbone in params["backbones"].values():
        backbone |= {"max_steps": 4, "checkpoint_steps": 2}


class Model(Stub):
    """A model that gives what the last line of a prompt asks for, by the prompt; to all else an echo."""

    def completion(self, text: object, **more: object) -> bytes:
        said = str(text)
        cue, drawn = said.rsplit("\n", 1)[-1], zlib.crc32(said.encode())
        found = text
        if "Judgement#:" in cue:
            found = f"{cue} {('Yes', 'No')[drawn % 2]}"
        elif "Choice#:" in cue or cue.startswith("#Best "):
            noun = next(noun for noun in ("Answer", "Response", "Summary") if f"#{noun} 1#" in said)
            found = f"{cue} {noun} {1 + drawn % 2}"
        elif cue.startswith(("#Hallucinated ", "#Refined ")):
            found = f"{cue} It was built of stone {drawn % 97}"
        return super().completion(found, **more)


def downloaded(folder: Path) -> None:
    """What the walk from raw files downloads, in the published layouts: a few rows of each data set."""
    hotpot = [
        {
            "_id": str(number),
            "question": f"Of what is tower {number} built?",
            "answer": f"brick {number}",
            "type": "bridge",
            "level": "easy",
            "supporting_facts": [[f"Tower {number}", 0]],
            "context": [[f"Tower {number}", [f"Tower {number} is built of brick {number}."]]],
        }
        for number in range(6)
    ]
    asked = [{"instruction": f"Name {number} metals.", "input": "", "output": "Tin"} for number in range(8)]
    walk = {"path": [0.9, [["Ada", "born in", "Varn"]], "Ada was born in Varn"]}
    messages = [
        {"type": "chat", "sender": "user", "message": "Who is Ada?"},
        {"type": "action", "sender": "assistant", "action_id": "kgwalk/choose_path", "metadata": walk},
        {"type": "chat", "sender": "assistant", "message": "She was born in Varn."},
    ]
    news = {
        "article": ["Varn opened a bridge. It is long."],
        "highlights": ["A bridge opened\nIt is long"],
        "id": ["a"],
    }
    (folder / "cnn_dailymail/3.0.0").mkdir(parents=True)
    (folder / "hotpot_dev_distractor_v1.json").write_text(json.dumps(hotpot), "utf-8")
    (folder / "alpaca_data.json").write_text(json.dumps(asked), "utf-8")
    pl.DataFrame(news).write_parquet(folder / "cnn_dailymail/3.0.0/validation-00000-of-00001.parquet")
    row = {"Messages": [json.dumps(messages)], "User Rating": ["4"], "Assistant Rating": ["4"]}
    pl.DataFrame(row).write_csv(folder / "opendialkg.csv")


def runnable() -> list[Block]:
    return [block for block in blocks() if not block.mark]


class Guide:
    """A house in which the guide is followed, and what each block printed, by page and line."""

    def __init__(self, house: House, hub, address: str):
        self.house, self.hub, self.address = house, hub, address
        self.told: dict[str, str] = {}

    def prepare(self) -> None:
        """The settings and files of all pages, before the first build: to build anew after each of them would cost more than all else."""
        for block in runnable():
            if block.language == "yaml":
                more = yaml.safe_load(block.text.replace(ADDRESS, self.address))
                self.house.edit(lambda params, more=more: (merge(params, more), shrink(params)))
            elif block.language == "bash" and "truerate " not in block.text:
                self.told[block.place] = self.run(BASH, block.text, block.place)

    def follow(self, page: str) -> None:
        """The commands of a page, then its Python as one script."""
        of_page = [block for block in runnable() if block.page == page]
        for block in of_page:
            if block.language == "bash" and block.place not in self.told:
                self.told[block.place] = "".join(self.lines(block))
        if script := [block for block in of_page if block.language == "python"]:
            whole = "\n".join(block.text for block in script)
            told = self.run((warm().python, "-c", whole), "", script[0].place)
            self.told |= {block.place: told for block in script}

    def lines(self, block: Block) -> Iterator[str]:
        """What the lines of a block print; those that check texts run in this process, which has torch."""
        for is_check, lines in groupby(block.text.splitlines(), key=lambda line: bool(CHECK.fullmatch(line))):
            if is_check:
                yield from (self.check(line, block.place) for line in lines)
            else:
                yield self.run(BASH, "\n".join(lines) + "\n", block.place)

    def check(self, line: str, place: str) -> str:
        piped, command = CHECK.fullmatch(line).groups()
        told = io.StringIO()
        with (
            open(self.house.folder / (piped or os.devnull), encoding="utf-8") as given,
            pytest.MonkeyPatch.context() as own,
            contextlib.redirect_stdout(told),
        ):
            own.chdir(self.house.folder)
            own.setenv("NO_COLOR", "1")
            own.setattr(sys, "stdin", given)
            assert main(shlex.split(command)) == 0, f"{place}: {line}"
        return told.getvalue()

    def run(self, command: tuple[str, ...], text: str, place: str) -> str:
        own = {"NO_COLOR": "1", "MY_KEY": "the-key-of-my-server"}
        done = subprocess.run(
            command,
            input=text,
            cwd=self.house.folder,
            env=self.house.environment | turned(self.hub) | own,
            capture_output=True,
            text=True,
            timeout=540,
        )
        assert done.returncode == 0, f"{place}: {done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        return done.stdout

    def after(self, page: str, command: str) -> str:
        """What the block of a page that holds a command printed."""
        (place,) = (
            one.place for one in blocks() if one.page == page and command in one.text and not one.mark
        )
        return self.told[place]


@pytest.fixture(scope="module")
def guide(tmp_path_factory) -> Guide:
    """The guide, followed from the first page to the last."""
    folder = tmp_path_factory.mktemp("guide")
    house = move_in(folder / "truerate", SMALL, board=BOARD)
    house.edit(add_rules)
    house.edit(shrink)
    downloaded(house.folder / "inputs/raw")
    with running(folder) as hub, serving(Model()) as address:
        followed = Guide(house, hub, address)
        followed.prepare()
        for page in pages():
            followed.follow(page)
        yield followed


def add_rules(params: dict) -> None:
    """The family of rules, which one board of token detectors does without."""
    committed = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
    params["detectors"] |= {"baselines": committed["detectors"]["baselines"] | {"tracks": ["halueval"]}}


def test_first_steps_show_the_boards_and_mark_a_text(guide):
    assert BOARD in guide.after("first-steps.md", "truerate boards")
    told = guide.after("first-steps.md", "--answer answer.txt")
    assert re.search(r"words marked \(p > 0\.\d+\) by tiny-prefix, trained on mfava-closed-world", told)
    assert json.loads(told.splitlines()[-1])["text"] == "Karlomi was built in 1733 on the river Teru."
    assert '{"id": "a", ' in guide.after("first-steps.md", "--pairs pairs.jsonl --json")


def test_the_own_model_has_its_rows(guide):
    rows = guide.house.table("data/leaderboard/rows.parquet")
    assert {"aster", "llama"} <= set(rows.filter(pl.col("kind") == "model")["subject"])
    assert "llama" in guide.after("own-model.md", "truerate board mfava-closed-world")


def test_the_own_data_have_a_board_of_rules_alone(guide):
    rows = guide.house.table("data/leaderboard/rows.parquet").filter(board="halueval-mine")
    assert {"always", "length"} <= set(rows["subject"]) and "model" not in set(rows["kind"])
    assert (guide.house.folder / "build/site/boards/halueval-mine.html").is_file()


def test_the_walk_from_raw_files_ends_in_rows_of_both_models(guide):
    rows = guide.house.table("data/leaderboard/rows.parquet").filter(board="halueval-raw")
    assert {"writer", "reader"} <= set(rows.filter(pl.col("kind") == "model")["subject"])
    items = guide.house.table("data/datasets/halueval-raw/items.parquet")
    assert set(items["task"]) == {"qa", "dialogue", "summarization", "general"}
    samples = guide.house.table("data/datasets/halueval-raw/samples.parquet")
    assert samples["is_hallucinated"].sum() * 2 == samples.height > 0
    assert "reader" in guide.after("from-raw-files.md", "truerate board halueval-raw")


def test_the_own_detector_has_its_rows_and_marks(guide):
    rows = guide.house.table("data/leaderboard/rows.parquet").filter(board=BOARD)
    assert "mine" in set(rows["subject"])
    assert "by mine, trained on" in guide.after("own-detector.md", "--detector mine")


def test_what_was_published_loads(guide):
    assert guide.hub.exists("org/name")
    assert "org/name" in guide.after("publishing.md", "--dry-run")
    assert "by org/detector@v1.0" in guide.after("publishing.md", "--detector org/detector@v1.0")


def test_what_leaves_for_other_tools_lies_where_the_page_says(guide):
    folder, files = guide.house.folder, guide.hub.files("org/board")
    logs = [json.loads(path.read_text("utf-8")) for path in (folder / "eee/data").glob("*/*/*/*.json")]
    assert {log["source_metadata"]["source_name"] for log in logs if "faithbench" in log["evaluation_id"]}
    assert {log["model_info"]["id"] for log in logs} >= {"closed-world/aster", "openai/gpt-4o"}
    assert yaml.safe_load(files["eval.yaml"])["tasks"][0]["id"] == "all" and b"GUID" in files["CANARY.txt"]
    assert [path for path in files if path.startswith("every_eval_ever/data/mfava-closed-world/")]
    values = folder / "proposals/openai/gpt-4o/.eval_results/faithbench.yaml"
    assert yaml.safe_load(values.read_text("utf-8"))[0]["dataset"] == {
        "id": "org/faithbench",
        "task_id": "all",
    }
    assert "aster does not continue it" in guide.after("other-tools.md", "--canary")


def test_what_was_signed_verifies(guide):
    assert "tagged v1.1" in guide.after("publishing.md", "genpkey")
    assert "files are as stated; signature: valid by '../signing-key.pub'" in guide.after(
        "publishing.md", "truerate verify"
    ).replace(str(guide.house.folder.parent), "..")


def test_the_guide_is_in_the_site_and_the_home_page_leads_there(guide):
    site = guide.house.folder / "build/site"
    assert {path.stem for path in (site / "guide").glob("*.html")} == {Path(name).stem for name in pages()}
    assert 'href="guide/index.html"' in (site / "index.html").read_text("utf-8").replace(
        "=guide/index.html", '="guide/index.html"'
    )
    assert "the other pages say what to edit" in (site / "guide/index.html").read_text("utf-8")
