"""A board exported slice by slice: what is gathered of slices on disk is what the whole gives, however it is
cut.
"""

import polars as pl
import pytest

from truerate.core.schemas import Fact, Generation, Judgement
from truerate.core.schemas.gathering import Gathered
from truerate.tracks.wildhallucinations.dataset import KEYS, tasks_of, unused
from truerate.tracks.wildhallucinations.settings import Sizes

from .made_facts import PAGES, facts, item, reply, tables

ITEMS = [item(f"e{k}") for k in range(10)]
VERDICTS = ("++", "-+?+", "+", "-++-")  # of the facts of replies
SUBJECTS = "ab"
SIZES = Sizes.model_construct(labelled=4, reviewed=6, checked=2, replies=3)


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


SLICINGS = {
    "by subject": [board("b"), board("a")],
    "by subject and entity": [board(name, [k]) for k in range(10) for name in SUBJECTS],
    "in one": [WHOLE],
}


@pytest.mark.parametrize("how", SLICINGS)
def test_tasks_do_not_depend_on_the_slices(how, tmp_path):
    gathered = Gathered(dict(zip(KEYS, (Generation, Fact, Judgement), strict=True)), tmp_path)
    for rows in SLICINGS[how]:
        gathered.keep({name: rows[name] for name in KEYS})
    kept = {name: gathered.scan(name) for name in KEYS}
    whole = {name: WHOLE[name].lazy() for name in KEYS}
    tasks, expected = (
        tasks_of(rows, WHOLE["items"], PAGES.lazy(), SIZES, "judge", 7) for rows in (kept, whole)
    )
    assert tasks == expected
    assert sorted(unused(gathered.scan("generations").collect())["reason"]) == ["dead", "dead"]
    kinds = [task["kind"] for task in tasks]
    assert [kinds.count(kind) for kind in ("fact", "review", "entity", "reply")] == [8, 6, 2, 6]
    assert any(task.get("retrieved") for task in tasks)
