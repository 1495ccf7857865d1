"""Profiles laid over params.yaml: the committed one is a whole, valid build of its paper; what is wrong is one line."""

from pathlib import Path

import polars as pl
import pytest
import yaml

from truerate.config import checked
from truerate.config.faults import settings_in
from truerate.config.profile import laid_over, with_profile
from truerate.core.errors import SettingsError

ROOT = Path(__file__).parents[2]
PARAMS, PAPER = ROOT / "params.yaml", ROOT / "profiles/paper-mfava.yaml"
HELMA = ROOT / "profiles/paper-halueval.yaml"
WILD = ROOT / "profiles/paper-wildhallucinations.yaml"
DIALOGUES = ROOT / "profiles/paper-halludial.yaml"
DATA = (ROOT / "../shared/data/published_results.csv").is_file()


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


def test_halueval_s_paper_asks_one_model_for_all_at_the_paper_s_size():
    p = checked(yaml.safe_load(with_profile(PARAMS, HELMA)), "paper.yaml")
    (board,) = p.boards
    track, size = p.track(board), p.size_of(board)
    assert set(p.models_of(board)) == {"chatgpt"} and set(p.tracks) == {"halueval"}
    assert (size.qa, size.dialogue, size.summarization, size.general) == (10_000, 10_000, 10_000, 5_000)
    assert (track.n_responses, track.sampling.temperature, track.recognition.temperature) == (3, 1.0, 0.0)
    assert (track.similarity.model, track.similarity.layer) == ("FacebookAI/roberta-large", 17)


def test_wildhallucinations_paper_has_its_models_and_its_own_rules():
    p = checked(yaml.safe_load(with_profile(PARAMS, WILD)), "paper.yaml")
    (board,) = p.boards
    track, size = p.track(board), p.size_of(board)
    assert len(track.subjects) * size.entities == 118_785 and set(p.tracks) == {"wildhallucinations"}
    printed = pl.read_csv(ROOT / "src/truerate/tracks/wildhallucinations/published.csv")
    settings = (
        pl.read_csv(ROOT / "../shared/data/published_results.csv", infer_schema=False) if DATA else None
    )
    assert printed.filter(pl.col("table").cast(str) == "4")["model"].n_unique() == len(track.subjects)
    if settings is not None:  # Table 3
        known = settings.filter(source="wildhallucinations", table="3", metric="params_billion")
        told = {
            name: (float(n), "; retrieval" in note)
            for name, n, note in known["model", "value", "note"].iter_rows()
        }
        ours = {name: p.models[name.lower().replace(" ", "-").replace("+", "-plus")] for name in told}
        assert {name: (one.size_b, one.retrieval) for name, one in ours.items()} == told
    # appendix B and C; section 2.2; FActScore's five passages for each fact by itself
    assert (track.abstention, track.fetch.extract, len(track.fetch.login_hosts)) == ("paper", "tags", 7)
    assert len(track.fetch.sign_in_phrases) == 2 and track.fetch.service.price and track.search.rpm == 100
    assert (track.verification.facts_per_call, size.evidence.n_passages, size.evidence.window) == (1, 5, 5)
    # 512 tokens but for two models (appendix A); the plain name's perplexity by Llama-3-8B
    assert track.answering.max_tokens == 512 and track.rarity == "meta-llama/Meta-Llama-3-8B"
    longer = [name for name in track.subjects if p.models[name].params.get("max_tokens") == 1024]
    assert longer == ["command-r", "command-r-plus"]


def test_halludial_s_paper_measures_its_models_and_trains_its_judge_both_ways():
    p = checked(yaml.safe_load(with_profile(PARAMS, DIALOGUES)), "paper.yaml")
    track, size = p.track("halludial-paper"), p.size_of("halludial-paper")
    printed = pl.read_csv(ROOT / "src/truerate/tracks/halludial/published.csv", infer_schema=False)
    of_rates, of_judging = (
        set(printed.filter(table=table)["model"]) - {"HalluJudge"} for table in ("9 (=6)", "7 (=2)")
    )
    assert (len(track.responders), len(track.subjects)) == (len(of_rates), len(of_judging)) == (21, 20)
    assert set(track.subjects) < set(track.responders) and of_judging < of_rates
    assert (size.dialogues, size.located, len(size.seeds), track.max_words) == (4_094, 3_200, 3, 80)
    # section 3.1: two epochs at 3e-5; as published a part of the texts of every context is learned from
    judge = p.backbones["hallujudge-7b"]
    assert (judge.max_tokens, judge.epochs, judge.learning_rate, judge.warm_up) == (1_280, 2, 3e-5, 0.03)
    assert {one.split for one in p.detectors["hallujudge"].judges.values()} == {"sample", "group"}
    # section 3.3: the same judge on another paper's texts, which ask nobody
    assert p.detectors["hallujudge-abroad"].learns_from == "halludial-paper"
    abroad = p.track("halludial-abroad")
    assert not abroad.subjects and "general" not in abroad.tasks


@pytest.mark.parametrize("profile", [PAPER, HELMA, WILD, DIALOGUES], ids=lambda path: path.stem)
def test_no_paper_asks_a_question_again_for_its_form(profile):
    assert checked(yaml.safe_load(with_profile(PARAMS, profile)), "paper.yaml").llm.reask == 0


def test_blocks_of_entries_come_whole_and_other_keys_stand_over_one_another():
    base = {
        "models": {"a": 1, "b": 2},
        "boards": {"x": {"track": "t"}},
        "llm": {"reask": 1, "cut": {}},
        "tracks": {"t": {"n": 1, "m": {"k": 1, "l": 2}}, "u": {}},
        "sizes": {"demo": {"t": {"n": 1}, "u": {}}},
    }
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
