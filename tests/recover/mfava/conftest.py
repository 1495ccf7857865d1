"""The whole mFAVA track finds what was planted: writer, translator, subjects, people and detectors, each with
errors of its own, on boards of some seeds that are built once.

Everything but the detectors comes through the track's steps from simulated models behind an endpoint; the
detectors' errors are planted here, so that what their counts should make of a rate is known. Intervals of a
family hold together with 99 %; those of shares are exact. The target of a rate is never the share of the very
replies but that of many others of the same models to the same queries.
"""

from itertools import product

import pytest

from ..board import ROOT
from ..mfava_board import MARKERS, PARTIAL, SEEDS, build_board


@pytest.fixture(scope="package")
def store(tmp_path_factory):
    return tmp_path_factory.mktemp("store") / "responses.sqlite"


@pytest.fixture(scope="package")
def boards(tmp_path_factory, store):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        patch.setenv("TRUERATE_STORE", str(store))
        return [build_board(seed, tmp_path_factory.mktemp(f"wiki-{seed}")) for seed in SEEDS]


@pytest.fixture(scope="package")
def scored(boards):
    """The Score rows and the outcomes of every board with every detector, by (marker, seed)."""
    both = product((*MARKERS, PARTIAL), boards)
    return {(marker, board.at.p.seed): board.scores(marker) for marker, board in both}
