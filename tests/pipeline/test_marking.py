"""`truerate.check` from Python: what cannot be checked is one line, whatever a program hands in."""

from pathlib import Path

import pytest

import truerate
from truerate.core.errors import TruerateError
from truerate.pipeline.judges.marking import check_pairs

PAIR = ("It rained.", "It was dry.")
ONE = "checking texts: "
BAD = {
    "no settings": (lambda: truerate.check(*PAIR, params=None), ONE + "params is None; it must be the path of a params.yaml"),
    "a number for settings": (lambda: truerate.check(*PAIR, params=3), ONE + "params is 3; it must be"),
    "a path of bytes": (lambda: truerate.check(*PAIR, params=b"p.yaml"), ONE + "params is b'p.yaml'; it must be"),
    "a path that none can be": (lambda: truerate.check(*PAIR, params="a\0/p.yaml"), ONE + "params is 'a\\x00/p.yaml'"),
    "settings that are not there": (lambda: truerate.check(*PAIR, params="no/such/p"), ONE + "no file 'no/such/p"),
    "a folder for settings": (lambda: truerate.check(*PAIR, params=Path("/")), ONE + "no file '/'"),
    "a number for a detector": (lambda: truerate.check(*PAIR, detector=3), ONE + "detector is 3; it must be a name, a folder or None"),
    "detectors": (lambda: truerate.check(*PAIR, detector=["a"]), ONE + "detector is ['a']; it must be"),
    "a folder that is not there": (lambda: truerate.check(*PAIR, detector=Path("no/such")), ONE + "detector: no folder 'no/such'"),
    "no pairs": (lambda: check_pairs(None), ONE + "pairs is a NoneType; give (answer, reference) pairs"),
    "a text for pairs": (lambda: check_pairs("ab"), ONE + "pairs is a str; give"),
    "texts for pairs": (lambda: check_pairs([PAIR, "ab"]), ONE + "pair 2 is a str; give (answer, reference)"),
    "a triple": (lambda: check_pairs([PAIR, (*PAIR, "more")]), ONE + "pair 2 is a tuple of 3; give (answer, reference)"),
    "bytes": (lambda: check_pairs([(b"It rained.", "It was dry.")]), "checking the answer b'It rained.': it holds no text"),
    "nothing": (lambda: check_pairs([(PAIR[0], None)]), "checking the reference None: it holds no text"),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD)
def test_what_cannot_be_checked_is_one_line(tmp_path, monkeypatch, what):
    monkeypatch.chdir(tmp_path)
    call, said = BAD[what]
    with pytest.raises(TruerateError) as caught:
        call()
    assert str(caught.value).startswith(said) and "\n" not in str(caught.value), caught.value


def test_no_pair_gives_nothing_and_needs_no_project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert check_pairs([]) == [] == check_pairs(pair for pair in ())
