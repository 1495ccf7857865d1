import zipfile

import numpy as np
import polars as pl
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

from truerate.core.errors import TruerateError
from truerate.core.schemas import SPANS
from truerate.detectors.tokens.boosting import fit_trees, probabilities
from truerate.detectors.tokens.predict import drawn
from truerate.detectors.tokens.rules import BY_NAME, STATE, load_state, save_state
from truerate.detectors.tokens.span_probabilities import Reading, labels_of
from truerate.detectors.tokens.validate import of_readings
from truerate.detectors.tokens.word_features import passages_of

from .lessons import lessons

NOTHING = lessons(1).head(1).with_columns(text=pl.lit("…"), spans=pl.lit([], dtype=SPANS))
TAUGHT, SAME, OTHER = lessons(60), lessons(25, start=500), lessons(25, start=500, wording=1)


def f1(name, on, kind="binary"):
    """Token F1 of a rule that learned from TAUGHT."""
    rule, labels = BY_NAME[name], labels_of(kind)
    training, asked = passages_of(TAUGHT, labels), passages_of(on, labels)
    return of_readings(
        zip(
            (item.labels for item in asked),
            rule.read(rule.learn(training, len(labels) - 1), asked),
            strict=True,
        )
    )


def test_reading_the_reference_beats_the_answers_own_words_on_new_wordings():
    assert f1("reference-blind", SAME).f1 > 0.8  # taught wordings give themselves away
    assert f1("token-lr", OTHER).f1 > f1("reference-blind", OTHER).f1 + 0.1


def test_trees_read_the_reference_too():
    assert f1("token-tree", OTHER).f1 > f1("reference-blind", OTHER).f1 + 0.1


@pytest.mark.parametrize("name", ["token-lr", "token-tree"])
def test_types_are_told_apart(name):
    assert f1(name, SAME, "category").facts()["type_accuracy"] > {"token-lr": 0.8, "token-tree": 0.5}[name]


@pytest.mark.parametrize("name", ["token-lr", "token-tree"])
def test_states_come_back_and_have_the_same_bytes(name, tmp_path):
    rule, training = BY_NAME[name], passages_of(TAUGHT.head(24), labels_of("category"))
    trained = rule.learn(training, 6)
    for folder, state in {"a": trained, "b": rule.learn(training, 6)}.items():
        save_state(state, tmp_path / folder)
    first, second = ((tmp_path / name / "state.npz").read_bytes() for name in "ab")
    assert first == second
    kept = load_state(tmp_path / "a")
    per_label = (
        kept["intercepts"] if name == "token-lr" else [key for key in kept if key.endswith(".baseline")]
    )
    assert len(per_label) == 7  # hallucinated or not, and six types
    repeated = rule.read(kept, training)
    assert all(
        np.array_equal(item.p, other.p)
        for item, other in zip(repeated, rule.read(trained, training), strict=True)
    )


def test_a_broken_state_is_one_line(tmp_path):
    (tmp_path / "state.npz").write_bytes(b"no archive")
    with pytest.raises(TruerateError, match="dvc repro train"):
        load_state(tmp_path)


def test_a_state_hangs_on_no_release_of_python_or_zlib(tmp_path):
    save_state({"b": np.arange(3, dtype=np.float32), "a": np.eye(2)}, tmp_path)
    with zipfile.ZipFile(tmp_path / STATE) as archive:
        kept = [
            (item.filename, item.compress_type, item.extract_version, item.date_time[0])
            for item in archive.infolist()
        ]
    assert kept == [("a.npy", zipfile.ZIP_STORED, 20, 1980), ("b.npy", zipfile.ZIP_STORED, 20, 1980)]
    result = load_state(tmp_path)
    assert result["a"].tolist() == [[1, 0], [0, 1]] and result["b"].dtype == np.float32


# ---- drawn -------------------------------------------------------------------------------------------------
def test_few_are_all_taken_and_of_many_the_same_ones_in_their_order():
    passages = pl.DataFrame({"target_id": [f"p{i}" for i in range(1000)]})
    assert drawn(passages, 1000).equals(passages)
    some = drawn(passages, 100)
    assert some.height == 100 and some["target_id"].to_list() == [
        item for item in passages["target_id"] if item in set(some["target_id"])
    ]
    repeated = drawn(passages.reverse(), 100)
    assert repeated["target_id"].reverse().equals(some["target_id"])
    # a part of the passages keeps those of it that were drawn: no passage hangs on where others stand
    part = passages.head(500)
    assert set(some["target_id"]) & set(part["target_id"]) <= set(drawn(part, 100)["target_id"])


def test_they_are_drawn_from_everywhere():
    places = [
        int(name[1:])
        for name in drawn(pl.DataFrame({"target_id": [f"p{i}" for i in range(1000)]}), 200)["target_id"]
    ]
    assert 400 < sum(places) / 200 < 600


# ---- boosting ----------------------------------------------------------------------------------------------
def rows(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows of whole numbers and shares, and labels that two of the columns decide, some of them wrong."""
    drawn = np.random.default_rng(seed)
    features = np.column_stack([drawn.integers(0, 9, n), drawn.random(n), np.zeros(n), drawn.random(n) * 40])
    labels = ((features[:, 0] > 4) ^ (features[:, 1] > 0.7)) ^ (drawn.random(n) < 0.1)
    return features, labels


def test_plain_arrays_say_what_scikit_learn_says():
    features, labels = rows(1500)
    shape = {"max_iter": 12, "min_samples_leaf": 20}
    model = HistGradientBoostingClassifier(early_stopping=False, **shape).fit(features, labels)
    others = np.vstack([rows(700, seed=1)[0], features])  # values that lie on a cut among them
    expected = model.predict_proba(others)[:, 1]
    assert probabilities(fit_trees(features, labels, 0, **shape), others) == pytest.approx(
        expected, abs=1e-12
    )


def test_trees_learn_what_no_sum_of_single_features_tells_and_are_the_same_twice():
    features, labels = rows(3000)
    first, second = (fit_trees(features, labels, 0) for _ in range(2))
    assert all(np.array_equal(first[name], second[name]) for name in first)
    asked, truth = rows(1000, seed=2)
    # a tenth of the labels is wrong, so that nothing gets more than .9 right; each feature alone has about .6
    assert ((probabilities(first, asked) > 0.5) == truth).mean() > 0.87


def test_argmax_marks_above_one_half_whatever_would_fit_better():
    # the hallucinated token has p .3: marking above .2 is right, and argmax marks nothing
    read = [(np.array([1, 0, 0]), Reading(np.zeros((3, 2)), np.array([0.3, 0.2, 0.1]), np.ones(3)))]
    best, argmax = of_readings(read), of_readings(read, is_argmax=True)
    assert 0.2 <= best.threshold < 0.3 and best.f1 == 1.0
    assert argmax.threshold == 0.5 and argmax.facts()["f1"] == 0.0
