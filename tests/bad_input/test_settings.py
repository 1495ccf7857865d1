"""Settings that cannot be read, are refused on reading, or name what no room knows."""

from pathlib import Path

import pytest

from tests.cases import cases

MISTAKES = Path(__file__).parents[1] / "config/mistakes.yaml"

UNREADABLE = {
    "empty": (b"", "must be a mapping"),
    "a list": (b"- 1\n", "must be a mapping"),
    "a word": (b"hello\n", "must be a mapping"),
    "not YAML": (b"a: [1\n", "not YAML"),
    "not UTF-8": (b"a: \xff\n", "not UTF-8 at byte 3"),
    "a key twice": (b"seed: 1\nseed: 2\n", "key 'seed' stands there twice"),
    "a Python tag": (b"a: !!python/object:os.system x\n", "not YAML"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_settings_that_cannot_be_read(project, refused, name):
    content, said = UNREADABLE[name]
    (project(lambda p: None) / "params.yaml").write_bytes(content)
    assert said in refused("boards")


@cases(MISTAKES, "commands", "line")
def test_settings_that_are_refused(project, refused, change, line):
    project(change)
    assert line in refused("boards")


TEMPLATES = {
    "syntax": ("recognise_qa.j2", b"{% if %}", "line 1"),
    "not UTF-8": ("recognise_qa.j2", b"\xff", "decode"),
    "a name that replaces none": ("recognize_qa.j2", b"x", "replaces none"),
}


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_broken_template_of_the_user(project, refused, name):
    file, content, said = TEMPLATES[name]
    folder = project(lambda p: p["llm"].update(prompts_dir="prompts"))
    (folder / "prompts/halueval").mkdir(parents=True)
    (folder / "prompts/halueval" / file).write_bytes(content)
    line = refused("params")
    assert said in line and file in line
