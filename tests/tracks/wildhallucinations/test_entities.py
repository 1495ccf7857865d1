"""Names out of replies, and which of them become entities: one tiny example per reason."""

from types import SimpleNamespace

import polars as pl
import pytest

from truerate.core.errors import TruerateError
from truerate.core.schemas import Item, Reject, frame, pairs, validate
from truerate.core.text import name_key
from truerate.llm.generation import facts
from truerate.tracks.wildhallucinations.entities import (
    from_chats,
    given,
    is_private,
    takedown_keys,
    text_notes,
    without_private,
)
from truerate.tracks.wildhallucinations.names import entity_id, names_in_chats, read_names

from .chatty import GOOD, SOURCE, chat, chats, extracted, judged

VARN = chat("c1", "Tell me about Varn.")


def kept(*rows, answers, limit=9, takedown=None, seed=1, lists=None):
    """Names that are kept, and (name shown, reason) of the others; each chat's reply lists `lists`, or all
    that stands in `said`.
    """
    replies = [
        (
            row,
            "\n".join(
                f"- {name}" for name in (lists or answers) if name_key(name) in row["question"].casefold()
            ),
        )
        for row in rows
    ]
    items, rejects = from_chats(
        chats(*rows), extracted(*replies), judged(**answers), limit=limit, seed=seed, takedown=takedown
    )
    validate(Item, frame(Item, items), where="items")
    validate(Reject, frame(Reject, rejects), where="rejects")
    return [row["question"] for row in items], [(row["text"], row["reason"]) for row in rejects]


# ---- reading replies ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("- Varn\n- Teru", "Varn\nTeru"),
        ("#Proper Nouns#:\n* Varn\n* Teru", "Varn\nTeru"),
        ("- Varn\n- varn\n- “Varn’s”", "Varn"),
        ("Varn and Teru", "Varn\nTeru"),
        ("Here they are:\n- Varn", "Varn"),
        ("none", ""),
        ("- None.", ""),
    ],
)
def test_a_list_of_names_is_read(text, names):
    read = read_names(text, "How far is it from Varn to Teru?")
    assert (read.status, read.text) == ("ok", names)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        ("I cannot help.", "malformed"),
        ("Varn is far from it.", "malformed"),
        ("#Proper Nouns#:\n* Varn\n2. Teru", "malformed"),
        ("- Varn\nWhat else could be meant here\n- Teru", "malformed"),
    ],
)
def test_what_is_no_list_is_unparsed_with_its_reason(text, reason):
    read = read_names(text, "How far is it from Varn to Teru?")
    assert (read.status, read.reason, read.text) == ("unparsed", reason, text)


def test_a_line_apart_that_is_no_name_is_counted_and_loses_itself_alone():
    read = read_names("- Varn\n- Teru\n\nWhat else could be meant here", "From Varn to Teru?")
    assert (read.status, read.text, read.attributes["n_malformed"]) == ("ok", "Varn\nTeru", "1")
    assert "What else" in read.attributes["detail"]


# ---- names -------------------------------------------------------------------------------------------------


def test_conversations_are_counted_and_not_mentions():
    rows = [chat("c1", "Varn!"), chat("c1", "varn again", 2), chat("c2", "Varn?")]
    names, _ = names_in_chats(chats(*rows), extracted(*((row, "- " + row["question"][:4]) for row in rows)))
    assert [(name.text, name.n_chats, len(name.messages)) for name in names] == [("Varn", 2, 3)]


def test_a_name_is_called_what_most_conversations_call_it_else_without_possessive_and_with_capitals():
    texts = ["varn hill", "Varn Hill’s", "Varn Hill"]
    rows = [chat(f"c{index}", text) for index, text in enumerate(texts)]
    names, _ = names_in_chats(chats(*rows), extracted(*((row, f"- {row['question']}") for row in rows)))
    assert [name.text for name in names] == ["Varn Hill"]
    rows.append(chat("c9", "VARN HILL’s"))
    rows += [chat("c10", "varn hill")]
    names, _ = names_in_chats(chats(*rows), extracted(*((row, f"- {row['question']}") for row in rows)))
    assert [(name.text, name.n_chats) for name in names] == [("varn hill", 5)]


# ---- reasons -----------------------------------------------------------------------------------------------


def test_an_entity_is_kept_with_its_attributes():
    items, rejects = from_chats(
        chats(VARN), extracted((VARN, "- Varn")), judged(Varn=GOOD), limit=9, seed=1, takedown=None
    )
    assert rejects == [] and facts(items[0]) == {"name": "Varn", "n_chats": "1", "domain": "geographic"}
    assert items[0]["item_id"] == items[0]["group_id"] == entity_id(SOURCE, "varn")
    assert items[0]["document_ids"] == []


@pytest.mark.parametrize(
    ("answers", "reason", "shown"),
    [
        (("no entity",), "no-entity", "Varn"),
        (("private person",), "private-person", ""),
        (("?",), "unparsed-verify", ""),
        (("!",), "dead-verify", ""),
        ((), "unasked-verify", ""),
        (("entity", "several"), "ambiguous", "Varn"),
        (("entity", "?"), "unparsed-disambiguate", "Varn"),
        (("entity", "one", "?"), "unparsed-domain", "Varn"),
        (("entity", "one", "!"), "dead-domain", "Varn"),
    ],
)
def test_a_name_is_out_by_what_is_said_of_it(answers, reason, shown):
    assert kept(VARN, answers={"Varn": answers}) == ([], [(shown, reason)])


