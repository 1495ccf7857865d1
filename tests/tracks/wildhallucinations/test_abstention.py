"""Whether a reply abstains: the paper's rule with its known faults, and ours without most of them."""

import csv
import os
from collections import Counter, defaultdict
from pathlib import Path

import orjson
import pytest

from truerate.core.schemas import pairs
from truerate.llm.replies.texts.abstaining import is_abstention
from truerate.tracks.wildhallucinations import names as abstention
from truerate.tracks.wildhallucinations.names import abstains, is_paper_abstention

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
HERE = Path(__file__).parent / "data"
DATA = Path(os.environ.get("TRUERATE_DATA") or Path(__file__).parents[3] / ".." / "shared" / "data")
# people, places, firms and works that nobody knows: two in title case, one with an article
ENTITIES = ("Torvane Instruments", "Adrel Bostun", "the Lake of Hemmar", "Ninefold Lanterns")


@pytest.mark.parametrize("text", [*FALSE_ALARMS, *MISSES])
def test_where_the_papers_rule_errs_and_ours_does_not(text):
    assert (is_paper_abstention(text), is_abstention(text)) == (text in FALSE_ALARMS, text in MISSES)


def test_only_the_first_paragraph_counts_for_phrases_and_every_one_for_substrings():
    assert len(set(abstention.PHRASES)) == 26 and len(set(abstention.SUBSTRINGS)) == 6
    answer = "The bridge was built in 1902."
    assert not is_paper_abstention(f"{answer}\n\nI'm afraid that is all.")
    assert is_paper_abstention(f"I'm afraid that is all.\n\n{answer}")
    assert is_paper_abstention(f"{answer}\n\nIts builder IS NOT MENTIONED anywhere.")
    assert is_paper_abstention("[2]Sorry, nothing was found.")  # marks of citation are taken out first
    assert abstains("", "paper") and abstains("  \n", "measured")


def test_the_probe_set_and_how_often_both_rules_are_wrong_on_it():
    rows = abstention.probe()
    n_true = sum(row["is_abstention"] == "true" for row in rows)
    assert len(rows) >= 120 and 0.45 <= n_true / len(rows) <= 0.55
    assert len({row["text"] for row in rows}) == len(rows) and len({row["lang"] for row in rows}) >= 12
    rates = {
        (row["metric"], row["subject"], row["slice"][0]["value"]): row["value"]
        for row in abstention.probe_scores(confidence=0.95)
    }
    for split in ("dev", "held"):
        assert rates["probe_false_alarm_rate", "measured", split] <= 0.06
        assert rates["probe_miss_rate", "measured", split] <= 0.06
        assert rates["probe_false_alarm_rate", "paper", split] > 0.2
        assert rates["probe_miss_rate", "paper", split] > 0.5


def test_rates_by_hand():
    rows = [
        {"text": "I don't know.", "is_abstention": "true", "split": "held"},  # seen by both
        {"text": "No sé.", "is_abstention": "true", "split": "held"},  # missed by the paper's: 1 of 2
        # flagged by the paper's: 1 of 1
        {"text": "Sorry is a song of 1999.", "is_abstention": "false", "split": "held"},
    ]
    scores = {
        (row["metric"], row["subject"]): row
        for row in abstention.probe_scores(rows, confidence=0.95)
        if row["slice"] == pairs(split="held")
    }
    assert scores["probe_miss_rate", "paper"]["value"] == 0.5 and scores["probe_miss_rate", "paper"]["n"] == 2
    assert scores["probe_false_alarm_rate", "paper"]["value"] == 1.0
    assert (
        scores["probe_miss_rate", "measured"]["value"]
        == scores["probe_false_alarm_rate", "measured"]["value"]
        == 0.0
    )
    assert all(row["value"] is None for row in abstention.probe_scores([], confidence=0.95))


def corpus(name: str) -> list[dict[str, str]]:
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_refusals_in_ten_styles_are_seen():
    """80 wordings about four names; on their first run, before the rule was mended by them, 276 of 320 were
    seen.
    """
    split_of, n = Counter(), Counter()
    for row in corpus("refusals.csv"):
        for name in ENTITIES:
            text = row["text"].replace("\\n", "\n").replace("{name}", name)
            n[row["style"]] += 1
            split_of[row["style"]] += is_abstention(text)
    assert len(n) == 10 and n.total() == 320
    assert {style: split_of[style] for style in n} == dict(n)


def test_refusals_worded_later_are_seen_by_their_words_alone():
    """Four sets, three of them in ten styles. The rule of phrases alone saw 173 of 300, 158 of 300 (with 28
    phrases more, since dropped) and 50 of 300 (60 wordings of five names). The list of words was made by the
    first two and saw 192 of 300 of the third on its first run; the third was written before that run. Of the
    fourth, 180 wordings in 15 languages, 163 were seen on their first run.
    """
    split_of, n = Counter(), Counter()
    for row in corpus("refusals_later.csv"):
        for name in ENTITIES if row["set"] < "4" else ENTITIES[:1]:
            n[row["set"]] += 1
            split_of[row["set"]] += is_abstention(row["text"].replace("{name}", name))
    assert n == {"1": 400, "2": 400, "3": 240, "4": 180} and split_of["4"] == 180
    assert split_of["1"] >= 0.95 * 400 and split_of["2"] >= 0.9 * 400 and split_of["3"] >= 0.8 * 240


ANSWERS = (
    "No, Adrel Bostun was not a scout.",
    "Based on the provided passages, the mill stands in Varn and was built in 1802.",
    "No evidence shows that the mill was ever moved.",
    'Her last words were "I don\'t know", it is told.',
    "I Don't Know How to Love Him is a song from a rock opera.",
)


def test_answers_in_words_of_refusals_are_answers():
    """44 answers written to be taken for refusals; four are, three of them by a phrase (`no results` …)."""
    texts = [row["text"].replace("{name}", "Halvard Havis") for row in corpus("near_refusals.csv")]
    assert len(texts) == 44 and sum(map(is_abstention, texts)) <= 4
    assert not any(map(is_abstention, ANSWERS))
    assert is_abstention("Some speak for the north. Therefore, the question cannot be answered.")


def test_refusals_of_real_models_are_seen_and_answers_are_not_taken_for_them():
    """RefChecker's developers' half: of 1,050 replies 41 without claims refuse, as one reader read them (ids
    in refchecker_refusals.csv); at least 85 % are seen, and at most 0.5 % of those with claims are taken for
    one that say something. 15 of those with claims refuse as well: what was extracted is that nothing is
    known.
    """
    path = DATA / "refchecker" / "claims.jsonl"
    if not path.is_file():
        pytest.skip(f"no refchecker/claims.jsonl under {DATA}; name the folder in TRUERATE_DATA")
    rows = [orjson.loads(line) for line in path.read_bytes().splitlines()]
    refusals = {(row["setting"], row["model"], row["id"]) for row in corpus("refchecker_refusals.csv")}
    split_of = defaultdict(set)
    for row in rows:
        if is_abstention(row["response"]):
            split_of[bool(row["claims"])].add((row["setting"], row["model"], row["id"]))
    n_claimed = sum(bool(row["claims"]) for row in rows)
    assert len(refusals & split_of[False]) >= 0.85 * len(refusals)
    assert len(split_of[True]) <= 15 + 0.005 * n_claimed
