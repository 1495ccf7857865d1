import numpy as np
import pytest
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
from transformers import BertConfig, PreTrainedTokenizerFast

from tests.detectors.tokens.small_networks import ANSWERS, REFERENCE, backbone, coder, passages
from truerate.core.errors import TruerateError
from truerate.detectors.tokens.encode import (
    Coder,
    cut_rate,
    groups_of,
    pretrained_coder,
    stream_groups,
    tiny_coder,
    train_tokenizer,
)
from truerate.detectors.tokens.labels import BINARY


def test_the_same_texts_in_any_order_give_the_same_tokenizer():
    texts = [REFERENCE, *ANSWERS] * 2
    assert train_tokenizer(texts, 600).to_str() == train_tokenizer(reversed(texts), 600).to_str()


def test_digits_and_chinese_characters_stand_alone():
    ((_, offsets),) = tiny_coder(["in 1912", "始建于1912年"] * 9, 600).encode(["in 1912始建于"])
    assert offsets.tolist() == [[0, 2], [3, 4], [4, 5], [5, 6], [6, 7], [7, 8], [8, 9], [9, 10]]


def test_what_looks_like_a_special_token_is_plain_text():
    code = tiny_coder([REFERENCE] * 3, 600)
    ((ids, _),) = code.encode(["<between> <start><pad>"])
    assert not {*code.start, *code.between, code.pad} & set(ids.tolist())


def test_a_coder_comes_back_from_disk(tmp_path):
    code = coder()
    code.save(tmp_path)
    again = Coder.load(tmp_path)
    assert (again.start, again.between, again.pad, again.n_words) == (
        code.start,
        code.between,
        code.pad,
        code.n_words,
    )
    texts = [*ANSWERS, "<start> x"]
    for (ids, offsets), (ids_again, offsets_again) in zip(
        code.encode(texts), again.encode(texts), strict=True
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


def test_a_folder_without_a_tokenizer_is_refused(tmp_path):
    BertConfig().save_pretrained(tmp_path)
    with pytest.raises(TruerateError, match="no vocabulary is there .* a folder that holds tokenizer.json"):
        pretrained_coder(str(tmp_path))


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


def test_a_tokenizer_that_is_not_there_is_one_line(tmp_path):
    with pytest.raises(TruerateError, match="tokenizer of backbone .*nowhere") as said:
        pretrained_coder(str(tmp_path / "nowhere"))
    assert "\n" not in str(said.value)


def test_answers_are_grouped_by_reference_in_order():
    frame = passages(["b1"], "B").vstack(passages(["a1", "", "a2"], "A")).vstack(passages(["b2"], "B"))
    found = groups_of(frame, coder(), backbone(), BINARY)
    assert [len(group.answers) for group in found] == [2, 2]  # the empty text has no token
    assert [answer.target_id for answer in found[1].answers] == ["t0", "t2"]
    assert found[0].reference_ids[0] == coder().start[0] and found[0].reference_ids[-1] == coder().between[0]


def test_labels_and_features_stand_beside_the_tokens():
    spans = {0: [{"start": 23, "end": 27, "type": "entity", "p": None}]}  # 1899
    ((group),) = groups_of(passages(spans=spans), coder(), backbone(), BINARY)
    answer = group.answers[0]
    assert [
        ANSWERS[0][a:b] for (a, b), label in zip(answer.offsets, answer.labels, strict=True) if label == 1
    ] == list("1899")
    assert answer.features.shape == (len(answer.ids), 3)
    ((bare),) = groups_of(passages(), coder(), backbone(features=()), BINARY)
    assert bare.answers[0].features.shape == (len(answer.ids), 0)


def test_the_reference_gives_way_before_the_answer_is_cut():
    code = coder()
    texts, window = (
        [" Tola" * 30, " Tola" * 3],
        64,
    )  # 30 and 3 tokens, one per word; the reference has far more than 64
    found = groups_of(passages(texts, REFERENCE * 4), code, backbone(max_tokens=window), BINARY)
    for group in found:
        assert all(answer.n_chunks == 1 for answer in group.answers)
        assert all(len(group.reference_ids) + len(answer.ids) <= window for answer in group.answers)
    assert [len(group.reference_ids) for group in found] == [
        64 - 32,
        64 - 8,
    ]  # the window less the next eighth


def test_what_a_window_leaves_out_of_references_is_counted():
    code, texts = coder(), passages(["Tola", "Tola lies there."], REFERENCE * 4)
    n = len(code.encode([REFERENCE * 4])[0][0])
    wide, narrow = (groups_of(texts, code, backbone(max_tokens=size), BINARY) for size in (n + 200, 64))
    assert [one.n_left_out for one in wide] == [0] and cut_rate(wide) == 0
    around = len(code.start) + len(code.between)
    assert all(one.n_left_out == n + around - len(one.reference_ids) > 0 for one in narrow)
    assert cut_rate(narrow) == 1 and cut_rate([*wide, *narrow]) == 1 / 2 and cut_rate([]) is None


def test_a_long_answer_is_cut_into_equal_chunks_and_nothing_is_lost():
    code, text = coder(), "Tola lies. " * 40
    ((group),) = groups_of(passages([text], REFERENCE * 4), code, backbone(max_tokens=64), BINARY)
    ((ids, offsets),) = code.encode([text])
    assert np.concatenate([answer.ids for answer in group.answers]).tolist() == ids.tolist()
    assert np.concatenate([answer.offsets for answer in group.answers]).tolist() == offsets.tolist()
    sizes = [len(answer.ids) for answer in group.answers]
    assert (
        max(sizes) <= 31 and max(sizes) - min(sizes) <= 1
    )  # half of the window less the two tokens around the reference
    assert [(answer.chunk, answer.n_chunks) for answer in group.answers] == [
        (i, len(sizes)) for i in range(len(sizes))
    ]
    assert len(group.reference_ids) + max(sizes) <= 64


def test_a_short_reference_leaves_the_answer_its_room():
    ((group),) = groups_of(passages(["Tola " * 50], "Tola"), coder(), backbone(max_tokens=64), BINARY)
    assert group.answers[0].n_chunks == 1


def test_how_an_answer_is_cut_does_not_depend_on_others():
    code, settings = coder(), backbone(max_tokens=64)
    texts = ["Tola " * n for n in (3, 20, 29, 45, 90)]
    together = stream_groups(passages(texts, REFERENCE * 4), code, settings, BINARY)
    whole = {
        (answer.target_id, answer.chunk): (len(group.reference_ids), answer.ids.tolist())
        for group in together
        for answer in group.answers
    }
    for place, text in enumerate(texts):
        for group in stream_groups(passages([text], REFERENCE * 4), code, settings, BINARY):
            for answer in group.answers:
                assert whole[f"t{place}", answer.chunk] == (len(group.reference_ids), answer.ids.tolist())


def test_a_text_without_reference_is_read_alone():
    ((group),) = groups_of(passages(["Tola"], ""), coder(), backbone(), BINARY)
    assert len(group.reference_ids) == 2
