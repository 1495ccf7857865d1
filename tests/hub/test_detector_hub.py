"""Detectors on the loopback Hub: published by our own publisher, read by the real clients."""

import pytest
import torch
from transformers import AutoModelForTokenClassification, AutoTokenizer, LlamaConfig, LlamaModel

from tests.detectors.tokens import small_networks as small
from tests.hub.detectors_made import facts_of
from truerate.core.errors import TruerateError
from truerate.detectors.tokens.network import build
from truerate.detectors.tokens.pretrained import TokenDetector
from truerate.detectors.tokens.span_probabilities import BINARY
from truerate.hub.detector import detector_draft as draft_of
from truerate.hub.push import publish
from truerate.hub.release import Target

torch.set_num_threads(1)
REPO = "org/small"


def put(network, folder, tag):
    """Publish a network of random weights."""
    draft = draft_of(facts_of(network, folder), repo=REPO)
    return publish(
        draft,
        Target(REPO, "model", tag=tag),
        dry_run=False,
        check=lambda files: None,
        say=lambda line: None,
        today="2026-11-22",
    )


def logits(detector):
    return torch.cat(detector.logits(small.ANSWERS, small.REFERENCE))


@pytest.fixture
def two(hub_here, tmp_path):
    """Two networks of other weights: the first at tag v1.0, the second on main."""
    first, second = small.network(), small.network()
    with torch.no_grad():
        second.head.weight.mul_(-1)
    put(first, tmp_path / "first", "v1.0")
    put(second, tmp_path / "second", "v2.0")
    return first, second


def test_a_tag_gives_the_logits_it_was_published_with_when_main_has_moved_on(hub_here, two):
    first, second = (logits(TokenDetector(entry)) for entry in two)
    assert torch.equal(logits(TokenDetector.from_pretrained(REPO, revision="v1.0")), first)
    assert torch.equal(logits(TokenDetector.from_pretrained(REPO)), second) and not torch.equal(first, second)
    commit = hub_here.tags(REPO, kind="model")["v1.0"]
    assert torch.equal(logits(AutoModelForTokenClassification.from_pretrained(REPO, revision=commit)), first)
    tokenizer = AutoTokenizer.from_pretrained(REPO, revision="v1.0")
    for text, (ids, _) in zip(small.ANSWERS, two[0].coder.encode(small.ANSWERS), strict=True):
        assert tokenizer(text)["input_ids"] == ids.tolist()


def test_only_what_is_read_is_downloaded_and_read_again_offline(hub_here, two, tmp_path):
    hub_here.requests.clear()
    TokenDetector.from_pretrained(REPO, revision="v1.0", cache_dir=tmp_path / "cache")
    asked = {path.rsplit("/", 1)[-1] for method, path, _ in hub_here.requests if "/resolve/" in path}
    assert asked == {
        "config.json", "network.json", "coder.json", "tokenizer.json", "model.safetensors", "SHA256SUMS",
    }  # fmt: skip
    hub_here.requests.clear()
    repeated = TokenDetector.from_pretrained(
        REPO, revision="v1.0", cache_dir=tmp_path / "cache", local_files_only=True
    )
    assert torch.equal(logits(repeated), logits(TokenDetector(two[0]))) and not hub_here.requests


def test_adapters_fetch_their_backbone_at_its_pinned_commit(hub_here, tmp_path):
    shape = {"num_hidden_layers": 2, "num_key_value_heads": 2, "max_position_embeddings": 600}
    body = LlamaModel(LlamaConfig(vocab_size=small.coder().n_words, **shape, **small.SIZE))
    commit = uploaded(hub_here, body, tmp_path / "body")
    settings = small.backbone(
        weights="org/body", revision=commit, lora={"r": 4, "alpha": 8, "dropout": 0.05}, mask="full"
    )
    network = build(settings, BINARY, small.coder(), 0)
    with torch.no_grad():
        for weight in network.trainable():
            weight.normal_(0, 0.2)
    before = logits(TokenDetector(network))
    put(network, tmp_path / "adapters", "v1.0")
    with torch.no_grad():
        body.embed_tokens.weight.zero_()
    assert uploaded(hub_here, body, tmp_path / "body") != commit  # the backbone has moved on
    assert torch.equal(logits(TokenDetector.from_pretrained(REPO, revision="v1.0")), before)
    assert f"fetched at revision {commit}" in hub_here.files(REPO, kind="model")["README.md"].decode()


def uploaded(hub, body, folder):
    """A backbone that somebody else publishes; its commit."""
    body.save_pretrained(folder)
    return hub.put_repo("org/body", "model", {path.name: path.read_bytes() for path in folder.iterdir()})


def one_line(repo, **options):
    with pytest.raises(TruerateError) as error:
        TokenDetector.from_pretrained(repo, **options)
    assert "\n" not in str(error.value) and repo in str(error.value)
    return str(error.value)


def test_what_the_hub_does_not_have_is_one_line(hub_here, two, tmp_path):
    hub_here.put_repo("org/other", "model", {"README.md": b"# nothing\n"})
    assert "no such repository" in one_line("org/nothing")
    assert "no revision 'v9'" in one_line(REPO, revision="v9")
    assert "no token detector in it" in one_line("org/other")
    assert "nothing of it is in the cache" in one_line(
        REPO, local_files_only=True, cache_dir=tmp_path / "empty"
    )


def test_private_and_gated_repositories_need_a_token(hub_here, two, tmp_path, monkeypatch):
    assert hub_here.is_private(REPO, kind="model")
    hub_here.put_repo("stranger/gated", "model", {"network.json": b"{}"}, gated=True)
    assert "grant access" in one_line("stranger/gated")
    monkeypatch.delenv("HF_TOKEN")
    assert "HF_TOKEN does not open it" in one_line(REPO, revision="v1.0", cache_dir=tmp_path / "cache")
    assert TokenDetector.from_pretrained(
        REPO, revision="v1.0", token=hub_here.read_token, cache_dir=tmp_path / "cache"
    ).labels


def test_a_damaged_download_is_found(hub_here, two, tmp_path):
    hub_here.fault(method="GET", path=r".*coder\.json|.*/[0-9a-f]{64}.*", kind="corrupt", times=9)
    assert "is not what was published" in one_line(REPO, revision="v1.0", cache_dir=tmp_path / "cache")
    hub_here.faults.clear()
    assert TokenDetector.from_pretrained(
        REPO, revision="v1.0", cache_dir=tmp_path / "cache", force_download=True
    ).labels


def test_a_hub_that_does_not_answer_is_one_line(hub_here, two, brisk, tmp_path):
    hub_here.fault(method="GET", path=r"network\.json", kind="error", times=None)
    assert "try again" in one_line(REPO, revision="v1.0", cache_dir=tmp_path / "cache")
    hub_here.stop()
    assert "nothing of it is in the cache" in one_line(REPO, revision="v1.0", cache_dir=tmp_path / "other")
