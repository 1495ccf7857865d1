"""Texts that a source publishes and texts that models write never share a board."""

from types import SimpleNamespace

import polars as pl
import pytest

from truerate.config import Params, load_params
from truerate.config.layout import Layout
from truerate.tracks.halludial import steps

BOARD = "halludial-closed-world"


def layout(**settings) -> Layout:
    """The committed settings, its models named, with settings of the board's own."""
    values = load_params("params.yaml").model_dump()
    values["boards"][BOARD]["settings"] = settings
    return Layout(Params.model_validate(values)).on(BOARD)


@pytest.mark.parametrize(
    ("label_source", "texts", "right_answer", "is_built"),
    [
        ("published", "published", "It is Lisbon.", False),  # its labels stay, whoever is named
        ("published", "generated", "It is Lisbon.", True),
        ("gold", "published", "It is Lisbon.", True),  # people's labels of dialogues to be answered anew
        ("gold", "published", None, False),  # as FaithDial's audit and BEGIN: no reference, labels alone
        ("gold", "generated", None, True),
        (None, "published", None, True),
    ],
)
def test_models_write_where_nothing_is_published_or_the_board_says_so(
    label_source, texts, right_answer, is_built
):
    samples = pl.DataFrame(
        {"label_source": [label_source] if label_source else []}, {"label_source": pl.String}
    )
    items = pl.DataFrame({"right_answer": [right_answer]}, {"right_answer": pl.String})
    tables = SimpleNamespace(samples=samples, items=items)
    assert steps.DialogueWork(layout(texts=texts), BOARD, tables, {}).is_built is is_built
    if not is_built:
        for step in (steps.annotate, steps.induce):
            assert step(layout(texts=texts), BOARD, "quill", tables, 0, {}).is_empty()
