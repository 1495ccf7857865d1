import re
import time

import pytest

from truerate.core.errors import TruerateError
from truerate_world import encyclopedia
from truerate_world.domains import DOMAINS, N_CATEGORY, RELATIONS
from truerate_world.encyclopedia import build


def test_the_world_is_as_large_and_typed_as_it_says(world):
    assert len(world.entities) >= 400 and len(DOMAINS) >= 20
    for entity in world.entities:
        assert set(entity.facts) == set(DOMAINS[entity.domain])
        assert 0 < entity.popularity <= 1
        for relation, (kind, content) in entity.facts.items():
            span = RELATIONS[relation]
            assert kind == span.kind
            if kind == "e":
                assert world.entities[content].domain in span.domains and content != entity.index
    assert 0 < sum(entity.is_wikipedia for entity in world.entities) < len(world.entities)


def test_nobody_makes_a_debut_before_growing_up(world):
    for entity in world.entities:
        if "debut_year" in entity.facts:
            assert entity.facts["debut_year"][1] - entity.facts["birth_year"][1] >= 18


def test_the_same_seed_gives_the_same_world_and_another_one_another(world):
    encyclopedia._build.cache_clear()
    again, other = build(7), build(8)
    assert [entity.facts for entity in again.entities] == [entity.facts for entity in world.entities]
    assert again.lexicon().names == world.lexicon().names != other.lexicon().names


def test_building_takes_well_under_a_second():
    began = time.process_time()
    build(1234)
    assert time.process_time() - began < 1.0


def test_names_and_aliases_are_unique_whatever_the_seed():
    for seed in range(5):
        names = [name.lower() for pair in build(seed).lexicon().names for name in pair]
        assert len(names) == len(set(names))


def test_near_entities_are_of_the_same_domain_and_leave_others_far(world):
    for entity in world.entities:
        near = world.near[entity.index]
        assert near and entity.index not in near
        assert {world.entities[one].domain for one in near} == {entity.domain}
        assert len(world.by_domain[entity.domain]) - len(near) > 1


def test_every_relation_has_three_forms_and_every_category_ten_entries(world):
    words = world.lexicon().words
    assert set(words.relations) == set(RELATIONS)
    for relation, phrases in words.relations.items():
        assert len(set(phrases.says)) >= 3 and len(phrases.asks) >= 2 and phrases.wrong
        assert bool(phrases.of) == (RELATIONS[relation].kind == "e")
    assert {len(entries) for entries in words.categories.values()} == {N_CATEGORY}
    assert set(words.categories) == {span.category for span in RELATIONS.values() if span.category}


def test_no_word_of_a_template_is_the_name_of_something(world):
    lexicon = world.lexicon()
    words = lexicon.words
    texts = [
        text
        for p in words.relations.values()
        for text in (*p.says, *p.turned, *p.asks, *p.of, *p.decades, p.wrong)
    ]
    texts += [text for p in words.relations.values() for text, _ in p.compares]
    texts += [
        text
        for table in (words.vague, words.talk, words.answers)
        for entries in table.values()
        for text in entries
    ]
    texts += [
        *words.leads,
        *words.category_kinds.values(),
        *(kind for pair in words.kinds.values() for kind in pair),
    ]
    assert [text for text in texts if lexicon.scan(re.sub(r"\{\w+\}", " qq ", text)).things] == []


def test_a_language_that_is_not_spoken_is_one_line():
    with pytest.raises(TruerateError, match="language 'xx' is not spoken in the closed world; spoken: en"):
        build(7, ("xx",))
