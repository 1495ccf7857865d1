"""Mistakes in params.yaml in plain words: where, what, what was met, what is allowed; never a secret."""

from pathlib import Path

import pytest
import yaml

from truerate.config import load_params
from truerate.core.errors import SettingsError, TruerateError

ROOT = Path(__file__).parents[2]
COMMITTED = (ROOT / "params.yaml").read_text("utf-8")
KEYS = (
    "sk-live-0123456789",
    "AIzaSyD_0123456789abcdefghijk",
    "AKIAIOSFODNN7EXAMPLE",
    "two words",
    "Bearer abc",
    "my_key",
    "a" * 90,
)


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


PLAIN = {
    "a truth value": (lambda p: p.update(n_shards=True), "n_shards: must be a whole number (got true)"),
    "a list": (
        lambda p: p.update(on_bad_row=["stop"]),
        "on_bad_row: must be 'stop' or 'reject' (got a list of 1)",
    ),
    "a mapping": (lambda p: p["paths"].update(scores={"a": 1}), "paths.scores: must be text (got a mapping)"),
    "a key of a mapping in place of a name, on a board": (
        lambda p: p["boards"]["halueval-closed-world"].update(
            settings={"similarity": {"model": "x", "layr": 1}}
        ),
        "boards.halueval-closed-world.settings.similarity.layr: unknown key 'layr'; did you mean 'layer'?; "
        "allowed here: baseline, layer, model (got 1)",
    ),
    "nothing": (lambda p: p.update(seed=None), "seed: must be a whole number (got nothing)"),
    "no number": (
        lambda p: p["llm"].update(timeout_s="soon"),
        "llm.timeout_s: must be a number (got 'soon')",
    ),
    "a near miss": (
        lambda p: p.update(profile="dmeo"),
        "profile: must be 'demo' or 'full'; did you mean 'demo'? (got 'dmeo')",
    ),
    "too few of two": (lambda p: p["llm"].update(backoff_s=[1]), "llm.backoff_s: has too few entries"),
    "too many of two": (
        lambda p: p["llm"].update(backoff_s=[1, 2, 3]),
        "llm.backoff_s: must have at most 2 entries (got a list of 3)",
    ),
    "a misspelt key": (
        lambda p: p.update(sed=p.pop("seed")),
        "unknown key 'sed'; did you mean 'seed'?; allowed here: audit, backbones",
    ),
    "a date without quotes": (
        lambda p: p["models"]["elm"].update(cutoff=yaml.safe_load("2024-05-01")),
        "models.elm.cutoff: must be text (got a date, '2024-05-01'): YAML reads it otherwise; write the word in quotes",
    ),
    "a key that is gone": (
        lambda p: p["sizes"]["demo"]["mfava"].pop("train"),
        "sizes.demo.mfava.train: is required and not there",
    ),
    "a wrong entry of a list": (
        lambda p: p["sizes"]["demo"]["mfava"].update(scopes=["mutli"]),
        "sizes.demo.mfava.scopes.0: must be 'multi' or 'mono'; did you mean 'multi'? (got 'mutli')",
    ),
    "an entry of another block": (
        lambda p: p.update(models=p["sizes"]),
        "; and 13 more mistakes below 'models'",
    ),
    "a number of many digits": (
        lambda p: p.update(seed=10**100),
        "seed: must be below 4,294,967,296 (got a number of many digits)",
    ),
}


@pytest.mark.parametrize("name", PLAIN)
def test_a_mistake_is_one_line_in_plain_words(tmp_path, name):
    change, line = PLAIN[name]
    lines = edited(tmp_path, change)
    assert len(lines) == 1 and lines[0].startswith("params.yaml: ") and line in lines[0], lines


BOUNDS = {
    "seed": [-1, 2**32, 10**30],
    "n_shards": [0, 10**6],
    "sizes.demo.halueval.qa": [0, 10**12],
    "sizes.demo.wildhallucinations.chats": [0, 10**9],
    "tracks.mfava.wild.subset_seeds": [[-1], [2**64]],
    "tracks.halueval.recognition.max_tokens": [0, 10**12],
    "tracks.halueval.recognition.temperature": [-1, 1000, float("nan")],
    "audit.folds": [1, 10**6],
    "statistics.alpha": [0, 1e-9, 1],
    "statistics.confidence": [0, 1, 1e-9],
    "llm.max_attempts": [0, 10**6],
    "llm.timeout_s": [0, 1e308, float("inf")],
    "endpoints.world.concurrency": [0, 10**9],
    "models.elm.price": [[-1, 0], [1e308, 0]],
    "backbones.tiny-plain.learning_rate": [0, 1e9],
}


@pytest.mark.parametrize("place", BOUNDS)
def test_numbers_have_bounds(tmp_path, place):
    *above, last = place.split(".")
    for value in BOUNDS[place]:

        def change(p, value=value):
            for part in above:
                p = p[part]
            p[last] = value

        lines = edited(tmp_path, change)
        assert len(lines) == 1 and lines[0].startswith(f"params.yaml: {place}") and " must be " in lines[0], (
            lines
        )


UNREAD = {
    "a bracket": (
        "a: [1\n",
        "line 2, column 1: while parsing a flow sequence, did not find expected ',' or ']'",
    ),
    "a tab": ("a:\n\t- 1\n", "line 2, column 1"),
    "a key twice": ("seed: 1\nseed: 2\n", "line 2, column 1: key 'seed' stands there twice"),
    "a month that is none": ("seed: 2024-13-01\n", "month must be in 1..12"),
    "too deep": ("[" * 3000, "params.yaml"),
    "an unknown alias": ("a: *b\n", "undefined alias"),
}


@pytest.mark.parametrize("name", UNREAD)
def test_what_is_no_yaml_names_file_line_and_column(tmp_path, name):
    text, part = UNREAD[name]
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


@pytest.mark.parametrize(
    ("word", "line"),
    [
        ("no", "languages.1: must be text (got false): YAML reads it otherwise; write the word in quotes"),
        ("Off", "languages.1: must be text (got false): YAML reads it otherwise; write the word in quotes"),
        ("yes", "languages.1: must be text (got true): YAML reads it otherwise; write the word in quotes"),
        (
            "2024-05-01",
            "languages.1: must be text (got a date, '2024-05-01'): YAML reads it otherwise; write the word in quotes",
        ),
        ("1_0", "languages.1: must be text (got 10): YAML reads it otherwise; write the word in quotes"),
        ("12:30", 'YAML reads 12:30 as 750; write "12:30" in quotes, or 750'),
        ("0012", 'YAML reads 0012 as 10; write "0012" in quotes, or 10'),
        ("1:30.5", 'YAML reads 1:30.5 as 90.5; write "1:30.5" in quotes, or 90.5'),
    ],
)
def test_a_word_that_yaml_reads_otherwise_is_quoted_in_the_message(tmp_path, word, line):
    path = tmp_path / "params.yaml"
    text = Path("params.yaml").read_text("utf-8")
    path.write_text(text.replace("languages: [en]", f"languages: [en, {word}]", 1), "utf-8")
    with pytest.raises(SettingsError) as error:
        load_params(path)
    assert line in str(error.value) and "\n" not in str(error.value)
