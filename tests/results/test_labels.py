"""The labels behind a committed result: read with care, and held against the scores that are made of them."""

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from results_made import RATE, card
from test_site_render import Elements
from tiny_results import HOSTILE, write_results
from tiny_site import site_of

from truerate.core.errors import SourceError
from truerate.core.schemas import Outcome, frame, pairs, schema
from truerate.results.files import MetricCard, Result, boards_of, facts_of, load_result, save_result
from truerate.results.labels import APART, LABELS, SEATS, Label, label_differences, load_labels, save_labels
from truerate.results.read import read_board, real_boards
from truerate.results.recompute import check_results, recomputed

RESULTS = Path(__file__).parents[2] / "results"


def label(unit, *, part="", gives=None, **more):
    """A label of the made-up result; with `gives` one that its made-up rate is made of."""
    row = {"board": "judged", "subject": "beta", "slice": [], "unit_id": unit, "cluster_id": unit}
    row |= {"part": part, "question": "q"}
    metric = None if gives is None else "made_up_rate"
    return row | {"rater": "", "label": "yes", "metric": metric, "where": "", "gives": gives} | more


def put(path, *rows):
    save_labels(pl.DataFrame(list(rows), schema=schema(Label)), path)
    return load_result(path), path


# the made-up result: beta has 1 on u0 and 0 on u1, u2, u3
AS_ROWS = [label("u0", gives=1.0), *(label(f"u{k}", gives=0.0) for k in (1, 2, 3))]


def test_labels_that_give_the_rows_differ_in_nothing(tmp_path):
    result, path = put(write_results(tmp_path), *AS_ROWS)
    labels = load_labels(path, result).filter(subject="beta")
    of_beta = result.model_copy(update={"rows": result.rows.filter(subject="beta")})
    assert list(label_differences(of_beta, labels)) == []


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        # the mean of both parts is a half where the rows say 1
        (
            [label("u0", part="0", gives=1.0), label("u0", part="1", gives=0.0), *AS_ROWS[1:]],
            "1 units have another value than their labels give, as beta on u0: 1.0, labels 0.5",
        ),
        (AS_ROWS[:-1], "1 units have another value than their labels give, as beta on u3: 0.0, labels None"),
        ([*AS_ROWS, label("u9", gives=1.0)], "as beta on u9: None, labels 1.0"),
    ],
)
def test_a_value_that_labels_do_not_give_is_one_line(rows, message, tmp_path):
    result, path = put(write_results(tmp_path), *rows)
    of_beta = result.model_copy(update={"rows": result.rows.filter(subject="beta")})
    (line,) = label_differences(of_beta, load_labels(path, result))
    assert message in line


def test_the_check_of_results_says_so(tmp_path, capsys):
    put(write_results(tmp_path), *AS_ROWS)  # of four subjects the labels give one
    with pytest.raises(Exception, match="do not hold"):
        check_results(tmp_path)
    assert "made_up_rate: 12 units have another value than their labels give" in capsys.readouterr().out


def test_without_a_file_there_are_none(tmp_path):
    path = write_results(tmp_path)
    assert load_labels(path, load_result(path)) is None


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([label("u0", board="other")], "holds labels of board 'other'"),
        ([label("u0"), label("u0", label="no")], "holds a label twice"),
        ([label("u0", question="two\nlines")], "question 'two\\nlines' is none"),
        ([label("u0", slice=[{"key": "a", "value": "x\u202ey"}])], "is none"),
        ([label("u0", gives=float("inf"))], "holds a value that is no number"),
        (
            [label("u0", label="He was born in the Ruhr and moved to the coast at the age of five.")],
            "label holds a text",
        ),
        ([], "holds no label"),
    ],
)
def test_a_file_that_others_made_wrong_is_one_line(rows, message, tmp_path):
    result, path = put(write_results(tmp_path), *rows)
    with pytest.raises(SourceError) as error:
        load_labels(path, result)
    assert message in str(error.value) and "\n" not in str(error.value)


def test_what_is_no_table_and_a_link_are_refused(tmp_path):
    path = write_results(tmp_path)
    result = load_result(path)
    (path / LABELS).write_bytes(b"PAR1")
    with pytest.raises(SourceError, match="is no table of labels"):
        load_labels(path, result)
    (path / LABELS).unlink()
    (path / LABELS).symlink_to("/etc/hostname")
    with pytest.raises(SourceError, match="is a link"):
        load_labels(path, result)


