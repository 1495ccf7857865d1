import json
import shutil

import polars as pl
import pytest
from safetensors.torch import load_file, save_file

from truerate.core.errors import TruerateError
from truerate.metrics.similarity import bert_score, chrf, least_similar, mean_pairwise


def test_chrf_is_symmetric_and_bounded():
    same, one_way, other_way, nothing = chrf(
        [("", ""), ("the cat", "the cat sat"), ("the cat sat", "the cat"), ("abc", "xyz")]
    )
    assert same == 1 and one_way == other_way and 0.3 < one_way < 1 and nothing == 0


def test_mean_over_all_pairs_by_hand():
    # measure: 1 where the first letters agree. (ab, ac, bc): 1 of 3 pairs; a single text has no pair
    def first_letter(pairs):
        return [float(a[0] == b[0]) for a, b in pairs]

    assert mean_pairwise([["ab", "ac", "bc"], ["only"], []], first_letter) == [1 / 3, None, None]


def test_least_similar_does_not_depend_on_row_order():
    rows = pl.DataFrame({"item_id": ["d", "b", "a", "c"], "similarity": [0.2, 0.1, 0.1, None]})
    assert least_similar(rows, 2) == least_similar(rows.reverse(), 2) == ["a", "b"]
    assert least_similar(rows, 9) == ["a", "b", "d"]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    """A random encoder of two layers over a few words, saved to disk."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    torch.set_num_threads(1)
    torch.manual_seed(1)
    folder = tmp_path_factory.mktemp("encoder")
    vocabulary = {
        word: i
        for i, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "paris", "rome", "is", "big", "small"])
    }
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
    )
    fast.save_pretrained(folder)
    size = {"hidden_size": 16, "intermediate_size": 32, "num_attention_heads": 2, "num_hidden_layers": 2}
    BertModel(BertConfig(vocab_size=len(vocabulary), **size)).save_pretrained(folder)
    assert json.loads((folder / "config.json").read_text())["model_type"] == "bert"
    return str(folder)


def test_bert_score_of_equal_and_disjoint_texts(encoder):
    measure = bert_score(encoder, layer=2)
    same, near, empty = measure(
        [("paris is big", "paris is big"), ("paris is big", "rome is small"), ("", "paris")]
    )
    assert same == 1.0 and -1 <= near < 1 and empty == 0.0


def test_bert_score_of_word_vectors_by_hand(encoder):
    """Layer 0 without position would be plain word vectors: greedy matching is then checked against a direct
    computation.
    """
    import torch
    from transformers import AutoModel, AutoTokenizer

    first, second = "paris is big", "rome is"
    tokenizer, model = AutoTokenizer.from_pretrained(encoder), AutoModel.from_pretrained(encoder).eval()
    with torch.inference_mode():
        a, b = (
            model(**tokenizer(t, return_tensors="pt"), output_hidden_states=True).hidden_states[1][0, 1:-1]
            for t in (first, second)
        )
    cosine = torch.tensor([[torch.nn.functional.cosine_similarity(x, y, dim=0) for y in b] for x in a])
    p, r = cosine.max(1).values.mean().item(), cosine.max(0).values.mean().item()
    assert bert_score(encoder, layer=1)([(first, second)])[0] == pytest.approx(2 * p * r / (p + r), abs=1e-5)


def test_batches_do_not_change_scores(encoder):
    pairs = [("paris is big", "rome"), ("small", "rome is small is big"), ("is", "paris is")]
    assert bert_score(encoder, layer=2, batch_size=1)(pairs) == pytest.approx(
        bert_score(encoder, layer=2, batch_size=8)(pairs), abs=1e-5
    )


def test_a_layer_that_is_not_there(encoder):
    with pytest.raises(IndexError):
        bert_score(encoder, layer=9)([("paris", "rome")])


def test_an_encoder_that_is_not_whole_is_one_line(encoder, tmp_path):
    shutil.copytree(encoder, tmp_path / "cut")
    state = load_file(tmp_path / "cut" / "model.safetensors")
    save_file(
        {name: value for name, value in state.items() if "layer.1" not in name},
        tmp_path / "cut" / "model.safetensors",
    )
    for folder, what in (("cut", "no weights for"), ("none", "encoder")):
        with pytest.raises(TruerateError, match=what) as said:
            bert_score(str(tmp_path / folder), layer=1)
        assert "\n" not in str(said.value)
