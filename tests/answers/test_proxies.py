"""The file's own judges in place of a detector, one or several, and repeats of an item."""

import json

import numpy as np
import polars as pl
import pytest

from truerate.answers.proxies import judges_of
from truerate.answers.rating import rate
from truerate.answers.telling import as_dict, lines
from truerate.cli import main
from truerate.core.errors import SettingsError
from truerate.sources.answers.table import read_table

SMALL = [  # two judges of six answers, four of which people labelled
    {"answer": "a", "one": 1, "two": "no", "is_hallucinated": True},
    {"answer": "b", "one": 1, "two": "yes", "is_hallucinated": False},
    {"answer": "c", "one": 0, "two": "yes", "is_hallucinated": True},
    {"answer": "d", "one": 0, "two": "no", "is_hallucinated": False},
    {"answer": "e", "one": 1, "two": "yes", "is_hallucinated": None},
    {"answer": "I don't know.", "one": 1, "two": "yes", "is_hallucinated": None},
]


def test_each_judge_beside_people_and_beside_the_other():
    """Of the five that say something `one` flags 3 and `two` 3; of two labelled hallucinated each finds 1, of two
    faithful `one` passes 1 and `two` 1; they agree on b, d and e, by chance on .6² + .4² = .52: κ = .08 / .48.
    """
    report = rate(SMALL, verdicts=["one", "two"])
    judges = as_dict(report)["judges"]
    assert [row["flagged"] for row in judges["rates"]] == [0.6, 0.6]
    assert {(row["sensitivity"], row["specificity"]) for row in judges["rates"]} == {(0.5, 0.5)}
    (pair,) = judges["agreements"]
    assert pair["agreement"] == 0.6 and pair["kappa"] == pytest.approx(0.08 / 0.48)
    assert "answers: 6 = 5 judged + 1 abstained" in "\n".join(lines(report))


def test_several_judges_make_one_estimate_that_is_right_and_narrower():
    """4,000 answers, a fifth hallucinated, 200 labelled: a judge right in 85 of 100, a score, and a judge that says the
    opposite. Together they are narrower than the best alone, and the interval holds the truth.
    """
    rng = np.random.default_rng(3)
    truth = rng.random(4000) < 0.2
    right = np.where(rng.random(4000) < 0.85, truth, ~truth)
    score = np.clip(0.5 + 0.2 * (2 * truth - 1) + rng.normal(0, 0.2, 4000), 0, 1)
    opposite = np.where(rng.random(4000) < 0.85, ~truth, truth)
    label = np.where(np.isin(np.arange(4000), rng.choice(4000, 200, replace=False)), truth, None)
    columns = {"right": right, "score": score, "opposite": opposite}
    frame = pl.DataFrame(columns | {"is_hallucinated": pl.Series(label.tolist(), dtype=pl.Boolean)})
    alone = [rate(frame, verdicts=name).rate for name in columns]
    several = rate(frame, verdicts="right,score,opposite").rate
    assert all(each.low <= truth.mean() <= each.high for each in (*alone, several))
    assert several.high - several.low < 0.9 * min(each.high - each.low for each in alone)


def test_errors_of_judges_are_weighted_by_the_draw():
    """Of two hallucinated answers `one` finds the one that stands for 2 and misses the one that stands for 6: 2/8."""
    labels = [("1", True, 2.0), ("2", False, 1.0), ("3", True, 6.0), ("4", False, 3.0)]
    rows = [
        {"id": name, "is_hallucinated": label, "weight": weight, "annotator": "x"}
        for name, label, weight in labels
    ]
    answers = [{name: value for name, value in row.items() if name != "is_hallucinated"} for row in SMALL]
    one = as_dict(rate(answers, labels=rows, verdicts="one"))["judges"]["rates"][0]
    assert (one["sensitivity"], one["specificity"]) == (0.25, 0.75)


