"""Every reply of the corpora as a careful person reads it: none turned, none invented, few lost."""

from collections import Counter

import pytest

from truerate.llm.replies.reading import CUTS, REASONS

from .corpus import FOLDER, MIN_READ, account, load
from .readers import READERS
from .variants import VARIED, cuts, kept


@pytest.mark.parametrize("name", READERS)
def test_none_turned_none_invented_few_lost(name):
    found = account(load(name), lambda row: READERS[name](row).value)
    assert (found.turned, found.invented) == ([], [])
    assert found.read_rate is not None and found.read_rate >= MIN_READ, found.lost


def test_of_free_prose_none_is_turned_and_none_invented():
    found = account(load("prose"), lambda row: READERS[row["corpus"]](row).value)
    assert (found.turned, found.invented) == ([], [])


@pytest.mark.parametrize("name", READERS)
def test_every_reply_has_one_outcome(name):
    """A value or a reason of the closed list, and cuts of the closed list; a stated reason is the one given."""
    for row in load(name):
        found = READERS[name](row)
        assert name == "refusals" or (found.value is None) == (found.reason is not None), row
        assert found.reason in (None, *REASONS) and set(found.cuts) <= set(CUTS), row
        assert row.get("reason", found.reason) == found.reason, row


def test_the_corpora_are_large_and_say_each_reply_once():
    rows = [(name, row) for name in READERS for row in load(name)]
    assert len(rows) >= 420
    assert sum(row.get("held", False) for _, row in rows) >= len(rows) / 4
    seen = Counter((name, row["text"], str(row.get("context"))) for name, row in rows)
    assert max(seen.values()) == 1


def test_no_corpus_is_without_its_reader():
    mine = {path.stem for path in FOLDER.glob("*.jsonl")}
    assert set(READERS) <= mine


def test_variants_that_keep_the_meaning_are_neither_turned_nor_invented():
    """A seeded share of what benchmarks/replies.py runs; so small a share is read a point better or worse by chance."""
    made = kept([(name, row) for name in VARIED for row in load(name)], 600, seed=11)
    rows = [{**row, "corpus": name} for name, row in made]
    found = account(rows, lambda row: READERS[row["corpus"]](row).value)
    assert (found.turned, found.invented) == ([], [])
    for name in VARIED:
        some = account(
            [row for row in rows if row["corpus"] == name], lambda row: READERS[row["corpus"]](row).value
        )
        least = MIN_READ - 0.05
        assert some.read_rate is not None and some.read_rate >= least, (name, some.lost)


def test_a_reply_cut_before_or_inside_its_verdict_is_unread_or_what_is_left():
    found = account(cuts(300, seed=11), lambda row: READERS["verdicts"](row).value)
    assert (found.turned, found.invented, found.lost) == ([], [], [])
