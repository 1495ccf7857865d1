"""Several verifiers on the same facts, against fractions derived by hand; and the step that asks them."""

from dataclasses import replace

import polars as pl
import pytest
from pydantic import ValidationError

from truerate.core.schemas import Judgement, Outcome, Score, frame, pair, validate
from truerate.tracks.wildhallucinations import steps
from truerate.tracks.wildhallucinations.crosschecks import steps as crosschecks
from truerate.tracks.wildhallucinations.replies import verdicts_by
from truerate.tracks.wildhallucinations.scores import score

from .made_facts import At, Params, Settings, by_key, facts, item, judgement, reply, sample, tables
from .test_facts_steps import TABLES, UPSTREAM, Asking
from .tiny_world import BOARD, layout

# of s two replies (x, y), of t one (x); by `judge` + is supported
ITEMS, REPLIES = [item("x"), item("y")], [reply("s", "x"), reply("s", "y"), reply("t", "x")]
FACTS = [facts("s", "x", "++--"), facts("s", "y", "+?"), facts("t", "x", "++-")]
# by `second`: of s-x one is supported, of s-y both, of t-x all; by `third` nothing, and s-x-0 is unread
SECOND = {"s-x-0": "+", "s-x-1": "-", "s-x-2": "-", "s-x-3": "-", "s-y-0": "+", "s-y-1": "+"}
SECOND |= {"t-x-0": "+", "t-x-1": "+", "t-x-2": "+"}
THIRD = dict.fromkeys(SECOND, "-") | {"s-x-0": "?"}


def scored(verifiers=("second",), samples=(), **said) -> dict:
    parts = tables(ITEMS, REPLIES, FACTS, samples)
    more = [
        judgement(judge, name, None if mark == "?" else mark == "-")
        for judge, marks in said.items()
        for name, mark in marks.items()
    ]
    parts["judgements"] = pl.concat([parts["judgements"], frame(Judgement, more)])
    config = At(replace(Params(), settings=Settings(verifiers=verifiers)))
    scores, outcomes = score(config, "board", **parts, inputs="digest")
    validate(Score, scores, where="scores"), validate(Outcome, outcomes, where="outcomes")
    return by_key(scores)


def values(rows: dict, *metrics: str) -> dict:
    return {key: row["value"] for key, row in rows.items() if key[0] in metrics}


def test_scores_are_of_the_facts_on_which_all_have_a_verdict_and_a_tie_is_not_supported():
    rows = scored(second=SECOND)
    # s-y-1 has no verdict by `judge`: s-y is one fact. s by judge: (2/4 + 1) / 2, by second: (1/4 + 1) / 2, by both
    # (the majority of two): s-x-0 and s-y-0. t by judge 2/3, by second 1, by both 2/3.
    assert values(rows, "verifier_wildfactscore") == {
        ("verifier_wildfactscore", "s", "judge"): 3 / 4,
        ("verifier_wildfactscore", "s", "second"): 5 / 8,
        ("verifier_wildfactscore", "s", "majority-vote"): 5 / 8,
        ("verifier_wildfactscore", "t", "judge"): pytest.approx(2 / 3),
        ("verifier_wildfactscore", "t", "second"): 1,
        ("verifier_wildfactscore", "t", "majority-vote"): pytest.approx(2 / 3),
    }
    assert values(rows, "verifier_spread") == {
        ("verifier_spread", "s"): pytest.approx(1 / 8),
        ("verifier_spread", "t"): pytest.approx(1 / 3),
    }
    # by judge s stands before t, by second and by both behind it
    assert rows["verifier_reversed_pairs", "second"]["value"] == 1
    assert rows["verifier_reversed_pairs", "second"]["n"] == 1
    assert rows["verifier_rank_change", "t", "second"]["value"] == 1
    assert rows["verifier_rank_change", "s", "majority-vote"]["value"] == -1


def test_agreement_and_kappa_of_two_verifiers_are_over_all_facts_of_all_models():
    rows = scored(second=SECOND)
    # of 8 facts s-x-1 and t-x-2 differ
    assert (rows["verifier_agreement", "judge", "second"]["value"]) == 6 / 8
    # not supported: by judge 3 of 8, by second 3 of 8; by chance (3·3 + 5·5) / 64
    by_chance = 34 / 64
    kappa = rows["verifier_pair_kappa", "judge", "second"]["value"]
    assert kappa == pytest.approx((6 / 8 - by_chance) / (1 - by_chance))
    # judge left one of 9 unread
    assert rows["verifier_unread_rate", "judge"]["value"] == pytest.approx(1 / 9)


