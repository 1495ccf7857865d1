import pytest

from truerate.web.extract import TAGS, decoded, of_markup
from truerate.web.guard import is_wikipedia
from truerate_world.encyclopedia import build
from truerate_world.wildhallucinations.models import pages, writing
from truerate_world.wildhallucinations.models.pages import (
    GOOD,
    KINDS,
    MOST,
    found_for,
    is_relevant,
    page_at,
    values_on_pages,
    web,
)


@pytest.fixture(scope="module")
def results(world):
    """The results of every entity, what lies behind a redirect in its place."""
    made = web(world)
    return {
        entity: [made.by_url[page.to] if page.kind == "redirect" else page for page in found]
        for entity, found in made.results.items()
    }


def test_most_entities_have_four_to_eight_good_pages_and_some_none(results):
    n = [sum(page.kind in GOOD for page in found) for found in results.values()]
    assert sum(4 <= one <= 8 for one in n) > 0.88 * len(n) and 0 in n and max(n) <= 8
    assert all(len(found) <= MOST for found in results.values())


def test_good_pages_state_about_95_percent_of_the_facts_between_them(world, results):
    rich = [
        entity for entity, found in results.items() if sum(page.kind in GOOD for page in found) >= pages.MANY
    ]
    stated = sum(len(values_on_pages(world, entity).stated) for entity in rich)
    assert 0.93 < stated / sum(len(world.entities[entity].facts) for entity in rich) < 0.97


def test_every_kind_is_planted_somewhere(results):
    planted = {page.kind for found in results.values() for page in found}
    assert planted == set(KINDS) - {"referent"}


def test_what_pages_say_can_be_read_back(world, known, results):
    for found in results.values():
        for page in found:
            if KINDS[page.kind] == "ok":
                facts = known.parser.read(writing.text_of(world, page)).facts
                assert {
                    (one.subject, one.relation): one.value for one in page.facts
                }.items() <= facts.items(), page.url


def test_each_sentence_about_the_subject_can_be_read_by_itself(world, known, results):
    page = next(
        page
        for found in results.values()
        for page in found
        if page.kind == "encyclopedia" and len(page.facts) > 3
    )
    own = [
        line
        for line in writing.text_of(world, page).split("\n")
        if known.lexicon.name(page.entity).split()[-1] in line
    ]
    read = set()
    for sentence in (part for line in own for part in known.parser.read(line).sentences):
        read |= {
            relation
            for subject, relation in known.parser.read(sentence + ".").facts
            if subject == page.entity
        }
    assert read >= {fact.relation for fact in page.facts}


def test_what_is_told_is_what_pages_say(world, known, results):
    """Replayed from the pages' texts alone: true values on good pages, wrong ones on stale, contradictory and
    namesakes' ones.
    """
    for entity, found in list(results.items())[::7]:
        own, said = world.entities[entity].facts, values_on_pages(world, entity)
        texts = {page.kind: [] for page in found} | {"stale": [], "contradiction": [], "namesake": []}
        for page in found:
            texts[page.kind].append(
                known.parser.read(writing.text_of(world, page)).facts if KINDS[page.kind] == "ok" else {}
            )
        good = {
            relation
            for kind in GOOD
            for facts in texts.get(kind, [])
            for (who, relation), value in facts.items()
            if (who, value) == (entity, own.get(relation))
        }
        assert good == set(said.stated) and all(
            own[relation] == value for relation, value in said.stated.items()
        )
        for kind, wrong in (
            ("stale", said.stale),
            ("contradiction", said.contradicted),
            ("namesake", said.namesake),
        ):
            read = {
                relation: value
                for facts in texts[kind]
                for (who, relation), value in facts.items()
                if who == entity and own[relation] != value
            }
            assert read == wrong


def test_old_pages_are_dated_and_say_less(world, results):
    old = [page for found in results.values() for page in found if page.kind == "stale"]
    assert len(old) > 20 and all(page.dated < "2010" for page in old)
    numbers = [
        (page.facts[0].value[1], world.fact(page.entity, page.facts[0].relation)[1])
        for page in old
        if page.facts[0].value[0] == "n"
    ]
    assert numbers and all(then < now for then, now in numbers)


def test_wikipedias_pages_are_of_entities_that_have_one(world, results):
    for entity, found in results.items():
        has_one = any(is_wikipedia(page.url) for page in found)
        assert not has_one or world.entities[entity].is_wikipedia
        assert (
            has_one or not world.entities[entity].is_wikipedia or not any(page.kind in GOOD for page in found)
        )


def test_some_pages_name_their_licence_and_most_do_not(world, results):
    named, good = {}, [one for found in results.values() for one in found if one.kind in GOOD]
    for one in good[:60]:
        named.setdefault(one.kind, set()).add(
            of_markup(decoded(writing.content(world, one)[0], None), TAGS).licence
        )
    assert named.pop("encyclopedia") == {"CC BY-SA 4.0"} and named.pop("fan") == {"CC BY 4.0"}
    assert len(named) > 3 and set().union(*named.values()) == {None}


def test_names_find_their_pages_and_invented_ones_none(world):
    entity = next(one for one in web(world).results if len(web(world).results[one]) > 4)
    name, alias = world.lexicon().names[entity]
    assert (
        found_for(world, name)
        == found_for(world, alias.upper())
        == found_for(world, f"who is {name}")
        == web(world).results[entity]
    )
    assert found_for(world, "Xelthoria") == found_for(world, "Felix Yexford") == found_for(world, "") == ()
    assert {page.kind for page in found_for(world, "Quennox")} == {"referent"}


def test_addresses_are_relevant_to_the_entity_that_they_are_about(world, results):
    entity, found = next(
        (entity, found)
        for entity, found in results.items()
        if {"related", "news"} <= {page.kind for page in found}
    )
    for page in found:
        assert is_relevant(world, page.url, entity) is (page.kind in pages.RELEVANT) and not is_relevant(
            world, page.url, entity + 1
        )
    assert page_at(world, "http://nowhere.invalid/") is None and not is_relevant(
        world, "http://nowhere.invalid/", entity
    )


def test_a_seed_gives_the_same_web_and_another_seed_another(world, results):
    pages.web.cache_clear()
    again = web(build(7))
    assert [page.url for found in again.results.values() for page in found] == [
        page.url for found in web(world).results.values() for page in found
    ]
    assert set(web(build(8)).by_url) != set(again.by_url)
