"""What a clone of FaithJudge holds beside verdicts: replies, their sources, people's labelled answers."""

import re
from functools import partial
from typing import NamedTuple

from truerate.core.text import clean
from truerate.sources.collection import Collection
from truerate.sources.cuts import csv_records, json_lines
from truerate.sources.public.faithbench import UNWANTED, label_in, worst
from truerate.sources.public.ragtruth_answers import (
    FOLDER,
    TEXTS,
    Given,
    given_of,
    keep_answer,
    labels_of,
    slice_files,
)
from truerate.sources.rows import BadRow, Reason, Row

WRITTEN = "generated_outputs"
FILE = re.compile(rf"{WRITTEN}/([^/]+)/([^/]+)/([a-z0-9]+)_([a-z0-9]+)_\d{{8}}_\d{{6}}\.csv")
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
}  # a reply's, by its kind of task
THOUGHT = re.compile(r"^.*?\n</think>\n", re.DOTALL)
N_JUDGED = 131_072  # characters of a reply that the judge was given, its reasoning among them
CALIBRATION = "calibration"  # the purpose of answers that no subject of the board wrote


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


def judged_part(text: str) -> str:
    """What the judge saw of a reply: what stands behind its reasoning."""
    return clean(THOUGHT.sub("", text[:N_JUDGED]))


def replies_in(collection: Collection) -> dict[Reply, str]:
    """The replies of `generated_outputs`, as they were judged; none where the folder is not there.

    Files without rows are counted and hold none. A later file of the same task goes before an earlier one.
    """
    replies: dict[Reply, str] = {}
    for path in sorted((collection.folder / WRITTEN).glob("*/*/*.csv")):
        file = path.relative_to(collection.folder).as_posix()
        if named := FILE.fullmatch(file):
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
    replies[reply] = judged_part(row.text(column))


def sources_in(collection: Collection) -> dict[Task, Given]:
    """What the models were given, as far as `eval_data` holds it; a line that is no sound row gives no source."""
    given: dict[Task, Given] = {}
    of_ragtruth = {file: (f"ragtruth-{part}", part) for file, part in slice_files(collection.folder).items()}
    of_all = of_ragtruth | (
        {FAITHBENCH: (FAITHBENCH_TASK, "")} if (collection.folder / FAITHBENCH).is_file() else {}
    )
    for file, (task, part) in of_all.items():
        for number, make in json_lines((collection.folder / file).read_bytes()):
            try:
                row = Row(make(), number)
                source = Task(task, str(row.get("source_id")))
            except BadRow:
                continue
            given[source] = given_of(part, row) if part else Given(TASKS[task], "", row.text("source"))
    return given


def item_of(collection: Collection, task: Task, given: Given | None) -> dict:
    """The item that all replies to one source share, with its text where that is there. Raises BadRow for a task that is
    none of those that verdicts have.
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
