import json
import shutil
from dataclasses import replace

import pytest
import torch
from transformers import BertConfig, BertModel, DebertaV2Config, DebertaV2Model, LlamaConfig, LlamaModel

from tests.detectors.tokens import small_networks as small
from truerate.core.errors import TruerateError
from truerate.detectors.tokens.labels import BINARY
from truerate.detectors.tokens.masks import collate, rows_of
from truerate.detectors.tokens.network import build, load
from truerate.detectors.tokens.strategies import score_group

torch.set_num_threads(1)
KINDS = list(small.CONFIGS)


def logits(network, texts, answer):
    """Logits of one of the answers that stand in one row with the others (`full`: in a row of its own)."""
    rows = rows_of(small.group(network, texts), network.mask)
    batch = collate(rows, network.coder.pad)
    with torch.no_grad():
        found = network(batch)
    row = answer if network.mask == "full" else 0
    return found[row][batch.segments[row] == (1 if network.mask == "full" else answer + 1)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("mask", "is_moved"), [("full", True), ("prefix", True), ("causal", False)])
def test_a_future_token_moves_an_earlier_logit_unless_causal(kind, mask, is_moved):
    network = small.network(kind, mask, features=())
    before, after = (
        logits(network, ["Velmora lies on the Tola", f"Velmora lies on the {word}"], 1)
        for word in ("Tola", "Tesk")
    )
    assert ((before[:3] - after[:3]).abs().max() > 1e-3) == is_moved


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mask", ["prefix", "causal", "full"])
def test_changing_one_answer_does_not_move_another(kind, mask):
    network = small.network(kind, mask)
    before = logits(network, ["Velmora was founded", "It lies on the Tola", "No"], 0)
    after = logits(network, ["Velmora was founded", "Tesk Tesk 1899 😀 and more", "No"], 0)
    assert (before - after).abs().max() < 1e-5


@pytest.mark.parametrize("kind", KINDS)
def test_padding_changes_nothing(kind):
    network = small.network(kind, "full")
    short, long = rows_of(small.group(network, ["Tola", "Velmora was founded in 1912 by the river"]), "full")
    with torch.no_grad():
        alone, beside = network(collate([short], 0)), network(collate([short, long], 0))
    assert (alone[0] - beside[0, : short.n_tokens]).abs().max() < 1e-5


def test_word_dropout_leaves_out_the_words_of_answers_in_training_alone():
    network = small.network(word_dropout=1.0)
    batch = collate(rows_of(small.group(network), "prefix"), 0)
    places = (batch.segments > 0, batch.segments == 0)
    other_answers, other_reference = (replace(batch, ids=torch.where(one, 5, batch.ids)) for one in places)
    with torch.no_grad():
        scored, otherwise = network(batch), network(other_answers)
        learned, *changed = (network.train()(one) for one in (batch, other_answers, other_reference))
    assert (scored - otherwise).abs().max() > 1e-3
    assert torch.equal(learned, changed[0]) and (learned - changed[1]).abs().max() > 1e-3


def test_chosen_tokens_have_the_logits_they_have_among_all():
    network = small.network()
    batch = collate(rows_of(small.group(network), "prefix"), 0)
    chosen = batch.labels != -100
    with torch.no_grad():
        assert (network(batch)[chosen] - network(batch, chosen)).abs().max() < 1e-6


def test_features_reach_the_output():
    network = small.network()
    batch = collate(rows_of(small.group(network), "prefix"), 0)
    bare = type(batch)(
        batch.ids, torch.zeros_like(batch.features), batch.positions, batch.segments, batch.labels
    )
    with torch.no_grad():
        assert (network(batch) - network(bare)).abs().max() > 1e-2


def test_the_tiny_network_has_about_a_million_weights_and_its_seed_decides_them():
    first, same, other = (build(small.backbone(), BINARY, small.coder(), seed) for seed in (1, 1, 2))
    assert 7e5 < first.n_parameters < 1.5e6
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), same.parameters(), strict=True))
    assert not torch.equal(first.head.weight, other.head.weight)


