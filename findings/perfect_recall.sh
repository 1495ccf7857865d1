#!/usr/bin/env bash
# A detector finds all 3 hallucinated answers of 50 and marks no other. Its recall is 1; the interval is bootstrapped over answers.
# One would guess [1, 1], the known weakness of the bootstrap for a value that never varies, or an error.
# The percentile interval is [0, 1], the basic one [1, 2], BCa's [nan, nan]: 4.5 % of the resamples hold no hallucinated answer,
# scikit-learn counts their recall (and F1) as 0, and 4.5 is more than 2.5. With zero_division=nan all intervals are nan.
# Why it matters: the lower end says how rare the label is, nothing of the detector. Seen with the versions below in November 2026.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check scikit-learn==1.9.1 scipy==1.17.1 numpy==2.4.6
cd "$work" && venv/bin/python -W ignore - <<'PY'
from functools import partial

import numpy as np
import scipy
import sklearn
from sklearn.metrics import f1_score, recall_score

print("scipy", scipy.__version__, "scikit-learn", sklearn.__version__)
SCORES = {"recall": recall_score, "F1": f1_score, "recall, zero_division=nan": partial(recall_score, zero_division=np.nan)}
seen = {}
for n in (3, 10):
    labels = np.array([1] * n + [0] * (50 - n))
    for name, score in SCORES.items():
        for method in ("percentile", "basic", "BCa"):
            done = scipy.stats.bootstrap(
                (labels, labels), score, paired=True, vectorized=False, n_resamples=1000, method=method, rng=np.random.default_rng(0)
            )
            seen[n, name, method] = [float(end) for end in done.confidence_interval]
        print(f"{n:2} of 50 hallucinated, {name:26}", {method: seen[n, name, method] for method in ("percentile", "basic", "BCa")})
for name in ("recall", "F1"):
    assert seen[3, name, "percentile"] == [0, 1] and seen[3, name, "basic"] == [1, 2], "changed: 3 labels"
    assert np.isnan(seen[3, name, "BCa"]).all() and seen[10, name, "percentile"] == [1, 1], "changed: BCa or 10 labels"
assert np.isnan([seen[3, "recall, zero_division=nan", method] for method in ("percentile", "basic")]).all(), "changed: nan"
PY
