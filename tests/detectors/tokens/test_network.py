import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
import torch
from transformers import BertConfig, BertModel, DebertaV2Config, DebertaV2Model, LlamaConfig, LlamaModel

from tests.detectors.tokens import small_networks as small
from truerate.core.errors import TruerateError
from truerate.detectors.tokens.network import build, load
from truerate.detectors.tokens.pretrained import TokenDetector
from truerate.detectors.tokens.rows import collate, rows_of
from truerate.detectors.tokens.span_probabilities import BINARY
from truerate.detectors.tokens.train import readings
from truerate.detectors.tokens.validate import agreement

torch.set_num_threads(1)
KINDS = list(small.CONFIGS)
MANY_WINDOWS = small.REFERENCE * 4
TEXTS = ["Tola lies there.", "Tesk was founded in 1877. " * 12]  # the second is read in chunks


def batch_of(network, texts=small.ANSWERS):
    return collate(list(rows_of(small.group(network, texts), network.mask)), network.coder.pad)


def logits(network, texts, answer):
    """Logits of one of the answers that stand in one row with the others (`full`: in a row of its own)."""
    batch = batch_of(network, texts)
    with torch.no_grad():
        whole = network(batch)
    row, segment = (answer, 1) if network.mask == "full" else (0, answer + 1)
    return whole[row][batch.segments[row] == segment]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("mask", "is_moved"), [("full", True), ("prefix", True), ("causal", False)])
def test_a_future_token_moves_an_earlier_logit_unless_causal_and_no_other_answer_does(kind, mask, is_moved):
    network = small.network(kind, mask, features=())
    before, after, beside = (
        logits(network, [other, f"Velmora lies on the {word}"], 1)
        for other, word in (("Tola", "Tola"), ("Tola", "Tesk"), ("Tesk 1899 😀 and more", "Tola"))
    )
    assert ((before[:3] - after[:3]).abs().max() > 1e-3) == is_moved
    assert (before - beside).abs().max() < 1e-5


@pytest.mark.parametrize("kind", KINDS)
def test_padding_changes_nothing(kind):
    network = small.network(kind, "full")
    short, long = rows_of(small.group(network, ["Tola", "Velmora was founded in 1912 by the river"]), "full")
    with torch.no_grad():
        alone, beside = network(collate([short], 0)), network(collate([short, long], 0))
    assert (alone[0] - beside[0, : short.n_tokens]).abs().max() < 1e-5


def test_word_dropout_leaves_out_the_words_of_answers_in_training_alone():
    network = small.network(word_dropout=1.0)
    batch = batch_of(network)
    places = (batch.segments > 0, batch.segments == 0)
    other_answers, other_reference = (replace(batch, ids=torch.where(part, 5, batch.ids)) for part in places)
    with torch.no_grad():
        scored, otherwise = network(batch), network(other_answers)
        fitted, *changed = (network.train()(item) for item in (batch, other_answers, other_reference))
    assert (scored - otherwise).abs().max() > 1e-3
    assert torch.equal(fitted, changed[0]) and (fitted - changed[1]).abs().max() > 1e-3


def test_chosen_tokens_have_their_logits_and_features_reach_the_output():
    network = small.network()
    batch = batch_of(network)
    chosen = batch.labels != -100
    with torch.no_grad():
        whole = network(batch)
        assert (whole[chosen] - network(batch, chosen)).abs().max() < 1e-6
        bare = replace(batch, features=torch.zeros_like(batch.features))
        assert (whole - network(bare)).abs().max() > 1e-2


def test_the_tiny_network_has_about_a_million_weights_and_its_seed_decides_them():
    first, same, other = (build(small.backbone(), BINARY, small.coder(), seed) for seed in (1, 1, 2))
    assert 7e5 < first.n_parameters < 1.5e6
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), same.parameters(), strict=True))
    assert not torch.equal(first.head.weight, other.head.weight)


