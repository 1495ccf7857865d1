"""WildHallucinations as the stages know it: what each part of its protocol is done by, mistakes in settings that only it can
see, and what a plan assumes of a reply that has not come: one that leads to the most further questions.

Every name is an entity of its own, every entity has pages, no reply abstains. The number of calls is therefore an upper
bound, and exact once everything is stored. Searches and pages are not model calls.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from truerate.config.layout import Layout
from truerate.core.keys import content_id
from truerate.core.mistakes import mistakes
from truerate.core.schemas import Document, frame, generation_row, pairs
from truerate.llm import Request
from truerate.llm.generation import facts, generations
from truerate.tracks.protocol import Protocol
from truerate.tracks.wildhallucinations import dataset, entities, evidence, labels, scores, steps
from truerate.tracks.wildhallucinations.entities import takedown_keys
from truerate.tracks.wildhallucinations.funnel import public_tables
from truerate.tracks.wildhallucinations.names import DOMAINS
from truerate.tracks.wildhallucinations.settings import Settings, Sizes
from truerate.web.recorded import recorded


def faults(at: Layout, board: str) -> Iterator[str]:
    """A line per mistake, which begins with the place of the setting."""
    settings = at.p.track(board)
    yield from mistakes(at.p.place(board, "takedown"), takedown_keys, settings.takedown)
    if settings.search.recorded:
        yield from mistakes(at.p.place(board, "search.recorded"), recorded, settings.search.recorded, ())
    yield from simulated_web(at, board)


def simulated_web(at: Layout, board: str) -> Iterator[str]:
    """A line where models would be asked about real entities and their pages come from a simulated web."""
    settings = at.p.track(board)
    used = {
        "search.endpoint": settings.search.endpoint if settings.search.url else None,
        "fetch.proxy": settings.fetch.proxy,
    }
    simulated = [key for key, endpoint in used.items() if endpoint and at.p.endpoints[endpoint].is_simulated]
    is_real = not at.p.source(at.p.board(board).source).is_simulated
    if simulated and is_real and at.p.models_on(board, settings.subjects):
        key = simulated[0]
        what = f"{at.p.place(board, key)} is {used[key]!r}, which is simulated, and the source of board {board!r} is not"
        yield f"{what}; name the address of a real search in search.url with endpoint: null, and proxy: null"


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
# the cue of each question about a name, and its assumed reply
_CURATED = {"Kind": "entity", "Referents": "one", "Domain": DOMAINS[-1]}


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
    from truerate.web.hosts import host_of
    from truerate.web.recorded import plain, recorded
    from truerate.web.store import PageStore

    settings = at.p.track(board)
    how, fetch = settings.search, settings.fetch
    if how.url is None:
        return
    rows = [
        row for (step, _), (replies, _) in given.items() if step == "evidence" for row in replies.to_dicts()
    ]
    names = [facts(row)["name"] for row in rows]
    known = recorded(how.recorded, names) if how.recorded else {}
    names = [name for name in names if plain(name) not in known]
    with PageStore.of(at) as store:
        scope = evidence.search_scope(at, board)
        results = (store.results(scope, name, how.n_results) for name in names)
        n_pages_of = [len(result) for result in results if result is not None]
    n_stored = len(n_pages_of)
    per_query = sum(n_pages_of) / n_stored if n_stored >= MANY_QUERIES else how.n_results
    n_new = len(names) - n_stored
    n_pages = round(n_new * per_query)
    page_source = host_of(fetch.service.url) if fetch.service else fetch.proxy or "the web"
    for step, model, n_calls, n_known, price in (
        (
            "search",
            how.endpoint or host_of(how.url),
            n_new,
            n_stored,
            how.service.price if how.endpoint is None else 0.0,
        ),
        ("fetch", page_source, n_pages, sum(n_pages_of), fetch.service.price if fetch.service else 0.0),
    ):
        calls = {"n_calls": n_calls, "n_stored": n_known}
        yield {"step": step, "model": model, **calls, "usd_low": n_calls * price, "usd_high": n_calls * price}


def _passage(place: int, own: int, *, n_passages: int, n_words: int) -> list[str]:
    """The words of the assumed page's passage at a place, one sentence: the topics that it speaks of, then others."""
    n = own * len(TOPICS)
    topics = [one for start, one in enumerate(TOPICS) if (place - own * start) % n < n_passages]
    return [*topics, *(f"page{word % 10}" for word in range(n_words))][:n_words]


def assumed_evidence(
    at: Layout, board: str, tables, upstream: dict[str, pl.DataFrame]
) -> tuple[pl.DataFrame, dict[str, pl.DataFrame]]:
    """In the place of searching: a page for every entity, with `n_passages` passages of every topic, of which it has one in
    common with the next.
    """
    kept, _ = entities.curated(at, board, tables, upstream)
    how = steps.verification(at, board)
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


class WildHallucinations(Protocol):
    """Entities from real chats, pages of the web as evidence, atomic facts, WildFactScore."""

    name = "wildhallucinations"
    settings, sizes = Settings, Sizes
    step_functions = {
        "extract": steps.extract,
        "curate": steps.curate,
        "evidence": evidence.evidence,
        "generate": steps.generate,
        "facts": steps.facts,
    }
    contexts = staticmethod(entities.contexts)
    exported = staticmethod(dataset.exported)
    queried, sliced = dataset.QUERIED, dataset.SLICED
    score = staticmethod(scores.score)
    scored, scored_columns = dataset.SCORED, dataset.SCORED_COLUMNS
    thinned = staticmethod(scores.thinned)
    label = staticmethod(labels.label)
    labelled = staticmethod(labels.labelled)
    labelled_columns = dataset.LABELLED_COLUMNS
    faults = staticmethod(faults)
    public_tables = staticmethod(public_tables)
    assumed = staticmethod(assumed)
    stand_ins = {"evidence": assumed_evidence}
    services = staticmethod(services)


PROTOCOL = WildHallucinations()
