"""The planted names: what each means, under every seed."""

import pytest

from truerate.tracks.wildhallucinations.names import DOMAINS
from truerate_world.domains import DOMAINS as WORLD_DOMAINS
from truerate_world.encyclopedia import build
from truerate_world.wildhallucinations.models.planted import (
    AMBIGUOUS,
    INVENTED,
    PAPER_DOMAIN,
    PRIVATE,
    domain_of,
    is_known,
    names_in,
    planted_as,
)

WORLD = build(7)
LISTS = {"ambiguous": tuple(AMBIGUOUS), "invented": INVENTED, "private": PRIVATE}


def test_every_domain_of_the_world_and_every_referent_is_of_one_of_the_paper_s():
    assert set(PAPER_DOMAIN) == set(WORLD_DOMAINS) and set(PAPER_DOMAIN.values()) <= set(DOMAINS)
    assert {one.domain for referents in AMBIGUOUS.values() for one in referents} <= set(DOMAINS)
    assert all(len({one.domain for one in referents}) > 1 for referents in AMBIGUOUS.values())


@pytest.mark.parametrize("seed", [1, 7, 42])
def test_no_planted_name_is_an_entity_s_nor_holds_one(seed):
    world = build(seed)
    for kind, names in LISTS.items():
        for name in names:
            assert [(one.surface, one.kind) for one in names_in(world, f"So {name}, then.")] == [(name, kind)]
            assert not [thing for thing in world.lexicon().scan(name).things if thing[0] == "e"]


def test_an_entity_is_found_under_both_names_however_they_are_written():
    name, other = WORLD.lexicon().names[300]
    for text in (name, name.upper(), f"“{name}”", f"{name}’s", other):
        found = planted_as(WORLD, text)
        assert (found.kind, found.entity) == ("entity", 300)
    assert domain_of(WORLD, name) == PAPER_DOMAIN[WORLD.entities[300].domain]


def test_names_in_a_text_come_in_order_the_longest_first_and_only_whole():
    name, place = WORLD.lexicon().name(0), WORLD.lexicon().name(150)
    found = names_in(WORLD, f"{place.lower()}'s {name} met Quennox; {place}xyz did not.")
    assert [one.surface for one in found] == [place.lower(), name, "Quennox"] and found[1].entity == 0


def test_what_is_no_planted_name_is_nothing():
    assert planted_as(WORLD, "Ordinary") is None and names_in(WORLD, "") == []
    assert [domain_of(WORLD, name) for name in ("Ordinary", "Quennox", INVENTED[0], PRIVATE[0])] == [None] * 4


def test_some_entities_of_each_domain_are_known_and_some_are_rare():
    for indices in WORLD.by_domain.values():
        known = sum(is_known(WORLD.entities[index]) for index in indices)
        assert 0 < known < len(indices)