def test_committed_labels_are_small_and_give_the_scores_of_their_boards():
    """FActScore's facts give the scores of its 549 replies, EVOUNA's labels its rates, RefChecker's claims
    its scores.
    """
    with_labels = {}
    for board in boards_of(RESULTS):
        result = load_result(RESULTS / board)
        if (labels := load_labels(RESULTS / board, result)) is not None:
            assert list(label_differences(result, labels)) == []
            assert (RESULTS / board / LABELS).stat().st_size < 1_000_000
            with_labels[board] = labels
    scored = {
        (board, metric)
        for board, labels in with_labels.items()
        for metric in labels["metric"].drop_nulls().unique()
    }
    assert {
        ("factscore", "wildfactscore"),
        ("factscore", "responding_rate"),
        ("evouna", "hallucination_rate"),
    } <= scored
    facts = with_labels["factscore"].filter(question="fact")
    assert facts.filter(pl.col("label") != "in an irrelevant sentence").height == 16_040


# ---- several raters ----------------------------------------------------------------------------------------
def by_raters(words, *, subject="beta", names=("ann", "bob", "cyd")):
    """Labels of raters, a unit per word: `yyn` is two yes, one no."""
    return [
        label(
            f"{subject}{number}",
            subject=subject,
            question="hallucinated",
            rater=name,
            label={"y": "yes", "n": "no"}[word],
        )
        for number, letters in enumerate(words)
        for name, word in zip(names, letters, strict=True)
        if word != "-"
    ]


def raters_on(tmp_path, *rows):
    path = write_results(tmp_path)
    put(path, *rows)
    return read_board(path).raters


MIXED = ["yyy"] * 8 + ["yyn", "yny", "nyy"] + ["nnn"] * 12 + ["ynn", "nyn", "nny"]


def test_raters_who_label_the_same_units_have_errors_of_their_own(tmp_path):
    raters = raters_on(tmp_path, *by_raters(MIXED), *by_raters(["nnn"] * 6, subject="alpha"))
    assert (raters.n, raters.n_raters, raters.pooled, raters.names) == (32, 3, "", ("ann", "bob", "cyd"))
    assert raters.subjects == ("alpha", "beta")
    alpha, beta = raters.result.groups
    assert alpha.model.value == pytest.approx(0, abs=1e-3)
    assert beta.vote.value == pytest.approx(11 / 26)
    assert len(raters.result.raters) == 3


@pytest.mark.parametrize(
    ("words", "why", "is_told"),
    [
        (["yyy", "nyy", "nny", "nnn"] * 5, SEATS, True),  # sorted by what was said
        (["yyy--"] * 4 + ["nny--"] * 2 + ["yny--", "---yn", "---ny", "nnn--"], APART, True),
        (["yy", "yn", "ny", "nn"] * 5, APART, False),  # no unit has three labels
    ],
)
def test_raters_that_cannot_be_told_apart_have_their_errors_in_common(words, why, is_told, tmp_path):
    raters = raters_on(tmp_path, *by_raters(words, names="abcde"[: len(words[0])]))
    assert (raters.pooled, raters.names, raters.result is not None) == (why, (), is_told)


def test_one_rater_or_none_is_nothing_to_compare(tmp_path):
    assert raters_on(tmp_path / "one", *by_raters(["y", "n"], names=("ann",))) is None
    assert read_board(write_results(tmp_path / "none")).raters is None


def test_the_page_shows_rates_by_vote_and_model_and_keeps_hostile_names_text(tmp_path):
    raters = ("ann", "bob", HOSTILE[:50])
    rows = [*by_raters(MIXED, names=raters), *by_raters(["nnn"] * 6, subject="alpha", names=raters)]
    put(write_results(tmp_path), *rows)
    page = site_of(n=1, real=real_boards(tmp_path), max_samples=1)["real/judged.md"]
    text = Elements(page).text
    assert "Labels that err" in page and "3 raters labelled 32 replies" in text
    assert "By the vote" in text and "By the model" in text and "As published" in text
    assert "<script>alert" not in page and "{{7*7}}" not in page


def test_the_page_says_where_the_errors_are_not_identified(tmp_path):
    put(write_results(tmp_path), *by_raters(["yy", "yn", "ny", "nn"], names=("ann", "bob")))
    page = site_of(n=1, real=real_boards(tmp_path), max_samples=1)["real/judged.md"]
    assert "not identified" in Elements(page).text


def test_faithbench_has_half_the_rate_by_its_experts_vote_that_any_mark_gives_it():
    board = read_board(RESULTS / "faithbench")
    groups = dict(zip(board.raters.subjects, board.raters.result.groups, strict=True))
    published = board.overall(board.headline.name)
    assert board.raters.pooled == APART  # seven of the fifteen batches had two annotators
    best = groups["openai/gpt-4o"]
    assert published["openai/gpt-4o"].value == pytest.approx(0.427, abs=1e-3)
    assert (best.vote.value, best.model.value) == pytest.approx((0.215, 0.104), abs=1e-3)
    (experts,) = board.raters.result.raters
    assert (experts.tpr.value, experts.tnr.value) == pytest.approx((0.887, 0.841), abs=1e-3)


