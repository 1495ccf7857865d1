import os
from pathlib import Path

import numpy as np
import pytest

from tests.cases import case_table
from truerate.config import Source
from truerate.detectors.evidence import with_evidence
from truerate.detectors.family import fit_family, judge_family
from truerate.detectors.interface import Texts
from truerate.detectors.support import NAMES, longest_run, support_features
from truerate.metrics.agreement import cohen_kappa, contingency
from truerate.sources.reading import read_source

from .labelled_texts import contexts

CASES = case_table(__file__)

DATA = Path(os.environ.get("TRUERATE_DATA") or Path(__file__).parents[2] / ".." / "shared" / "data")


def features(text, knowledge):
    return dict(zip(NAMES, support_features(Texts(["s"], [text], [knowledge]))[0].tolist(), strict=True))


def test_features_by_hand():
    result = features(
        "Varn was founded in 1912 near Tesk",
        "Varn was founded by monks.\n\nIn 1912 it burned. The town is near the sea.",
    )
    # words: Varn was founded in 1912 near Tesk; content: Varn founded 1912 near Tesk (near is no stop word),
    # Tesk alone is absent
    assert result["absent_rate"] == pytest.approx(1 / 5) and result["stem_rate"] == 0
    # the first passage holds Varn, founded; the second 1912, near: either lacks 3 of 5
    assert result["best_absent_rate"] == pytest.approx(3 / 5)
    # the longest runs: "Varn was founded" (3 of 7 words)
    assert result["outside_run_rate"] == pytest.approx(4 / 7)
    assert result["absent_number_rate"] == 0 and result["absent_name_rate"] == pytest.approx(
        1 / 2
    )  # Varn, Tesk
    assert (result["log_words"], result["log_evidence"]) == pytest.approx((np.log(8), np.log(3)))


@pytest.mark.parametrize(("covered", "beside", "longest"), CASES["longest_run"])
def test_the_longest_run(covered, beside, longest):
    assert longest_run(np.array(covered, dtype=bool), np.array(beside, dtype=bool)) == longest


# ---- on real claims ----------------------------------------------------------------------------------------


def test_on_factcheckgpt_it_tells_little(tmp_path):
    """κ .16 over 320 claims (interval from below 0 to .34), accuracy .66 where `never` has .76: words alone
    do not verify.
    """
    folder = DATA / "factcheckgpt"
    if not (folder / "responses.jsonl").is_file():
        pytest.skip(f"no factcheckgpt/responses.jsonl under {DATA}; name the folder in TRUERATE_DATA")
    tables = read_source("f", Source(reader="factcheckgpt", path="."), folder, "stop")
    expected = with_evidence(contexts(tables.samples), tables.samples, tables.documents)
    names = ["always", "never", "support"]
    fit_family(names, tables.samples, expected, 7, folder=tmp_path, n_folds=5)
    judged = judge_family(names, tables.samples, expected, folder=tmp_path, n_folds=5)
    labels = dict(tables.samples.select("sample_id", "is_hallucinated").iter_rows())
    kappa = {}
    for (name,), part in judged.group_by("judge"):
        label = np.array([labels[target] for target in part["target_id"]], dtype=int)
        kappa[name] = float(cohen_kappa(contingency(label, part["verdict"].to_numpy().astype(int), 2)))
    assert kappa["always"] == kappa["never"] == 0 and 0.05 < kappa["support"] < 0.3
