#!/usr/bin/env bash
# Six answers are marked by an annotator in Label Studio, four of them with an invented span; four more nobody has opened, one is skipped.
# One would guess that the export for a token classifier holds the six, or marks the others as not annotated.
# CONLL 2003 holds ten: an unopened answer is a sentence whose every word is O, the very form of "no hallucination found"; only the
# skipped one is left out. The rate is .4 in place of .67. CSV and JSON_MIN hold the ten too, with an empty annotator.
# Why it matters: half-done annotation is exported as faithful text. Seen with label-studio-sdk 2.1.2 in November 2026.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check label-studio-sdk==2.1.2
cd "$work" && venv/bin/python -W ignore - <<'PY'
import csv
import json
from importlib.metadata import version
from pathlib import Path

from label_studio_sdk.converter import Converter

print("label-studio-sdk", version("label-studio-sdk"))
CONFIG = """<View><Labels name="span" toName="text"><Label value="invented"/></Labels><Text name="text" value="$text"/></View>"""
TEXT = "Ada was born in 1843 in Varn."
MARK = {"id": "m", "from_name": "span", "to_name": "text", "type": "labels"}
MARK |= {"value": {"start": 16, "end": 20, "text": "1843", "labels": ["invented"]}}


def task(number, *results, skipped=False):
    annotations = [{"id": number, "completed_by": {"email": "ann"}, "was_cancelled": skipped, "result": result} for result in results]
    return {"id": number, "data": {"text": TEXT}, "annotations": annotations}


tasks = [task(number, [MARK]) for number in range(4)] + [task(number, []) for number in (4, 5)]  # annotated
tasks += [task(number) for number in range(6, 10)] + [task(10, [MARK], skipped=True)]
Path("tasks.json").write_text(json.dumps(tasks))
for kind in ("CONLL2003", "CSV", "JSON_MIN"):
    Converter(CONFIG, project_dir=None).convert("tasks.json", kind, kind, is_dir=False)
sentences = Path("CONLL2003/result.conll").read_text().split("\n", 1)[1].strip().split("\n\n")
marked = sum("B-invented" in sentence for sentence in sentences)
rows = list(csv.DictReader(Path("CSV/result.csv").open()))
minimal = json.loads(Path("JSON_MIN/result.json").read_text())
print("sentences in CONLL 2003:", len(sentences), "different:", len(set(sentences)), "marked:", marked, "rate:", marked / len(sentences))
print("rows of CSV:", len(rows), "without annotator:", sum(not row["annotator"] for row in rows))
print("rows of JSON_MIN:", len(minimal), "without annotator:", sum(row["annotator"] is None for row in minimal))
assert (len(sentences), len(set(sentences)), marked) == (10, 2, 4), "changed: CONLL"
assert len(rows) == len(minimal) == 10 and sum(not row["annotator"] for row in rows) == 4, "changed: CSV, JSON_MIN"
PY
