"""A model is asked to continue the canary of a set: one that has seen it, one that has not, one that is silent."""

import json
import re
from pathlib import Path

import pytest
import yaml
from committed import ROOT

from tests.stub import Stub, serving
from truerate.cli import main
from truerate.core.errors import SourceError
from truerate.hub.release import CANARY
from truerate.pipeline.checks.recall import n_right
from truerate.pipeline.publishing.canary import canary_in, canary_of

LINE = canary_of("little", "v1.0")
GUID = LINE.rsplit(" ", 1)[-1]


class Reader(Stub):
    """A model that knows a text by heart, or nothing where there is none."""

    def __init__(self, text: str | None):
        super().__init__()
        self.text = text

    async def answer(self, body):
        asked = json.loads(body)["messages"][-1]["content"]
        self.calls[body.hex()] += 1
        line = asked.rpartition("\n")[2]
        if self.text is None:
            return 200, {}, self.completion("", finish="content_filter")
        return 200, {}, self.completion(self.text.partition(line)[2] or "I do not know this line.")


def asked(server, folder, monkeypatch, capsys, *more):
    """The exit code of a probe of a server, and what it printed."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("TRUERATE_STORE", str(folder / "responses.sqlite"))
    Path(CANARY).write_text(f"{LINE}\n", "utf-8")
    with serving(server) as url:
        settings = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
        settings["endpoints"]["own"] = {"base_url": url}
        settings["models"]["m"] = {"endpoint": "own", "model": "reader"}
        Path("params.yaml").write_text(yaml.safe_dump(settings), "utf-8")
        with pytest.raises(SystemExit) as ended:
            main(["probe", "m", "--canary", CANARY, *more])
    return ended.value.code, capsys.readouterr().out


def test_a_canary_follows_from_name_and_version_alone():
    assert canary_of("little", "v1.0") == LINE and re.search(r"canary GUID [0-9a-f-]{36}$", LINE)
    assert (
        len({canary_of(name, version) for name in ("little", "large") for version in ("v1.0", "v1.1")}) == 4
    )


@pytest.mark.parametrize(
    ("n_shown", "reply", "expected"),
    [
        (0, GUID, 32),
        (4, f"…{GUID}", 28),  # the line repeated whole
        (8, GUID[8:].replace("-", " ").upper(), 24),
        (8, GUID[8:16], 6),
        (0, "I do not know.", None),
        (0, "", 0),
    ],
)
def test_digits_in_a_row_are_counted_from_where_the_prompt_stopped(n_shown, reply, expected):
    count = n_right(LINE, n_shown, reply)
    assert count == expected if expected is not None else count < 3


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        (LINE, 1, "m continues the canary"),
        ("Other words.", 0, "m does not continue it"),
        (None, 3, "m gave no reply"),
    ],
)
def test_the_command_says_whether_a_model_continues_it(tmp_path, monkeypatch, capsys, text, code, says):
    ended, told = asked(Reader(text), tmp_path, monkeypatch, capsys)
    assert (ended, says in told, LINE in told) == (code, True, True)


def test_the_same_for_programs_and_a_dry_run_asks_nothing(tmp_path, monkeypatch, capsys):
    server = Reader(LINE)
    code, told = asked(server, tmp_path, monkeypatch, capsys, "--dry-run")
    assert code == 0 and "3" in told and not server.calls
    code, told = asked(server, tmp_path, monkeypatch, capsys, "--json")
    report = json.loads(told)
    assert code == 1 and report["is_recalled"] is True
    assert [reply["n_right"] for reply in report["replies"]] == [32, 28, 24]


def test_a_file_without_a_canary_is_one_line(tmp_path):
    (tmp_path / "a.txt").write_text("no line\n", "utf-8")
    for name, says in (("a.txt", "no line holds"), ("b.txt", "No such file")):
        with pytest.raises(SourceError, match=says):
            canary_in(tmp_path / name)