def spread_over(rng, labelled, **columns):
    """400 answers, a tenth hallucinated, with a judge right in nine of ten; labels where `labelled` says."""
    truth = rng.random(400) < 0.1
    flags = np.where(rng.random(400) < 0.9, truth, ~truth)
    label = np.where(labelled(truth, flags), truth, None)
    columns = {"answer": ["a"] * 400, "judge": flags} | columns
    return pl.DataFrame(
        columns | {"is_hallucinated": pl.Series(label.tolist(), dtype=pl.Boolean)}
    ), truth.mean()


def test_labels_that_were_picked_are_refused_or_named():
    """Only flagged answers: no point, and what is known holds. The first rows, or more of the flagged: a line."""
    rng = np.random.default_rng(2)
    frame, truth = spread_over(rng, lambda truth, flags: flags)
    report = rate(frame, verdicts="judge")
    assert report.rate.value is None and report.rate.low <= truth <= report.rate.high
    assert "labels were picked by it" in report.rate.why
    frame, _ = spread_over(rng, lambda truth, flags: np.arange(400) < 50)
    assert rate(frame, verdicts="judge").uneven == ["the order of the rows"]
    length = rng.permutation(400)
    texts = ["a" * (1 + each) for each in length]
    frame, _ = spread_over(rng, lambda truth, flags: (length < 100) & (rng.random(400) < 0.7), answer=texts)
    assert rate(frame, verdicts="judge").uneven == ["the length of answers"]
    frame, _ = spread_over(rng, lambda truth, flags: np.where(flags, 0.6, 0.1) > rng.random(400))
    assert any("of the flagged answers and" in note for note in rate(frame, verdicts="judge").notes)
    frame, _ = spread_over(rng, lambda truth, flags: rng.random(400) < 0.2)
    report = rate(frame, verdicts="judge")
    assert report.uneven == [] and not any("of the flagged answers and" in note for note in report.notes)


def test_scores_of_any_scale_and_refusals_beside_them():
    """Scores of 1 to 5, all above the threshold of .5, and 20 refusals coded −1."""
    score = np.where(np.arange(400) < 20, -1, 1 + np.arange(400) % 5)
    frame, _ = spread_over(
        np.random.default_rng(2), lambda truth, flags: np.arange(400) % 4 == 0, score=score
    )
    report = rate(frame, verdicts="score")
    assert report.n_judged == 380
    assert "judge score: its scores are 1 to 5, and all are flagged; give --threshold" in "\n".join(
        lines(report)
    )


def test_what_judges_foretell_of_a_group_is_learned_without_it():
    """Ten groups of six answers: with the labels of one turned round, what is foretold of its answers stays, and of
    the others' it does not.
    """
    rng = np.random.default_rng(1)
    group = np.repeat(np.arange(10), 6)
    columns = {
        "one": rng.random(60),
        "two": rng.random(60),
        "answer": ["a"] * 60,
        "group": [f"g{n}" for n in group],
    }
    truth = rng.random(60) < columns["one"]
    foretold = []
    for label in (truth, np.where(group == 4, ~truth, truth)):
        table = read_table(pl.DataFrame(columns | {"is_hallucinated": label}), verdicts=["one", "two"])
        foretold.append(judges_of(table).proxy(table.frame, np.ones(60, dtype=bool)))
    is_same = np.isclose(*foretold)
    assert is_same[group == 4].all() and is_same.sum() < 60


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"verdicts": "one", "detector": "word-support"}, "leave out --detector word-support"),
        ({"verdicts": "one", "threshold": float("nan")}, "--threshold nan: allowed: a number"),
        ({"verdicts": "one", "unit": "tokens"}, "the labels say 'is_hallucinated' and not where"),
    ],
)
def test_what_does_not_go_with_verdicts(how, message):
    with pytest.raises(SettingsError, match=message):
        rate(SMALL, **how)


