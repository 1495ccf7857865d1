"""In the wild (mFAVA section 4.1, appendix A.5): articles, queries about them, whether their lead answers the
queries, and replies to the query alone.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from truerate.annotation.tasks import annotators, in_turns
from truerate.core.keys import content_id, draw, page_key
from truerate.core.schemas import pairs, reject_row
from truerate.core.text import clean
from truerate.llm import Reply, Request, prompts
from truerate.llm.generation import Prompted, Read, decoding, facts, generation
from truerate.llm.replies import marks
from truerate.llm.replies.cutting import emphasis, opened, quotes, unfenced
from truerate.llm.replies.verdicts import yes_no
from truerate.tracks.mfava import replies as found_in
from truerate.tracks.mfava.context import Context, language
from truerate.tracks.mfava.settings import Labelling, Settings, Wild

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
    """Why an article is not asked about (one of EXCLUDED, and what was met), None where it is. What is not
    known does not exclude.
    """
    known = article.known
    if not article.knowledge.strip():
        return "no-lead", "no text before the first heading"
    if (n := int(known.get("n_characters", rules.min_characters))) < rules.min_characters:
        return "too-short", f"{n} characters; at least {rules.min_characters}"
    if "depth" in known and float(known["depth"]) < rules.min_depth:
        return "too-shallow", f"depth {known['depth']}; at least {rules.min_depth:g}"
    tags = {page_key(tag) for tag in known.get("tags", "").split(";")}
    shut = [tag for tag in rules.excluded_tags if page_key(tag) in tags]
    return ("excluded-tag", shut[0]) if shut else None


def rejected_articles(articles: Iterable[Context], rules: Wild) -> list[dict]:
    """Reject rows of the articles that are not asked about."""
    rows = []
    for article in articles:
        if (why := excluded(article, rules)) is not None:
            shown = clean(article.subject)
            rows.append(
                reject_row(
                    where="article", target_id=article.item_id, reason=why[0], detail=why[1], text=shown
                )
            )
    return rows


# ---- queries -----------------------------------------------------------------------------------------------


def query_requests(
    articles: Sequence[Context], writer: str, settings: Settings, *, prompts_dir: str | None
) -> list[Prompted]:
    """One request per article for all its queries."""
    asked, decoded = [], decoding(settings.querying)
    for article in articles:
        values = {
            "language": language(article.lang).name,
            "title": article.subject,
            "reference": article.knowledge,
        }
        messages = prompts.render(
            "mfava", "query", prompts_dir, **values, n=settings.wild.queries_per_article
        )
        asked.append(
            Prompted(
                Request(writer, tuple(messages), decoded),
                article.item_id,
                QUERY,
                {"lang": article.lang, "task": "article"},
            )
        )
    return asked


def collect_queries(asked: Sequence[Prompted], answered: Sequence[Reply], *, n: int) -> list[dict]:
    """Generation rows of the query writer; the text of an `ok` one is its queries, a line each."""
    return [
        generation(one, reply, read_queries(reply.text, n))
        for one, reply in zip(asked, answered, strict=True)
    ]


def read_queries(text: str, n: int) -> Read:
    """The questions of the lines `1. …` to `n. …`, in whatever marks, and what frames them left; else the
    reason (REASONS). A line of more than a heading or a greeting beside them is malformed.

    Fewer than were asked are kept, as in the paper, and so is one of two that are the same; `detail` tells it.
    """
    answer, cut = opened(text)
    if not answer:
        return Read(text, "unparsed", "empty")
    lines = [line for line in marks.lines_of(unfenced(answer).text, NOUNS) if line.text]
    numbered = [line.entry for line in lines if line.entry and line.entry.text]
    if not numbered:
        return Read(text, "unparsed", "absent")
    is_framed = all(line.entry or _FRAME.fullmatch(line.text) for line in lines)
    numbers = [entry.numbers for entry in numbered]
    is_in_order = numbers == sorted(set(numbers)) and set(numbers) <= {(place,) for place in range(1, n + 1)}
    if not is_framed or not is_in_order:
        return Read(
            text,
            "unparsed",
            "malformed",
            {"detail": f"{len(numbered)} of {len(lines)} lines are numbered; {n} were asked"},
        )
    queries = [quotes(emphasis(entry.text)).text for entry in numbered]
    different = list({query.casefold(): query for query in reversed(queries)}.values())[::-1]
    detail = f"{len(different)} of {n} queries" if len(different) < n else None
    return Read("\n".join(different), attributes={"cuts": " ".join(cut) or None, "detail": detail})


def wild_items(rows: Iterable[dict], articles: dict[str, Context]) -> list[dict]:
    """The Item rows of all queries that were read, sorted by id, without their subsets."""
    made = {}
    for row in rows:
        if row["purpose"] == QUERY and row["status"] == "ok":
            for place, query in enumerate(row["text"].split("\n")):
                one = _wild_item(articles[row["item_id"]], query, place)
                made[one["item_id"]] = one
    return [made[name] for name in sorted(made)]


def _wild_item(article: Context, query: str, place: int) -> dict:
    return {
        "item_id": content_id("wild", article.item_id, place, query),
        "source": article.source,
        "task": "wild",
        "lang": article.lang,
        "group_id": article.group_id,
        "document_ids": list(article.document_ids),
        "history": "",
        "question": query,
        "right_answer": None,
        "attributes": pairs(place=place, title=article.subject, category=article.known.get("category")),
    }


# ---- subsets and checks ------------------------------------------------------------------------------------


def subsets(items: Iterable[tuple[str, str]], n: int, seed: int) -> dict[str, int]:
    """Which of `n` disjoint subsets each item (id, language) is in: a seeded draw, in each language as even
    as it can be.
    """
    by_lang: dict[str, list[str]] = {}
    for item_id, lang in items:
        by_lang.setdefault(lang, []).append(item_id)
    drawn = {
        lang: sorted(ids, key=lambda name: (draw(seed, "subset", name), name))
        for lang, ids in by_lang.items()
    }
    return {name: place % n for ids in drawn.values() for place, name in enumerate(ids)}


def with_subsets(items: Sequence[dict], seeds: Sequence[int], seed: int) -> list[dict]:
    """Items with `subset` and its `subset_seed`; those that a source put into subsets keep theirs."""
    of = subsets(((row["item_id"], row["lang"]) for row in items), len(seeds), seed)
    return [_in_subset(row, of[row["item_id"]], seeds) for row in items]


def _in_subset(row: dict, subset: int, seeds: Sequence[int]) -> dict:
    known = {"subset": str(subset), "subset_seed": str(seeds[subset])} | facts(row)
    return {**row, "attributes": pairs(**known)}


def with_answerable(items: Sequence[dict], checks: Iterable[dict]) -> list[dict]:
    """Items with `answerable` (yes, no) where the check of it was read."""
    said = {
        row["item_id"]: facts(row)["answerable"]
        for row in checks
        if row["purpose"] == CHECK and row["status"] == "ok"
    }
    return [
        {**row, "attributes": pairs(**facts(row) | {"answerable": said.get(row["item_id"])})} for row in items
    ]


def check_requests(
    queries: Sequence[Context], checker: str, settings: Settings, *, prompts_dir: str | None
) -> list[Prompted]:
    """One request per query: does the lead of its article answer it?"""
    asked, decoded = [], decoding(settings.querying.model_copy(update={"temperature": 0.0}))
    for query in queries:
        messages = prompts.render(
            "mfava", "check", prompts_dir, question=query.question, reference=query.knowledge
        )
        asked.append(
            Prompted(
                Request(checker, tuple(messages), decoded),
                query.item_id,
                CHECK,
                {"lang": query.lang, "task": "wild"},
            )
        )
    return asked


def collect_checks(asked: Sequence[Prompted], answered: Sequence[Reply]) -> list[dict]:
    """Generation rows of the checks, with `answerable` where Yes or No was read."""
    return [
        generation(one, reply, _read_check(reply.text)) for one, reply in zip(asked, answered, strict=True)
    ]


def _read_check(text: str) -> Read:
    found = yes_no(text, "Answerable")
    cuts = {"cuts": " ".join(found.cuts) or None}
    if found.value is None:
        return Read(text, "unparsed", found.reason, cuts)
    return Read(text, attributes={"answerable": "yes" if found.value else "no", **cuts})


# ---- replies -----------------------------------------------------------------------------------------------


def answer_requests(
    items: Sequence[dict], subject: str, settings: Settings, *, prompts_dir: str | None
) -> list[Prompted]:
    """The query alone, once per replicate, with the seed of its subset (the first replicate is the paper's)."""
    asked, decoded = [], settings.answering.model_dump()
    for row in items:
        known = facts(row)
        messages = tuple(prompts.render("mfava", "answer", prompts_dir, query=row["question"]))
        for replicate in range(settings.wild.replicates):
            request = Request(
                subject,
                messages,
                decoded | {"seed": int(known["subset_seed"]) + SEED_STEP * replicate},
                replicate,
            )
            more = {name: known[name] for name in ("subset", "subset_seed")} | {"replicate": str(replicate)}
            kept = {"lang": row["lang"], "task": "wild", "group_id": row["group_id"], **more}
            asked.append(Prompted(request, row["item_id"], ANSWER, kept))
    return asked


def collect_answers(
    asked: Sequence[Prompted], answered: Sequence[Reply], declared: Sequence[str]
) -> list[dict]:
    """Generation rows of the replies as they came, with what was found in them. One that was cut and not kept
    is `dead`, and `cut`.
    """
    rows = []
    for one, reply in zip(asked, answered, strict=True):
        marks = found_in.marks(reply.text, one.attributes["lang"], declared) if reply.status == "ok" else {}
        is_cut = reply.finish_reason == "length" or reply.reason == "length"
        rows.append(
            generation(one, reply, Read(reply.text, attributes=marks | {"cut": "yes" if is_cut else None}))
        )
    return rows


# ---- What people are given to label: inserted passages and replies in the w --------------------------------


INSERTED, NATURAL = "inserted", "natural"


def annotation_tasks(
    samples: Sequence[dict],
    replies: Sequence[dict],
    contexts: Mapping[str, Context],
    rules: Labelling,
    *,
    n_natural: int,
    seed: int,
) -> list[dict]:
    """The annotation tasks, sorted by `task_id`: every silver sample, and `n_natural` of the replies of each
    language.

    Each names the annotators who get it. Silver spans stand in inserted ones alone: they are shown to no
    annotator, but one is screened by them. `rate_plausibility`: the reader also rates how likely the passage
    is to fool someone.
    """
    inserted = [
        _task(row["sample_id"], INSERTED, row["text"], contexts[row["item_id"]], row["spans"])
        for row in samples
    ]
    wild = [
        _task(row["generation_id"], NATURAL, row["text"], contexts[row["item_id"]], ())
        for row in natural(replies, n_natural, seed)
    ]
    return sorted(_dealt([*inserted, *wild], rules, seed), key=lambda task: task["task_id"])


def natural(replies: Sequence[dict], n: int, seed: int) -> list[dict]:
    """`n` of the replies per language, as evenly over the models as they come: each model's are drawn in a
    seeded order, in turns.
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


def _task(task_id: str, kind: str, text: str, context: Context, spans: Sequence[dict]) -> dict:
    return {
        "task_id": task_id,
        "lang": context.lang,
        "kind": kind,
        "text": text,
        "reference": context.knowledge,
        "question": context.question,
        "subject": context.subject,
        "spans": [{name: span[name] for name in ("start", "end", "type")} for span in spans],
    }


def _dealt(tasks: Sequence[dict], rules: Labelling, seed: int) -> list[dict]:
    """The tasks with `annotators` and `rate_plausibility`.

    In each language and kind the first of a seeded order (`n_shared`) go to all annotators, the others to one
    each in turn.
    """
    names = annotators(rules.n_annotators)
    groups: dict[tuple[str, str], list[dict]] = {}
    for task in sorted(tasks, key=lambda task: (draw(seed, "deal", task["task_id"]), task["task_id"])):
        groups.setdefault((task["lang"], task["kind"]), []).append(task)
    dealt = []
    for (_, kind), group in groups.items():
        shared = n_shared(kind, len(group), rules)
        for index, task in enumerate(group):
            task["annotators"] = names if index < shared else [names[(index - shared) % len(names)]]
            task["rate_plausibility"] = kind == INSERTED and index < rules.n_plausibility
            dealt.append(task)
    return dealt


def n_shared(kind: str, n: int, rules: Labelling) -> int:
    """How many of `n` texts of one kind go to every annotator: of passages `shared_rate` of the texts; of
    replies so many that they take `shared_natural_labels` of the labels.

    m shared ones take m · A of m · A + n − m labels, A annotators: m = s · n / (A − s · (A − 1)).
    """
    if kind == INSERTED:
        return round(rules.shared_rate * n)
    share, annotators = rules.shared_natural_labels, rules.n_annotators
    return round(share * n / (annotators - share * (annotators - 1)))


def n_labels(kind: str, n: int, rules: Labelling) -> int:
    """How many labels people make of `n` texts of one kind."""
    return n + (rules.n_annotators - 1) * n_shared(kind, n, rules)
