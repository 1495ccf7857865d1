"""The labelled texts of a data set that truerate published: one config for each task, rows joined with their
items.

A data set read whole has `data/<config>/<split>-*.parquet`, and the config's name begins with its task; of a
config chosen by `hub.config` the folder holds `<split>-*.parquet` alone. Its track says what can be read
(`released` of its settings): HaluEval's four tasks; mFAVA's passages to train on, held out, silver and gold,
and labelled replies; WildHallucinations' labelled facts and replies, also with the verifier's verdicts (part
`replies`, see `released_replies`). Other generations, judgements and scores belong to that board's models and
are no source.
"""

import re
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from truerate.core.errors import SettingsError, SourceError, listed
from truerate.core.schemas import LABEL_SOURCES, pairs, unpaired
from truerate.core.text import passage_name
from truerate.sources.cards import published_card
from truerate.sources.collection import Collection
from truerate.sources.cuts import SUFFIX, parquet_rows
from truerate.sources.hub import released_replies as replies
from truerate.sources.hub.files import Release, checked_columns, release_in
from truerate.sources.hub.released_replies import ENTITY, FACT, ITEMS, REPLIES, carried
from truerate.sources.rows import BadRow, Reason, Row, span
from truerate.sources.tables import BETWEEN, SourceTables, with_task_rights

NEEDED = ("sample_id", "item_id", "group_id", "lang", "question", "text", "is_hallucinated", "label_source")
CARD = published_card("truerate")
# Attributes that would pass for columns or for those that are set here; and evidence, which names old
# documents.
NOT_CARRIED = """
    self item text is_hallucinated label_source task pair_id generator pattern rationale spans evidence
    published_split published_id
""".split()
# attributes that name another sample of the data set, by its published id
NAMING = ("generation", "fact", "silver", "translated_from")
_SHARD = re.compile(r"(.+?)-\d+-of-\d+")
Configs = Mapping[Path, str | None]  # the files of a folder, each with its config


class Context(NamedTuple):
    """What rows of one file are read with: its task (None if a column says it), split and words on the
    licence, the release, its entities, and the attributes of each item of its table `items`, both by
    published id.
    """

    task: str | None
    split: str
    licence: str
    release: Release
    entities: dict[str, dict]
    items: dict[str, dict[str, str]]

    def of_item(self, published: str) -> dict[str, str]:
        """The attributes of the item that was published under an id."""
        return self.items.get(published, {}) | {"published_id": published}


def read(
    folder: Path, *, name: str, on_bad_row: str, part: str | None = None, config: str | None = None
) -> SourceTables:
    """Read each row as a sample of its item, whose document is the row's knowledge. Attributes: the row's,
    `published_id`, `published_split`.

    Groups keep their published ids, so that what must not be split stays together, also across sources;
    published splits win. `part` names the one task to read, or `replies`; `config` is the one whose files lie
    in the folder. Raises TruerateError for other tasks, and for configs whose rows have no texts.
    """
    release = release_in(folder, name=name)
    parts = (*release.tasks, *([REPLIES] if ENTITY in release.tasks else []))
    if part is not None and part not in parts:
        raise SettingsError(f"source {name!r}: part {part!r} is not known; allowed: {listed(parts)}")
    base = folder / "data" if (folder / "data").is_dir() else folder
    paths = sorted(base.glob(f"**/*{SUFFIX}"))
    configs = {path: path.parent.name if path.parent != base else config for path in paths}
    chosen = _chosen(configs, release, part=part, config=config)
    start = partial(_collection, folder, release, configs, name=name, on_bad_row=on_bad_row)
    by_default = part is None and ENTITY not in chosen.values() and replies.is_in(configs)
    if REPLIES in parts and (part == REPLIES or by_default):
        collection = start(configs)
        replies.keep(collection, configs, release)
        return collection.tables()
    if not chosen:
        what = f"no config {f'of part {part!r}' if part else 'of its tasks'} in {str(folder)!r}"
        there = f"configs in it: {listed(set(filter(None, configs.values())))}"
        raise SourceError(
            f"source {name!r}: {what}; {there}; tasks that can be read: {listed(release.tasks)}"
        )
    collection = start(chosen)
    collection.counts["n_files_of_other_configs"] = len(configs) - len(chosen)
    entities, items = dict[str, dict](), _attributes_of_items(collection, configs)
    keep = _keep_of_entity if ENTITY in release.tasks else _keep
    ranks = {task: rank for rank, task in enumerate(parts)}
    for path, task in sorted(chosen.items(), key=lambda entry: (ranks.get(entry[1], 0), entry[0])):
        file, shard = path.relative_to(folder).as_posix(), _SHARD.fullmatch(path.stem)
        columns = checked_columns(path, f"source {name!r}: {file}")
        if task is None and "task" not in columns:
            advice = f"name it as `part`: {listed(release.tasks)}"
            raise SourceError(f"source {name!r}: {file}: nothing says of which task its rows are; {advice}")
        licence = release.licences.get(configs[path] or "", collection.card["licence"])
        split = shard[1] if shard else path.stem
        context = Context(task, split, licence, release, entities, items)
        cut = partial(parquet_rows, needed=NEEDED)
        collection.read(file, cut, partial(keep, collection, context))
    _name_anew(collection)
    return _with_licences(collection.tables(), chosen, configs, release)


def _with_licences(tables: SourceTables, chosen: Configs, configs: Configs, release: Release) -> SourceTables:
    """The tables with a card that says the licence of each task where they differ (`with_task_rights`)."""
    words: dict[str, dict[str, None]] = {}
    for path, task in chosen.items():
        if task in {*tables.items["task"]} and (licence := release.licences.get(configs[path] or "")):
            words.setdefault(str(task), {})[licence] = None
    of_tasks = {task: {"licence": BETWEEN.join(licences)} for task, licences in words.items()}
    is_one = len({rights["licence"] for rights in of_tasks.values()}) <= 1
    return tables if is_one else with_task_rights(tables, of_tasks)


