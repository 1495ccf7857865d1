"""Why a verdict came out as it did: the kinds of error of WildHallucinations (Tables 7 and 8), derived from
what world and pages say.
"""

from collections.abc import Sequence
from functools import lru_cache

from truerate_world.domains import Value
from truerate_world.encyclopedia import World
from truerate_world.parser import FACT
from truerate_world.wildhallucinations.models.pages import KINDS as KINDS_OF_PAGES
from truerate_world.wildhallucinations.models.pages import Page, told, web
from truerate_world.wildhallucinations.models.reading import Stated, Votes, is_supported, stated_in, votes
from truerate_world.wildhallucinations.models.writing import text_of

# retrieval: a page states it, the passages at hand do not · entailment: they decide it, the verifier does not
# see it · generation: the reply is wrong · contradictory-web: pages say one thing and another · outdated: an
# old page does · unverifiable: no page speaks of it
KINDS = ("retrieval", "entailment", "generation", "contradictory-web", "outdated", "unverifiable")
CORRECT = "correct"  # a supported fact that is so


def kind_of(world: World, entity: int, fact: str, passages: Sequence[str], *, is_unsupported: bool) -> str:
    """One of KINDS, or CORRECT, for a fact with its verdict and the passages that it was checked against.

    Of several things in one fact, the first that is not right decides. A fact that cannot be read is
    unverifiable.
    """
    stated = stated_in(world, fact, entity)
    if not stated:
        return "unverifiable"
    record = votes(world, [(text, entity) for text in passages])
    kinds = [(_unsupported if is_unsupported else _supported)(world, entity, one, record) for one in stated]
    if is_unsupported:
        return next(
            (kind for one, kind in zip(stated, kinds, strict=True) if not one.is_true(world)), kinds[0]
        )
    return next((kind for kind in kinds if kind != CORRECT), CORRECT)


def _unsupported(world: World, entity: int, stated: Stated, said: Votes) -> str:
    """A thing that the verifier did not find supported."""
    if stated.kind != FACT:
        return "entailment" if stated.is_true(world) else "unverifiable"
    if not stated.is_true(world):
        return _where_wrong(world, entity, stated) or "generation"
    if is_supported(stated, said):
        return "entailment"
    if others := [
        value for value in said.get((stated.subject, stated.relation), ()) if value != stated.value
    ]:
        return "outdated" if told(world, entity).stale.get(stated.relation) in others else "contradictory-web"
    return (
        "retrieval"
        if stated.value in on_pages(world, entity).get((stated.subject, stated.relation), ())
        else "unverifiable"
    )


def _supported(world: World, entity: int, stated: Stated, said: Votes) -> str:
    """A thing that the verifier found supported."""
    if stated.is_true(world):
        return CORRECT
    return (_where_wrong(world, entity, stated) if is_supported(stated, said) else None) or "entailment"


def _where_wrong(world: World, entity: int, stated: Stated) -> str | None:
    """Which kind of page of an entity has a wrong value, None where none has."""
    if entity < 0 or stated.subject != entity or stated.kind != FACT:
        return None
    pages = told(world, entity)
    if pages.stale.get(stated.relation) == stated.value:
        return "outdated"
    wrong = (pages.contradicted.get(stated.relation), pages.namesake.get(stated.relation))
    return "contradictory-web" if stated.value in wrong else None


@lru_cache(maxsize=1024)
def on_pages(world: World, entity: int) -> dict[tuple[int, str], list[Value]]:
    """The values that the readable pages which a search gives for an entity state of each subject and relation."""
    return votes(world, [(text_of(world, page), None) for page in readable(world, entity)])


def readable(world: World, entity: int) -> list[Page]:
    """The pages that can be read of those that a search gives for an entity, in their order, where redirects
    end.
    """
    found = web(world)
    pages = [
        found.by_url[web_page.to] if web_page.kind == "redirect" else web_page
        for web_page in (found.results[entity] if entity >= 0 else ())
    ]
    return [page for page in pages if KINDS_OF_PAGES.get(page.kind) == "ok"]
