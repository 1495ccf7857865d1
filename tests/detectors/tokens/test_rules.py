import zipfile

import numpy as np
import polars as pl
import pytest

from truerate.core.errors import TruerateError
from truerate.core.schemas import SPANS
from truerate.detectors.tokens.rules import BY_NAME, STATE, load_state, save_state
from truerate.detectors.tokens.span_probabilities import labels_of
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
