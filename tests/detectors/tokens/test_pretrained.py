import json
from types import SimpleNamespace

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoConfig, AutoModel, LlamaConfig, LlamaModel

from tests.detectors.tokens import small_networks as small
from truerate.core.errors import TruerateError
from truerate.detectors.tokens.family import mark_texts
from truerate.detectors.tokens.labels import BINARY, CATEGORY
from truerate.detectors.tokens.network import build, load
from truerate.detectors.tokens.pretrained import DetectorConfig, TokenDetector
from truerate.detectors.tokens.strategies import score_group

torch.set_num_threads(1)
KINDS = list(small.CONFIGS)
LONG = " ".join(["Velmora lies on the Tola."] * 30)  # more than one window of 128


def published(network, folder):
    """A folder in the published form: the config of the body inside one of our own type."""
    network.save(folder)
    body = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({"model_type": DetectorConfig.model_type, "body": body}))
    return folder


def equal(some, others):
    return len(some) == len(others) and all(torch.equal(a, b) for a, b in zip(some, others, strict=True))


@pytest.mark.parametrize("kind", KINDS)
def test_a_detector_gives_the_logits_it_gave_before_it_was_saved(kind, tmp_path):
    network = small.network(kind)
    before = TokenDetector(network).logits(small.ANSWERS, small.REFERENCE)
    network.save(tmp_path / "trained")
    for folder in (tmp_path / "trained", published(network, tmp_path / "published")):
        detector = TokenDetector.from_pretrained(folder)
        assert equal(before, detector.logits(small.ANSWERS, small.REFERENCE))
        assert (detector.labels, detector.n_parameters) == (CATEGORY, network.n_parameters)
    assert len({tuple(one.flatten().tolist()) for one in before}) == len(
        before
    )  # and they tell answers apart


def test_logits_are_those_that_scoring_turns_into_probabilities(tmp_path):
    network = small.network()
    scored = score_group(network, small.group(network))
    logits = TokenDetector(network).logits(small.ANSWERS, small.REFERENCE)
    assert all((torch.softmax(one, -1).numpy() == p).all() for one, p in zip(logits, scored, strict=True))


@pytest.mark.parametrize("text", [small.ANSWERS[0], small.ANSWERS[2], LONG, "  ", ""])
@pytest.mark.parametrize("mask", ["prefix", "full"])
def test_it_marks_what_a_trained_cell_marks(tmp_path, mask, text):
    network = small.network(mask=mask, max_tokens=128)
    cell = tmp_path / "small" / "multi-category-42"
    network.save(cell / "network")
    (cell / "facts.json").write_text('{"is_fitted": true}')
    params = SimpleNamespace(backbones={"small": network.backbone})
    pairs = [(text, small.REFERENCE)]
    (by_cell,) = mark_texts("small", pairs, params, folder=tmp_path, wanted=("multi", "category"))
    detector = TokenDetector.from_pretrained(cell / "network")
    marked = detector.mark(text, small.REFERENCE)
    assert marked == by_cell and bool(marked) == bool(text.strip())
    assert all(0 <= one["start"] < one["end"] <= len(text) for one in marked)


@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.999999])
def test_what_is_marked_are_whole_words_above_the_threshold(threshold):
    text = small.ANSWERS[0]
    detector = TokenDetector(small.network(), threshold)
    spans = detector.marked(text, small.REFERENCE)
    edges = {0, len(text)} | {
        place for place in range(1, len(text)) if not text[place - 1 : place + 1].isalnum()
    }
    assert all(span["p"] > threshold and {span["start"], span["end"]} <= edges for span in spans)
    above = [piece for piece in detector.mark(text, small.REFERENCE) if piece["p"] > threshold]
    assert bool(spans) == bool(above)


def test_a_detector_as_trained_marks_from_the_threshold_that_its_training_chose(tmp_path):
    cell = tmp_path / "small/multi-binary-42"
    small.network().save(cell / "network")
    (cell / "facts.json").write_text('{"is_fitted": true, "validation": {"threshold": 0.365}}')
    assert TokenDetector.from_pretrained(cell / "network").threshold == 0.365
    # a published folder says so itself, whatever stands beside it; one that says nothing marks above one half
    settings = json.loads((cell / "network/network.json").read_text())
    (cell / "network/network.json").write_text(json.dumps({**settings, "threshold": 0.2}))
    assert TokenDetector.from_pretrained(cell / "network").threshold == 0.2
    small.network().save(cell / "elsewhere")
    assert TokenDetector.from_pretrained(cell / "elsewhere").threshold == 0.5


def test_a_long_answer_has_one_row_per_token():
    network = small.network(max_tokens=128)
    (logits,) = TokenDetector(network).logits([LONG], small.REFERENCE)
    assert len(logits) == len(network.coder.encode([LONG])[0][0]) > 128


