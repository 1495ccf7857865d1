"""Whether weights suit their adapter, told by a config.json alone: a line for each mistake, nothing loaded."""

import json

import pytest

from truerate.config import Published
from truerate.core.errors import TruerateError
from truerate.detectors.published.checks import usable

WHERE = "detectors.ready.published.x"
COMMIT = "0" * 40
ROBERTA = {"model_type": "roberta", "architectures": ["RobertaForSequenceClassification"]}
MODERNBERT = {"model_type": "modernbert", "architectures": ["ModernBertForTokenClassification"]}


def labels(*names):
    return {"id2label": {str(index): name for index, name in enumerate(names)}}


@pytest.fixture
def folder(tmp_path):
    """A folder of weights by its config."""

    def put(config):
        (tmp_path / "config.json").write_text(json.dumps(config))
        return str(tmp_path)

    return put


@pytest.mark.parametrize(
    ("adapter", "config", "line"),
    [
        (
            "minicheck-roberta",
            MODERNBERT,
            "'minicheck-roberta' reads roberta, and .* is ModernBertForTokenClassification, modernbert",
        ),
        (
            "lettucedetect",
            MODERNBERT | {"architectures": ["ModernBertForMaskedLM"]},
            "needs a network …ForTokenCl",
        ),
        ("factcg", {"model_type": "t5"}, "'factcg' reads deberta-v2"),
        (
            "minicheck-roberta",
            ROBERTA | labels("a", "b", "c"),
            "needs 2 classes with 1 = supported, .* has a, b, c",
        ),
        (
            "minicheck-roberta",
            ROBERTA | labels("supported", "unsupported"),
            "needs 2 classes with 1 = supported",
        ),
        (
            "lettucedetect",
            MODERNBERT | labels("hallucinated", "supported"),
            "needs 2 classes with 1 = hallucinated",
        ),
        (
            "summac-mnli",
            ROBERTA | labels("entailment", "neutral", "contradiction"),
            "0 = contradiction, 2 = entailment",
        ),
        ("summac-mnli", ROBERTA | labels("a", "b"), "needs 3 classes"),
        ("fava", ROBERTA, "reads llama"),
        ("lettucedetect", MODERNBERT | {"id2label": {"a": "b"}}, "id2label in config.json names no classes"),
        ("lettucedetect", MODERNBERT | {"id2label": ["a", "b"]}, "id2label in config.json names no classes"),
        ("lettucedetect", MODERNBERT | {"architectures": 5}, "architectures in config.json is no list"),
        ("lettucedetect", MODERNBERT | {"architectures": "X"}, "architectures in config.json is no list"),
        ("lynx", ROBERTA, "needs a network …ForCausalLM"),
    ],
)
def test_another_network_than_the_adapter_reads_is_one_line(folder, adapter, config, line):
    how = Published(weights=folder(config), adapter=adapter, threshold=0.5, licence="mit")
    with pytest.raises(TruerateError, match=line) as raised:
        usable(how, WHERE)
    assert str(raised.value).startswith(WHERE) and "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("adapter", "config"),
    [
        ("minicheck-roberta", ROBERTA),
        ("minicheck-roberta", ROBERTA | labels("LABEL_0", "LABEL_1")),
        ("minicheck-roberta", ROBERTA | labels("Unsupported", "Supported")),
        ("lettucedetect", MODERNBERT | labels("supported", "hallucinated")),
        ("summac-mnli", ROBERTA | labels("CONTRADICTION", "NEUTRAL", "ENTAILMENT")),
    ],
)
def test_the_adapters_own_network_is_taken(folder, adapter, config):
    how = Published(weights=folder(config), adapter=adapter, threshold=0.5, licence="mit")
    assert usable(how, WHERE).name == adapter


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"weights": "org/name", "adapter": "minicheck-roberta"}, "needs its `revision`"),
        ({"weights": "lytang/MiniCheck-RoBERTa-Large"}, "needs its `revision`"),
        ({"weights": "org/name", "revision": COMMIT}, "no adapter knows 'org/name'"),
        ({"weights": "vectara/hallucination_evaluation_model", "revision": COMMIT}, "as `base_revision`"),
        (
            {"weights": "org/name", "revision": COMMIT, "adapter": "factcg", "base": "org/other"},
            "'org/other' needs its commit as `base_revision`",
        ),
        ({"model": "gpt", "adapter": "factcg"}, "reads a network's numbers, which no endpoint gives"),
        ({"model": "gpt", "adapter": "linx"}, "no adapter 'linx'.*lynx"),
        ({"model": "gpt", "adapter": "anah-2"}, "asked in three turns"),
        (
            {"weights": "org/n", "revision": COMMIT, "adapter": "factcg", "quantise": "4bit"},
            "for judges that write",
        ),
    ],
)
def test_what_is_missing_is_told_without_the_hub(given, line):
    with pytest.raises(TruerateError, match=line) as raised:
        usable(Published(**given), WHERE, is_asked=False)
    assert str(raised.value).startswith(WHERE) and "\n" not in str(raised.value)


def test_weights_of_the_hub_are_looked_for_at_their_commit(hub_here):
    name = "lytang/MiniCheck-RoBERTa-Large"
    commit = hub_here.put_repo(name, "model", {"config.json": json.dumps(ROBERTA).encode()})
    assert usable(Published(weights=name, revision=commit), WHERE).name == "minicheck-roberta"
    with pytest.raises(TruerateError, match="cannot be had from the Hub .RevisionNotFoundError."):
        usable(Published(weights=name, revision=COMMIT), WHERE)
    with pytest.raises(TruerateError, match="cannot be had from the Hub .RepositoryNotFoundError."):
        usable(Published(weights="org/none", revision=COMMIT, adapter="factcg"), WHERE)
