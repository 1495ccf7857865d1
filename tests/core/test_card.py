"""Cards and metric records are read from YAML: what a file holds wrong is one line with its name and key."""

import pytest
import yaml

from truerate.core.card import read_card
from truerate.core.errors import TruerateError
from truerate.core.metric import read_metrics

CARD = dict.fromkeys(("name", "title", "paper", "citation", "url", "summary"), "x") | {
    "tasks": {"qa": "a question"},
    "steps": [{"name": "one", "section": "2", "text": "it happens"}],
    "ranks": {"metric": "f1", "slice": {}, "what": "F1"},
}
METRICS = {"table": {"f1": {"label": "F1", "definition": "A mean."}}}


@pytest.mark.parametrize(
    ("changed", "parts"),
    [
        ({"summary": ""}, ["summary: ", "at least 1 character"]),
        ({"caveats": "one"}, ["caveats: it must be a valid tuple (got 'one')"]),
        ({"steps": ["one"]}, ["steps.0: it must be"]),
        ({"ranks": "f1"}, ["ranks: it must be"]),
        ({"is_audited": "no"}, ["is_audited: it must be a valid boolean"]),
        ({"colour": "red"}, ["colour: Unexpected keyword argument"]),
    ],
)
def test_a_card_of_other_kinds_is_one_line(tmp_path, changed, parts):
    path = tmp_path / "card.yaml"
    path.write_text(yaml.safe_dump(CARD))
    assert read_card(path).steps[0].name == "one"
    path.write_text(yaml.safe_dump(CARD | changed))
    with pytest.raises(TruerateError, match="card.yaml: ") as caught:
        read_card(path)
    assert all(part in str(caught.value) for part in parts) and "\n" not in str(caught.value)


@pytest.mark.parametrize("field", ["unit", "direction", "interval"])
def test_a_metric_with_an_unknown_word_is_one_line(tmp_path, field):
    path = tmp_path / "metrics.yaml"
    path.write_text(yaml.safe_dump({"table": {"f1": METRICS["table"]["f1"] | {field: "shares"}}}))
    with pytest.raises(TruerateError, match=f"{field}: it must be '.*got 'shares'"):
        read_metrics(path)
