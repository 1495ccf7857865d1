"""The rules of one insertion round: one small example per reason."""

import pytest

from truerate.tracks.mfava import silver
from truerate.tracks.mfava.silver import n_words, refusal_of

WHOLE = "<relation><delete>was founded in 1204</delete><mark>fell</mark></relation>"
TOWN = "Arlo is a town. It was founded in 1204."
ENTITY = "Arlo is a town. It was founded in <entity><delete>1204</delete><mark>1999</mark></entity>."


def reason(reply: str, before: str, type_: str) -> str | None:
    found = refusal_of(reply, before=before, type_=type_, max_words=3)
    assert found is None or found.reason in silver.REASONS
    return found and found.reason


def test_a_replacement_and_a_sentence_are_taken():
    assert reason(ENTITY, TOWN, "entity") is None
    assert reason(f"{ENTITY} <contradictory>It has no name.</contradictory>", ENTITY, "contradictory") is None
    assert reason(f"Arlo is a town. <invented>It flies.</invented>{ENTITY[15:]}", ENTITY, "invented") is None


def test_blank_space_beside_a_tag_does_not_count():
    assert (
        reason("Arlo is a town.\n<invented>It flies.</invented>\nIt was founded in 1204.\n", TOWN, "invented")
        is None
    )


CASES = [
    ("empty", "  ", TOWN, "entity"),
    ("malformed", "Arlo is a <entity>town. It was founded in 1204.", TOWN, "entity"),
    # not asked for yet
    ("malformed", "Arlo is a town. <subjective>So nice.</subjective> It was founded in 1204.", TOWN, "entity"),
    ("empty-span", "Arlo is a town. <invented> </invented>It was founded in 1204.", TOWN, "invented"),
    ("altered", "Arlo was a town. <invented>It flies.</invented> It was founded in 1204.", TOWN, "invented"),
    # a tagged sentence has moved
    ("altered", f"{ENTITY[16:]} Arlo is a town. <invented>It flies.</invented>", ENTITY, "invented"),
    ("touched-tags", "Arlo is a town. It was founded in 1999. <invented>It flies.</invented>", ENTITY, "invented"),
    ("touched-tags", ENTITY.replace("1999", "1998") + " <invented>It flies.</invented>", ENTITY, "invented"),
    ("touched-tags", ENTITY.replace("1999", "<relation><mark>1999</mark></relation>"), ENTITY, "relation"),
    # an insertion around an earlier one
    ("malformed", f"<contradictory>Not so: {ENTITY}</contradictory>", ENTITY, "contradictory"),
    ("nothing-inserted", ENTITY, ENTITY, "relation"),
    ("not-replaced", "Arlo is a town. It was founded in 1204 <entity>by Bend</entity>.", TOWN, "entity"),
    ("not-replaced", "Arlo is a town. It was founded in <entity><delete>1204</delete><mark>1204</mark></entity>.", TOWN, "entity"),
    ("too-long", TOWN.replace("1204", "<entity><delete>1204</delete><mark>the year of snow</mark></entity>"), TOWN, "entity"),
    ("too-long", TOWN.replace("was founded in 1204", WHOLE), TOWN, "relation"),
    ("invented-first", f"<invented>It flies.</invented> {TOWN}", TOWN, "invented"),
    ("invented-first", "Arlo is <invented>made of cake and</invented> a town. It was founded in 1204.", TOWN, "invented"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("expected", "reply", "before", "type_"), CASES, ids=[f"{case[0]}-{k}" for k, case in enumerate(CASES)]
)
def test_refused_with_its_reason(expected, reply, before, type_):
    assert reason(reply, before, type_) == expected


def test_every_reason_has_an_example():
    assert {case[0] for case in CASES} == set(silver.REASONS)


def test_words_of_scripts_without_spaces():
    # four characters are a word: 4 → 1, 5 → 2, 12 → 3, 13 → 4; a number beside them is one more
    assert [n_words("城" * n) for n in (4, 5, 12, 13)] == [1, 2, 3, 4]
    assert n_words("1204年") == 2 and n_words("three small words") == 3 and n_words("") == 0
    chinese = "阿洛是一座城市。它建于1204年。"
    assert (
        reason(
            chinese.replace("1204年", "<entity><delete>1204年</delete><mark>1999年</mark></entity>"),
            chinese,
            "entity",
        )
        is None
    )
    assert reason(f"<invented>它会飞。</invented>{chinese}", chinese, "invented") == "invented-first"
    assert reason(chinese.replace("它", "<invented>它会飞。</invented>它"), chinese, "invented") is None