vars(read).update(card=CARD)


def _chosen(configs: Configs, release: Release, *, part: str | None, config: str | None) -> Configs:
    """The files that hold rows of the part, or of any task where none is named, with their task: the name of
    their config, or what stands before the licence in it; where one config was fetched alone, else the part
    or a column says it.
    """
    chosen = {}
    for path, name in configs.items():
        if part is None and name is not None and name.endswith("-ids"):
            continue  # of a set that goes out in part: texts are withheld there
        named = (task for task in release.tasks if f"{name}-".startswith(f"{task}-"))
        task = next(named, part if name == config else None)
        if part in (None, task) and (task or name == config):
            chosen[path] = task
    return chosen


def _collection(
    folder: Path, release: Release, configs: Configs, chosen: Iterable[Path], *, name: str, on_bad_row: str
) -> Collection:
    """A collection under the licences of the configs that are read."""
    named = [configs[path] for path in chosen if configs[path] in release.licences]
    words = dict.fromkeys(release.licences[name] for name in named if name)
    card = CARD | release.card | ({"licence": "; ".join(words)} if words else {})
    return Collection(folder, name=name, on_bad_row=on_bad_row, card=card, is_own=True)


# ---- rows --------------------------------------------------------------------------------------------------
def _attributes_of_items(collection: Collection, configs: Configs) -> dict[str, dict[str, str]]:
    """The attributes of each item in table `items` by published id; empty if one config was fetched alone."""
    attributes: dict[str, dict[str, str]] = {}

    def note(row: Row) -> None:
        attributes[row.text("item_id")] = carried(row, but=NAMING)

    for path in (path for path, config in configs.items() if f"{config}-".startswith(f"{ITEMS}-")):
        collection.read(path.relative_to(collection.folder).as_posix(), parquet_rows, note)
    return attributes


def _started(collection: Collection, context: Context, row: Row) -> tuple[str, dict, str | None, dict]:
    """Return what both kinds of row begin with: task, sample, document id, and the columns of the item."""
    sample, knowledge = _sample(row, context), row.optional_text("knowledge")
    task = context.task or row.choice("task", context.release.tasks)
    collection.once("the sample", task, sample["published_id"], row=row)
    about = {"group_id": row.text("group_id"), "lang": row.language()}
    about |= {"question": row.optional_text("question") or ""}
    more = {"lang": row.language(), "licence": context.licence}
    return task, sample, collection.document(knowledge, **more) if knowledge else None, about


def _keep(collection: Collection, context: Context, row: Row) -> None:
    """A labelled text of an item whose document is its knowledge."""
    task, sample, document, about = _started(collection, context, row)
    item = collection.item(
        task,
        history=row.optional_text("history") or "",
        right_answer=row.optional_text("right_answer"),
        document_ids=[document] if document else [],
        is_shared=True,
        **about,
        **context.of_item(row.text("item_id")),
    )
    collection.sample(item, **sample)


def _keep_of_entity(collection: Collection, context: Context, row: Row) -> None:
    """Keep a labelled reply about an entity or one of its facts; its knowledge is evidence of its own."""
    task, sample, document, about = _started(collection, context, row)
    entities, published = context.entities, row.text("item_id")
    if published not in entities:
        entities[published] = collection.item(ENTITY, **about, **context.of_item(published))
    if document:
        documents = entities[published]["document_ids"]
        documents += [] if document in documents else [document]
        if task == FACT:
            sample["evidence"] = passage_name(document, 0, len(row.text("knowledge")))
    collection.sample(entities[published], task=task, **sample)


def _sample(row: Row, context: Context) -> dict:
    """The columns and attributes of a labelled text."""
    attributes, text, is_hallucinated = row.attributes(), row.text("text"), row.truth("is_hallucinated")
    spans = row.rows("spans") if row.values.get("spans") is not None else []
    return {
        "text": text,
        "is_hallucinated": is_hallucinated,
        "label_source": row.choice("label_source", tuple(LABEL_SOURCES)),
        "spans": [_span(mark, text) for mark in spans],
        **{column: row.optional_text(column) for column in ("pair_id", "generator", "pattern", "rationale")},
        "published_id": row.text("sample_id"),
        "published_split": context.split,
        **{key: value for key, value in attributes.items() if key not in NOT_CARRIED},
    }


def _span(mark: Row, text: str) -> dict:
    start, end, p = mark.integer("start"), mark.integer("end"), mark.values.get("p")
    if not isinstance(p, float | None):
        raise BadRow(Reason.WRONG_TYPE, f"a span's field 'p' must be a number, not {p!r}")
    if not 0 <= start < end <= len(text):
        problem = f"span {start}–{end} does not lie within the text of {len(text)} characters"
        raise BadRow(Reason.OUT_OF_RANGE, problem)
    return span(start, end, mark.optional_text("type"), p)


def _name_anew(collection: Collection) -> None:
    """Let attributes that name a sample of the data set name it by its new id; where it was not read, they
    go.
    """
    samples = [(sample, unpaired(sample["attributes"])) for sample in collection.samples.values()]
    new = {attributes["published_id"]: sample["sample_id"] for sample, attributes in samples}
    for sample, attributes in samples:
        if renamed := {key: new.get(attributes[key]) for key in NAMING if key in attributes}:
            sample["attributes"] = pairs(**attributes | renamed)
