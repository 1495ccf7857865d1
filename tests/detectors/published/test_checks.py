"""Whether weights suit their adapter, told by a config.json alone: a line for each mistake, nothing loaded."""

import json

import pytest

from tests.cases import case_table
from truerate.config import Published
from truerate.core.errors import TruerateError
from truerate.detectors.published.checks import usable

WHERE = "detectors.ready.published.x"
COMMIT = "0" * 40
ROBERTA = {"model_type": "roberta", "architectures": ["RobertaForSequenceClassification"]}
MODERNBERT = {"model_type": "modernbert", "architectures": ["ModernBertForTokenClassification"]}
BASES = {"roberta": ROBERTA, "modernbert": MODERNBERT, "none": {}}
CASES = case_table(__file__)


@pytest.fixture
def folder(tmp_path):
    """A folder of weights by its config."""

    def put(config):
        (tmp_path / "config.json").write_text(json.dumps(config))
        return str(tmp_path)

    return put


@pytest.mark.parametrize(("adapter", "base", "config", "line"), CASES["another"])
def test_another_network_than_the_adapter_reads_is_one_line(folder, adapter, base, config, line):
    how = Published(weights=folder(BASES[base] | config), adapter=adapter, threshold=0.5, licence="mit")
    with pytest.raises(TruerateError, match=line) as raised:
        usable(how, WHERE)
    assert str(raised.value).startswith(WHERE) and "\n" not in str(raised.value)


@pytest.mark.parametrize(("adapter", "base", "names"), CASES["taken"])
def test_the_adapters_own_network_is_taken(folder, adapter, base, names):
    config = {"id2label": {str(index): name for index, name in enumerate(names)}} if names else {}
    how = Published(weights=folder(BASES[base] | config), adapter=adapter, threshold=0.5, licence="mit")
    assert usable(how, WHERE).name == adapter


@pytest.mark.parametrize(("given", "line"), CASES["missing"])
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
