"""WildChat's format: what a turn must be to be used, and rows of mixed schemas."""

import io
import json

import polars as pl
import pytest

from truerate.core.errors import TruerateError

SECRET = "my secret text"


def turn(content=SECRET, **changes):
    return {
        "role": "user", "content": content, "language": "English", "toxic": False, "redacted": False,
    } | changes  # fmt: skip


def chat(*turns, **changes):
    row = {
        "conversation_hash": "c1",
        "model": "gpt-4",
        "language": "English",
        "toxic": False,
        "redacted": False,
    }
    return row | {"conversation": list(turns or [turn()])} | changes


def parquet(*rows):
    out = io.BytesIO()
    pl.DataFrame(list(rows), strict=False).write_parquet(out)
    return out.getvalue()


def only(tables):
    """The one reject's reason; its text is not repeated."""
    assert tables.items.is_empty() and tables.rejects.height == 1
    row = tables.rejects.row(0, named=True)
    assert row["text"] == "" and SECRET not in row["detail"]
    return row["reason"]


@pytest.fixture
def read_turns(put, read):
    """The tables of one JSONL file with these rows."""

    def run(*rows, on_bad_row="stop"):
        put("a.jsonl", list(rows))
        return read("wildchat", on_bad_row)

    return run


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_each_user_turn_is_an_item_of_its_conversation(form, put, read):
    reply = turn("Sure.", role="assistant")
    row = chat(turn("Who is Varn? "), reply, turn("Go on."), reply)
    put(f"data/train.{form}", [row] if form == "jsonl" else parquet(row))
    got = read("wildchat")
    rows = sorted(got.items.iter_rows(named=True), key=lambda row: row["question"])
    assert [(row["task"], row["lang"], row["question"]) for row in rows] == [
        ("chat", "en", "Go on."),
        ("chat", "en", "Who is Varn?"),
    ]
    assert [pair["value"] for pair in rows[0]["attributes"]] == ["c1", "gpt-4", "2"] and len(
        {row["group_id"] for row in rows}
    ) == 1
    assert (
        got.card["counts"]["n_conversations"],
        got.card["counts"]["n_user_turns"],
        got.rejects.height,
    ) == (1, 2, 0)
    assert "not tried on the original" in got.card["citation"]


def test_toxic(read_turns):
    assert only(read_turns(chat(turn(toxic=True)))) == "toxic"


def test_toxic_by_moderation_where_the_turn_says_nothing(read_turns):
    marks = [{"flagged": True, "categories": {}}]
    assert only(read_turns(chat(turn(toxic=None), openai_moderation=marks, toxic=None))) == "toxic"


def test_toxic_by_the_conversation_where_nothing_else_says_it(read_turns):
    assert only(read_turns(chat({"role": "user", "content": SECRET}, toxic=True))) == "toxic"


def test_a_turn_s_own_mark_comes_before_its_conversation_s(read_turns):
    assert read_turns(chat(turn(toxic=False), toxic=True)).items.height == 1


def test_not_english(read_turns):
    assert only(read_turns(chat(turn(language="German")))) == "not-english"


def test_no_language_at_all_is_not_english_unless_the_card_says_so(read_turns, put):
    bare = chat({"role": "user", "content": SECRET}, language=None)
    assert only(read_turns(bare)) == "not-english"
    put("source.json", {"lang": "en"})
    assert read_turns(bare).items.height == 1


def test_redacted(read_turns):
    assert only(read_turns(chat(turn(redacted=True)))) == "redacted"


@pytest.mark.parametrize("content", ["", " \n", None])
def test_empty_turn(content, read_turns):
    assert only(read_turns(chat(turn(content)))) == "empty-turn"


def test_duplicate(read_turns):
    got = read_turns(chat(turn("Go on."), turn("Go on.")), chat(turn("Go on."), conversation_hash="c2"))
    assert got.items.height == 2 and got.rejects["reason"].to_list() == ["duplicate"]
    assert got.card["counts"]["n_turns_duplicate"] == 1


