"""The planted funnel: precision and recall by hand."""

import pytest

from tests.rows import item
from truerate.core.schemas import Item, Reject, Score, frame, validate
from truerate_world.encyclopedia import build
from truerate_world.wildhallucinations.models.planted import INVENTED, PRIVATE
from truerate_world.wildhallucinations.truth_funnel import funnel, funnel_scores, is_on_web, kinds_kept

WORLD = build(7)
A, B, C = (WORLD.lexicon().name(index) for index in (0, 150, 300))
MESSAGES = [f"Who is {A}?", f"{A.lower()}'s {B} and {C}", f"Quennox, {INVENTED[0]}, {PRIVATE[0]}"]


def test_precision_and_recall_by_hand():
    found = funnel(WORLD, MESSAGES, [A.upper(), B, "Quennox"])
    assert found.precision == pytest.approx(2 / 3) and found.recall == pytest.approx(
        2 / 3
    )  # kept A, B, Quennox of A, B, C


def test_an_entity_of_which_no_page_tells_ought_not_to_be_kept():
    silent = next(index for index in range(len(WORLD.entities)) if not is_on_web(WORLD, index))
    name = WORLD.lexicon().name(silent)
    found = funnel(WORLD, [f"Who is {name}?", *MESSAGES], [name, A])
    assert found.precision == 0.5 and found.recall == pytest.approx(1 / 3)


def test_what_was_left_out_for_want_of_room_was_found():
    found = funnel(WORLD, MESSAGES, [A], over_limit=[B])
    assert found.precision == 1 and found.recall == pytest.approx(2 / 3)


def test_nothing_over_nothing_is_none():
    found = funnel(WORLD, ["Write a haiku."], [])
    assert found.precision is None and found.recall is None


def test_scores_of_a_board():
    chats, items = (
        frame(Item, [item(text, "chat", question=text) for text in MESSAGES]),
        frame(Item, [item(name, "entity", question=name) for name in (A, "Quennox")]),
    )
    out = {"where": "curate", "row": None, "detail": ""}
    rejects = frame(
        Reject,
        [
            out | {"target_id": "b", "reason": "over-limit", "text": B},
            out | {"target_id": "c", "reason": "ambiguous", "text": C},
        ],
    )
    rows = funnel_scores("b", world=WORLD, chats=chats, items=items, rejects=rejects, inputs="x")
    validate(Score, frame(Score, rows), where="scores")
    assert {row["metric"]: (row["value"], row["n"]) for row in rows} == {
        "funnel_precision": (0.5, 2),
        "funnel_recall": (0.666667, 3),
        "funnel_n": (3.0, 3),
    }
    assert {(row["subject"], row["method"]) for row in rows} == {("entities", "planted")}
    nothing = funnel_scores(
        "b", world=WORLD, chats=chats.head(0), items=items.head(0), rejects=rejects.head(0)
    )
    assert [(row["metric"], row["value"], row["n"]) for row in nothing] == [("funnel_n", 0.0, 0)]


def test_kept_names_by_what_they_are_planted_as():
    assert kinds_kept(WORLD, [A, INVENTED[0], "Ordinary", PRIVATE[0]]) == {
        "entity": 1,
        "invented": 1,
        "none": 1,
        "private": 1,
    }
