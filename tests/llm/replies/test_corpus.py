"""Every reply of the corpora as a careful person reads it: none turned, none invented, few lost."""

from collections import Counter

import pytest

from truerate.llm.replies.reading import CUTS, REASONS

from .corpus import FOLDER, MIN_READ, account, is_ordinary, load
from .readers import READERS
from .variants import VARIED, cuts, kept


@pytest.mark.parametrize("name", READERS)
def test_none_turned_none_invented_few_lost(name):
    outcomes = account(load(name), lambda row: READERS[name](row).value)
    assert (outcomes.turned, outcomes.invented) == ([], [])
    of_ordinary = account(
        [row for row in load(name) if is_ordinary(name, row)], lambda row: READERS[name](row).value
    )
    assert of_ordinary.read_rate is not None and of_ordinary.read_rate >= MIN_READ, of_ordinary.lost


def test_of_free_prose_none_is_turned_and_none_invented():
    outcomes = account(load("prose"), lambda row: READERS[row["corpus"]](row).value)
    assert (outcomes.turned, outcomes.invented) == ([], [])


@pytest.mark.parametrize("name", READERS)
def test_every_reply_has_one_outcome(name):
    """A value or a reason of the closed list, and cuts of the closed list; a stated reason is the one given."""
    for row in load(name):
        outcomes = READERS[name](row)
        assert name == "refusals" or (outcomes.value is None) == (outcomes.reason is not None), row
        assert outcomes.reason in (None, *REASONS) and set(outcomes.cuts) <= set(CUTS), row
        assert row.get("reason", outcomes.reason) == outcomes.reason, row


def test_the_corpora_are_large_and_say_each_reply_once():
    rows = [(name, row) for name in READERS for row in load(name)]
    assert len(rows) >= 420
    assert sum(row.get("held", False) for _, row in rows) >= len(rows) / 4
    counts = Counter((name, row["text"], str(row.get("context"))) for name, row in rows)
    assert max(counts.values()) == 1


def test_no_corpus_is_without_its_reader():
    mine = {path.stem for path in FOLDER.glob("*.jsonl")}
    assert set(READERS) <= mine


def test_variants_that_keep_the_meaning_are_neither_turned_nor_invented():
    """A seeded share of what benchmarks/replies.py runs; so small a share is read a point better or worse by chance."""
    variants = kept([(name, row) for name in VARIED for row in load(name)], 600, seed=11)
    rows = [{**row, "corpus": name} for name, row in variants]
    outcomes = account(rows, lambda row: READERS[row["corpus"]](row).value)
    assert (outcomes.turned, outcomes.invented) == ([], [])
    for name in VARIED:
        some = account(
            [row for row in rows if row["corpus"] == name and is_ordinary(name, row)],
            lambda row: READERS[row["corpus"]](row).value,
        )
        least = MIN_READ - 0.05
        assert some.read_rate is not None and some.read_rate >= least, (name, some.lost)


def test_a_reply_cut_before_or_inside_its_verdict_is_unread_or_what_is_left():
    outcomes = account(cuts(300, seed=11), lambda row: READERS["verdicts"](row).value)
    assert (outcomes.turned, outcomes.invented, outcomes.lost) == ([], [], [])
