"""Texts as a network reads them beside references that are longer than its window."""

import numpy as np
import pytest
import torch

from tests.detectors.tokens.small_networks import REFERENCE, coder, network, passages
from truerate.detectors.tokens.groups import groups_of
from truerate.detectors.tokens.pretrained import TokenDetector
from truerate.detectors.tokens.strategies import score_group
from truerate.detectors.tokens.train import readings
from truerate.detectors.tokens.validate import agreement

LONG = REFERENCE * 4
TEXTS = ["Tola lies there.", "Tesk was founded in 1877. " * 12]  # the second is read in chunks


@pytest.fixture(scope="module")
def made():
    torch.set_num_threads(1)
    return network("llama", "prefix", coder(), max_tokens=64)


def by_hand(made, text: str) -> np.ndarray:
    """P of each token: window by window on its own, and the least of them."""
    found: dict[int, list[np.ndarray]] = {}
    for group in groups_of(passages([text], LONG), made.coder, made.backbone, made.labels):
        for answer, p in zip(group.answers, score_group(made, group), strict=True):
            found.setdefault(answer.chunk, []).append(1 - p[:, 0])
    return np.concatenate([np.min(found[chunk], axis=0) for chunk in sorted(found)])


def test_each_token_is_read_by_all_windows_and_takes_the_least_suspicious(made):
    told = dict(readings(made, passages(TEXTS, LONG), made.backbone))
    for place, text in enumerate(TEXTS):
        reading = told[f"t{place}"]
        assert reading.n_windows > 3
        np.testing.assert_allclose(reading.p, by_hand(made, text), atol=1e-5)
    first = groups_of(passages(TEXTS[:1], LONG), made.coder, made.backbone, made.labels)[0]
    alone = 1 - score_group(made, first)[0][:, 0]
    assert (told["t0"].p < alone - 1e-5).any(), "the first window alone says more"


def test_with_one_window_each_token_is_read_beside_the_nearest_alone(made):
    how = made.backbone.model_copy(update={"windows": 1})
    told = dict(readings(made, passages(TEXTS, LONG), how))
    for place, text in enumerate(TEXTS):
        reading = told[f"t{place}"]
        nearest = groups_of(passages([text], LONG), made.coder, how, made.labels)
        parts = [
            (answer.chunk, 1 - p[:, 0])
            for group in nearest
            for answer, p in zip(group.answers, score_group(made, group), strict=True)
        ]
        by_chunk = [p for _, p in sorted(parts, key=lambda one: one[0])]
        np.testing.assert_allclose(reading.p, np.concatenate(by_chunk), atol=1e-5)
        assert reading.n_unread == reading.n_windows - 1 > 2


def test_what_is_looked_at_while_it_learns_counts_every_token_of_a_long_reference(made):
    graded = groups_of(passages(TEXTS, LONG), made.coder, made.backbone, made.labels, is_training=True)
    n_labelled = sum((answer.labels >= 0).sum() for group in graded for answer in group.answers)
    assert len(agreement(made, graded, made.backbone).p) == n_labelled > 60


def test_a_text_that_fits_has_one_window(made):
    ((_, reading),) = readings(made, passages(TEXTS[:1], "Tola"), made.backbone)
    assert reading.n_windows == 1


def test_a_detector_that_is_loaded_reads_the_same(made, tmp_path):
    made.save(tmp_path)
    told = TokenDetector.from_pretrained(str(tmp_path)).logits(TEXTS, LONG)
    read = dict(readings(made, passages(TEXTS, LONG), made.backbone))
    for place, logits in enumerate(told):
        p = 1 - torch.softmax(logits, dim=-1).numpy()[:, 0]
        np.testing.assert_allclose(p, read[f"t{place}"].p, atol=1e-5)
