"""The pages of the web: those of each entity, what each says and what is wrong with it. Most entities have 4
to 8 good pages that state about 95 % of their facts; a few have one or none. Others are old, wrong, about a
namesake, behind a login, broken, endless or missing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from truerate_world.data import beside
from truerate_world.distractors import far_values, wrong_value
from truerate_world.domains import RELATIONS, Value
from truerate_world.draws import draw, pick, shuffled
from truerate_world.encyclopedia import Entity, World
from truerate_world.wildhallucinations.models.planted import AMBIGUOUS, names_in, planted_as
from truerate_world.writer import Fact, facts_of

_DATA = beside(__file__)

MOST = 10  # results of a search
ON_WEB = 0.95  # share of facts that any good page states
MANY = 4  # good pages from which an entity's pages state all that the web has
N_CHAIN = 9  # redirects of a chain that is too long

# What a page is -> what becomes of it when it is fetched under the usual limits.
GOOD = _DATA["good"]
KINDS = dict.fromkeys(GOOD, "ok") | _DATA["kinds"]
OUTCOMES = tuple(dict.fromkeys(KINDS.values()))
RELEVANT = (*GOOD, "stale", "contradiction", "duplicate")
_PLANTED = _DATA["planted"]
_SPECIAL = _DATA["special"]
_CHANGING = _DATA["changing"]
_HOSTS = _DATA["hosts"]
_HOST = _DATA["host"]
PRIVATE = _DATA["private"]


@dataclass(frozen=True)
class Page:
    """One address: `facts` right or wrong, `to` where it redirects, `dated` its own ISO date."""

    url: str
    kind: str
    entity: int | None
    title: str
    facts: tuple[Fact, ...] = ()
    dated: str | None = None
    to: str | None = None

    @property
    def key(self) -> str:
        """What the draws of its wording hang on: two addresses of one text share it."""
        return self.to if self.kind == "duplicate" and self.to else self.url


class PageValues(NamedTuple):
    """The values of an entity on its pages, by relation: true ones on good pages, wrong ones by kind."""

    stated: dict[str, Value]
    contradicted: dict[str, Value]
    stale: dict[str, Value]
    namesake: dict[str, Value]


class Web(NamedTuple):
    """All pages: the results of each entity and ambiguous name, and every page by its address."""

    results: dict[int, tuple[Page, ...]]
    referents: dict[str, tuple[Page, ...]]
    by_url: dict[str, Page]


def values_on_pages(world: World, entity: int) -> PageValues:
    """What the pages that a search gives for an entity say of it."""
    values, facts = PageValues({}, {}, {}, {}), world.entities[entity].facts
    of_kind = dict.fromkeys(GOOD, values.stated)
    of_kind |= {"contradiction": values.contradicted, "stale": values.stale, "namesake": values.namesake}
    for page in shown_pages(world, entity):
        for fact in page.facts if page.kind in of_kind else ():
            if (facts[fact.relation] == fact.value) == (page.kind in GOOD):
                of_kind[page.kind][fact.relation] = fact.value
    return values


def shown_pages(world: World, entity: int) -> list[Page]:
    """The pages of a search for an entity in their order, where redirects end; none for NOBODY."""
    results = web(world).results[entity] if entity >= 0 else ()
    return [web(world).by_url[page.to] if page.kind == "redirect" else page for page in results]


def page_at(world: World, url: str) -> Page | None:
    """The page at an address, None where there is none."""
    return web(world).by_url.get(url)


def is_relevant(world: World, url: str, entity: int) -> bool:
    """Whether the page at an address is about an entity."""
    page = page_at(world, url)
    return page is not None and page.entity == entity and page.kind in RELEVANT


def found_for(world: World, query: str) -> tuple[Page, ...]:
    """Return the results of a query: those of the name that it is, or of the first name in it."""
    named = planted_as(world, query) or next(iter(names_in(world, query)), None)
    if named is None:
        return ()
    if named.entity is not None:
        return web(world).results[named.entity]
    by_name = {name.casefold(): pages for name, pages in web(world).referents.items()}
    return by_name.get(named.surface.casefold(), ())


@lru_cache(maxsize=2)
def web(world: World) -> Web:
    """The whole web of a world."""
    results, by_url = {}, {}
    for entity in world.entities:
        results[entity.index], behind = _pages(world, entity)
        by_url |= {page.url: page for page in (*behind, *results[entity.index])}
    referents = {name: _referents(world, name) for name in AMBIGUOUS}
    by_url |= {page.url: page for pages in referents.values() for page in pages}
    return Web(results, referents, by_url)


def _pages(world: World, entity: Entity) -> tuple[tuple[Page, ...], list[Page]]:
    """The results of one entity in their order, and the pages that lie behind redirects."""
    key = (world.seed, "web", entity.index)
    good = _good(world, entity, *key)
    behind: list[Page] = []
    shown = []
    for page in good:
        if page.kind == "moved":
            behind.append(page)
            url = f"http://go.short-links.invalid/r/{_slug(world, entity)}"
            page = Page(url, "redirect", entity.index, page.title, to=page.url)
        shown.append(page)
    kinds = [kind for kind, rate in _PLANTED.items() if draw(*key, kind) < rate]
    poor = [page for kind in kinds for page in _poor(world, entity, kind, good, *key)]
    behind += [step for page in poor for step in _steps(page)]
    first = [page for page in shown if page.kind == "encyclopedia" and draw(*key, "first") < 0.8]
    kept = shuffled(poor, *key, "poor")[: MOST - len(shown)]
    return (*first, *shuffled([page for page in [*shown, *kept] if page not in first], *key, "order")), behind


def _good(world: World, entity: Entity, *key: object) -> list[Page]:
    """Return the good pages: the encyclopedia's, and others with some of the facts on the web."""
    n = _n_good(entity, *key)
    facts = facts_of(world, entity.index)
    on_web = [fact for fact in facts if draw(*key, "on web", fact.relation) < ON_WEB] or facts[:1]
    kinds = ["encyclopedia"] if entity.is_wikipedia and n else []
    kinds += [pick(("news", "blog", "fan"), *key, "kind", count) for count in range(len(kinds), n)]
    for special, rate in _SPECIAL.items():
        if len(kinds) > 1 and draw(*key, special) < rate:
            kinds[1 + int(draw(*key, special, "place") * (len(kinds) - 1))] = special
    shares = [0.9 if kind == "encyclopedia" else 0.5 for kind in kinds]
    chosen = [
        [fact for fact in on_web if draw(*key, "states", index, fact.relation) < share]
        for index, share in enumerate(shares)
    ]
    if n >= MANY:
        for fact in on_web:
            if not any(fact in some for some in chosen):
                chosen[int(draw(*key, "covers", fact.relation) * n)].append(fact)
    chosen = [some or [pick(on_web, *key, "at least", index)] for index, some in enumerate(chosen)]
    return [
        _page(world, entity, kind, some, *key, index)
        for index, (kind, some) in enumerate(zip(kinds, chosen, strict=True))
    ]


