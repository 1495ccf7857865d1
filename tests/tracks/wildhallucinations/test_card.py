"""The card names what its boards show."""

from truerate.leaderboard.rows import is_lower_better, table_of
from truerate.tracks.wildhallucinations.card import CARD


def test_every_metric_stands_in_a_table_of_the_card():
    assert {
        name for name in CARD["metrics"] if not any(name.startswith(start) for start in CARD["tables"])
    } == set()
    assert {table_of(name, CARD["tables"]) for name in CARD["metrics"]} == set(CARD["tables"].values())


def test_directions():
    assert not is_lower_better("wildfactscore", CARD) and not is_lower_better("wildfactscore_strict", CARD)
    assert not is_lower_better("responding_rate", CARD) and not is_lower_better("verifier_tpr", CARD)
    assert (
        is_lower_better("no_fact_rate", CARD)
        and is_lower_better("verifier_fpr", CARD)
        and is_lower_better("error_rate", CARD)
    )


def test_definitions_are_one_or_two_sentences_that_end():
    assert all(text.endswith(".") and len(text) < 260 for text in CARD["metrics"].values())
    assert set(CARD["tasks"]) == {"chat", "entity", "fact"} and len(CARD["caveats"]) >= 8