def test_takedown(tmp_path):
    path = tmp_path / "takedown.txt"
    path.write_text("# who asked for it\n\nvarn’s\n", "utf-8")
    assert takedown_keys(str(path)) == {"varn"}
    assert kept(VARN, answers={"Varn": GOOD}, takedown=str(path)) == ([], [("", "takedown")])


def test_a_takedown_list_that_is_not_there_is_one_line(tmp_path):
    with pytest.raises(TruerateError, match="take-down list .*gone.txt.*correct `takedown` in params.yaml"):
        takedown_keys(str(tmp_path / "gone.txt"))
    (tmp_path / "bytes.txt").write_bytes(b"\xff\xfe\xe9")
    with pytest.raises(TruerateError, match="it is no UTF-8"):
        takedown_keys(str(tmp_path / "bytes.txt"))


def test_private_person_by_how_every_message_introduces_them():
    private, public = "A card for my old neighbour Jo Varn, please.", "Who is Jo Varn?"
    assert is_private("jo varn", [private])
    assert is_private("jo varn", ["our landlord, “Jo Varn”"])
    assert is_private("jo@varn.invalid", [public])
    assert not is_private("jo varn", [private, public])
    assert not is_private("jo varn", [])
    assert not is_private("jo", [private.replace("Jo", "Joan")])
    assert kept(chat("c1", private), answers={"Jo Varn": GOOD}) == ([], [("", "private-person")])


def test_unusable_name_and_name_that_the_message_does_not_hold():
    rows = [chat("c1", "see ../varn")]
    assert kept(*rows, answers={}, lists=["../varn"]) == ([], [("../varn", "unusable-name")])
    items, rejects = from_chats(
        chats(VARN), extracted((VARN, "- Var\n- Teru")), judged(Var=GOOD), limit=9, seed=1, takedown=None
    )
    assert items == []
    assert [(row["text"], row["reason"]) for row in rejects] == [
        ("Var", "not-in-message"),
        ("Teru", "not-in-message"),
    ]


def test_over_limit_leaves_out_what_fewest_conversations_hold():
    rows = [chat("c1", "Varn"), chat("c2", "Varn and Teru"), chat("c3", "Odla")]
    answers = {"Varn": GOOD, "Teru": GOOD, "Odla": GOOD}
    names, out = kept(*rows, answers=answers, limit=1)
    assert names == ["Varn"] and sorted(out) == [("Odla", "over-limit"), ("Teru", "over-limit")]
    drawn = {tuple(sorted(kept(*rows, answers=answers, limit=2, seed=seed)[0])) for seed in range(20)}
    assert drawn == {("Teru", "Varn"), ("Odla", "Varn")}  # ties by the seed


# ---- lists of entities -------------------------------------------------------------------------------------


def listed(name, **attributes):
    row = chat("c", name) | {"item_id": entity_id(SOURCE, name_key(name)), "task": "entity"}
    return row | {"attributes": pairs(name=name, **attributes)}


def test_a_list_is_taken_as_it_is_but_for_takedown_and_limit(tmp_path):
    (tmp_path / "out.txt").write_text("Odla", "utf-8")
    rows = [
        listed("Varn", n_chats=9, domain="Geography"),
        listed("Teru", n_chats=2, domain="odd"),
        listed("Odla"),
        listed("Zwor"),
    ]
    items, rejects = given(frame(Item, rows), limit=2, seed=1, takedown=str(tmp_path / "out.txt"))
    assert {row["question"]: facts(row).get("domain") for row in items} == {
        "Varn": "geographic",
        "Teru": None,
    }
    assert sorted((row["text"], row["reason"]) for row in rejects) == [
        ("", "takedown"),
        ("Zwor", "over-limit"),
    ]


def test_a_domain_of_a_list_that_is_none_of_the_papers_is_told():
    rows = [listed("Varn", domain="Geography"), listed("Teru", domain="odd"), listed("Odla")]
    (line,) = text_notes(None, "mine", SimpleNamespace(items=frame(Item, rows)))
    assert line.startswith(
        "board 'mine': 1 of 3 entities stand under no domain, as theirs is none of the paper's: 'odd'"
    )
    assert "allowed: geographic, " in line
    prompt = listed("Varn", domain="odd", is_prompt="true")
    assert not [*text_notes(None, "mine", SimpleNamespace(items=frame(Item, [prompt, rows[0]])))]


# ---- what may be published ---------------------------------------------------------------------------------


def test_private_names_stand_in_no_row_that_is_published():
    row = chat("c1", "Varn knows Jo Teru.")
    bad = chat("c2", "Jo Teru?")
    answers = pl.concat(
        [
            extracted((row, "- Varn\n- Jo Teru"), (bad, "Well, Jo Teru.")),
            judged(**{"Varn": GOOD, "Jo Teru": ("private person",)}),
        ]
    )
    replies = answers.filter(pl.col("purpose") == "extract")
    _, rejects = from_chats(chats(row, bad), replies, answers, limit=9, seed=1, takedown=None)
    published = without_private(answers, rejects, SOURCE)
    assert published.height == answers.height
    assert "Teru" not in str(published.to_dicts())
    assert "teru" not in str(published.to_dicts())
    assert sorted(published.filter(pl.col("purpose") == "extract")["text"]) == ["", "Varn"]
