"""WildHallucinations finds what was planted where names stand in other scripts, refusals come in ten styles and
replies hold as many facts as the paper's: at 5 facts a reply and at 28.

What the web breaks besides changes no document (`tests/tracks/wildhallucinations/test_evidence_steps.py`), so that it
is left out here. Intervals hold together with 99 % (Bonferroni), as in `test_recover_wild`.
"""

import numpy as np
import pytest

from truerate.tracks.wildhallucinations import names as abstention
from truerate_world.wildhallucinations.breaks import MODELS

from .board import ROOT
from .broken_models import N_FACTS, REFUSALS, foreign
from .test_recover_wild import found, holds
from .wild_board import SIZES, build_board

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("recover-broken-wild")]
SUBJECTS = ("aster", "elm")
SMALL = SIZES | {"chats": 140, "replies": 40, "reviewed": 40, "checked": 30}
SEED = 101


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(False, id="5 facts"),
        pytest.param(True, id="28 facts", marks=pytest.mark.proof),
    ],
)
def board(request, tmp_path_factory):
    breaks = frozenset(MODELS) if request.param else frozenset(MODELS) - {"long-replies"}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        patch.setenv("TRUERATE_STORE", str(tmp_path_factory.mktemp("store") / "responses.sqlite"))
        return build_board(
            SEED, tmp_path_factory.mktemp("wild"), breaks=breaks, sizes=SMALL, subjects=SUBJECTS
        )


def planted(board, metric: str, subject: str, **where: str) -> float:
    return found(board.planted, metric, subject, **where).value


def test_replies_are_as_long_as_was_planted(board):
    for subject in SUBJECTS:
        n = planted(board, "facts_per_response", subject)
        assert n == N_FACTS if "long-replies" in board.breaks else 4 < n < 10
        assert found(board.scores, "facts_per_response", subject).value == pytest.approx(n, rel=0.03)


def test_the_funnel_keeps_names_in_other_scripts(board):
    assert planted(board, "funnel_precision", "entities") >= 0.95
    assert planted(board, "funnel_recall", "entities") >= 0.95
    kept = set(board.made["items"]["question"])
    names = {board.world.lexicon().name(one) for one in foreign(board.world)}
    assert not any(name.isascii() for name in names) and len(kept & names) >= 5


def test_refusals_in_ten_styles_are_seen(board):
    assert all(abstention.abstains(one.format(x="Tamor Blenn"), "measured") for one in REFUSALS)
    for subject in SUBJECTS:
        rate = found(board.scores, "responding_rate", subject, rule="measured")
        assert rate.value == planted(board, "responding_rate", subject, rule="planted")


@pytest.mark.parametrize("estimator", ["corrected", "ppi", "chosen"])
def test_scores_hold_the_planted_ones(board, estimator):
    truth = [planted(board, "wildfactscore", one, estimator="planted", set="all") for one in SUBJECTS]
    told = [found(board.scores, "wildfactscore", one, estimator=estimator, set="all") for one in SUBJECTS]
    assert all(map(holds, told, truth))
    assert np.mean(np.abs([one.value for one in told] - np.array(truth))) < 0.05


def test_raw_scores_err_as_the_verifier_does(board):
    """Raw = s · (1 − FPR) + (1 − s) · (1 − TPR)."""
    tpr, fpr = (planted(board, name, "quill") for name in ("verifier_tpr", "verifier_fpr"))
    for subject in SUBJECTS:
        s = planted(board, "wildfactscore", subject, estimator="planted", set="all")
        raw = found(board.scores, "wildfactscore", subject, estimator="raw", set="all")
        assert holds(raw, s * (1 - fpr) + (1 - s) * (1 - tpr))


def test_strict_by_labels_of_whole_replies_holds_the_planted_one(board):
    for subject in SUBJECTS:
        strict = found(board.scores, "wildfactscore_strict", subject, estimator="chosen", set="all")
        assert holds(strict, planted(board, "wildfactscore_strict", subject, estimator="planted", set="all"))
