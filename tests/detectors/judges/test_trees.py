"""The form `trees`: what it marks and decides, and that no text decides about itself."""

import numpy as np
import polars as pl
import pytest
from pydantic import ValidationError

from truerate.config import Judging
from truerate.core.errors import TruerateError
from truerate.core.schemas import Judgement, pair, validate
from truerate.detectors.judges.family import check_judge, fitted, judge_one, judge_texts
from truerate.detectors.judges.judged import load_decision
from truerate.detectors.judges.trees import Marker, Words, is_marker, out_of_fold

from ..fitting import fit_judges
from .dialogues import responses

HOW = Judging(form="trees", folds=3)
ASKED = responses(30, start=500)


def judged(folder, passages, asked=ASKED):
    """What a judge that learned from passages says of others."""
    fit_judges({"judge": HOW}, passages, {}, seeds=[42], folder=folder / "out", scratch=folder / "scratch")
    return judge_texts({"judge": HOW}, asked, {}, folder=folder / "out")


@pytest.fixture(scope="module")
def fitted_judge(tmp_path_factory):
    """A folder in which a judge learned, and what it says of the responses of towns that it never saw."""
    folder = tmp_path_factory.mktemp("trees")
    return folder, judged(folder, responses(60))


def test_verdicts_agree_with_labels_and_say_how_they_came_about(fitted_judge):
    validate(Judgement, fitted_judge[1], where="the judge")
    rows = ASKED.join(fitted_judge[1].drop("spans"), on="target_id")
    rates = rows.group_by("is_hallucinated").agg(pl.col("verdict").mean()).sort("is_hallucinated")["verdict"]
    assert rates[0] < 0.2 and rates[1] > 0.85
    threshold = rows.select(pair("attributes", "threshold").cast(pl.Float64)).to_series()
    assert (rows["verdict"] == (rows["p"] > threshold)).all()
    given = {item["key"]: item["value"] for item in fitted_judge[1]["attributes"][0]}
    assert given["form"] == "trees" and given["composed"] == "yes"


def test_segments_lie_where_the_labels_are(fitted_judge):
    both = gold = detected = 0
    rows = ASKED.filter("is_hallucinated").join(fitted_judge[1], on="target_id", suffix="_said")
    for row in rows.iter_rows(named=True):
        marked, labelled = (
            {i for span in row[name] for i in range(span["start"], span["end"])}
            for name in ("spans_said", "spans")
        )
        both, gold, detected = both + len(marked & labelled), gold + len(labelled), detected + len(marked)
    assert 2 * both / (gold + detected) > 0.8


def test_the_same_responses_give_the_same_bytes(fitted_judge, tmp_path):
    repeated = judged(tmp_path, responses(60).reverse())
    assert repeated.equals(fitted_judge[1])
    files = [path.relative_to(tmp_path / "out") for path in (tmp_path / "out").rglob("*.*")]
    assert {path.name for path in files} == {"decision.json", "facts.json", "state.npz"}
    assert all(
        (tmp_path / "out" / path).read_bytes() == (fitted_judge[0] / "out" / path).read_bytes()
        for path in files
    )


def test_one_response_is_judged_as_among_others(fitted_judge):
    (reader,) = fitted("judge", HOW, {}, fitted_judge[0] / "out")
    assert is_marker(reader.folder) and Marker.load(reader.folder).decision == load_decision(reader.folder)
    row = ASKED.join(fitted_judge[1].filter("verdict"), on="target_id", suffix="_said").row(0, named=True)
    observed = {name: row[name] for name in ("knowledge", "history", "question")}
    item = judge_one(reader, row["text"], **observed)
    assert (item.verdict, item.p, item.rationale) == (True, row["p"], row["rationale"])
    assert judge_one(reader, "…", **observed).verdict is False


def test_what_is_not_told_by_the_knowledge_moves_the_verdict(fitted_judge):
    """Judged against knowledge that holds nothing, more is called hallucinated."""
    (reader,) = fitted("judge", HOW, {}, fitted_judge[0] / "out")
    clean = ASKED.filter(~pl.col("is_hallucinated"))
    blind = judge_texts(
        {"judge": HOW}, clean.with_columns(knowledge=pl.lit("")), {}, folder=fitted_judge[0] / "out"
    )
    assert blind["p"].mean() > 2 * clean.join(fitted_judge[1], on="target_id")["p"].mean()
    assert not reader.folder.joinpath("network").exists()


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


def test_without_texts_to_learn_from_nothing_is_said(tmp_path):
    nothing = responses(4).filter(~pl.col("is_hallucinated"))
    answer = judged(tmp_path, nothing, ASKED.head(3))
    assert set(answer["reason"]) == {"not-fitted"} and answer["verdict"].null_count() == 3


def test_wrong_settings_are_one_line(tmp_path):
    with pytest.raises(ValidationError, match="form trees takes no `backbone`"):
        Judging(form="trees", backbone="small", folds=3)
    with pytest.raises(ValidationError, match="form tiny needs a `backbone`"):
        Judging(form="tiny", folds=3)
    check_judge("judge", HOW, {})
    with pytest.raises(TruerateError, match="run `dvc repro train`"):
        Marker.load(tmp_path)
