#!/usr/bin/env bash
# Two systems are compared by sacrebleu's paired tests (bootstrap, and approximate randomisation): the second is a copy of the first.
# One would guess p = 1: two equal lists of outputs differ on no resample, whatever the seed.
# p is .001, the smallest that 1,000 samples can give, in both tests and for BLEU and chrF: only samples with a larger difference
# than the real one are counted, and 0 is not larger than 0. Approximate randomisation gives the same .001 when one word of 1,200
# is changed, where every sample has that very difference; its p should be 1.
# Why it matters: a change that changed nothing is reported as a significant one. Seen with sacrebleu 2.6.0 in November 2026.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check sacrebleu==2.6.0 numpy==2.4.6
cd "$work" && venv/bin/python - <<'PY'
import logging
import random

import sacrebleu
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.significance import PairedTest

logging.disable()
print("sacrebleu", sacrebleu.__version__)
draw = random.Random(0)
references = [" ".join(draw.choices("abcdefghij", k=12)) for _ in range(100)]
outputs = [" ".join(word if draw.random() < 0.9 else "z" for word in line.split()) for line in references]
changed = list(outputs)
changed[50] = changed[50].replace(changed[50].split()[0], "y", 1)
seen = {}
for name, other in (("a copy", list(outputs)), ("one word changed", changed)):
    for test in ("bs", "ar"):
        metrics = {"BLEU": BLEU(references=[references]), "chrF2": CHRF(references=[references])}
        _, results = PairedTest([("baseline", outputs), ("other", other)], metrics, None, test_type=test, n_samples=1000)()
        for metric in metrics:
            base, result = results[metric]
            seen[name, test, metric] = result.p_value
            print(f"{name:17} {test} {metric:6} {base.score:.3f} {result.score:.3f}  p = {result.p_value:.4f}")
assert all(round(p, 4) == 0.001 for (name, _, _), p in seen.items() if name == "a copy"), "changed: a copy"
assert round(seen["one word changed", "ar", "BLEU"], 4) == 0.001 < 0.05 < seen["one word changed", "bs", "BLEU"], "changed: one word"
PY
