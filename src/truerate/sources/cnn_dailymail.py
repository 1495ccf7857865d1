"""CNN/DailyMail (Hermann et al. 2015, See et al. 2017): news stories with highlights, one `.story` file each."""

from pathlib import Path

from truerate.core.errors import SourceError
from truerate.sources.collection import Collection, SourceTables
from truerate.sources.rows import BadRow, Reason, Row, whole_text

FOLDER = "stories"
MARK = "@highlight"
CARD = {
    "name": "CNN/DailyMail",
    "citation": "K. M. Hermann et al. Teaching Machines to Read and Comprehend. NeurIPS 2015; A. See, P. Liu, C. Manning. Get To The "
    "Point: Summarization with Pointer-Generator Networks. ACL 2017.",
    "licence": "articles: copyright of CNN and Daily Mail",
    "redistribution": "no",
    "url": "https://cs.nyu.edu/~kcho/DMQA/",
    "lang": "en",
}


def read(folder: Path, *, name: str, on_bad_row: str) -> SourceTables:
    """Stories as documents to summarise; the highlights, one per line, are the right summary."""
    collection = Collection(folder, name=name, on_bad_row=on_bad_row, card=CARD)
    stories = sorted(path.name for path in (folder / FOLDER).glob("*.story"))
    if not stories:
        raise SourceError(
            f"source {name!r}: no .story file in {str(folder / FOLDER)!r}; put the files there or correct the source's path"
        )
    for story in stories:
        collection.read(
            f"{FOLDER}/{story}", whole_text, lambda row, title=Path(story).stem: _keep(collection, row, title)
        )
    collection.fold_files(f"{FOLDER}/*.story")
    return collection.tables()


def _keep(collection: Collection, row: Row, title: str) -> None:
    article, *highlights = row.text("text").split(MARK)
    article, highlights = article.strip(), [" ".join(text.split()) for text in highlights if text.strip()]
    if not article:
        raise BadRow(Reason.EMPTY_FIELD, f"no article before the first {MARK!r}")
    if not highlights:
        raise BadRow(Reason.MISSING_FIELD, f"no {MARK!r} with a sentence after the article")
    document_id = collection.document(article, title=title)
    collection.item(
        "summarization",
        right_answer="\n".join(highlights),
        document_ids=[document_id],
        group=("document", article),
    )
