"""In the wild (mFAVA section 4.1, appendix A.5): articles, queries about them, whether their lead answers
these, and replies to the query alone.
"""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from functools import cache
from pathlib import Path

import regex

from truerate.core.keys import content_id, draw, page_key
from truerate.core.languages import LANGUAGES
from truerate.core.schemas import pairs, reject_row
from truerate.core.text import clean, sentences
from truerate.llm.generation import Prompted, Read, facts, generation
from truerate.llm.replies.cutting import emphasis, opened, quotes, unfenced
from truerate.llm.replies.lists.marks import lines_of
from truerate.llm.replies.verdicts import yes_no
from truerate.llm.request import Reply, Request
from truerate.tracks.asking import Prompter, read_rows
from truerate.tracks.mfava.context import Context, language
from truerate.tracks.mfava.settings import Wild

QUERY, CHECK, ANSWER = "query", "check", "answer"
# Why the queries of a reply are not taken: nothing in it · no numbered line · other lines or numbers than
# were asked.
REASONS = ("empty", "absent", "malformed")
SEED_STEP = 1000  # between the seeds of a query's replicates: far from the other subsets' seeds
NOUNS = ("question", "query", "q", "frage")
# what frames questions: a heading, a rule, a line that announces them or says farewell
_FRAME = re.compile(
    r"#.*|[\W_]+|.*[:：][*_]*|(?:sure|certainly|of course|i hope|let me know|here)\b[^?]*", re.IGNORECASE
)
PHRASES = Path(__file__).with_name("dont_know.csv")  # lang, phrase: in our own words
NGRAM = 8  # tokens in a row that no text says twice by chance; twice as many where a character is a token
MIN_SENTENCE = 4  # tokens of a sentence whose return counts
MAX_UNKNOWING = 40  # tokens of a reply that says only that it does not know; likewise
MAX_BETWEEN = 40  # characters for which `…` of a phrase may stand
MIN_LETTERS = 20  # of a reply whose language can be told
MIN_SHARE = 0.5  # of the letters that must be of the language's script
SURE = 0.9  # probability from which another language is believed
_LETTER = regex.compile(r"\p{L}")
_SINGLE = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")


# ---- articles ----------------------------------------------------------------------------------------------


def excluded(article: Context, rules: Wild) -> tuple[str, str] | None:
    """Return why an article is not asked about (no-lead, too-short, too-shallow or excluded-tag, and the value); None where it is."""
    attributes = article.attributes
    n_characters = int(attributes.get("n_characters", rules.min_characters))
    tags = {page_key(tag) for tag in attributes.get("tags", "").split(";")}
    shut = [tag for tag in rules.excluded_tags if page_key(tag) in tags]
    if not article.knowledge.strip():
        return "no-lead", "no text before the first heading"
    if n_characters < rules.min_characters:
        return "too-short", f"{n_characters} characters; at least {rules.min_characters}"
    if "depth" in attributes and float(attributes["depth"]) < rules.min_depth:
        return "too-shallow", f"depth {attributes['depth']}; at least {rules.min_depth:g}"
    return ("excluded-tag", shut[0]) if shut else None


def rejected_articles(articles: Iterable[Context], rules: Wild) -> list[dict]:
    """Return Reject rows of the articles that are not asked about."""
    rejects = []
    for article in articles:
        if why := excluded(article, rules):
            about = {"target_id": article.item_id, "text": clean(article.subject)}
            rejects.append(reject_row(where="article", reason=why[0], detail=why[1], **about))
    return rejects


# ---- queries -----------------------------------------------------------------------------------------------


def query_requests(articles: Iterable[Context], writer: str, prompter: Prompter) -> list[Prompted]:
    """Return one request per article for all its queries."""
    settings = prompter.settings
    asked = []
    for article in articles:
        of_row = {"lang": article.lang, "task": "article"}
        values = {"language": language(article.lang).name, "n": settings.wild.queries_per_article}
        values |= {"title": article.subject, "reference": article.knowledge}
        asked.append(prompter.prompted(QUERY, writer, article.item_id, settings.querying, of_row, **values))
    return asked


def collect_queries(asked: Sequence[Prompted], replies: Sequence[Reply], *, n: int) -> list[dict]:
    """Return Generation rows of the query writer; an `ok` one's text is its queries, a line each."""
    return read_rows(asked, replies, lambda _, text: read_queries(text, n))


