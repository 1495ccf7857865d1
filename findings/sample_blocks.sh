#!/usr/bin/env bash
# 10 % of 5,000 answers of ten models are drawn for labelling: SELECT … USING SAMPLE 10% in DuckDB.
# One would guess about 500 rows, each drawn on its own, with every model among them.
# Whole blocks of up to 2,048 rows are drawn: of 300 samples most are empty, the others hold 904 or more rows of neighbours, so
# some models whole and others not at all. From a Parquet file too. "10% (bernoulli)" and "500 ROWS" draw rows.
# Why it matters: a labelled sample of a table sorted by model or by date says nothing of the rest. Seen with DuckDB 2.0.1, November 2026.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check duckdb==2.0.1
cd "$work" && venv/bin/python - <<'PY'
from collections import Counter

import duckdb

print("duckdb", duckdb.__version__)
duckdb.execute("create table answers as select range as id, 'model ' || (range // 500) as model from range(5000)")
duckdb.execute("copy answers to 'answers.parquet'")
seen = {}
for table in ("answers", "'answers.parquet'"):
    for how in ("10%", "10% (bernoulli)", "500 rows"):
        query = f"select count(*), count(distinct model) from (from {table} using sample {how})"
        sizes = Counter(duckdb.sql(query).fetchall()[0] for _ in range(300))
        seen[table, how] = sizes
        print(f"{table:17} {how:16} (rows, models): times", dict(sizes.most_common(4)))
for table in ("answers", "'answers.parquet'"):
    blocks = seen[table, "10%"]
    assert blocks[0, 0] > 150 and {rows for rows, _ in blocks} <= {0, 904, 2048, 2952, 4096, 5000}, "changed: blocks"
    assert all(350 < rows < 650 and models == 10 for rows, models in seen[table, "10% (bernoulli)"]), "changed: bernoulli"
    assert seen[table, "500 rows"] == {(500, 10): 300}, "changed: rows"
PY
