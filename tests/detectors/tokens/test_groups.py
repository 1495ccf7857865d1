"""Answers beside their references, and beside windows of them."""

import numpy as np
import pytest

from tests.detectors.tokens.small_networks import ANSWERS, REFERENCE, backbone, coder, groups_of, passages
from truerate.detectors.tokens.groups import RepeatedGroups, borders


def test_answers_are_grouped_by_reference_in_order():
    frame = passages(["b1"], "B").vstack(passages(["a1", "", "a2"], "A")).vstack(passages(["b2"], "B"))
    result = groups_of(frame, coder(), backbone())
    assert [len(group.answers) for group in result] == [2, 2]  # the empty text has no token
    assert [answer.target_id for answer in result[1].answers] == ["t0", "t2"]
    assert result[0].reference_ids[0] == coder().start[0]
    assert result[0].reference_ids[-1] == coder().between[0]


def test_labels_and_features_stand_beside_the_tokens():
    spans = {0: [{"start": 23, "end": 27, "type": "entity", "p": None}]}  # 1899
    ((group),) = groups_of(passages(spans=spans), coder(), backbone())
    answer = group.answers[0]
    assert [
        ANSWERS[0][a:b] for (a, b), label in zip(answer.offsets, answer.labels, strict=True) if label == 1
    ] == list("1899")
    assert answer.features.shape == (len(answer.ids), 3)
    ((bare),) = groups_of(passages(), coder(), backbone(features=()))
    assert bare.answers[0].features.shape == (len(answer.ids), 0)


def test_the_reference_gives_way_before_the_answer_is_cut():
    code = coder()
    texts, window = (
        [" Tola" * 30, " Tola" * 3],
        64,
    )  # 30 and 3 tokens, one per word; the reference has far more than 64
    result = groups_of(passages(texts, REFERENCE * 4), code, backbone(max_tokens=window))
    for group in result:
        assert all(answer.n_chunks == 1 for answer in group.answers)
        assert all(len(group.reference_ids) + len(answer.ids) <= window for answer in group.answers)
    for name, size in (
        ("t0", 64 - 32),
        ("t1", 64 - 8),
    ):  # the window less the next eighth; the last is shorter
        sizes = [len(group.reference_ids) for group in result if group.answers[0].target_id == name]
        assert set(sizes[:-1]) == {size} and 0 < sizes[-1] <= size


FAR = " ".join(f"Town {k} lies on river {k}." for k in range(40))  # with a fact of one town in each sentence


def test_windows_leave_nothing_of_a_reference_out_and_overlap():
    code, settings = coder(), backbone(max_tokens=64)
    result = groups_of(passages(["Town 3 lies."], FAR), code, settings)
    ((ids, _),) = code.encode([FAR])
    parts = [group.reference_ids[len(code.start) : -len(code.between)].tolist() for group in result]
    size = len(parts[0])
    step = size - size // 4
    assert len(result) > 3 and [group.answers[0].window for group in result] == list(range(len(result)))
    assert {group.answers[0].n_windows for group in result} == {len(result)}
    for index, part in enumerate(parts):
        assert part == ids[index * step : index * step + size].tolist() and part
    assert parts[-1][-1] == ids[-1]
    assert all(len(group.reference_ids) + len(group.answers[0].ids) <= 64 for group in result)


def test_what_is_taught_stands_beside_the_window_that_shares_most_with_it():
    code, settings = coder(), backbone(max_tokens=64)
    texts = ["Town 2 lies on river 2.", "Town 37 lies on river 37."]
    early, late = groups_of(passages(texts, FAR), code, settings, is_training=True)
    assert [answer.target_id for group in (early, late) for answer in group.answers] == ["t0", "t1"]
    for group, number in ((early, "2"), (late, "37")):
        values = code.tokenizer.decode(group.reference_ids.tolist()).replace(" ", "")
        assert f"Town{number}lies" in values
        assert group.answers[0].n_windows > 3
    assert early.answers[0].window < late.answers[0].window


