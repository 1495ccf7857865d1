"""The same words in another dress are read alike or not at all; the name of a field is never its value."""

import json
from pathlib import Path

import pytest

from truerate.llm.replies.accuracy import accurate
from truerate.llm.replies.claim_verdicts import read_verdicts
from truerate.llm.replies.verdicts import yes_no

from . import track_readers
from .corpus import load
from .readers import READERS
from .wrapping import FORMS, differing

VERDICTS = ("verdicts", "chains", "choices", "located", "accuracies", "prose")
OF_TRACKS = ("verifier", "abstentions", "domains")
CLAIMS = ["Kiel is a city.", "Kiel lies in Bavaria."]
CASES = [
    json.loads(line) for line in Path(__file__).with_name("turned.jsonl").read_text("utf-8").splitlines()
]


def _read(name):
    if name in track_readers.READERS:
        return track_readers.rows(name), track_readers.READERS[name]
    return load(name), lambda row: READERS[row.get("corpus", name)](row).value


@pytest.mark.parametrize("form", [form for form in FORMS if form != "one space"])
@pytest.mark.parametrize("name", VERDICTS + OF_TRACKS)
def test_wrapped_emphasised_or_with_other_blanks_nothing_is_turned_or_invented(name, form):
    rows, read = _read(name)
    changed = differing(rows, form, read, n=1)
    # a question and the answer below it, or beside it, are two replies: one of 10,000 variants
    assert len(changed) <= 1, [(row["text"], row["got"], row["plain"]) for row in changed]
    assert name in ("chains", "abstentions") or not changed, [(row["text"], row["got"]) for row in changed]


@pytest.mark.parametrize("name", VERDICTS + OF_TRACKS)
def test_one_blank_made_a_line_break_turns_nothing(name):
    rows, read = _read(name)
    changed = differing(rows, "one space", read, n=1)
    assert [(row["text"], row["got"]) for row in changed if row["value"] is not None] == []
    # invented: a break within a label, a table or a list that makes another one of it
    assert len(changed) <= 0.003 * len(rows), [(row["text"], row["got"]) for row in changed]


@pytest.mark.parametrize("name", ["facts", "names", "refusals"])
@pytest.mark.parametrize("form", ["emphasis", "zero width", "CRLF"])
def test_lists_are_read_alike(name, form):
    rows, read = (
        _read(name) if name != "refusals" else (load(name), lambda row: READERS["refusals"](row).value)
    )
    assert [(row["text"], row["got"]) for row in differing(rows, form, read, n=1)] == []


@pytest.mark.parametrize("form", ["one space", "wrapped at 40", "wrapped at 72", "other blanks"])
def test_a_line_break_in_a_list_of_names_makes_no_piece_of_one_an_item(form):
    rows, read = _read("names")
    changed = differing(rows, form, read, n=99)
    assert [(row["text"], row["got"]) for row in changed] == []


@pytest.mark.parametrize(
    ("text", "names"),
    [("- gorch\nfock", ["gorch fock"]), ("gorch\nfock", None), ("kiel and gorch\nfock", ["kiel", "gorch fock"]),
     ("-\ngorch fock", ["gorch fock"]), ("- Adolf\n  IV. of Holstein\n- kiel", ["Adolf IV. of Holstein", "kiel"]),
     ("kiel\ngorch fock", ["kiel", "gorch fock"]), ('["gorch\nfock"]', ["gorch fock"]), ("* kiel\n– a city", None)],
)  # fmt: skip
def test_lines_that_are_parts_of_one_name_are_one_name_or_none(text, names):
    row = {
        "text": text,
        "context": {"message": "tell me about kiel, the gorch fock and Adolf IV. of Holstein"},
    }
    assert track_readers.READERS["names"](row) in (names, None)
    assert text.count("\n") == 1 and "gorch\nfock" in text or track_readers.READERS["names"](row) == names


@pytest.mark.parametrize("form", ["one space", "wrapped at 40", "wrapped at 72", "other blanks"])
def test_no_list_of_facts_that_a_line_break_changed_counts_as_whole(form):
    rows, read = _read("facts")
    changed = differing(rows, form, read, n=3)
    assert [(row["text"], row["got"]) for row in changed if row["got"]["is_whole"]] == []


@pytest.mark.parametrize("case", CASES, ids=[case["text"][:40] for case in CASES])
def test_a_case_that_was_turned_is_read_as_it_is_meant(case):
    if case["reader"] == "accurate":
        assert accurate(case["text"], "Evaluation Is").value is case["right"]
    elif case["reader"] == "yes_no":
        changed = yes_no(case["text"], "Your Judgement", asks="hallucination").value
        assert changed is case["right"] or (case.get("may_be_unread") and changed is None)
    else:
        assert read_verdicts(case["text"], CLAIMS).value == case["right"]


@pytest.mark.parametrize(
    "text", ["Accurate: 7/10", "Accurate: n/a", "Accurate: null", '{"accurate": null}', '{"accurate": 0.7}', "Accurate: not at all",
             "Accurate: nein, falsch", "Accurate: nein. Das stimmt nicht.", "Accurate: いいえ、違います",
             "Accurate, no", '{"accurate": "7/10"}', "Accurate: perhaps"],
)  # fmt: skip
def test_a_value_that_is_no_verdict_is_no_verdict(text):
    assert accurate(text, "Evaluation Is").value is None


@pytest.mark.parametrize("text", ["[1] Supported: n/a", "[1] supported: 7/10", "[1] supported: null"])
def test_a_value_that_is_no_verdict_is_none_of_a_claim(text):
    assert read_verdicts(text, CLAIMS[:1]).value == ["malformed"]


def test_joiners_stay_where_letters_need_them():
    from truerate.llm.replies.cutting import visible

    assert visible("می\u200cخواهم") == "می\u200cخواهم"
    assert visible("क्\u200dष") == "क्\u200dष"
    assert visible("not hal\u200dluci\u200cnated") == "not hallucinated"
