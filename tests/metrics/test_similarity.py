"""chrF within groups, means over pairs, and the queries that are least alike."""

import json
import random
import shutil
from itertools import combinations

import polars as pl
import pytest
from sacrebleu.metrics import CHRF
from safetensors.torch import load_file, save_file

from truerate.config.blocks import Encoder
from truerate.core.errors import TruerateError
from truerate.metrics.similarity import (
    LAYERS,
    batches,
    bert_score,
    chrf,
    least_similar,
    mean_pairwise,
    measure_of,
    published_layer,
)


def test_chrf_is_symmetric_and_bounded():
    ((same,), (one_way,), (other_way,), (nothing,), (short,)) = chrf(
        [("", ""), ("the cat", "the cat sat"), ("the cat sat", "the cat"), ("abc", "xyz"), ("a", "")]
    )
    assert same == 1 and one_way == other_way and 0.3 < one_way < 1 and nothing == short == 0


def test_chrf_is_sacrebleus_mean_of_both_directions():
    group = ["Lisbon, on the Tagus.", "It is  Lisbon\non the Tagus", "ab", "Ja!", "", "北京在北方", "北京"]
    peer = CHRF()

    def item(a: str, b: str) -> float:
        return (peer.sentence_score(a, [b]).score + peer.sentence_score(b, [a]).score) / 200

    (ours,) = chrf([group])
    assert [round(value, 12) for value in ours] == [round(item(*pair), 12) for pair in combinations(group, 2)]


def test_mean_over_all_pairs_by_hand():
    # measure: 1 where the first letters agree. (ab, ac, bc): 1 of 3 pairs; a single text has no pair
    def first_letter(groups):
        return [[float(a[0] == b[0]) for a, b in combinations(group, 2)] for group in groups]

    assert mean_pairwise([["ab", "ac", "bc"], ["only"], []], first_letter) == [1 / 3, None, None]


def test_least_similar_does_not_depend_on_row_order():
    rows = pl.DataFrame({"item_id": ["d", "b", "a", "c"], "similarity": [0.2, 0.1, 0.1, None]})
    assert least_similar(rows, 2) == least_similar(rows.reverse(), 2) == ["a", "b"]
    assert least_similar(rows, 9) == ["a", "b", "d"]


# ---- measures ----------------------------------------------------------------------------------------------
def test_chrf_by_its_name():
    assert measure_of("chrf") is chrf


@pytest.mark.parametrize("named", ["no/where", Encoder(model="no/where", layer=2, baseline=0.8)])
def test_an_encoder_that_is_not_there(named, hub_here):
    with pytest.raises(TruerateError, match="no/where"):
        measure_of(named)


# ---- bertscore ---------------------------------------------------------------------------------------------
WORDS = ["paris", "rome", "is", "big", "small"]


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


def by_hand(encoder: str, first: str, second: str, layer: int) -> float:
    """F1 text by text, without batches: special tokens can be met and are not counted, as in the authors'
    code.
    """
    import torch
    from transformers import AutoModel, AutoTokenizer

    if first == second:
        return 1.0
    tokenizer, model = AutoTokenizer.from_pretrained(encoder), AutoModel.from_pretrained(encoder).eval()
    with torch.inference_mode():
        a, b = (
            model(**tokenizer(text, return_tensors="pt"), output_hidden_states=True).hidden_states[layer][0]
            for text in (first, second)
        )
    cosine = torch.nn.functional.cosine_similarity(a[:, None], b[None], dim=-1)
    p, r = cosine[1:-1].max(1).values.mean().item(), cosine[:, 1:-1].max(0).values.mean().item()
    return 2 * p * r / (p + r)


def texts(n: int) -> list[str]:
    draw = random.Random(3)
    return [" ".join(draw.choices(WORDS, k=draw.randint(1, 9))) for _ in range(n)]


@pytest.mark.parametrize("layer", [0, 1, 2])
def test_it_equals_a_direct_computation_in_every_layer(encoder, layer):
    groups = [texts(12)[start : start + 3] for start in range(0, 12, 3)]
    result = bert_score(encoder, layer=layer, token_budget=40)(groups)
    for group, values in zip(groups, result, strict=True):
        direct = [by_hand(encoder, *pair, layer) for pair in combinations(group, 2)]
        assert values == pytest.approx(direct, abs=1e-5)


def test_texts_without_tokens_and_groups_without_a_pair(encoder):
    result = bert_score(encoder)([["paris is big", "paris is big"], ["", "paris"], ["", ""], ["rome"], []])
    assert result == [[1.0], [0.0], [1.0], [], []]
    assert bert_score(encoder)([]) == [] and bert_score(encoder)([["rome"]]) == [[]]


def test_batches_do_not_change_scores(encoder):
    groups = [texts(20)[start : start + 4] for start in range(0, 20, 4)]
    apart, together = (bert_score(encoder, token_budget=budget)(groups) for budget in (1, 10_000))
    for element, other in zip(apart, together, strict=True):
        assert element == pytest.approx(other, abs=1e-5)


def test_a_batch_holds_no_more_than_the_budget_and_texts_of_like_length():
    lengths = [[3, 4], [9, 2], [5], [], [4, 4, 4], [30, 30]]  # of a budget of 20: 4x(2+3) fit, 9 x 2 alone
    assert list(batches(lengths, 20)) == [[0, 4], [1], [5]]


def test_rescaling_by_hand(encoder):
    pair = [["paris is", "rome"]]
    ((plain,),), ((scaled,),) = bert_score(encoder)(pair), bert_score(encoder, baseline=0.2)(pair)
    assert scaled == pytest.approx((plain - 0.2) / 0.8)


def test_the_layer_is_the_published_one_else_the_last():
    expected = [
        "roberta-large",
        "FacebookAI/roberta-large",
        "microsoft/deberta-xlarge-mnli",
        "me/roberta-large",
    ]
    assert [published_layer(name) for name in expected] == [17, 17, 40, -1]
    assert all(layer > 0 for layer in LAYERS.values())


def test_a_layer_that_is_not_there_is_one_line(encoder):
    with pytest.raises(TruerateError, match=r"no hidden layer 9; allowed: 0 \(embeddings\) to 2"):
        bert_score(encoder, layer=9)


def test_an_encoder_that_is_not_whole_is_one_line(encoder, tmp_path):
    shutil.copytree(encoder, tmp_path / "cut")
    state = load_file(tmp_path / "cut" / "model.safetensors")
    save_file(
        {name: value for name, value in state.items() if "layer.1" not in name},
        tmp_path / "cut" / "model.safetensors",
    )
    for folder, what in (("cut", "no weights for"), ("none", "encoder")):
        with pytest.raises(TruerateError, match=what) as answer:
            bert_score(str(tmp_path / folder))
        assert "\n" not in str(answer.value)
