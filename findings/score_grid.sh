#!/usr/bin/env bash
# A judge gives a score from 0 to 1 in steps of a tenth: the schema says "multipleOf": 0.1. Its replies are validated.
# One would guess that all eleven scores pass (a validator knows of binary fractions), or that all libraries err alike.
# jsonschema refuses 0.3, 0.6 and 0.7, and of steps of a twentieth six of 21; pydantic, fastjsonschema and jsonschema-rs none.
# Why it matters: replies are lost by what they say, so the mean of those left is of other answers. Seen with the versions below,
# November 2026.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check jsonschema==4.26.0 fastjsonschema==2.22.3 jsonschema-rs==0.61.2 pydantic==2.14.4
cd "$work" && venv/bin/python - <<'PY'
from importlib.metadata import version
from typing import Annotated

import fastjsonschema
import jsonschema
import jsonschema_rs
import pydantic

for name in ("jsonschema", "fastjsonschema", "jsonschema-rs", "pydantic"):
    print(name, version(name))
REFUSALS = (jsonschema.ValidationError, fastjsonschema.JsonSchemaException, jsonschema_rs.ValidationError, pydantic.ValidationError)


def refused(validate, scores):
    lost = []
    for score in scores:
        try:
            validate(score)
        except REFUSALS:
            lost.append(score)
    return lost


seen = {}
for step, scores in ((0.1, [i / 10 for i in range(11)]), (0.05, [i / 20 for i in range(21)])):
    schema = {"type": "number", "minimum": 0, "maximum": 1, "multipleOf": step}
    validators = {
        "jsonschema": jsonschema.Draft202012Validator(schema).validate,
        "fastjsonschema": fastjsonschema.compile(schema),
        "jsonschema-rs": jsonschema_rs.validator_for(schema).validate,
        "pydantic": pydantic.TypeAdapter(Annotated[float, pydantic.Field(ge=0, le=1, multiple_of=step)]).validate_python,
    }
    for name, validate in validators.items():
        seen[step, name] = refused(validate, scores)
        print(f"steps of {step}: {name:15} refuses {seen[step, name]}")
    left = [score for score in scores if score not in seen[step, "jsonschema"]]
    print(f"  one reply of each score: mean {sum(scores) / len(scores):.3f}, of those that jsonschema lets pass {sum(left) / len(left):.3f}")
assert seen.pop((0.1, "jsonschema")) == [0.3, 0.6, 0.7], "changed: jsonschema, tenths"
assert seen.pop((0.05, "jsonschema")) == [0.15, 0.3, 0.35, 0.6, 0.7, 0.95], "changed: jsonschema, twentieths"
assert not any(seen.values()), "changed: the others"
PY
