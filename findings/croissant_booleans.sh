#!/usr/bin/env bash
# A CSV of labels is described by Croissant: the column "hallucinated" is of type sc:Boolean. mlcroissant reads the records.
# One would guess that true/false and yes/no are read as they say, or that what is no boolean is refused.
# "yes" and "no" are both True. Of true, false, false each is read right, until one cell of the column says "unsure": then the two
# false are True as well, since the column is text from then on and any text is true.
# Why it matters: a hallucination rate of 1 for any data with an undecided annotator. Seen with mlcroissant 1.1.1 in November 2026.
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


FIELDS = [("answer", mlc.DataType.TEXT, {"column": "answer"}), ("hallucinated", mlc.DataType.BOOL, {"column": "hallucinated"})]
seen = {}
for cells in (("true", "false", "false"), ("yes", "no", "no"), ("true", "false", "false", "unsure"), ("true", "false", "false", "")):
    table = "answer,hallucinated\n" + "".join(f"answer {i},{cell}\n" for i, cell in enumerate(cells))
    seen[cells] = [value for _, value in records("labels.csv", "text/csv", table, FIELDS)]
    print(cells, "is read as", seen[cells])
read = list(seen.values())
assert read[0] == [True, False, False] and read[3] == [True, False, False, None], "changed: true and false alone"
assert read[1] == [True] * 3 and read[2] == [True] * 4, "changed: yes and no, unsure"
PY
