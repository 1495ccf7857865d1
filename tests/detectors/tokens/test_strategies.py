import numpy as np
import pytest
import torch
from transformers import AlbertConfig, Gemma2Config, MistralConfig

from tests.detectors.tokens import small_networks as small
from truerate.core.errors import TruerateError
from truerate.detectors.tokens import strategies
from truerate.detectors.tokens.groups import stream_groups
from truerate.detectors.tokens.masks import collate, row_of, rows_of
from truerate.detectors.tokens.strategies import chosen_strategy, logits_of, score_group, score_groups
from truerate.detectors.training.trainable import half_precision

torch.set_num_threads(1)
SHARING = [("llama", "packed"), ("bert", "packed"), ("modernbert", "packed")]
LONG = (
    "It was founded in 1912, far from the river, by the people of Velmora, who had no other name for it. " * 9
)


@pytest.fixture(autouse=True)
def logits_in_place_of_probabilities(monkeypatch):
    """Compare what the head says: probabilities would hide a difference."""
    monkeypatch.setattr(torch, "softmax", lambda found, dim: found)


def furthest(one, other):
    """The largest difference of logits."""
    assert [part.shape for part in one] == [part.shape for part in other]
    return max(np.abs(a - b).max() for a, b in zip(one, other, strict=True))


def by_the_mask(network, group):
    """Logits of each answer, alone in a row under an explicit mask: no strategy's code."""
    n, found = len(group.reference_ids), []
    for place in range(len(group.answers)):
        with torch.no_grad():
            found.append(
                network(collate([row_of(group.reference_ids, group.answers, [place])], network.coder.pad))[
                    0, n:
                ].numpy()
            )
    assert np.std(np.concatenate(found)) > 0.1  # they differ enough for a comparison to mean something
    return found


def note_into(seen):
    """A hook that adds the tokens of each row which the body is given."""

    def note(body, args, given):
        seen.append(given["inputs_embeds"].shape[1])

    return note


def rows_read(network, group, **given):
    """Tokens of each row that the body is given while a group is scored, and the logits."""
    seen = []
    watch = network.body.register_forward_pre_hook(note_into(seen), with_kwargs=True)
    found = score_group(network, group, **given)
    watch.remove()
    return seen, found


@pytest.mark.parametrize(("kind", "strategy"), [*SHARING, *((kind, "one_by_one") for kind in small.CONFIGS)])
@pytest.mark.parametrize("mask", ["prefix", "causal"])
@pytest.mark.parametrize("cache_bytes", [10**9, 1], ids=["together", "one at a time"])
def test_strategies_give_equal_logits(kind, strategy, mask, cache_bytes):
    network = small.network(kind, mask)
    group = small.group(network)
    assert furthest(by_the_mask(network, group), score_group(network, group, strategy, cache_bytes)) <= 1e-5


@pytest.mark.parametrize("kind", small.CONFIGS)
def test_full_mask_is_read_answer_by_answer(kind):
    network = small.network(kind, "full")
    group = small.group(network, [*small.ANSWERS, LONG[:300]])
    assert furthest(by_the_mask(network, group), score_group(network, group)) <= 1e-5


def test_the_byte_budget_bounds_rows_and_each_reads_the_reference():
    network = small.network()
    group = small.group(network, small.ANSWERS * 3)
    n, per_token = len(group.reference_ids), 64 * network.body.config.hidden_size
    whole, scored = rows_read(network, group)
    assert whole == [group.n_tokens]  # the reference once
    rows, same = rows_read(network, group, cache_bytes=2 * n * per_token)
    assert len(rows) > 1 and max(rows) <= 2 * n and sum(rows) == group.n_tokens + n * (len(rows) - 1)
    assert furthest(scored, same) <= 1e-5


@pytest.mark.parametrize(
    ("kind", "config"),
    [
        (
            "layers used twice",
            lambda n: AlbertConfig(vocab_size=n, embedding_size=48, num_hidden_layers=3, **small.SIZE),
        ),
        (
            "a window wider than any text",
            lambda n: MistralConfig(vocab_size=n, num_hidden_layers=2, num_key_value_heads=2, **small.SIZE),
        ),
    ],
)
def test_other_backbones(kind, config, monkeypatch):
    monkeypatch.setitem(small.CONFIGS, kind, config)
    network = small.network(kind)
    group = small.group(network, small.ANSWERS * 3)
    assert furthest(by_the_mask(network, group), score_group(network, group)) <= 1e-5


def test_a_backbone_that_asks_for_more_than_a_mask_is_refused(monkeypatch):
    monkeypatch.setitem(
        small.CONFIGS,
        "capped",
        lambda n: Gemma2Config(
            vocab_size=n, num_hidden_layers=2, num_key_value_heads=2, head_dim=12, **small.SIZE
        ),
    )
    network = small.network("capped")
    with pytest.raises(TruerateError, match="Gemma2Attention asks its attention for softcap"):
        score_group(network, small.group(network))


@pytest.mark.parametrize("kind", small.CONFIGS)
@pytest.mark.parametrize("mask", ["prefix", "causal", "full"])
def test_training_rows_give_the_logits_of_scoring(kind, mask):
    network = small.network(kind, mask)
    group = small.group(network)
    rows = rows_of(group, mask, max_answers=3)
    batch = collate(rows, network.coder.pad)
    with torch.no_grad():
        found = network(batch)
    parts = [
        found[place][batch.segments[place] == one + 1].numpy()
        for place, row in enumerate(rows)
        for one in range(len(row.answers))
    ]
    assert furthest(parts, score_group(network, group)) <= 1e-5


