"""Facts by the number of their sentence, read from replies in many manners."""

import pytest

from truerate.llm.replies.lists.facts import Facts, read_facts, says_nothing

WRITTEN = """[1] Lake Tarn lies in Oria.
[2] none
[3] Lake Tarn is 90 metres deep.
[3] Lake Tarn was formed in 1200.
[3] In Oria lies Lake Tarn."""


def read_lines(text, n_sentences):
    return read_facts(text, [f"Here stands sentence {position}." for position in range(n_sentences)]).value


def test_lines_by_hand():
    read = read_lines(WRITTEN, 4)
    assert (
        [position for position, _ in read.facts] == [0, 2, 2, 2]
        and read.missed == (3,)
        and read.n_malformed == 0
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
@pytest.mark.parametrize("position", ["first", "between", "last"])
def test_a_line_that_means_to_be_a_fact_never_vanishes(line, position):
    lines = {
        "first": [line, "[1] A.", "[3] C."],
        "between": ["[1] A.", line, "[3] C."],
        "last": ["[1] A.", "[3] C.", line],
    }[position]
    for n_sentences in (3, 1):
        read = read_lines("\n".join(lines).replace("[3]", f"[{n_sentences}]"), n_sentences)
        if read is None:  # asked once more
            continue
        others = {(0, "A."), (n_sentences - 1, "C.")}
        is_read = set(read.facts) - others in ({(1, "B.")}, {(1, "B is a lake.")}, {(0, "B.")})
        assert others <= set(read.facts) and is_read + read.n_malformed == 1


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
@pytest.mark.parametrize("position", ["first", "last"])
def test_an_entry_that_speaks_of_the_work_voids_nothing(line, position):
    lines = {"first": [line, "[1] A.", "[2] C."], "last": ["[1] A.", "[2] C.", line]}[position]
    assert read_lines("\n".join(lines), 2).n_malformed == 0


@pytest.mark.parametrize(
    "text",
    [
        "[1] A lies in Oria\nB lies there, too.",
        "[1] A.\nB is a lake.\n[2] none",
    ],
)
def test_what_may_be_the_rest_of_a_fact_or_one_without_its_number_is_malformed(text):
    read = read_lines(text, 2)
    assert read is None or read.n_malformed == 1


@pytest.mark.parametrize("text", ["", "I cannot do that.", "A fact.", "[0] A."])
def test_a_reply_without_a_readable_line_is_none(text):
    assert read_lines(text, 3) is None


def test_what_stands_before_a_repeated_heading_is_thinking():
    assert read_lines("[1] wrong\n#Facts#:\n[2] right", 2).facts == ((1, "right"),)


def test_none_in_any_spelling_is_no_fact_and_the_sentence_not_missed():
    read = read_lines("[1] None.\n[2] no facts", 2)
    assert read.facts == () and read.missed == ()


@pytest.mark.parametrize(
    "text",
    [
        "[1] Kiel is a city.\n[2] none\nI hope this helps!",
        "[1] Kiel is a city\n[2] none.\nLet me know if you need anything else.",
    ],
)
def test_words_of_farewell_below_the_last_line_void_nothing(text):
    assert read_lines(text, 2) == Facts(((0, text.splitlines()[0][4:]),), (), 0)


@pytest.mark.parametrize(
    "line", ["* * *", "- - -", "[Facts]", "[End of list]", "(none of sentence two)", "…"]
)
def test_marks_alone_and_words_in_brackets_hold_no_fact(line):
    whole = "[1] Kiel is a city.\n[2] none"
    assert {read_lines(text, 2).n_malformed for text in (f"{line}\n{whole}", f"{whole}\n\n{line}")} == {0}


def test_a_fact_that_goes_on_in_the_next_line_is_one(text="[1] Kiel is a city.\n[2] It lies in the\nNorth."):
    assert read_lines(text, 2) == Facts(((0, "Kiel is a city."), (1, "It lies in the North.")), (), 0)
    assert read_lines("[1] A lies\nin Oria.\n[2] none", 2) == Facts(((0, "A lies in Oria."),), (), 0)


def test_a_last_fact_that_breaks_off_is_told(text="[1] Kiel is a city.\n[2] It lies in the"):
    assert read_lines(text, 2).n_malformed == 1


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("N/A", True),
        ("–", True),
        ("does not contain any facts", True),
        ("none: it is addressed to the reader, a question", True),
        ("None of the crew survived.", False),
        ("No record of it survives.", False),
        ("Opinion polls are held there.", False),
    ],
)
def test_words_for_none(words, expected):
    assert says_nothing(words) is expected


@pytest.mark.parametrize(
    "table",
    [
        "| Sentence | Facts |\n|---|---|\n| 1 | • A is B.<br>• A is C. |\n| 2 | none |\n| 3 | D is E.<br/>D is F. |",
        "Sentence | Fact\n--- | ---\n1 | A is B.\n2 | none\n3 | D is E.",
    ],
)
def test_a_table_is_unread(table):
    assert read_lines(table, 3) is None


def test_elements_that_hold_several_facts_are_no_fact():
    elements = "<s1><fact>Lake Tarn lies in Oria.</fact></s1><s2><fact>Lake Tarn is deep.</fact></s2>"
    read = read_lines(elements, 2)
    assert read is None or (not read.facts and read.n_malformed)


def test_an_object_that_has_a_number_twice_is_unread():
    assert read_lines('{"1": "Tarn is a lake.", "1": ["Tarn is deep."], "2": []}', 2) is None


@pytest.mark.parametrize(
    "text",
    ["[1] It has a port.\n[?]\n[2] none", "[1] It has a port\n[?]\n[2] none", "[1]\n- It has a port.\n[?]\n[2] none",
     "[1] It has a port.\n[?] It is old.\n[2] none", "[?] It has a port.\n[2] none"],
)  # fmt: skip
def test_a_list_with_a_line_for_an_unknown_sentence_is_not_whole(text):
    facts = read_facts(text, ["Kiel has a port.", "Perhaps."]).value
    assert facts is None or facts.n_malformed
    assert facts is None or not any("?" in fact for _, fact in facts.facts)
