#!/usr/bin/env bash
# Answers are weighted to the users' traffic; a slice that nobody asks for has weight 0. One would guess that such rows have no effect.
# In statsmodels' weighted quantiles they have: the median of 1 and 3 is 2.0, of 1, 2 and 3 with weights 1, 0, 1 it is 1.5,
# and with 2.9 of weight 0 in the middle 1.95; with a weight of 1e-9 it is the 2 (or 2.9) itself. The mean, numpy's weighted median
# and the bounds of the data stay. Why it matters: leaving rows out and weighting them by nothing are two results.
# Seen with statsmodels 0.15.0 and numpy 2.4.6 in November 2026.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check statsmodels==0.15.0 numpy==2.4.6 scipy==1.17.1 pandas==3.1.1 patsy==1.0.2
cd "$work" && venv/bin/python - <<'PY'
import numpy as np
import statsmodels
from statsmodels.stats.weightstats import DescrStatsW

print("statsmodels", statsmodels.__version__, "numpy", np.__version__)


def median(values, weights):
    return float(DescrStatsW(values, weights).quantile(0.5).iloc[0])


seen = {}
for values, weights in (([1.0, 3], [1, 1]), ([1.0, 2, 3], [1, 0, 1]), ([1.0, 2.9, 3], [1, 0, 1]), ([1.0, 2.9, 3], [1, 1e-9, 1])):
    own = median(values, weights)
    numpys = float(np.quantile(values, 0.5, weights=weights, method="inverted_cdf"))
    print(f"values {values} weights {weights}: statsmodels' median {own}, numpy's {numpys}, mean {DescrStatsW(values, weights).mean}")
    seen[str(values), str(weights)] = own
assert [round(v, 9) for v in seen.values()] == [2.0, 1.5, 1.95, 2.9], "changed"
PY
