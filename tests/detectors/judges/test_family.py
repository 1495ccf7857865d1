"""A family of judges at work: what it learns, what its rows say, and that a kill changes nothing."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import polars as pl
import pytest
import torch

from truerate.config import Judging
from truerate.core.errors import TruerateError
from truerate.core.schemas import SPANS, pair
from truerate.detectors.judges.family import check_judge, fitted, judge_one
from truerate.detectors.judges.judged import reference_of, training_passages, with_references
from truerate.detectors.training.jobs import CHECKPOINT

from .dialogues import HOW, backbone, judged, located_f1, responses, same_files, verdict_rates

TESTS = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _one_thread():
    torch.set_num_threads(1)


def test_verdicts_agree_with_labels_and_say_how_they_came_about(learned_judge):
    _, asked, answer = learned_judge
    rates = verdict_rates(asked, answer)
    assert rates[0] < 0.3 and rates[1] > 0.75
    given = {item["key"]: item["value"] for item in answer["attributes"][0]}
    assert given | {"threshold": ""} == {
        "composed": "yes", "form": "tiny", "labels": "binary", "scope": "multi", "seed": "42", "threshold": "",
    }  # fmt: skip


def test_what_is_judged_hallucinated_has_a_segment_and_a_reason_and_nothing_else_has(learned_judge):
    _, asked, answer = learned_judge
    for row in asked.select("target_id", "text").join(answer, on="target_id").iter_rows(named=True):
        quoted = [row["text"][span["start"] : span["end"]] for span in row["spans"]]
        assert bool(quoted) == bool(row["rationale"]) == row["verdict"]
        assert all(f'"{" ".join(part.split())}"' in row["rationale"] for part in quoted[:3])


def test_segments_lie_where_the_labels_are(learned_judge):
    assert located_f1(*learned_judge[1:]) > 0.75


def test_the_same_responses_give_the_same_bytes(tmp_path):
    asked = responses(3, start=500)
    lessons = {"a": responses(12), "b": responses(12).reverse()}
    answer = [
        judged(tmp_path / name, item, asked, how=backbone(max_steps=3)) for name, item in lessons.items()
    ]
    assert answer[0].equals(answer[1])
    names = same_files(tmp_path / "a" / "out", tmp_path / "b" / "out")
    assert names >= {"decision.json", "facts.json", "model.safetensors"}


def test_without_texts_to_learn_from_nothing_is_said(tmp_path):
    asked = responses(2, start=500)
    for nothing in (responses(4).clear(), responses(4).filter(~pl.col("is_hallucinated"))):
        answer = judged(tmp_path / str(nothing.height), nothing, asked)
        assert answer["verdict"].null_count() == asked.height and set(answer["reason"]) == {"not-fitted"}
        assert set(answer["status"]) == {"unparsed"} and answer["p"].null_count() == asked.height


def test_a_hallucinated_text_of_which_nobody_knows_where_teaches_nothing(tmp_path):
    expected, asked = responses(12), responses(3, start=500)
    unlocated = expected.filter("is_hallucinated").with_columns(
        spans=pl.col("spans").list.head(0), target_id=pl.format("{}-x", "target_id")
    )
    first = judged(tmp_path / "a", expected, asked, how=backbone(max_steps=4))
    second = judged(tmp_path / "b", pl.concat([expected, unlocated]), asked, how=backbone(max_steps=4))
    assert first.equals(second)


def test_each_seed_is_a_judge_of_its_own(tmp_path):
    asked = responses(2, start=500)
    for seed in (42, 47):
        answer = judged(tmp_path, responses(6), asked, how=backbone(max_steps=2), seeds=(seed,))
    assert answer.height == 2 * asked.height and answer["judgement_id"].n_unique() == answer.height
    assert answer.select(pair("attributes", "seed")).to_series().unique().sort().to_list() == ["42", "47"]


def test_one_response_is_judged_as_among_others(learned_judge):
    folder, asked, answer = learned_judge
    (reader,) = fitted("judge", HOW, {"small": backbone()}, folder / "out")
    row = asked.join(answer.filter("verdict"), on="target_id", suffix="_said").row(0, named=True)
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
    from detectors.judges.dialogues import judged
    judged(Path({folder!r}), responses(12), responses(2, start=500), how=backbone(max_steps=16, checkpoint_steps=4))
"""


@pytest.mark.proof
def test_a_killed_training_goes_on_to_the_same_judge(tmp_path):
    how, asked = backbone(max_steps=16, checkpoint_steps=4), responses(2, start=500)
    whole = judged(tmp_path / "whole", responses(12), asked, how=how)
    code = textwrap.dedent(SCRIPT.format(tests=str(TESTS), folder=str(tmp_path / "cut")))
    cut = subprocess.Popen([sys.executable, "-c", code])
    while not list((tmp_path / "cut").rglob(CHECKPOINT)) and cut.poll() is None:
        time.sleep(0.01)
    os.kill(cut.pid, signal.SIGKILL)
    assert cut.wait() == -signal.SIGKILL
    assert judged(tmp_path / "cut", responses(12), asked, how=how).equals(whole)


# ---- conversations -----------------------------------------------------------------------------------------
def test_the_reference_is_the_knowledge_then_the_conversation_latest_first():
    answer = reference_of("It is old.", "User: Hi.\nAssistant: Hello.", "Is it old?")
    assert answer.split("\n") == ["It is old.", "Is it old?", "Assistant: Hello.", "User: Hi."]


def test_a_question_that_ends_the_history_stands_once():
    assert reference_of("", "[Human]: Is it old?", "Is it old?") == "[Human]: Is it old?"
    assert reference_of("", "", "") == ""


def test_what_an_item_lacks_is_empty():
    names = ("knowledge", "history", "question")
    item = pl.DataFrame([(None, None, "Why?")], schema=dict.fromkeys(names, pl.String), orient="row")
    assert with_references(item)["reference"].to_list() == ["Why?"]


def test_a_hallucinated_text_without_a_place_is_left_out_and_a_clean_one_has_none():
    spans = [{"start": 0, "end": 2, "type": "x", "p": None}]
    rows = [
        ("found", True, spans),
        ("lost", True, []),
        ("clean", False, []),
        ("untold", None, spans),
        ("odd", False, spans),
    ]
    table = pl.DataFrame(
        rows, schema={"target_id": pl.String, "is_hallucinated": pl.Boolean, "spans": SPANS}, orient="row"
    )
    kept = training_passages(table)
    assert kept["target_id"].to_list() == ["found", "clean", "untold", "odd"]
    assert kept["spans"].list.len().to_list() == [1, 0, 1, 0]