def test_of_many_windows_the_nearest_are_read_and_all_are_counted():
    code, text = coder(), "Town 2 lies on river 2. Town 37 lies on river 37."
    whole, some, item = (
        groups_of(passages([text], FAR), code, backbone(max_tokens=64, windows=n)) for n in (None, 2, 1)
    )
    assert len(whole) > 3 and len(some) == 2 and len(item) == 1
    values = [code.tokenizer.decode(group.reference_ids.tolist()).replace(" ", "") for group in some]
    assert "Town2lies" in values[0] and "Town37lies" in values[1]  # in the order of the reference
    for result, n in ((whole, len(whole)), (some, 2), (item, 1)):
        assert {group.answers[0].n_windows for group in result} == {len(whole)}
        assert {group.answers[0].n_read for group in result} == {n}
    many = groups_of(passages([text], FAR), code, backbone(max_tokens=64, windows=1000))
    assert len(many) == len(whole), "no more than there are"


def test_a_long_answer_is_cut_into_equal_chunks_and_nothing_is_lost():
    code, text = coder(), "Tola lies. " * 40
    group, *others = groups_of(passages([text], REFERENCE * 4), code, backbone(max_tokens=64))
    for other in others:  # each window has all of it
        assert [item.ids.tolist() for item in other.answers] == [item.ids.tolist() for item in group.answers]
    ((ids, offsets),) = code.encode([text])
    assert np.concatenate([answer.ids for answer in group.answers]).tolist() == ids.tolist()
    assert np.concatenate([answer.offsets for answer in group.answers]).tolist() == offsets.tolist()
    sizes = [len(answer.ids) for answer in group.answers]
    assert (
        max(sizes) <= 31 and max(sizes) - min(sizes) <= 1
    )  # half of the window less the two tokens around the reference
    assert [(answer.chunk, answer.n_chunks) for answer in group.answers] == [
        (i, len(sizes)) for i in range(len(sizes))
    ]
    assert len(group.reference_ids) + max(sizes) <= 64


def test_how_an_answer_is_cut_does_not_depend_on_others():
    code, settings = coder(), backbone(max_tokens=64)
    texts = ["Tola " * n for n in (3, 20, 29, 45, 90)]
    together = groups_of(passages(texts, REFERENCE * 4), code, settings)
    whole = {
        (answer.target_id, answer.chunk, answer.window): (len(group.reference_ids), answer.ids.tolist())
        for group in together
        for answer in group.answers
    }
    for index, text in enumerate(texts):
        for group in groups_of(passages([text], REFERENCE * 4), code, settings):
            for answer in group.answers:
                expected = whole[f"t{index}", answer.chunk, answer.window]
                assert expected == (len(group.reference_ids), answer.ids.tolist())


@pytest.mark.parametrize(("n_texts", "n_made"), [(2, 1), (1_000_000, 3)])
def test_groups_that_are_asked_for_again_are_kept_where_they_are_few(n_texts, n_made):
    built = []

    def make():
        built.append(len(built))
        yield from groups_of(passages(["Tola", "Miro"], "Tola lies"), coder(), backbone())

    groups = RepeatedGroups(make, n_texts)
    read = [[item.target_id for group in groups for item in group.answers] for _ in range(3)]
    assert read[0] == read[1] == read[2] and len(read[0]) == 2 and len(built) == n_made


# ---- windows -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("n", "size", "result"),
    [
        (0, 4, []),
        (3, 4, [(0, 3)]),
        (4, 4, [(0, 4)]),
        (5, 4, [(0, 4), (3, 5)]),  # each begins a quarter of a window before the end of the one before it
        (10, 4, [(0, 4), (3, 7), (6, 10)]),
        (11, 4, [(0, 4), (3, 7), (6, 10), (9, 11)]),
        (3, 0, [(0, 1), (1, 2), (2, 3)]),
    ],
)
def test_borders_by_hand(n, size, result):
    assert borders(n, size) == result


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 50])
def test_nothing_is_left_out_and_none_is_longer(size):
    for n in range(1, 60):
        result = borders(n, size)
        assert {k for start, end in result for k in range(start, end)} == set(range(n))
        assert all(0 < end - start <= size for start, end in result)
