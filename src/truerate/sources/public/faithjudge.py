"""FaithJudge (Tamber et al. 2025): replies of models to given texts, with the verdict of a judge, o3-mini, on
each.

`eval_results/<org>/<model>/[o3-mini_]<set>-<task>_hallucination_eval.txt` holds the verdicts as JSON Lines: a
whole board. A clone also has the replies (`generated_outputs`) and what they rest on (`eval_data`). No
verdict stands on an answer that people labelled, so the judge's own error cannot be computed from these
files.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

from truerate.core.errors import listed
from truerate.core.text import clean
from truerate.sources.collection import Collection, reads
from truerate.sources.cuts import csv_records, json_lines, readable
from truerate.sources.downloads import public_set
from truerate.sources.public.faithbench import UNWANTED, label_in, worst
from truerate.sources.public.ragtruth import (
    FOLDER,
    TEXTS,
    Given,
    given_of,
    keep_answer,
    labels_of,
    slice_files,
)
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
SET = public_set("faithjudge")
WRITTEN = "generated_outputs"
WRITTEN_FILE = re.compile(rf"{WRITTEN}/([^/]+)/([^/]+)/([a-z0-9]+)_([a-z0-9]+)_\d{{8}}_\d{{6}}\.csv")
FAITHBENCH, FAITHBENCH_TASK = f"{FOLDER}/faithbench_summary.jsonl", "faithbench-summary"
TASKS = {  # of verdicts, and the task of their items
    FAITHBENCH_TASK: "summarization",
    "ragtruth-summary": "summarization",
    "ragtruth-qa": "qa",
    "ragtruth-data2txt": "general",
}
COLUMNS = {
    "summary": "summary",
    "qa": "qa_response",
    "data2txt": "overview",
}  # of a reply, by its kind of task
THOUGHT = re.compile(r"^.*?\n</think>\n", re.DOTALL)
N_JUDGED = 131_072  # characters of a reply that the judge was given, its reasoning among them
CALIBRATION = "calibration"  # the purpose of answers that no subject of the board wrote


class Place(NamedTuple):
    """Where a file of verdicts belongs: its path, the model's maker and name, the task, whether it bears the
    prefix.
    """

    file: str
    maker: str
    model: str
    task: str
    is_prefixed: bool


class Task(NamedTuple):
    """A source in a task: what the replies of all models share."""

    name: str
    source_id: str


class Reply(NamedTuple):
    """A model's reply to it."""

    maker: str
    model: str
    task: Task

    @property
    def id(self) -> str:
        """What it is called in rejects."""
        return "/".join((self.maker, self.model, *self.task))


@dataclass
class Beside:
    """What lies beside the verdicts, the names of the subjects, and which replies have been judged."""

    replies: Mapping[Reply, str]
    given: dict[Task, Given]
    subjects: Mapping[tuple[str, str], str]
    judged: set[Reply] = field(default_factory=set)
    items: dict[Task, dict] = field(default_factory=dict)  # all models share them: each is made once


@reads("faithjudge")
def read(collection: Collection) -> None:
    """Read each reply with a verdict as a silver sample, hallucinated where that is Inconsistent or Invalid
    (as the published rates count).

    Attributes: `part`, the task (`faithbench-summary` …); `unit`, the source in it; `files`, the group of
    verdict files; `own_judge` of replies of the judge's own maker, whose models the card names as
    `judges_own`. The text is the judged one, else that of `generated_outputs` less the reasoning before it.
    With texts, people's labelled answers on the same sources are gold samples of purpose `calibration`.
    """
    files = list(verdict_files(collection.folder))
    pattern = f"{VERDICTS}/<org>/<model>/*_hallucination_eval.txt"
    collection.refuse_none(files, "no verdicts of FaithJudge", pattern)
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
        caveat = "Without a verdict in a task, so that their rates over all tasks are of other sources"
        collection.card["caveats"] = [*collection.card["caveats"], f"{caveat} than the others': {lacking}."]


