"""Figures printed elsewhere beside a committed result: equal to the digits printed, or said to differ."""

from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from tiny_results import HOSTILE, write_results

from tests.cases import case_table
from truerate.core.errors import SourceError
from truerate.core.schemas import schema
from truerate.results.files import load_result
from truerate.results.labels import Label, save_labels
from truerate.results.published import COLUMNS, PUBLISHED, Verdict, beside, is_printed_as, tally

ROOT = Path(__file__).parents[2]
HEAD = ",".join(COLUMNS)


def written(folder, *lines, head=HEAD):
    path = write_results(folder)
    (path / PUBLISHED).write_text("\n".join([head, *lines]) + "\n", "utf-8")
    return beside(load_result(path), path)


@pytest.mark.parametrize(
    ("value", "printed", "is_equal"), case_table(__file__)["a_figure_is_equal_to_the_digits_printed"]
)
def test_a_figure_is_equal_to_the_digits_printed(value, printed, is_equal):
    assert is_printed_as(value, printed) is is_equal


def test_shares_are_printed_in_per_cent_and_each_figure_has_its_verdict(tmp_path):
    # the made-up result holds beta 0.25 over everything and 0.5 on task qa, and nothing of a model delta
    figures = written(
        tmp_path,
        "made_up_rate,beta,,25.0,Somebody 2025",
        "made_up_rate,beta,task=qa,49.9,Somebody 2025",
        "made_up_rate,delta,,10,Somebody 2025",
    )
    assert [figure.verdict for figure in figures] == [
        Verdict.REPRODUCED,
        Verdict.DIFFERS,
        Verdict.NOT_MEASURED,
    ]
    assert [figure.ours for figure in figures] == [25.0, 50.0, None]
    assert tally(figures) == "1 of 3 published figures reproduced to the digits printed, 1 not measured here"


def test_a_bound_that_was_printed_is_met_or_not_and_a_note_is_kept(tmp_path):
    figures = written(
        tmp_path,
        "made_up_rate,beta,,>20,Somebody 2025,about",
        "made_up_rate,beta,task=qa,<50,Somebody 2025,",
        head=f"{HEAD},note",
    )
    assert [figure.verdict for figure in figures] == [Verdict.CONSISTENT, Verdict.INCONSISTENT]  # .25 and .5
    assert [figure.note for figure in figures] == ["about", ""]
    assert tally(figures) == (
        "2 published figures, 1 consistent with the bound printed, 1 inconsistent with the bound printed"
    )


def test_a_figure_may_be_a_quantity_of_the_labels_and_is_not_measured_without_them(tmp_path):
    line = "unit_share,beta,question=q;label=yes,66.667,Somebody 2025"
    (figure,) = written(tmp_path, line)
    assert figure.verdict is Verdict.NOT_MEASURED
    row = {"board": "judged", "subject": "beta", "slice": [], "cluster_id": "c", "part": "", "question": "q"}
    row |= {"rater": "", "metric": None, "where": "", "gives": None}
    labels = [row | {"unit_id": f"u{k}", "label": label} for k, label in enumerate(("yes", "yes", "no"))]
    save_labels(pl.DataFrame(labels, schema=schema(Label)), tmp_path / "judged")
    (figure,) = beside(load_result(tmp_path / "judged"), tmp_path / "judged")
    assert figure.verdict is Verdict.REPRODUCED and figure.ours == pytest.approx(200 / 3)


def test_without_a_file_nothing_is_published(tmp_path):
    path = write_results(tmp_path)
    assert beside(load_result(path), path) == () and tally(()) == ""


