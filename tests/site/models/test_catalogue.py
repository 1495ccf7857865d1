"""Which names of which boards are one model: results/models.yaml, its errors, and what it must not join."""

from pathlib import Path

import pytest
from tiny_results import write_results

from truerate.core.errors import TruerateError
from truerate.results.read import read_board, real_boards
from truerate.site.models.catalogue import Catalogue, load_models

RESULTS = Path(__file__).parents[3] / "results"
FAITH, RAG, VECTARA, BULLSHIT, BENCH = (
    "faithjudge ragtruth vectara-summaries bullshitbench faithbench".split()
)
CLOSED_BOOK = "refchecker-zero-context"
ONE = [
    ((RAG, "llama-2-70b-chat"), (CLOSED_BOOK, "llama2_70b_chat")),
    ((FAITH, "Qwen2.5-7B-Instruct"), (BENCH, "Qwen/Qwen2.5-7B-Instruct")),
    ((FAITH, "Llama-3.1-8B-Instruct"), (BENCH, "meta-llama/Meta-Llama-3.1-8B-Instruct")),
    ((FAITH, "Llama-3.1-8B-Instruct"), (BULLSHIT, "meta-llama/llama-3.1-8b-instruct@reasoning=default")),
    ((FAITH, "gemini-2.5-pro"), (VECTARA, "google/gemini-2.5-pro")),
    ((FAITH, "gpt-4.1-2025-04-14"), (VECTARA, "openai/gpt-4.1-2025-04-14")),
    ((FAITH, "claude-opus-4-20250514"), (FAITH, "claude-opus-4-thinking-20250514")),
    ((FAITH, "o4-mini-low-2025-04-16"), (VECTARA, "openai/o4-mini-high-2025-04-16")),
    ((FAITH, "phi-4"), (VECTARA, "microsoft/Phi-4")),
    ((VECTARA, "anthropic/claude-opus-4-6"), (BULLSHIT, "anthropic/claude-opus-4.6@reasoning=high")),
    ((VECTARA, "zai-org/glm-5"), (BULLSHIT, "z-ai/glm-5@reasoning=none")),
    ((BULLSHIT, "openai/gpt-5.4@reasoning=none"), (BULLSHIT, "openai/gpt-5.4@reasoning=xhigh")),
    ((CLOSED_BOOK, "gpt4"), ("refchecker-noisy-context", "gpt4")),
]
APART = [
    ((RAG, "gpt-4-0613"), ("evouna", "GPT-4")),
    ((RAG, "gpt-4-0613"), (CLOSED_BOOK, "gpt4")),
    (("evouna", "GPT-4"), (CLOSED_BOOK, "gpt4")),
    (("factscore", "ChatGPT"), (CLOSED_BOOK, "chatgpt")),
    (("factscore", "ChatGPT"), ("evouna", "ChatGPT-3.5")),
    ((BENCH, "openai/GPT-3.5-Turbo"), (CLOSED_BOOK, "chatgpt")),
    ((RAG, "gpt-3.5-turbo-0613"), (FAITH, "gpt-3.5-turbo-0125")),
    ((RAG, "gpt-3.5-turbo-0613"), (BENCH, "openai/GPT-3.5-Turbo")),
    ((BENCH, "openai/gpt-4o"), (VECTARA, "openai/gpt-4o-2024-08-06")),
    ((FAITH, "gpt-4o-2024-11-20"), (VECTARA, "openai/gpt-4o-2024-08-06")),
    ((FAITH, "gpt-4o-2024-11-20"), (FAITH, "gpt-4o-mini-2024-07-18")),
    ((RAG, "llama-2-70b-chat"), (RAG, "llama-2-13b-chat")),
    ((RAG, "mistral-7B-instruct"), (BENCH, "mistralai/Mistral-7B-Instruct-v0.3")),
    ((FAITH, "gemini-2.5-pro"), (FAITH, "gemini-2.5-pro-exp-03-25")),
    ((FAITH, "gemini-2.5-flash"), (VECTARA, "google/gemini-2.5-flash-lite")),
    ((FAITH, "r1-0528"), (VECTARA, "deepseek-ai/DeepSeek-R1")),
    ((VECTARA, "deepseek-ai/DeepSeek-V3.2"), (VECTARA, "deepseek-ai/DeepSeek-V3.2-Exp")),
    ((FAITH, "Llama-3.3-70B-Instruct"), (VECTARA, "meta-llama/Llama-3.3-70B-Instruct-Turbo")),
    ((FAITH, "llama-4-maverick"), (VECTARA, "meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8")),
    ((FAITH, "claude-sonnet-4-20250514"), (BULLSHIT, "anthropic/claude-sonnet-4@reasoning=none")),
    ((VECTARA, "zai-org/GLM-4.7-flash"), (VECTARA, "zai-org/glm-4p7")),
    ((BULLSHIT, "openai/gpt-5@reasoning=default"), (BULLSHIT, "openai/gpt-5-chat@reasoning=default")),
    ((VECTARA, "xai-org/grok-4-fast-reasoning"), (VECTARA, "xai-org/grok-4-fast-non-reasoning")),
    (("begin", "gpt2"), ("faithdial-audit", "gpt2")),
]


