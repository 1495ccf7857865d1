#!/usr/bin/env bash
# Two annotators grade faithfulness from 1 to 5; nobody gives a 3 or a 4. Their agreement is the quadratic weighted kappa.
# One would guess that a disagreement costs the square of the grades' distance, whichever grades happen to be given.
# scikit-learn weighs by the place among the labels that occur: 1, 2, 5 count as 1, 2, 3. The same ratings have a kappa of .58, and of
# .19 with labels=[1, 2, 3, 4, 5]. Words stand in the order of letters: "good" lies between "bad" and "poor".
# Why it matters: adding or dropping one row with a new grade moves all distances. Seen with scikit-learn 1.9.1 in November 2026.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check scikit-learn==1.9.1 numpy==2.4.6 scipy==1.17.1
cd "$work" && venv/bin/python - <<'PY'
import sklearn
from sklearn.metrics import cohen_kappa_score

print("scikit-learn", sklearn.__version__)
ann, ben = [2, 1, 1, 2, 2, 5, 1, 2, 1, 2, 2, 2], [2, 1, 1, 2, 5, 2, 2, 2, 1, 2, 5, 2]
scale = [1, 2, 3, 4, 5]


def kappa(first, second, labels=None):
    return float(cohen_kappa_score(first, second, weights="quadratic", labels=labels))


found, whole, more = kappa(ann, ben), kappa(ann, ben, scale), kappa([*ann, 3, 4], [*ben, 3, 4])
print(f"grades as they occur: {found:.3f}  labels=[1, 2, 3, 4, 5]: {whole:.3f}  with two more rows, 3 and 4, agreed on: {more:.3f}")
order = ["bad", "poor", "good"]
first = ["bad", "poor", "good", "good", "bad", "poor", "bad", "good"]
second = ["bad", "poor", "poor", "good", "poor", "poor", "bad", "poor"]
letters, meant = kappa(first, second), kappa(first, second, order)
print(f"bad, poor, good as words: {letters:.3f}  in their order: {meant:.3f}")
assert (round(found, 2), round(whole, 2)) == (0.58, 0.19), "changed: numbers"
assert round(more, 2) < round(found, 2) and abs(letters - meant) > 0.05, "changed"
PY