def test_the_older_fields_and_absent_ones_are_read(read_turns):
    older = {"conversation_id": "c9", "conversation": [{"role": "user", "content": "Who?", "language": "en"}]}
    got = read_turns(older, {"conversation": [turn("Where?")]})
    assert sorted(got.items["question"]) == ["Where?", "Who?"] and got.rejects.is_empty()
    assert got.card["counts"]["n_turns_toxicity_unknown"] == 1


def test_parquet_files_of_different_columns_and_null_rows(put, read):
    put("a.parquet", parquet(chat(turn("Who?"))))
    put(
        "b.parquet",
        parquet(
            {
                "conversation_id": "c2",
                "conversation": [{"role": "user", "content": "Where?", "language": "English"}],
            }
        ),
    )
    put(
        "c.parquet",
        parquet(
            chat(turn("When?"), conversation_hash="c3"), chat(conversation_hash="c4") | {"conversation": None}
        ),
    )
    got = read("wildchat", "reject")
    assert sorted(got.items["question"]) == ["When?", "Where?", "Who?"]
    assert got.rejects.select("where", "row", "reason").rows() == [("c.parquet", 2, "missing-field")]


@pytest.mark.parametrize(
    ("row", "reason", "line"),
    [
        ({"model": "m"}, "missing-field", "field 'conversation' is missing"),
        ({"conversation": SECRET}, "wrong-type", "field 'conversation' must be a list, not text"),
        ({"conversation": [SECRET]}, "wrong-type", "turn 1: the row must be an object with fields"),
        ({"conversation": [turn(7)]}, "wrong-type", "turn 1: field 'content' must be text"),
        ({"conversation": [turn(role="bot")]}, "unknown-value", "turn 1: field 'role' is 'bot'"),
        (
            {"conversation": [turn(toxic="no")]},
            "wrong-type",
            "turn 1: field 'toxic' must be true, false or null",
        ),
        (
            {"conversation": [turn()], "redacted": 1},
            "wrong-type",
            "field 'redacted' must be true, false or null",
        ),
    ],
)
def test_a_row_that_cannot_be_read_is_a_reject_without_its_text_or_ends_the_build(
    row, reason, line, read_turns
):
    assert only(read_turns(row, on_bad_row="reject")) == reason
    with pytest.raises(TruerateError, match=f"a.jsonl row 1: .*{line}.*on_bad_row: reject") as error:
        read_turns(row)
    assert SECRET not in str(error.value)


def test_a_broken_line_is_a_reject_and_the_rest_goes_on(put, read, reasons):
    put("a.jsonl", '{"conversation": [\n' + json.dumps(chat()) + "\n")
    got = read("wildchat", "reject")
    assert reasons(got) == [(1, "unparsable")] and got.items.height == 1


@pytest.mark.parametrize(
    ("file", "content", "line"),
    [
        ("a.parquet", b"no parquet", "a.parquet: not Parquet"),
        ("a.parquet", parquet({"text": "x"}), "a.parquet: no column 'conversation'; found: text"),
        ("notes.txt", "hello", "no conversations in"),
    ],
)
def test_a_file_that_is_none_ends_the_build_in_one_line(file, content, line, put, read):
    put(file, content)
    with pytest.raises(TruerateError, match=line) as error:
        read("wildchat", "reject")
    assert "\n" not in str(error.value)


def test_nothing_that_tells_who_the_user_is_is_kept(read_turns):
    got = read_turns(
        chat(
            turn(hashed_ip="abc123", country="Nowhere"),
            hashed_ip="abc123",
            country="Nowhere",
            header={"user-agent": "x"},
        )
    )
    assert not any(
        word in str(table.to_dicts())
        for table in got.tables.values()
        for word in ("abc123", "Nowhere", "user-agent")
    )
