#!/usr/bin/env bash
# Replies of a judge are kept by joblib.Memory, so that a second run asks nothing. Its argument is a list of dicts, read from JSON.
# One would guess that equal arguments are one entry: what is hashed is the value.
# [answer, answer] (one dict that stands twice) and the equal list of two dicts, as it comes back from a round trip
# through JSON, have two hashes: pickle writes the second as "as above". The judge is asked again; one that varies gives a second
# verdict. The Hasher of datasets, which makes the fingerprints of map(), errs in the same way; sha256 of json.dumps does not.
# Why it matters: a "repeated" run holds fresh verdicts, or pays twice. Seen with joblib 1.6.0 and datasets 5.2.0 in November 2026.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check joblib==1.6.0 datasets==5.2.0 pyarrow==26.0.1 pandas==3.1.1 numpy==2.4.6
cd "$work" && venv/bin/python - <<'PY'
import hashlib
import json
from importlib.metadata import version

import joblib
from datasets.fingerprint import Hasher

for name in ("joblib", "datasets"):
    print(name, version(name))
memory = joblib.Memory("replies", verbose=0)
asked = []


@memory.cache
def judge(answers):
    asked.append(answers)
    return f"verdict {len(asked)}"


answer = {"question": "q1", "text": "In 1889."}
twice, equal = [answer, answer], [answer, dict(answer)]
loaded = json.loads(json.dumps(twice))
assert twice == equal == loaded
verdicts = [judge(one) for one in (twice, equal, loaded, twice)]
print("one dict twice, two equal dicts, read from JSON, the first again:", verdicts, "asked:", len(asked))
HASHES = {
    "joblib.hash": joblib.hash,
    "datasets' Hasher": Hasher.hash,
    "sha256 of json.dumps": lambda value: hashlib.sha256(json.dumps(value).encode()).hexdigest(),
}
same = {name: len({digest(value) for value in (twice, equal, loaded)}) for name, digest in HASHES.items()}
print("hashes of the three equal values:", same)
assert len(asked) >= 2 and verdicts[0] == verdicts[3] != verdicts[1], "changed: Memory"
assert same["joblib.hash"] > 1 and same["datasets' Hasher"] > 1 and same["sha256 of json.dumps"] == 1, "changed: hashes"
PY
