"""Files with a line per annotator."""

import pytest

from truerate.core.errors import SourceError
from truerate.sources.answers.table import read_table


def rows_of(field="worker_id", **more):
    """Three people on answer a (yes yes no), two on b (yes no), one on c."""
    labels = [("a", "w1", True), ("a", "w2", True), ("a", "w3", False), ("b", "w1", True)]
    labels += [("b", "w2", False), ("c", "w1", False)]
    return [
        {"id": name, "system": "s", "answer": name.upper(), "hallucinated": label, field: who} | more
        for name, who, label in labels
    ]


@pytest.mark.parametrize("field", ["worker_id", "annotator", "Rater", "labeler name"])
def test_most_annotators_of_an_answer_decide(field):
    table = read_table(rows_of(field))
    assert table.frame.select("id", "label", "n_labels").rows() == [
        ("a", True, 3),
        ("b", None, 2),
        ("c", False, 1),
    ]
    assert table.slices == [], "who labelled is no slice"
    assert "6 lines label 3 answers, most decide, 1 ties are not used" in table.notes[-1]


def test_lines_with_ids_of_their_own_are_one_answer_by_what_was_asked():
    rows = [row | {"id": n, "question": "q?"} for n, row in enumerate(rows_of())]
    assert read_table(rows).frame["n_labels"].to_list() == [3, 2, 1]
    rows = [row | {"id": n} for n, row in enumerate(rows_of())]
    assert read_table(rows).frame.height == 6, "nothing says that two answers of the same words are one"


def test_one_annotators_lines_and_other_fields_are_no_votes():
    assert read_table(rows_of("topic")).frame.height == 6
    assert [*read_table(rows_of(worker_id="w1")).frame["run"][:3]] == ["1", "2", "3"], "they are repeats"


def test_a_line_that_does_not_fit_keeps_its_number():
    rows = [*rows_of(), {"id": "c", "system": "s", "answer": "C2", "question": "other?"}]
    rows = [{"question": "q?"} | row for row in rows]
    with pytest.raises(SourceError, match="line 7: id 'c' is that of line 6 too"):
        read_table(rows)
