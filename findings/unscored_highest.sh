#!/usr/bin/env bash
# Five answers have a detector's score and a person's grade; for two of them the detector gave no score, NaN. Spearman's correlation.
# One would guess nan, as Pearson's correlation of the same columns is, or the three pairs that are left: 1.
# polars gives -.2: both NaN share the highest rank, in rank() and in corr(method="spearman"); with null in place of NaN
# it is 1. scipy gives nan, pandas 1.
# Why it matters: a detector that fails on faithful answers correlates with hallucination. Seen with the versions below, November 2026.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check polars==2.1.0 pandas==3.1.1 scipy==1.17.1 numpy==2.4.6
cd "$work" && venv/bin/python - <<'PY'
import pandas as pd
import polars as pl
import scipy

print("polars", pl.__version__, "pandas", pd.__version__, "scipy", scipy.__version__)
nan = float("nan")
grades, scores = [1.0, 2.0, 3.0, 0.0, 1.5], [0.1, 0.2, 0.3, nan, nan]
table = pl.DataFrame({"grade": grades, "score": scores})


def correlation(frame, method):
    return frame.select(pl.corr("grade", "score", method=method)).item()


seen = {
    "polars, Pearson": correlation(table, "pearson"),
    "polars, Spearman": correlation(table, "spearman"),
    "polars, Spearman, null for NaN": correlation(table.fill_nan(None), "spearman"),
    "scipy, Spearman": float(scipy.stats.spearmanr(grades, scores).statistic),
    "pandas, Spearman": float(pd.DataFrame({"grade": grades, "score": scores}).corr(method="spearman").iloc[0, 1]),
}
seen = {name: round(value, 3) for name, value in seen.items()}
ranks = table["score"].rank().to_list()
print("grades", grades, "scores", scores, "ranks by polars", ranks)
for name, value in seen.items():
    print(f"{name:32}{value}")
assert ranks == [1, 2, 3, 4.5, 4.5] and seen["polars, Spearman"] == -0.205, "changed: NaN is ranked otherwise"
assert seen["polars, Pearson"] != seen["polars, Pearson"] and seen["scipy, Spearman"] != seen["scipy, Spearman"], "changed: nan"
assert seen["polars, Spearman, null for NaN"] == seen["pandas, Spearman"] == 1, "changed: the pairs that are left"
PY
