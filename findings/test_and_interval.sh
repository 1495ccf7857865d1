#!/usr/bin/env bash
# 2 of 6 answers are hallucinated. Is that more or less than the 5 % agreed on? scipy's binomtest gives a p-value and an interval.
# One would guess that the two agree, both exact and of one object: p < .05 just where the 95 % interval leaves out the 5 %.
# p is .033 and the interval .043 to .777 holds the .05: the p-value orders outcomes by probability, the interval halves both tails.
# Of all counts of 5 to 59 answers and targets of 5, 10 and 20 % 83 contradict themselves, 82 in this direction, one in the other.
# Why it matters: a gate that reads p fails a model that a page with intervals lets pass. Seen with scipy 1.17.1 in November 2026.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check scipy==1.17.1 numpy==2.4.6
cd "$work" && venv/bin/python - <<'PY'
import scipy
from scipy.stats import binomtest

print("scipy", scipy.__version__)
contradictions = []
for n in range(5, 60):
    for k in range(n + 1):
        for target in (0.05, 0.1, 0.2):
            test = binomtest(k, n, target)
            low, high = test.proportion_ci()
            if (test.pvalue < 0.05) != (not low <= target <= high):
                contradictions.append((k, n, target, round(float(test.pvalue), 4), round(float(low), 4), round(float(high), 4)))
other = [one for one in contradictions if one[3] >= 0.05]
for one in contradictions[:5] + other:
    print("%d of %d against %.2f: p = %.4f, interval %.4f to %.4f" % one)
print(len(contradictions), "contradictions, of which significant by the interval alone:", len(other))
assert contradictions[0] == (2, 6, 0.05, 0.0328, 0.0433, 0.7772) and len(contradictions) == 83, "changed: binomtest"
assert len(other) == 1, "changed: direction"
PY