def _n_good(entity: Entity, *key: object) -> int:
    """How many good pages an entity has: 4 to 8, more for a popular one; in some cases none, one or two."""
    few = draw(*key, "few")
    if few < 0.08:
        return int(few / 0.08 * 3)
    return MANY + int(5 * (0.7 * draw(*key, "n") + 0.3 * entity.popularity))


def _page(world: World, entity: Entity, kind: str, facts: Sequence[Fact], *key: object) -> Page:
    """A page that says some facts of an entity in an order of its own."""
    name, slug = world.lexicon().name(entity.index), _slug(world, entity)
    year = 2003 + int(draw(*key, "year") * 6) if kind == "stale" else 2016 + int(draw(*key, "year") * 8)
    dated = f"{year}-{1 + int(draw(*key, 'month') * 12):02d}-{1 + int(draw(*key, 'day') * 28):02d}"
    host = _HOST.get(kind) or pick(_HOSTS.get(kind, _HOSTS["blog"]), *key, "host")
    if kind == "encyclopedia":
        url, title = f"http://{host}/wiki/{name.replace(' ', '_')}", name
    else:
        url = f"http://{host}/{year}/{dated[5:7]}/{slug}-{int(draw(*key, 'number') * 9000) + 1000}"
        title = pick(_DATA["titles"], *key, "title").format(name)
    return Page(url, kind, entity.index, title, tuple(shuffled(list(facts), *key, "facts")), dated)


