import numpy as np
import pytest
import torch
from transformers import AlbertConfig, Gemma2Config, MistralConfig

from tests.detectors.tokens import small_networks as small
from truerate.core.errors import TruerateError
from truerate.detectors.tokens import scoring
from truerate.detectors.tokens.groups import Group, stream_groups
from truerate.detectors.tokens.rows import attention, collate, row_of, rows_of
from truerate.detectors.tokens.scoring import chosen_strategy, least_suspicious, logits_of, over_windows
from truerate.detectors.training.trainable import half_precision

torch.set_num_threads(1)
STRATEGIES = [(kind, way) for kind in small.CONFIGS for way in ("packed", "one_by_one")]
MASKS = ("prefix", "causal", "full")
LONG = (
    "It was founded in 1912, far from the river, by the people of Velmora, who had no other name for it. " * 9
)


def scored(network, *groups, **how):
    """The logits of each answer of groups."""
    return [logits.numpy() for _, logits in logits_of(network, groups, **how)]


def furthest(first, second):
    """The largest difference of logits."""
    assert [part.shape for part in first] == [part.shape for part in second]
    return max(np.abs(a - b).max() for a, b in zip(first, second, strict=True))


def by_the_mask(network, group):
    """Logits of each answer, alone in a row under an explicit mask: no strategy's code."""
    n, logits = len(group.reference_ids), []
    with torch.no_grad():
        for answer in group.answers:
            batch = collate([row_of(group.reference_ids, [answer])], network.coder.pad)
            logits.append(network(batch)[0, n:].numpy())
    assert np.std(np.concatenate(logits)) > 0.1  # they differ enough for a comparison to mean something
    return logits


def rows_read(network, *groups, **how):
    """Tokens of each row that the body is given while groups are scored, and the logits."""
    sizes = []
    watch = network.body.register_forward_pre_hook(
        lambda body, args, given: sizes.append(given["inputs_embeds"].shape[1]), with_kwargs=True
    )
    logits = scored(network, *groups, **how)
    watch.remove()
    return sizes, logits


@pytest.mark.parametrize(("kind", "strategy"), STRATEGIES)
@pytest.mark.parametrize("mask", ["prefix", "causal"])
@pytest.mark.parametrize("cache_bytes", [10**9, 1], ids=["together", "one at a time"])
def test_strategies_give_equal_logits(kind, strategy, mask, cache_bytes):
    network = small.network(kind, mask)
    group = small.group(network)
    logits = scored(network, group, strategy=strategy, cache_bytes=cache_bytes)
    assert furthest(by_the_mask(network, group), logits) <= 1e-5


def test_the_byte_budget_bounds_rows_and_each_reads_the_reference():
    network = small.network()
    group = small.group(network, small.ANSWERS * 3)
    n, per_token = len(group.reference_ids), 64 * network.body.config.hidden_size
    whole, logits = rows_read(network, group)
    assert whole == [group.n_tokens]  # the reference once
    rows, same = rows_read(network, group, cache_bytes=2 * n * per_token)
    assert len(rows) > 1 and max(rows) <= 2 * n and sum(rows) == group.n_tokens + n * (len(rows) - 1)
    assert furthest(logits, same) <= 1e-5


