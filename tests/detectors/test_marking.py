"""A verifier that is a token detector: a small one of random weights, as training leaves it in a folder."""

import json
from pathlib import Path

import pytest
import torch

from truerate.config import Entailer
from truerate.detectors.entailment import Entailment, Marker, network
from truerate.detectors.tokens.pretrained import DetectorConfig, TokenDetector

from .labelled_texts import contexts, samples
from .tokens import small_networks as small

PASSAGES = ("Velmora lies on the river Tola.", "Karsund was founded in 1402.")
FACTS = ("Velmora lies on the Tola.", "Karsund was founded in 1500.", "")


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("marker")
    small.network(mask="prefix").save(folder)
    return str(folder)


def test_a_fact_is_entailed_as_far_as_its_most_suspect_token_is_not_marked(weights):
    pairs = [(passage, fact) for fact in FACTS for passage in PASSAGES]
    result = Marker(Entailer(weights=weights)).entailed(pairs)
    detector = TokenDetector.from_pretrained(weights)
    for (passage, fact), entailed in zip(pairs, result, strict=True):
        (logits,) = detector.logits([fact], passage)
        by_hand = 1 - max(1 - torch.softmax(item, -1)[0].item() for item in logits) if fact else 1.0
        assert entailed == pytest.approx(by_hand, abs=1e-5)
    assert len({round(float(item), 6) for item in result[:4]}) == 4  # passages and facts are told apart


def test_it_judges_facts_beside_networks_of_inference(weights):
    facts = samples([(FACTS[0], False), (FACTS[1], True)], task="fact")
    judged = Entailment("marker", Entailer(weights=weights)).judge(
        facts, contexts(facts, "\n\n".join(PASSAGES))
    )
    assert judged["status"].to_list() == ["ok", "ok"] and judged["p"].is_between(0, 1).all()
    assert judged["verdict"].to_list() == (judged["p"] >= 0.5).to_list()


def test_a_published_detector_is_asked_by_its_id_and_named_by_its_commit(weights, hub_here):
    network.cache_clear()
    files = {path.name: path.read_bytes() for path in Path(weights).iterdir()}
    config = {"model_type": DetectorConfig.model_type, "body": json.loads(files["config.json"])}
    commit = hub_here.put_repo("org/marker", "model", files | {"config.json": json.dumps(config)})
    how = Entailer(weights="org/marker", revision=commit)
    assert network(how).identity == f"org/marker@{commit}"
    assert network(how).entailed([(PASSAGES[0], FACTS[0])]) == Marker(Entailer(weights=weights)).entailed(
        [(PASSAGES[0], FACTS[0])]
    )
    network.cache_clear()
