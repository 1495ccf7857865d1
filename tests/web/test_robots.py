"""Rules of robots.txt, by the examples and words of RFC 9309."""

import pytest

from truerate.web.fetch import Rules, product_token

SITE = "https://a.example"


@pytest.mark.parametrize(
    ("rules", "path", "is_allowed"),
    [
        ("Disallow: /private/", "/private/a", False),
        ("Disallow: /*.php", "/x/a.php?b=1", False),  # `*` stands for any characters (2.2.3)
        ("Disallow: /*.php$", "/x/a.php?b=1", True),  # `$` for the end
        ("Disallow: /*.php$", "/x/a.php", False),
        (
            "Disallow: /\nAllow: /open/",
            "/open/a",
            True,
        ),  # the longest match decides (2.2.2), whatever comes first
        ("Allow: /open/\nDisallow: /", "/shut", False),
        ("Disallow: /page\nAllow: /page", "/page", True),  # of two alike the least strict
        ("Disallow: /caf%C3%A9", "/café", False),  # percent-encoding is one octet either way
        ("Disallow:", "/a", True),
        ("Disallow: /?search=", "/?search=x", False),  # the query counts
        ("\0\xff no rules at all", "/a", True),
    ],
)
def test_a_path_is_allowed_as_the_rfc_says(rules, path, is_allowed):
    body = f"User-agent: *\n{rules}\n".encode()
    assert Rules(body, "truerate/1.0 (research; a@b.example)").allows(SITE + path) is is_allowed


def test_a_group_is_found_by_the_product_token_alone_and_groups_of_one_name_are_one():
    body = b"""User-agent: research
Disallow: /
User-agent: TrueRate
Disallow: /a
User-agent: *
Disallow: /
User-agent: truerate
Disallow: /b
"""
    rules = Rules(body, "truerate (hallucination research)")
    assert [rules.allows(SITE + path) for path in ("/a", "/b", "/c")] == [False, False, True]
    assert not Rules(body, "another").allows(SITE + "/c")


@pytest.mark.parametrize("name", ["true", "t", "True/2.0", "rate", "truerate-images"])
def test_a_group_of_another_whose_name_is_a_part_of_ours_is_not_ours(name):
    rules = Rules(f"User-agent: {name}\nDisallow: /a\n\nUser-agent: *\nDisallow: /b".encode(), "truerate (x)")
    assert (rules.allows(SITE + "/a"), rules.allows(SITE + "/b")) == (True, False)


@pytest.mark.parametrize("name", ["truerate", "TrueRate/2.0", " TRUERATE  # ours"])
def test_a_group_of_our_name_is_ours_whatever_its_case_and_release(name):
    assert not Rules(f"User-agent:{name}\nDisallow: /a".encode(), "truerate (x)").allows(SITE + "/a")


def test_a_delay_that_is_asked_for_is_told():
    body = b"User-agent: *\nCrawl-delay: 2.5\nDisallow: /x\n"
    assert Rules(body, "truerate").delay == 2.5
    assert Rules(b"User-agent: *\nDisallow: /x\nCrawl-delay: soon", "truerate").delay == 0.0


@pytest.mark.parametrize(
    ("agent", "token"),
    [
        ("truerate (hallucination research)", "truerate"),
        ("true-rate_x/2", "true-rate_x"),
        ("2bot", "*"),
        ("", "*"),
    ],
)
def test_product_token(agent, token):
    assert product_token(agent) == token
