import numpy as np
import pytest
import torch

from tests.detectors.tokens import small_networks as small
from truerate.detectors.tokens.encode import stream_groups
from truerate.detectors.tokens.masks import collate, rows_of
from truerate.detectors.tokens.strategies import chosen_strategy, score_group, score_groups
from truerate.errors import TruerateError

torch.set_num_threads(1)
SHARING = [("llama", "kv_cache"), ("llama", "packed"), ("bert", "kv_cache"), ("bert", "packed"), ("modernbert", "packed")]


@pytest.fixture(autouse=True)
def logits_in_place_of_probabilities(monkeypatch):
    """Compare what the head says: probabilities would hide a difference."""
    monkeypatch.setattr(torch, "softmax", lambda found, dim: found)


def furthest(one, other):
    """The largest difference of logits."""
    assert [part.shape for part in one] == [part.shape for part in other]
    return max(np.abs(a - b).max() for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize(("kind", "strategy"), SHARING)
@pytest.mark.parametrize("mask", ["prefix", "causal"])
@pytest.mark.parametrize("cache_bytes", [10**9, 1], ids=["together", "one at a time"])
def test_strategies_give_equal_logits(kind, strategy, mask, cache_bytes):
    network = small.network(kind, mask)
    group = small.group(network)
    alone = score_group(network, group, "one_by_one")
    assert np.std(np.concatenate(alone)) > 0.1  # they differ enough for the comparison to mean something
    assert furthest(alone, score_group(network, group, strategy, cache_bytes)) <= 1e-5


@pytest.mark.parametrize("kind", small.CONFIGS)
@pytest.mark.parametrize("mask", ["prefix", "causal", "full"])
def test_training_rows_give_the_logits_of_scoring(kind, mask):
    network = small.network(kind, mask)
    group = small.group(network)
    rows = rows_of(group, mask, max_answers=3)
    batch = collate(rows, network.coder.pad)
    with torch.no_grad():
        found = network(batch)
    parts = [found[place][batch.segments[place] == one + 1].numpy() for place, row in enumerate(rows) for one in range(len(row.answers))]
    assert furthest(parts, score_group(network, group, "one_by_one")) <= 1e-5


@pytest.mark.parametrize("strategy", ["kv_cache", "packed"])
def test_answers_alone_need_no_reference(strategy):
    network = small.network()
    group = small.group(network, reference="")
    assert furthest(score_group(network, group, "one_by_one"), score_group(network, group, strategy)) <= 1e-5
    bare = type(group)(group.reference_ids[:0], group.answers, "g", "en")
    assert furthest(score_group(network, bare, "one_by_one"), score_group(network, bare, strategy)) <= 1e-5


@pytest.mark.parametrize("reference", ["Tola. " * 30, "Tola. " * 3], ids=["beyond the window", "within it"])
def test_sliding_layers_see_by_position(reference):
    network = small.network("modernbert")
    group = small.group(network, ["It lies " * 20, "Velmora", "on the river " * 9], reference)
    assert furthest(score_group(network, group, "one_by_one"), score_group(network, group, "packed")) <= 1e-5


def test_what_cannot_be_done_is_one_line():
    full, encoder = small.network("llama", "full"), small.network("modernbert")
    with pytest.raises(TruerateError, match="under mask full"):
        score_group(full, small.group(full), "packed")
    with pytest.raises(TruerateError, match="modernbert keeps no keys"):
        score_group(encoder, small.group(encoder), "kv_cache")
    with pytest.raises(TruerateError, match="allowed are auto, one_by_one, kv_cache, packed"):
        score_group(encoder, small.group(encoder), "fast")


def test_auto_is_one_by_one_where_nothing_is_shared():
    assert chosen_strategy(small.network("llama", "full"), 9) == "one_by_one"
    assert chosen_strategy(small.network("llama", "prefix"), 1) == "one_by_one"
    assert chosen_strategy(small.network("modernbert", "prefix"), 2) == "packed"
    assert chosen_strategy(small.network("llama", "prefix"), 2) in ("packed", "kv_cache")


def test_groups_are_taken_one_at_a_time():
    network, taken = small.network(), []

    def groups():
        for group in stream_groups(frame, network.coder, network.backbone, network.labels):
            taken.append(group)
            yield group

    frame = small.passages(["a", "b"], "A").vstack(small.passages(["c"], "B"))
    scored = score_groups(network, groups())
    first, probabilities = next(scored)
    assert len(taken) == 1 and first is taken[0] and len(probabilities) == 2
    assert [len(found) for _, found in scored] == [1]


def test_scoring_leaves_the_mode_of_the_network_as_it_was():
    network = small.network("bert")
    network.train()
    group = small.group(network)
    assert furthest(score_group(network, group), score_group(network, group)) == 0  # no dropout
    assert network.training
