"""The tree of errors: kinds that a caller can tell apart, all of them one line for a user."""

from truerate.core.errors import closest, listed, meant


def test_near_names_are_offered():
    assert meant("Astr", ["aster", "quill"]) == "; did you mean 'aster'?"
    assert meant("zzz", ["aster"]) == "" and closest("zzz", []) is None
    assert listed(["b", "a"]) == "a, b" and listed([]) == "none"
