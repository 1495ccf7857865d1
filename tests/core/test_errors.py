"""The tree of errors: kinds that a caller can tell apart, all of them one line for a user."""

import re

import pytest

from truerate.core import errors
from truerate.core.errors import TruerateError, closest, listed, meant


def test_the_tree_of_the_docstring_is_the_tree_of_the_code():
    drawn = set(re.findall(r"[├└]── (\w+)", errors.__doc__))
    kinds = {
        name
        for name, found in vars(errors).items()
        if isinstance(found, type) and issubclass(found, TruerateError) and found is not TruerateError
    }
    assert drawn == kinds and len(kinds) == 5


@pytest.mark.parametrize(
    "kind", [kind for kind in TruerateError.__subclasses__() if kind.__module__ == errors.__name__]
)
def test_each_kind_is_caught_as_the_one_that_the_command_line_prints(kind):
    with pytest.raises(TruerateError) as caught:
        raise kind("what was being done: what is allowed")
    assert type(caught.value) is kind and str(caught.value) == "what was being done: what is allowed"
    assert not any(issubclass(kind, other) for other in TruerateError.__subclasses__() if other is not kind)


def test_near_names_are_offered():
    assert meant("Astr", ["aster", "quill"]) == "; did you mean 'aster'?"
    assert meant("zzz", ["aster"]) == "" and closest("zzz", []) is None
    assert listed(["b", "a"]) == "a, b" and listed([]) == "none"
