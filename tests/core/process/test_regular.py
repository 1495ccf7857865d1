"""What is no regular file is refused before it is opened."""

import os
import socket

import pytest

from truerate.cli import main
from truerate.core.errors import SourceError
from truerate.core.process.system_errors import check_regular


def test_a_file_is_regular_and_so_is_a_link_to_it(tmp_path):
    (tmp_path / "a").write_text("x")
    (tmp_path / "b").symlink_to("a")
    check_regular(tmp_path / "a", "answers")
    check_regular(str(tmp_path / "b"), "answers")


@pytest.mark.parametrize("kind", ["pipe", "folder", "device", "socket"])
def test_what_is_none_is_one_line_in_every_place_of_a_command(tmp_path, monkeypatch, capsys, kind):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sound.jsonl").write_text('{"answer": "a", "reference": "a"}\n')
    name = "odd"
    if kind == "pipe":
        os.mkfifo(name)
    elif kind == "folder":
        os.mkdir(name)
    elif kind == "device":
        name = "/dev/zero"
    else:
        socket.socket(socket.AF_UNIX).bind(name)
    for command in (
        ["rate", name],
        ["rate", name, "--dry-run"],
        ["rate", "sound.jsonl", "--labels", name],
        ["check", "--pairs", name],
        ["check", "--answer", name, "--reference", "sound.jsonl"],
    ):
        assert main(command) == 2
        err = capsys.readouterr().err
        assert f"it is a {kind}" in err and err.count("\n") == 1


def test_nothing_there_is_an_oserror_and_standard_input_is_said(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError):
        check_regular("absent", "answers")
    with pytest.raises(SourceError, match="standard input is not read here"):
        check_regular("-", "answers")
