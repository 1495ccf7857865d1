#!/usr/bin/env bash
# pandera's drop_invalid_rows is to drop the rows that break a check. What of faults that no row has: a column that is not there,
# the wrong type, a column too many, two rows with one (item, annotator)? One would guess errors, as the pandas backend raises,
# and that twice-labelled rows go. With polars all four pass in silence: the frame comes back as valid, without the column,
# with fractions for whole numbers or with both duplicates; an int column coerced from text comes back as text.
# Why it matters: a label table "validated" before the rates are computed. Seen with pandera 0.35.0, polars 2.1.0 in November 2026.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check pandera==0.35.0 polars==2.1.0 pandas==3.1.1 numpy==2.4.6 pyarrow==26.0.1
cd "$work" && venv/bin/python - <<'PY'
import logging

import pandas as pd
import pandera
import pandera.pandas as for_pandas
import pandera.polars as for_polars
import polars as pl

logging.disable()
print("pandera", pandera.__version__, "polars", pl.__version__, "pandas", pd.__version__)
labels = {"item": ["a", "a", "b"], "score": [0.5, 0.5, 1.0]}
CASES = {  # fault: (columns of the schema, options of the schema, data)
    "column missing": ({"item": str, "annotator": str}, {}, labels),
    "wrong type": ({"item": str, "score": int}, {}, labels),
    "column too many": ({"item": str}, {"strict": True}, labels),
    "pair twice": ({"item": str, "score": float}, {"unique": ["item", "score"]}, labels),
}


def outcome(backend, frame, columns, options):
    schema = backend.DataFrameSchema({name: backend.Column(kind) for name, kind in columns.items()}, drop_invalid_rows=True, **options)
    try:
        valid = schema.validate(frame, lazy=True)
    except backend.errors.SchemaErrors:
        return "raises"
    return f"{len(valid)} of 3 rows pass"


for fault, (columns, options, data) in CASES.items():
    seen = (
        outcome(for_pandas, pd.DataFrame(data), columns, options),
        outcome(for_polars, pl.DataFrame(data), columns, options),
    )
    print(f"{fault:16} pandas: {seen[0]:18} polars: {seen[1]}")
    assert seen[0] == ("1 of 3 rows pass" if fault == "pair twice" else "raises"), "changed: pandas"
    assert seen[1] == "3 of 3 rows pass", "changed: polars"
cast = for_polars.DataFrameSchema({"score": for_polars.Column(int, coerce=True)}, drop_invalid_rows=True)
scores = cast.validate(pl.DataFrame({"score": ["1", "x", "3"]}), lazy=True)["score"]
print("coerced to int, with one bad row:", scores.dtype, scores.to_list())
assert scores.to_list() == ["1", "3"], "changed: coerce"
PY
