"""The form `trees`: what it marks and decides, and that no text decides about itself."""

import numpy as np
import polars as pl
import pytest
from pydantic import ValidationError

from truerate.config import Judging
from truerate.core.errors import TruerateError
from truerate.core.schemas import Judgement, pair, validate
from truerate.detectors.judges.family import check_judge, fit_judges, fitted, judge_one, judge_texts
from truerate.detectors.judges.trees import Marker, Words, is_marker, out_of_fold

from .dialogues import responses

HOW = Judging(form="trees", folds=3)
ASKED = responses(30, start=500)


def judged(folder, passages, asked=ASKED):
    """What a judge that learned from passages says of others."""
    fit_judges({"judge": HOW}, passages, {}, seeds=[42], folder=folder / "out", scratch=folder / "scratch")
    return judge_texts({"judge": HOW}, asked, {}, folder=folder / "out")


@pytest.fixture(scope="module")
def learned(tmp_path_factory):
    """A folder in which a judge learned, and what it says of the responses of towns that it never saw."""
    folder = tmp_path_factory.mktemp("trees")
    return folder, judged(folder, responses(60))


def test_verdicts_agree_with_labels_and_say_how_they_came_about(learned):
    validate(Judgement, learned[1], where="the judge")
    rows = ASKED.join(learned[1].drop("spans"), on="target_id")
    rates = rows.group_by("is_hallucinated").agg(pl.col("verdict").mean()).sort("is_hallucinated")["verdict"]
    assert rates[0] < 0.2 and rates[1] > 0.85
    threshold = rows.select(pair("attributes", "threshold").cast(pl.Float64)).to_series()
    assert (rows["verdict"] == (rows["p"] > threshold)).all()
    values = {item["key"]: item["value"] for item in learned[1]["attributes"][0]}
    assert values["form"] == "trees" and values["composed"] == "yes"


def test_one_response_is_judged_as_among_others(learned):
    (reader,) = fitted("judge", HOW, {}, learned[0] / "out")
    assert is_marker(reader.folder) and Marker.load(reader.folder).decision == reader.decision
    row = ASKED.join(learned[1].filter("verdict"), on="target_id", suffix="_said").row(0, named=True)
    recorded = {name: row[name] for name in ("knowledge", "history", "question")}
    item = judge_one(reader, row["text"], **recorded)
    assert (item.verdict, item.p, item.rationale) == (True, row["p"], row["rationale"])
    assert judge_one(reader, "…", **recorded).verdict is False


def test_no_word_is_told_its_own_label():
    """With the labels of one fold turned round, what is read of that fold is the same to the digit."""
    draw = np.random.default_rng(1)
    features, sizes = draw.integers(0, 4, (400, 3)).astype(float), [4] * 100
    marked, fold = features[:, 0] + draw.normal(0, 0.5, 400) > 2, np.arange(100) % 3
    turned = np.where(np.repeat(fold == 1, 4), ~marked, marked)
    p, other = (out_of_fold(Words(features, item, sizes), fold, 42) for item in (marked, turned))
    inside = np.repeat(fold == 1, 4)
    assert np.array_equal(p[inside], other[inside]) and not np.array_equal(p[~inside], other[~inside])
    assert p[marked].mean() > 3 * p[~marked].mean()


def test_wrong_settings_are_one_line(tmp_path):
    with pytest.raises(ValidationError, match="form trees takes no `backbone`"):
        Judging(form="trees", backbone="small", folds=3)
    with pytest.raises(ValidationError, match="form tiny needs a `backbone`"):
        Judging(form="tiny", folds=3)
    check_judge("judge", HOW, {})
    with pytest.raises(TruerateError, match="run `dvc repro train`"):
        Marker.load(tmp_path)


def test_each_seed_is_a_judge_of_its_own(tmp_path):
    folders = {"folder": tmp_path / "out", "scratch": tmp_path / "scratch"}
    fit_judges({"judge": HOW}, responses(12), {}, seeds=(42, 47), **folders)
    reply = judge_texts({"judge": HOW}, ASKED.head(4), {}, folder=tmp_path / "out")
    assert reply.height == reply["judgement_id"].n_unique() == 8
    assert reply.select(pair("attributes", "seed")).to_series().unique().sort().to_list() == ["42", "47"]