def read_queries(text: str, n: int) -> Read:
    """Read the questions of the lines `1. …` to `n. …`, in whatever marks, and leave what frames them; else
    give the reason (REASONS). A line of more than a heading or a greeting beside them is malformed.

    Fewer than were asked are kept, as in the paper, and so is one of two that are the same; `detail` says so.
    """
    answer, cut = opened(text)
    if not answer:
        return Read(text, "unparsed", "empty")
    lines = [line for line in lines_of(unfenced(answer).text, NOUNS) if line.text]
    numbered = [line.entry for line in lines if line.entry and line.entry.text]
    if not numbered:
        return Read(text, "unparsed", "absent")
    numbers = [entry.numbers for entry in numbered]
    is_framed = all(line.entry or _FRAME.fullmatch(line.text) for line in lines)
    allowed = {(number,) for number in range(1, n + 1)}
    is_in_order = numbers == sorted(set(numbers)) and set(numbers) <= allowed
    if not (is_framed and is_in_order):
        lacks = f"{len(numbered)} of {len(lines)} lines are numbered; {n} were asked"
        return Read(text, "unparsed", "malformed", {"detail": lacks})
    queries = [quotes(emphasis(entry.text)).text for entry in numbered]
    different = list({query.casefold(): query for query in reversed(queries)}.values())[::-1]
    detail = f"{len(different)} of {n} queries" if len(different) < n else None
    return Read("\n".join(different), attributes={"cuts": " ".join(cut) or None, "detail": detail})


def wild_items(rows: Iterable[dict], articles: Mapping[str, Context]) -> list[dict]:
    """Return the Item rows of all queries that were read, by id, without their subsets."""
    items = {}
    for row in rows:
        if row["purpose"] == QUERY and row["status"] == "ok":
            for number, query in enumerate(row["text"].split("\n")):
                article = articles[row["item_id"]]
                facts_of = {"title": article.subject, "category": article.attributes.get("category")}
                item_id = content_id("wild", article.item_id, number, query)
                of_article = {name: getattr(article, name) for name in ("source", "lang", "group_id")}
                ids = {"item_id": item_id, "task": "wild", "document_ids": list(article.document_ids)}
                texts = {"history": "", "question": query, "right_answer": None}
                items[item_id] = of_article | ids | texts | {"attributes": pairs(place=number, **facts_of)}
    return [items[name] for name in sorted(items)]


# ---- subsets and checks ------------------------------------------------------------------------------------


def with_subsets(items: Sequence[dict], seeds: Sequence[int], seed: int) -> list[dict]:
    """Return items with `subset` and its `subset_seed`: disjoint subsets by a seeded draw, in each language
    as even as they can be; items that a source put into subsets keep theirs.
    """
    order = sorted(items, key=lambda row: (draw(seed, "subset", row["item_id"]), row["item_id"]))
    taken: Counter[str] = Counter()
    subset_of = {}
    for row in order:
        subset_of[row["item_id"]] = taken[row["lang"]] % len(seeds)
        taken[row["lang"]] += 1
    rows = []
    for row in items:
        subset = subset_of[row["item_id"]]
        attributes = {"subset": str(subset), "subset_seed": str(seeds[subset])} | facts(row)
        rows.append({**row, "attributes": pairs(**attributes)})
    return rows


def check_requests(queries: Iterable[Context], checker: str, prompter: Prompter) -> list[Prompted]:
    """Return one request per query: does the lead of its article answer it?"""
    sampling = prompter.settings.querying.model_copy(update={"temperature": 0.0})
    asked = []
    for query in queries:
        of_row, values = {"lang": query.lang, "task": "wild"}, {"question": query.question}
        values["reference"] = query.knowledge
        asked.append(prompter.prompted(CHECK, checker, query.item_id, sampling, of_row, **values))
    return asked


def read_check(asked: Prompted, text: str) -> Read:
    """Read a reply as Yes or No (`answerable`: yes, no)."""
    parsed = yes_no(text, "Answerable")
    cuts = {"cuts": " ".join(parsed.cuts) or None}
    if parsed.value is None:
        return Read(text, "unparsed", parsed.reason, cuts)
    return Read(text, attributes={"answerable": "yes" if parsed.value else "no", **cuts})


def with_answerable(items: Sequence[dict], checks: Iterable[dict]) -> list[dict]:
    """Return items with `answerable` (yes, no) where the check of it was read."""
    read = [row for row in checks if row["purpose"] == CHECK and row["status"] == "ok"]
    answerable = {row["item_id"]: facts(row)["answerable"] for row in read}
    return [
        {**row, "attributes": pairs(**facts(row) | {"answerable": answerable.get(row["item_id"])})}
        for row in items
    ]


# ---- replies -----------------------------------------------------------------------------------------------


def answer_requests(items: Iterable[dict], subject: str, prompter: Prompter) -> list[Prompted]:
    """Return the query alone, once per replicate, with its subset's seed (the first is the paper's)."""
    settings = prompter.settings
    decoded = settings.answering.model_dump()
    asked = []
    for row in items:
        row_facts = facts(row)
        subset = {name: row_facts[name] for name in ("subset", "subset_seed")}
        messages = prompter.messages("answer", query=row["question"])
        for replicate in range(settings.wild.replicates):
            params = decoded | {"seed": int(row_facts["subset_seed"]) + SEED_STEP * replicate}
            request = Request(subject, messages, params, replicate)
            attributes = {"lang": row["lang"], "task": "wild", "group_id": row["group_id"], **subset}
            attributes["replicate"] = str(replicate)
            asked.append(Prompted(request, row["item_id"], ANSWER, attributes))
    return asked


