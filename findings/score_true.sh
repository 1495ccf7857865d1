#!/usr/bin/env bash
# A judge is to give a score of 1 to 5 and replies {"score": true}, meaning "yes, faithful". The reader is a strict pydantic model
# whose field is Literal[1, 2, 3, 4, 5]. One would guess that strict mode refuses it, as it does for int.
# It is taken as the score 1, the worst there is, also with strict=True and from JSON; 4.0 is taken as 4. msgspec refuses both,
# jsonschema refuses true and takes 4.0. A field of int with bounds refuses true in strict mode and makes it 1 in the default one.
# Why it matters: praise is filed as the lowest score, and no row is rejected. Seen with pydantic 2.14.4 in November 2026.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check pydantic==2.14.4 msgspec==0.23.0 jsonschema==4.26.0
cd "$work" && venv/bin/python - <<'PY'
import json
from importlib.metadata import version
from typing import Annotated, Literal

import jsonschema
import msgspec
import pydantic

for name in ("pydantic", "msgspec", "jsonschema"):
    print(name, version(name))
Score = Literal[1, 2, 3, 4, 5]


class Strict(pydantic.BaseModel, strict=True):
    score: Score


class StrictBounds(pydantic.BaseModel, strict=True):
    score: Annotated[int, pydantic.Field(ge=1, le=5)]


class Struct(msgspec.Struct):
    score: Score


SCHEMA = {"properties": {"score": {"enum": [1, 2, 3, 4, 5]}}}
READERS = {
    "pydantic strict Literal": lambda reply: Strict.model_validate_json(reply).score,
    "pydantic strict bounds": lambda reply: StrictBounds.model_validate_json(reply).score,
    "msgspec Literal": lambda reply: msgspec.json.decode(reply, type=Struct).score,
    "jsonschema enum": lambda reply: jsonschema.validate(json.loads(reply), SCHEMA) or json.loads(reply)["score"],
}
REFUSALS = (pydantic.ValidationError, msgspec.ValidationError, jsonschema.ValidationError)
seen = {}
for name, read in READERS.items():
    for value in ("4", "true", "4.0", '"4"', "6"):
        try:
            seen[name, value] = repr(read('{"score": %s}' % value))
        except REFUSALS:
            seen[name, value] = "refused"
    print(f"{name:24}", {value: outcome for (reader, value), outcome in seen.items() if reader == name})
literal = [seen["pydantic strict Literal", value] for value in ("4", "true", "4.0", '"4"', "6")]
assert literal == ["4", "1", "4", "refused", "refused"], "changed: pydantic's Literal"
others = [seen[name, "true"] for name in READERS if name != "pydantic strict Literal"]
assert others == ["refused"] * 3, "changed: the others"
PY