def _poor(world: World, entity: Entity, kind: str, good: Sequence[Page], *key: object) -> list[Page]:
    """The page of a kind that is no good one; none where the entity has nothing to make it of."""
    key = (*key, kind)
    facts = facts_of(world, entity.index)
    some = shuffled(facts, *key, "part")[:2]
    page = _page(world, entity, kind, some, *key)
    host, slug = page.url.split("/")[2], _slug(world, entity)
    if kind == "stale":
        old = [_once(world, fact, *key) for fact in facts if fact.relation in _CHANGING]
        return [replace(page, facts=(old[0],))] if old else []
    if kind == "contradiction":
        return [replace(page, facts=(_wrong(world, some[0], *key), *some[1:]))]
    if kind == "namesake":
        others = [_wrong(world, fact, *key, is_far=True) for fact in shuffled(facts, *key, "others")[:2]]
        return [replace(page, facts=tuple(others), title=f"Another {world.lexicon().name(entity.index)}")]
    if kind == "related":
        mate = min(world.near[entity.index], key=lambda index: draw(*key, index))
        facts = tuple(facts_of(world, mate)[:3])
        return [replace(page, facts=facts, title=f"All about {world.lexicon().name(mate)}")]
    if kind == "duplicate":
        copied = next((web_page for web_page in good if web_page.kind in ("news", "blog", "fan")), None)
        url = f"http://mirror-of-{copied.url.split('/')[2]}/{slug}" if copied else ""
        return [replace(copied, url=url, kind=kind, to=copied.url)] if copied else []
    if kind == "private":
        return [replace(page, url=f"{pick(PRIVATE, *key)}/{slug}")]
    if kind in ("circle", "chain"):
        first, second = (f"http://{host}/{kind}/{step}/{slug}" for step in (0, 1))
        return [replace(page, url=first, to=second, facts=())]
    if kind == "disallowed":
        return [replace(page, url=f"http://{host}/members/{slug}")]
    return [replace(page, url=page.url + ".pdf" if kind == "pdf" else page.url)]


def _steps(page: Page) -> list[Page]:
    """The addresses behind one that redirects in a circle or too often."""
    if page.kind == "circle":
        return [replace(page, url=page.to, to=page.url)]
    if page.kind != "chain":
        return []
    before, _, slug = page.to.rpartition("/1/")
    urls = [f"{before}/{step}/{slug}" for step in range(1, N_CHAIN + 1)]
    return [replace(page, url=url, to=to) for url, to in pairwise(urls)]


def _once(world: World, fact: Fact, *key: object) -> Fact:
    """What was once true: a smaller number, or another value."""
    if fact.value[0] != "n":
        return _wrong(world, fact, *key)
    span = RELATIONS[fact.relation]
    smaller = int(fact.value[1] * (0.55 + 0.3 * draw(*key, "once"))) // span.step * span.step
    return fact._replace(value=("n", max(span.step, smaller)))


def _wrong(world: World, fact: Fact, *key: object, is_far: bool = False) -> Fact:
    """The fact with a wrong value."""
    key = (*key, fact.relation)
    far = far_values(world, fact.value, fact.relation, *key) if is_far else []
    value = pick(far, *key, "far one") if far else wrong_value(world, fact.value, fact.relation, *key)
    return fact._replace(value=value)


def _referents(world: World, name: str) -> tuple[Page, ...]:
    """Two pages about each thing that an ambiguous name may mean."""
    pages = []
    for index, referent in enumerate(AMBIGUOUS[name]):
        for kind in ("news", "blog"):
            url = f"http://{pick(_HOSTS[kind], world.seed, name, index)}/{name.lower()}-{index}"
            pages.append(Page(url, "referent", None, f"{name}, {referent.what}"))
    return tuple(shuffled(pages, world.seed, "referents", name))


def _slug(world: World, entity: Entity) -> str:
    return "-".join(world.lexicon().name(entity.index).lower().split())
