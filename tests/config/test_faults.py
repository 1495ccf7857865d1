"""Mistakes in params.yaml in plain words: where, what, what was met, what is allowed; never a secret."""

from pathlib import Path

import pytest
import yaml

from tests.cases import case_table, cases, put
from truerate.config import load_params
from truerate.core.errors import SettingsError, TruerateError

ROOT = Path(__file__).parents[2]
MISTAKES = Path(__file__).with_name("mistakes.yaml")
TABLES = yaml.safe_load(MISTAKES.read_text("utf-8"))
COMMITTED = (ROOT / "params.yaml").read_text("utf-8")
KEYS = [*case_table(__file__)["keys"], "a" * 90]


def said(path: Path, text: str) -> list[str]:
    """The lines with which a file is refused."""
    path.write_text(text, "utf-8")
    with pytest.raises(TruerateError) as caught:
        load_params(path)
    return str(caught.value).splitlines()


def edited(tmp_path: Path, change) -> list[str]:
    params = yaml.safe_load(COMMITTED)
    change(params)
    return said(tmp_path / "params.yaml", yaml.safe_dump(params, sort_keys=False))


@cases(MISTAKES, "plain", "line")
def test_a_mistake_is_one_line_in_plain_words(tmp_path, change, line):
    lines = edited(tmp_path, change)
    assert len(lines) == 1 and lines[0].startswith("params.yaml: ") and line in lines[0], lines


@pytest.mark.parametrize("place", TABLES["bounds"])
def test_numbers_have_bounds(tmp_path, place):
    for value in TABLES["bounds"][place]:
        lines = edited(tmp_path, lambda p, value=value: put(p, place, value))
        assert len(lines) == 1 and lines[0].startswith(f"params.yaml: {place}") and " must be " in lines[0], (
            lines
        )


@pytest.mark.parametrize("name", [*TABLES["unread"], "too deep"])
def test_what_is_no_yaml_names_file_line_and_column(tmp_path, name):
    text, part = TABLES["unread"].get(name, {"text": "[" * 3000, "line": "params.yaml"}).values()
    lines = said(tmp_path / "params.yaml", text)
    assert len(lines) == 1 and "params.yaml" in lines[0] and part in lines[0] and "<" not in lines[0], lines


@pytest.mark.parametrize("value", KEYS)
def test_a_key_where_its_variable_belongs_is_refused_and_not_shown(tmp_path, value):
    for place, change in {
        "endpoints.world.api_key_env": lambda p: p["endpoints"]["world"].update(api_key_env=value),
        "tracks.wildhallucinations.search.key_env": lambda p: p["tracks"]["wildhallucinations"][
            "search"
        ].update(key_env=value),
        "tracks.wildhallucinations.search.engine_env": lambda p: p["tracks"]["wildhallucinations"][
            "search"
        ].update(engine_env=value),
    }.items():
        lines = edited(tmp_path, change)
        assert lines == [f"params.yaml: {place}: must be the name of an environment variable (capitals, digits and '_', such as "
                         "OPENAI_API_KEY), never a key itself"], lines  # fmt: skip
    for wrong in ([value], {value: value}, {"x": {"y": value}}):
        lines = edited(tmp_path, lambda p, wrong=wrong: p["endpoints"]["world"].update(api_key_env=wrong))
        assert lines == ["params.yaml: endpoints.world.api_key_env: must be text"]
    for change in (
        lambda p: p.update(endpoints=[{"api_key_env": value}]),
        lambda p: p["endpoints"].update(world=[{"api_key_env": value}]),
        lambda p: p["endpoints"]["world"].update(token=value),
        lambda p: p["endpoints"]["world"].update(base_url=f"me:{value}@host"),
        lambda p: p["models"]["elm"].update(api_key=value),
    ):
        assert value not in "\n".join(edited(tmp_path, change))


@pytest.mark.parametrize(
    "value",
    ["sk-proj-0123456789abc", "pk-0123456789abc", "hf_abcdefghijkl", "Bearer abcdef", "AKIAIOSFODNN7EXAMPLE"],
)
def test_what_has_the_shape_of_a_secret_is_shown_nowhere(tmp_path, value):
    for change in (
        lambda p: p["statistics"].update(confidence=value),
        lambda p: p["paths"].update(scores=f"/{value}"),
        lambda p: p["tracks"]["halueval"].update(filter_judge=value),
        lambda p: p.update({value: 1}),
        lambda p: p["statistics"].update(confidence=f"http://me:{value}@host"),
    ):
        (line,) = edited(tmp_path, change)
        assert value not in line and "[key]" in line, line


@pytest.mark.parametrize("name", ["1e5", "17", "1.5", "0x1f", "1_000"])
def test_a_name_that_dvc_reads_as_a_number_is_refused(tmp_path, name):
    for block in ("boards", "sources", "detectors"):
        (line,) = edited(
            tmp_path, lambda p, block=block: p[block].update({name: next(iter(p[block].values()))})
        )
        assert f"{block}: name {name!r} reads as a number" in line, line


@pytest.mark.parametrize(("word", "line"), TABLES["words"].items())
def test_a_word_that_yaml_reads_otherwise_is_quoted_in_the_message(tmp_path, word, line):
    path = tmp_path / "params.yaml"
    text = Path("params.yaml").read_text("utf-8")
    path.write_text(text.replace("languages: [en]", f"languages: [en, {word}]", 1), "utf-8")
    with pytest.raises(SettingsError) as error:
        load_params(path)
    assert line in str(error.value) and "\n" not in str(error.value)
