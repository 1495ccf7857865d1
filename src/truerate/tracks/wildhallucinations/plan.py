"""What a plan assumes of a reply that has not come: one that leads to the most further questions.

Every name is an entity of its own, every entity has pages, no reply abstains. The number of calls is
therefore an upper bound, and exact once everything is stored. Searches and pages are not model calls.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from truerate.config.layout import Layout
from truerate.core.keys import content_id
from truerate.core.schemas import Document, frame, generation_row, pairs
from truerate.llm import Request
from truerate.llm.generation import facts, generations
from truerate.tracks.wildhallucinations import asked_about
from truerate.tracks.wildhallucinations.domains import DOMAINS

WEB = "web"  # stands in paths where a model's alias would (graph.yaml): pages are searched for, no model is asked
PAGE = content_id("assumed page")
# a paragraph of 15 sentences, which give 30 facts: the paper's replies have 29.6 in the mean (Table 4)
SAID = " ".join(
    f"Assumed sentence {place} says of it in about as many words as there are in one of a paragraph, then ends."
    for place in range(1, 16)
)
# What assumed facts speak of: words that every English page holds, so that they find passages on pages that are known, each
# word others. Three facts speak of each, as those of a reply have passages in common: of ten facts with five passages each a
# call shows about 31; 28 were shown where it was measured (benchmarks/RESULTS.md, what a fact is shown of its evidence).
TOPICS = ("of", "in", "to", "was", "for", "with", "by", "from", "at", "on")
MANY_QUERIES = 20  # stored ones that tell how many pages a query finds
MEANT = " ".join(f"meant{n}" for n in range(8))  # words that no page holds: a fact has about ten
_CURATED = {
    "Kind": "entity",
    "Referents": "one",
    "Domain": DOMAINS[-1],
}  # the cue of each question about a name, and its assumed reply


def assumed(step: str, key: str, request: Request, settings: Any) -> str:
    """What each step's question is answered with; a subject tells a paragraph of any entity."""
    question = request.messages[-1]["content"]
    if step == "extract":  # of a reminder: the question before it holds the message
        told = (message["content"] for message in reversed(request.messages))
        question = next((text for text in told if "<data-" in text), question)
    answers = {"extract": _extracted, "curate": _curated, "facts": _checked}
    return answers[step](question) if step in answers else SAID


def _extracted(question: str) -> str:
    """The beginning of the message as its only name: one that it does not hold would be refused."""
    message = question.partition("<data-")[2].partition("\n")[2].rpartition("\n</data-")[0]
    return f"- {' '.join(message.split())[:60].rpartition(' ')[0] or 'Assumed'}"


def _curated(question: str) -> str:
    return _CURATED.get(_cue(question), _CURATED["Domain"])


def _checked(question: str) -> str:
    """Two facts per sentence, all of them supported. No word of a fact but its topic tells one passage from another."""
    if "Facts" not in _cue(question):
        return "[1] supported"
    numbers = range(2 * SAID.count("."))
    facts = (f"Assumed{n} {TOPICS[n % len(TOPICS)]} {MEANT}." for n in numbers)
    return "\n".join(f"[{1 + n // 2}] {fact}" for n, fact in enumerate(facts))


def _cue(question: str) -> str:
    """The heading that a question ends with, under which the answer is to stand."""
    return question.rsplit("#", 2)[-2].strip("#: ")


def services(at: Layout, board: str, given: Mapping) -> Iterator[dict[str, Any]]:
    """The queries that the web search would be asked, of names without recorded results, with what they cost at the
    service's price, and the pages that would be fetched: of each query as many as those that are stored found in the mean,
    where they are MANY_QUERIES or more, else `n_results`. Of queries that are stored the pages are taken for stored as well.
    """
    from truerate.tracks.wildhallucinations.evidence_steps import search_scope
    from truerate.web.hosts import host_of
    from truerate.web.recorded import plain, recorded
    from truerate.web.store import PageStore

    settings = at.p.track(board)
    how, fetch = settings.search, settings.fetch
    if how.url is None:
        return
    names = [
        row["name"] for replies, _ in _of_step(given, "evidence") for row in map(facts, replies.to_dicts())
    ]
    known = recorded(how.recorded, names) if how.recorded else {}
    names = [name for name in names if plain(name) not in known]
    with PageStore.of(at) as store:
        scope = search_scope(at, board)
        results = (store.results(scope, name, how.n_results) for name in names)
        found = [len(result) for result in results if result is not None]
    n_stored = len(found)
    per_query = sum(found) / n_stored if n_stored >= MANY_QUERIES else how.n_results
    new = len(names) - n_stored
    price = how.service.price if how.endpoint is None else 0.0
    usd = {"usd_low": new * price, "usd_high": new * price}
    yield {
        "step": "search",
        "model": how.endpoint or host_of(how.url),
        "n_calls": new,
        "n_stored": n_stored,
        **usd,
    }
    n_pages = round(new * per_query)
    usd_pages = n_pages * fetch.service.price if fetch.service else 0.0
    pages = {
        "n_calls": n_pages,
        "n_stored": sum(found),
        "usd_low": usd_pages,
        "usd_high": usd_pages,
    }
    whence = host_of(fetch.service.url) if fetch.service else fetch.proxy or "the web"
    yield {"step": "fetch", "model": whence, **pages}


def _passage(place: int, own: int, *, n_passages: int, n_words: int) -> list[str]:
    """The words of the assumed page's passage at a place, one sentence: the topics that it speaks of, then others."""
    n = own * len(TOPICS)
    topics = [one for start, one in enumerate(TOPICS) if (place - own * start) % n < n_passages]
    return [*topics, *(f"page{word % 10}" for word in range(n_words))][:n_words]


def _of_step(given: Mapping, step: str) -> list:
    return [found for (name, _), found in given.items() if name == step]


def evidence(
    at: Layout, board: str, tables, upstream: asked_about.Replies
) -> tuple[pl.DataFrame, asked_about.Replies]:
    """In the place of searching: a page for every entity, with `n_passages` passages of every topic, of which it has one in
    common with the next.
    """
    from truerate.tracks.wildhallucinations.facts_steps import verification

    kept, _ = asked_about.curated(at, board, tables, upstream)
    how = verification(at, board)
    own = max(1, how.n_passages - 1)  # passages from where one topic begins to where the next does
    text = "\n".join(
        " ".join(_passage(place, own, n_passages=how.n_passages, n_words=how.passage_words))
        for place in range(own * len(TOPICS))
    )
    page = {
        "document_id": PAGE,
        "lang": "en",
        "title": "Assumed title of a page",
        "text": text,
        "source": WEB,
        "licence": "",
        "is_wikipedia": False,
    }
    searched = [
        generation_row(
            generation_id=content_id("assumed search", row["item_id"]),
            item_id=row["item_id"],
            purpose="search",
            model=WEB,
            text="",
            attributes=pairs(name=row["question"], documents=PAGE, n_results=1),
        )
        for row in kept
        if not row["document_ids"]  # what brings its own pages is not searched for
    ]
    return generations(searched), {"documents": frame(Document, [page])}