def collect_answers(
    asked: Sequence[Prompted], replies: Sequence[Reply], declared: Sequence[str]
) -> list[dict]:
    """Return the replies as they came, with what is seen in them (`marks`); a cut one not kept is `dead`."""
    rows = []
    for question, reply in zip(asked, replies, strict=True):
        lang = question.attributes["lang"]
        attributes = marks(reply.text, lang, declared) if reply.status == "ok" else {}
        is_cut = "length" in (reply.finish_reason, reply.reason)
        attributes["cut"] = "yes" if is_cut else None
        rows.append(generation(question, reply, Read(reply.text, attributes=attributes)))
    return rows


# ---- what can be seen of a reply without a detector (mFAVA appendix A.7): each rule errs on keeping it -----


def marks(text: str, lang: str, declared: Sequence[str]) -> dict[str, str | None]:
    """Return `repeats`, `dont_know`, `wrong_language`: `yes` where so, else None."""
    flaws = {
        "repeats": repeats(text),
        "dont_know": says_unknown(text, lang),
        "wrong_language": is_other_language(text, lang, tuple(declared)),
    }
    return {name: "yes" if is_so else None for name, is_so in flaws.items()}


def tokens(text: str) -> list[str]:
    """Return the tokens of a text, case folded: words, or single characters of scripts without spaces."""
    from truerate.metrics.tokens import word_offsets  # brings numpy, which no other step of the track needs

    return [text[start:end].casefold() for start, end in word_offsets(text)]


def scale(words: Sequence[str]) -> int:
    """Return 2 where most tokens are single characters, else 1."""
    return 2 if sum(1 for token in words if _SINGLE.fullmatch(token)) * 2 > len(words) else 1


def repeats(text: str) -> bool:
    """Return whether a sentence of MIN_SENTENCE tokens or more, or a run of NGRAM tokens, stands in a text
    twice.
    """
    repeatable = [" ".join(words) for part in sentences(text) if len(words := tokens(part)) >= MIN_SENTENCE]
    if len(set(repeatable)) < len(repeatable):
        return True
    whole = tokens(text)
    n = NGRAM * scale(whole)
    runs = [tuple(whole[start : start + n]) for start in range(len(whole) - n + 1)]
    return len(set(runs)) < len(runs)


def says_unknown(text: str, lang: str) -> bool:
    """Return whether a short reply holds a phrase of not knowing, in the language asked for or in English."""
    words = tokens(text)
    if len(words) > MAX_UNKNOWING * scale(words):
        return False
    plain = " ".join(text.casefold().replace("’", "'").split())
    return any(phrase.search(plain) for code in {lang, "en"} for phrase in phrases().get(code, ()))


@cache
def phrases() -> dict[str, list[regex.Pattern]]:
    """Return the phrases of not knowing, by language; `…` in one stands for a few words between its parts."""
    by_lang: dict[str, list[regex.Pattern]] = {}
    for row in csv.DictReader(PHRASES.read_text("utf-8").splitlines()):
        parts = map(regex.escape, row["phrase"].casefold().split("…"))
        by_lang.setdefault(row["lang"], []).append(regex.compile(f".{{0,{MAX_BETWEEN}}}".join(parts)))
    return by_lang


def is_other_language(text: str, lang: str, declared: tuple[str, ...]) -> bool:
    """Return whether a reply of MIN_LETTERS letters or more is in another language than asked for: less than
    half of its letters are of the language's script, or another declared language of that script has
    probability SURE (py3langid: one small file of weights). A language that it does not know is told by its
    script alone.
    """
    letters = _LETTER.findall(text)
    if len(letters) < MIN_LETTERS:
        return False
    if sum(1 for letter in letters if _of_script(lang).match(letter)) < MIN_SHARE * len(letters):
        return True
    scripts = set(LANGUAGES[lang].scripts)
    rivals = sorted(code for code in {lang, *declared} if scripts & set(LANGUAGES[code].scripts))
    if len(rivals) < 2:
        return False
    candidates = tuple(code for code in rivals if code in language_identifier().labels)
    if lang not in candidates or len(candidates) < 2:
        return False
    best, p = language_identifier(candidates).classify(text)
    return best != lang and p >= SURE


@cache
def _of_script(lang: str) -> regex.Pattern:
    return regex.compile("[" + "".join(rf"\p{{{script}}}" for script in LANGUAGES[lang].scripts) + "]")


@cache
def language_identifier(codes: tuple[str, ...] = ()):
    """The identifier that chooses among these languages, or among all; its weights are loaded once."""
    if codes:
        chosen = copy(language_identifier())
        chosen.set_languages(list(codes))
        return chosen
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # half a second of loading

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
