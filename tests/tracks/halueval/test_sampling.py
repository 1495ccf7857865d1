"""What a sampling reply becomes, and how a lesson is taught."""

from dataclasses import replace

import pytest

from truerate.llm.generation import facts
from truerate.tracks.halueval import sampling

from .builders import context, dead, ok, prompter, settings


def draft(mode: str = "assigned", scheme: str = "one-pass", **changes):
    drafted = sampling.drafts([context(**changes)], prompter(pattern=mode, schemes=(scheme,)))
    return drafted[0]


def test_an_assigned_reply_is_the_candidate_with_or_without_its_heading():
    for text in ("Porto", "#Hallucinated Answer#: Porto", "<data-1a2b3c4d>\nPorto\n</data-1a2b3c4d>"):
        read = sampling.read_candidate(text, draft())
        assert (read.text, read.status, read.attributes["words_over"]) == ("Porto", "ok", "0")


def test_the_model_names_its_pattern():
    read = sampling.read_candidate(
        "#Pattern#: Inference.\n#Hallucinated Answer#: Porto, by the sea", draft("model")
    )
    assert (read.text, read.attributes) == ("Porto, by the sea", {"pattern": "inference", "words_over": "3"})


@pytest.mark.parametrize("named", ["#Pattern#: my own way\n", ""])
def test_a_pattern_that_is_not_the_tasks_is_unknown_and_the_candidate_kept(named):
    read = sampling.read_candidate(f"{named}#Hallucinated Answer#: Porto", draft("model"))
    assert (read.text, read.status, read.attributes["pattern"]) == ("Porto", "ok", "unknown")


def test_unparsed_without_the_heading_where_the_pattern_must_be_named():
    read = sampling.read_candidate("Porto", draft("model"))
    assert (read.status, read.reason, read.attributes) == ("unparsed", "absent", {"pattern": "unknown"})


def test_what_is_no_part_of_a_candidate_is_cut_and_told():
    read = sampling.read_candidate("Sure! Here is one:\n\n“Porto”\n\n(This is wrong.)", draft())
    assert (read.text, read.status) == ("Porto", "ok")
    assert read.attributes == {"cut": "explanation+preamble+quotes", "words_over": "0"}


def test_turns_that_a_template_answers_are_not_asked_and_their_pattern_is_unknown(tmp_path):
    (tmp_path / "halueval").mkdir()
    roles = "=== system ===\nS\n=== user ===\nA\n=== assistant ===\nKnown.\n=== user ===\nB\n{}=== user ===\n#Question#: {{{{ question }}}}"
    for answer, n_asked, understood in (("=== assistant ===\nLearned.\n", 0, None), ("", 1, None)):
        (tmp_path / "halueval/conversational_qa.j2").write_text(roles.format(answer))
        drafted = sampling.drafts([context()], prompter(str(tmp_path), schemes=("conversational",)))
        turns: list = []
        given = sampling.instruct(
            drafted, "gen", settings(), lambda of, turns=turns: turns.extend(of) or [ok("Understood.")]
        )
        asked = sampling.requests(drafted, given, "gen", settings())
        assert len(turns) == n_asked
        said = [message["content"] for message in asked[0].request.messages]
        last = "Learned." if answer else "Understood."
        assert said == ["S", "A", "Known.", "B", last, "#Question#: What is the capital of Portugal?"]
        row = sampling.collect(drafted, asked, [ok("Porto")])[0]
        assert (row["text"], facts(row)["pattern"], facts(row).get("understood")) == (
            "Porto",
            "unknown",
            understood,
        )


def test_a_refusal_abstains():
    read = sampling.read_candidate("I'm sorry, but I cannot write that.", draft())
    assert (read.status, read.reason) == ("abstained", "refusal")