def _lacking(collection: Collection) -> str:
    """The models without a verdict in a task in which another has one, each with those tasks; else empty."""
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
    """Return what each model is called: its folder; with its maker's where two makers have one of that name."""
    models = {(file.maker, file.model) for file in files}
    names = [model for _, model in models]
    return {of: "/".join(of) if names.count(of[1]) > 1 else of[1] for of in models}


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
    """Return the verdict of a row: its `classification`, else the first that the judge's reply ends in.

    Raises BadRow where the call failed (`Unknown`), where there is none, and where field and reply differ; an
    unreadable reply was published as Inconsistent and stays so.
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


# ---- what lies beside the verdicts: replies, their sources, people's labelled answers ----------------------
def replies_in(collection: Collection) -> dict[Reply, str]:
    """The replies of `generated_outputs`, as they were judged; none where the folder is not there.

    Files without rows are counted and hold none. A later file of the same task goes before an earlier one.
    """
    replies: dict[Reply, str] = {}
    for path in sorted((collection.folder / WRITTEN).glob("*/*/*.csv")):
        file = path.relative_to(collection.folder).as_posix()
        if named := WRITTEN_FILE.fullmatch(file):
            maker, model, of, kind = named.groups()
            of_file: dict[Reply, str] = {}
            columns = ("source_id", COLUMNS.get(kind, kind))
            keep = partial(_note, of_file, maker, model, f"{of}-{kind}", columns[1])
            collection.read(file, partial(csv_records, columns=columns), keep, may_be_empty=True)
            collection.counts["n_empty_files"] += not of_file
            replies |= of_file
    return replies


def _note(replies: dict[Reply, str], maker: str, model: str, task: str, column: str, row: Row) -> None:
    reply = Reply(maker, model, Task(task, row.text("source_id")))
    if reply in replies:
        raise BadRow(Reason.DUPLICATE, f"a reply to {reply.task.source_id[:40]!r} was already read")
    replies[reply] = clean(THOUGHT.sub("", row.text(column)[:N_JUDGED]))  # what the judge saw: no reasoning


def sources_in(collection: Collection) -> dict[Task, Given]:
    """Return what the models were given, as far as `eval_data` holds it; a line that is no sound row gives no
    source.
    """
    given: dict[Task, Given] = {}
    files = {file: (f"ragtruth-{part}", part) for file, part in slice_files(collection.folder).items()}
    if (collection.folder / FAITHBENCH).is_file():
        files[FAITHBENCH] = (FAITHBENCH_TASK, "")
    for file, (task, part) in files.items():
        for number, values in readable(json_lines((collection.folder / file).read_bytes())):
            try:
                row = Row(values, number)
                source = Task(task, str(row.get("source_id")))
            except BadRow:
                continue
            given[source] = given_of(part, row) if part else Given(TASKS[task], "", row.text("source"))
    return given


def item_of(collection: Collection, task: Task, given: Given | None) -> dict:
    """The item that all replies to one source share, with its text if it is there; raises BadRow for other
    tasks.
    """
    if task.name not in TASKS:
        problem = f"task {task.name[:40]!r} is not known; allowed: {', '.join(TASKS)}"
        raise BadRow(Reason.UNKNOWN_VALUE, problem)
    return collection.item(
        TASKS[task.name],
        group=("source", task.name, task.source_id),
        question=given.question if given else "",
        document_ids=[collection.document(given.text, licence=TEXTS)] if given else [],
        source_id=task.source_id,
        is_shared=True,
    )


def read_labelled(collection: Collection, given: dict[Task, Given]) -> None:
    """Read people's labelled answers on the same sources as gold samples of purpose `calibration`."""
    for file, part in slice_files(collection.folder).items():
        collection.read(file, json_lines, partial(_keep_answers, collection, file, f"ragtruth-{part}", given))
    if (collection.folder / FAITHBENCH).is_file():
        collection.read(FAITHBENCH, json_lines, partial(_keep_summaries, collection, given))


def _keep_answers(collection: Collection, file: str, name: str, given: dict[Task, Given], row: Row) -> None:
    task = Task(name, str(row.integer("source_id")))
    item = item_of(collection, task, given.get(task))
    for entry in row.items("responses"):
        with collection.part(file, row, text=str(entry)):
            answer = Row(entry, row.number)
            more = {"unit": "/".join(task), "part": task.name, "purpose": CALIBRATION}
            keep_answer(collection, item, answer, labels_of(answer), **more)


def _keep_summaries(collection: Collection, given: dict[Task, Given], row: Row) -> None:
    """The summaries of a source; their annotations are lists, one per annotator."""
    task = Task(FAITHBENCH_TASK, row.text("source_id"))
    item = item_of(collection, task, given.get(task))
    for entry in row.items("summaries"):
        with collection.part(FAITHBENCH, row, text=str(entry)):
            summary = Row(entry, row.number)
            annotations = [Row(mark, row.number) for marks in summary.items("annotations") for mark in marks]
            label = worst(filter(None, map(label_in, annotations)))
            about = {"generator": summary.text("meta_model"), "label": label, "purpose": CALIBRATION}
            about |= {"label_source": "gold", "part": task.name, "unit": "/".join(task)}
            collection.sample(item, summary.text("summary"), is_hallucinated=label == UNWANTED, **about)
