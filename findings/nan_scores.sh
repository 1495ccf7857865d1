#!/usr/bin/env bash
# A table of detector scores, some NaN, is written to Parquet by polars or pyarrow, and DuckDB counts the rows above .9.
# One would guess: NaN is the largest number in DuckDB, so it is counted; in any case the writer of the file does not matter.
# It does. Of the same rows DuckDB counts 90,000 in its own file and 60,000 in the others', where even isnan() finds none, though
# FILTER counts 90,000 there; max() is NaN, NaN and .95. The others leave NaN out of the minimum and maximum that a file says of its
# columns, and DuckDB takes these as bounds of all rows. Why it matters: answers without a score, found or lost by who wrote the table.
# Seen with DuckDB 2.0.1, polars 2.1.0 and pyarrow 26.0.1 in November 2026.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check duckdb==2.0.1 polars==2.1.0 pyarrow==26.0.1
cd "$work" && venv/bin/python - <<'PY'
import duckdb
import polars as pl
import pyarrow
import pyarrow.parquet as pq

print("duckdb", duckdb.__version__, "polars", pl.__version__, "pyarrow", pyarrow.__version__)
scores = pl.DataFrame({"score": [0.1, 0.2, 0.3, float("nan")] * 30_000 + [0.95, 0.2] * 60_000})
scores.write_parquet("polars.parquet", row_group_size=120_000)
pq.write_table(scores.to_arrow(), "pyarrow.parquet", row_group_size=120_000)
duckdb.execute("copy (from scores) to 'duckdb.parquet' (row_group_size 120_000)")
seen = {}
for writer in ("duckdb", "polars", "pyarrow"):
    table = f"'{writer}.parquet'"
    ask = lambda what: duckdb.sql(f"select {what}").fetchall()[0][0]  # noqa: E731
    seen[writer] = (
        ask(f"count(*) from {table} where score > .9"),
        ask(f"count(*) from {table} where isnan(score)"),
        ask(f"count(*) filter (where score > .9) from {table}"),
        str(ask(f"max(score) from {table}")),
        pl.scan_parquet(f"{writer}.parquet").filter(pl.col.score > 0.9).collect().height,
    )
    print("written by %-8s WHERE > .9: %6d  WHERE isnan: %6d  FILTER > .9: %6d  max: %s  polars itself: %6d" % (writer, *seen[writer]))
assert seen["duckdb"] == (90_000, 30_000, 90_000, "nan", 90_000), "changed: own file"
assert seen["polars"] == (60_000, 0, 90_000, "nan", 90_000), "changed: polars' file"
assert seen["pyarrow"] == (60_000, 0, 90_000, "0.95", 90_000), "changed: pyarrow's file"
PY
