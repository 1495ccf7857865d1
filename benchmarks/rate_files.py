"""`truerate rate` from Enter to its line, of a file of a million answers with a judge's scores and 300 labels.

    python benchmarks/rate_files.py [--rows 1000000] [--write benchmarks/RESULTS.md]

The answers have a text of 60 characters and a reference of 150, as Parquet, CSV and JSON lines; and 1,000 and 100,000
of them as JSON lines through the default detector. Of each: seconds on the clock, CPU seconds, and the peak of memory of the
process. Limits: 1.5 s and 300 MB. A busy machine makes the clock useless: look at the CPU seconds there.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

DETECTED, FORMS = (1000, 100_000), ("parquet", "csv", "ndjson")
HEADER = "| file | answers | MB | s | CPU s | MB of memory |\n| --- | ---: | ---: | ---: | ---: | ---: |"
BEGIN, END = "<!-- rate-files -->", "<!-- /rate-files -->"


def answers(n: int) -> pl.DataFrame:
    """n answers of two systems; a fifth is hallucinated, the score says so with noise, 300 are labelled."""
    draw = np.random.default_rng(11)
    is_wrong = draw.random(n) < 0.2
    score = np.clip(0.5 + 0.2 * (2 * is_wrong - 1) + draw.normal(0, 0.2, n), 0, 1).round(4)
    is_labelled = np.isin(np.arange(n), draw.choice(n, min(300, n), replace=False))
    name = pl.concat_str(pl.lit("The harbour of "), pl.int_range(n))
    return pl.select(
        id=pl.concat_str(pl.lit("a"), pl.int_range(n)),
        answer=pl.concat_str(name, pl.lit(" was built in 1412 by its guilds.")),
        reference=pl.concat_str(*[name, pl.lit(" was built in 1412 by its guilds. ")] * 3),
        question=pl.concat_str(pl.lit("When was harbour "), pl.int_range(n), pl.lit(" built?")),
        system=pl.when(pl.int_range(n) % 2 == 0).then(pl.lit("larch")).otherwise(pl.lit("rowan")),
        judge=pl.Series(score),
        is_hallucinated=pl.when(pl.Series(is_labelled)).then(pl.Series(is_wrong)),
    )


def measured(file: Path, n: int, *options: str) -> str:
    """The row of a file."""
    command = [
        sys.executable,
        "-m",
        "truerate",
        "rate",
        str(file),
        "--page",
        str(file.parent / "page"),
        *options,
    ]
    begin = time.monotonic()
    # polars, imported here, sets this for itself and its children: a person's shell does not have it
    environment = {name: value for name, value in os.environ.items() if name != "_RJEM_MALLOC_CONF"}
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.monotonic() - begin
    if status:
        raise SystemExit(f"{file.name}: truerate rate ended with {os.waitstatus_to_exitcode(status)}")
    cpu, memory = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
    size = file.stat().st_size / 2**20
    return f"| {file.name} | {n:,} | {size:.1f} | {seconds:.2f} | {cpu:.2f} | {memory:.0f} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--write", type=Path, help="file with the markers")
    parser.add_argument("--make", type=Path, help="write the files into this folder, and end")
    options = parser.parse_args()
    if options.make:
        rows = answers(options.rows)
        for form in FORMS:
            getattr(rows, f"write_{form}")(options.make / f"answers.{form}")
        for n in DETECTED:
            rows.head(n).drop("judge", "is_hallucinated").write_ndjson(options.make / f"{n}.jsonl")
        return 0
    lines = [HEADER]
    with tempfile.TemporaryDirectory() as folder:
        # made by another process: the peak of one that is started from here counts what this one holds
        subprocess.run([sys.executable, __file__, "--rows", str(options.rows), "--make", folder], check=True)
        for form in FORMS:
            lines.append(measured(Path(folder) / f"answers.{form}", options.rows, "--verdicts", "judge"))
        for n in DETECTED:
            lines.append(measured(Path(folder) / f"{n}.jsonl", n, "--detector", "word-support"))
    table = "\n".join(lines)
    print(table)
    if options.write:
        text = options.write.read_text("utf-8")
        before, _, rest = text.partition(BEGIN)
        after = rest.partition(END)[2]
        options.write.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
