import polars as pl

from truerate.core.schemas import SPANS
from truerate.detectors.tokens.span_probabilities import BINARY
from truerate.detectors.tokens.word_features import NAMES, passages_of, word_features

REFERENCE = "Lyon lies on the Rhone. It has two hills."


def features(text: str, reference: str = REFERENCE) -> dict[str, list[float]]:
    """The features of each word by name."""
    rows = {"text": [text], "reference": [reference], "spans": [[]]}
    table = pl.DataFrame(rows, schema_overrides={"spans": SPANS})
    return dict(zip(NAMES, word_features(passages_of(table, BINARY)).T.tolist(), strict=True))


def test_each_word_by_hand():
    # held: Lyon, has, the, Rhone · absent: Wolves, guard, 12, gates
    result = features("Lyon has, Wolves guard 12 gates. The Rhone")
    assert result["characters"] == [4, 3, 6, 5, 2, 5, 3, 5]
    assert result["has_digit"] == [0, 0, 0, 0, 1, 0, 0, 0]
    assert result["is_capital"] == [1, 0, 1, 0, 0, 0, 1, 1]
    assert result["place"] == list(range(8)) and set(result["words"]) == {8}
    assert result["place_in_sentence"] == [0, 1, 2, 3, 4, 5, 0, 1]
    assert result["sentence_words"] == [6] * 6 + [2] * 2
    assert result["sentence_share"] == [2 / 6] * 6 + [1] * 2 and set(result["text_share"]) == {4 / 8}
    assert result["run"] == [0, 0, 4, 4, 4, 4, 0, 0]
    assert result["after_punctuation"] == [0, 0, 1, 0, 0, 0, 1, 0]
    # of the first word: itself and three behind it, two of them held; of the sixth: three before, two behind
    assert (result["share_within_3"][0], result["share_within_3"][5]) == (2 / 4, 2 / 6)
    assert set(result["share_within_8"]) == set(result["share_within_20"]) == {4 / 8}


def test_a_script_without_spaces_has_its_characters_as_words():
    result = features("城门由龙守护。里昂位于河畔。", "里昂位于罗讷河畔。")
    assert result["characters"] == [1] * 12
    assert result["sentence_words"] == [6] * 12 and result["place_in_sentence"] == [*range(6)] * 2
    assert result["sentence_share"] == [0] * 6 + [1] * 6 and result["run"] == [6] * 6 + [0] * 6
