"""What a published data set says of itself to whoever reads it as a source."""

import json
from dataclasses import replace

import pytest

from tests.hub import small_board
from truerate.hub.configs import configs_of
from truerate.hub.dataset import origin_of, words_for
from truerate.hub.licences import LICENCES, licence_of

CONFIGS = configs_of(
    small_board.tables(licences=("CC BY 4.0", "MIT")),
    card=small_board.CARD,
    source=small_board.SOURCE,
    tasks=small_board.TASKS,
)


def origin_with(configs=CONFIGS, *, licence=None, **facts):
    return json.loads(origin_of(small_board.facts(**facts), configs, licence=licence))


def test_each_config_stands_under_its_own_licence_unless_one_was_asked_for():
    ours = origin_with()["licences"]
    assert ours == {config.name: config.licence.id for config in CONFIGS} and set(ours.values()) == {
        "mit",
        "cc-by-4.0",
    }
    assert set(origin_with(licence=LICENCES["cc-by-sa-4.0"])["licences"].values()) == {"cc-by-sa-4.0"}


def test_name_citations_and_rights():
    answer = origin_with(languages=("en",))
    assert (
        answer["citation"]
        == f"A. Nobody. Little questions. 2026. Protocol: {small_board.TRACK.citation} Built and published by truerate."
    )
    assert (answer["name"], answer["url"], answer["track"], answer["lang"]) == (
        small_board.facts().title,
        small_board.CARD["url"],
        "halueval",
        "en",
    )
    assert answer["redistribution"] == "yes" and "note" not in answer and "lang" not in origin_with()
    bare = [replace(config, has_texts=False) for config in CONFIGS]
    assert origin_with(bare)["redistribution"] == "ids-only"


def test_what_was_made_up_says_so():
    answer = origin_with(is_simulated=True)
    assert answer["name"].endswith("(simulated)") and "made up" in answer["note"]


@pytest.mark.parametrize(
    "licence",
    [*LICENCES.values(), licence_of("CC BY 4.0 (texts), research only"), licence_of("A notice of its own")],
)
def test_a_licence_is_written_in_words_that_mean_it(licence):
    assert licence_of(words_for(licence)).identity == licence.identity