@pytest.mark.parametrize(
    ("lines", "head", "labels"),
    [
        (["made_up_rate,beta,,25.0"], "metric,subject,slice,printed", "has other columns; allowed: metric"),
        (["other_rate,beta,,25.0,S"], HEAD, "holds metric 'other_rate', of which card.json has no record"),
        (["made_up_rate,beta,,about 25,S"], HEAD, "holds 'about 25', which is no figure such as 42.5"),
        (["made_up_rate,beta,,=1+1,S"], HEAD, "which is no figure"),
        (["made_up_rate,beta,,25,S"] * 2, HEAD, "says a figure twice"),
        (["made_up_rate,beta,,25,S,more"], HEAD, "result 'judged': published.csv"),
        (
            ["made_up_rate,beta,,25,S,more"],
            f"{HEAD},remark",
            "allowed: metric, subject, slice, printed, source, and note",
        ),
        (["made_up_rate,beta,,>>25,S"], HEAD, "which is no figure"),
        (['made_up_rate,beta,,25,"S\u202e"'], HEAD, "is none: longer than"),
    ],
)
def test_a_file_that_cannot_be_compared_is_one_line(lines, head, labels, tmp_path):
    with pytest.raises(SourceError) as error:
        written(tmp_path, *lines, head=head)
    assert labels in str(error.value) and "\n" not in str(error.value)


def test_a_link_is_refused(tmp_path):
    path = write_results(tmp_path)
    (path / PUBLISHED).symlink_to("/etc/hostname")
    with pytest.raises(SourceError, match="is a link"):
        beside(load_result(path), path)


def test_every_figure_of_faithjudges_table_follows_from_the_committed_rows():
    """46 models, overall and on four tasks, as its README printed them: 230 figures to .01 per cent."""
    figures = beside(load_result(ROOT / "results" / "faithjudge"), ROOT / "results" / "faithjudge")
    assert len(figures) == 230 and {figure.verdict for figure in figures} == {Verdict.REPRODUCED}


def test_figures_of_models_that_have_no_row_here_are_kept_and_claim_nothing():
    """HaluEval's Table 6 on the general part: four models, whose replies were not published."""
    path = ROOT / "results" / "halueval-published"
    figures = tuple(figure for figure in beside(load_result(path), path) if figure.metric == "accuracy")
    assert {figure.subject: figure.printed for figure in figures}["gpt-3.5-turbo"] == "86.22" and len(
        figures
    ) == 4
    assert {figure.verdict for figure in figures} == {Verdict.NOT_MEASURED}
    assert tally(figures) == "4 published figures, none of them measured here"


@pytest.mark.parametrize(
    ("board", "counts"),
    [
        # what differs, and why, stands in the notes of each file
        ("evouna", {Verdict.REPRODUCED: 33, Verdict.DIFFERS: 4}),
        ("factscore", {Verdict.REPRODUCED: 9, Verdict.DIFFERS: 6}),
        ("faithbench", {Verdict.DIFFERS: 2, Verdict.NOT_MEASURED: 5}),
        ("faithdial-audit", {Verdict.CONSISTENT: 2}),
        ("halueval-published", {Verdict.DIFFERS: 3, Verdict.NOT_MEASURED: 5}),
        ("mushroom", {Verdict.NOT_MEASURED: 112}),  # of the test set
        ("ragtruth", {Verdict.NOT_MEASURED: 3}),
        ("refchecker-zero-context", {Verdict.REPRODUCED: 13, Verdict.NOT_MEASURED: 1}),
        ("refchecker-noisy-context", {Verdict.REPRODUCED: 9}),
        ("refchecker-accurate-context", {Verdict.REPRODUCED: 9}),
        ("xsum-hallucinations", {Verdict.DIFFERS: 8, Verdict.NOT_MEASURED: 2}),
    ],
)
def test_what_became_of_each_published_figure_of_the_committed_results(board, counts):
    figures = beside(load_result(ROOT / "results" / board), ROOT / "results" / board)
    assert Counter(figure.verdict for figure in figures) == counts
    assert all(figure.note for figure in figures if figure.verdict is Verdict.DIFFERS)


def test_names_are_compared_as_they_stand(tmp_path):
    (figure,) = written(tmp_path, f'made_up_rate,"{HOSTILE}",,100,Somebody')
    assert figure.verdict is Verdict.REPRODUCED
