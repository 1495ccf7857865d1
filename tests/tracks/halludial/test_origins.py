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
    ("label_source", "texts", "is_built"),
    [
        ("published", "published", False),  # its labels stay, whoever is named
        ("published", "generated", True),
        ("gold", "published", True),  # people's labels of dialogues that can be answered anew
        (None, "published", True),
    ],
)
def test_models_write_where_nothing_is_published_or_the_board_says_so(label_source, texts, is_built):
    samples = pl.DataFrame(
        {"label_source": [label_source] if label_source else []}, {"label_source": pl.String}
    )
    tables = SimpleNamespace(samples=samples)
    assert steps.DialogueWork(layout(texts=texts), BOARD, tables, {}).is_built is is_built
    if not is_built:
        for step in (steps.annotate, steps.induce):
            assert step(layout(texts=texts), BOARD, "quill", tables, 0, {}).is_empty()
