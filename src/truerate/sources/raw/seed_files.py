"""Seed data of HaluEval in their public formats, each alone or whichever of them a folder holds, as one source."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from truerate.core.errors import SourceError, listed
from truerate.core.process.terminal import say
from truerate.sources.collection import Collection, reads
from truerate.sources.cuts import csv_records, json_lines, json_list, parquet_rows, parse, whole_text
from truerate.sources.downloads import Download, Form, forms_in, looked_for, one_of, read_download
from truerate.sources.hub.files import NO_DATA
from truerate.sources.papers.halueval import keep_answer
from truerate.sources.rows import BadRow, Reason, Row, texts, titled
from truerate.sources.tables import SourceTables, join

# ---- HotpotQA (Yang et al. 2018): questions over two Wikipedia paragraphs, among distractors ----------------
HOTPOT_FILES = {"hotpotqa.json": "", "hotpot_train_v1.1.json": "train"} | dict.fromkeys(
    ("hotpot_dev_distractor_v1.json", "hotpot_dev_fullwiki_v1.json"), "validation"
)
HOTPOT_COLUMNS = ("question", "answer", "type", "level", "supporting_facts", "context")
HOTPOTQA = Download("HotpotQA", HOTPOT_FILES, columns=HOTPOT_COLUMNS, has_splits=True)
HOTPOT_TYPES = ("bridge", "comparison")


@reads("hotpotqa")
def read_hotpotqa(collection: Collection, split: str | None = None, knowledge: str = "paragraphs") -> None:
    """Read questions as items; every paragraph is a document, the supporting ones are the item's knowledge:
    whole, or (`knowledge` sentences) their supporting sentences alone, as HaluEval was published.

    The publishers' JSON and the Hub's Parquet, which has lists by field in the place of pairs, give the same.
    """
    keep = partial(_keep_question, collection, knowledge == "sentences")
    read_download(collection, HOTPOTQA, json_list, keep, split=split)


def _keep_question(collection: Collection, has_sentences: bool, row: Row) -> None:
    question, answer = row.text("question").strip(), row.text("answer").strip()
    kind = row.choice("type", HOTPOT_TYPES)
    context = enumerate(_pairs(row, "context", "sentences"), 1)
    sentences = dict(_paragraph(entry, f"field 'context', entry {number}") for number, entry in context)
    facts = enumerate(_pairs(row, "supporting_facts", "sent_id"), 1)
    named = [titled(fact, f"field 'supporting_facts', entry {number}") for number, fact in facts]
    supporting = list(dict.fromkeys(title for title, _ in named))
    if not supporting:
        raise BadRow(Reason.EMPTY_FIELD, "field 'supporting_facts' is empty")
    if foreign := [title for title in supporting if title not in sentences]:
        problem = f"supporting fact {foreign[0][:60]!r} is no paragraph of field 'context'"
        raise BadRow(Reason.UNRESOLVED, problem)
    if has_sentences:
        of_question = _supporting_sentences(sentences, named)
        supporting, sentences = list(of_question), sentences | of_question
    paragraphs = {title: " ".join(filter(None, parts)) for title, parts in sentences.items()}
    level, published_id = row.optional_text("level"), row.optional_text("_id") or row.optional_text("id")
    ids = {title: collection.document(text, title=title) for title, text in paragraphs.items()}
    collection.item(
        "qa",
        question=question,
        right_answer=answer,
        document_ids=[ids[title] for title in supporting],
        group=("entity", supporting[0]),
        type=kind,
        level=level,
        published_id=published_id,
    )


def _pairs(row: Row, field: str, second: str) -> list:
    """The pairs of a field: a list of them, or an object of two lists, `title` and another, as on the Hub."""
    if not isinstance(row.get(field), dict):
        return row.items(field)
    columns = row.row(field)
    titles, more = columns.items("title"), columns.items(second)
    if len(titles) != len(more):
        raise BadRow(Reason.WRONG_TYPE, f"field {field!r}: 'title' and {second!r} must be of one length")
    return [list(pair) for pair in zip(titles, more, strict=True)]


def _paragraph(entry: object, what: str) -> tuple[str, list[str]]:
    """Title and sentences of a context paragraph, without the blanks that the published ones begin with."""
    title, sentences = titled(entry, what)
    parts = [part.strip() for part in texts(sentences, f"{what}, its sentences")]
    if not any(parts):
        raise BadRow(Reason.EMPTY_FIELD, f"{what} has no sentence")
    return title, parts


def _supporting_sentences(
    sentences: Mapping[str, list[str]], named: Iterable[tuple[str, object]]
) -> dict[str, list[str]]:
    """Return by title the sentences that supporting facts name, in the paragraph's order. A number behind the
    paragraph's last sentence, as some published facts have, names nothing. Raises BadRow where none is named.
    """
    numbers_of: dict[str, set[int]] = {}
    for title, number in named:
        if not isinstance(number, int) or isinstance(number, bool) or number < 0:
            problem = f"field 'supporting_facts': {number!r} is no sentence of {title[:60]!r}"
            raise BadRow(Reason.WRONG_TYPE, problem)
        numbers_of.setdefault(title, set()).add(number)
    kept = {
        title: [text for number, text in enumerate(sentences[title]) if number in numbers and text]
        for title, numbers in numbers_of.items()
    }
    if not any(kept.values()):
        raise BadRow(Reason.UNRESOLVED, "field 'supporting_facts' names no sentence of field 'context'")
    return {title: parts for title, parts in kept.items() if parts}


# ---- OpenDialKG (Moon et al. 2019): an assistant walks a path in a knowledge graph --------------------------
OPENDIALKG = Download(
    "OpenDialKG", {"opendialkg.csv": "", "data/opendialkg.csv": ""}
)  # the latter: in a clone
DIALOGUE_COLUMNS = ("Messages", "User Rating", "Assistant Rating")
WALK = "kgwalk/choose_path"
SPEAKERS = {"user": "[Human]", "assistant": "[Assistant]"}


@dataclass
class Dialogue:
    """The turns of a conversation, and for each path walked its turn, main entity and text."""

    turns: list[tuple[str, str]] = field(default_factory=list)
    paths: list[tuple[int, str, str]] = field(default_factory=list)


@reads("opendialkg")
def read_opendialkg(collection: Collection) -> None:
    """One item per conversation: the last answer of the assistant, on the knowledge walked up to it."""
    read_download(
        collection,
        OPENDIALKG,
        partial(csv_records, columns=DIALOGUE_COLUMNS),
        partial(_keep_dialogue, collection),
    )


def _keep_dialogue(collection: Collection, row: Row) -> None:
    dialogue = _dialogue(row)
    index = _answer(dialogue.turns)
    walked = [(entity, text) for before, entity, text in dialogue.paths if before <= index]
    if not walked:
        raise BadRow(Reason.NO_KNOWLEDGE, "no knowledge path before the last answer")
    main, knowledge = walked[0][0], "\n".join(dict.fromkeys(text for _, text in walked))
    ratings = {f"{who}_rating": row.optional_text(f"{who.title()} Rating") for who in SPEAKERS}
    collection.item(
        "dialogue",
        history="\n".join(f"{SPEAKERS[sender]}: {text}" for sender, text in dialogue.turns[: index - 1]),
        question=dialogue.turns[index - 1][1],
        right_answer=dialogue.turns[index][1],
        document_ids=[collection.document(knowledge, title=main)],
        group=("entity", main),
        **ratings,
    )


def _dialogue(row: Row) -> Dialogue:
    """The turns and paths of a `Messages` cell; actions other than walks say nothing that is known."""
    cell = row.text("Messages")
    try:
        messages = parse(cell)
    except BadRow as bad:
        raise BadRow(bad.reason, f"field 'Messages' is {bad.detail}") from None
    if not isinstance(messages, list):
        raise BadRow(Reason.WRONG_TYPE, "field 'Messages' must be a JSON list")
    dialogue = Dialogue()
    for number, values in enumerate(messages, 1):
        try:
            message = Row(values, number)
            if message.choice("type", ("chat", "action")) == "chat":
                sender, text = message.choice("sender", tuple(SPEAKERS)), message.text("message")
                dialogue.turns.append((sender, " ".join(text.split())))
            elif message.optional_text("action_id") == WALK:
                dialogue.paths.append((len(dialogue.turns), *_path(message.row("metadata"))))
        except BadRow as bad:
            raise BadRow(bad.reason, f"field 'Messages', entry {number}: {bad.detail}") from None
    return dialogue


def _path(metadata: Row) -> tuple[str, str]:
    """Main entity and text of `[score, [[subject, relation, object], …], text]`, else its triples joined."""
    path = metadata.items("path")
    if len(path) < 2 or not isinstance(path[1], list) or not path[1]:
        problem = "field 'path' must be [score, [[subject, relation, object], …], text]"
        raise BadRow(Reason.WRONG_TYPE, problem)
    triples = [texts(triple, "field 'path', a triple") for triple in path[1]]
    if any(len(triple) != 3 for triple in triples):
        raise BadRow(Reason.WRONG_TYPE, "field 'path', a triple: must be [subject, relation, object]")
    rendered = "".join(texts(path[2:3], "field 'path', its text")).strip()
    return triples[0][0], rendered or ". ".join(" ".join(triple) for triple in triples)


def _answer(turns: list[tuple[str, str]]) -> int:
    """Place of the last assistant turn that follows a user turn."""
    for index in range(len(turns) - 1, 0, -1):
        if turns[index][0] == "assistant" and turns[index - 1][0] == "user":
            return index
    raise BadRow(Reason.NO_EXCHANGE, "no assistant turn follows a user turn")


# ---- CNN/DailyMail (Hermann et al. 2015, See et al. 2017): stories with highlights --------------------------
FOLDERS = ("stories", "cnn/stories", "dailymail/stories")  # the last two: as the two archives unpack
LISTS = {
    "train": "url_lists/all_train.txt",
    "validation": "url_lists/all_val.txt",
    "test": "url_lists/all_test.txt",
}
STORY = ".story"
STORIES = tuple(f"{folder}/*{STORY}" for folder in FOLDERS)
CNN_DAILYMAIL = Download(
    "CNN/DailyMail", dict.fromkeys(STORIES, ""), columns=("article", "highlights"), has_splits=True
)
MARK = "@highlight"


def _forms_of_news(folder: Path, split: str | None = None) -> list[Form]:
    """Return what a folder holds: story files together, their split by a list of addresses; Parquet."""
    stories = tuple(pattern for pattern in STORIES if any(folder.glob(pattern)))
    is_listed = split is not None and (folder / LISTS[split]).is_file()
    form = Form(", ".join(stories), str(split) if is_listed else "", stories)
    return ([form] if stories else []) + forms_in(folder, CNN_DAILYMAIL)


@reads("cnn_dailymail")
def read_cnn_dailymail(collection: Collection, split: str | None = None) -> None:
    """Read stories as documents to summarise; the highlights, one per line, are the right summary.

    Of a `split` the stories whose names are SHA-1 digests of the addresses in its list are read.
    """
    folder, name = collection.folder, collection.name
    present = _forms_of_news(folder, split)
    has_stories = bool(present) and set(present[0].files) <= set(STORIES)
    if split and has_stories and not any(form.split == split for form in present):
        advice = f"put {LISTS[split]} there (of github.com/abisee/cnn-dailymail), or take `split` away"
        raise SourceError(f"source {name!r}: the stories in {str(folder)!r} name no split; {advice}")
    files = one_of(present, CNN_DAILYMAIL, folder, name=name, split=split)
    if not set(files) <= set(STORIES):
        for file in files:
            collection.read(file, parquet_rows, partial(_keep_article, collection))
        return
    # the names of the stories of a list of addresses
    addresses = (folder / LISTS[split]).read_text("utf-8").split() if split else []
    wanted = {hashlib.sha1(address.encode()).hexdigest() for address in addresses}
    for path in (path for pattern in files for path in sorted(folder.glob(pattern))):
        if split is None or path.stem in wanted:
            file = path.relative_to(folder).as_posix()
            collection.read(file, whole_text, partial(_keep_story, collection, path.stem))
    collection.fold_files(", ".join(files))


def _keep_article(collection: Collection, row: Row) -> None:
    """A row of the Hub's Parquet: highlights stand in one text, one per line."""
    article, highlights = row.text("article", may_be_empty=True), row.text("highlights")
    _add_article(collection, article, highlights.splitlines(), title=row.optional_text("id") or "")