OTHERS = {
    "layers used twice": lambda n: AlbertConfig(
        vocab_size=n, embedding_size=48, num_hidden_layers=3, **small.SIZE
    ),
    "a window wider than any text": lambda n: MistralConfig(
        vocab_size=n, num_hidden_layers=2, num_key_value_heads=2, **small.SIZE
    ),
    "capped": lambda n: Gemma2Config(
        vocab_size=n, num_hidden_layers=2, num_key_value_heads=2, head_dim=12, **small.SIZE
    ),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_other_backbones_are_scored_alike_or_refused(kind, monkeypatch):
    monkeypatch.setitem(small.CONFIGS, kind, OTHERS[kind])
    network = small.network(kind)
    group = small.group(network, small.ANSWERS * 3)
    if kind == "capped":
        with pytest.raises(TruerateError, match="Gemma2Attention asks its attention for softcap"):
            scored(network, group)
    else:
        assert furthest(by_the_mask(network, group), scored(network, group)) <= 1e-5


@pytest.mark.parametrize("kind", small.CONFIGS)
@pytest.mark.parametrize("mask", MASKS)
def test_training_rows_give_the_logits_of_scoring(kind, mask):
    network = small.network(kind, mask)
    group = small.group(network)
    rows = list(rows_of(group, mask, max_answers=3))
    batch = collate(rows, network.coder.pad)
    with torch.no_grad():
        logits = network(batch)
    parts = [
        logits[index][batch.segments[index] == number + 1].numpy()
        for index, row in enumerate(rows)
        for number in range(row.n_answers)
    ]
    assert furthest(parts, scored(network, group)) <= 1e-5


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("reference", [LONG, "Tola. " * 3], ids=["chunks", "within reach"])
def test_sliding_layers_see_by_position(reference, mask):
    network = small.network("modernbert", mask, max_tokens=2048)
    group = small.group(network, ["It lies " * 20, "Velmora", LONG, "on the river " * 9], reference)
    assert max(len(answer.ids) for answer in group.answers) > 256  # more than a chunk
    assert furthest(by_the_mask(network, group), scored(network, group)) <= 1e-5


def test_strategies_that_cannot_be_are_one_line_and_auto_shares_where_it_can():
    full, prefix = small.network("llama", "full"), small.network("llama", "prefix")
    with pytest.raises(TruerateError, match="under mask full"):
        scored(full, small.group(full), strategy="packed")
    with pytest.raises(TruerateError, match="allowed are auto, one_by_one, packed"):
        scored(prefix, small.group(prefix), strategy="fast")
    assert chosen_strategy(full, 9) == chosen_strategy(prefix, 1) == "one_by_one"
    assert chosen_strategy(prefix, 2) == "packed"


def several(network):
    """Groups of many answers, of one, without a reference, behind a reference that is longer than a row."""
    bare = small.group(network, small.ANSWERS[:2])
    return [
        small.group(network),
        small.group(network, small.ANSWERS[:1]),
        Group(bare.reference_ids[:0], bare.answers),
        small.group(network, ["It lies " * 20, "Tola"], small.REFERENCE[:60]),
        small.group(network, small.ANSWERS[1:3], LONG[:500]),
        small.group(network, small.ANSWERS[3:4], "Tola. " * 30),
    ]


@pytest.mark.parametrize("kind", small.CONFIGS)
@pytest.mark.parametrize("mask", MASKS)
def test_groups_that_share_a_row_do_not_see_one_another(kind, mask, monkeypatch):
    monkeypatch.setitem(scoring.ROW, "cpu", 250)
    network = small.network(kind, mask)
    groups = several(network)
    alone = [logits for group in groups for logits in by_the_mask(network, group)]
    (shared, together), (single, apart) = (
        rows_read(network, *groups, cache_bytes=cache_bytes) for cache_bytes in (None, 1)
    )
    assert furthest(alone, together) <= 1e-5 and furthest(alone, apart) <= 1e-5
    assert len(shared) < len(single) and max(shared) <= max(250, *(group.n_tokens for group in groups))


def test_groups_are_taken_as_rows_need_them(monkeypatch):
    monkeypatch.setitem(scoring.ROW, "cpu", 1)
    network, taken = small.network(), []

    def groups():
        for group in stream_groups(frame, network.coder, network.backbone, network.labels):
            taken.append(group)
            yield group

    frame = small.passages(["a"], "A").vstack(small.passages(["b"], "B")).vstack(small.passages(["c"], "C"))
    answer, _ = next(logits_of(network, groups()))
    assert answer is taken[0].answers[0] and len(taken) == 2


def test_scoring_leaves_the_mode_of_the_network_as_it_was():
    network = small.network("bert")
    network.train()
    group = small.group(network)
    assert furthest(scored(network, group), scored(network, group)) == 0  # no dropout
    assert network.training


@pytest.mark.parametrize(("kind", "strategy"), STRATEGIES)
def test_in_half_precision_every_strategy_stays_near_and_the_head_stays_whole(kind, strategy):
    """As on a GPU: products of matrices in bf16, whose steps are 2⁻⁸ of a value."""
    network = small.network(kind)
    group = small.group(network)
    whole = scored(network, group, strategy=strategy)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        half = scored(network, group, strategy=strategy)
        assert network.logits(torch.ones(1, network.body.config.hidden_size)).dtype == torch.float32
    assert 0 < furthest(whole, half) <= 0.05 * max(float(np.abs(logits).max()) for logits in whole)


def test_without_a_gpu_the_callers_precision_stays():
    for precision in (torch.float32, torch.bfloat16):
        with (
            torch.autocast("cpu", torch.bfloat16, enabled=precision is torch.bfloat16),
            half_precision(torch.device("cpu")),
        ):
            assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == precision


def test_of_windows_each_token_takes_the_least_suspicious():
    first = torch.tensor([[0.1, 0.7, 0.2], [0.8, 0.1, 0.1]]).log()  # shares of none, one kind, another
    second = torch.tensor([[0.7, 0.1, 0.2], [0.6, 0.3, 0.1]]).log()
    assert torch.equal(least_suspicious([first, second]), torch.stack([second[0], first[1]]))


@pytest.mark.parametrize("is_training", [False, True])
def test_a_text_is_read_once_after_its_last_window(is_training):
    far = " ".join(f"Town {k} lies on river {k}." for k in range(40))
    texts = small.passages(["Town 3 lies."], far).vstack(small.passages(["Tola"], "Tola"))
    groups = small.groups_of(texts, small.coder(), small.backbone(max_tokens=64), is_training=is_training)
    n_long = len(groups) - 1
    readings = over_windows(((group.answers[0], number) for number, group in enumerate(groups)), max)
    assert [(answer.n_read, reading) for answer, reading in readings] == [(n_long, n_long - 1), (1, n_long)]
    assert groups[0].answers[0].n_windows > 3


# ---- rows --------------------------------------------------------------------------------------------------
SEGMENTS = torch.tensor([[0, 0, 1, 1, 2, -1]])


@pytest.mark.parametrize(
    ("mask", "rows"),
    [
        ("prefix", ["110000", "110000", "111100", "111100", "110010", "000001"]),
        ("causal", ["100000", "110000", "111000", "111100", "110010", "000001"]),
        ("full", ["111110", "111110", "111110", "111110", "111110", "000001"]),
    ],
)
def test_masks_by_hand(mask, rows):
    sees = attention(SEGMENTS, mask)[0, 0]
    assert ["".join(str(int(cell)) for cell in row) for row in sees] == rows


def test_positions_of_every_answer_start_where_the_reference_ends():
    group = small.group(small.network())
    n, first = len(group.reference_ids), len(group.answers[1].ids)
    row = row_of(group.reference_ids, [group.answers[1], group.answers[0]])
    columns = row.columns()
    assert columns["positions"][:n].tolist() == list(range(n))
    assert columns["positions"][n] == n and columns["positions"][n + first] == n
    assert columns["segments"][n + first] == 2 and row.n_answers == 2
    assert (columns["labels"][:n] == -100).all() and (columns["features"][:n] == 0).all()


def test_full_has_one_answer_per_row_and_others_share():
    group = small.group(small.network())
    tight = len(group.reference_ids) + 1
    for mask, how, sizes in (
        ("full", {}, [1] * 5),
        ("prefix", {"max_answers": 2}, [2, 2, 1]),
        ("causal", {"max_tokens": tight}, [1] * 5),  # a row has at least one answer
    ):
        rows = list(rows_of(group, mask, **how))
        assert [row.n_answers for row in rows] == sizes
        assert np.concatenate([row.labels for row in rows]).tolist() == [
            label for answer in group.answers for label in answer.labels.tolist()
        ]


def test_a_batch_is_padded_and_a_row_is_narrow():
    rows = list(rows_of(small.group(small.network()), "full"))
    assert rows[0].ids.dtype.itemsize == 4 and {rows[0].labels.itemsize, rows[0].features.itemsize} == {1}
    batch = collate(rows, 0)
    assert batch.ids.shape == (5, max(row.n_tokens for row in rows))
    assert int((batch.segments >= 0).sum()) == sum(row.n_tokens for row in rows)
    assert (batch.labels[batch.segments < 1] == -100).all()
    assert {batch.ids.dtype, batch.features.dtype, batch.labels.dtype} == {torch.int64}
