"""A verifier that is an inference network: a tiny one of random weights, saved as the Hub has them."""

import json
import shutil

import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import BertConfig, BertForSequenceClassification, BertModel, PreTrainedTokenizerFast

from truerate.config import Detector, Entailer
from truerate.core.errors import TruerateError
from truerate.core.schemas import Judgement, validate
from truerate.detectors.entailment import Entailment, chosen, fitting, network, pieces

from .labelled_texts import contexts, samples

WORDS = "varn tesk is a town lies on the river sea old new in north south it has wall".split()
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
LABELS = {0: "CONTRADICTION", 1: "Entailment", 2: "neutral"}
FACTS = samples(
    [("Varn is a town", False), ("Tesk has a wall on the sea", True), ("It is old", False)], task="fact"
)
KNOWN = "Varn is a town in the north.\n\nTesk lies on the sea.\n\nIt has a new wall."


def saved(folder, labels=LABELS, head=True, **shape):
    """A network of two small layers whose weights are large enough to tell pairs apart, with a tokenizer of
    whole words.
    """
    vocabulary = {word: index for index, word in enumerate(SPECIAL + WORDS)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    names = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names).save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        id2label=labels,
        **shape,
    )
    built = BertForSequenceClassification(config) if head else BertModel(config)
    draws = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for weight in built.parameters():
            if weight.dim() > 1:
                weight.normal_(0, 0.25, generator=draws)
    built.save_pretrained(folder, safe_serialization=True)
    return str(folder)


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    return saved(tmp_path_factory.mktemp("nli"))


def detector(weights, **more):
    return Entailment("nli", Entailer(weights=weights, **({"max_tokens": 64} | more)))


def test_p_is_one_minus_the_best_passage(weights):
    values = detector(weights)
    judged = validate(
        Judgement,
        values.fit(FACTS, contexts(FACTS, KNOWN), 7).judge(FACTS, contexts(FACTS, KNOWN)),
        where="here",
    )
    asked = [[passage, text] for text in FACTS["text"] for passage in KNOWN.split("\n\n")]
    entailed = network(values.how).entailed(asked).reshape(3, 3)
    assert judged["p"].to_list() == pytest.approx((1 - entailed.max(axis=1)).tolist(), abs=1e-4)
    assert judged["verdict"].to_list() == [p >= 0.5 for p in judged["p"]]
    assert judged["target_id"].to_list() == FACTS["sample_id"].to_list()
    assert entailed.std() > 0.01, "the weights tell pairs apart, so the maximum is a choice"


def test_p_is_what_the_network_gives_each_pair_alone(weights):
    """Neither the batch nor the order changes it; the class is found by its name; the passage comes first."""
    model = BertForSequenceClassification.from_pretrained(weights).eval()
    tokenizer = PreTrainedTokenizerFast.from_pretrained(weights)
    pairs = [
        ["Varn lies in the north", "it is old"],
        ["it is old", "Varn lies in the north"],
        ["a", "the wall is new and on the river"],
    ]
    with torch.inference_mode():
        alone = [
            model(**tokenizer(*pair, return_tensors="pt")).logits.softmax(-1)[0, 1].item() for pair in pairs
        ]
    for batch in (1, 2, 32):
        assert network(Entailer(weights=weights, max_tokens=64, batch=batch)).entailed(
            pairs
        ) == pytest.approx(alone, abs=1e-5)
    assert abs(alone[0] - alone[1]) > 1e-3


# ---- bad weights -------------------------------------------------------------------------------------------


def refused(folder):
    with pytest.raises(TruerateError) as error:
        detector(str(folder)).fit(FACTS, contexts(FACTS), 7)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_weights_that_are_not_there(tmp_path):
    assert "name a Hub id or a folder with config.json" in refused(tmp_path / "absent")


def test_classes_without_names(tmp_path):
    result = refused(saved(tmp_path / "bare", labels={0: "LABEL_0", 1: "LABEL_1"}))
    assert "names the classes LABEL_0, LABEL_1; needed: entailment, neutral, contradiction" in result


def test_remote_code_is_never_run(weights, tmp_path):
    folder = shutil.copytree(weights, tmp_path / "remote")
    config = json.loads((folder / "config.json").read_text("utf-8"))
    config |= {
        "model_type": "own",
        "auto_map": {"AutoConfig": "own.Config", "AutoModelForSequenceClassification": "own.Model"},
    }
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    (folder / "own.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n", "utf-8")
    refused(folder)
    assert not (tmp_path / "ran").exists()


# ---- what is read ------------------------------------------------------------------------------------------


def test_the_passages_that_share_most_words_come_first():
    how = Entailer(weights="x", n_passages=2, max_tokens=64)
    assert chosen(
        "Tesk has a wall", "A sea.\n\nVarn has no wall.\n\nTesk has a wall.\n\n", how, by_letters
    ) == ["Tesk has a wall.", "Varn has no wall."]
    assert chosen("Tesk", "", how, by_letters) == []


def by_letters(texts):
    """A network whose every token is one letter: what words are cut into differs by language and vocabulary."""
    return [len(text) for text in texts]


def test_every_token_of_a_long_passage_is_read():
    how = Entailer(weights="x", n_passages=99, max_tokens=64)
    passage = "Donaudampfschiffe fuhren auf dem Strom und seinen Nebenfluessen. " * 5
    result = chosen("Tesk has a wall", passage, how, by_letters)
    assert sorted(" ".join(result).split()) == sorted(passage.split())
    assert max(map(len, result)) <= 64 - len("Tesk has a wall"), (
        "half of the window in words would be a piece of 230 letters"
    )
    assert chosen("Tesk", passage[:50], how, by_letters) == [passage[:50].strip()], "what fits is read whole"
    assert fitting(["Nebenfluessen " * 2, "x"], 5, by_letters) == ["Nebenfluessen", "Nebenfluessen", "x"], (
        "a word is not cut"
    )


def test_a_long_passage_is_read_in_pieces():
    assert pieces("one two three four five.", 2) == ["one two", "three four", "five."]
    assert pieces("…", 2) == ["…"]
    assert pieces("维尔莫拉", 2) == ["维尔", "莫拉"]


def test_settings_name_members_that_are_folded():
    expected = {
        "tracks": ("wildhallucinations",),
        "members": ("nli",),
        "entailment": {"nli": {"weights": "x"}},
    }
    assert Detector.model_validate(expected | {"folds": 2}).entailment["nli"].batch > 0
    with pytest.raises(ValueError, match="`entailment` needs `folds`"):
        Detector.model_validate(expected)
    with pytest.raises(ValueError, match="`entailment` names 'nli', no member"):
        Detector.model_validate(expected | {"folds": 2, "members": ()})
