#!/usr/bin/env bash
# Speech recognisers invent words on silence; the clip's reference is the empty text. jiwer 3 refused an empty reference.
# One would guess that jiwer 4 refuses too, or gives 1.0 or infinity for a rate with nothing to divide by.
# It gives the *number* of invented words as the "rate" (4 words: wer 4, cer counts letters: 22), while mer and wil say 1;
# over a set it pools: a silent clip adds to the errors and nothing to the words, so one clip with three invented words beside
# a faultless clip of two words is a word error rate of 1.5, and the clips' own rates cannot be averaged to it.
# Why it matters: a hallucination benchmark on silence has a figure whose unit changes from clip to set. Seen with jiwer 4.0.0.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check jiwer==4.0.0 rapidfuzz==3.14.6
cd "$work" && venv/bin/python - <<'PY'
from importlib.metadata import version

import jiwer

print("jiwer", version("jiwer"))
invented = "thank you for watching"
one = {name: getattr(jiwer, name)("", invented) for name in ("wer", "cer", "mer", "wil")}
print("a silent clip,", repr(invented), "invented:", one)
both = jiwer.wer(["", "good morning"], ["thank you all", "good morning"])
each = [jiwer.wer("", "thank you all"), jiwer.wer("good morning", "good morning")]
none = jiwer.wer("", "")
print("that set:", both, "its clips:", each, "silence kept silent:", none)
assert one == {"wer": 4, "cer": 22, "mer": 1, "wil": 1}, "changed: one clip"
assert both == 1.5 and each == [3, 0.0] and none == 0, "changed: a set"
PY
