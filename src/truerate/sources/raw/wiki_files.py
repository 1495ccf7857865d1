"""The inputs of mFAVA: prompts with a reference passage each, from which silver passages are written (section 3.1), in
three formats; and a folder of whichever of its formats.
"""

import gzip
import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from truerate.core.errors import SourceError
from truerate.core.text import clean
from truerate.sources.cards import published_card
from truerate.sources.collection import Collection, reads
from truerate.sources.cuts import SUFFIX, Cut, json_lines, json_rows, parquet_rows
from truerate.sources.papers import fava
from truerate.sources.raw import wikipedia
from truerate.sources.rows import BadRow, Reason, Row
from truerate.sources.tables import SourceTables, join

# ---- prompts of our own form --------------------------------------------------------------------------------
PROMPT_FILES = ("prompts.jsonl",)


@reads("silver_prompts")
def read_silver_prompts(collection: Collection, languages: Sequence[str] = ()) -> None:
    """Read each prompt as an item of task `silver`; prompts on one reference form a group, over languages and
    formats.

    A row that names no language is a prompt in each of `languages`, those of the source in params.yaml.
    """
    collection.read(PROMPT_FILES[0], json_lines, partial(_keep_prompt_row, collection, languages))


def _keep_prompt_row(collection: Collection, languages: Sequence[str], row: Row) -> None:
    attributes = {name: row.optional_text(name) for name in ("subject", "origin", "id")}
    stated = [row.language()] if row.values.get("lang") is not None else []
    if not stated and not languages:
        problem = "no field 'lang'; write one, or name the `languages` of the source in params.yaml"
        raise BadRow(Reason.MISSING_FIELD, problem)
    question, reference, written_in = row.text("question"), row.text("reference"), (stated or ["en"])[0]
    keep_prompt(collection, question, reference, stated or languages, lang=written_in, **attributes)


def keep_prompt(
    collection: Collection,
    question: str,
    reference: str,
    languages: Sequence[str],
    *,
    lang: str,
    url: str | None = None,
    **attributes: str | None,
) -> None:
    """Note one prompt in each of the languages: its question and reference as they are, in `lang`."""
    document = {"title": attributes.get("subject") or "", "lang": lang, "url": url}
    for target in languages:
        collection.item(
            "silver",
            group=("reference", reference),
            question=question,
            lang=target,
            document_ids=[collection.document(reference, **document)],
            **attributes,
        )
        collection.counts[f"n_prompts_{target}"] += 1


# ---- FAVA's files of prompts (Mishra et al. 2024) -----------------------------------------------------------
FAVA_FILES = ("annotations.json", "passages.jsonl")
WRITTEN_IN = "en"
QUESTION = "What is {title}, and what is known about it?"  # about a title; the paper's own is not printed


@reads("fava", name="FAVA's prompts")
def read_fava_prompts(collection: Collection, languages: Sequence[str] = ()) -> None:
    """Read each prompt as an item of task `silver` in each of `languages` (default English)."""
    present = collection.present(*FAVA_FILES)
    collection.refuse_none(present, "none of FAVA's prompts", *FAVA_FILES)
    for file in present:
        collection.read(file, json_rows, partial(_keep_fava_prompt, collection, languages or (WRITTEN_IN,)))


def _keep_fava_prompt(collection: Collection, languages: Sequence[str], row: Row) -> None:
    title = row.optional_text("title") or row.optional_text("subject")
    if "intro" in row.values:
        question, reference = QUESTION.format(title=row.text("title").strip()), row.text("intro")
    else:
        question = row.text("prompt").strip()
        reference = row.optional_text("evidence") or row.optional_text("reference") or ""
    if not reference.strip():
        raise BadRow(Reason.NO_KNOWLEDGE, f"no reference beside the prompt {question[:60]!r}")
    keep_prompt(collection, question, reference, languages, lang=WRITTEN_IN, subject=title, origin="FAVA")


# ---- Natural Questions (Kwiatkowski et al. 2019) ------------------------------------------------------------
PACKED = ".gz"
_PLAIN = (
    "simplified-nq-train.jsonl",
    "v1.0-simplified_simplified-nq-train.jsonl",
    "v1.0-simplified_nq-dev-all.jsonl",
)
NQ_FILES = (*_PLAIN, *(f"{file}{PACKED}" for file in _PLAIN), f"natural_questions{SUFFIX}")
NQ_CARD = published_card("natural_questions")
WRITTEN_IN = "en"
_CLOSED_UP = re.compile(r" (?=[.,;:!?%)\]}]|'s\b|n't\b)|(?<=[(\[{]) ")
_QUOTES = re.compile(r"``\s*|\s*''")


@reads("natural_questions")
def read_natural_questions(collection: Collection, languages: Sequence[str] = ()) -> None:
    """Read each answered question as an item of task `silver` in each of `languages` (default English)."""
    present = collection.present(*NQ_FILES)
    collection.refuse_none(present, "none of Natural Questions' files", *NQ_FILES)
    for file in present:
        cut = packed_lines if file.endswith(PACKED) else json_lines
        cut = parquet_rows if file.endswith(SUFFIX) else cut
        collection.read(file, cut, partial(_keep_question, collection, languages or (WRITTEN_IN,)))


def packed_lines(raw: bytes) -> Cut:
    """The rows of a JSON Lines file packed with gzip. Raises BadRow where it is none."""
    try:
        return json_lines(gzip.decompress(raw))
    except (OSError, EOFError, ValueError) as error:
        raise BadRow(Reason.UNPARSABLE, f"not gzip: {error}") from None


def _keep_question(collection: Collection, languages: Sequence[str], row: Row) -> None:
    is_nested = isinstance(row.values.get("document"), dict)
    page, prefix = (row.row("document"), "") if is_nested else (row, "document_")
    question, (start, end) = _question(row), _long_answer(row)
    reference = plain(_tokens(page, prefix)[start:end])
    if not reference:
        raise BadRow(Reason.NO_KNOWLEDGE, "the long answer holds no word")
    url = page.optional_text(f"{prefix}url")
    subject = page.optional_text(f"{prefix}title") or _title(url)
    identity = str(row.values.get("example_id") or row.values.get("id") or "") or None
    about = {"url": url, "subject": subject, "origin": NQ_CARD["name"], "id": identity}
    keep_prompt(collection, question, reference, languages, lang=WRITTEN_IN, **about)


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


# ---- a folder of any of them --------------------------------------------------------------------------------
PROMPTS = {  # formats whose rows are put in many languages
    read_silver_prompts: PROMPT_FILES,
    read_fava_prompts: FAVA_FILES,
    read_natural_questions: NQ_FILES,
}
FORMATS = {fava.read: fava.FILES, **PROMPTS, wikipedia.read: wikipedia.FILES}


def read(folder: Path, *, name: str, on_bad_row: str, languages: Sequence[str] = ()) -> SourceTables:
    """Join the tables of every format found; a prompt without a language is one in each of `languages`."""
    present = [each for each, files in FORMATS.items() if any((folder / file).is_file() for file in files)]
    if not present:
        files = ", ".join(file for files in FORMATS.values() for file in files)
        raise SourceError(f"source {name!r}: no file of it in {str(folder)!r}; looked for: {files}")
    options, more = {"name": name, "on_bad_row": on_bad_row}, {"languages": languages}
    return join([each(folder, **options, **(more if each in PROMPTS else {})) for each in present])
