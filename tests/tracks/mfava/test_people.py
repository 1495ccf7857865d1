"""What people's labels of replies are worth, by hand."""

import polars as pl
import pytest

from truerate.core.schemas import pairs
from truerate.metrics.estimators.sample import EXACT
from truerate.metrics.tokens import offsets_by
from truerate.tracks.mfava import marking
from truerate.tracks.mfava.rates import labellers, labelling_error, mean_marks

from .made_scores import item, reply, sample, span, tables

TEXT = "a b c d e f g h i j"


def words(share: float | None, *places: int) -> list[dict]:
    return [span(2 * place, 2 * place + 1, "entity", share) for place in places]


def labelled(**spans: tuple[int, list[dict]]) -> tuple[marking.Labelled, marking.Texts]:
    """Labelled replies by name: how many people labelled each, and the spans that are kept of it."""
    rows = [
        sample(name, f"{TEXT} {name}", *found, source="gold", task="wild")
        | {"attributes": pairs(n_labels=n, generation=f"answer-{name}-m-")}
        for name, (n, found) in spans.items()
    ]
    made = tables(
        [item(name, "wild") for name in spans], rows, [reply(name, "m", f"{TEXT} {name}") for name in spans]
    )
    texts = marking.board_texts(
        pl.DataFrame(made["samples"]),
        marking.answers(made["generations"], made["items"]),
        offsets_by("words"),
    )
    return marking.labelled(made["samples"], texts, "natural"), texts


# Four people: of `x` all mark two words and one marks a third; of `y` three mark one word and two another (no majority).
X = (4, [*words(1.0, 0, 1), *words(0.25, 2)])
Y = (4, [*words(0.75, 3), *words(0.5, 4)])
ALONE = (1, words(None, 5, 6))


def test_the_mean_person_marks_the_sum_of_the_shares():
    natural, texts = labelled(x=X, y=Y, z=ALONE)
    assert labellers(natural).tolist() == [4, 4, 1]
    assert mean_marks(natural, texts).tolist() == pytest.approx([2.25, 1.25, 2.0])


def test_what_votes_hold_beside_what_one_person_marks():
    # votes 2 and 1; a person marks 2.25 and 1.25; what one person alone labelled tells nothing of it
    found = labelling_error(*labelled(x=X, y=Y, z=ALONE))
    assert found.ratio == pytest.approx(3 / 3.5)
    # 2 / (2 − 1) · Σ (v − ratio · m)² / 3.5² / ratio²
    left = [2 - found.ratio * 2.25, 1 - found.ratio * 1.25]
    assert found.relative_variance == pytest.approx(2 * sum(one**2 for one in left) / 3.5**2 / found.ratio**2)


def test_without_shared_replies_labels_count_as_they_are():
    assert labelling_error(*labelled(z=ALONE)) == EXACT
    assert labelling_error(*labelled(x=X, z=ALONE)) == EXACT  # one article
    assert labelling_error(*labelled()) == EXACT
