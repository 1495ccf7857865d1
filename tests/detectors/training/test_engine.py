"""The training loop, given a lesson that is no text at all: a line through points."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import torch

from truerate.config import Backbone
from truerate.core.keys import draw
from truerate.detectors.tokens.groups import Answer, Group
from truerate.detectors.tokens.train import training_rows
from truerate.detectors.training.engine import Task, pace, padding_waste, steps_of, train, within
from truerate.detectors.training.jobs import CHECKPOINT, made_once

from ..tokens.lessons import backbone

TESTS = Path(__file__).parents[2]


class Point(NamedTuple):
    """A point to learn: y of x."""

    x: float
    y: float
    n_answers: int = 1
    name: str = ""
    n_tokens: int = 1
    n_targets: int = 1


class Line(torch.nn.Module):
    """y = a x + b."""

    n_parameters = 2

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(1, 1)
        torch.nn.init.zeros_(self.layer.weight)
        torch.nn.init.zeros_(self.layer.bias)

    def trainable(self):
        return list(self.parameters())

    def trainable_state(self):
        return {name: value.detach().clone() for name, value in self.named_parameters()}

    def load_trainable(self, state):
        self.load_state_dict(state)

    def checkpointing(self):
        pass


def how(**changes) -> Backbone:
    """Settings of a run of 200 steps."""
    values = {"weights": "tiny", "mask": "full", "max_tokens": 8, "learning_rate": 0.1, "weight_decay": 0.0}
    values |= {"batch": 4, "accumulation": 1, "token_budget": 64, "epochs": 25, "checkpoint_steps": 10}
    return Backbone.model_validate(values | changes)


def line_task(network: Line) -> Task:
    """32 points of y = 3 x + 1, with the squared error as loss and its negative as grade."""
    points = [Point(x / 16 - 1, 3 * (x / 16 - 1) + 1, name=f"point {x}") for x in range(32)]

    def loss(part):
        x, y = (torch.tensor([[getattr(item, name)] for item in part]) for name in ("x", "y"))
        return ((network.layer(x) - y) ** 2).sum()

    def error():
        return float(loss(points).detach())

    return Task(points, loss, eval_metric=lambda: -error(), facts=lambda: {"error": error()})


def fitted_judge(folder, **changes):
    """The line that a run gives, and what it told."""
    network = Line()
    return network, train(network, line_task(network), how(**changes), seed=1, folder=folder)


def test_any_loss_is_learned(tmp_path):
    network, trained = fitted_judge(tmp_path)
    assert trained.facts["steps"] == 200 and trained.facts["n_parameters"] == 2
    assert trained.facts["error"] < 1e-3
    assert network.layer.weight.item() == pytest.approx(3, abs=0.02)


def test_the_pace_rises_and_falls_to_nothing():
    paces = [pace(step, 100, 0.1) for step in range(100)]
    assert paces[:5] == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5])  # ten steps of warm-up
    assert max(paces) == paces[9] == 1 and paces[10:] == sorted(paces[10:], reverse=True)
    assert paces[-1] < 0.001


def test_a_run_stops_by_its_grade_and_takes_the_best_weights_back(tmp_path):
    """A grade that falls after the second look, below any bound that a share would have."""
    network, grades = Line(), iter([-7.0, -5.0, -6.0, -9.0])
    recorded = []

    def eval_metric():
        recorded.append(network.layer.weight.item())
        return next(grades)

    task = line_task(network)._replace(eval_metric=eval_metric)
    trained = train(network, task, how(patience=2), seed=1, folder=tmp_path)
    assert trained.facts["steps"] == 40 and len(recorded) == 4
    assert network.layer.weight.item() == pytest.approx(recorded[1])


def test_rows_that_teach_nothing_are_no_step(tmp_path):
    network = Line()
    task = line_task(network)._replace(rows=[])
    assert train(network, task, how(), seed=1, folder=tmp_path).facts["steps"] == 0


SCRIPT = """
    import sys, time
    from pathlib import Path
    sys.path.insert(0, {tests!r})
    from detectors.training import test_engine
    slow, learn = test_engine.how, test_engine.train
    def waits(task):
        def loss(part):
            time.sleep(0.01)
            return task.loss(part)
        return task._replace(loss=loss)
    network = test_engine.Line()
    learn(network, waits(test_engine.line_task(network)), slow(), seed=1, folder=Path({folder!r}))
"""


def test_a_killed_run_goes_on_to_the_same_end(tmp_path):
    whole, _ = fitted_judge(tmp_path / "whole")
    code = textwrap.dedent(SCRIPT.format(tests=str(TESTS), folder=str(tmp_path / "cut")))
    cut = subprocess.Popen([sys.executable, "-c", code])
    while not (tmp_path / "cut" / CHECKPOINT).is_file() and cut.poll() is None:
        time.sleep(0.01)
    os.kill(cut.pid, signal.SIGKILL)
    assert cut.wait() == -signal.SIGKILL
    network, trained = fitted_judge(tmp_path / "cut")
    assert 10 <= trained.run["resumed_from"] < 200
    assert torch.equal(network.layer.weight, whole.layer.weight)


def test_what_is_there_is_not_made_again_and_what_broke_off_leaves_nothing(tmp_path):
    def breaks(folder):
        folder.mkdir(parents=True)
        raise OSError("full")

    with pytest.raises(OSError, match="full"):
        made_once(tmp_path / "a", breaks)
    assert not (tmp_path / "a" / "state").exists()

    def works(folder):
        (folder / "weights").mkdir(parents=True)
        return {"steps": 3}, {"wall_s": 1.0}

    made_once(tmp_path / "a", works)
    made_once(tmp_path / "a", breaks)
    assert (tmp_path / "a" / "state" / "facts.json").read_text() == '{\n "steps": 3\n}\n'


# ---- batches -----------------------------------------------------------------------------------------------
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
