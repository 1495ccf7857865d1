#!/usr/bin/env bash
# Of each question's answers (one right, one hallucinated, in that order) one is drawn to be labelled, by polars' sample with a seed.
# One would guess that a seed makes the draw repeatable, and that each question has a draw of its own: near 50 % are hallucinated.
# Every group starts from the same seed, so every question gives the answer at the same place: all are right or all hallucinated.
# The same for shuffle(seed=…).over(…). Without a seed, with pl.set_random_seed, and in pandas' groupby.sample each group has its own.
# Why it matters: a label sample with a rate of 0 or 1 that looks drawn at random. Seen with polars 2.1.0 in November 2026.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check polars==2.1.0 pandas==3.1.1 numpy==2.4.6
cd "$work" && venv/bin/python - <<'PY'
import pandas as pd
import polars as pl

print("polars", pl.__version__, "pandas", pd.__version__)
questions = [f"question {i}" for i in range(100)]
data = {"question": [name for name in questions for _ in range(2)], "text": ["right", "hallucinated"] * 100}
answers = pl.DataFrame(data)


def rate(texts):
    return sum(text == "hallucinated" for text in texts) / 100


def per_group(expression):
    return rate(answers.group_by("question").agg(expression.first())["text"])


sampled = [per_group(pl.col("text").sample(1, seed=seed)) for seed in range(8)]
shuffled = [rate(answers.select(pl.col("text").shuffle(seed=seed).over("question"))["text"][::2]) for seed in range(8)]
pl.set_random_seed(0)
own = [per_group(pl.col("text").sample(1)) for _ in range(8)]
pandas = [rate(pd.DataFrame(data).groupby("question").sample(1, random_state=seed)["text"]) for seed in range(8)]
print("rate of hallucinated answers among those drawn, by seed 0 to 7")
for name, rates in (("sample(1, seed=…) by group", sampled), ("shuffle(seed=…).over", shuffled), ("no seed", own), ("pandas", pandas)):
    print(f"{name:28}", *rates)
assert set(sampled) == set(shuffled) == {0.0, 1.0}, "changed: groups have draws of their own"
assert all(0.25 < one < 0.75 for one in own + pandas), "changed: the others"
PY
