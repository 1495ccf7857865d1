"""WildHallucinations as the stages know it: what each part of its protocol is done by, mistakes in settings
that only it can see, and what a plan assumes of a reply that has not come: one that leads to the most further
questions.

Every name is an entity of its own, every entity has pages, no reply abstains. The number of calls is
therefore an upper bound, and exact once everything is stored. Searches and pages are not model calls.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from truerate.config.layout import Layout
from truerate.core.errors import mistakes
from truerate.core.keys import content_id
from truerate.core.schemas import Document, Score, frame, generation_row, pairs, scan
from truerate.llm.generation import facts, generations
from truerate.llm.request import Request
from truerate.metrics.score_writer import ScoreWriter
from truerate.tracks.protocol import Protocol
from truerate.tracks.wildhallucinations import dataset, entities, evidence, labels, scores, steps
from truerate.tracks.wildhallucinations.crosschecks import steps as crosschecks
from truerate.tracks.wildhallucinations.entities import takedown_keys
from truerate.tracks.wildhallucinations.funnel import page_rows, public_tables
from truerate.tracks.wildhallucinations.names import DOMAINS
from truerate.tracks.wildhallucinations.settings import Settings, Sizes
from truerate.tracks.wildhallucinations.verifying import THREE, VERIFY
from truerate.web.recorded import recorded


def faults(config: Layout, board: str) -> Iterator[str]:
    """Yield a line per mistake, which begins with the place of the setting; one where models would be asked
    about real entities and their pages come from a simulated web, and one per subject whose `base` is none.
    """
    p, settings = config.p, config.p.track(board)
    search, fetch = settings.search, settings.fetch
    yield from mistakes(p.setting_name(board, "takedown"), takedown_keys, settings.takedown)
    if search.recorded:
        yield from mistakes(p.setting_name(board, "search.recorded"), recorded, search.recorded, ())
    used = {"search.endpoint": search.endpoint if search.url else None, "fetch.proxy": fetch.proxy}
    simulated = [key for key, endpoint in used.items() if endpoint and p.endpoints[endpoint].is_simulated]
    is_real = not p.source(p.board(board).source).is_simulated
    if simulated and is_real and p.models_on(board, settings.subjects):
        key = f"{p.setting_name(board, simulated[0])} is {used[simulated[0]]!r}"
        what = f"{key}, which is simulated, and the source of board {board!r} is not"
        yield f"{what}; name the address of a real search in search.url with endpoint: null, and proxy: null"
    if settings.evidence == "claim" and search.url is None and not search.recorded:
        key = p.setting_name(board, "evidence")
        yield f"{key} is 'claim', and there is no search for claims; name one in search.service or search.url"
    for alias in settings.subjects:
        if (base := p.model(alias).base) is not None and base not in settings.subjects:
            key = p.setting_name(board, "subjects")
            yield f"{key}: {base!r} is the base of subject {alias!r} and no subject; name it too"


WEB = "web"  # stands in paths where a model's alias would (graph.yaml): no model is asked
PAGE = content_id("assumed page")
# a paragraph of 15 sentences, which give 30 facts: the paper's replies have 29.6 in the mean (Table 4)
PARAGRAPH = " ".join(
    f"Assumed sentence {number} says of it in about as many words as there are in one of a paragraph, then "
    "ends."
    for number in range(1, 16)
)
FACTS = 2 * PARAGRAPH.count(".")
# What assumed facts speak of: words that every English page holds, so that they find passages on pages that
# are known, each word others. Three facts speak of each, as those of a reply have passages in common: of ten
# facts with five passages each a call shows about 31; 28 were shown where it was measured
# (benchmarks/RESULTS.md, what a fact is shown of its evidence).
TOPICS = ("of", "in", "to", "was", "for", "with", "by", "from", "at", "on")
MANY_QUERIES = 20  # stored ones that tell how many pages a query finds
MEANT = " ".join(f"meant{n}" for n in range(8))  # words that no page holds: a fact has about ten
# the cue of each question about a name, and its assumed reply
_CURATED = {"Kind": "entity", "Referents": "one", "Domain": DOMAINS[-1]}


def assumed(step: str, key: str, request: Request, settings: Any) -> str:
    """Return what each step's question is answered with: a paragraph of any entity; of a message its
    beginning as its only name, for one that it does not hold would be refused; two facts per sentence, of
    which no word but its topic tells one passage from another; and all of them supported.
    """
    question = request.messages[-1]["content"]
    cue = question.rsplit("#", 2)[-2].strip("#: ") if "#" in question else ""  # that a question ends with
    if step == "extract":  # of a reminder: the question before it holds the message
        earlier = (message["content"] for message in reversed(request.messages))
        question = next((text for text in earlier if "<data-" in text), question)
        message = question.partition("<data-")[2].partition("\n")[2].rpartition("\n</data-")[0]
        return f"- {' '.join(message.split())[:60].rpartition(' ')[0] or 'Assumed'}"
    if step == "curate":
        return _CURATED.get(cue, _CURATED["Domain"])
    if step == "generate":
        return PARAGRAPH
    if cue == "Revised Claims":  # as they stand
        return "\n".join(line for line in question.splitlines() if line.startswith("["))
    if "Facts" not in cue:
        return "[1] supported"
    numbers = range(FACTS)
    return "\n".join(f"[{1 + n // 2}] Assumed{n} {TOPICS[n % len(TOPICS)]} {MEANT}." for n in numbers)


def services(config: Layout, board: str, replies_of: Mapping) -> Iterator[dict[str, Any]]:
    """Yield the queries that the web search would be asked, of names without recorded results, with what they
    cost at the service's price, and the pages that would be fetched: of each query as many as those that are
    stored gave in the mean, where they are MANY_QUERIES or more, else `n_results`. Of queries that are stored
    the pages are taken for stored as well.
    """
    from truerate.web.guard import host_of
    from truerate.web.recorded import plain, recorded
    from truerate.web.store import PageStore

    settings = config.p.track(board)
    search, fetch = settings.search, settings.fetch
    if search.url is None:
        return
    tables = [replies for (step, _), (replies, _) in replies_of.items() if step == "evidence"]
    names = [facts(row)["name"] for replies in tables for row in replies.to_dicts()]
    if settings.evidence == "claim":  # as many as the assumed replies hold
        subjects = config.p.models_on(board, settings.subjects)
        n_of_item = len(subjects) * settings.n_samples * FACTS
        names = [f"{name} {n}" for name in names for n in range(n_of_item)]
    stored = recorded(search.recorded, names) if search.recorded else {}
    names = [name for name in names if plain(name) not in stored]
    with PageStore.of(config) as store:
        scope = evidence.search_scope(config, board)
        results = (store.results(scope, name, search.n_results) for name in names)
        n_pages_of = [len(result) for result in results if result is not None]
    n_stored = len(n_pages_of)
    per_query = sum(n_pages_of) / n_stored if n_stored >= MANY_QUERIES else search.n_results
    n_new = len(names) - n_stored
    asked = search.endpoint or host_of(search.url)
    price = search.service.price if search.endpoint is None else 0.0
    page_source = host_of(fetch.service.url) if fetch.service else fetch.proxy or "the web"
    page_price = fetch.service.price if fetch.service else 0.0
    for step, model, n_calls, n_known, usd in (
        ("search", asked, n_new, n_stored, price),
        ("fetch", page_source, round(n_new * per_query), sum(n_pages_of), page_price),
    ):
        calls = {"n_calls": n_calls, "n_stored": n_known}
        yield {"step": step, "model": model, **calls, "usd_low": n_calls * usd, "usd_high": n_calls * usd}


def assumed_evidence(
    config: Layout, board: str, tables, upstream: dict[str, pl.DataFrame]
) -> tuple[pl.DataFrame, dict[str, pl.DataFrame]]:
    """Return what stands for searching: a page for every entity, with `n_passages` passages of every topic,
    of which it has one in common with the next. A passage is one sentence of the topics that it speaks of and
    other words.
    """
    kept, _ = entities.curated(config, board, tables, upstream)
    how = steps.verification(config, board)
    step = max(1, how.n_passages - 1)  # passages from where one topic begins to where the next does
    n, sentences = step * len(TOPICS), []
    for number in range(n):
        topics = [topic for k, topic in enumerate(TOPICS) if (number - step * k) % n < how.n_passages]
        words = [*topics, *(f"page{word % 10}" for word in range(how.passage_words))]
        sentences.append(" ".join(words[: how.passage_words]))
    page: dict[str, Any] = {
        "document_id": PAGE,
        "lang": "en",
        "title": "Assumed title of a page",
        "source": WEB,
    }
    page |= {"licence": "", "text": "\n".join(sentences), "is_wikipedia": False}
    of_search = {"purpose": "search", "model": WEB, "text": ""}
    searched = []
    for row in kept:
        if not row["document_ids"]:  # what brings its own pages is not searched for
            of_search["generation_id"] = content_id("assumed search", row["item_id"])
            attributes = pairs(name=row["question"], documents=PAGE, n_results=1)
            searched.append(generation_row(**of_search, item_id=row["item_id"], attributes=attributes))
    return generations(searched), {"documents": frame(Document, [page])}


def template(settings: Settings, purpose: str, _: Mapping[str, Any]) -> str:
    """Return the template of a reply's prompt: of a verification the one with as many verdicts as are set."""
    is_three = purpose == VERIFY and settings.verification.verdicts == "three"
    return THREE if is_three else purpose


