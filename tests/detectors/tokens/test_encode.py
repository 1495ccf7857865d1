import pytest
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from tests.detectors.tokens.small_networks import ANSWERS, REFERENCE, coder
from truerate.core.errors import TruerateError
from truerate.detectors.tokens.encode import Coder, pretrained_coder, tiny_coder


def test_what_looks_like_a_special_token_is_plain_text():
    code = tiny_coder([REFERENCE] * 3, 600)
    ((ids, _),) = code.encode(["<between> <start><pad>"])
    assert not {*code.start, *code.between, code.pad} & set(ids.tolist())


def test_a_coder_comes_back_from_disk(tmp_path):
    code = coder()
    code.save(tmp_path)
    repeated = Coder.load(tmp_path)
    assert (repeated.start, repeated.between, repeated.pad, repeated.n_words) == (
        code.start,
        code.between,
        code.pad,
        code.n_words,
    )
    texts = [*ANSWERS, "<start> x"]
    for (ids, offsets), (ids_again, offsets_again) in zip(
        code.encode(texts), repeated.encode(texts), strict=True
    ):
        assert ids.tolist() == ids_again.tolist() and offsets.tolist() == offsets_again.tolist()
    with pytest.raises(TruerateError, match="train the detector again"):
        Coder.load(tmp_path / "nowhere")


def test_a_backbone_brings_its_own_special_tokens(tmp_path):
    tokenizer = Tokenizer(
        models.WordLevel({"[PAD]": 0, "[CLS]": 1, "[SEP]": 2, "[UNK]": 3, "town": 4}, unk_token="[UNK]")
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, cls_token="[CLS]", sep_token="[SEP]", pad_token="[PAD]", unk_token="[UNK]"
    ).save_pretrained(tmp_path)
    code = pretrained_coder(str(tmp_path))
    assert (code.start, code.between, code.pad) == ((1,), (2,), 0)
    ((ids, offsets),) = code.encode(["a town"])
    assert ids.tolist() == [3, 4] and offsets.tolist() == [[0, 1], [2, 6]]


def test_an_uncased_vocabulary_loses_no_character_of_a_word(tmp_path):
    tokenizer = Tokenizer(
        models.WordPiece(
            {"[UNK]": 0, "n": 1, "##a": 2, "##h": 3, "e": 4, "[CLS]": 5, "[SEP]": 6}, unk_token="[UNK]"
        )
    )
    tokenizer.normalizer, tokenizer.pre_tokenizer = (
        normalizers.BertNormalizer(lowercase=True),
        pre_tokenizers.BertPreTokenizer(),
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, cls_token="[CLS]", sep_token="[SEP]", unk_token="[UNK]"
    ).save_pretrained(tmp_path)
    ((ids, offsets),) = pretrained_coder(str(tmp_path)).encode(["Na\u0308h e\u0301 \u00e9 \U0001f642\u7ef4"])
    assert ids.tolist() == [1, 2, 3, 4, 4, 0, 0]
    assert offsets.tolist() == [[0, 1], [1, 3], [3, 4], [5, 7], [8, 9], [10, 11], [11, 12]]
