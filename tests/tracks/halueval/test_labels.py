"""From labels to gold samples and their agreement."""

import pytest

from truerate.annotation.labels import Label, Span
from truerate.config import Statistics
from truerate.core.schemas import Item, Judgement, Reject, Sample, Score, frame, validate
from truerate.llm.generation import generations
from truerate.metrics.score_writer import ScoreWriter
from truerate.tracks.halueval import general
from truerate.tracks.halueval.labels import drawn_labels, label_responses, voted_type

from .builders import context, item, ok, settings

WRITER = ScoreWriter("board", "digest", Statistics(confidence=0.95, n_bootstrap=200, alpha=0.05), 7)
ITEMS = frame(Item, [item(f"q{k}", "general") for k in range(4)])


def responses():
    asked = general.requests([context("general", f"q{k}") for k in range(4)], "gen", settings(n_responses=2))
    selected = generations(general.collect(asked, [ok(f"Answer {k}") for k in range(8)]))
    return selected.filter(sample_index=0)


def labelled(votes: dict[str, str], truth: dict[str, bool] | None = None, **changes):
    """`votes` gives, by item, the labels of annotators a, b, c in order: y, n, or - for none."""
    ids = dict(responses().select("item_id", "generation_id").iter_rows())
    selected = [
        Label(ids.get(name, name), annotator, vote == "y", (Span(0, 6, "irrelevant"),) if vote == "y" else ())
        for name, answers in votes.items()
        for annotator, vote in zip("abc", answers, strict=True)
        if vote != "-"
    ]
    result = label_responses(selected, [], responses(), ITEMS, truth or {}, settings(**changes), WRITER)
    for table, name in (
        (Sample, "samples"),
        (Judgement, "judgements"),
        (Reject, "rejects"),
        (Score, "scores"),
    ):
        validate(table, getattr(result, name), where=name)
    return result, {row["metric"]: row for row in result.scores.iter_rows(named=True)}


def test_the_majority_decides_and_agreement_is_fleiss():
    result, scores = labelled({"q0": "yyy", "q1": "yyn", "q2": "nnn", "q3": "nny"})
    assert dict(result.samples.select("item_id", "is_hallucinated").iter_rows()) == {
        "q0": True,
        "q1": True,
        "q2": False,
        "q3": False,
    }
    assert set(result.samples["sample_id"]) == set(responses()["generation_id"])
    assert set(result.samples["label_source"]) == {"gold"}
    # P_i = 1, 1/3, 1, 1/3: mean 2/3. Yes 6 of 12: P_e = 1/2. κ = (2/3 − 1/2) / (1 − 1/2) = 1/3
    assert scores["percent_agreement"]["value"] == pytest.approx(2 / 3, abs=1e-6)
    assert scores["fleiss_kappa"]["value"] == pytest.approx(1 / 3, abs=1e-6)
    assert scores["fleiss_kappa"]["n"] == 4
    row = result.samples.filter(item_id="q1").row(0, named=True)
    assert row["pattern"] == "irrelevant"
    assert row["spans"] == [{"start": 0, "end": 6, "type": "irrelevant", "p": 0.666667}]
    assert result.judgements.height == 12


def test_agreement_on_spans_is_of_characters_and_beyond_chance():
    """Texts of 8 characters, of which each yes marks the first 6."""
    _, scores = labelled({"q0": "yyy", "q1": "yyn", "q2": "nnn", "q3": "nny"})
    # pairs that both mark: 3 on q0, 1 on q1; marked in all pairs: 36 on q0, 24 on q1, 12 on q3
    assert scores["pair_span_f1"]["value"] == pytest.approx(2 * (4 * 6) / (36 + 24 + 12), abs=1e-6)
    assert scores["krippendorff_alpha_u"]["n"] == 4
    _, scores = labelled({"q0": "yyn"})
    # two pairs differ by a unit of 6. Each of the 2 units: (2 - 1) / 3 of 432 - 108 + 6 against the other, 36 in 3 places of
    # the gap of 8, in none of those of 2; n = 3 * 8
    observed, expected = 2 * 2 * 36 / (6 * 8**2), 2 / 8 * 2 * (110 + 108) / (24 * 23 - 2 * 30)
    assert scores["krippendorff_alpha_u"]["value"] == pytest.approx(1 - observed / expected, abs=1e-6)


@pytest.mark.parametrize(("votes", "n"), [({"q0": "nnn", "q1": "nnn"}, 2), ({"q0": "y--"}, 0)])
def test_agreement_on_spans_is_empty_where_nobody_marks_or_one_labels(votes, n):
    _, scores = labelled(votes)
    for metric in ("krippendorff_alpha_u", "pair_span_f1"):
        assert (scores[metric]["value"], scores[metric]["n"]) == (None, n)


def test_too_few_labellers():
    result, _ = labelled({"q0": "yyy", "q1": "y-y"})
    assert result.samples["item_id"].to_list() == ["q0"]
    assert sorted(result.rejects["reason"]) == ["too_few_labellers"] * 3  # q1 has two labels, q2 and q3 none


def test_tie():
    result, scores = labelled({"q0": "yn-"}, n_annotators=2)
    assert result.samples.is_empty() and "tie" in set(result.rejects["reason"])
    assert scores["percent_agreement"]["value"] == 0  # a tie is no label but it is disagreement


def test_screened_out():
    truth = {"probe": True}
    result, scores = labelled({"q0": "yny", "probe": "yny"}, truth, n_annotators=2)
    assert [
        row["target_id"] for row in result.rejects.iter_rows(named=True) if row["reason"] == "screened_out"
    ] == ["b"]
    assert scores["n_annotators_passed"]["value"] == 2
    assert result.samples["is_hallucinated"].to_list() == [True]
    assert result.judgements.height == 6


def test_the_draw_is_seeded_and_takes_only_those_who_passed():
    labels = [Label("t", name, True) for name in "abcdef"]
    drawn = drawn_labels(labels, set("abcde"), n=3, seed=7)
    assert drawn == drawn_labels(labels[::-1], set("abcde"), n=3, seed=7)
    assert len(drawn["t"]) == 3 and "f" not in {label.annotator for label in drawn["t"]}


def test_the_type_most_named_by_the_papers_order():
    labels = [
        Label("t", name, True, (Span(0, 6, kind),))
        for name, kind in (("a", "irrelevant"), ("b", "non-factual"))
    ]
    assert voted_type(labels) == "non-factual" and voted_type([Label("t", "a", True)]) is None
