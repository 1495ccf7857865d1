#!/usr/bin/env bash
# JSON of three answers, each with its list of invented spans, is described by Croissant: the fields are the JSONPaths $[*].id and
# $[*].spans[*].text. The answers have two spans, none and one. mlcroissant reads the records.
# One would guess each span beside its own answer, or lists of spans, or an error: the paths do not run in step.
# The n-th span of the file is given to the n-th answer: the answer without a span gets the second of the first answer. If the
# totals differ there is an error; if they happen to be equal, as here, there is none.
# Why it matters: hallucinations moved to answers that have none. Seen with mlcroissant 1.1.1 in November 2026.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check mlcroissant==1.1.1 pandas==3.1.1 numpy==2.4.6
cd "$work" && venv/bin/python - <<'PY'
import hashlib
import json
import logging
from importlib.metadata import version
from pathlib import Path

import mlcroissant as mlc

logging.disable()
print("mlcroissant", version("mlcroissant"))


def records(name, kind, text, fields):
    """The records of a data set of one file. `fields`: (name, type, how its values are found)."""
    Path(name).write_text(text)
    digest = hashlib.sha256(text.encode()).hexdigest()
    file = mlc.FileObject(id=name, name=name, content_url=name, encoding_formats=[kind], sha256=digest)
    made = [
        mlc.Field(id=f"rows/{field}", name=field, data_types=[of], source=mlc.Source(file_object=name, extract=mlc.Extract(**how)))
        for field, of, how in fields
    ]
    rows = mlc.RecordSet(id="rows", name="rows", fields=made)
    about = {"name": "labels", "description": "labels", "url": "https://example.org", "license": "MIT"}
    described = mlc.Metadata(**about, distribution=[file], record_sets=[rows]).to_json()
    Path("croissant.json").write_text(json.dumps(described, default=str))
    read = [{key.split("/")[-1]: value for key, value in row.items()} for row in mlc.Dataset("croissant.json").records("rows")]
    return [tuple(value.decode() if isinstance(value, bytes) else value for value in row.values()) for row in read]


FIELDS = [("id", mlc.DataType.TEXT, {"json_path": "$[*].id"}), ("span", mlc.DataType.TEXT, {"json_path": "$[*].spans[*].text"})]


def read(spans):
    rows = [{"id": name, "spans": [{"text": text} for text in texts]} for name, texts in spans.items()]
    try:
        return records("spans.json", "application/json", json.dumps(rows), FIELDS)
    except Exception as error:
        return f"raises {type(error).__name__}"


equal = read({"a": ["a's first", "a's second"], "b": [], "c": ["c's"]})
more = read({"a": ["a's first", "a's second"], "b": [], "c": ["c's", "c's second"]})
print("3 answers, 3 spans:", equal)
print("3 answers, 4 spans:", more)
assert equal == [("a", "a's first"), ("b", "a's second"), ("c", "c's")], "changed"
assert more == "raises GenerationError", "changed: other totals"
PY