@pytest.fixture(scope="module")
def committed() -> Catalogue:
    return load_models(RESULTS / "models.yaml", real_boards(RESULTS))


@pytest.mark.parametrize(("first", "second"), ONE)
def test_names_of_one_model_are_joined(committed, first, second):
    assert committed.of(*first) is not None
    assert committed.of(*first) is committed.of(*second)


@pytest.mark.parametrize(("first", "second"), APART)
def test_names_that_look_alike_are_not_joined(committed, first, second):
    models = committed.of(*first), committed.of(*second)
    assert None not in models
    assert models[0] is not models[1]


def test_every_model_of_every_board_is_one_model_and_people_and_rules_are_none(committed):
    for board in real_boards(RESULTS):
        for score in board.ranked:
            is_model = score.kind == "model" and (board.name, score.subject) not in committed.not_models
            assert (committed.of(board.name, score.subject) is not None) == is_model
    assert committed.of("faithdial-audit", "gold") is None
    assert committed.of("halueval-published", "overlap") is None


def test_pages_of_models_have_addresses_of_their_own_in_a_folder_that_no_simulated_model_has(committed):
    pages = [model.page for model in committed.models]
    assert len(set(pages)) == len(pages) > 200
    assert {page.rpartition("/")[0] for page in pages} == {"models/real"}


def test_efforts_are_settings_of_one_model_and_the_default_is_none(committed):
    lines = committed.of(BULLSHIT, "openai/gpt-5.4@reasoning=none").on(BULLSHIT)
    assert {line.setting for line in lines} == {"reasoning: none", "reasoning: xhigh"}
    assert [line.setting for line in committed.of(BULLSHIT, "openai/gpt-5@reasoning=default").lines] == [""]
    thinking = committed.of(BULLSHIT, "anthropic/claude-3.7-sonnet:thinking@reasoning=default").lines
    assert {line.setting for line in thinking} == {"", "extended thinking"}


def test_facts_are_those_of_the_entry_then_of_a_table(committed):
    listed = committed.of(FAITH, "Llama-3.1-8B-Instruct")
    assert (listed.maker, listed.weights, listed.billions, listed.launched) == (
        "Meta",
        "open",
        8.0,
        "2024-07-23",
    )
    of_table = committed.of(BULLSHIT, "z-ai/glm-4.5@reasoning=none")
    assert (of_table.maker, of_table.weights, of_table.billions) == ("Z.ai", "open", 355.0)
    unknown = committed.of("evouna", "FiD")
    assert (unknown.maker, unknown.weights, unknown.billions, unknown.launched) == (None,) * 4


def test_a_model_says_which_it_may_be_and_why(committed):
    ((name, why),) = committed.of(BULLSHIT, "openai/gpt-4.1@reasoning=default").see
    assert committed.by_name[name] is committed.of(FAITH, "gpt-4.1-2025-04-14")
    assert "snapshot" in why


