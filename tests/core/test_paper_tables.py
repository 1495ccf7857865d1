"""What of a paper's tables a board has: cells counted by hand, and records that are wrong in one line."""

import pytest
import yaml

from truerate.core.errors import TruerateError
from truerate.core.paper_tables import Cells, read_paper


def row(subject, value, *, kind="model", n=5, metric="accuracy", **where):
    return {"subject": subject, "kind": kind, "metric": metric, "slice": where, "value": value, "n": n}


ROWS = [
    row("aster", 0.5, task="qa", variant="plain"),
    row("aster", None, task="general", variant="plain"),
    row("birch", 0.25, task="qa", variant="plain", seed="42"),  # of more keys than asked for
    row("birch", 0.5, task="general", variant="plain", n=0),  # over nothing
    row("aster", 0.75, task="qa", variant="contrast"),
    row("always", 0.5, kind="baseline", task="qa", variant="plain"),
    row("aster", 0.9, kind="planted", task="general", variant="plain"),
    row("texts", 4, kind="baseline", metric="n_samples"),
]


@pytest.mark.parametrize(
    ("cells", "there", "lacking"),
    [  # two models by two tasks; a baseline stands beside models and is not one of them
        ({"metrics": "accuracy", "slice": {"variant": "plain", "task": ["qa", "general"]}},
         ["aster qa", "birch qa"], ["aster general", "birch general"]),
        # values that occur: qa alone with contrast, of the one model that was asked so
        ({"metrics": "accuracy", "slice": {"variant": "contrast", "task": "*"}}, ["aster qa"], []),
        ({"metrics": "n_samples"}, ["texts "], []),
        ({"metrics": ["n_samples", "f1"]}, ["texts "], []),  # a metric that nobody has wants nothing
    ],
)  # fmt: skip
def test_every_combination_of_the_listed_values_is_wanted_of_every_model(tmp_path, cells, there, lacking):
    path = tmp_path / "paper.yaml"
    path.write_text(yaml.safe_dump({"Table 1": {"what": "x", "cells": [cells]}}))
    ((read,),) = [table.cells for table in read_paper(path)]
    wanted = read.wanted(ROWS)
    named = [(f"{cell.subject} {cell.slice.get('task', '')}", cell.row is not None) for cell in wanted]
    assert sorted(named) == sorted([*((name, True) for name in there), *((name, False) for name in lacking)])


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"what": "x"}, "Table 1 must have `cells`, `shown` or a `reason`"),
        ({"what": "", "reason": "x"}, "what: "),
        ({"what": "x", "shown": "nowhere"}, "shown: it must be 'topics'|shown: it must be ''"),
        ({"what": "x", "cells": [{"metrics": []}]}, "metrics: "),
        ({"what": "x", "reason": "y", "colour": "red"}, "colour: "),
    ],
)
def test_a_record_that_is_wrong_is_one_line(tmp_path, table, said):
    path = tmp_path / "paper.yaml"
    path.write_text(yaml.safe_dump({"Table 1": table}))
    with pytest.raises(TruerateError, match="paper.yaml: ") as caught:
        read_paper(path)
    assert "\n" not in str(caught.value) and any(part in str(caught.value) for part in said.split("|"))


def test_a_track_without_the_file_has_no_tables(tmp_path):
    assert read_paper(tmp_path / "paper.yaml") == () and Cells(("f1",)).wanted([]) == []