def _keep_story(collection: Collection, title: str, row: Row) -> None:
    article, *highlights = row.text("text").split(MARK)
    _add_article(collection, article, highlights, title=title)


def _add_article(collection: Collection, article: str, highlights: list[str], *, title: str) -> None:
    article, highlights = article.strip(), [" ".join(text.split()) for text in highlights if text.strip()]
    if not article:
        raise BadRow(Reason.NO_KNOWLEDGE, "no article beside the highlights")  # so are 114 published stories
    if not highlights:
        raise BadRow(Reason.MISSING_FIELD, f"no {MARK!r} with a sentence after the article")
    collection.item(
        "summarization",
        right_answer="\n".join(highlights),
        document_ids=[collection.document(article, title=title)],
        group=("document", article),
        published_id=title or None,  # where to find the article again
    )


# ---- Stanford Alpaca (Taori et al. 2023): instructions, as general queries ----------------------------------
ALPACA = Download(
    "Stanford Alpaca", {"alpaca.json": "", "alpaca_data.json": ""}, columns=("instruction", "input", "output")
)


@reads("alpaca")
def read_alpaca(collection: Collection) -> None:
    """Instructions with their input as general queries; there is no right answer (`output` is a model's)."""
    read_download(collection, ALPACA, json_list, partial(_keep_query, collection))


