#!/usr/bin/env bash
# Two detectors are compared item by item: on 5 items the first is better, never the second, on all others they are equal.
# One would guess that items on which both are equal say nothing for a difference: p stays or grows. So it is for 8 of them, .0625.
# With a ninth p falls to .025 and stays: scipy's wilcoxon sets zeros aside, but counts them when it chooses between the exact
# distribution (up to 13 pairs) and the normal one, which is wrong for the 5 pairs that are left. method="exact" keeps .0625.
# Why it matters: items that both get right make a difference "significant". Seen with scipy 1.17.1 in November 2026.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check scipy==1.17.1 numpy==2.4.6
cd "$work" && venv/bin/python - <<'PY'
import scipy
from scipy.stats import wilcoxon

print("scipy", scipy.__version__)
seen = {}
for ties in (0, 5, 8, 9, 50, 500):
    differences = [1] * 5 + [0] * ties
    seen[ties] = [round(float(wilcoxon(differences, method=how).pvalue), 4) for how in ("auto", "exact", "asymptotic")]
    print("5 better, 0 worse, %3d equal: p = %.4f, exact %.4f, normal %.4f" % (ties, *seen[ties]))
assert [p for p, _, _ in seen.values()] == [0.0625] * 3 + [0.0253] * 3, "changed: auto"
assert {exact for _, exact, _ in seen.values()} == {0.0625}, "changed: exact"
PY
