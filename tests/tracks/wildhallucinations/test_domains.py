"""The 20 domains, their spellings, and one-word answers."""

import pytest

from truerate.tracks.wildhallucinations.names import DOMAINS, domain_named, parse_domain

SPELLINGS = {
    "Geographic.": "geographic",
    "#Domain#: Weather and Earth Science": "weather & earth science",
    "Domain: computing": "computing-related",
    "**Finance related**": "finance-related",
    "11. People & Personal Attributes": "people & personal attributes",
    "Engineering&Structure": "engineering & structure",
    "Maths & computational": "math & computational",
}
UNREAD = {"": "empty", "sports": "absent", "not medical": "absent", "medical\norganism": "ambiguous"}


def test_the_twenty_are_read_in_their_spellings_and_all_else_is_unparsed():
    assert {text: parse_domain(text).value for text in SPELLINGS} == SPELLINGS
    assert [parse_domain(domain).value for domain in DOMAINS] == list(DOMAINS) and len(DOMAINS) == 20
    assert {text: parse_domain(text).reason for text in UNREAD} == UNREAD


@pytest.mark.parametrize(("text", "domain"), [("Visual", "visual"), ("odd", None), (None, None)])
def test_the_domain_of_a_list_is_one_of_the_twenty_or_none(text, domain):
    assert domain_named(text) == domain
