"""The table: disjoint roles, facts that stay within them, and names that cannot be mistaken for one another."""

import pytest

from truerate_world.mfava.lang import DOMAINS, LANGUAGES, RELATIONS
from truerate_world.mfava.models.entity_table import ROLES, build


def test_a_seed_gives_one_table(table):
    again, other = build.__wrapped__(7), build.__wrapped__(8)
    assert (again.names, [one.facts for one in again.entities]) == (
        table.names,
        [one.facts for one in table.entities],
    )
    assert len(set(other.names["en"]) & set(table.names["en"])) < 0.1 * len(table.entities)


def test_every_role_has_its_entities_with_five_facts_of_their_own_role(table):
    for role, n in ROLES.items():
        assert len(table.of(role)) == n * len(DOMAINS)
    for entity in table.entities:
        assert tuple(entity.facts) == DOMAINS[entity.domain]
        for relation, (kind, content) in entity.facts.items():
            assert RELATIONS[relation].split(":")[0] == kind
            if kind == "e":
                named = table.entities[content]
                assert (named.role, f"e:{named.domain}") == (
                    entity.role,
                    RELATIONS[relation],
                ) and content != entity.index


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_name_is_a_part_of_another(table, known, code):
    names = table.names[code]
    assert len(set(names)) == len(names)
    for entity, name in enumerate(names):
        assert known.mentioned(name, code) == [entity], name
    whole = "\n".join(names)
    assert all(whole.count(name) == 1 for name in names)


def test_mates_are_others_of_the_same_role_and_domain(table):
    for entity in table.entities[::37]:
        mates = {table.mate(entity.index, turn) for turn in range(40)}
        assert entity.index not in mates and len(mates) > 5
        assert {(table.entities[one].role, table.entities[one].domain) for one in mates} == {
            (entity.role, entity.domain)
        }
