"""Licences: the words of every source card, what may be joined, what may go out under which."""

from pathlib import Path

import pytest
import yaml

from truerate.core.errors import TruerateError
from truerate.hub.licences import (
    GOES_INTO,
    LICENCES,
    Licence,
    check_target,
    combined,
    goes_into,
    licence_of,
    refuse_unpublishable,
    words_of,
)
from truerate.sources.registry import card_of, readers

CASES = yaml.safe_load(Path(__file__).with_name("licences.yaml").read_text("utf-8"))


def card(licence="CC BY 4.0", **more):
    return {"name": "Some set", "licence": licence, "redistribution": "yes"} | more


@pytest.mark.parametrize("words", CASES["read"])
def test_words_as_people_write_them(words):
    assert licence_of(words) == LICENCES[CASES["read"][words]]


@pytest.mark.parametrize("id", LICENCES)
def test_ids_and_names_are_read_as_themselves(id):
    assert licence_of(id) is licence_of(LICENCES[id].name) is LICENCES[id]


@pytest.mark.parametrize("words", [*CASES["silent"], *CASES["refused"]])
def test_what_nobody_stated_or_somebody_refuses_is_not_known(words):
    licence = licence_of(words)
    assert (licence.id, licence.name, licence.is_known) == ("other", words or "not stated", False)
    assert combined([licence]) is None


@pytest.mark.parametrize("words", CASES["not_understood"])
def test_words_that_are_not_understood_are_a_licence_of_their_own(words):
    assert licence_of(words) == Licence("other", words)
    assert combined([licence_of(words)]) == licence_of(words)
    assert combined([licence_of(words), LICENCES["mit"]]) == licence_of(words)
    assert (
        combined([licence_of(words), licence_of("another notice")])
        is combined([licence_of(words), LICENCES["cc-by-sa-4.0"]])
        is None
    )


def test_a_creative_commons_licence_without_version_says_what_it_asks():
    licence = licence_of("CC BY-NC-SA")
    assert (licence.id, licence.is_share_alike, licence.is_non_commercial, licence.is_known) == (
        "other",
        True,
        True,
        True,
    )
    assert licence_of("CC BY-ND 2.0").kind == "no-derivatives"


def test_parts_that_cannot_be_joined_are_kept_and_join_with_nothing():
    licence = licence_of("CC BY-SA 4.0; CC BY-NC 4.0")
    assert licence.id == "other" and licence.is_known and licence.is_share_alike and licence.is_non_commercial
    assert licence.parts == (LICENCES["cc-by-sa-4.0"], LICENCES["cc-by-nc-4.0"])
    assert combined([licence]) is combined([licence, LICENCES["mit"]]) is None


def test_every_card_of_ours_is_read():
    cards = {name: card for name in readers() if (card := card_of(name))}
    assert len(cards) >= 15
    for name, card in cards.items():
        licence = licence_of(card["licence"])
        assert licence.is_known == (card["redistribution"] != "no"), name
        assert not licence.is_known or licence.id in LICENCES, name


@pytest.mark.parametrize("case", CASES["joined"], ids=str)
def test_what_may_be_joined(case):
    ids, whole = case["ids"], case["whole"]
    expected = LICENCES[whole] if whole else None
    assert combined(LICENCES[id] for id in ids) == combined(LICENCES[id] for id in reversed(ids)) == expected


def test_joining_has_one_direction():
    assert set(GOES_INTO) == {licence.kind for licence in LICENCES.values()} | {"other", "unknown"}
    for part in LICENCES.values():
        for whole in LICENCES.values():
            assert part == whole or not (goes_into(part, whole) and goes_into(whole, part)), (
                part.id,
                whole.id,
            )
            if goes_into(part, whole):  # nothing that is asked gets lost
                assert (
                    part.is_share_alike <= whole.is_share_alike
                    and part.is_non_commercial <= whole.is_non_commercial
                )


def test_a_licence_made_elsewhere_is_the_same_licence():
    assert (
        combined([Licence("cc-by-sa-4.0", "CC BY-SA 4.0", is_share_alike=True), LICENCES["cc-by-sa-4.0"]]).id
        == "cc-by-sa-4.0"
    )


def test_a_target_that_the_sources_allow():
    assert (
        check_target("cc-by-sa-4.0", [LICENCES["mit"], LICENCES["cc-by-4.0"]], what="board 'b'")
        is LICENCES["cc-by-sa-4.0"]
    )
    assert check_target("mit", [], what="board 'b'").id == "mit"


def test_a_target_that_they_do_not_allow_names_those_they_do():
    with pytest.raises(
        TruerateError,
        match=r"^publishing board 'b' under 'mit': not allowed by CC BY-SA 4.0; allowed: cc-by-sa-4.0; set hub",
    ) as e:
        check_target("mit", [LICENCES["mit"], LICENCES["cc-by-sa-4.0"]], what="board 'b'")
    assert "\n" not in str(e.value)
    with pytest.raises(
        TruerateError, match=r"not allowed by CC BY-NC 4.0; allowed: none; set hub.licence: null"
    ):
        check_target("cc-by-sa-4.0", [licence_of("CC BY-SA 4.0; CC BY-NC 4.0")], what="board 'b'")
    with pytest.raises(TruerateError, match="not allowed by not stated; allowed: none"):
        check_target("cc0-1.0", [licence_of("not stated")], what="board 'b'")


@pytest.mark.parametrize("target", ["other", "unknown", "cc-by-5.0", "CC BY 4.0", ""])
def test_a_target_that_is_none(target):
    with pytest.raises(TruerateError, match="is no licence that can be asked for; allowed: apache-2.0, "):
        check_target(target, [], what="board 'b'")


def test_what_may_go_out():
    refuse_unpublishable(card(), what="board 'b'")
    refuse_unpublishable(card("ODC-BY 1.0", redistribution="ids-only"), what="board 'b'")
    lent = card(
        "CC BY 4.0; not stated", redistribution="no", own_redistribution="yes", own_licence="CC BY 4.0"
    )
    refuse_unpublishable(lent, what="board 'b'")
    assert (
        words_of(lent) == "CC BY 4.0"
        and words_of(lent | {"redistribution": "yes"}) == "CC BY 4.0; not stated"
    )


@pytest.mark.parametrize("case", CASES["may_not_go_out"], ids=str)
def test_what_may_not_go_out(case):
    with pytest.raises(TruerateError, match=r"^publishing board 'b': source 'Some set', licence ") as refused:
        refuse_unpublishable({"name": "Some set"} | case["card"], what="board 'b'")
    assert case["why"] in str(refused.value) and "\n" not in str(refused.value)


def test_a_source_under_licences_that_cannot_be_joined_is_two_sources():
    card = {"name": "two", "licence": "CC BY-SA 4.0; CC BY-NC 4.0", "redistribution": "yes"}
    with pytest.raises(
        TruerateError, match="cannot stand in one work; make a source, and a board, of each"
    ) as refused:
        refuse_unpublishable(card, what="board 'two'")
    assert "\n" not in str(refused.value)
