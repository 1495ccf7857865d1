"""In the wild (mFAVA section 4.1, appendix A.5): articles, queries about them, whether their lead answers
these, and replies to the query alone.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from truerate.annotation.tasks import annotators, in_turns
from truerate.core.keys import content_id, draw, page_key
from truerate.core.schemas import pairs, reject_row
from truerate.core.text import clean
from truerate.llm import Reply, Request
from truerate.llm.generation import Prompted, Read, decoding, facts, generation
from truerate.llm.replies.cutting import emphasis, opened, quotes, unfenced
from truerate.llm.replies.lists.marks import lines_of
from truerate.llm.replies.verdicts import yes_no
from truerate.tracks.asking import Prompter
from truerate.tracks.mfava.context import Context, language
from truerate.tracks.mfava.replies import marks
from truerate.tracks.mfava.settings import Labelling, Wild

QUERY, CHECK, ANSWER = "query", "check", "answer"
# Why an article is not asked about: nothing before its first heading · too few characters · its wiki too
# shallow · a maintenance tag.
EXCLUDED = ("no-lead", "too-short", "too-shallow", "excluded-tag")
# Why the queries of a reply are not taken: nothing in it · no numbered line · other lines or numbers than
# were asked.
REASONS = ("empty", "absent", "malformed")
SEED_STEP = 1000  # between the seeds of a query's replicates: far from the other subsets' seeds
NOUNS = ("question", "query", "q", "frage")
# what frames questions: a heading, a rule, a line that announces them or says farewell
_FRAME = re.compile(
    r"#.*|[\W_]+|.*[:：][*_]*|(?:sure|certainly|of course|i hope|let me know|here)\b[^?]*", re.IGNORECASE
)


# ---- articles ----------------------------------------------------------------------------------------------


def excluded(article: Context, rules: Wild) -> tuple[str, str] | None:
    """Return why an article is not asked about (one of EXCLUDED, and the value); None where it is."""
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
    reasons = [(article, why) for article in articles if (why := excluded(article, rules))]
    return [
        reject_row(
            where="article",
            target_id=article.item_id,
            reason=reason,
            detail=detail,
            text=clean(article.subject),
        )
        for article, (reason, detail) in reasons
    ]


# ---- queries -----------------------------------------------------------------------------------------------


def query_requests(articles: Iterable[Context], writer: str, prompter: Prompter) -> list[Prompted]:
    """Return one request per article for all its queries."""
    settings = prompter.settings
    asked = []
    for article in articles:
        values = {
            "language": language(article.lang).name,
            "title": article.subject,
            "reference": article.knowledge,
        }
        messages = prompter.messages("query", **values, n=settings.wild.queries_per_article)
        request = Request(writer, messages, decoding(settings.querying))
        asked.append(Prompted(request, article.item_id, QUERY, {"lang": article.lang, "task": "article"}))
    return asked


def collect_queries(asked: Sequence[Prompted], replies: Sequence[Reply], *, n: int) -> list[dict]:
    """Return Generation rows of the query writer; an `ok` one's text is its queries, a line each."""
    answered = zip(asked, replies, strict=True)
    return [generation(question, reply, read_queries(reply.text, n)) for question, reply in answered]


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
    is_in_order = numbers == sorted(set(numbers)) and set(numbers) <= {
        (number,) for number in range(1, n + 1)
    }
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
                item = _wild_item(articles[row["item_id"]], query, number)
                items[item["item_id"]] = item
    return [items[name] for name in sorted(items)]


def _wild_item(article: Context, query: str, number: int) -> dict:
    return {
        "item_id": content_id("wild", article.item_id, number, query),
        "source": article.source,
        "task": "wild",
        "lang": article.lang,
        "group_id": article.group_id,
        "document_ids": list(article.document_ids),
        "history": "",
        "question": query,
        "right_answer": None,
        "attributes": pairs(place=number, title=article.subject, category=article.attributes.get("category")),
    }


# ---- subsets and checks ------------------------------------------------------------------------------------


def with_subsets(items: Sequence[dict], seeds: Sequence[int], seed: int) -> list[dict]:
    """Return items with `subset` and its `subset_seed`: disjoint subsets by a seeded draw, in each language
    as even as they can be; items that a source put into subsets keep theirs.
    """
    order = sorted(items, key=lambda row: (draw(seed, "subset", row["item_id"]), row["item_id"]))
    taken: dict[str, int] = {}
    subset_of = {}
    for row in order:
        number = taken[row["lang"]] = taken.get(row["lang"], -1) + 1
        subset_of[row["item_id"]] = number % len(seeds)
    rows = []
    for row in items:
        subset = subset_of[row["item_id"]]
        attributes = {"subset": str(subset), "subset_seed": str(seeds[subset])} | facts(row)
        rows.append({**row, "attributes": pairs(**attributes)})
    return rows


