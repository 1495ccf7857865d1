#!/usr/bin/env bash
# Three answers equal one of their references, word for word: two items have two references, the third has one.
# One would guess a corpus BLEU of 100, as sacrebleu itself gives: it allows an item fewer references than the others.
# lm-eval's bleu, chrf and ter give 51, 70 and 32: the references are turned by zip, which stops at the shortest item, so all
# items keep their first reference only. Without the third item BLEU is 100.
# Why it matters: one item with a single reference lowers the score of all others. Seen with lm-eval 0.4.13 in November 2026.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check sacrebleu==2.6.0 numpy==2.4.6 datasets==5.2.0 evaluate==0.4.6 lm-eval==0.4.13
cd "$work" && venv/bin/python -W ignore - <<'PY'
from importlib.metadata import version

import sacrebleu
from lm_eval.api.metrics import bleu, chrf, ter

for name in ("lm_eval", "sacrebleu"):
    print(name, version(name))
two = [
    (["the tower opened in 1889 in Paris", "in 1889 the Paris tower was opened"], "in 1889 the Paris tower was opened"),
    (["it is 330 m high as of today", "its height is 330 m as of today"], "its height is 330 m as of today"),
]
items = [*two, (["Paris paid for all of it then"], "Paris paid for all of it then")]
padded = [[given[place] if place < len(given) else None for given, _ in items] for place in range(2)]
seen = {
    "sacrebleu's BLEU": sacrebleu.corpus_bleu([text for _, text in items], padded).score,
    "lm-eval's bleu": bleu(items),
    "lm-eval's chrf": chrf(items),
    "lm-eval's ter (0 is best)": ter(items),
    "lm-eval's bleu without the third item": bleu(two),
}
seen = {name: round(float(score), 1) for name, score in seen.items()}
for name, score in seen.items():
    print(f"{name:38}{score}")
assert list(seen.values()) == [100.0, 50.9, 70.2, 31.8, 100.0], "changed"
PY
