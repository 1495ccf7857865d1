"""The bare question about each entity, and what is kept of the replies."""

import pytest

from truerate.core.schemas import Document, Generation, Item, frame, pairs, validate
from truerate.llm.generation import facts, generations
from truerate.llm.request import Reply
from truerate.tracks.wildhallucinations import steps
from truerate.tracks.wildhallucinations.entities import contexts, given
from truerate.tracks.wildhallucinations.replies import replies_of

from .tiny_world import BOARD, Asking, board, layout

TABLES, UPSTREAM = board(range(0, 492, 12))


def run(at, model="dogwood", **more):
    asking = Asking(at, **more)
    return steps.generate(at, BOARD, model, TABLES, 0, UPSTREAM, asking=asking), asking


@pytest.fixture(scope="module")
def generated():
    return run(layout())


def test_one_reply_per_entity_with_pages_and_nothing_but_the_question(generated):
    replies, asking = generated
    validate(Generation, replies, where="test")
    assert replies.height == TABLES.items.height > 30 and set(asking.tasks) == {"generate"}
    for request in asking.requests:
        assert [message["role"] for message in request.messages] == ["user"]
        assert "you know about" in request.messages[0]["content"]
        assert request.params["seed"] == 0 and request.params["temperature"] == 1.0


def test_abstentions_keep_their_text_and_say_which_rule_saw_them(generated):
    replies, _ = generated
    for row in replies.iter_rows(named=True):
        values = facts(row)
        assert values["lang"] == "en" and row["text"]
        assert (row["status"] == "abstained") == (values["abstained_measured"] == "true")
        assert row["reason"] == ("measured-rule" if row["status"] == "abstained" else None)
    assert 10 < replies.filter(status="abstained").height < 30  # dogwood declines about half


def test_a_prompt_is_asked_as_it_stands_and_names_its_passages_by_one_short_line():
    prompt = "Why does {entity} stand here?\n(3) It names Varn " + "over and over " * 20
    row = TABLES.items.row(0, named=True) | {"question": prompt}
    row["attributes"] = pairs(name=prompt, is_prompt="true", domain="lakes-and-rivers")
    prompts, _ = given(frame(Item, [row]), limit=9, seed=7, takedown=None)
    (context,) = contexts(frame(Item, prompts), frame(Document)).values()
    (question,) = steps.requests([context], "aster", layout().p.track(BOARD))
    assert question.request.messages == ({"role": "user", "content": prompt},)
    assert context.label.startswith("Why does {entity} stand here? (3) It names Varn over and over")
    assert len(context.label) <= 120 and "\n" not in context.label
    assert facts(prompts[0])["domain"] == "lakes-and-rivers"  # a topic of the list's own


@pytest.mark.parametrize("rule", ["paper", "measured"])
def test_a_model_that_declines_in_a_field_of_its_servers_is_silent_and_one_that_was_not_heard_is_not(rule):
    """OpenAI's `refusal`: no text comes, and yet the reply is one that does not respond."""
    entities = list(contexts(TABLES.items, TABLES.documents).values())[:2]
    asked = steps.requests(entities, "aster", layout().p.track(BOARD))
    came = [
        Reply(name, "dead", "", None, name, None, None, 0.0, False) for name in ("refusal", "content_filter")
    ]
    generated = steps.collect(asked, came, rule=rule)
    assert [(row["status"], row["reason"]) for row in generated] == [
        ("abstained", "refusal"),
        ("dead", "content_filter"),
    ]
    assert facts(generated[0])["abstained_paper"] == facts(generated[0])["abstained_measured"] == "true"
    read_replies = replies_of(TABLES.items, generations(generated))
    by_entity = dict(read_replies.select("entity", "is_abstained").iter_rows())
    assert by_entity == {entities[0].item_id: True, entities[1].item_id: None}


def test_nothing_is_asked_where_no_page_is_known_or_the_model_may_not_stand_there():
    asking = Asking(layout())
    assert steps.generate(layout(), BOARD, "aster", TABLES, 0, {}, asking=asking).is_empty()
    assert not asking.requests
    p = layout().p
    source = p.board(BOARD).source
    real = p.model_copy(
        update={"sources": p.sources | {source: p.sources[source].model_copy(update={"is_simulated": False})}}
    )
    assert steps.generate(type(layout())(real), BOARD, "aster", TABLES, 0, UPSTREAM, asking=asking).is_empty()
