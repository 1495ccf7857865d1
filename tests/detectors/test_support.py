import os
from pathlib import Path

import numpy as np
import pytest

from truerate.config import Source
from truerate.detectors.evidence import with_evidence
from truerate.detectors.family import fit_family, judge_family, member
from truerate.detectors.interface import Texts
from truerate.detectors.support import NAMES, decoded, longest_run, support_features
from truerate.metrics.agreement import cohen_kappa, contingency
from truerate.sources import read_source

from .labelled_texts import contexts, samples

DATA = Path(os.environ.get("TRUERATE_DATA") or Path(__file__).parents[2] / ".." / "shared" / "data")


def features(text, knowledge):
    return dict(zip(NAMES, support_features(Texts(["s"], [text], [knowledge]))[0].tolist(), strict=True))


def test_features_by_hand():
    found = features(
        "Varn was founded in 1912 near Tesk",
        "Varn was founded by monks.\n\nIn 1912 it burned. The town is near the sea.",
    )
    # words: Varn was founded in 1912 near Tesk; content: Varn founded 1912 near Tesk (near is no stop word),
    # Tesk alone is absent
    assert found["absent_rate"] == pytest.approx(1 / 5) and found["stem_rate"] == 0
    # the first passage holds Varn, founded; the second 1912, near: either lacks 3 of 5
    assert found["best_absent_rate"] == pytest.approx(3 / 5)
    # the longest runs: "Varn was founded" (3 of 7 words)
    assert found["outside_run_rate"] == pytest.approx(4 / 7)
    assert found["absent_number_rate"] == 0 and found["absent_name_rate"] == pytest.approx(
        1 / 2
    )  # Varn, Tesk
    assert (found["log_words"], found["log_evidence"]) == pytest.approx((np.log(8), np.log(3)))


def test_another_number_and_a_form_of_a_word():
    found = features("The walls fell in 1913.", "The wall fell in 1912.")
    # content: walls (stem), fell, 1913 (absent)
    assert (found["absent_rate"], found["stem_rate"], found["absent_number_rate"]) == pytest.approx(
        (1 / 3, 1 / 3, 1)
    )


def test_nothing_to_read_and_nothing_to_read_it_against():
    assert support_features(Texts([], [], [])).shape == (0, len(NAMES))
    assert features("", "Varn is a town.")["absent_rate"] == 0
    without = features("Varn is a town", "")
    assert (
        without["absent_rate"] == without["best_absent_rate"] == without["outside_run_rate"] == 1
        and without["log_evidence"] == 0
    )


def test_match_codes_are_read_as_features_writes_them():
    level, left, right = decoded(np.array([1, 2, 3, 4, 7, 12]))
    assert level.tolist() == [0, 1, 2, 0, 0, 2] and left.tolist() == [False, False, False, True, False, True]
    assert right.tolist() == [False, False, False, False, True, True]


@pytest.mark.parametrize(
    ("held", "beside", "longest"),
    [
        ([], [], 0),
        ([0, 0], [0, 0], 0),
        ([1, 0, 1], [0, 0, 0], 1),
        ([1, 1, 1], [1, 1, 0], 3),
        ([1, 1, 1, 1], [1, 0, 1, 0], 2),
    ],
)
def test_the_longest_run(held, beside, longest):
    assert longest_run(np.array(held, dtype=bool), np.array(beside, dtype=bool)) == longest


def test_it_learns_what_length_cannot_tell():
    towns = ["Varn", "Tesk", "Orlo", "Brim", "Quend", "Mirel", "Sorn", "Hask"]
    known = ". ".join(f"{town} lies on the river {town[::-1]}a" for town in towns)
    rows = [(f"{town} lies on the river {town[::-1]}a.", False) for town in towns]
    rows += [(f"{town} lies on the river Dovra.", True) for town in towns]
    of = samples(rows, task="fact")
    judged = member("support").fit(of, contexts(of, known), 7).judge(of, contexts(of, known))
    assert (
        judged["verdict"].to_list() == of["is_hallucinated"].to_list() and judged["p"].is_between(0, 1).all()
    )


# ---- on real claims ----------------------------------------------------------------------------------------


def test_on_factcheckgpt_it_tells_little(tmp_path):
    """κ .16 over 320 claims (interval from below 0 to .34), accuracy .66 where `never` has .76: words alone
    do not verify.
    """
    folder = DATA / "factcheckgpt"
    if not (folder / "responses.jsonl").is_file():
        pytest.skip(f"no factcheckgpt/responses.jsonl under {DATA}; name the folder in TRUERATE_DATA")
    tables = read_source("f", Source(reader="factcheckgpt", path="."), folder, "stop")
    known = with_evidence(contexts(tables.samples), tables.samples, tables.documents)
    names = ["always", "never", "support"]
    fit_family(names, tables.samples, known, 7, folder=tmp_path, n_folds=5)
    judged = judge_family(names, tables.samples, known, folder=tmp_path, n_folds=5)
    labels = dict(tables.samples.select("sample_id", "is_hallucinated").iter_rows())
    kappa = {}
    for (name,), part in judged.group_by("judge"):
        label = np.array([labels[target] for target in part["target_id"]], dtype=int)
        kappa[name] = float(cohen_kappa(contingency(label, part["verdict"].to_numpy().astype(int), 2)))
    assert kappa["always"] == kappa["never"] == 0 and 0.05 < kappa["support"] < 0.3
