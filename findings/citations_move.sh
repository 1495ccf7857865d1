#!/usr/bin/env bash
# An answer with citations is cut into sentences to judge each claim against what it cites.
# One would guess that splitters made for such texts keep the mark with its sentence, or all make the same mistake.
# Each makes another: pysbd glues two claims together at ".[1] It", and at ". [1] It" hands the mark to the next claim, so that
# claim 1 cites nothing and claim 2 cites claim 1's source; blingfire stops splitting at two marks "[2][3]" and at raised figures;
# sentencex is right for brackets and moves raised figures on by one sentence.
# Why it matters: citation precision measured on the wrong pairs. Seen with the versions below in November 2026.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check sentencex==1.0.32 pysbd==0.3.4 blingfire==0.1.8 numpy==2.4.6
cd "$work" && venv/bin/python - <<'PY'
from importlib.metadata import version

import blingfire
import pysbd
import sentencex

for name in ("sentencex", "pysbd", "blingfire"):
    print(name, version(name))
STYLES = {  # three claims, each with its mark, as three styles write it
    "It opened.[1]": ["The tower opened in 1889.[1]", "It is 330 m high.[2]", "Paris paid for it.[3]"],
    "It opened. [1]": ["The tower opened in 1889. [1]", "It is 330 m high. [2]", "Paris paid for it. [3]"],
    "It opened.[1][2]": ["The tower opened in 1889.[1][2]", "It is 330 m high.[2][3]", "Paris paid for it.[3][4]"],
    "It opened.\u00b9": ["The tower opened in 1889.\u00b9", "It is 330 m high.\u00b2", "Paris paid for it.\u00b3"],
}
english = pysbd.Segmenter(language="en", clean=False)
SPLITTERS = {
    "sentencex": lambda text: sentencex.segment("en", text),
    "pysbd": english.segment,
    "blingfire": lambda text: blingfire.text_to_sentences(text).split("\n"),
}
seen = {}
for style, claims in STYLES.items():
    for name, split in SPLITTERS.items():
        parts = [part.strip() for part in split(" ".join(claims)) if part.strip()]
        seen[style, name] = sum(claim in parts for claim in claims), len(parts)
        print(f"{style:17} {name:10} claims with their own marks: {seen[style, name][0]} of 3   {parts}")
right = {name: [seen[style, name][0] for style in STYLES] for name in SPLITTERS}
assert right == {"sentencex": [3, 3, 3, 0], "pysbd": [0, 0, 0, 0], "blingfire": [3, 3, 0, 0]}, "changed"
assert seen["It opened. [1]", "pysbd"][1] == 4 and seen["It opened.\u00b9", "sentencex"][1] == 4, "changed: marks moved on by one"
PY