@pytest.mark.parametrize("kind", KINDS)
def test_a_network_comes_back_from_disk(kind, tmp_path):
    network = small.network(kind)
    network.save(tmp_path)
    loaded = load(tmp_path)
    assert loaded.labels == network.labels and loaded.backbone == network.backbone
    assert not [file for file in tmp_path.iterdir() if file.suffix in (".bin", ".pt", ".pkl")]
    assert all(map(np.array_equal, small.scored(network), small.scored(loaded)))


# ---- references that are longer than the window ------------------------------------------------------------
@pytest.fixture(scope="module")
def narrow():
    return small.network(max_tokens=64)


@pytest.mark.parametrize("windows", [None, 1])
def test_each_token_is_read_beside_windows_and_takes_the_least_suspicious(narrow, windows):
    how = narrow.backbone.model_copy(update={"windows": windows})
    by_target = dict(readings(narrow, small.passages(TEXTS, MANY_WINDOWS), how))
    for index, text in enumerate(TEXTS):
        by_chunk: dict[int, list[np.ndarray]] = {}
        for group in small.groups_of(small.passages([text], MANY_WINDOWS), narrow.coder, how, narrow.labels):
            for answer, p in zip(group.answers, small.scored(narrow, group), strict=True):
                by_chunk.setdefault(answer.chunk, []).append(1 - p[:, 0])
        least = [np.min(by_chunk[chunk], axis=0) for chunk in sorted(by_chunk)]
        reading = by_target[f"t{index}"]
        np.testing.assert_allclose(reading.p, np.concatenate(least), atol=1e-5)
        assert reading.n_windows > 3 and reading.n_unread == (reading.n_windows - 1 if windows else 0)
        assert {len(parts) for parts in by_chunk.values()} == {reading.n_read}


def test_evaluation_in_training_counts_every_token_and_a_text_that_fits_has_one_window(narrow):
    how = (narrow.coder, narrow.backbone, narrow.labels)
    groups = small.groups_of(small.passages(TEXTS, MANY_WINDOWS), *how, is_training=True)
    n_labelled = sum((answer.labels >= 0).sum() for group in groups for answer in group.answers)
    assert len(agreement(narrow, groups, narrow.backbone).p) == n_labelled > 60
    ((_, reading),) = readings(narrow, small.passages(TEXTS[:1], "Tola"), narrow.backbone)
    assert reading.n_windows == 1


def test_a_loaded_detector_reads_the_same(narrow, tmp_path):
    narrow.save(tmp_path)
    by_target = dict(readings(narrow, small.passages(TEXTS, MANY_WINDOWS), narrow.backbone))
    for index, rows in enumerate(TokenDetector.from_pretrained(tmp_path).logits(TEXTS, MANY_WINDOWS)):
        p = 1 - torch.softmax(rows, dim=-1).numpy()[:, 0]
        np.testing.assert_allclose(p, by_target[f"t{index}"].p, atol=1e-5)


# ---- weights of others -------------------------------------------------------------------------------------
LAYERS = {"vocab_size": 20, "num_hidden_layers": 1, "max_position_embeddings": 600, **small.SIZE}


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    """A small decoder on disk."""
    folder = tmp_path_factory.mktemp("weights")
    shape = {"num_hidden_layers": 2, "num_key_value_heads": 2, "max_position_embeddings": 600}
    LlamaModel(LlamaConfig(vocab_size=small.coder().n_words, **shape, **small.SIZE)).save_pretrained(folder)
    return folder


def built(folder, **changes):
    return build(small.backbone(weights=str(folder), **changes), BINARY, small.coder(), 0)


def test_adapters_train_on_all_linear_layers_beside_a_frozen_backbone(weights, tmp_path):
    network = built(weights, lora={"r": 4, "alpha": 8, "dropout": 0.05}, mask="full")
    trained = {name for name, value in network.named_parameters() if value.requires_grad}
    layers = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
    assert trained == {
        f"body.layers.{index}.{block}.{layer}.lora_{side}.default.weight"
        for index in range(2)
        for block, named in {"self_attn": layers[:4], "mlp": layers[4:]}.items()
        for layer in named
        for side in "AB"
    } | {"head.weight", "head.bias", "told.match.weight", "told.alignment.weight", "told.telling.weight"}
    with torch.no_grad():
        for weight in network.trainable():
            weight.normal_(0, 0.2)
    network.save(tmp_path)
    assert (tmp_path / "model.safetensors").stat().st_size < 200_000  # the backbone is named, not copied
    for loaded in (load(tmp_path), TokenDetector.from_pretrained(tmp_path).network):
        assert all(map(np.array_equal, small.scored(network), small.scored(loaded)))