def test_the_names_of_xsums_workers_are_seats():
    board = read_board(RESULTS / "xsum-hallucinations")
    assert board.raters.pooled == SEATS
    rates = dict(zip(board.raters.subjects, board.raters.result.groups, strict=True))
    assert rates["Gold"].model.value == pytest.approx(0.857, abs=1e-3)
    assert rates["Gold"].vote.value == pytest.approx(0.862)


# ---- labelled anew -----------------------------------------------------------------------------------------
N_UNITS = 60


def labelled_anew(folder, recall):
    """A result whose replies were labelled anew: of the first `wrong` units of each subject the first labels had the share
    `recall`; a judge flags all but the last of them. Two spans a wrong reply, of which the first labels had one.
    """
    wrong = {"aster": 10, "birch": 20, "cedar": 40}
    rows, labels = [], []
    for subject, n in wrong.items():
        for unit in range(N_UNITS):
            said = {
                (): unit < n,
                (("rule", "first"),): unit < round(recall * n),
                (("judge", "j"),): unit < n - 1,
            }
            for where, value in said.items():
                rows.append({
                    "board": "anew", "metric": "judged_rate" if where and where[0][0] == "judge" else RATE.name, "subject": subject,
                    "slice": pairs(**dict(where)), "unit_id": f"u{unit}", "cluster_id": f"u{unit}", "value": float(value),
                })  # fmt: skip
            for part in range(2) if unit < n else ():
                labels.append(label(f"u{unit}", board="anew", subject=subject, question="first", part=str(part),
                                    label="yes" if part == 0 and unit < round(recall * n) else "no", slice=pairs(task="qa")))  # fmt: skip
    metrics = (RATE, replace(RATE, name="judged_rate"))
    about = {"board": "anew", "metrics": tuple(MetricCard(**facts_of(metric)) for metric in metrics)}
    about |= {"n_subjects": 3, "n_units": N_UNITS, "n_clusters": N_UNITS}
    outcomes = frame(Outcome, rows)
    made = Result(
        card=card(**about),
        rows=outcomes,
        scores=recomputed(outcomes, card(**about), dict.fromkeys(wrong, "model")),
    )
    save_result(made, folder / "anew")
    save_labels(pl.DataFrame(labels, schema=schema(Label)), folder / "anew")
    return read_board(folder / "anew")


def test_gold_recall_is_the_share_of_the_new_hallucinations_that_the_first_labels_had(tmp_path):
    anew = labelled_anew(tmp_path, 0.5).reannotation
    by_name = {error.name: error for error in anew.errors}
    assert set(by_name) == {"everything", "model: aster", "model: birch", "model: cedar"}
    whole = by_name["everything"]
    assert (whole.n_hallucinated, whole.n_right) == (70, 110)
    assert whole.tpr.value == pytest.approx(35 / 70)
    assert whole.tpr.low < 0.5 < whole.tpr.high
    assert whole.tnr.value == 1
    (spans,) = anew.spans
    assert (spans[0], spans[1], spans[2].value) == ((), 140, 35 / 140)


def test_judges_are_held_against_the_new_labels_and_the_first(tmp_path):
    board = labelled_anew(tmp_path, 0.5)
    by_name = {error.name: error for error in board.judge_errors if error.judge == "j"}
    # by the new labels 67 of 70 found; by the first, of 35, all found, and 32 of 145 others flagged
    assert by_name["everything"].tpr.value == pytest.approx(67 / 70)
    assert by_name["everything"].tnr.value == 1
    assert by_name["rule: first"].tpr.value == 1
    assert by_name["rule: first"].tnr.value == pytest.approx(113 / 145)


def test_the_page_of_a_set_that_was_labelled_anew_has_ranks_before_and_after(tmp_path):
    labelled_anew(tmp_path, 0.5)
    page = site_of(n=1, real=real_boards(tmp_path), max_samples=1)["real/anew.md"]
    text = Elements(page).text
    assert "The first labels had 50.0 % of the hallucinated ones" in text
    for words in (
        "Labelled anew",
        "First labels",
        "Gold recall",
        "Recall of spans",
        "Judges by new and by first labels",
    ):
        assert words in text
    assert check_results(tmp_path) is None


def test_a_board_without_a_reannotation_has_no_such_block(tmp_path):
    assert read_board(RESULTS / "ragtruth").reannotation is None
