"""The labelled texts of a data set that truerate published: one config for each task, rows joined with what
they are about.

A data set read whole has `data/<config>/<split>-*.parquet`, and the config's name begins with its task; of a
config chosen by `hub.config` the folder holds `<split>-*.parquet` alone. What can be read is told by its
track (`released` of its settings): HaluEval's four tasks; mFAVA's passages to learn from, held out, silver and gold, and
labelled replies; WildHallucinations' labelled facts and replies. Of the tables the replies of
WildHallucinations are read with their facts and the verifier's verdicts (part `replies`, see
`released_replies`); generations, judgements and scores of other boards belong to that board's models and are
not a source.
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
from truerate.sources.collection import Collection, SourceTables
from truerate.sources.cuts import SUFFIX, columns_of, parquet_rows
from truerate.sources.hub import released_replies as replies
from truerate.sources.hub.release import Release, release_in
from truerate.sources.hub.released_replies import ENTITY, FACT, ITEMS, REPLIES, carried
from truerate.sources.rows import BadRow, Reason, Row

NEEDED = ("sample_id", "item_id", "group_id", "lang", "question", "text", "is_hallucinated", "label_source")
CARD = published_card("truerate")
# Attributes that would pass for columns or for those that are set here; and evidence, which names passages of
# documents by their old ids.
NOT_CARRIED = tuple(
    (
        "self item text is_hallucinated label_source task pair_id generator pattern rationale spans evidence "
        "published_split published_id"
    ).split()
)
NAMING = (
    "generation",
    "fact",
    "silver",
    "translated_from",
)  # attributes that name another sample of the data set, by its published id
_SHARD = re.compile(r"(.+?)-\d+-of-\d+")


class Told(NamedTuple):
    """What a file's path says of its rows: task (None if a column says it), split, words on the licence."""

    task: str | None
    split: str
    licence: str


class Known(NamedTuple):
    """What is known while rows are read: the release, its entities by published id, and what its table `items` says of
    each item beyond its columns, by published id.
    """

    release: Release
    entities: dict[str, dict]
    items: dict[str, dict[str, str]]

    def of_item(self, published: str) -> dict[str, str]:
        """The attributes of an item of now, by the id that it was published under."""
        return self.items.get(published, {}) | {"published_id": published}


def read(
    folder: Path, *, name: str, on_bad_row: str, part: str | None = None, config: str | None = None
) -> SourceTables:
    """Each row as a sample of its item; its knowledge is the item's document. Attributes: the row's,
    `published_id`, `published_split`.

    Groups keep their published ids, so that what must not be split stays together, also across sources;
    published splits win. `part` names the one task to read, or `replies`; `config` is the one whose files lie
    in the folder. Raises TruerateError for other tasks, and for configs whose rows have no texts.
    """
    release = release_in(folder, name=name)
    parts = (*release.tasks, *([REPLIES] if ENTITY in release.tasks else []))
    if part is not None and part not in parts:
        raise SettingsError(f"source {name!r}: part {part!r} is not known; allowed: {listed(parts)}")
    configs = _configs(folder, config)
    chosen = _chosen(configs, release, part=part, config=config)
    if REPLIES in parts and (
        part == REPLIES or part is None and ENTITY not in chosen.values() and replies.is_in(configs)
    ):
        collection = _collection(folder, release, configs, configs, name=name, on_bad_row=on_bad_row)
        replies.keep(collection, configs, release)
        return collection.tables()
    if not chosen:
        asked = f"of part {part!r}" if part else "of its tasks"
        there = f"configs in it: {listed(set(filter(None, configs.values())))}; tasks that can be read: {listed(release.tasks)}"
        raise SourceError(f"source {name!r}: no config {asked} in {str(folder)!r}; {there}")
    collection = _collection(folder, release, chosen, configs, name=name, on_bad_row=on_bad_row)
    collection.counts["n_files_of_other_configs"] = len(configs) - len(chosen)
    release_data = Known(release, {}, _attributes_of_items(collection, configs))
    for path, task in sorted(
        chosen.items(), key=lambda entry: (parts.index(entry[1]) if entry[1] else 0, entry[0])
    ):
        file, shard = path.relative_to(folder).as_posix(), _SHARD.fullmatch(path.stem)
        _check_columns(path, task, release, where=f"source {name!r}: {file}")
        context = Told(
            task,
            shard[1] if shard else path.stem,
            release.licences.get(configs[path] or "", collection.card["licence"]),
        )
        keep = _keep_of_entity if ENTITY in release.tasks else _keep
        collection.read(
            file, partial(parquet_rows, needed=NEEDED), partial(keep, collection, release_data, context)
        )
    _name_anew(collection)
    return collection.tables()