def _keep_query(collection: Collection, row: Row) -> None:
    parts = (row.text("instruction").strip(), row.text("input", may_be_empty=True).strip())
    row.text("output", may_be_empty=True)
    query = "\n".join(part for part in parts if part)
    collection.item("general", question=query, group=("query", query))


# ---- screening probes ---------------------------------------------------------------------------------------
PROBES = "general_probe.jsonl"


@reads("probes")
def read_probes(collection: Collection) -> None:
    """Probes as items and gold samples, both with the attribute `is_probe`."""
    keep = partial(keep_answer, collection, "query", "response", is_probe=True)
    collection.read(PROBES, json_lines, keep)


# ---- a folder of any of them --------------------------------------------------------------------------------
FORMATS: tuple[tuple[Download, Callable[..., SourceTables]], ...] = (
    (HOTPOTQA, read_hotpotqa),
    (OPENDIALKG, read_opendialkg),
    (CNN_DAILYMAIL, read_cnn_dailymail),
    (ALPACA, read_alpaca),
)
DOWNLOADS = [download for download, _ in FORMATS]
# how files end that may hold rows, or an archive that nobody has unpacked
DATA = (".json", ".jsonl", ".csv", ".tsv", ".gz", ".tgz", ".tar", ".zip", ".zst")