# Two boards, both with alpha, beta, and a third model: gamma on one, org/alpha on the other.
@pytest.fixture(scope="module")
def boards(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    write_results(folder, "first")
    write_results(folder, "second", gamma="org/alpha")
    return real_boards(folder)


def loaded(tmp_path, boards, text: str) -> Catalogue:
    (tmp_path / "models.yaml").write_text(text, "utf-8")
    return load_models(tmp_path / "models.yaml", boards)


def test_without_a_file_a_name_is_a_model_however_many_boards_spell_it_so(tmp_path, boards):
    models = load_models(tmp_path / "none.yaml", boards)
    assert models.of("first", "alpha") is models.of("second", "alpha")
    assert models.of("second", "org/alpha") is not models.of("second", "alpha")
    assert models.of("first", "alpha").boards == ("first", "second")


def test_an_organisation_before_a_name_is_that_of_its_maker_or_it_is_another_model(tmp_path, boards):
    entry = "makers: {Org: [org], Other: [other]}\nmodels: [{name: alpha, maker: %s}]"
    joined = loaded(tmp_path, boards, entry % "Org")
    assert joined.of("second", "org/alpha") is joined.of("first", "alpha")
    assert [line.name for line in joined.by_name["alpha"].lines] == ["alpha", "alpha", "org/alpha"]
    apart = loaded(tmp_path, boards, entry % "Other")
    assert apart.of("second", "org/alpha") is not apart.of("first", "alpha")
    assert apart.of("second", "org/alpha").name == "org/alpha"


def test_a_name_may_be_one_model_on_one_board_and_another_elsewhere(tmp_path, boards):
    text = """
    models:
      - {name: Alpha 1, names: [{name: alpha, boards: [first], why: it says so}]}
      - {name: Alpha 2, names: [{name: alpha, boards: [second], why: it says so}]}
    """
    models = loaded(tmp_path, boards, text)
    assert (models.of("first", "alpha").name, models.of("second", "alpha").name) == ("Alpha 1", "Alpha 2")
    assert models.by_name["Alpha 1"].names == {"alpha": "it says so"}


WHY = "why: so"
ERRORS = {
    "models: [{name: alpha}, {name: alpha}]": "model 'alpha' stands twice",
    f"models: [{{name: A, names: [{{name: alpha, {WHY}, boards: [frist]}}]}}]":
        "model 'A': board 'frist' is unknown; did you mean 'first'?",
    "models: [{name: alpha, makr: X}]": "model 'alpha': 'makr' is no field; did you mean 'maker'?",
    f"models: [{{name: A, names: [{{name: alpha, {WHY}, board: first}}]}}]": "model 'A': 'board' is no field; did you mean 'boards'?",
    "models: [{name: A, names: [{name: alpha}]}]": "model 'A': names.0.why: Field required",
    f"models: [{{name: A, names: [{{name: alhpa, {WHY}}}]}}]": "model 'A': no board has 'alhpa'; did you mean 'alpha'?",
    f"models: [{{name: A, names: [{{name: gamma, {WHY}, boards: [second]}}]}}]": "model 'A': board 'second' does not have 'gamma'",
    "models: [{name: delta}]": "model 'delta': no board has a model of this name",
    f"models: [{{name: A, names: [{{name: alpha, {WHY}}}]}}, {{name: B, names: [{{name: alpha, {WHY}}}]}}]":
        "model 'B': 'alpha' on board 'first' is also a name of model 'A'",
    "models: [{name: alpha, see: [{model: bata, why: so}]}]": "model 'alpha': see: no model 'bata'; did you mean 'beta'?",
    "models: [{name: alpha, weights: some}]": "model 'alpha': weights: it must be 'open' or 'closed' (got 'some')",
    "models: [{name: alpha, billions: 0}]": "model 'alpha': billions: it must be greater than 0",
    "models: [{name: alpha, billions: true}]": "model 'alpha': billions: it must be a valid number",
    "models: [{name: alpha, launched: 2024-13}]": "model 'alpha': launched: it must be a month or a day: 2024-07, 2024-07-23",
    "models: [{name: alpha, launched: yesterday}]": "model 'alpha': launched: it must be a month or a day",
    'models: [{name: "al\\u202Epha"}]': "name: it must be one line of visible characters",
    "models: [alpha]": "model 'alpha' is no entry with a name",
    "models: [{maker: X}]": "model '(no name)': name: Field required",
    "modles: []": "'modles' is no field; did you mean 'models'?",
    "makers: {X: some}": "makers.X: Input should be a valid tuple",
    "[]": "it must hold makers, models, not_models",
    f"not_models: [{{name: gold, {WHY}}}]": "not_models: no board has 'gold'",
    "models: {": "is no YAML",
}  # fmt: skip


@pytest.mark.parametrize("text", ERRORS)
def test_what_is_wrong_is_one_line_that_names_the_entry(tmp_path, boards, text):
    with pytest.raises(TruerateError) as raised:
        loaded(tmp_path, boards, text)
    assert ERRORS[text] in str(raised.value)
    assert "\n" not in str(raised.value) and "models.yaml" in str(raised.value)


def test_a_table_may_be_read_with_a_catalogue(tmp_path):
    board = read_board(write_results(tmp_path, "alone"))
    assert [model.name for model in load_models(tmp_path / "none.yaml", [board]).models][:2] == [
        "alpha",
        "beta",
    ]