def check_requests(queries: Iterable[Context], checker: str, prompter: Prompter) -> list[Prompted]:
    """Return one request per query: does the lead of its article answer it?"""
    params = decoding(prompter.settings.querying.model_copy(update={"temperature": 0.0}))
    asked = []
    for query in queries:
        messages = prompter.messages("check", question=query.question, reference=query.knowledge)
        request = Request(checker, messages, params)
        asked.append(Prompted(request, query.item_id, CHECK, {"lang": query.lang, "task": "wild"}))
    return asked


def collect_checks(asked: Sequence[Prompted], replies: Sequence[Reply]) -> list[dict]:
    """Return Generation rows of the checks, with `answerable` where Yes or No was read."""
    rows = []
    for question, reply in zip(asked, replies, strict=True):
        parsed = yes_no(reply.text, "Answerable")
        cuts = {"cuts": " ".join(parsed.cuts) or None}
        if parsed.value is None:
            read = Read(reply.text, "unparsed", parsed.reason, cuts)
        else:
            read = Read(reply.text, attributes={"answerable": "yes" if parsed.value else "no", **cuts})
        rows.append(generation(question, reply, read))
    return rows


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
            asked.append(
                Prompted(request, row["item_id"], ANSWER, attributes | {"replicate": str(replicate)})
            )
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
        rows.append(
            generation(
                question, reply, Read(reply.text, attributes=attributes | {"cut": "yes" if is_cut else None})
            )
        )
    return rows


# ---- what people are given to label ------------------------------------------------------------------------


INSERTED, NATURAL = "inserted", "natural"


def annotation_tasks(
    samples: Iterable[dict],
    replies: Sequence[dict],
    contexts: Mapping[str, Context],
    rules: Labelling,
    *,
    n_natural: int,
    seed: int,
) -> list[dict]:
    """Return the annotation tasks by `task_id`: every silver sample, and `n_natural` of the replies of each
    language.

    Each names the annotators who get it: in each language and kind the first of a seeded order (`n_shared`)
    go to all, the others to one each in turn. Silver spans stand in inserted ones alone: they are shown to no
    annotator, but one is screened by them. `rate_plausibility`: the reader also rates how likely the passage
    is to fool someone.
    """
    texts = [(row["sample_id"], INSERTED, row, row["spans"]) for row in samples]
    texts += [(row["generation_id"], NATURAL, row, ()) for row in natural(replies, n_natural, seed)]
    groups: dict[tuple[str, str], list[dict]] = {}
    for task_id, kind, row, spans in sorted(texts, key=lambda text: (draw(seed, "deal", text[0]), text[0])):
        context = contexts[row["item_id"]]
        task = {
            "task_id": task_id,
            "lang": context.lang,
            "kind": kind,
            "text": row["text"],
            "reference": context.knowledge,
            "question": context.question,
            "subject": context.subject,
            "spans": [{name: span[name] for name in ("start", "end", "type")} for span in spans],
        }
        groups.setdefault((context.lang, kind), []).append(task)
    names = annotators(rules.n_annotators)
    for (_, kind), tasks in groups.items():
        shared = n_shared(kind, len(tasks), rules)
        for index, task in enumerate(tasks):
            task["annotators"] = names if index < shared else [names[(index - shared) % len(names)]]
            task["rate_plausibility"] = kind == INSERTED and index < rules.n_plausibility
    return sorted((task for tasks in groups.values() for task in tasks), key=lambda task: task["task_id"])


def natural(replies: Iterable[dict], n: int, seed: int) -> list[dict]:
    """Return `n` of the replies per language, as evenly over the models as they come: each model's are drawn
    in a seeded order, in turns.
    """
    by_lang: dict[str, list[dict]] = {}
    for row in replies:
        by_lang.setdefault(facts(row)["lang"], []).append(row)
    drawn = []
    for lang, rows in by_lang.items():
        drawn += in_turns(
            rows,
            owner=lambda row: row["model"],
            order=lambda row: (draw(seed, "natural", row["generation_id"]), row["generation_id"]),
            turn_order=lambda model, turn, lang=lang: draw(seed, "turn", lang, model, turn),
        )[:n]
    return drawn


def n_shared(kind: str, n: int, rules: Labelling) -> int:
    """Return how many of `n` texts of one kind go to every annotator: of passages `shared_rate` of the texts;
    of replies so many that they take `shared_natural_labels` of the labels.

    m shared ones take m · A of m · A + n − m labels, A annotators: m = s · n / (A − s · (A − 1)).
    """
    if kind == INSERTED:
        return round(rules.shared_rate * n)
    share, n_annotators = rules.shared_natural_labels, rules.n_annotators
    return round(share * n / (n_annotators - share * (n_annotators - 1)))


def n_labels(kind: str, n: int, rules: Labelling) -> int:
    """Return how many labels people make of `n` texts of one kind."""
    return n + (rules.n_annotators - 1) * n_shared(kind, n, rules)