def test_repeats_are_one_item_whose_verdicts_may_flip(tmp_path, capsys):
    """Items of two runs: verdicts 1 1, 0 0, 1 0. Within: Σ 2 p(1 − p) / 3 = .5 / 3; p = 1, 0, .5 have variance .25,
    less a half of within.
    """
    runs = [("x", 1), ("x", 1), ("y", 0), ("y", 0), ("z", 1), ("z", 0)]
    rows = [
        {"id": name, "epoch": n % 2, "answer": "It is.", "judge": value}
        for n, (name, value) in enumerate(runs)
    ]
    report = rate(rows, verdicts="judge")
    assert report.grouping.by == "id" and report.grouping.n == 3
    assert report.repeats.within == pytest.approx(0.5 / 3) and report.repeats.flips == ["z"]
    assert report.repeats.between == pytest.approx(0.25 - 0.25 / 3)
    (tmp_path / "x.json").write_text(json.dumps(rows), "utf-8")
    command = ["rate", str(tmp_path / "x.json"), "--verdicts", "judge"]
    assert main(command) == 0
    assert "repeats: 6 answers of 3 items; variance within items 0.167" in capsys.readouterr().out
    assert main([*command, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["repeats"]["flips"] == ["z"] and [row["run"] for row in found["answers"]] == ["0", "1"] * 3


def test_a_judge_that_judged_a_text_again_is_held_against_itself(capsys, tmp_path):
    """Four texts judged twice: 1 1, 1 0, 0 0, 0 0. Equal in 3 of 4 (Wilson .301 to .954); 3 of 8 flagged, so by
    chance (9 + 25)/64 and κ = (48 − 34)/(64 − 34) = 7/15. Shares 1, .5, 0, 0 vary by .6875/3; noise is .25/4.
    """
    pairs = {"A": (1, 1), "B": (1, 0), "C": (0, 0), "D": (0, 0)}
    once = [{"id": "e", "question": "q?", "answer": "E", "judge": 1}]
    in_rows = [
        {"id": f"{text}-{n}", "question": "q?", "answer": text, "judge": flag}
        for text, flags in pairs.items()
        for n, flag in enumerate(flags)
    ]
    in_columns = [
        {"id": text, "question": "q?", "answer": text, "judge_run1": first, "judge_run2": second}
        for text, (first, second) in pairs.items()
    ]
    for rows, fields in ((in_rows + once, "judge"), (in_columns, "judge_run1,judge_run2")):
        (retest,) = rate(rows, verdicts=fields).retests
        assert (retest.judge, retest.texts, retest.verdicts) == ("judge", 4, 8)
        assert retest.agreement == pytest.approx((0.75, 0.3006, 0.9544), abs=1e-4)
        assert retest.kappa == pytest.approx(7 / 15)
        assert retest.noise == pytest.approx((0.25 / 4) / (0.6875 / 3))
    (tmp_path / "a.json").write_text(json.dumps(in_columns), "utf-8")
    assert main(["rate", str(tmp_path / "a.json"), "--verdicts", "judge_run1,judge_run2"]) == 0
    # 1 − √(1 − 3/11) = .147
    assert "kappa 0.47; without this noise the interval of their flagged share would be 15 % narrower" in (
        capsys.readouterr().out
    )


def test_a_judge_that_judged_each_text_once_or_other_texts_has_no_retest():
    rows = [{"id": n, "question": "q?", "answer": str(n), "judge": 1, "judge_2": 0} for n in range(3)]
    assert rate(rows, verdicts="judge,judge_2").retests == []


def test_two_answers_to_a_question_are_repeats_where_a_system_or_a_run_is_named():
    rows = [{"id": n, "question": f"q{n // 2}?", "answer": f"a {n}", "judge": n % 2} for n in range(6)]
    assert rate(rows, verdicts="judge").repeats is None, "they may be of two systems"
    for name in ("system", "run"):
        named = [row | {name: str(n % 2 if name == "run" else 0)} for n, row in enumerate(rows)]
        assert rate(named, verdicts="judge").repeats.items == 3