@pytest.mark.parametrize("kind", KINDS)
def test_a_network_comes_back_from_disk(kind, tmp_path):
    network = small.network(kind)
    network.save(tmp_path)
    again = load(tmp_path)
    assert again.labels == network.labels and again.backbone == network.backbone
    assert not [file for file in tmp_path.iterdir() if file.suffix in (".bin", ".pt", ".pkl")]
    group = small.group(network)
    for one, other in zip(score_group(network, group), score_group(again, group), strict=True):
        assert (one == other).all()


def test_a_damaged_detector_is_one_line(tmp_path):
    small.network().save(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"nothing")
    with pytest.raises(TruerateError, match="train it again"):
        load(tmp_path)
    with pytest.raises(TruerateError, match="train it again"):
        load(tmp_path / "nowhere")


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    """A small decoder on disk."""
    folder = tmp_path_factory.mktemp("weights")
    shape = {"num_hidden_layers": 2, "num_key_value_heads": 2, "max_position_embeddings": 600}
    config = LlamaConfig(vocab_size=small.coder().n_words, **shape, **small.SIZE)
    LlamaModel(config).save_pretrained(folder)
    return str(folder)


def test_adapters_train_on_all_linear_layers_beside_a_frozen_backbone(weights, tmp_path):
    settings = small.backbone(weights=weights, lora={"r": 4, "alpha": 8, "dropout": 0.05}, mask="full")
    network = build(settings, BINARY, small.coder(), 0)
    trained = {name for name, value in network.named_parameters() if value.requires_grad}
    layers = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
    part = {"self_attn": layers[:4], "mlp": layers[4:]}
    assert trained == {
        f"body.layers.{place}.{block}.{layer}.lora_{side}.default.weight"
        for place in range(2)
        for block, named in part.items()
        for layer in named
        for side in "AB"
    } | {"head.weight", "head.bias", "told.match.weight", "told.alignment.weight", "told.telling.weight"}
    with torch.no_grad():
        for weight in network.trainable():
            weight.normal_(0, 0.2)
    network.save(tmp_path)
    again = load(tmp_path)
    group = small.group(network)
    assert all(
        (a == b).all() for a, b in zip(score_group(network, group), score_group(again, group), strict=True)
    )
    assert (tmp_path / "model.safetensors").stat().st_size < 200_000  # the backbone is named, not copied


def test_checkpointing_gives_the_same_gradients(weights):
    network = build(
        small.backbone(weights=weights, lora={"r": 2, "alpha": 2, "dropout": 0.0}), BINARY, small.coder(), 0
    )
    batch, found = collate(rows_of(small.group(network), "prefix"), 0), []
    for is_kept in (False, True):
        if is_kept:
            network.checkpointing()
        network.train()
        network.zero_grad()
        network(batch).square().mean().backward()
        found.append([weight.grad.clone() for weight in network.trainable() if weight.grad is not None])
    assert all(torch.allclose(a, b, atol=1e-6) for a, b in zip(*found, strict=True))


def test_a_backbone_that_is_not_there_is_one_line(tmp_path):
    with pytest.raises(TruerateError, match="backbone .*nowhere") as said:
        build(small.backbone(weights=str(tmp_path / "nowhere")), BINARY, small.coder(), 0)
    assert "\n" not in str(said.value)


def test_pickled_weights_are_refused(tmp_path):
    config = LlamaConfig(
        vocab_size=20, num_hidden_layers=1, num_key_value_heads=2, max_position_embeddings=600, **small.SIZE
    )
    config.save_pretrained(tmp_path)
    torch.save(LlamaModel(config).state_dict(), tmp_path / "pytorch_model.bin")
    with pytest.raises(TruerateError, match="safetensors"):
        build(small.backbone(weights=str(tmp_path)), BINARY, small.coder(), 0)


