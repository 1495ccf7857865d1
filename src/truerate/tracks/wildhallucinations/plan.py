"""What a board would ask, step by step, without asking: stored replies are used, missing ones are assumed.

An assumed reply is one that leads to the most further questions: every name is an entity of its own, every
entity has pages, no reply abstains. The number of calls is therefore an upper bound, and exact once
everything is stored. Searches and pages are not model calls.
"""

from collections.abc import Callable
from pathlib import Path

import polars as pl

from truerate.config.layout import Layout, beside
from truerate.core.keys import content_id
from truerate.core.schemas import Document, frame, pairs, read_parquet
from truerate.llm import Reply, Request
from truerate.llm.dry_run import DryRun, Planned, assumed_reply
from truerate.llm.generation import generations
from truerate.tracks.wildhallucinations import asked_about, scratch
from truerate.tracks.wildhallucinations.domains import DOMAINS
from truerate.tracks.wildhallucinations.wiring import WEB, evidence

PAGE = content_id("assumed page")
SAID = " ".join(
    f"Assumed sentence {place} says something." for place in range(1, 9)
)  # a paragraph as long as they come
_CURATED = {
    "Kind": "entity",
    "Referents": "one",
    "Domain": DOMAINS[-1],
}  # the cue of each question about a name, and its assumed reply


def planned(at: Layout, board: str, tables) -> list[Planned]:
    """Every step of the board with what it asks, in the order of the build. `tables` are the source's."""
    settings = at.p.track(board)
    made: list[Planned] = []

    def note(
        step: str, model: str | None, upstream: asked_about.Replies, said: Callable[[str, Request], Reply]
    ) -> pl.DataFrame:
        if model is None or not at.p.models_on(board, [model]):
            return generations([])
        dry_run, run = DryRun(said), getattr(scratch, step)
        found = [
            run(at, board, model, tables, shard, upstream, asking=dry_run) for shard in range(at.p.n_shards)
        ]
        of_each: dict[str, list[Request]] = {}
        for request in dry_run.asked:
            of_each.setdefault(request.model, []).append(request)
        made.extend(Planned(step, name, requests) for name, requests in of_each.items())
        return pl.concat([one[0] if isinstance(one, tuple) else one for one in found])

    upstream = {"extract": note("extract", settings.extractor, {}, _extracted)}
    upstream["curate"] = note("curate", settings.curator, upstream, _curated)
    upstream |= _pages(at, board, tables, upstream)
    for subject in settings.subjects:
        replies = note("generate", subject, upstream, lambda key, request: assumed_reply(key, SAID))
        note("facts", subject, upstream | {"generate": replies}, _checked)
    return made


def _extracted(key: str, request: Request) -> Reply:
    """The beginning of the message as its only name: one that it does not hold would be refused."""
    message = (
        request.messages[-1]["content"].partition("<data-")[2].partition("\n")[2].rpartition("\n</data-")[0]
    )
    return assumed_reply(key, f"- {' '.join(message.split())[:60].rpartition(' ')[0] or 'Assumed'}")


def _curated(key: str, request: Request) -> Reply:
    cue = request.messages[-1]["content"].rsplit("#", 2)[-2].strip("#: ")
    return assumed_reply(key, _CURATED.get(cue, _CURATED["Domain"]))


def _checked(key: str, request: Request) -> Reply:
    """Two facts per sentence, all of them supported."""
    numbers = range(1, 1 + SAID.count("."))
    is_writing = "Facts" in request.messages[-1]["content"].rsplit("#", 2)[-2]
    lines = (
        [f"[{number}] Assumed fact {number} {turn}." for number in numbers for turn in "ab"]
        if is_writing
        else []
    )
    return assumed_reply(key, "\n".join(lines) or "[1] supported")


def _pages(at: Layout, board: str, tables, upstream: asked_about.Replies) -> asked_about.Replies:
    """The pages that a build of this very board has found, else one for every entity."""
    made = evidence(at, board)
    if made and all(Path(path).is_file() for path in made):
        documents = [read_parquet(beside(path, "documents")) for path in made]
        return {
            "evidence": pl.concat(map(read_parquet, made)),
            "documents": pl.concat(documents).unique("document_id", keep="first"),
        }
    kept, _ = asked_about.curated(at, board, tables, upstream)
    page = {
        "document_id": PAGE,
        "lang": "en",
        "title": "",
        "text": SAID,
        "source": WEB,
        "licence": "",
        "is_wikipedia": False,
    }
    searched = [
        {
            "generation_id": content_id("assumed search", row["item_id"]),
            "item_id": row["item_id"],
            "purpose": "search",
            "model": WEB,
            "sample_index": 0,
            "params": "{}",
            "text": "",
            "status": "ok",
            "prompt_key": "",
            "cost_usd": 0.0,
            "attributes": pairs(name=row["question"], documents=PAGE, n_results=1),
        }
        for row in kept
    ]
    return {"evidence": generations(searched), "documents": frame(Document, [page])}
