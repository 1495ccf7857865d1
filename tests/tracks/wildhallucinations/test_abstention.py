"""Whether a reply abstains: the paper's rule with its known faults, and ours without most of them."""

import pytest

from truerate.core.schemas import pairs
from truerate.tracks.wildhallucinations import abstention
from truerate.tracks.wildhallucinations.abstention import abstains, is_abstention, is_paper_abstention

FALSE_ALARMS = [  # of the paper's rule, measured on it
    "Please Please Me is the debut album of a band; it was recorded in one day and came out in 1963.",
    "Sorry is a song by a singer from Canada, released in 2015.",
    "The mill burned down. Unfortunately, its papers were lost, so the year of its foundation, 1802, rests on a stone.",
    "The clerk says I don't and leaves; the play, first staged in 1931, ends there and has been revived often.",
    "Displeased fans left the stadium of the Rovers, which was opened in 1921, long before the end.",
    "Harl Island is not a widely visited place; it covers 40 square kilometres.",
]
MISSES = [
    "I cannot verify any details about this company.",
    "I looked, but couldn't find anything about this name.",
    "Je ne connais pas cette personne.",
]


@pytest.mark.parametrize("text", FALSE_ALARMS)
def test_what_the_papers_rule_takes_for_an_abstention(text):
    assert is_paper_abstention(text) and not is_abstention(text)


@pytest.mark.parametrize("text", MISSES)
def test_what_the_papers_rule_does_not_see(text):
    assert not is_paper_abstention(text) and is_abstention(text)


def test_the_paper_has_26_phrases_and_six_substrings():
    assert len(set(abstention.PHRASES)) == 26 and len(set(abstention.SUBSTRINGS)) == 6


def test_only_the_first_paragraph_counts_for_phrases_and_every_one_for_substrings():
    answer = "The bridge was built in 1902."
    assert not is_paper_abstention(f"{answer}\n\nI'm afraid that is all.")
    assert is_paper_abstention(f"I'm afraid that is all.\n\n{answer}")
    assert is_paper_abstention(f"{answer}\n\nCould you clarify?")
    assert is_paper_abstention(f"\n\n{answer}") and is_paper_abstention(" ")


def test_marks_of_citation_do_not_hide_a_phrase():
    assert (
        is_paper_abstention("There is no [1] information about it.") is False
    )  # the words would run together: FActScore's own way
    assert is_paper_abstention("[2]Sorry, nothing was found.")


def test_an_answer_after_a_hedge_is_an_answer():
    hedge = "I am not sure about the month."
    facts = "It was founded in 1971 and makes radios. Its factory employs about four thousand people and exports to nine countries."
    assert (
        is_abstention(hedge)
        and not is_abstention(f"{hedge} {facts}")
        and not is_abstention(f"{facts} {hedge}")
    )


def test_what_stands_in_quotation_marks_or_in_title_case_is_no_speech():
    assert not is_abstention('Her last words were "I don\'t know", it is told.')
    assert not is_abstention("I Don't Know How to Love Him is a song from a rock opera.")
    assert is_abstention("I don't know.") and is_abstention("I DON'T KNOW.")


def test_an_empty_reply_abstains_by_both_rules():
    assert abstains("", "paper") and abstains("  \n", "measured")


def test_an_unknown_rule_is_refused():
    with pytest.raises(KeyError):
        abstains("text", "other")


def test_the_probe_set_is_what_it_says():
    rows = abstention.probe()
    n_true = sum(row["is_abstention"] == "true" for row in rows)
    assert len(rows) >= 120 and 0.45 <= n_true / len(rows) <= 0.55
    assert len({row["text"] for row in rows}) == len(rows) and len({row["lang"] for row in rows}) >= 12
    assert {row["split"] for row in rows} == {"dev", "held"} and all(row["why"] for row in rows)


def test_rates_on_the_probe_set():
    rows = {
        (row["metric"], row["subject"], row["slice"][0]["value"]): row
        for row in abstention.probe_scores(confidence=0.95)
    }
    for split in ("dev", "held"):
        assert (
            rows["probe_false_alarm_rate", "measured", split]["value"] <= 0.06
            and rows["probe_miss_rate", "measured", split]["value"] <= 0.06
        )
        assert (
            rows["probe_false_alarm_rate", "paper", split]["value"] > 0.2
            and rows["probe_miss_rate", "paper", split]["value"] > 0.5
        )


def test_rates_by_hand():
    rows = [
        {"text": "I don't know.", "is_abstention": "true", "split": "held"},  # seen by both
        {"text": "No sé.", "is_abstention": "true", "split": "held"},  # missed by the paper's: 1 of 2
        {
            "text": "Sorry is a song of 1999.",
            "is_abstention": "false",
            "split": "held",
        },  # flagged by the paper's: 1 of 1
    ]
    found = {
        (row["metric"], row["subject"]): row
        for row in abstention.probe_scores(rows, confidence=0.95)
        if row["slice"] == pairs(split="held")
    }
    assert found["probe_miss_rate", "paper"]["value"] == 0.5 and found["probe_miss_rate", "paper"]["n"] == 2
    assert found["probe_false_alarm_rate", "paper"]["value"] == 1.0
    assert (
        found["probe_miss_rate", "measured"]["value"]
        == found["probe_false_alarm_rate", "measured"]["value"]
        == 0.0
    )
    assert all(row["value"] is None for row in abstention.probe_scores([], confidence=0.95))
