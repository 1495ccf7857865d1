"""The whole build finds what was planted: servers, model layer, prompts, parsing, labels and scores together.

The target is always the planted parameter, never the realised share: the probability with which a simulated
model errs, averaged over the texts that were judged. Texts of QA, dialogue and summarization are labelled by
how they were made; general replies are labelled by people with planted errors of their own, and a text that
they label wrongly counts in the target as it is labelled: TPR there is what a judge says of texts that people
called hallucinated, judging error and all. The people's errors are a family of their own.

Intervals hold together over all models, slices and seeds of a family with 99 %. They are exact, for equal
claims are one draw, and items that repeat are left out. A change of the world's code or of a seed draws
everything anew; a right build then fails one of these tests in three of a hundred times (exact tails,
summed): look at `test_calibration.py` before believing such a failure.
"""

import pytest

from truerate.llm import ask
from truerate_world.models import COVERAGE

from .board import ROOT, build_board
from .cells import DEPENDENT, FAMILIES, cells_of, family, missed, pooled
from .misreading import each_once, readings

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("recover")]


@pytest.mark.parametrize("name", FAMILIES)
def test_planted_values_lie_in_the_simultaneous_intervals(cells, name):
    found = family(name, cells)
    assert found and not missed(found)


def test_planted_values_lie_in_the_intervals_of_all_seeds_together(cells):
    assert not missed(pooled(cells))


def test_every_simulated_model_is_measured_wherever_something_is_planted(boards):
    for board in boards:
        rows = [
            row
            for row in board.planted()
            if row["metric"] not in DEPENDENT
            and "reason" not in {pair["key"] for pair in row["slice"]}  # one that nobody met has no row
        ]
        found = cells_of(board, planted=rows)
        assert {cell.subject for cell in found} == set(board.at.p.track("halueval-closed-world").models())
        named = {
            (cell.metric, cell.subject, tuple(one for one in cell.where if one[0] != "scheme"))
            for cell in found
        }
        for row in rows:
            where = tuple(
                sorted((pair["key"], pair["value"]) for pair in row["slice"] if pair["key"] != "scheme")
            )
            assert (row["metric"], row["subject"], where) in named


def test_first_position_is_half_and_half_the_disagreement(boards):
    """A judge takes the first of two in both orders, or the same text in both: (2d + (1 − d)) / 2 = (1 + d) /
    2 of d; off by at most half of the replies whose mate in the other order could not be read.
    """
    for board in boards:
        names = ("filter_disagreement_rate", "filter_first_position_rate", "filter_unparsed_rate")
        found = {
            (row["metric"], row["subject"], row["slice"][0]["value"]): row["value"]
            for row in board.scores
            if row["metric"] in names
        }
        judges = {(subject, task) for _, subject, task in found}
        assert len(judges) == 3 * len(board.at.p.track("halueval-closed-world").models())
        for judge in judges:
            disagreement, first, unread = (found[name, *judge] for name in names)
            assert first == pytest.approx((1 + disagreement) / 2, abs=unread + 1e-5)
            assert unread or first == pytest.approx((1 + disagreement) / 2, abs=1e-5)


def test_labels_are_those_of_people_with_errors(boards):
    """Else the target of the general task would be no other than that of the rest."""
    found = [board.samples.filter(task="general") for board in boards]
    assert all(
        rows["label_source"].unique().to_list() == ["gold"] and rows["is_hallucinated"].n_unique() == 2
        for rows in found
    )


def test_a_board_that_is_asked_over_http_has_the_same_rows(tmp_path, monkeypatch):
    """Server process, client, store and all: replies, verdicts and labels are those of the boards here."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("TRUERATE_STORE", str(tmp_path / "responses.sqlite"))
    direct, over_http = (build_board(404, tmp_path / str(how), set(), n=8, asking=how) for how in (None, ask))
    assert direct.prompts and not over_http.prompts and direct.dataset.generations.height > 300
    assert over_http.dataset.generations.equals(direct.dataset.generations)
    for table in ("samples", "judgements", "labelled"):
        assert getattr(over_http, table).equals(getattr(direct, table))


def test_no_reply_is_misread(boards):
    """Every prompt of the boards, put to every model: what is read is what a careful person reads."""
    asked = list(each_once(one for board in boards for one in board.prompts))
    prompts = asked[:: len(boards)]  # of all seeds: texts of another world are read as strange ones
    found = list(readings(boards[0].world, prompts, COVERAGE))
    assert {one.purpose for one in found} == {"sample", "filter", "recognition", "contrast"}
    assert len({one.manner for one in found}) > 15
    assert not [one for one in found if one.kind in ("turned", "invented")]  # strict readers may lose some
    assert sum(one.kind == "lost" for one in found) <= 0.002 * len(found)
