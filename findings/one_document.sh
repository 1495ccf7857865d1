#!/usr/bin/env bash
# 100 answers are about one document, half of them hallucinated; the standard error is asked for by document: stderr(cluster="document").
# One would guess an error or nan: one document says nothing of how documents differ. statsmodels raises.
# inspect_ai gives 0.0: a rate of .5, and certain. Two documents, one with 90 % and one with 10 %, have .4 in both libraries, so the
# correction for few documents is made, but for the one case where it would be infinite. Without the cluster it is .05.
# Why it matters: a set about one document has the best interval of all. Seen with inspect-ai 0.3.285, statsmodels 0.15.0, November 2026.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check inspect-ai==0.3.285 statsmodels==0.15.0 scipy==1.17.1 pandas==3.1.1 numpy==2.4.6
cd "$work" && venv/bin/python -W ignore - <<'PY'
from importlib.metadata import version

import numpy as np
import statsmodels.api as sm
from inspect_ai.scorer import SampleScore, Score, stderr

for name in ("inspect-ai", "statsmodels"):
    print(name, version(name))


def by_inspect(labels, documents, cluster):
    rows = zip(labels, documents, strict=True)
    scores = [SampleScore(score=Score(value=int(label)), sample_metadata={"document": name}) for label, name in rows]
    return round(float(stderr(cluster=cluster)(scores)), 3)


def by_statsmodels(labels, documents):
    try:
        fit = sm.OLS(labels, np.ones_like(labels)).fit(cov_type="cluster", cov_kwds={"groups": documents})
    except ZeroDivisionError as error:
        return f"raises {type(error).__name__}"
    return round(float(fit.bse[0]), 3)


half, nine_and_one = np.array([1.0, 0.0] * 50), np.array([1.0] * 45 + [0.0] * 5 + [0.0] * 45 + [1.0] * 5)
SETS = {"one document": (half, np.zeros(100, int)), "two documents": (nine_and_one, np.repeat([0, 1], 50))}
seen = {}
for name, (labels, documents) in SETS.items():
    plain, clustered = (by_inspect(labels, documents, cluster) for cluster in (None, "document"))
    seen[name] = plain, clustered, by_statsmodels(labels, documents)
    print(f"{name}: rate {labels.mean()}, standard error plain %s, by document %s, statsmodels %s" % seen[name])
assert seen["one document"] == (0.05, 0.0, "raises ZeroDivisionError"), "changed: one"
assert seen["two documents"] == (0.05, 0.4, 0.4), "changed: two"
PY