def test_checkpointing_gives_the_same_gradients(weights):
    network = built(weights, lora={"r": 2, "alpha": 2, "dropout": 0.0})
    batch, gradients = batch_of(network), []
    for is_kept in (False, True):
        if is_kept:
            network.checkpointing()
        network.train()
        network.zero_grad()
        network(batch).square().mean().backward()
        gradients.append([weight.grad.clone() for weight in network.trainable() if weight.grad is not None])
    assert all(torch.allclose(a, b, atol=1e-6) for a, b in zip(*gradients, strict=True))


def changed(weights, folder, content=None, **config):
    """A copy of weights on disk whose config.json, or whose weights, are others."""
    shutil.copytree(weights, folder)
    values = json.loads((folder / "config.json").read_text("utf-8"))
    (folder / "config.json").write_text(json.dumps(values | config), "utf-8")
    if content is not None:
        (folder / "model.safetensors").write_bytes(content)


def pickled(weights, folder):
    config = LlamaConfig(num_key_value_heads=2, **LAYERS)
    config.save_pretrained(folder)
    torch.save(LlamaModel(config).state_dict(), folder / "pytorch_model.bin")


def with_code(weights, folder):
    folder.mkdir()
    config = {"model_type": "own", "auto_map": {"AutoConfig": "own.Config"}}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "own.py").write_text("raise SystemExit('ran')\n")


HINT = "name a Hub id or a folder with config.json and *.safetensors"
REFUSED = {
    "nowhere": (lambda weights, folder: None, HINT),
    "pickles": (pickled, "safetensors"),
    "remote code": (with_code, "backbone"),
    "layers without weights": (
        lambda weights, folder: changed(weights, folder, num_hidden_layers=3),
        "no weights for layers.2.input_layernorm.weight, layers.2.mlp.down_proj.weight, "
        "layers.2.mlp.gate_proj.weight and 6 more; ",
    ),
    "another shape": (
        lambda weights, folder: changed(weights, folder, vocab_size=5),
        "not the shapes that its config.json names: embed_tokens.weight",
    ),
    "half of the weights": (
        lambda weights, folder: changed(weights, folder, (weights / "model.safetensors").read_bytes()[:999]),
        HINT,
    ),
    "a pointer of git": (lambda weights, folder: changed(weights, folder, b"version https://git-lfs"), HINT),
    "attention of its own": (
        lambda weights, folder: DebertaV2Model(DebertaV2Config(**LAYERS)).save_pretrained(folder),
        "deberta-v2 brings attention of its own",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_backbone_that_cannot_be_used_is_one_line(weights, tmp_path, name, capfd):
    make, words = REFUSED[name]
    make(weights, tmp_path / "made")
    capfd.readouterr()
    with pytest.raises(TruerateError) as error:
        built(tmp_path / "made")
    assert words in str(error.value) and "\n" not in str(error.value)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"max_tokens": 4096}, "sees 600 tokens; lower its max_tokens, 4096"),
        ({"quantise": "4bit"}, "needs bitsandbytes"),
        ({"lora": {"r": 2, "alpha": 2, "dropout": 0}}, "needs peft"),
        ({"mask": "full", "strategy": "packed"}, "strategy packed: under mask full"),
    ],
)
def test_settings_that_cannot_be_are_one_line(weights, monkeypatch, changes, words):
    monkeypatch.setattr("truerate.detectors.tokens.backbones.find_spec", lambda name: None)
    with pytest.raises(TruerateError, match=words):
        built(weights, **changes)


def test_a_pooler_may_lack_its_weights(tmp_path):
    config = BertConfig(**(LAYERS | {"vocab_size": small.coder().n_words}))
    BertModel(config, add_pooling_layer=False).save_pretrained(tmp_path)
    assert built(tmp_path).n_parameters
