"""FaithJudge (Tamber et al. 2025): replies of models to given texts, with the verdict of a judge, o3-mini, on each.

`eval_results/<org>/<model>/[o3-mini_]<set>-<task>_hallucination_eval.txt` holds the verdicts as JSON Lines. A clone
also has the replies (`generated_outputs`) and what they rest on (`eval_data`); the verdicts alone are a whole board.
No verdict stands on an answer that people labelled, so the judge's own error cannot be computed from these files.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

from truerate.core.errors import listed
from truerate.sources.cards import published_card
from truerate.sources.clone import public_set
from truerate.sources.collection import Collection, reads
from truerate.sources.cuts import json_lines
from truerate.sources.public.faithjudge_replies import (
    Reply,
    Task,
    item_of,
    read_labelled,
    replies_in,
    sources_in,
)
from truerate.sources.public.ragtruth_answers import Given
from truerate.sources.public.unit_labels import attributes_of
from truerate.sources.rows import BadRow, Reason, Row, label_of

VERDICTS = "eval_results"
FILE = re.compile(rf"{VERDICTS}/([^/]+)/([^/]+)/(o3-mini_)?([a-z0-9]+-[a-z0-9]+)_hallucination_eval\.txt")
JUDGE, MAKER = "o3-mini", "openai"
CONSISTENT = "Consistent"
LABELS = (CONSISTENT, "Inconsistent", "Invalid")
FAILED = "Unknown"  # a call that failed: no verdict
FINAL = re.compile(rf"Final classification:\s*\**({'|'.join(LABELS)})", re.IGNORECASE)
# the older name of one task in the files without a prefix
RENAMED = {"benchmarkz-summary": "faithbench-summary"}
CARD, SET = published_card("faithjudge"), public_set("faithjudge")


class Place(NamedTuple):
    """Where a file of verdicts belongs: its path, the model's maker and name, the task, whether it bears the prefix."""

    file: str
    maker: str
    model: str
    task: str
    is_prefixed: bool


@dataclass
class Beside:
    """What lies beside the verdicts, what the subjects are called, and which replies have been judged."""

    replies: Mapping[Reply, str]
    given: dict[Task, Given]
    subjects: Mapping[tuple[str, str], str]
    judged: set[Reply] = field(default_factory=set)
    items: dict[Task, dict] = field(default_factory=dict)  # all models share them: each is made once


@reads(CARD)
def read(collection: Collection) -> None:
    """Each reply with a verdict as a silver sample, hallucinated where that is Inconsistent or Invalid, as the
    published rates count.

    `part` is the task (`faithbench-summary` …), `unit` the source in it, `files` which of the two groups of
    verdict files it stands in, `own_judge` marks replies of the judge's own maker, whose models the card names as
    `judges_own`. A text is what was judged;
    where the verdict holds none it is that of `generated_outputs`, less the reasoning before it. With texts,
    people's labelled answers on the same sources stand beside as gold samples of purpose `calibration`.
    """
    files = list(verdict_files(collection.folder))
    collection.refuse_none(
        files, "no verdicts of FaithJudge", f"{VERDICTS}/<org>/<model>/*_hallucination_eval.txt"
    )
    beside = Beside(replies_in(collection), sources_in(collection), subjects_of(files))
    for file in files:
        collection.read(file.file, json_lines, partial(_keep, collection, file, beside))
    _book_unjudged(collection, beside)
    if any(sample["text"] for sample in collection.samples.values()):
        read_labelled(collection, beside.given)
    collection.fold_files(f"{VERDICTS} and what lies beside it")
    judges_own = {beside.subjects[file.maker, file.model] for file in files if file.maker == MAKER}
    collection.card["judges_own"] = sorted(judges_own)
    if lacking := _lacking(collection):
        caveat = f"Without a verdict in a task, so that their rates over all tasks are of other sources than the others': {lacking}."
        collection.card["caveats"] = [*collection.card["caveats"], caveat]


def _lacking(collection: Collection) -> str:
    """The models that have no verdict in a task in which another has one, each with those tasks; empty where none lacks."""
    tasks: dict[str, set[str]] = defaultdict(set)
    for sample in collection.samples.values():
        if sample["label_source"] == "silver":
            tasks[sample["generator"]].add(attributes_of(sample)["part"])
    every = set().union(*tasks.values())
    lacking = {model: every - tasks[model] for model in sorted(tasks)}
    return "; ".join(f"{model} ({listed(missing)})" for model, missing in lacking.items() if missing)


