#!/usr/bin/env bash
# Judges' scores of 1 to 5 are published with a class label: ClassLabel(names=["1", "2", "3", "4", "5"]) of datasets.
# One would guess that the score 4 is the class named "4", whether it stands in the file as a number or as text.
# Text "4" is; the number 4 is taken as the place, and is the class "5". All scores rise by one in silence, as long as no 5 is
# among them; one 5 raises an error. The same for a cast. class_encode_column sorts as text: 10 comes before 5.
# Why it matters: a data set whose scores are one too high wherever nobody gave a 5. Seen with datasets 5.2.0 in November 2026.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check datasets==5.2.0 pyarrow==26.0.1 pandas==3.1.1 numpy==2.4.6
cd "$work" && venv/bin/python - <<'PY'
import datasets

datasets.disable_progress_bars()
print("datasets", datasets.__version__)
LABEL = datasets.ClassLabel(names=["1", "2", "3", "4", "5"])
FEATURES = datasets.Features({"score": LABEL})


def names(table):
    return table.features["score"].int2str(list(table["score"]))


given = [1, 2, 4, 4]
seen = {
    "numbers, features": names(datasets.Dataset.from_dict({"score": given}, features=FEATURES)),
    "numbers, cast": names(datasets.Dataset.from_dict({"score": given}).cast(FEATURES)),
    "text, features": names(datasets.Dataset.from_dict({"score": list(map(str, given))}, features=FEATURES)),
    "text, cast": names(datasets.Dataset.from_dict({"score": list(map(str, given))}).cast(FEATURES)),
}
for how, read in seen.items():
    print(f"given {given}, {how:18} {read}  mean {sum(map(int, read)) / len(read)}")
encoded = datasets.Dataset.from_dict({"score": [5, 10, 1]}).class_encode_column("score")
print("class_encode_column of [5, 10, 1]:", list(encoded["score"]), encoded.features["score"].names)
try:
    datasets.Dataset.from_dict({"score": [1, 5]}, features=FEATURES)
    error = None
except ValueError as caught:
    error = str(caught)
print("given [1, 5]:", error)
assert seen["numbers, features"] == seen["numbers, cast"] == ["2", "3", "5", "5"], "changed: numbers"
assert seen["text, features"] == seen["text, cast"] == ["1", "2", "4", "4"], "changed: text"
assert list(encoded["score"]) == [2, 1, 0] and error, "changed: encoding or error"
PY
