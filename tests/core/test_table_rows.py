"""Rows of tables as dictionaries: each function knows its table's columns, and what it fills in the table holds."""

import pytest

from truerate.core.schemas import (
    Generation,
    Judgement,
    Reject,
    Sample,
    frame,
    generation_row,
    judgement_row,
    reject_row,
    sample_row,
    validate,
)

SPAN = {"start": 0, "end": 2, "type": "entity", "p": None}
FEWEST = [
    (
        Generation,
        generation_row,
        {"generation_id": "g", "item_id": "i", "purpose": "p", "model": "m", "text": ""},
    ),
    (
        Sample,
        sample_row,
        {
            "sample_id": "s", "item_id": "i", "group_id": "g", "task": "qa", "lang": "en", "text": "x",
            "is_hallucinated": False, "label_source": "gold", "split": "test",
        },
    ),
    (
        Judgement,
        judgement_row,
        {"judgement_id": "j", "judge": "m", "judge_version": "1", "target_id": "t", "verdict": None},
    ),
    (Reject, reject_row, {"where": "w", "reason": "r", "detail": ""}),
]  # fmt: skip


@pytest.mark.parametrize(("table", "row_of", "given"), FEWEST)
def test_the_fewest_values_make_a_row_of_the_table_in_its_order(table, row_of, given):
    made = row_of(**given)
    assert list(made) == list(table.fields()) and given.items() <= made.items()
    validate(table, frame(table, [made]), where="here")


@pytest.mark.parametrize(("table", "row_of", "given"), FEWEST)
def test_every_column_can_be_given(table, row_of, given):
    rest = {"spans": [SPAN], "attributes": [{"key": "k", "value": "v"}], "p": 0.5, "row": 3, "cost_usd": 1.5}
    words = set(table.fields()) - set(given) - set(rest)
    full = {**given, **{name: 2 if name.startswith("n_") or "index" in name else "ok" for name in words}}
    full |= {name: value for name, value in rest.items() if name in table.fields()}
    assert row_of(**full) == full
    validate(table, frame(table, [row_of(**full)]), where="here")


@pytest.mark.parametrize(("table", "row_of", "given"), FEWEST)
def test_a_value_that_no_default_can_stand_for_must_be_given(table, row_of, given):
    for name in given:
        with pytest.raises(TypeError, match=name):
            row_of(**{key: value for key, value in given.items() if key != name})
    with pytest.raises(TypeError, match="nothing"):
        row_of(**given, nothing=1)
