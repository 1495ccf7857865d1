"""Natural Questions (Kwiatkowski et al. 2019): questions of users, each with the paragraph of a Wikipedia
page that answers it, as prompts that silver passages are written from.

Three layouts are read: the simplified training file (`document_text`, tokens between blanks), the files of
tokens (`document_tokens`), and the Hub's Parquet (fields of lists). The reference is the long answer of the
first annotator who gave one, without its markup; a question without one is a reject.
"""

import gzip
import re
from collections.abc import Sequence
from functools import partial
from urllib.parse import parse_qs, unquote, urlsplit

from truerate.core.text import clean
from truerate.sources.cards import published_card
from truerate.sources.collection import Collection, reads
from truerate.sources.cuts import SUFFIX, Cut, json_lines, parquet_rows
from truerate.sources.papers.silver_prompts import keep_prompt
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


@reads("natural_questions")
def read(collection: Collection, languages: Sequence[str] = ()) -> None:
    """Read each answered question as an item of task `silver` in each of `languages` (default English)."""
    present = collection.present(*FILES)
    collection.refuse_none(present, "none of Natural Questions' files", *FILES)
    for file in present:
        cut = packed_lines if file.endswith(PACKED) else json_lines
        cut = parquet_rows if file.endswith(SUFFIX) else cut
        collection.read(file, cut, partial(_keep, collection, languages or (LANG,)))


def packed_lines(raw: bytes) -> Cut:
    """The rows of a JSON Lines file packed with gzip. Raises BadRow where it is none."""
    try:
        return json_lines(gzip.decompress(raw))
    except (OSError, EOFError, ValueError) as error:
        raise BadRow(Reason.UNPARSABLE, f"not gzip: {error}") from None


def _keep(collection: Collection, languages: Sequence[str], row: Row) -> None:
    is_nested = isinstance(row.values.get("document"), dict)
    page, prefix = (row.row("document"), "") if is_nested else (row, "document_")
    question, (start, end) = _question(row), _long_answer(row)
    reference = plain(_tokens(page, prefix)[start:end])
    if not reference:
        raise BadRow(Reason.NO_KNOWLEDGE, "the long answer holds no word")
    url = page.optional_text(f"{prefix}url")
    subject = page.optional_text(f"{prefix}title") or _title(url)
    identity = str(row.values.get("example_id") or row.values.get("id") or "") or None
    about = {"url": url, "subject": subject, "origin": CARD["name"], "id": identity}
    keep_prompt(collection, question, reference, languages, lang=LANG, **about)


def _question(row: Row) -> str:
    """The question with a capital and its mark, which users leave out."""
    is_nested = isinstance(row.values.get("question"), dict)
    text = row.row("question").text("text") if is_nested else row.text("question_text")
    text = text.strip().rstrip("?").rstrip()
    return f"{text[:1].upper()}{text[1:]}?"


def _long_answer(row: Row) -> tuple[int, int]:
    """First and last token of the first long answer. Raises BadRow (no-knowledge) where nobody gave one."""
    value = row.get("annotations")
    # the Hub keeps a list of objects as an object of lists
    answers = value.get("long_answer") if isinstance(value, dict) else row.items("annotations")
    for answer in answers if isinstance(answers, list) else []:
        if not isinstance(answer, dict) and not isinstance(value, dict):
            raise BadRow(Reason.WRONG_TYPE, "field 'annotations' must hold objects")
        bounds = answer.get("long_answer", answer) if isinstance(answer, dict) else {}
        start, end = (bounds.get(name) for name in ("start_token", "end_token"))
        if isinstance(start, int) and isinstance(end, int) and 0 <= start < end:
            return start, end
    raise BadRow(Reason.NO_KNOWLEDGE, "no annotator gave a long answer")


def _tokens(page: Row, prefix: str) -> list[str]:
    """The page's tokens, markup among them, in any of the layouts."""
    if "document_text" in page.values:
        return page.text("document_text").split(" ")
    field = f"{prefix}tokens"
    if isinstance(page.get(field), dict):
        return page.row(field).texts("token")
    return [token.text("token", may_be_empty=True) for token in page.rows(field)]


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
    title = parse_qs(parts.query).get("title", [parts.path.rpartition("/")[2]])[0]
    return unquote(title).replace("_", " ") or None
