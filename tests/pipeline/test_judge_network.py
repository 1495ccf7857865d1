"""A token detector answers as a judge: verdict, segments of the response, and a composed reason."""

import pytest
import torch

from tests.detectors.fitting import fit_judges
from tests.detectors.judges.dialogues import responses
from tests.detectors.tokens import small_networks as small
from truerate.config import Judging
from truerate.core.errors import TruerateError
from truerate.detectors.judges.decision import Decision
from truerate.detectors.judges.family import judge_texts
from truerate.detectors.judges.judged import save_decision
from truerate.llm.replies.located import located_verdict
from truerate.pipeline.judges.judge_network import network_judge, passage_of, turns_of
from truerate.pipeline.judges.judge_prompts import NOTHING, Asked

torch.set_num_threads(1)
CUE = "Judgement And Reason"


def question(response, *, wants_reason=True, conversation="User: When?\nAssistant: Hm.\nUser: Well?"):
    return Asked(small.REFERENCE, conversation, response, wants_reason)


def test_turns_are_told_as_sources_tell_them():
    assert turns_of("User: When?\nAssistant: Hm.\nUser: Well?\nSay!") == (
        "[Human]: When?\n[Assistant]: Hm.",
        "Well?\nSay!",
    )
    assert turns_of("Assistant: Hm.") == ("[Assistant]: Hm.", "") and turns_of("") == ("", "")


def test_a_response_is_read_against_knowledge_and_conversation():
    (row,) = passage_of(question("In 1899.")).to_dicts()
    assert row["text"] == "In 1899." and row["spans"] == []
    assert row["reference"].splitlines() == [
        small.REFERENCE,
        "Well?",
        "[Assistant]: Hm.",
        "[Human]: When?",
    ]


@pytest.fixture(scope="module")
def cell(tmp_path_factory):
    """The folder of a fitted judge, with its network in the published form."""
    folder = tmp_path_factory.mktemp("published") / "cell"
    small.network().save(folder / "network")
    return folder


def test_replies_are_read_back_as_they_are_meant(cell):
    judge, identity = network_judge(str(cell))
    assert identity == network_judge(str(cell / "network"))[1]
    for text in small.ANSWERS:
        long, short = judge(question(text)), judge(question(text, wants_reason=False))
        read = located_verdict(long, text, CUE, knowledge=small.REFERENCE)
        assert read.value is (short == "Yes") and short in ("Yes", "No")
        assert read.n_not_located == 0
        assert bool(read.segments) is read.value or len(text) < 3  # too short to be quoted
    assert judge(question(" ")) == NOTHING


@pytest.mark.parametrize(("threshold", "word"), [(0.0, "Yes"), (0.999999, "No")])
def test_a_fitted_judge_decides_as_it_learned_to(cell, tmp_path, threshold, word):
    folder = tmp_path / "judge"
    small.network().save(folder / "network")
    save_decision(Decision(threshold=threshold), folder)
    judge, identity = network_judge(str(folder))
    assert all(judge(question(text, wants_reason=False)) == word for text in small.ANSWERS[:4])
    assert identity != network_judge(str(cell))[1]  # the decision is a part of what answers


def test_a_folder_without_a_detector_is_one_line(tmp_path):
    with pytest.raises(TruerateError, match="no token detector in it"):
        network_judge(str(tmp_path))


def test_a_judge_by_trees_answers_as_within_a_build(tmp_path):
    asked = responses(6, start=500)
    judges = {"judge": Judging(form="trees", folds=3)}
    fit_judges(judges, responses(30), {}, seeds=[42], folder=tmp_path / "out", scratch=tmp_path / "scratch")
    said = judge_texts(judges, asked, {}, folder=tmp_path / "out")
    (cell,) = (tmp_path / "out" / "judge").iterdir()
    judge, identity = network_judge(str(cell))
    for row in asked.join(said, on="target_id", suffix="_said").iter_rows(named=True):
        lines = row["history"].splitlines()
        conversation = "\n".join([*lines, f"User: {row['question']}"])
        told = judge(Asked(row["knowledge"], conversation, row["text"], True))
        read = located_verdict(told, row["text"], CUE, knowledge=row["knowledge"])
        assert read.value is row["verdict"] and bool(read.segments) is read.value
    (cell / "decision.json").write_text('{"threshold": 0.99}', "utf-8")
    assert network_judge(str(cell))[1] != identity
