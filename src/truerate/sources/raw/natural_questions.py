"""Natural Questions (Kwiatkowski et al. 2019): questions of search engines' users, each with the paragraph of
a Wikipedia page that answers it, as prompts that silver passages are written from.

Three layouts are read: the simplified training file (`document_text`, tokens between blanks), the files of
tokens (`document_tokens`), and the Hub's Parquet (fields of lists). The reference is the long answer of the
first annotator who gave one, its markup left out; a question without one is booked as a reject.
"""

import gzip
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from truerate.core.errors import SourceError
from truerate.core.text import clean
from truerate.sources.cards import published_card
from truerate.sources.collection import Collection, SourceTables
from truerate.sources.cuts import Cut, json_lines
from truerate.sources.papers.silver_prompts import keep_prompt, targets
from truerate.sources.parquet import SUFFIX, parquet_rows
from truerate.sources.rows import BadRow, Reason, Row

PACKED = ".gz"
_PLAIN = (
    "simplified-nq-train.jsonl",
    "v1.0-simplified_simplified-nq-train.jsonl",
    "v1.0-simplified_nq-dev-all.jsonl",
)
FILES = (*_PLAIN, *(f"{file}{PACKED}" for file in _PLAIN), f"natural_questions{SUFFIX}")
CARD = published_card("natural_questions")
LANG = "en"
_CLOSED_UP = re.compile(r" (?=[.,;:!?%)\]}]|'s\b|n't\b)|(?<=[(\[{]) ")
_QUOTES = re.compile(r"``\s*|\s*''")


def read(folder: Path, *, name: str, on_bad_row: str, languages: Sequence[str] = ()) -> SourceTables:
    """Each answered question as an item of task `silver` in each of `languages` (without any: in English)."""
    collection = Collection(folder, name=name, on_bad_row=on_bad_row, card=CARD)
    present = [file for file in FILES if collection.has(file)]
    if not present:
        raise SourceError(
            f"source {name!r}: none of Natural Questions' files in {str(folder)!r}; looked for: {', '.join(FILES)}"
        )
    for file in present:
        collection.read(file, _cut(file), lambda row: _keep(collection, row, languages))
    return collection.tables()


def _cut(file: str) -> Callable[[bytes], Cut]:
    if file.endswith(SUFFIX):
        return parquet_rows
    return packed_lines if file.endswith(PACKED) else json_lines


def packed_lines(raw: bytes) -> Cut:
    """The rows of a JSON Lines file packed with gzip. Raises BadRow where it is none."""
    try:
        return json_lines(gzip.decompress(raw))
    except (OSError, EOFError, ValueError) as error:
        raise BadRow(Reason.UNPARSABLE, f"not gzip: {error}") from None


def _keep(collection: Collection, row: Row, languages: Sequence[str]) -> None:
    document = row.values.get("document")
    page = Row(document, row.number) if isinstance(document, dict) else row
    prefix = "" if page is not row else "document_"
    question = _question(row)
    start, end = _long_answer(row)
    reference = plain(_tokens(page, prefix)[start:end])
    if not reference:
        raise BadRow(Reason.NO_KNOWLEDGE, "the long answer holds no word")
    url = page.optional_text(f"{prefix}url")
    keep_prompt(
        collection,
        question,
        reference,
        targets(languages or (LANG,)),
        lang=LANG,
        url=url,
        subject=page.optional_text(f"{prefix}title") or _title(url),
        origin=CARD["name"],
        id=str(row.values.get("example_id") or row.values.get("id") or "") or None,
    )


def _question(row: Row) -> str:
    """The question with a capital and its mark, which users leave out."""
    value = row.values.get("question")
    text = Row(value, row.number).text("text") if isinstance(value, dict) else row.text("question_text")
    text = text.strip().rstrip("?").rstrip()
    return f"{text[:1].upper()}{text[1:]}?"


def _long_answer(row: Row) -> tuple[int, int]:
    """First and last token of the first long answer. Raises BadRow (no-knowledge) where nobody gave one."""
    value = row.get("annotations")
    # the Hub keeps a list of objects as an object of lists
    answers = (
        value.get("long_answer")
        if isinstance(value, dict)
        else [_is_object(bounds) for bounds in row.items("annotations")]
    )
    for answer in answers if isinstance(answers, list) else []:
        bounds = answer.get("long_answer", answer) if isinstance(answer, dict) else {}
        start, end = (bounds.get(name) for name in ("start_token", "end_token"))
        if isinstance(start, int) and isinstance(end, int) and 0 <= start < end:
            return start, end
    raise BadRow(Reason.NO_KNOWLEDGE, "no annotator gave a long answer")


def _is_object(value: object) -> dict:
    if not isinstance(value, dict):
        raise BadRow(Reason.WRONG_TYPE, "field 'annotations' must hold objects")
    return value


def _tokens(page: Row, prefix: str) -> list[str]:
    """The page's tokens, markup among them, in any of the layouts."""
    if "document_text" in page.values:
        return page.text("document_text").split(" ")
    value = page.get(f"{prefix}tokens")
    if isinstance(value, dict):
        return Row(value, page.number).texts("token")
    return [
        Row(token, page.number).text("token", may_be_empty=True) for token in page.items(f"{prefix}tokens")
    ]


def plain(tokens: Sequence[str]) -> str:
    """Tokens as running text: without markup, closed up before punctuation, quotes as they are typed."""
    words = [token for token in tokens if not (token.startswith("<") and token.endswith(">"))]
    text = _QUOTES.sub(lambda quote: ' "' if "`" in quote[0] else '" ', " ".join(words))
    return clean(_CLOSED_UP.sub("", " ".join(text.split()))).strip()


def _title(url: str | None) -> str | None:
    """The title in a page's address."""
    if not url:
        return None
    parts = urlsplit(url)
    named = parse_qs(parts.query).get("title", [parts.path.rpartition("/")[2]])[0]
    return unquote(named).replace("_", " ") or None
