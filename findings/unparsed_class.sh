#!/usr/bin/env bash
# A judge is right on 999 of 1,000 answers; its last reply could not be read and stands in the table as "unparsed".
# One would guess that one bad row of 1,000 costs a thousandth, as it does in accuracy: every score is near .999.
# scikit-learn's macro F1, precision and recall fall to .666: what is predicted once is a class of its own, with an F1 of 0 and a
# third of the mean. Balanced accuracy (.999), kappa and MCC (.998) do not; labels=["no", "yes"] brings the macro F1 back.
# Why it matters: two judges are a third apart by one row. Seen with scikit-learn 1.9.1 in November 2026.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check scikit-learn==1.9.1 numpy==2.4.6 scipy==1.17.1
cd "$work" && venv/bin/python -W ignore - <<'PY'
import sklearn
from sklearn import metrics

print("scikit-learn", sklearn.__version__)
labels = ["yes", "no"] * 500
judged = [*labels[:-1], "unparsed"]
scores = {
    "accuracy": metrics.accuracy_score(labels, judged),
    "balanced accuracy": metrics.balanced_accuracy_score(labels, judged),
    "Cohen's kappa": metrics.cohen_kappa_score(labels, judged),
    "MCC": metrics.matthews_corrcoef(labels, judged),
    "macro F1, labels given": metrics.f1_score(labels, judged, average="macro", labels=["no", "yes"]),
    "macro F1": metrics.f1_score(labels, judged, average="macro"),
    "macro precision": metrics.precision_score(labels, judged, average="macro"),
    "macro recall": metrics.recall_score(labels, judged, average="macro"),
}
for name, score in scores.items():
    print(f"{name:24}{score:.4f}")
assert all((score < 0.67) == (name in ("macro F1", "macro precision", "macro recall")) for name, score in scores.items()), "changed"
assert min(score for score in scores.values() if score > 0.67) > 0.99, "changed: the others"
PY
