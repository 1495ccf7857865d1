"""A text that is named outright is picked, and nothing is picked where what follows takes it back."""

from itertools import product

import pytest

from truerate.llm.replies.choices import choice

NAMES = ("Answer 1", "Answer 2")
DECIDED = {
    "best": (
        "{X} is better.", "{X} is the best answer.", "The better answer is {X}.", "I would choose {X}.", "So: {X}.",
        "So {X} is the one without hallucination.", "My choice is {X}, because it sticks to the source.",
        "Of the two, {X} is closer to the source.", "{X} wins.", "It has to be {X}.", "{X} it is.",
        "Overall, I'd say {X} is the more accurate one.", "Therefore, {X} is preferable.",
        "**{X}** is more faithful to the document.",
        "The source has Canberra, which means that {X} is the right one.",
    ),
    "hallucinated": (
        "{X} is hallucinated.", "{X} contains the hallucination.", "The hallucinated answer is {X}.",
        "I would choose {X}.", "So: {X}.", "So {X} is the one with the hallucination.", "{X} it is.",
        "My choice is {X}, because it invents a date.", "It has to be {X}.", "Your choice should be {X}.",
        "Therefore, {X} is the hallucinated one.", "The answer that contains the error is {X}.",
        "The source has Canberra, which means that {X} is the hallucinated answer.",
    ),
}  # fmt: skip
TAKEN_BACK = {
    None: (
        "Wait, no, {Y} is.", "But {Y} is just as {same}.", "Actually, it is {Y}.", "However, I'm not sure.",
        "Then again, it could be {Y}.", "On second thought, {Y}.", "Or is it {Y}?", "No, that's wrong.",
        "That would be the case if the date were right, which it is not.", "Hmm, no. {Y} is the {own} one.",
        "But so is {Y}.", "{Y} is, too.", "At least that is what {Y} says.",
    ),
    "best": (
        "But it invents a date.", "{X} also invents a date.", "However, {Y} is more accurate.", "{Y} is even better.",
        "{Y} is better still.", "It is wrong about the date, though.", "{X} is wrong about the year.",
        "Yet {Y} sticks more closely to the source.",
    ),
    "hallucinated": (
        "But it is accurate.", "{X} is fully supported by the source.", "However, {Y} also invents a date.",
        "{Y} contains a hallucination.", "{Y} invents a date, too.",
    ),
}  # fmt: skip
REPORTED = (
    "I doubt that {}", "Nobody would say that {}", "I wonder whether {}", "Some would say that {}",
    "The question is whether {}", "The user claims that {}", "The judge before me said that {}", "It might be that {}",
    "It is not the case that {}", "I am not convinced that {}", "It would be wrong to say that {}",
    "Had it named the year, I would say that {}", "The instructions ask me to say when {}",
)  # fmt: skip
CASES = [(asks, form, position) for asks, forms in DECIDED.items() for form in forms for position in (0, 1)]


def _worded(form: str, asks: str, position: int) -> str:
    words = {"best": ("good", "better"), "hallucinated": ("bad", "hallucinated")}[asks]
    return form.format(X=NAMES[position], Y=NAMES[1 - position], same=words[0], own=words[1])


@pytest.mark.parametrize(("asks", "form", "position"), CASES)
def test_a_text_named_outright_is_picked(asks, form, position):
    assert choice(_worded(form, asks, position), NAMES, asks=asks).value == NAMES[position]


@pytest.mark.parametrize(("asks", "form", "position"), CASES)
def test_what_is_taken_back_picks_nothing(asks, form, position):
    tails = (*TAKEN_BACK[None], *TAKEN_BACK[asks])
    values = {
        tail: choice(
            f"{_worded(form, asks, position)} {_worded(tail, asks, position)}", NAMES, asks=asks
        ).value
        for tail in tails
    }
    assert [tail for tail, value in values.items() if value == NAMES[position]] == []


@pytest.mark.parametrize(
    ("asks", "before", "conclusion"),
    list(product(
        ("best", "hallucinated"),
        ("Answer 1 names the mayor. Answer 2 names the sheriff.", "Both answers give the right city.",
         'The text says: "He left in 1912." Answer 1 has that.'),
        ("So the {own} one is {X}.", "Thus {X} is the {own} answer."),
    )),
)  # fmt: skip
def test_a_conclusion_stands_whatever_was_told_on_the_way(asks, before, conclusion):
    text = f"{before} {_worded(conclusion, asks, 1)}"
    assert choice(text, NAMES, asks=asks).value == NAMES[1]


@pytest.mark.parametrize("reported", REPORTED)
@pytest.mark.parametrize("asks", ["best", "hallucinated"])
def test_what_is_not_the_writers_own_picks_nothing(asks, reported):
    claims = [_worded(form, asks, 0) for form in DECIDED[asks]]
    statements = [
        claim
        for claim in claims
        if claim.startswith(("Answer", "The better", "The hall", "The answer", "I would", "My ch"))
    ]
    texts = [
        reported.format(claim if claim[0] in "AI" else claim[0].lower() + claim[1:]) for claim in statements
    ]
    assert [text for text in texts if choice(text, NAMES, asks=asks).value is not None] == []


def test_a_reply_that_goes_round_in_circles_picks_nothing():
    assert choice("Answer 1: good, Answer 2: bad, " * 150, NAMES, asks="best").reason == "ambiguous"
    assert (
        choice("Answer 1: good, Answer 2: bad. " * 150 + "\nSo I choose Answer 1.", NAMES, asks="best").value
        == NAMES[0]
    )
