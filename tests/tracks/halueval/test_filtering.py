"""Filtering: both orders, and what happens where they disagree."""

from truerate.llm.generation import facts
from truerate.tracks.halueval import filtering
from truerate.tracks.halueval.filtering import Candidate

from .builders import context, dead, ok, prompter

A, B = Candidate("a", "Porto", "one-pass"), Candidate("b", "Faro", "conversational")


def choices(*replies):
    contests_of = filtering.contests({"i1": [B, A]}, {"i1": context()})
    asked = filtering.requests(contests_of, "judge", prompter(), origin="generated")
    return filtering.collect(asked, replies)


def pick(*replies):
    return filtering.picks(choices(*replies), {"i1": [A, B]}, origin="generated", seed=7)["i1"]


def test_the_same_candidate_in_both_orders_is_agreed():
    rows = choices(ok("Answer 2"), ok("Answer 1"))
    assert [facts(row)["choice"] for row in rows] == ["b", "b"]
    assert pick(ok("Answer 2"), ok("Answer 1")) == filtering.Pick("b", "agreed")


def test_a_judge_that_takes_the_first_place_disagrees_with_itself():
    drawn = pick(ok("Answer 1"), ok("#Best Answer#: Answer 1"))
    assert drawn.pick == "seeded" and drawn == pick(ok("Answer 2"), ok("Answer 2"))


def test_unparsed_and_dead_replies_leave_it_to_the_seed():
    rows = choices(ok("Both are fine."), dead("timeout"))
    assert [(row["status"], row["reason"]) for row in rows] == [("unparsed", "absent"), ("dead", "timeout")]
    assert pick(ok("Both are fine."), ok("Answer 1")).pick == "seeded"


def test_other_origins_choices_do_not_count():
    assert (
        filtering.picks(choices(ok("Answer 2"), ok("Answer 1")), {"i1": [A, B]}, origin="published", seed=7)[
            "i1"
        ].pick
        == "seeded"
    )


def test_seeded_picks_take_either_candidate():
    chosen = filtering.picks([], {f"i{k}": [A, B] for k in range(200)}, origin="generated", seed=7).values()
    # 200 fair draws: 100, standard deviation 7.1
    assert 70 < sum(choice_of.candidate_id == "a" for choice_of in chosen) < 130