def changed(weights, folder, **config):
    """A copy of weights on disk whose config.json says something else."""
    shutil.copytree(weights, folder)
    told = json.loads((folder / "config.json").read_text("utf-8"))
    (folder / "config.json").write_text(json.dumps(told | config), "utf-8")
    return folder


def refused(folder):
    with pytest.raises(TruerateError) as said:
        build(small.backbone(weights=str(folder)), BINARY, small.coder(), 0)
    assert "\n" not in str(said.value)
    return str(said.value)


def test_layers_without_weights_are_refused(weights, tmp_path, capfd):
    """They would be drawn at random, and frozen under adapters."""
    found = refused(changed(weights, tmp_path / "deeper", num_hidden_layers=3))
    assert (
        "no weights for layers.2.input_layernorm.weight, layers.2.mlp.down_proj.weight, layers.2.mlp.gate_proj.weight"
        in found
        and " and 6 more; " in found
    )
    assert capfd.readouterr() == ("", "")


def test_weights_of_another_shape_are_refused(weights, tmp_path):
    assert "not the shapes that its config.json names: embed_tokens.weight" in refused(
        changed(weights, tmp_path / "v", vocab_size=5)
    )


def test_damaged_weights_are_one_line(weights, tmp_path):
    folder = changed(weights, tmp_path / "cut")
    whole = (folder / "model.safetensors").read_bytes()
    for held in (whole[: len(whole) // 2], b"version https://git-lfs.github.com/spec/v1\n"):
        (folder / "model.safetensors").write_bytes(held)
        assert "name a Hub id or a folder with config.json and *.safetensors" in refused(folder)


def test_a_pooler_may_lack_its_weights(tmp_path):
    config = BertConfig(
        vocab_size=small.coder().n_words, num_hidden_layers=1, max_position_embeddings=600, **small.SIZE
    )
    BertModel(config, add_pooling_layer=False).save_pretrained(tmp_path)
    assert build(small.backbone(weights=str(tmp_path)), BINARY, small.coder(), 0).n_parameters


def test_a_window_beyond_the_backbones_is_refused(weights):
    with pytest.raises(TruerateError, match="sees 600 tokens; lower its max_tokens, 4096"):
        build(small.backbone(weights=weights, max_tokens=4096), BINARY, small.coder(), 0)


def test_four_bits_without_the_library_are_one_line(weights, monkeypatch):
    monkeypatch.setattr("truerate.detectors.tokens.backbones.find_spec", lambda name: None)
    with pytest.raises(TruerateError, match="needs bitsandbytes"):
        build(small.backbone(weights=weights, quantise="4bit"), BINARY, small.coder(), 0)
    with pytest.raises(TruerateError, match="needs peft"):
        build(
            small.backbone(weights=weights, lora={"r": 2, "alpha": 2, "dropout": 0}), BINARY, small.coder(), 0
        )


def test_a_backbone_with_attention_of_its_own_is_refused(tmp_path):
    config = DebertaV2Config(vocab_size=20, num_hidden_layers=1, max_position_embeddings=600, **small.SIZE)
    DebertaV2Model(config).save_pretrained(tmp_path)
    with pytest.raises(TruerateError, match="deberta-v2 brings attention of its own"):
        build(small.backbone(weights=str(tmp_path)), BINARY, small.coder(), 0)


def test_a_strategy_that_the_mask_forbids_is_refused_before_training():
    with pytest.raises(TruerateError, match="strategy packed: under mask full"):
        build(small.backbone(mask="full", strategy="packed"), BINARY, small.coder(), 0)


def test_code_beside_weights_is_never_run(tmp_path):
    (tmp_path / "config.json").write_text(
        json.dumps({"model_type": "own", "auto_map": {"AutoConfig": "own.Config"}})
    )
    (tmp_path / "own.py").write_text("raise SystemExit('ran')\n")
    with pytest.raises(TruerateError, match="backbone"):
        build(small.backbone(weights=str(tmp_path)), BINARY, small.coder(), 0)
