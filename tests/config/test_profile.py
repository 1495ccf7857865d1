"""Profiles laid over params.yaml: the committed one is a whole, valid build of its paper; what is wrong is one line."""

from pathlib import Path

import pytest
import yaml

from truerate.config import checked
from truerate.config.faults import settings_in
from truerate.config.profile import laid_over, with_profile
from truerate.core.errors import SettingsError

ROOT = Path(__file__).parents[2]
PARAMS, PAPER = ROOT / "params.yaml", ROOT / "profiles/paper-mfava.yaml"


def test_the_paper_s_build_has_its_models_languages_and_grid():
    p = checked(yaml.safe_load(with_profile(PARAMS, PAPER)), "paper.yaml")
    (board,) = p.boards
    track = p.track(board)
    assert (len(track.subjects), len(track.languages), track.answering.max_tokens) == (11, 30, 1024)
    assert set(track.languages) == set(p.source("mfava-paper").languages)
    assert set(p.tracks) == {"mfava"} and p.endpoints.keys() == {"openai", "open"}
    # Table 5, and what Table 8 says of two families
    network = p.backbones["llama-3-8b-full"]
    assert (network.lora.r, network.lora.alpha, network.quantise, network.epochs) == (32, 32, "4bit", 2)
    assert p.models["qwen-2.5-7b"].extra_body == {"top_k": 20, "repetition_penalty": 1.05}
    assert p.models["aya-23-8b"].params == {"top_p": 0.3}
    # all that it does not say stands as in params.yaml
    assert track.retries == settings_in(PARAMS)["tracks"]["mfava"]["retries"]


def test_the_paper_of_entities_has_its_roles_snapshots_panel_and_search():
    p = checked(yaml.safe_load(with_profile(PARAMS, PAPER.with_name("paper-wildhallucinations.yaml"))), "p")
    (board,) = p.boards
    track, models = p.track(board), p.models
    roles = {name: models[alias].model for name, alias in track.roles().items()}
    assert roles["extractor"] == "gpt-3.5-turbo-0125"  # section 2.1
    assert roles["curator"] == roles["verifier"] == "gpt-4o-2024-05-13"
    assert set(track.panel) == {"claude-3-haiku", "claude-3-opus", "gemini-1.5-pro", "gpt-3.5", "gpt-4o"}
    with_search = {alias for alias in track.subjects if models[alias].retrieval}
    assert {alias: models[alias].base for alias in with_search} == {
        "sonar-small": "sonar-small-chat",
        "sonar-large": "sonar-large-chat",
    }
    assert len(track.subjects) == 15 + 2 and "{entity}" in track.question


def test_blocks_of_entries_come_whole_and_other_keys_stand_over_one_another():
    base = {"models": {"a": 1, "b": 2}, "boards": {"x": {"track": "t"}}, "llm": {"reask": 1, "cut": {}}}
    base |= {"tracks": {"t": {"n": 1, "m": {"k": 1, "l": 2}}, "u": {}}}
    base |= {"sizes": {"demo": {"t": {"n": 1}, "u": {}}}}
    over = {"models": {"c": 3}, "llm": {"reask": 0}, "tracks": {"t": {"m": {"k": 5}}}}
    assert laid_over(base, over) == {
        "models": {"c": 3},
        "boards": {"x": {"track": "t"}},
        "llm": {"reask": 0, "cut": {}},
        "tracks": {"t": {"n": 1, "m": {"k": 5, "l": 2}}},
        "sizes": {"demo": {"t": {"n": 1}}},
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- a\n", "it holds no mapping"),
        ("seed: [\n", "line 2"),
        ("sed: 3\n", "sed"),
        ("tracks: [1]\n", "own.yaml: tracks"),
        ("boards: [1]\n", "own.yaml: boards"),
        ("boards: {x: 3}\n", "own.yaml: boards"),
        ("boards: {x: {track: [1], source: y}}\n", "own.yaml: boards"),
        ("sizes: {full: 3}\n", "own.yaml: sizes"),
        ("sizes:\n", "own.yaml: sizes"),
        ("tracks: {mfava: {retries: 99}}\n", "at most 10"),
    ],
)
def test_a_profile_that_is_wrong_is_one_line(tmp_path, text, said):
    (tmp_path / "own.yaml").write_text(text, "utf-8")
    with pytest.raises(SettingsError, match=said) as error:
        with_profile(PARAMS, tmp_path / "own.yaml")
    assert "\n" not in str(error.value)
    with pytest.raises(SettingsError, match="no such file"):
        with_profile(PARAMS, tmp_path / "none.yaml")