def read(
    folder: Path, *, name: str, on_bad_row: str, split: str | None = None, knowledge: str = "paragraphs"
) -> SourceTables:
    """Join the tables of every format in a folder; of one that is published in splits, the split that is
    named. `knowledge` of HotpotQA's questions (`read_hotpotqa`).

    Files under names that no publisher uses are reported. Raises SourceError where no format is there, or one
    in several files.
    """
    if knowledge == "sentences" and not HOTPOTQA.is_in(folder):
        advice = "put its file there, or take `knowledge` away"
        raise SourceError(
            f"source {name!r}: `knowledge` is of HotpotQA, which is not in {str(folder)!r}; {advice}"
        )
    options = {"name": name, "on_bad_row": on_bad_row}
    tables = []
    for download, read_format in FORMATS:
        if download.is_in(folder):
            more = {"split": split} if download.has_splits else {}
            more |= {"knowledge": knowledge} if download is HOTPOTQA else {}
            tables.append(read_format(folder, **options, **more))
    if (folder / PROBES).exists():
        tables.append(read_probes(folder, **options))
    if not tables:
        names = f"{looked_for(DOWNLOADS)}; or {PROBES}"
        raise SourceError(f"source {name!r}: no seed file in {str(folder)!r}; looked for: {names}")
    if passed_over := strange(folder):
        where = f"source {name!r}: not read in {str(folder)!r}"
        say(f"{where}, for no format has such names: {listed(passed_over)}")
    return join(tables)


def strange(folder: Path) -> list[str]:
    """The files in a folder, or in its `data`, that may hold rows and have no name of any format."""
    named = {PROBES, *NO_DATA, *(file for download in DOWNLOADS for file in download.files)}
    paths = [*folder.glob("*"), *(folder / "data").glob("*")]
    names = [path.relative_to(folder).as_posix() for path in paths if path.is_file()]
    return sorted(name for name in names if name.lower().endswith(DATA) and name not in named)
