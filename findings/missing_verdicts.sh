#!/usr/bin/env bash
# Faithfulness by DeepEval: a judge lists an answer's claims, then gives a verdict for each. Here five claims are listed.
# One would guess that the share is of the five claims, so a claim without a verdict is not supported, or that the count is checked.
# The share is of the verdicts: none at all is 1, one "yes" of five is 1, one "no" of five is 0, and five "borderline" are 1.
# HallucinationMetric and AnswerRelevancyMetric do the same (and the first now scores 1 for no hallucination, as it warns).
# Why it matters: a judge whose reply is cut short makes answers faithful. Seen with deepeval 4.3.1 in November 2026.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check deepeval==4.3.1
cd "$work" && venv/bin/python -W ignore - <<'PY'
import os

os.environ |= {"DEEPEVAL_TELEMETRY_OPT_OUT": "YES", "DEEPEVAL_DISABLE_PROGRESS_BAR": "1"}
from importlib.metadata import version

from deepeval.metrics import AnswerRelevancyMetric, FaithfulnessMetric, HallucinationMetric
from deepeval.models import DeepEvalBaseLLM
from deepeval.test_case import LLMTestCase

print("deepeval", version("deepeval"))
CASE = LLMTestCase(input="question", actual_output="answer", retrieval_context=["context"], context=["context"] * 5)
LISTED = {"Truths": {"truths": ["truth"]}, "Claims": {"claims": ["claim"] * 5}, "Statements": {"statements": ["claim"] * 5}}


class Judge(DeepEvalBaseLLM):
    """Lists five claims, and gives the verdicts it was made with."""

    def __init__(self, verdicts):
        self.replies = LISTED | {"Verdicts": {"verdicts": [{"verdict": one, "reason": "why"} for one in verdicts]}}

    def load_model(self):
        return self

    def get_model_name(self):
        return "scripted"

    def generate(self, prompt, schema=None):
        return schema(**self.replies[schema.__name__])

    async def a_generate(self, prompt, schema=None):
        return self.generate(prompt, schema)


def score(metric, verdicts):
    measured = metric(model=Judge(verdicts), async_mode=False, include_reason=False)
    measured.measure(CASE, _show_indicator=False)
    return float(measured.score)


seen = {}
for verdicts in ([], ["yes"], ["no"], ["yes"] * 4 + ["no"]):
    seen[len(verdicts), *verdicts[:1]] = scores = [
        score(metric, verdicts) for metric in (FaithfulnessMetric, AnswerRelevancyMetric, HallucinationMetric)
    ]
    print(f"five claims, verdicts {verdicts}: faithfulness %s, relevancy %s, no hallucination %s" % tuple(scores))
borderline = score(FaithfulnessMetric, ["borderline"] * 5)
print("five times borderline: faithfulness", borderline)
assert list(seen.values()) == [[1.0] * 3, [1.0] * 3, [0.0] * 3, [0.8] * 3] and borderline == 1.0, "changed"
PY