@pytest.mark.parametrize("strategy", ["one_by_one", "packed"])
def test_answers_alone_need_no_reference(strategy):
    network = small.network()
    group = small.group(network, reference="")
    assert furthest(by_the_mask(network, group), score_group(network, group, strategy)) <= 1e-5
    bare = type(group)(group.reference_ids[:0], group.answers, "g", "en")
    assert furthest(by_the_mask(network, bare), score_group(network, bare, strategy)) <= 1e-5


@pytest.mark.parametrize("mask", ["prefix", "causal", "full"])
@pytest.mark.parametrize(
    "reference", [LONG, "Tola. " * 30, "Tola. " * 3], ids=["chunks", "beyond the window", "within it"]
)
def test_sliding_layers_see_by_position(reference, mask):
    network = small.network("modernbert", mask, max_tokens=2048)
    group = small.group(network, ["It lies " * 20, "Velmora", LONG, "on the river " * 9], reference)
    assert max(len(answer.ids) for answer in group.answers) > 256  # more than a chunk
    assert furthest(by_the_mask(network, group), score_group(network, group)) <= 1e-5


def test_what_cannot_be_done_is_one_line():
    full, encoder = small.network("llama", "full"), small.network("modernbert")
    with pytest.raises(TruerateError, match="under mask full"):
        score_group(full, small.group(full), "packed")
    with pytest.raises(TruerateError, match="allowed are auto, one_by_one, packed"):
        score_group(encoder, small.group(encoder), "fast")


def test_auto_is_one_by_one_where_nothing_is_shared():
    assert chosen_strategy(small.network("llama", "full"), 9) == "one_by_one"
    assert chosen_strategy(small.network("llama", "prefix"), 1) == "one_by_one"
    assert chosen_strategy(small.network("modernbert", "prefix"), 2) == "packed"
    assert chosen_strategy(small.network("llama", "prefix"), 2) == "packed"


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


def several(network):
    """Groups that follow one another: of many answers, of one, without a reference, behind a reference that
    is longer than a row.
    """
    bare = small.group(network, small.ANSWERS[:2])
    return [
        small.group(network),
        small.group(network, small.ANSWERS[:1]),
        type(bare)(bare.reference_ids[:0], bare.answers, "g", "en"),
        small.group(network, ["It lies " * 20, "Tola"], small.REFERENCE[:60]),
        small.group(network, small.ANSWERS[1:3], LONG[:500]),
        small.group(network, small.ANSWERS[3:4], "Tola. " * 30),
    ]


@pytest.mark.parametrize("kind", small.CONFIGS)
@pytest.mark.parametrize("mask", ["prefix", "causal", "full"])
@pytest.mark.parametrize("cache_bytes", [None, 1], ids=["shared", "no room to share"])
def test_groups_that_share_a_row_do_not_see_one_another(kind, mask, cache_bytes, monkeypatch):
    monkeypatch.setitem(strategies._ROW, "cpu", 250)
    network, read = small.network(kind, mask), {True: [], False: []}
    groups = several(network)
    for is_shared, rows in read.items():
        watch = network.body.register_forward_pre_hook(note_into(rows), with_kwargs=True)
        found = list(score_groups(network, iter(groups), cache_bytes=cache_bytes, is_shared=is_shared))
        watch.remove()
        assert all(one is group for (one, _), group in zip(found, groups, strict=True))
        assert all(furthest(by_the_mask(network, group), scored) <= 1e-5 for group, scored in found)
    assert sum(read[True]) == sum(read[False]) and max(read[True]) <= max(250, *read[False])
    assert (len(read[True]) < len(read[False])) == (cache_bytes is None)


def test_a_strategy_that_is_asked_for_is_taken_group_by_group():
    network = small.network()
    groups = [small.group(network), small.group(network, small.ANSWERS[:2])]
    for strategy in ("one_by_one", "packed"):
        scored = [found for _, found in score_groups(network, groups, strategy, is_shared=True)]
        assert all(
            furthest(score_group(network, group, strategy), found) == 0
            for group, found in zip(groups, scored, strict=True)
        )


def test_scoring_leaves_the_mode_of_the_network_as_it_was():
    network = small.network("bert")
    network.train()
    group = small.group(network)
    assert furthest(score_group(network, group), score_group(network, group)) == 0  # no dropout
    assert network.training


@pytest.mark.parametrize(("kind", "strategy"), [*SHARING, *((kind, "one_by_one") for kind in small.CONFIGS)])
def test_in_half_precision_every_strategy_stays_near_and_the_head_stays_whole(kind, strategy):
    """As on a GPU: products of matrices in bf16, whose steps are 2⁻⁸ of a value."""
    network = small.network(kind)
    group = small.group(network)
    whole = logits_of(network, group, strategy)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        half = logits_of(network, group, strategy)
        assert network.logits(torch.ones(1, network.body.config.hidden_size)).dtype == torch.float32
    apart = furthest([one.numpy() for one in whole], [one.numpy() for one in half])
    assert 0 < apart <= 0.05 * max(float(one.abs().max()) for one in whole)


def test_without_a_gpu_a_gigabyte_is_held_and_the_callers_precision_stays():
    assert strategies.room_on(torch.device("cpu")) == 10**9
    for precision in (torch.float32, torch.bfloat16):
        with (
            torch.autocast("cpu", torch.bfloat16, enabled=precision is torch.bfloat16),
            half_precision(torch.device("cpu")),
        ):
            assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == precision
