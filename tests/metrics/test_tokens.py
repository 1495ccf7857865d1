"""The units of N and H_det."""

import numpy as np
import pytest

from tests.cases import case_table
from truerate.core.errors import TruerateError
from truerate.metrics import tokens
from truerate.metrics.tokens import (
    TokenCounts,
    flagged_rates,
    marked,
    offsets_by,
    seed_hr_est,
    token_counts,
    token_line,
    total,
    word_offsets,
)

CASES = case_table(__file__)


@pytest.mark.parametrize(("text", "tokens"), CASES["words"])
def test_words_of_every_script(text, tokens):
    assert [text[start:end] for start, end in word_offsets(text)] == tokens


def test_counts_by_hand():
    text = "one two three four"  # tokens 0–3, 4–7, 8–13, 14–18
    result = token_counts(word_offsets(text), gold=[(4, 13)], detected=[(12, 18), (0, 0)])
    assert result == TokenCounts(
        n=4, gold=2, detected=2, both=1
    )  # an overlap of one character counts, an empty span does not
    assert total([result, result]) == (8, 4, 4, 2) and total([]) == (0, 0, 0, 0)


def test_nothing_is_marked_in_nothing():
    assert marked([], [(0, 5)]).tolist() == []


def test_a_tokenizer_from_disk(tmp_path):
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    raw = Tokenizer(models.WordLevel({"[UNK]": 0, "one": 1}, unk_token="[UNK]"))
    raw.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    PreTrainedTokenizerFast(tokenizer_object=raw, unk_token="[UNK]").save_pretrained(tmp_path)
    assert offsets_by(str(tmp_path))("one, two") == [(0, 4), (5, 8)]


def test_a_tokenizer_that_is_not_there_or_gives_no_offsets_is_one_line(tmp_path):
    (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": "BertTokenizer"}')
    for index in (tmp_path, tmp_path / "none"):
        with pytest.raises(
            TruerateError, match="name 'words', a Hub id, or a folder with tokenizer.json"
        ) as answer:
            offsets_by(str(index))
        assert "\n" not in str(answer.value)


# ---- token scores ------------------------------------------------------------------------------------------
TEXTS = ["one two three", "", "四月 五", "six"]
LINE = token_line(TEXTS, word_offsets)


def spans(*result: tuple[int, int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return tuple(np.array(part, dtype=int) for part in zip(*result, strict=True))


def test_a_line_says_what_each_text_says():
    result = [(0, 2, 5), (0, 8, 8), (2, 1, 4), (3, 0, 1)]
    whole = LINE.marked(*spans(*result))
    each = [
        marked(word_offsets(text), [(start, end) for index, start, end in result if index == at])
        for at, text in enumerate(TEXTS)
    ]
    assert whole.tolist() == np.concatenate(each).tolist() == [True, True, False, False, True, True, True]
    assert LINE.sizes.tolist() == [3, 0, 3, 1] and LINE.per_text(whole).tolist() == [2, 0, 2, 1]


def test_spans_do_not_reach_the_next_text():
    assert LINE.marked(*spans((0, 8, 13))).tolist() == [False, False, True, False, False, False, False]
    assert LINE.marked(*spans((0, 3, 4))).sum() == 0  # white space alone


def test_the_highest_value_of_the_spans_on_a_token_stays():
    # one, two, three; 四, 月, 五; six: .7 and then .3 on "two", 一 span over 月 and 五, an empty one, one on a
    # blank
    result = spans((0, 4, 7), (0, 2, 5), (2, 1, 4), (3, 1, 1), (0, 3, 4))
    values = np.array([70, 30, 20, 90, 90], dtype=np.int8)
    highest = LINE.highest(*result, values)
    assert highest.tolist() == [30, 70, 0, 0, 20, 20, 0] and highest.dtype == np.int8
    assert LINE.highest(*(part[:0] for part in result), values[:0]).tolist() == [0] * 7


def test_the_tokens_of_some_texts_stand_one_text_after_the_other():
    places, text = LINE.tokens_of(np.array([2, 1, 0, 2]))  # 3, 0, 3 and again 3 tokens
    assert places.tolist() == [3, 4, 5, 0, 1, 2, 3, 4, 5]
    assert text.tolist() == [0, 0, 0, 2, 2, 2, 3, 3, 3]
    assert [part.tolist() for part in LINE.tokens_of(np.zeros(0, dtype=int))] == [[], []]


def test_kinds_per_text():
    kinds, keep = np.array([1, 2, 2, 0, 1, 1, 2]), np.array([True, True, False, True, True, True, True])
    assert LINE.per_kind(kinds, keep, 2).tolist() == [[1, 1], [0, 0], [2, 0], [0, 1]]


def test_no_texts():
    empty = token_line([], word_offsets)
    assert empty.sizes.tolist() == [] and empty.per_text(np.zeros(0)).tolist() == []


def test_scores_of_totals():
    totals = np.array([100.0, 20, 10, 8])  # n, gold, detected, both
    assert tokens.precision(totals) == 0.8 and tokens.recall(totals) == 0.4
    assert tokens.f1(totals) == pytest.approx(16 / 30) and tokens.false_positive_rate(totals) == 2 / 80


def test_scores_by_type_by_hand():
    # two types: gold, detected at all, detected as this type, right by type
    totals = np.array([[10.0, 8, 6, 5], [4, 1, 2, 1]])
    assert tokens.recall_of_type(totals).tolist() == [8 / 10, 1 / 4]
    assert tokens.f1_of_type(totals).tolist() == [2 * 5 / 16, 2 * 1 / 6]
    assert tokens.f1_typed(totals) == 2 * 6 / 22


# ---- token rates -------------------------------------------------------------------------------------------
def test_the_raw_rate_of_each_seed():
    # three replies, two seeds: 3 and 9 of 40 tokens; a seed that judged nothing has no rate
    counts = np.array([[[1, 10], [3, 10]], [[2, 10], [2, 10]], [[0, 20], [4, 20]]], dtype=float)
    assert flagged_rates(counts.sum(axis=0)).tolist() == [3 / 40, 9 / 40]
    assert np.isnan(flagged_rates(np.zeros((1, 2)))).all()


def test_hr_est_of_a_seed_by_hand():
    # precision 11/14, recall 11/16; 3 of 40 flagged → 11/14 · 3 / (11/16 · 40)
    assert seed_hr_est(np.array([80.0, 16, 14, 11]), np.array([3.0, 40])) == pytest.approx(16 / 14 * 3 / 40)
    assert seed_hr_est(np.array([10.0, 0, 2, 0]), np.array([1.0, 10])) is None