def test_rows_keep_scheme_task_and_pattern():
    drafted = [draft()]
    asked = sampling.requests(drafted, {}, "gen", settings())
    row = sampling.collect(drafted, asked, [ok("Porto")])[0]
    assert facts(row) == {
        "scheme": "one-pass",
        "task": "qa",
        "pattern": drafted[0].assigned,
        "words_over": "0",
    }
    assert (row["purpose"], row["status"], row["params"]) == (
        "sample",
        "ok",
        '{"frequency_penalty": 0.0, "max_tokens": 64, "seed": 0, "temperature": 1.0, "top_p": 1.0}',
    )


def test_assignment_is_seeded_and_differs_between_schemes():
    names = [
        sampling.assigned_pattern(context(item_id=f"i{k}"), "one-pass", mode="assigned", seed=7)
        for k in range(400)
    ]
    repeated = [
        sampling.assigned_pattern(context(item_id=f"i{k}"), "conversational", mode="assigned", seed=7)
        for k in range(400)
    ]
    assert names != repeated
    assert names == [
        sampling.assigned_pattern(context(item_id=f"i{k}"), "one-pass", mode="assigned", seed=7)
        for k in range(400)
    ]
    # 400 draws over 4 patterns: 100 each, standard deviation sqrt(400 · 1/4 · 3/4) = 8.7; 60 to 140 is beyond
    # 4.5 of them
    assert all(60 < names.count(name) < 140 for name in sampling.patterns.names("qa"))


def instructed(*replies, n_items: int = 2):
    """The requests of a conversational instruction whose turns are answered so, its turns, and what is not
    asked.
    """
    drafts = sampling.drafts(
        [context(item_id=f"i{k}") for k in range(n_items)],
        prompter(pattern="model", schemes=("conversational",)),
    )
    turns, answers = [], iter(replies)

    def ask(requests):
        turns.append(requests)
        return [next(answers) for _ in requests]

    instructions = sampling.instruct(drafts, "gen", settings(), ask)
    return (
        drafts,
        sampling.requests(drafts, instructions, "gen", settings()),
        turns,
        sampling.unasked(drafts, instructions),
    )


def test_an_instruction_is_shared_by_its_items_and_given_turn_by_turn():
    drafts, asked, turns, _ = instructed(*[ok("Understood.")] * 3)
    assert len(drafts) == 2 and len({draft.instruction for draft in drafts}) == 1
    # system + user, then two more messages per turn that was answered
    assert [[len(turn.messages) for turn in each] for each in turns] == [[2], [4], [6]]
    roles = [message["role"] for message in asked[0].request.messages]
    assert roles == ["system", *["user", "assistant"] * 3, "user"]
    assert asked[0].attributes["understood"] == "yes"


def test_an_odd_answer_to_a_teaching_turn_stays_in_the_dialogue_and_is_noted():
    _, (asked,), _, _ = instructed(ok("Understood."), ok("What do you mean?"), ok("understood"), n_items=1)
    assert asked.request.messages[4]["content"] == "What do you mean?"
    assert asked.attributes["understood"] == "no"


def test_a_teaching_turn_that_is_cut_costs_no_candidate():
    """A talkative model fills its limit with an acknowledgement: its reply is kept, and the lesson goes on."""
    cut = replace(ok("Understood. I will"), finish_reason="length")
    _, _, turns, unasked = instructed(cut, cut, cut, n_items=1)
    assert all(turn.keeps_cut for each in turns for turn in each) and unasked == [None]


def test_an_instruction_that_breaks_off_leaves_its_candidates_dead_with_the_reason():
    drafts, asked, turns, unasked = instructed(dead("timeout"))
    assert len(turns) == 1
    rows = sampling.collect(drafts, asked, unasked)
    assert {row["prompt_key"] for row in rows} == {dead("timeout").key}  # who asks that turn again finds them
    assert {(row["status"], row["reason"]) for row in rows} == {("dead", "teaching turn: timeout")}
    assert len({row["generation_id"] for row in rows}) == 2
