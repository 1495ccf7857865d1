"""The training loop: what it learns, and that neither a second run nor a kill changes what comes out."""

import os
import signal
import socket
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
import torch

from truerate.detectors.tokens.cells import halves
from truerate.detectors.tokens.encode import tiny_coder
from truerate.detectors.tokens.network import build
from truerate.detectors.tokens.span_probabilities import labels_of
from truerate.detectors.tokens.train import train
from truerate.detectors.tokens.validate import agreement
from truerate.detectors.training.jobs import CHECKPOINT

from .lessons import backbone, lessons
from .small_networks import groups_of

TESTS = Path(__file__).parents[2]
SHORT = {"max_steps": 16, "checkpoint_steps": 4}  # of a run that is stopped or shared out


@pytest.fixture(autouse=True)
def _one_thread():
    torch.set_num_threads(1)


def fitted(folder, passages, how, *, labels="binary", seed=42):
    """A network trained on passages, and what training told."""
    halved, names = halves(passages.sort("target_id")), labels_of(labels)
    coder = tiny_coder([*halved[0]["text"], *halved[0]["reference"]])
    network = build(how, names, coder, seed)
    sides = (groups_of(half, coder, how, names) for half in halved)
    return network, train(network, *sides, backbone=how, seed=seed, folder=folder)


def test_it_learns_to_compare_with_the_reference(tmp_path):
    network, trained = fitted(tmp_path, lessons(45), how := backbone(max_steps=36))
    same, other = (lessons(20, start=500, wording=wording) for wording in (0, 1))
    f1 = [
        agreement(network, groups_of(item, network.coder, how, network.labels), how).f1
        for item in (same, other)
    ]
    # mark-all reaches about .5 on both, the reference-blind rule .9 and .55
    assert f1[0] > 0.9 and f1[1] > 0.58
    assert trained.facts["steps"] == 36
    assert trained.facts["validation"]["f1"] > 0.9
    assert trained.run["kind"] in ("cpu", "cuda")


def test_the_same_run_gives_the_same_bytes(tmp_path):
    for name in "ab":
        network, _ = fitted(tmp_path / f"{name}-scratch", lessons(12), backbone(max_steps=6))
        network.save(tmp_path / name)
    files = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert "model.safetensors" in files
    assert all((tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes() for name in files)


def test_categories_and_all_masks_run(tmp_path):
    for mask in ("full", "causal", "prefix"):
        how = backbone(mask=mask, max_steps=3, token_budget=500, accumulation=2)
        network, trained = fitted(tmp_path / mask, lessons(8), how, labels="category")
        assert len(network.labels) == 7 and trained.facts["steps"] == 3
        assert 1 < trained.run["loss_first"] < 2.5  # about ln 7 before anything is learned


def test_a_run_stops_when_validation_does_not_rise(tmp_path):
    # at this pace nothing is learned: every look after the first finds no rise
    how = backbone(learning_rate=1e-9, max_steps=40, checkpoint_steps=2, patience=2)
    _, trained = fitted(tmp_path, lessons(8), how)
    assert trained.facts["steps"] == 6


SCRIPT = """
    import sys
    from pathlib import Path
    sys.path.insert(0, {tests!r})
    import torch
    from detectors.tokens.lessons import backbone, lessons
    from detectors.tokens.test_train import fitted
    from truerate.detectors.training import processes
    torch.set_num_threads(1)
    processes.join()
    network, trained = fitted(Path({folder!r}), lessons(30), backbone(**{how!r}))
    print(trained.facts["validation"]["f1"], trained.run["processes"])
"""


def started(folder, how, **environment):
    """A training in a process of its own."""
    code = textwrap.dedent(SCRIPT.format(tests=str(TESTS), folder=str(folder), how=how))
    return subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=os.environ | environment
    )


@pytest.mark.proof
@pytest.mark.slow
def test_a_killed_run_goes_on_to_the_same_end(tmp_path):
    """With word dropout: its draws, too, go on where they were."""
    dropped = SHORT | {"word_dropout": 0.5}
    cut, how = started(tmp_path / "cut", dropped), backbone(**dropped)
    while not (tmp_path / "cut" / CHECKPOINT).is_file() and cut.poll() is None:
        time.sleep(0.01)
    os.kill(cut.pid, signal.SIGKILL)
    assert cut.wait() == -signal.SIGKILL
    expected, undisturbed = fitted(tmp_path / "whole", lessons(30), how)
    network, trained = fitted(tmp_path / "cut", lessons(30), how)
    assert SHORT["checkpoint_steps"] <= trained.run["resumed_from"] < SHORT["max_steps"]
    assert trained.facts["validation"]["f1"] == pytest.approx(
        undisturbed.facts["validation"]["f1"], abs=0.005
    )
    first, second = expected.trainable_state(), network.trainable_state()
    assert all(torch.equal(first[name], second[name]) for name in first)


@pytest.mark.proof
@pytest.mark.slow
def test_two_processes_reach_what_one_does(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        index = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free.getsockname()[1]), "WORLD_SIZE": "2"}
    both = [started(tmp_path, SHORT, RANK=str(rank), LOCAL_RANK=str(rank), **index) for rank in range(2)]
    _, alone = fitted(tmp_path / "alone", lessons(30), backbone(**SHORT))
    values = [process.communicate()[0].split()[-2:] for process in both]
    assert values[0] == values[1] and values[0][1] == "2"
    # their gradients are summed, so without dropout only rounding differs
    assert float(values[0][0]) == pytest.approx(alone.facts["validation"]["f1"], abs=0.02)


def test_the_share_that_is_learned_from_is_the_callers():
    fewer, more = (halves(lessons(60), share)[0] for share in (0.3, 0.9))
    assert set(fewer["group_id"]) < set(halves(lessons(60))[0]["group_id"]) < set(more["group_id"])
    assert halves(lessons(4), 1.0)[1].is_empty()
