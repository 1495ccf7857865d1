"""Facts read from the fact writer's lines, and which of them say nothing new."""

import pytest

from truerate.core.keys import content_id
from truerate.core.schemas import Fact, pairs, validate
from truerate.llm.generation import generations
from truerate.tracks.wildhallucinations.facts import Lines, facts_of, is_title, key_of, read_lines

TEXT = "Lake Tarn lies in Oria. It is lovely. It is 90 metres deep and was formed in 1200."
LINES = (
    "[1] Lake Tarn lies in Oria.",
    "[2] none",
    "[3] Lake Tarn is 90 metres deep.",
    "[3] Lake Tarn was formed in 1200.",
)
WRITTEN = "\n".join([*LINES, "[3] In Oria lies Lake Tarn."])


def row(purpose, text, *, name="g1", status="ok", **known):
    base = {
        "generation_id": name,
        "item_id": "e1",
        "purpose": purpose,
        "model": "aster",
        "sample_index": 0,
        "params": "{}",
        "text": text,
    }
    return base | {"status": status, "prompt_key": name, "cost_usd": 0.0, "attributes": pairs(**known)}


def made(written=WRITTEN, text=TEXT, name="Lake Tarn", status="ok"):
    rows = [
        row("generate", text),
        row("write_facts", written, name="w1", status=status, generation="g1", name_=None),
    ]
    rows[1]["attributes"] = pairs(generation="g1", name=name, subject="aster")
    return facts_of(generations(rows))


def test_lines_by_hand():
    read = read_lines(WRITTEN, 4)
    assert (
        [place for place, _ in read.facts] == [0, 2, 2, 2] and read.missed == (3,) and read.n_malformed == 0
    )
    assert read.facts[1] == (2, "Lake Tarn is 90 metres deep.")


def test_malformed_lines_and_numbers_out_of_range_are_counted_and_never_facts():
    read = read_lines("[1] A.\n2: B.\n[9] C.\n- [2] D.\n[3]\n", 3)
    assert read.facts == ((0, "A."), (1, "D.")) and read.n_malformed == 3 and read.missed == (2,)


THREE = "[1] Lake Tarn is a lake.\n[2] none\n[3] Lake Tarn is deep."


@pytest.mark.parametrize(
    "text",
    [
        f"Sure! Here are the 3 facts about Lake Tarn (as asked):\n\n{THREE}",
        f"{THREE}\nLet me know if you need more.",
        f"{THREE}\n\n(Sentence 2 is an opinion.)\n\nI hope this helps",
        f"{THREE}\n\nNote: sentence [2] states no fact.",
        f"```text\n{THREE}\n```",
        f"<data-0123abcd>\n{THREE}\n</data-0123abcd>\nDone.",
        f"## Facts\n{THREE}\n---",
        f"**Facts:**\n{THREE}",
        f"*Facts*\n{THREE}",
        "**Sentence 1**\n[1] Lake Tarn is a lake.\nSentence 2:\n[2] none\n\nNow the last one.\n\n**Sentence 3:**\n[3] Lake Tarn is deep.",
    ],
)
def test_words_around_the_facts_lose_nothing_and_are_no_facts(text):
    read = read_lines(text, 3)
    assert (
        read.facts == ((0, "Lake Tarn is a lake."), (2, "Lake Tarn is deep."))
        and read.missed == ()
        and read.n_malformed == 0
    )


@pytest.mark.parametrize(
    "line",
    [
        "2: B.",
        "2. B.",
        "2) B.",
        "(2) B.",
        "2 - B.",
        "#2: B.",
        "[2 B.",
        "2] B.",
        "[9] B.",
        "[2]",
        "[2]:",
        "[two] B.",
        "[1, 2] B.",
        "【2】B.",
        "② B.",
    ]
    + [
        "Sentence 2: B.",
        "Fact 2. B.",
        "**[2]** B.",
        "1. [2] B.",
        "- B.",
        "* B is a lake.",
        "• B.",
        "| 2 | B. |",
        '"[2] B."',
        "> [2] B.",
    ],
)
@pytest.mark.parametrize("place", ["first", "between", "last"])
def test_a_line_that_means_to_be_a_fact_never_vanishes(line, place):
    lines = {
        "first": [line, "[1] A.", "[3] C."],
        "between": ["[1] A.", line, "[3] C."],
        "last": ["[1] A.", "[3] C.", line],
    }[place]
    for n_sentences in (3, 1):
        read = read_lines("\n".join(lines).replace("[3]", f"[{n_sentences}]"), n_sentences)
        assert read.n_malformed == 1 and read.facts == ((0, "A."), (n_sentences - 1, "C."))


