#!/usr/bin/env bash
# None of 20 answers is hallucinated. Is the rate another than 5 %? statsmodels' proportions_ztest(0, 20, 0.05).
# One would guess a p near the exact .62, or nan because nothing varies.
# It is 0.0, with z = -inf, and 0.0 from one answer alone: the variance is that of the sample, which is 0. All of n give the same.
# With prop_var=0.05 it is .30. Why it matters: the model with the fewest answers passes "significantly below 5 %" with certainty.
# Seen with statsmodels 0.15.0 and scipy 1.17.1 in November 2026.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check scipy==1.17.1 statsmodels==0.15.0 numpy==2.4.6 pandas==3.1.1
cd "$work" && venv/bin/python -W ignore - <<'PY'
import scipy
import statsmodels
from scipy.stats import binomtest
from statsmodels.stats.proportion import proportions_ztest

print("statsmodels", statsmodels.__version__, "scipy", scipy.__version__)
seen = {}
for k, n in ((0, 1), (0, 20), (1, 1), (1, 20)):
    sample, target = proportions_ztest(k, n, 0.05)[1], proportions_ztest(k, n, 0.05, prop_var=0.05)[1]
    seen[k, n] = [round(float(p), 4) for p in (sample, target, binomtest(k, n, 0.05).pvalue)]
    print("%d of %2d hallucinated, against 5 %%: p = %.4f, with prop_var=0.05 %.4f, exact %.4f" % (k, n, *seen[k, n]))
assert seen[0, 1][0] == seen[0, 20][0] == seen[1, 1][0] == 0.0, "changed: p"
assert seen[0, 20][1:] == [0.3049, 0.6226] and seen[0, 1][2] == 1.0 and seen[1, 20][0] == 1.0, "changed: the others"
PY
