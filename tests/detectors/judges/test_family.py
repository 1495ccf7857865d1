"""A family of judges at work: what it learns, what its rows say, and that a kill changes nothing."""

from pathlib import Path

import polars as pl
import pytest
import torch

from truerate.config import Judging
from truerate.core.errors import TruerateError
from truerate.core.schemas import Judgement, pair, validate
from truerate.detectors.judges.family import check_judge, fitted, judge_one

from .dialogues import HOW, backbone, judged, responses

JUDGES, TESTS = {"judge": HOW}, Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _one_thread():
    torch.set_num_threads(1)


def test_verdicts_agree_with_labels_and_say_how_they_came_about(learned_judge):
    _, asked, reply = learned_judge
    validate(Judgement, reply, where="the judge")
    rows = asked.join(reply.drop("spans"), on="target_id")
    rates = rows.group_by("is_hallucinated").agg(pl.col("verdict").mean()).sort("is_hallucinated")["verdict"]
    assert rates[0] < 0.3 and rates[1] > 0.75
    threshold = rows.select(pair("attributes", "threshold").cast(pl.Float64)).to_series()
    assert (rows["verdict"] == (rows["p"] > threshold)).all()
    values = {item["key"]: item["value"] for item in reply["attributes"][0]}
    assert values | {"threshold": ""} == {
        "composed": "yes", "form": "tiny", "labels": "binary", "scope": "multi", "seed": "42", "threshold": "",
    }  # fmt: skip


def test_without_texts_to_learn_from_nothing_is_said(tmp_path):
    asked = responses(2, start=500)
    for nothing in (responses(4).clear(), responses(4).filter(~pl.col("is_hallucinated"))):
        reply = judged(tmp_path / str(nothing.height), nothing, asked)
        assert reply["verdict"].null_count() == asked.height and set(reply["reason"]) == {"not-fitted"}
        assert set(reply["status"]) == {"unparsed"} and reply["p"].null_count() == asked.height


def test_one_response_is_judged_as_among_others(learned_judge):
    folder, asked, reply = learned_judge
    (reader,) = fitted("judge", HOW, {"small": backbone()}, folder / "out")
    row = asked.join(reply.filter("verdict"), on="target_id", suffix="_said").row(0, named=True)
    item = judge_one(
        reader, row["text"], knowledge=row["knowledge"], history=row["history"], question=row["question"]
    )
    assert (item.verdict, item.rationale) == (row["verdict"], row["rationale"])


def test_wrong_settings_are_one_line(tmp_path):
    with pytest.raises(TruerateError, match="no backbone 'lost'"):
        check_judge("judge", Judging(form="tiny", backbone="lost", folds=3), {"small": backbone()})
    with pytest.raises(TruerateError, match="form causal reads from left to right"):
        check_judge("judge", Judging(form="causal", backbone="small", folds=3), {"small": backbone()})
    with pytest.raises(TruerateError, match="run `dvc repro train`"):
        list(fitted("judge", HOW, {"small": backbone()}, tmp_path))


SCRIPT = """
    import sys
    from pathlib import Path
    sys.path.insert(0, {tests!r})
    import torch
    torch.set_num_threads(1)
    from detectors.judges.dialogues import backbone, responses
    from detectors.judges.test_family import judged
    judged(Path({folder!r}), responses(12), responses(2, start=500), how=backbone(max_steps=16, checkpoint_steps=4))
"""
