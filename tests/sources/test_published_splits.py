"""What becomes of the splits that a set was published with."""

import pytest

from truerate.sources.collection import follow, side_of


@pytest.mark.parametrize(
    ("published", "side"),
    [
        ("test", "test"), ("Eval", "test"), ("dev", "train"), ("training", "train"), ("part", None),
        (None, None),
    ],
)  # fmt: skip
def test_a_published_split_by_any_of_its_names(published, side):
    assert side_of(published) == side


def test_samples_go_where_their_group_was_published_and_to_test_where_that_was_both():
    samples = [
        {"group_id": "a", "split": "test"},
        {"group_id": "b", "split": "train"},
        {"group_id": "b", "split": "test"},
        {"group_id": "c", "split": "train"},
        {"group_id": "d", "split": "test"},
    ]
    follow({"a": {"train"}, "b": {"train", "test"}, "c": {"test"}}, samples)
    # b's own splits stand as published, d was not published in any
    assert [entry["split"] for entry in samples] == ["train", "train", "test", "test", "test"]
