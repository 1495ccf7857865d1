import json
from types import SimpleNamespace

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoConfig, AutoModel

from tests.detectors.tokens import small_networks as small
from truerate.core.errors import TruerateError
from truerate.detectors.tokens.family import mark_texts
from truerate.detectors.tokens.pretrained import DetectorConfig, TokenDetector
from truerate.detectors.tokens.span_probabilities import CATEGORY
from truerate.hub.release import checksums, sha256

torch.set_num_threads(1)
LONG = " ".join(["Velmora lies on the Tola."] * 30)  # more than one window of 128


def published(network, folder):
    """A folder in the published form: the config of the body inside one of our own type."""
    network.save(folder)
    body = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({"model_type": DetectorConfig.model_type, "body": body}))
    return folder


def equal(some, others):
    return len(some) == len(others) and all(torch.equal(a, b) for a, b in zip(some, others, strict=True))


@pytest.mark.parametrize("kind", small.CONFIGS)
def test_a_detector_gives_the_logits_it_gave_before_it_was_saved(kind, tmp_path):
    network = small.network(kind)
    before = TokenDetector(network).logits(small.ANSWERS, small.REFERENCE)
    network.save(tmp_path / "trained")
    for folder in (tmp_path / "trained", published(network, tmp_path / "published")):
        detector = TokenDetector.from_pretrained(folder)
        assert equal(before, detector.logits(small.ANSWERS, small.REFERENCE))
        assert (detector.labels, detector.network.n_parameters) == (CATEGORY, network.n_parameters)
    assert len({tuple(rows.flatten().tolist()) for rows in before}) == len(before)  # they tell answers apart
    scored = small.scored(network)
    assert all((torch.softmax(rows, -1).numpy() == p).all() for rows, p in zip(before, scored, strict=True))


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
    spans = TokenDetector.from_pretrained(cell / "network").mark(text, small.REFERENCE)
    assert spans == by_cell and bool(spans) == bool(text.strip())
    assert all(0 <= span["start"] < span["end"] <= len(text) for span in spans)


@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.999999])
def test_what_is_marked_are_whole_words_above_the_threshold(threshold):
    text = small.ANSWERS[0]
    detector = TokenDetector(small.network(), threshold)
    spans = detector.marked(text, small.REFERENCE)
    edges = {0, len(text)} | {
        index for index in range(1, len(text)) if not text[index - 1 : index + 1].isalnum()
    }
    assert all(span["p"] > threshold and {span["start"], span["end"]} <= edges for span in spans)
    assert bool(spans) == any(piece["p"] > threshold for piece in detector.mark(text, small.REFERENCE))


def test_the_threshold_is_that_of_its_settings_or_of_the_training_beside_it(tmp_path):
    cell = tmp_path / "small/multi-binary-42"
    small.network().save(cell / "network")
    (cell / "facts.json").write_text('{"is_fitted": true, "validation": {"threshold": 0.365}}')
    assert TokenDetector.from_pretrained(cell / "network").threshold == 0.365
    settings = json.loads((cell / "network/network.json").read_text())
    (cell / "network/network.json").write_text(json.dumps({**settings, "threshold": 0.2}))
    assert TokenDetector.from_pretrained(cell / "network").threshold == 0.2
    small.network().save(cell / "elsewhere")
    assert TokenDetector.from_pretrained(cell / "elsewhere").threshold == 0.5


def test_logits_of_long_of_empty_and_of_no_answers():
    network = small.network(max_tokens=128)
    detector = TokenDetector(network)
    empty, long = detector.logits(["", LONG], small.REFERENCE)
    assert empty.shape == (0, len(CATEGORY))
    assert len(long) == len(network.coder.encode([LONG])[0][0]) > 128
    assert detector.logits([], "reference") == []
    before = detector.logits(["Tola"], "reference")
    assert equal(before, detector.train().logits(["Tola"], "reference"))
    with pytest.raises(TruerateError, match="give a list of texts"):
        detector.logits("Tola", "reference")


def test_automodel_gives_the_detector_itself(tmp_path):
    network = small.network("bert", "full")
    folder = published(network, tmp_path)
    loaded = AutoModel.from_pretrained(folder)
    assert isinstance(loaded, TokenDetector) and not loaded.training
    texts = (small.ANSWERS, small.REFERENCE)
    assert equal(loaded(*texts), TokenDetector(network).logits(*texts))
    assert AutoConfig.from_pretrained(folder).body["model_type"] == "bert"
    with pytest.raises(TypeError, match="'dtype' is not known"):
        AutoModel.from_pretrained(folder, dtype="float16")  # not taken in silence


# ---- what is not there, or damaged -------------------------------------------------------------------------
def one_line(folder, **options):
    """The error of a detector that cannot be loaded: one line that names it."""
    with pytest.raises(TruerateError) as error:
        TokenDetector.from_pretrained(folder, **options)
    assert "\n" not in str(error.value) and len(str(error.value)) < 400
    return str(error.value)


def test_what_is_no_detector_is_one_line(tmp_path):
    assert "no token detector in it" in one_line(tmp_path)
    assert "neither a folder nor the name of a repository" in one_line(tmp_path / "nowhere")
    assert "no revision 'v1'" in one_line(tmp_path, revision="v1")


BAD_BODIES = [
    {"model_type": "llama"},
    {"model_type": "nothing"},
    {},
    {"model_type": "llama", "hidden_size": "many"},
]
DAMAGE = [
    *(
        (name, content)
        for name in ("model.safetensors", "network.json", "config.json")
        for content in (b"", b"nothing", b"\xff\xfe{}", b"[]", b"{}", None)
    ),
    *(
        ("config.json", json.dumps({"model_type": DetectorConfig.model_type, "body": body}).encode())
        for body in BAD_BODIES
    ),
]


@pytest.mark.parametrize(("name", "content"), DAMAGE)
def test_a_damaged_file_is_one_line(tmp_path, name, content):
    folder = published(small.network(), tmp_path)
    if content is None:
        torch.save({}, folder / "pytorch_model.bin")  # a pickle is read of no folder
        (folder / name).unlink()
    else:
        (folder / name).write_bytes(content)
    words = one_line(folder)
    assert "damaged" in words or "network.json is missing" in words


def test_weights_of_another_network_or_with_a_flipped_byte_are_refused(tmp_path):
    folder = published(small.network(), tmp_path)
    (folder / "SHA256SUMS").write_text(checksums({path.name: sha256(path) for path in folder.iterdir()}))
    TokenDetector.from_pretrained(folder)
    content = bytearray((folder / "model.safetensors").read_bytes())
    content[-1] ^= 1
    (folder / "model.safetensors").write_bytes(content)
    assert "model.safetensors is not what was published" in one_line(folder)
    (folder / "SHA256SUMS").unlink()
    state = load_file(folder / "model.safetensors")
    bodies = {name: value for name, value in state.items() if not name.startswith("head")}
    save_file(bodies, folder / "model.safetensors")
    assert "another network" in one_line(folder)