def test_three_verifiers_outvote_one_and_the_majority_is_measured_on_labels_like_any_judge():
    labels = [
        sample("s-x-1", "x", "s", True),
        sample("s-y-0", "y", "s", True),
        sample("t-x-0", "x", "t", False),
    ]
    rows = scored(("second", "third"), labels, second=SECOND, third=THIRD)
    # third leaves s-x-0 unread, so 7 facts count: of s-x three, s-y-0, and t-x three; it supports none
    assert rows["verifier_wildfactscore", "s", "third"]["value"] == 0
    # s-x-1: one of three, the others none; s-y-0: two of three. t-x: two, two and one of three
    assert rows["verifier_wildfactscore", "s", "majority-vote"]["value"] == (0 + 1) / 2
    assert rows["verifier_wildfactscore", "t", "majority-vote"]["value"] == pytest.approx(2 / 3)
    # unsupported by people: s-x-1 (the majority says so), s-y-0 (it does not); supported: t-x-0 (it says so)
    assert (
        rows["verifier_tpr", "majority-vote"]["value"] == 1 / 2
        and rows["verifier_fpr", "majority-vote"]["value"] == 0
    )
    assert rows["verifier_tpr", "third"]["value"] == 1 and rows["verifier_fpr", "third"]["value"] == 1


def test_a_verifier_without_a_verdict_is_said_and_takes_no_part_and_without_others_there_is_no_row():
    rows = scored(("second", "third"), second=SECOND, third=dict.fromkeys(SECOND, "?"))
    assert rows["verifier_unread_rate", "third"]["value"] == 1
    assert rows["verifier_wildfactscore", "s", "majority-vote"]["value"] == 5 / 8  # as of two
    assert ("verifier_agreement", "judge", "third") not in rows
    alone = scored(("third",), third=dict.fromkeys(SECOND, "?"))
    assert {key[0] for key in alone if key[0] == "verifier_wildfactscore"} == set()
    table = ("verifier_wildfactscore", "verifier_spread", "verifier_agreement", "verifier_unread_rate")
    assert values(scored(()), *table) == {}


def test_further_verifiers_are_asked_of_the_same_facts_with_the_same_passages_and_the_first_ones_rows_stay():
    subjects, given, judged = ("aster", "elm"), dict(UPSTREAM), []
    config = layout(subjects=subjects, verifiers=("birch",), verification={"n_checked": 5})
    for step in ("generate", "facts"):
        parts = []
        for model in subjects:
            upstream = UPSTREAM | ({"generate": given["generate"]} if step == "facts" else {})
            result = getattr(steps, step)(config, BOARD, model, TABLES, 0, upstream, asking=Asking(config))
            rows, beside = result if isinstance(result, tuple) else (result, {})
            parts.append(rows)
            judged += [beside["judgements"]] if beside else []
        given[step] = pl.concat(parts)
    first = pl.concat(judged)
    asking = Asking(config)
    rows, beside = crosschecks.reverify(config, BOARD, "birch", TABLES, 0, given, asking=asking)
    second = beside["judgements"]
    validate(Judgement, second, where="second")
    assert {request.model for request in asking.requests} == {"birch"} and set(rows["model"]) == {"birch"}

    def shown(judgements: pl.DataFrame) -> pl.DataFrame:
        batches = judgements.filter(pair("attributes", "stage").is_null())
        return batches.select("target_id", evidence=pair("attributes", "evidence")).sort("target_id")

    assert shown(second).equals(shown(first)) and second.height > 100
    both = verdicts_by(second, "birch").join(verdicts_by(first, "quill"), on="fact_id").drop_nulls()
    assert both.filter(pl.col("verdict") != pl.col("verdict_right")).height > 0  # it errs in another way


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"verifiers": ("quill",)}, "verifiers names 'quill', which is the `verifier` already"),
        ({"verifiers": ("birch",), "verifier": None}, "verifiers needs a `verifier`"),
    ],
)
def test_a_verifier_that_is_the_first_or_has_none_before_it_is_refused(settings, words):
    with pytest.raises(ValidationError, match=words):
        layout(**settings)
