"""The readers of facts, verdicts, names, domains, tagged passages and abstentions on replies in many manners."""

import pytest

from .corpus import MIN_READ, account, load
from .track_readers import READERS, rows


@pytest.mark.parametrize("name", sorted(READERS))
def test_nothing_is_turned_or_invented_and_what_a_person_can_read_is_read(name):
    found = account(rows(name), READERS[name])
    assert [row["text"] for row in found.invented] == []
    assert [(row["text"], row["got"]) for row in found.turned] == []
    assert found.read_rate >= MIN_READ


@pytest.mark.parametrize("name", sorted(READERS))
def test_no_reply_stands_in_a_corpus_twice(name):
    whole = [(row["text"], str(row.get("context"))) for row in load(name)]
    assert len(set(whole)) == len(whole)
