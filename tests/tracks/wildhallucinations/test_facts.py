"""Facts read from the fact writer's lines, and which of them say nothing new."""

import pytest

from truerate.core.keys import content_id
from truerate.core.schemas import Fact, pairs, validate
from truerate.llm.generation import generations
from truerate.tracks.wildhallucinations.facts import facts_of, is_title, key_of

TEXT = "Lake Tarn lies in Oria. It is lovely. It is 90 metres deep and was formed in 1200."
LINES = (
    "[1] Lake Tarn lies in Oria.",
    "[2] none",
    "[3] Lake Tarn is 90 metres deep.",
    "[3] Lake Tarn was formed in 1200.",
)
WRITTEN = "\n".join([*LINES, "[3] In Oria lies Lake Tarn."])


def row(purpose, text, *, name="g1", status="ok", **values):
    base = {"generation_id": name, "item_id": "e1", "purpose": purpose, "model": "aster", "sample_index": 0}
    base |= {"params": "{}", "text": text}
    return base | {"status": status, "prompt_key": name, "cost_usd": 0.0, "attributes": pairs(**values)}


def facts_read(written=WRITTEN, text=TEXT, name="Lake Tarn", status="ok"):
    rows = [
        row("generate", text),
        row("write_facts", written, name="w1", status=status, generation="g1", name_=None),
    ]
    rows[1]["attributes"] = pairs(generation="g1", name=name, subject="aster")
    return facts_of(generations(rows))


def test_fact_rows_hold_their_schema_and_say_where_they_come_from():
    rows_read = facts_read()
    validate(Fact, rows_read, where="test")
    assert rows_read["sentence_index"].to_list() == [0, 2, 2, 2]
    assert rows_read["sentence"][1] == "It is 90 metres deep and was formed in 1200."
    assert rows_read["fact_id"][0] == content_id("fact", "g1", 0, "Lake Tarn lies in Oria.", 0)


def test_duplicates_by_content_words():
    # "is/was/the" and the order of the rest do not tell facts apart; the first content word, and every other
    # word, do
    same = ("Lake Tarn was formed in 1200.", "The Lake Tarn is formed, 1200.")
    assert key_of(same[0]) == key_of(same[1])
    assert key_of("Ann defeated Bo.") != key_of("Bo defeated Ann.")
    assert key_of("Lake Tarn is deep.") != key_of("Lake Tarn is not deep.")
    # "In Oria lies Lake Tarn" begins with another word
    assert facts_read()["is_duplicate"].to_list() == [False, False, False, False]


@pytest.mark.parametrize(
    ("fact", "name", "expected"),
    [
        ("The entity is called Lake Tarn.", "Lake Tarn", True),
        ("Lake Tarn is known as Lake Tarn.", "Lake Tarn", True),
        ("Zolan University is a university.", "Zolan University", True),
        ("Lake Tarn is a lake in Oria.", "Lake Tarn", False),
        ("Lake Tarn exists.", "Lake Tarn", True),
        ("Lake Tarn is not called Lake Tarn.", "Lake Tarn", False),
        ("It is.", "", False),
    ],
)
def test_facts_that_restate_the_title(fact, name, expected):
    assert is_title(fact, name) is expected


def test_unparsed_writing_and_writing_of_an_unknown_reply_give_no_facts():
    assert facts_read(status="unparsed").is_empty()
    assert facts_of(generations([])).is_empty()
    orphan = row("write_facts", WRITTEN, name="w1", generation="elsewhere")
    assert facts_of(generations([orphan])).is_empty()
