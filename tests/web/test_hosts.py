import pytest

from truerate.web.guard import host_of, is_wikipedia, is_within, matches


@pytest.mark.parametrize(
    ("url", "is_so"),
    [
        ("https://en.wikipedia.org/wiki/Varn", True),
        ("https://de.m.wikipedia.org/wiki/Varn", True),
        ("http://en.wikipedia.invalid/wiki/Varn", True),
        ("https://wikipedia.org.example.com/", False),
        ("https://notwikipedia.org/", False),
        ("https://example.com/en.wikipedia.org", False),
        ("no address", False),
    ],
)
def test_wikipedia_is_told_by_its_host(url, is_so):
    assert is_wikipedia(url) is is_so


def test_hosts_are_levelled_and_what_cannot_be_read_has_none():
    assert host_of("HTTP://User@Example.COM.:80/x") == "example.com"
    assert (
        host_of("http://[::1]:80/") == "::1"
        and host_of("http://[broken/") == ""
        and host_of("mailto:a@b.c") == ""
    )


def test_a_domain_holds_what_is_below_it_and_no_other_name_that_ends_alike():
    assert is_within("www.x.com", ["x.com"]) and is_within("x.com", ["X.com"])
    assert not is_within("netflix.com", ["x.com"]) and not is_within("x.com.example.org", ["x.com"])


def test_patterns_are_those_of_a_shell():
    assert matches("a.b.invalid", ["*.invalid"]) and not matches("invalid", ["*.invalid"])
