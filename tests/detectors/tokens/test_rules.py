import numpy as np
import pytest

from truerate.core.errors import TruerateError
from truerate.detectors.tokens.labels import labels_of
from truerate.detectors.tokens.rules import BY_NAME, can_learn, load_state, passages_of, save_state
from truerate.detectors.tokens.validate import of_readings

from .lessons import lessons

TAUGHT, SAME, OTHER = lessons(60), lessons(25, start=500), lessons(25, start=500, wording=1)


def f1(name, on, kind="binary"):
    """Token F1 of a rule that learned from TAUGHT."""
    rule, labels = BY_NAME[name], labels_of(kind)
    taught, asked = passages_of(TAUGHT, labels), passages_of(on, labels)
    return of_readings(
        zip((one.labels for one in asked), rule.read(rule.learn(taught, len(labels) - 1), asked), strict=True)
    )


def test_reading_the_reference_beats_the_answers_own_words_on_new_wordings():
    assert f1("reference-blind", SAME).f1 > 0.8  # taught wordings give themselves away
    assert f1("token-lr", OTHER).f1 > f1("reference-blind", OTHER).f1 + 0.1


def test_types_are_told_apart():
    assert f1("token-lr", SAME, "category").facts()["type_accuracy"] > 0.8


def test_constants_mark_the_whole_text_or_nothing():
    passages = passages_of(SAME.head(1), labels_of("binary"))
    for name, p in {"mark-all": 1.0, "mark-none": 0.0}.items():
        (reading,) = BY_NAME[name].read({}, passages)
        assert (reading.offsets.tolist(), reading.p.tolist()) == ([[0, len(passages[0].text)]], [p])


def test_there_must_be_both_kinds_of_words():
    assert not can_learn([])
    assert not can_learn(passages_of(TAUGHT.filter(TAUGHT["spans"].list.len() == 0), labels_of("binary")))


def test_states_come_back_and_have_the_same_bytes(tmp_path):
    rule, taught = BY_NAME["token-lr"], passages_of(TAUGHT.head(24), labels_of("category"))
    learned = rule.learn(taught, 6)
    for name, state in {"a": learned, "b": rule.learn(taught, 6)}.items():
        save_state(state, tmp_path / name)
    first, second = ((tmp_path / name / "state.npz").read_bytes() for name in "ab")
    assert first == second
    kept = load_state(tmp_path / "a")
    assert (
        kept["coefficients"].shape[0] == kept["intercepts"].shape[0] == 7
    )  # hallucinated or not, and six types
    again = rule.read(kept, taught)
    assert all(
        np.array_equal(one.p, other.p) for one, other in zip(again, rule.read(learned, taught), strict=True)
    )


def test_a_broken_state_is_one_line(tmp_path):
    (tmp_path / "state.npz").write_bytes(b"no archive")
    with pytest.raises(TruerateError, match="dvc repro train"):
        load_state(tmp_path)
