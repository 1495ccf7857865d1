import numpy as np
import pytest

from truerate.detectors.tokens.features import SIZES, token_features, unit_features

REFERENCE = "Velmora was founded in 1912 by Ana Brisk. The museum of Tesk opened in 1877. It shows Glass."


def match_of(text, reference=REFERENCE):
    """The match code of each word."""
    judged, codes = unit_features(text, reference)
    return dict(zip(judged.keys, codes[:, 0].tolist(), strict=True))


def alignment_of(text, reference=REFERENCE):
    """The alignment code of each word."""
    judged, codes = unit_features(text, reference)
    return dict(zip(judged.keys, codes[:, 1].tolist(), strict=True))


def test_match_codes_by_hand():
    # code = 1 + level + 3·left + 6·right; level 2 the word itself, 1 its stem, 0 absent
    result = match_of("Velmora was founding 1877 by Bob")
    assert result["velmora"] == 1 + 2 + 6  # "velmora was" stands there
    assert result["was"] == 1 + 2 + 3 + 6  # and "was found…"
    assert result["founding"] == 1 + 1 + 3  # only its stem, after "was"; "found… 1877" does not stand there
    assert result["1877"] == 1 + 2  # the number stands there, beside other words
    assert result["by"] == 1 + 2
    assert result["bob"] == 1


def test_characters_of_scripts_without_spaces_need_company():
    result = match_of("维尔莫市拉", "维尔莫拉镇始建于1912年。")
    assert result == {
        "维": 1 + 2 + 6,  # 维尔莫 stands there
        "尔": 1 + 2 + 3 + 6,
        "莫": 1 + 2 + 3,
        "市": 1,
        "拉": 1 + 1,  # the character alone
    }


def test_alignment_counts_the_shared_words_that_are_missing_where_a_word_stands():
    apart = "Velmora was founded in 1912 by Anna Brisk. It shows Glass. The museum of Tesk opened in 1877."
    # Shared: Anna, Brisk, Tesk, founded, Velmora. The other four stand with none of Tesk's; three of Brisk's
    # four others stand with Brisk.
    result = alignment_of("Anna Brisk of Tesk founded Velmora.", apart)
    assert result["tesk"] == 2 + 3 and result["brisk"] == result["velmora"] == 2
    # Shared: Velmora, founded, 1877: two stand with each other, the year alone.
    result = alignment_of("Velmora was founded in 1877.", apart)
    assert result["1877"] == 2 + 2 and result["velmora"] == result["founded"] == 2


def telling_of(text, reference=REFERENCE):
    """The telling code of each word."""
    judged, codes = unit_features(text, reference)
    return dict(zip(judged.keys, codes[:, 2].tolist(), strict=True))


def test_telling_counts_the_words_of_a_sentence_that_few_sentences_of_the_reference_hold():
    # three sentences: a word of one of them is telling. Velmora, founded, 1912 · shows · none; a word counts
    # once
    assert set(telling_of("In 1912 Velmora was founded there.").values()) == {1 + 3}
    result = telling_of("He shows nothing. Nobody sings. Tesk, Tesk!")
    assert (result["shows"], result["nothing"], result["sings"], result["tesk"]) == (2, 2, 1, 2)


def test_a_word_of_more_than_a_third_of_the_sentences_is_not_telling():
    # of six sentences two are a third: Tesk in two is telling, Velmora in three is not
    about = "Velmora is old. Velmora is big. Velmora has walls. Tesk is far. Tesk is low. It has bread."
    assert telling_of("Velmora!", about)["velmora"] == 1 and telling_of("Tesk!", about)["tesk"] == 2
    assert telling_of("Velmora has walls and bread.", about)["and"] == 1 + 2


def test_tokens_take_the_codes_of_their_word():
    offsets = np.array([[0, 3], [3, 7], [7, 7], [8, 9], [10, 14]])  # Vel mora (blank) . 1899
    result = token_features("Velmora . 1899", offsets, REFERENCE)
    assert result.tolist() == [[3, 2, 2], [3, 2, 2], [13, 1, 1], [13, 1, 1], [1, 1, 1]]
    assert token_features("Velmora", offsets[:2], REFERENCE, ["alignment"]).tolist() == [[2], [2]]
    assert token_features("Velmora", offsets[:2], REFERENCE, []).shape == (2, 0)


@pytest.mark.parametrize(
    ("text", "reference"),
    [("", ""), ("", REFERENCE), ("a. 1", ""), ("…", "…"), ("镇", "镇"), ("Tesk", "Tesk")],
)
def test_nothing_to_compare_is_no_mistake(text, reference):
    judged, codes = unit_features(text, reference)
    assert codes.shape == (len(judged.keys), len(SIZES))
    assert (codes >= 1).all() and (codes < np.array(list(SIZES.values()))).all()
