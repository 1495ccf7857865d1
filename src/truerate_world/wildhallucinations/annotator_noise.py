"""The kinds of error of WildHallucinations (Tables 7 and 8), derived from world and pages."""

from collections.abc import Sequence
from functools import lru_cache

from truerate_world.domains import Value
from truerate_world.encyclopedia import World
from truerate_world.parser import FACT
from truerate_world.wildhallucinations.models import pages
from truerate_world.wildhallucinations.models.pages import Page, shown_pages, values_on_pages
from truerate_world.wildhallucinations.models.reading import Stated, Votes, is_supported, stated_in, votes
from truerate_world.wildhallucinations.models.writing import text_of

# retrieval: a page states it, the passages at hand do not · entailment: they decide it, the verifier does not
# see it · generation: the reply is wrong · contradictory-web: pages say one thing and another · outdated: an
# old page does · unverifiable: no page speaks of it
KINDS = ("retrieval", "entailment", "generation", "contradictory-web", "outdated", "unverifiable")
CORRECT = "correct"  # a supported fact that is so


def kind_of(world: World, entity: int, fact: str, passages: Sequence[str], *, is_unsupported: bool) -> str:
    """Return one of KINDS or CORRECT for a fact, its verdict and its passages; the first
    thing that is not right decides, an unreadable fact is unverifiable.
    """
    stated = stated_in(world, fact, entity)
    if not stated:
        return "unverifiable"
    record = votes(world, [(text, entity) for text in passages])
    kind_of_one = _unsupported if is_unsupported else _supported
    kinds = [kind_of_one(world, entity, statement, record) for statement in stated]
    if is_unsupported:
        wrong = [kind for statement, kind in zip(stated, kinds, strict=True) if not statement.is_true(world)]
        return (wrong or kinds)[0]
    return next((kind for kind in kinds if kind != CORRECT), CORRECT)


def _unsupported(world: World, entity: int, stated: Stated, values_by_fact: Votes) -> str:
    """A thing that the verifier did not find supported."""
    if stated.kind != FACT:
        return "entailment" if stated.is_true(world) else "unverifiable"
    if not stated.is_true(world):
        return _where_wrong(world, entity, stated) or "generation"
    if is_supported(stated, values_by_fact):
        return "entailment"
    fact = (stated.subject, stated.relation)
    if others := [value for value in values_by_fact.get(fact, ()) if value != stated.value]:
        is_old = values_on_pages(world, entity).stale.get(stated.relation) in others
        return "outdated" if is_old else "contradictory-web"
    return "retrieval" if stated.value in on_pages(world, entity).get(fact, ()) else "unverifiable"


def _supported(world: World, entity: int, stated: Stated, values_by_fact: Votes) -> str:
    """A thing that the verifier found supported."""
    if stated.is_true(world):
        return CORRECT
    return (
        _where_wrong(world, entity, stated) if is_supported(stated, values_by_fact) else None
    ) or "entailment"


def _where_wrong(world: World, entity: int, stated: Stated) -> str | None:
    """Which kind of page of an entity has a wrong value, None where none has."""
    if entity < 0 or stated.subject != entity or stated.kind != FACT:
        return None
    values = values_on_pages(world, entity)
    if values.stale.get(stated.relation) == stated.value:
        return "outdated"
    wrong = (values.contradicted.get(stated.relation), values.namesake.get(stated.relation))
    return "contradictory-web" if stated.value in wrong else None


@lru_cache(maxsize=1024)
def on_pages(world: World, entity: int) -> dict[tuple[int, str], list[Value]]:
    """The values that the readable pages of a search for an entity state, by subject and relation."""
    return votes(world, [(text_of(world, page), None) for page in readable(world, entity)])


def readable(world: World, entity: int) -> list[Page]:
    """Return the readable pages of a search for an entity, in order, where redirects end."""
    return [page for page in shown_pages(world, entity) if pages.KINDS.get(page.kind) == "ok"]
