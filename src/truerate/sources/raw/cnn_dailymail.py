"""CNN/DailyMail (Hermann et al. 2015, See et al. 2017): stories with highlights, a `.story` file each."""

import hashlib
from functools import partial
from pathlib import Path

from truerate.core.errors import SourceError
from truerate.sources.collection import Collection, reads
from truerate.sources.cuts import parquet_rows, whole_text
from truerate.sources.downloads import Download, Form, forms_in, one_of
from truerate.sources.rows import BadRow, Reason, Row

FOLDERS = ("stories", "cnn/stories", "dailymail/stories")  # the last two: as the two archives unpack
LISTS = {
    "train": "url_lists/all_train.txt",
    "validation": "url_lists/all_val.txt",
    "test": "url_lists/all_test.txt",
}
STORY = ".story"
STORIES = tuple(f"{folder}/*{STORY}" for folder in FOLDERS)
DOWNLOAD = Download(
    "CNN/DailyMail", dict.fromkeys(STORIES, ""), columns=("article", "highlights"), has_splits=True
)
MARK = "@highlight"


def forms(folder: Path, split: str | None = None) -> list[Form]:
    """What a folder holds: story files together, their split by a list of addresses; Parquet."""
    stories = tuple(pattern for pattern in STORIES if any(folder.glob(pattern)))
    is_listed = split is not None and (folder / LISTS[split]).is_file()
    form = Form(", ".join(stories), str(split) if is_listed else "", stories)
    return ([form] if stories else []) + forms_in(folder, DOWNLOAD)


@reads("cnn_dailymail")
def read(collection: Collection, split: str | None = None) -> None:
    """Read stories as documents to summarise; the highlights, one per line, are the right summary.

    Of a `split` the stories whose names are SHA-1 digests of the addresses in its list are read.
    """
    folder, name = collection.folder, collection.name
    present = forms(folder, split)
    has_stories = bool(present) and set(present[0].files) <= set(STORIES)
    if split and has_stories and not any(form.split == split for form in present):
        advice = f"put {LISTS[split]} there (of github.com/abisee/cnn-dailymail), or take `split` away"
        raise SourceError(f"source {name!r}: the stories in {str(folder)!r} name no split; {advice}")
    files = one_of(present, DOWNLOAD, folder, name=name, split=split)
    if not set(files) <= set(STORIES):
        for file in files:
            collection.read(file, parquet_rows, partial(_keep_columns, collection))
        return
    # the names of the stories of a list of addresses
    addresses = (folder / LISTS[split]).read_text("utf-8").split() if split else []
    wanted = {hashlib.sha1(address.encode()).hexdigest() for address in addresses}
    for path in (path for pattern in files for path in sorted(folder.glob(pattern))):
        if split is None or path.stem in wanted:
            file = path.relative_to(folder).as_posix()
            collection.read(file, whole_text, partial(_keep, collection, path.stem))
    collection.fold_files(", ".join(files))


def _keep_columns(collection: Collection, row: Row) -> None:
    """A row of the Hub's Parquet: highlights stand in one text, one per line."""
    article, highlights = row.text("article", may_be_empty=True), row.text("highlights")
    _add(collection, article, highlights.splitlines(), title=row.optional_text("id") or "")


def _keep(collection: Collection, title: str, row: Row) -> None:
    article, *highlights = row.text("text").split(MARK)
    _add(collection, article, highlights, title=title)


def _add(collection: Collection, article: str, highlights: list[str], *, title: str) -> None:
    article, highlights = article.strip(), [" ".join(text.split()) for text in highlights if text.strip()]
    if not article:
        raise BadRow(Reason.NO_KNOWLEDGE, "no article beside the highlights")  # so are 114 published stories
    if not highlights:
        raise BadRow(Reason.MISSING_FIELD, f"no {MARK!r} with a sentence after the article")
    documents, summary = [collection.document(article, title=title)], "\n".join(highlights)
    group = ("document", article)
    collection.item("summarization", right_answer=summary, document_ids=documents, group=group)
