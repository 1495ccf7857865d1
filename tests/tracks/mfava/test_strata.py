"""Places of sentences by hand."""

import numpy as np
import pytest

from truerate.metrics.tokens import offsets_by, token_line
from truerate.tracks.mfava.marking import Detector
from truerate.tracks.mfava.rates import NAMES, strata_sums, stratum_of, stratum_rows

from .made_scores import WRITER

SHORT = "One two. Three. Four five"
LONG = "One two. Three. Four. Five. Six seven. Eight"
TEXTS = [SHORT, "", LONG, "五。六。七。"]


def line():
    return token_line(TEXTS, offsets_by("words"))


def test_a_token_stands_in_the_stratum_of_its_sentence_and_its_text():
    found = [NAMES[place - 1] for place in stratum_of(line(), TEXTS).tolist()]
    short = ["short-1-2"] * 3 + ["short-3-4"] * 2
    long = ["long-1-2"] * 3 + ["long-3-4"] * 2 + ["long-5"] * 3
    assert found == [*short, *long, "short-1-2", "short-1-2", "short-3-4"]


def test_sums_of_strata_are_those_of_texts():
    cut = line()
    kept = np.arange(len(cut.starts)) % 2 == 0
    sums = strata_sums(cut, stratum_of(cut, TEXTS), np.ones_like(kept), kept)
    assert sums.shape == (4, len(NAMES), 2)
    assert sums.sum(axis=1)[:, 0].tolist() == cut.sizes.tolist() == [5, 0, 8, 3]
    assert sums.sum(axis=1)[:, 1].tolist() == cut.per_text(kept).tolist()


def test_errors_at_each_place_are_shares_of_its_tokens():
    sums = np.zeros((2, len(NAMES), 4))
    sums[0, 0], sums[1, 0] = [10, 4, 5, 3], [10, 0, 1, 0]  # 3 of 4 gold are marked; of 6 + 10 others 2 + 1
    rows = stratum_rows(Detector("tree", "multi", "binary"), "natural", sums, np.array(["a", "b"]), WRITER)
    told = {
        (row["metric"], pair["value"]): (row["value"], row["n"])
        for row in rows
        for pair in row["slice"]
        if pair["key"] == "stratum"
    }
    assert told["stratum_fpr", "short-1-2"] == (pytest.approx(3 / 16), 2)
    assert told["stratum_recall", "short-1-2"] == (pytest.approx(3 / 4), 1)
    assert {told[metric, "long-5"] for metric in ("stratum_fpr", "stratum_recall")} == {(None, 0)}
