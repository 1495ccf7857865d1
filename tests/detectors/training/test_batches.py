import numpy as np

from truerate.core.keys import draw
from truerate.detectors.tokens.groups import Answer, Group
from truerate.detectors.tokens.train import training_rows
from truerate.detectors.training.engine import padding_waste, steps_of, within

from ..tokens.lessons import backbone


def group(name, reference, *answers):
    """A group of made-up ids: a reference and answers of these lengths."""
    built = tuple(
        Answer(f"{name}-{i}", np.ones(n, int), np.zeros((n, 2), int), np.zeros(n, int), np.zeros((n, 0), int))
        for i, n in enumerate(answers)
    )
    return Group(np.ones(reference, int), built)


def mixed(n):
    """Groups with the lengths of real ones: references of 40 to 1,500 tokens, answers of 40 to 250."""
    return [
        group(f"g{i}", int(40 * 37 ** draw("reference", i)), int(40 + 210 * draw("answer", i)))
        for i in range(n)
    ]


def test_padding_waste_is_below_three_percent():
    how = backbone(max_tokens=4096, token_budget=8192, batch=8)
    expected = training_rows(mixed(2000), how)
    steps = steps_of(expected, how, 42, 0)
    assert padding_waste(steps, expected) < 0.03
    # the same rows in drawn order, batches of 8 padded to their longest
    drawn = sorted(range(len(expected)), key=lambda i: draw("any", i))
    assert padding_waste([[drawn[i : i + 8]] for i in range(0, len(drawn), 8)], expected) > 0.3


def test_an_epoch_holds_every_row_once_and_keeps_the_budget():
    how = backbone(max_tokens=512, token_budget=700, batch=4, accumulation=2)
    expected = training_rows(mixed(60), how)
    steps = steps_of(expected, how, 42, 0)
    assert sorted(i for step in steps for part in step for i in part) == list(range(len(expected)))
    sizes = [[expected[i].n_tokens for i in part] for step in steps for part in step]
    assert all(len(part) == 1 or max(part) * len(part) <= 700 for part in sizes)
    assert len(steps) == 8  # 60 answers in 15 batches of 4, two to a step


def test_the_plan_hangs_on_content_seed_and_epoch_alone():
    how = backbone(batch=4)
    groups = mixed(40)

    def names(groups, seed, epoch):
        expected = training_rows(groups, how)
        return [
            [expected[i].name for part in step for i in part] for step in steps_of(expected, how, seed, epoch)
        ]

    assert names(groups, 42, 0) == names(groups[::-1], 42, 0)
    assert names(groups, 42, 0) != names(groups, 42, 1)
    assert names(groups, 42, 0) != names(groups, 47, 0)


def test_parts_are_of_about_one_length_and_a_longer_row_stands_alone():
    assert within([3, 1, 9, 1, 3], 6) == [[1, 3], [0, 4], [2]]  # a third row of 3 would make 9
    assert within([], 6) == []
