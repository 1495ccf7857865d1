#!/usr/bin/env bash
# Two annotators disagree on every answer; crowd-kit is to say which are hallucinated. One would guess that a tie goes to one fixed
# label (first by letter) or by a seed, and that the order of rows in the label table has no meaning.
# It decides all of it: the label that stands first in the table wins each tie, in MajorityVote and in Dawid-Skene, whose
# probabilities are .5 and .5. The same labels sorted the other way are a hallucination rate of 1 in place of 0.
# Why it matters: sorting or joining a label table moves a published rate. Seen with crowd-kit 1.4.2 in November 2026.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check pandas==3.1.1 numpy==2.4.6 scikit-learn==1.9.1 scipy==1.17.1 \
  nltk==3.10.4 attrs==26.1.0 tqdm==4.70.1
"$work/venv/bin/pip" install -q --disable-pip-version-check --no-deps crowd-kit==1.4.2  # what else it names, these two methods do not load
cd "$work" && venv/bin/python - <<'PY'
from importlib.metadata import version

import pandas as pd
from crowdkit.aggregation import DawidSkene, MajorityVote

print("crowd-kit", version("crowd-kit"), "pandas", pd.__version__)
says = {"ann": "hallucinated", "ben": "supported"}
table = pd.DataFrame([(f"answer {i}", who, label) for i in range(10) for who, label in says.items()], columns=["task", "worker", "label"])
seen = {}
for order, rows in {"ann first": table, "ben first": table.sort_values("worker", ascending=False)}.items():
    for method in (MajorityVote(), DawidSkene(n_iter=50)):
        labels = method.fit_predict(rows)
        seen[order, type(method).__name__] = float((labels == "hallucinated").mean())
        print(order, type(method).__name__, "hallucination rate:", seen[order, type(method).__name__])
    print("  Dawid-Skene's probabilities:", method.probas_.iloc[0].to_dict())
expected = {"ann first": 1.0, "ben first": 0.0}
assert seen == {(who, name): expected[who] for who in expected for name in ("MajorityVote", "DawidSkene")}, "changed"
PY