def score(config: Layout, board: str, **tables) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return what `scores.score` does, and the sizes of the pages that the entities have, which stay on disk."""
    score_rows, outcomes = scores.score(config, board, **tables)
    source = config.p.board(board).source
    pages = scan(Document, [config.source(source, "documents"), config.dataset(board, "documents")])
    writer = ScoreWriter(board, tables["inputs"], config.p.statistics, config.p.seed)
    is_searched = not tables["generations"].filter(purpose="search").is_empty()
    rows = page_rows(tables["items"], pages, writer, is_searched=is_searched)
    return pl.concat([score_rows, frame(Score, rows)]), outcomes


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
        "cite": crosschecks.cite,
        "reverify": crosschecks.reverify,
    }
    contexts = staticmethod(entities.contexts)
    text_notes = staticmethod(entities.text_notes)
    exported = staticmethod(dataset.exported)
    queried, sliced = dataset.QUERIED, dataset.SLICED
    score = staticmethod(score)
    scored, scored_columns = dataset.SCORED, dataset.SCORED_COLUMNS
    pruned = staticmethod(scores.pruned)
    label = staticmethod(labels.label)
    labelled = staticmethod(labels.labelled)
    labelled_columns = dataset.LABELLED_COLUMNS
    faults = staticmethod(faults)
    public_tables = staticmethod(public_tables)
    assumed = staticmethod(assumed)
    template = staticmethod(template)
    stand_ins = {"evidence": assumed_evidence}
    services = staticmethod(services)


PROTOCOL = WildHallucinations()
