"""CNN/DailyMail (Hermann et al. 2015, See et al. 2017): news stories with highlights, one `.story` file each."""

import hashlib
from pathlib import Path

from truerate.core.errors import SourceError
from truerate.sources.cards import published_card
from truerate.sources.collection import Collection, SourceTables
from truerate.sources.cuts import whole_text
from truerate.sources.downloads import Download, Found, downloaded_forms, one_of
from truerate.sources.parquet import parquet_rows
from truerate.sources.rows import BadRow, Reason, Row

FOLDERS = ("stories", "cnn/stories", "dailymail/stories")  # the last two: as the two archives unpack
LISTS = {split: f"url_lists/all_{word}.txt" for split, word in
         {"train": "train", "validation": "val", "test": "test"}.items()}  # fmt: skip
STORY = ".story"
DOWNLOAD = Download(
    "CNN/DailyMail",
    {f"{folder}/*{STORY}": "" for folder in FOLDERS},
    columns=("article", "highlights"),
    has_splits=True,
)
MARK = "@highlight"
CARD = published_card("cnn_dailymail")


def forms(folder: Path, split: str | None = None) -> list[Found]:
    """What a folder holds: story files of all folders together, and Parquet; a list of addresses gives the split."""
    places = [directory for directory in FOLDERS if any((folder / directory).glob(f"*{STORY}"))]
    is_listed = split is not None and (folder / LISTS[split]).is_file()
    stories = Found(
        ", ".join(f"{directory}/*{STORY}" for directory in places),
        str(split) if is_listed else "",
        tuple(places),
    )
    return ([stories] if places else []) + downloaded_forms(folder, DOWNLOAD)


def read(folder: Path, *, name: str, on_bad_row: str, split: str | None = None) -> SourceTables:
    """Stories as documents to summarise; the highlights, one per line, are the right summary.

    Of a `split` the stories whose names are SHA-1 digests of the addresses in `url_lists/all_<split>.txt`.
    """
    collection = Collection(folder, name=name, on_bad_row=on_bad_row, card=CARD)
    present = forms(folder, split)
    if (
        split
        and present
        and not any(form.split == split for form in present)
        and set(present[0].files) <= set(FOLDERS)
    ):
        raise SourceError(
            f"source {name!r}: the stories in {str(folder)!r} name no split; put {LISTS[split]} there "
            "(of github.com/abisee/cnn-dailymail), or take `split` away"
        )
    files = one_of(present, DOWNLOAD, folder, name=name, split=split)
    if not set(files) <= set(FOLDERS):
        for file in files:
            collection.read(file, parquet_rows, lambda row: _keep_columns(collection, row))
        return collection.tables()
    wanted = _names(folder / LISTS[split]) if split else None
    for directory in files:
        for path in sorted((folder / directory).glob(f"*{STORY}")):
            if wanted is None or path.stem in wanted:
                collection.read(
                    f"{directory}/{path.name}",
                    whole_text,
                    lambda row, title=path.stem: _keep(collection, row, title),
                )
    collection.fold_files(", ".join(f"{file}/*{STORY}" for file in files))
    return collection.tables()


def _names(path: Path) -> set[str]:
    """The names of the stories of a list of addresses."""
    lines = path.read_text("utf-8").split()
    return {hashlib.sha1(address.encode()).hexdigest() for address in lines}


def _keep_columns(collection: Collection, row: Row) -> None:
    """A row of the Hub's Parquet: highlights stand in one text, one per line."""
    article, highlights = row.text("article", may_be_empty=True), row.text("highlights")
    _add(collection, article, highlights.splitlines(), title=row.optional_text("id") or "")


def _keep(collection: Collection, row: Row, title: str) -> None:
    article, *highlights = row.text("text").split(MARK)
    _add(collection, article, highlights, title=title)


def _add(collection: Collection, article: str, highlights: list[str], *, title: str) -> None:
    article, highlights = article.strip(), [" ".join(text.split()) for text in highlights if text.strip()]
    if not article:
        raise BadRow(Reason.NO_KNOWLEDGE, "no article beside the highlights")  # so are 114 published stories
    if not highlights:
        raise BadRow(Reason.MISSING_FIELD, f"no {MARK!r} with a sentence after the article")
    document_id = collection.document(article, title=title)
    collection.item(
        "summarization",
        right_answer="\n".join(highlights),
        document_ids=[document_id],
        group=("document", article),
    )
