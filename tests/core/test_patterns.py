"""Patterns that are compiled at their first use."""

import re
from importlib import import_module
from pkgutil import walk_packages

import pytest

from truerate.core.patterns import lazy
from truerate.llm import replies, thought


def test_one_gives_what_a_compiled_pattern_gives():
    found = lazy(r"(?P<word>y)es", re.IGNORECASE)
    assert found.search("so: YES")["word"] == "Y" and found.fullmatch("no") is None
    assert found.sub("no", "yes") == "no" and found.pattern == r"(?P<word>y)es"
    assert found.flags == re.compile(found.pattern, re.IGNORECASE).flags


def test_one_that_does_not_compile_is_told_when_it_is_used():
    broken = lazy("(")
    with pytest.raises(re.error, match="unterminated"):
        broken.search("x")


def test_every_pattern_of_the_readers_compiles():
    names = [module.name for module in walk_packages(replies.__path__, f"{replies.__name__}.")]
    values = [value for name in names for value in vars(import_module(name)).values()]
    patterns = {
        id(value): value for value in [*values, *vars(thought).values()] if type(value) is type(lazy(""))
    }
    assert len(names) > 30 and len(patterns) > 100
    assert all(pattern.groups >= 0 for pattern in patterns.values())