def _configs(folder: Path, config: str | None) -> dict[Path, str | None]:
    """The files of a folder, each with its config: the folder that it lies in, else the one that was named."""
    base = folder / "data" if (folder / "data").is_dir() else folder
    return {
        path: path.parent.name if path.parent != base else config
        for path in sorted(base.glob(f"**/*{SUFFIX}"))
    }


def _chosen(
    configs: Mapping[Path, str | None], release: Release, *, part: str | None, config: str | None
) -> dict[Path, str | None]:
    """The files that hold rows of the part, or of any task where none is named, with their task.

    Files of one config lie in no folder of its name: what they hold is said by its name, else by the part or
    a column.
    """
    tasks = {
        path: _task(config_name, release) or (part if config_name == config else None)
        for path, config_name in configs.items()
    }
    return {
        path: task
        for path, task in tasks.items()
        if part in (None, task) and (task or configs[path] == config)
    }


def _task(config: str | None, release: Release) -> str | None:
    """The task of a config: its name, or what stands before the licence in it."""
    return next(
        (task for task in release.tasks if config == task or (config or "").startswith(f"{task}-")), None
    )


def _collection(
    folder: Path,
    release: Release,
    chosen: Iterable[Path],
    configs: Mapping[Path, str | None],
    *,
    name: str,
    on_bad_row: str,
) -> Collection:
    """A collection under the licences of the configs that are read."""
    words = list(
        dict.fromkeys(release.licences[configs[path]] for path in chosen if configs[path] in release.licences)
    )
    licence = {"licence": "; ".join(words)} if words else {}
    card = CARD | release.card | licence
    return Collection(folder, name=name, on_bad_row=on_bad_row, card=card, is_own=True)


def _check_columns(path: Path, task: str | None, release: Release, *, where: str) -> None:
    """Raise TruerateError where the rows have no texts, or nothing says which task they are of."""
    try:
        columns = columns_of(path)
    except BadRow as bad:
        raise SourceError(f"{where}: {bad.detail}; put a sound file there") from None
    if "text_sha256" in columns and "text" not in columns:
        advice = "rebuild the texts as the data set's rebuild/REBUILD.md says, and read the source that they come from"
        raise SourceError(f"{where}: its rows are ids and labels without texts; {advice}")
    if task is None and "task" not in columns:
        raise SourceError(
            f"{where}: nothing says of which task its rows are; name it as `part`: {listed(release.tasks)}"
        )


# ---- rows --------------------------------------------------------------------------------------------------
def _attributes_of_items(
    collection: Collection, configs: Mapping[Path, str | None]
) -> dict[str, dict[str, str]]:
    """The attributes of each item in table `items` by published id; empty if one config was fetched alone."""
    attributes: dict[str, dict[str, str]] = {}

    def note(row: Row) -> None:
        attributes[row.text("item_id")] = carried(row, but=NAMING)

    for path in (path for path, config in configs.items() if config == ITEMS):
        collection.read(path.relative_to(collection.folder).as_posix(), parquet_rows, note)
    return attributes