def test_no_answer_and_an_empty_one_have_no_logits():
    detector = TokenDetector(small.network())
    assert detector.logits([], "reference") == []
    (empty, other) = detector.logits(["", "Tola"], "reference")
    assert empty.shape == (0, len(CATEGORY)) and len(other)
    assert equal([other], detector.train().logits(["Tola"], "reference"))
    with pytest.raises(TruerateError, match="give a list of texts"):
        detector.logits("Tola", "reference")


def test_automodel_gives_the_detector_itself(tmp_path):
    network = small.network("bert", "full")
    folder = published(network, tmp_path)
    found = AutoModel.from_pretrained(folder)
    assert isinstance(found, TokenDetector) and not found.training
    assert equal(
        found(small.ANSWERS, small.REFERENCE), TokenDetector(network).logits(small.ANSWERS, small.REFERENCE)
    )
    assert AutoConfig.from_pretrained(folder).body["model_type"] == "bert"
    with pytest.raises(TypeError, match="'dtype' is not known"):
        AutoModel.from_pretrained(folder, dtype="float16")  # not taken in silence


def test_adapters_load_beside_a_backbone_in_a_folder(tmp_path):
    shape = {"num_hidden_layers": 2, "num_key_value_heads": 2, "max_position_embeddings": 600}
    LlamaModel(LlamaConfig(vocab_size=small.coder().n_words, **shape, **small.SIZE)).save_pretrained(
        tmp_path / "backbone"
    )
    settings = small.backbone(
        weights=str(tmp_path / "backbone"), lora={"r": 4, "alpha": 8, "dropout": 0.05}, mask="full"
    )
    network = build(settings, BINARY, small.coder(), 0)
    with torch.no_grad():
        for weight in network.trainable():
            weight.normal_(0, 0.2)
    network.save(tmp_path / "adapters")
    detector = TokenDetector.from_pretrained(tmp_path / "adapters")
    assert equal(
        detector.logits(small.ANSWERS, small.REFERENCE),
        TokenDetector(network).logits(small.ANSWERS, small.REFERENCE),
    )


def test_the_body_is_built_as_training_read_it(tmp_path):
    small.network("modernbert").save(tmp_path)
    ours, theirs = (
        TokenDetector.from_pretrained(tmp_path).network.body.config.to_dict(),
        load(tmp_path).body.config.to_dict(),
    )
    assert {**ours, "_name_or_path": ""} == {**theirs, "_name_or_path": ""}


# ---- what is not there, or damaged -------------------------------------------------------------------------
def one_line(place, **options):
    """The error of a detector that cannot be loaded: one line that names it."""
    with pytest.raises(TruerateError) as found:
        TokenDetector.from_pretrained(place, **options)
    said = str(found.value)
    assert "\n" not in said and len(said) < 400
    return said


def test_what_is_no_detector_is_one_line(tmp_path):
    assert "no token detector in it" in one_line(tmp_path)
    assert "neither a folder nor the name of a repository" in one_line(tmp_path / "nowhere")
    assert "no revision 'v1'" in one_line(tmp_path, revision="v1")


@pytest.mark.parametrize("name", ["model.safetensors", "network.json", "config.json"])
@pytest.mark.parametrize("content", [b"", b"nothing", b"\xff\xfe{}", b"[]", b"{}", None])
def test_a_damaged_file_is_one_line(tmp_path, name, content):
    folder = published(small.network(), tmp_path)
    (folder / name).unlink() if content is None else (folder / name).write_bytes(content)
    said = one_line(folder)
    assert "damaged" in said or "network.json is missing" in said


@pytest.mark.parametrize(
    "body",
    [{"model_type": "llama"}, {"model_type": "nothing"}, {}, {"model_type": "llama", "hidden_size": "many"}],
)
def test_a_body_that_does_not_fit_is_one_line(tmp_path, body):
    folder = published(small.network(), tmp_path)
    (folder / "config.json").write_text(json.dumps({"model_type": DetectorConfig.model_type, "body": body}))
    assert "it is damaged" in one_line(folder)


def test_weights_of_another_network_are_refused(tmp_path):
    folder = published(small.network(), tmp_path)
    state = load_file(folder / "model.safetensors")
    save_file(
        {name: value for name, value in state.items() if not name.startswith("head")},
        folder / "model.safetensors",
    )
    assert "another network" in one_line(folder)


def test_a_flipped_byte_is_found_by_the_checksums(tmp_path):
    from truerate.hub.release import checksums

    folder = published(small.network(), tmp_path)
    (folder / "SHA256SUMS").write_text(checksums({path.name: path for path in folder.iterdir()}))
    TokenDetector.from_pretrained(folder)
    content = bytearray((folder / "model.safetensors").read_bytes())
    content[-1] ^= 1
    (folder / "model.safetensors").write_bytes(content)
    assert "model.safetensors is not what was published" in one_line(folder)


def test_nothing_is_read_from_pickles(tmp_path):
    folder = published(small.network(), tmp_path)
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    assert "damaged" in one_line(folder)
