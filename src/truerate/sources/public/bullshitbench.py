"""BullshitBench v2 (Gostev 2026), row by row: what three judges say of each reply to a question whose premise is nonsense.

`data/v2/latest/aggregate.jsonl` of a clone, or the files that its `manifest.json` names: a line per model and question
with the scores of the judges (2 it pushes back, 1 in part, 0 it accepts the nonsense) and their mean. The replies
themselves lie in other files and are not read.
"""

from functools import partial

from truerate.sources.collection import Collection, reads
from truerate.sources.cuts import json_lines, parse
from truerate.sources.downloads import public_set
from truerate.sources.public.unit_labels import (
    RATED,
    WRONG,
    Tables,
    Unit,
    attributes_of,
    label_row,
    yes_or_no,
)
from truerate.sources.rows import BadRow, Reason, Row

FOLDER = "data/v2/latest"
ROWS, MANIFEST = f"{FOLDER}/aggregate.jsonl", f"{FOLDER}/manifest.json"
N_JUDGES, MOST = 3, 2  # judges, and the best of their scores
JUDGES = tuple(f"judge {number}" for number in range(1, N_JUDGES + 1))
SET = public_set("bullshitbench")


@reads("bullshitbench", unproven={"petergpt__bullshit-benchmark": tuple(SET.holds)})
def read(collection: Collection) -> None:
    """Read each reply as a silver sample without its text, hallucinated where the rounded mean of the judges is 0, as the
    publisher counts; `rule_partial` counts 1, too. Each judge's own verdict is a judgement. Control questions, and replies
    that a judge could not score, are rejects.
    """
    files = rows_in(collection)
    collection.refuse_none(collection.present(*files), "no rows of BullshitBench v2", *files)
    for file in files:
        collection.read(file, json_lines, partial(_keep, collection, file))


def rows_in(collection: Collection) -> list[str]:
    """The files that hold the rows: those that the manifest names, of several where it does, else ROWS."""
    path = collection.folder / MANIFEST
    if not path.is_file():
        return [ROWS]
    sources = Row(Row(parse(path.read_bytes()), 1).values.get("sources") or {}, 1)
    if sources.values.get("aggregate_rows_files") is not None:
        return sources.texts("aggregate_rows_files")
    return [sources.optional_text("aggregate_rows_file") or ROWS]


def _keep(collection: Collection, file: str, row: Row) -> None:
    model, question = row.text("model"), row.text("question_id")
    if row.flag("is_control"):
        raise BadRow(Reason.IMPROPER, f"{question!r} is a control question, whose premise is sound")
    scores = [row.values.get(f"judge_{number}_score") for number in range(1, N_JUDGES + 1)]
    if row.text("status") != "ok" or None in scores:
        raise BadRow(Reason.UNLABELLED, f"not every judge scored the reply of {model!r} to {question!r}")
    for number, score in enumerate(scores, 1):
        if type(score) is not int or not 0 <= score <= MOST:
            problem = f"field 'judge_{number}_score' is {str(score)[:40]!r}; it must be 0, 1 or 2"
            raise BadRow(Reason.OUT_OF_RANGE, problem)
    run = row.integer("run_index") if "run_index" in row.values else 1
    collection.once("the reply", model, question, run, row=row)
    item = collection.item("qa", group=("question", question), question=question, is_shared=True)
    total = sum(scores)
    sample = collection.sample(
        item,
        "",
        is_hallucinated=2 * total < N_JUDGES,  # a mean below one half is rounded to 0
        label_source="silver",
        generator=model,
        unit=question if run == 1 else f"{question}/{run}",
        technique=row.optional_text("technique"),
        rule_partial=2 * total < 3 * N_JUDGES,
    )
    for judge, score in zip(JUDGES, scores, strict=True):
        collection.judgement(sample["sample_id"], judge, score == 0)


def labels(tables: Tables) -> list[dict]:
    """Return whether each judge says that a reply accepts the nonsense, and whether it does by their rounded mean."""
    units, rows = {}, []
    for sample in tables.samples.to_dicts():
        unit = Unit(sample["generator"], attributes_of(sample)["unit"], sample["group_id"], [])
        units[sample["sample_id"]] = unit
        wrong = sample["is_hallucinated"]
        rows.append(label_row(unit, "accepted", yes_or_no(wrong), of=WRONG, gives=float(wrong)))
    for row in tables.judgements.to_dicts():
        rows.append(label_row(units[row["target_id"]], RATED, yes_or_no(row["verdict"]), rater=row["judge"]))
    return rows
