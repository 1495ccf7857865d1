"""ROUGE-L by hand, against a plain table, and against the reference implementation."""

from random import Random

import pytest
from rouge_score.rouge_scorer import RougeScorer

from truerate.metrics.text_overlap import common_length, rouge_l, rouge_words


def plain_length(first: list[str], second: list[str]) -> int:
    """The longest common subsequence by the table of the textbook."""
    above = [0] * (len(second) + 1)
    for word in first:
        row = [0]
        for index, other in enumerate(second):
            row.append(above[index] + 1 if word == other else max(above[index + 1], row[-1]))
        above = row
    return above[-1]


def drawn(random: Random, n: int) -> str:
    return " ".join(
        random.choice(["the", "Cat", "sat", "on", "mat.", "dog-eared", "isn't", "5th"]) for _ in range(n)
    )


def test_by_hand():
    # target: police killed the gunman; "police kill the gunman" shares 3 words of 4 and 4; "the gunman kill
    # police" shares 2 in order
    (first, second) = rouge_l(
        [
            ("police killed the gunman", "Police kill the gunman."),
            ("police killed the gunman", "the gunman kill police"),
        ]
    )
    assert first == pytest.approx(3 / 4, abs=1e-12) and second == pytest.approx(2 / 4, abs=1e-12)


def test_unequal_lengths_by_hand():
    # "No." against "No, the segment is absent": L 1, m 1, n 5: 2·1 / 6
    assert rouge_l([("No.", "No, the segment is absent")]) == [pytest.approx(2 / 6, abs=1e-12)]


def test_nothing_shares_nothing():
    assert rouge_l([("", ""), ("a", ""), ("", "a"), ("。", "！"), ("a", "b")]) == [0, 0, 0, 0, 0]
    assert rouge_l([]) == []


def test_words_are_those_of_the_one_rule_parted_at_hyphens_and_apostrophes():
    assert rouge_words("Isn't it 4-ply? CAFÉ Größe") == ["isn", "t", "it", "4", "ply", "café", "grösse"]
    assert rouge_words("GPT是模型") == ["gpt", "是", "模", "型"] and rouge_words("cafe\u0301") == ["café"]


def test_accented_and_mixed_words_count_whole_by_hand():
    # "élan vital" and "clan vital" share one word of two; "GPT是模型" and "GPT不好" one of four and three: 2·1 / 7
    assert rouge_l([("élan vital", "clan vital"), ("GPT是模型", "GPT不好")]) == [1 / 2, pytest.approx(2 / 7)]
    assert rouge_l([("GPT राम है", "GPT रोम है")]) == [pytest.approx(2 / 3)]


@pytest.mark.parametrize("seed", range(20))
def test_as_the_table_of_the_textbook(seed):
    random = Random(seed)
    first, second = (rouge_words(drawn(random, random.randrange(120))) for _ in range(2))
    assert common_length(first, second) == plain_length(first, second)


def test_equal_to_the_reference_implementation():
    scorer = RougeScorer(["rougeL"], use_stemmer=False)
    random = Random(7)
    pairs = [(drawn(random, random.randrange(60)), drawn(random, random.randrange(60))) for _ in range(300)]
    peer = [scorer.score(*pair)["rougeL"].fmeasure for pair in pairs]
    assert rouge_l(pairs) == pytest.approx(peer, abs=1e-12)


@pytest.mark.parametrize("text", ["北京是首都", "बंदरगाह बना", "กรุงเทพ", "كَتَبَ الولد", "Ö é", "。", "👍"])
def test_a_text_in_any_script_equals_itself(text):
    assert rouge_l([(text, text)]) == [1.0]
    assert rouge_l([(text, "no such words")]) == [0.0]
