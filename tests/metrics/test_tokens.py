"""The units of N and H_det."""

import pytest

from truerate.core.errors import TruerateError
from truerate.metrics.tokens import TokenCounts, marked, offsets_by, token_counts, total, word_offsets


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Don't stop, 3.5 km!", ["Don", "t", "stop", "3", "5", "km"]),
        ("我在北京 2024年", ["我", "在", "北", "京", "2024", "年"]),
        ("東京タワーへ", ["東", "京", "タ", "ワ", "ー", "へ"]),
        ("العَرَبيّة لغة", ["العَرَبيّة", "لغة"]),  # vowel marks belong to their word
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("ที่นี่", ["ที่", "นี่"]),
        ("", []),
        ("… !", []),
    ],
)
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
