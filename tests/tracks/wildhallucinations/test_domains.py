"""The 20 domains, their spellings, and one-word answers."""

import pytest

from truerate.llm.replies.lists import read_word
from truerate.tracks.wildhallucinations.names import DOMAINS, domain_named, parse_domain


def test_there_are_twenty_and_each_is_read_as_itself():
    assert len(set(DOMAINS)) == 20 and [parse_domain(domain).value for domain in DOMAINS] == list(DOMAINS)


@pytest.mark.parametrize(
    ("text", "domain"),
    [
        ("Geographic.", "geographic"),
        ("#Domain#: Weather and Earth Science", "weather & earth science"),
        ("Domain: computing", "computing-related"),
        ("**Finance related**", "finance-related"),
        ("11. People & Personal Attributes", "people & personal attributes"),
        ("activities and hobbies", "activities & hobbies"),
        ("Engineering&Structure", "engineering & structure"),
        ("Maths & computational", "math & computational"),
    ],
)
def test_spellings(text, domain):
    assert parse_domain(text).value == domain


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        ("sports", "absent"),
        ("science", "absent"),
        ("not medical", "absent"),
        ("medical\norganism", "ambiguous"),
    ],
)
def test_outside_the_list_is_unparsed(text, reason):
    found = parse_domain(text)
    assert (found.value, found.reason) == (None, reason)


def test_a_denied_word_is_no_answer():
    words = {"entity": "entity", "no entity": "no entity"}
    assert read_word("No entity", "Kind", words).value == "no entity"
    assert read_word("not an entity", "Kind", words).reason == "absent"
    assert read_word("It is an entity.", "Kind", words).reason == "absent"


def test_the_domain_of_a_list_is_one_of_the_twenty_or_none():
    assert (domain_named("Visual"), domain_named("odd"), domain_named(""), domain_named(None)) == (
        "visual",
        None,
        None,
        None,
    )