@pytest.mark.parametrize(
    "line",
    [
        "- Done!",
        "> done",
        "1. Facts",
        "Step 1: I read the text.",
        "* Here you go",
        "- I hope this helps.",
        "* OK.",
    ],
)
@pytest.mark.parametrize("place", ["first", "last"])
def test_an_entry_that_speaks_of_the_work_voids_nothing(line, place):
    lines = {"first": [line, "[1] A.", "[2] C."], "last": ["[1] A.", "[2] C.", line]}[place]
    assert read_lines("\n".join(lines), 2).n_malformed == 0


@pytest.mark.parametrize(
    "text",
    ["[1] A lies\nin Oria.", "[1] A lies in Oria\nB lies there, too.", "[1] A.\nB is a lake.\n[2] none"],
)
def test_what_may_be_the_rest_of_a_fact_or_one_without_its_number_is_malformed(text):
    assert read_lines(text, 2).n_malformed == 1


@pytest.mark.parametrize("text", ["", "I cannot do that.", "1. A fact.", "[0] A."])
def test_a_reply_without_a_readable_line_is_none(text):
    assert read_lines(text, 3) is None


def test_what_stands_before_a_repeated_heading_is_thinking():
    assert read_lines("[1] wrong\n#Facts#:\n[2] right", 2).facts == ((1, "right"),)


def test_none_in_any_spelling_is_no_fact_and_the_sentence_not_missed():
    read = read_lines("[1] None.\n[2] no facts", 2)
    assert read.facts == () and read.missed == ()


def test_fact_rows_hold_their_schema_and_say_where_they_come_from():
    found = made()
    validate(Fact, found, where="test")
    assert found["sentence_index"].to_list() == [0, 2, 2, 2]
    assert found["sentence"][1] == "It is 90 metres deep and was formed in 1200."
    assert found["fact_id"][0] == content_id("fact", "g1", 0, "Lake Tarn lies in Oria.", 0)


def test_the_same_line_twice_gives_two_facts_and_the_second_is_a_duplicate():
    found = made("[1] A tarn is cold.\n[1] A tarn is cold.\n[2] none\n[3] none")
    assert found["fact_id"].n_unique() == 2 and found["is_duplicate"].to_list() == [False, True]


def test_duplicates_by_content_words():
    # "is/was/the" and the order of the rest do not tell facts apart; the first content word, and every other
    # word, do
    same = ("Lake Tarn was formed in 1200.", "The Lake Tarn is formed, 1200.")
    assert key_of(same[0]) == key_of(same[1])
    assert key_of("Ann defeated Bo.") != key_of("Bo defeated Ann.")
    assert key_of("Lake Tarn is deep.") != key_of("Lake Tarn is not deep.")
    assert made()["is_duplicate"].to_list() == [
        False,
        False,
        False,
        False,
    ]  # "In Oria lies Lake Tarn" begins with another word


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
    assert made(status="unparsed").is_empty()
    assert facts_of(generations([])).is_empty()
    orphan = row("write_facts", WRITTEN, name="w1", generation="elsewhere")
    assert facts_of(generations([orphan])).is_empty()


@pytest.mark.parametrize(
    "text",
    [
        "[1] Kiel is a city.\n[2] none\nI hope this helps!",
        "[1] Kiel is a city\n[2] none.\nLet me know if you need anything else.",
    ],
)
def test_words_of_farewell_below_the_last_line_void_nothing(text):
    assert read_lines(text, 2) == Lines(((0, text.splitlines()[0][4:]),), (), 0)


@pytest.mark.parametrize(
    "line", ["* * *", "- - -", "[Facts]", "[End of list]", "(none of sentence two)", "…"]
)
def test_marks_alone_and_words_in_brackets_hold_no_fact(line):
    whole = "[1] Kiel is a city.\n[2] none"
    assert {read_lines(text, 2).n_malformed for text in (f"{line}\n{whole}", f"{whole}\n\n{line}")} == {0}


def test_a_last_fact_that_breaks_off_is_told(text="[1] Kiel is a city.\n[2] It lies in the\nNorth."):
    assert read_lines(text, 2).n_malformed == 1
