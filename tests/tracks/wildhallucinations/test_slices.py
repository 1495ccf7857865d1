"""A board exported slice by slice: what is kept of slices is what the whole gives, however it is cut."""

import polars as pl
import pytest

from truerate.llm.counts import counted, counts
from truerate.tracks.wildhallucinations.dataset import (
    KEYS,
    Sizes,
    exported_of,
    kept_of,
    tasks_of,
    together,
    whole_of,
)
from truerate.tracks.wildhallucinations.replies import readable_replies
from truerate.tracks.wildhallucinations.tasks import (
    annotation_tasks,
    drawn,
    drawn_reply_tasks,
    joined,
    reply_tasks,
)

from .made_facts import PAGES, facts, item, reply, tables

ITEMS = [item(f"e{k}") for k in range(10)]
VERDICTS = ("++", "-+?+", "+", "-++-")  # of the facts of replies
SUBJECTS, SIZES = "ab", Sizes(n_labelled=4, n_reviewed=6, n_replies=3, verifier="judge", seed=7)


def board(subjects: str = SUBJECTS, places=range(10)) -> dict[str, pl.DataFrame]:
    """The tables of some subjects' replies on some entities; one of each subject is dead."""
    replies = [
        reply(name, f"e{k}", status="dead")
        if k == 9
        else reply(name, f"e{k}", retrieved=f'[{{"text":"{name}{k}"}}]')
        for name in subjects
        for k in places
    ]
    return tables(
        ITEMS, replies, [facts(name, f"e{k}", VERDICTS[k % 4]) for name in subjects for k in places]
    )


WHOLE = board()


def together_of(slices: list[dict[str, pl.DataFrame]]):
    kept = kept_of(slices[0], WHOLE["items"], SIZES)
    for rows in slices[1:]:
        kept = together(kept, kept_of(rows, WHOLE["items"], SIZES), SIZES)
    return kept


SLICINGS = {
    "by subject": [board("b"), board("a")],
    "by subject and entity": [board(name, [k]) for k in range(10) for name in SUBJECTS],
    "in one": [WHOLE],
}


@pytest.mark.parametrize("how", SLICINGS)
def test_the_account_and_the_tasks_do_not_depend_on_the_slices(how):
    kept = together_of(SLICINGS[how])
    assert counted([kept.tally]).equals(counts(WHOLE["generations"]))
    assert sorted(kept.rejects["reason"]) == ["dead", "dead"]
    sizes = {"n_labelled": 4, "n_reviewed": 6, "seed": 7}
    parts = (WHOLE[name] for name in ("items", "facts", "judgements"))
    told = {"verifier": "judge", "n_checked": 2, "generations": WHOLE["generations"]}
    expected = annotation_tasks(*parts, PAGES, **sizes, **told)
    known = (WHOLE[name] for name in ("items", "generations", "facts", "judgements"))
    readable = readable_replies(*known, verifier="judge")
    whole = reply_tasks(readable, WHOLE["facts"], WHOLE["items"], PAGES, n_replies=3, seed=7)
    assert drawn_reply_tasks(kept.replies, WHOLE["items"], PAGES) == whole and len(whole) == 6
    found = tasks_of(kept, WHOLE["items"], PAGES.lazy(), sizes=SIZES, n_checked=2)
    assert found == sorted([*expected, *whole], key=lambda task: task["task_id"])
    assert any(task.get("retrieved") for task in found)


def test_rows_are_handed_on_slice_by_slice_and_make_the_same_tables():
    handed: list[dict] = []
    given = {name: WHOLE[name].clear() for name in KEYS}
    slices = [
        (dict(facts=one["generations"]), one["judgements"]) for one in SLICINGS["by subject and entity"]
    ]
    kept = exported_of(slices, given, WHOLE["items"], [], handed.append, sizes=None, source="s")
    assert len(handed) == 21 and kept.facts is None and kept.replies is None
    found = whole_of(handed)
    for name in ("generations", "judgements"):
        assert found[name].equals(WHOLE[name].sort(KEYS[name]))
    assert whole_of([]) == {}


def test_of_each_stratum_the_first_are_drawn_wherever_they_stand():
    rows = pl.DataFrame({"subject": list("aab" * 40), "name": [f"n{k}" for k in range(120)]})
    whole = drawn(rows, ["subject"], "name", n=5, at=(7, "x"))
    parts = [drawn(part, ["subject"], "name", n=5, at=(7, "x")) for part in rows.iter_slices(7)]
    found = parts[0]
    for part in parts[1:]:
        found = joined([found, part], ["subject"], "name", n=5)
    assert set(found.rows.rows()) == set(whole.rows.rows()) and found.rows.height == 10
    assert dict(found.sizes.iter_rows()) == dict(whole.sizes.iter_rows()) == {"a": 80, "b": 40}