def _keep(collection: Collection, release_data: Known, context: Told, row: Row) -> None:
    """A labelled text of an item whose document is its knowledge."""
    sample = _sample(row, context)
    knowledge = row.optional_text("knowledge")
    task = context.task or row.choice("task", release_data.release.tasks)
    collection.once("the sample", task, sample["published_id"], row=row)
    item = collection.item(
        task,
        group_id=row.text("group_id"),
        lang=row.language(),
        question=row.optional_text("question") or "",
        history=row.optional_text("history") or "",
        right_answer=row.optional_text("right_answer"),
        document_ids=[collection.document(knowledge, lang=row.language(), licence=context.licence)]
        if knowledge
        else [],
        is_shared=True,
        **release_data.of_item(row.text("item_id")),
    )
    collection.sample(item, **sample)


def _keep_of_entity(collection: Collection, release_data: Known, context: Told, row: Row) -> None:
    """Keep a labelled reply about an entity or one of its facts; its knowledge is evidence of its own."""
    sample, knowledge, published = _sample(row, context), row.optional_text("knowledge"), row.text("item_id")
    task = context.task or row.choice("task", release_data.release.tasks)
    collection.once("the sample", task, sample["published_id"], row=row)
    if published not in release_data.entities:
        about = {
            "group_id": row.text("group_id"),
            "lang": row.language(),
            "question": row.optional_text("question") or "",
        }
        release_data.entities[published] = collection.item(ENTITY, **about, **release_data.of_item(published))
    if knowledge:
        document = collection.document(knowledge, lang=row.language(), licence=context.licence)
        documents = release_data.entities[published]["document_ids"]
        documents += [] if document in documents else [document]
        sample |= {"evidence": passage_name(document, 0, len(knowledge))} if task == FACT else {}
    collection.sample(release_data.entities[published], task=task, **sample)


def _sample(row: Row, context: Told) -> dict:
    """The columns and attributes of a labelled text."""
    attributes = {Row(pair, row.number).text("key"): pair.get("value") for pair in _list(row, "attributes")}
    text, is_hallucinated = row.text("text"), row.get("is_hallucinated")
    if not isinstance(is_hallucinated, bool):
        raise BadRow(
            Reason.WRONG_TYPE, f"field 'is_hallucinated' must be true or false, not {is_hallucinated!r}"
        )
    return {
        "text": text,
        "is_hallucinated": is_hallucinated,
        "label_source": row.choice("label_source", tuple(LABEL_SOURCES)),
        "spans": [_span(Row(span, row.number), text) for span in _list(row, "spans")],
        **{column: row.optional_text(column) for column in ("pair_id", "generator", "pattern", "rationale")},
        "published_id": row.text("sample_id"),
        "published_split": context.split,
        **{key: value for key, value in attributes.items() if key not in NOT_CARRIED},
    }


def _name_anew(collection: Collection) -> None:
    """Attributes that name a sample of the data set name it by its id of now; where it was not read, they go."""
    samples = list(collection.samples.values())
    attributes_of_samples = [unpaired(sample["attributes"]) for sample in samples]
    new = {
        attributes["published_id"]: sample["sample_id"]
        for attributes, sample in zip(attributes_of_samples, samples, strict=True)
    }
    for attributes, sample in zip(attributes_of_samples, samples, strict=True):
        if not attributes.keys().isdisjoint(NAMING):
            sample["attributes"] = pairs(
                **attributes | {key: new.get(attributes[key]) for key in NAMING if key in attributes}
            )


def _list(row: Row, field: str) -> list:
    return row.items(field) if row.values.get(field) is not None else []


def _span(span: Row, text: str) -> dict:
    start, end, p = span.integer("start"), span.integer("end"), span.values.get("p")
    if not isinstance(p, float | None):
        raise BadRow(Reason.WRONG_TYPE, f"a span's field 'p' must be a number, not {p!r}")
    if not 0 <= start < end <= len(text):
        raise BadRow(
            Reason.OUT_OF_RANGE, f"span {start}–{end} does not lie within the text of {len(text)} characters"
        )
    return {"start": start, "end": end, "type": span.optional_text("type"), "p": p}