def verdict_files(folder: Path) -> Iterator[Place]:
    """The files of verdicts in the order of their paths; others are not read."""
    for path in sorted((folder / VERDICTS).glob("*/*/*_hallucination_eval.txt")):
        file = path.relative_to(folder).as_posix()
        if named := FILE.fullmatch(file):
            maker, model, prefix, task = named.groups()
            yield Place(file, maker, model, RENAMED.get(task, task), prefix is not None)


def subjects_of(files: list[Place]) -> dict[tuple[str, str], str]:
    """What each model is called: its folder; with its maker's where two makers have one of that name."""
    models = {(file.maker, file.model) for file in files}
    names = [model for _, model in models]
    return {
        (maker, model): f"{maker}/{model}" if names.count(model) > 1 else model for maker, model in models
    }


def _keep(collection: Collection, file: Place, beside: Beside, row: Row) -> None:
    """A verdict on a reply; raises BadRow where it is none, or stands in the wrong file."""
    task, source_id = row.text("task"), row.text("source_id")
    if RENAMED.get(task, task) != file.task:
        raise BadRow(Reason.CONTRADICTION, f"field 'task' is {task[:40]!r} in a file of {file.task!r}")
    reply = Reply(file.maker, file.model, Task(file.task, source_id))
    beside.judged.add(reply)
    label = classification(row)
    collection.once("the verdict", *reply[:2], *reply.task, row=row)
    if reply.task not in beside.items:
        beside.items[reply.task] = item_of(collection, reply.task, beside.given.get(reply.task))
    collection.sample(
        beside.items[reply.task],
        _text(collection, file, reply, beside, row),
        is_hallucinated=label != CONSISTENT,
        label_source="silver",
        generator=beside.subjects[file.maker, file.model],
        part=file.task,
        unit="/".join(reply.task),
        label=label,
        judge=JUDGE,
        files=f"prefix {JUDGE}" if file.is_prefixed else "no prefix",
        own_judge=True if file.maker == MAKER else None,
    )
    collection.counts[f"n_{label.lower()}"] += 1


def classification(row: Row) -> str:
    """The verdict of a row: its `classification`, which is the first that the judge's reply ends in.

    Where the field is empty it is read from the reply. Raises BadRow where the call failed (`Unknown`), where
    there is none, and where field and reply differ; an unreadable reply was published as Inconsistent and stays so.
    """
    stated, reply = row.optional_text("classification"), row.optional_text("evaluation_response") or ""
    match = FINAL.search(reply)
    in_reply = match[1].capitalize() if match else None
    if stated == FAILED:
        raise BadRow(Reason.UNLABELLED, f"the judge's call failed: {FAILED}")
    if stated is None and in_reply is None:
        raise BadRow(Reason.UNLABELLED, "no verdict in field 'classification', nor in the judge's reply")
    label = label_of(stated or in_reply, LABELS, "field 'classification'")
    if in_reply not in (None, label):
        problem = f"field 'classification' is {label!r}, the reply says {in_reply!r}"
        raise BadRow(Reason.CONTRADICTION, problem)
    return label


def _text(collection: Collection, file: Place, reply: Reply, beside: Beside, row: Row) -> str:
    """The text that was judged. One of `generated_outputs` that differs from it is a reject, and not used."""
    judged, written = row.optional_text("candidate_text") or "", beside.replies.get(reply)
    if not judged.strip():
        return written or ""
    if written is not None and written.strip() != judged.strip():
        what = "the reply in generated_outputs is not the text that was judged; the judged one stands"
        bad = BadRow(Reason.ALTERED, what)
        collection.reject(file.file, bad, row=row.number, target_id=reply.id, text=written)
        collection.counts["n_texts_that_differ"] += 1
    return judged


def _book_unjudged(collection: Collection, beside: Beside) -> None:
    """Book the replies on which there is no verdict; a model without any is no subject."""
    for reply in sorted(beside.replies.keys() - beside.judged):
        bad = BadRow(Reason.UNLABELLED, f"no verdict on the reply of {reply.model!r}")
        collection.reject(VERDICTS, bad, target_id=reply.id, text=beside.replies[reply])
    written = {reply[:2] for reply in beside.replies}
    collection.counts["n_models_without_verdicts"] += len(written - beside.subjects.keys())
