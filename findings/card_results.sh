#!/usr/bin/env bash
# A detector's card states two results of one benchmark's repository, "QA" 0.9 and "dialogue" 0.6, by huggingface_hub's EvalResult.
# One would guess two entries, each under its name: dataset_name is a required field.
# The card has one entry, "QA", with two accuracies, 0.9 and 0.6; reading it back gives two results of QA, and "dialogue" is gone.
# Results are grouped by task, dataset type, config, split and revision; neither the name nor dataset_args (here the language) is
# among them. Given a dataset_config each stays apart.
# Why it matters: a score is published for another data set. Seen with huggingface-hub 2.4.0 in November 2026.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check huggingface-hub==2.4.0 pyyaml==6.0.4
cd "$work" && venv/bin/python - <<'PY'
from importlib.metadata import version

from huggingface_hub import EvalResult, ModelCard, ModelCardData

print("huggingface-hub", version("huggingface-hub"))


def read_back(results):
    """What the card of these results says, as (data set, its args, its config, value)."""
    shared = {"task_type": "text-classification", "dataset_type": "org/benchmark", "metric_type": "accuracy"}
    data = ModelCardData(model_name="detector", eval_results=[EvalResult(**shared, **result) for result in results])
    card = ModelCard(f"---\n{data.to_yaml()}\n---\n")
    return [(found.dataset_name, found.dataset_args, found.dataset_config, found.metric_value) for found in card.data.eval_results]


qa, dialogue = {"dataset_name": "QA", "metric_value": 0.9}, {"dataset_name": "dialogue", "metric_value": 0.6}
by_name = read_back([qa, dialogue])
by_args = read_back([{**qa, "dataset_args": {"language": "en"}}, {**dialogue, "dataset_name": "QA", "dataset_args": {"language": "hi"}}])
by_config = read_back([{**qa, "dataset_config": "qa"}, {**dialogue, "dataset_config": "dialogue"}])
for what, found in (("two names", by_name), ("two dataset_args", by_args), ("two configs", by_config)):
    print(f"{what:17}", *found)
assert by_name == [("QA", None, None, 0.9), ("QA", None, None, 0.6)], "changed: names"
assert by_args == [("QA", {"language": "en"}, None, 0.9), ("QA", {"language": "en"}, None, 0.6)], "changed: args"
assert by_config == [("QA", None, "qa", 0.9), ("dialogue", None, "dialogue", 0.6)], "changed: configs"
PY
