import json

import polars as pl
import pytest

from truerate.core.errors import TruerateError
from truerate.core.schemas import Judgement, validate
from truerate.detectors.family import fit_family, judge_family, member, members

from .labelled_texts import contexts, samples

RIGHT = ["Paris", "in Rome", "Oslo fjord", "1889", "Bern", "green"]
WRONG = ["It is Lyon, far away.", "They say it is Turin.", "It must be Bergen then.", "It was in 1887."]
WRONG += ["It is Basel, surely.", "It is quite red."]
SET = samples([(text, False) for text in RIGHT] + [(text, True) for text in WRONG])
CONTEXTS = contexts(SET, "Paris in Rome, Oslo fjord 1889 Bern green")


def test_every_member_fits_judges_and_keeps_the_schema(tmp_path):
    names = list(members())
    for name in names:
        member(name).fit(SET, CONTEXTS, 7).save(tmp_path)
    each = [member(name).load(tmp_path).judge(SET, CONTEXTS) for name in names]
    judged = validate(Judgement, pl.concat(each), where="here")
    assert judged.height == len(names) * 12 and judged["judge"].unique(maintain_order=True).to_list() == names
    labels = SET["is_hallucinated"].to_list()
    verdicts = {name: judged.filter(judge=name)["verdict"].to_list() for name in names}
    for name in ("length", "punctuation", "answer-ngrams", "overlap", "lexical-lr"):
        assert verdicts[name] == labels, name
    assert verdicts["always"] == [True] * 12 and verdicts["never"] == [False] * 12


def test_the_same_samples_give_the_same_bytes_in_any_order(tmp_path):
    names = list(members())
    for folder, table in (("a", SET), ("b", SET.reverse())):
        fit_family(names, table, CONTEXTS, 7, folder=tmp_path / folder, n_folds=2)
    for name in names:
        first, second = ((tmp_path / index / "fold-1" / f"{name}.json").read_bytes() for index in "ab")
        assert first == second and json.loads(first)["name"] == name


def test_no_text_is_judged_by_a_state_that_saw_its_group(tmp_path):
    """Turning the labels of one group round changes what others learn, never what is said of that group."""
    names, group = ["length", "answer-ngrams"], SET["group_id"][0]
    turned = SET.with_columns(is_hallucinated=pl.col("is_hallucinated") ^ (pl.col("group_id") == group))
    reply = {}
    for index, table in (("a", SET), ("b", turned)):
        fit_family(names, table, CONTEXTS, 7, folder=tmp_path / index, n_folds=3)
        judged = judge_family(names, table, CONTEXTS, folder=tmp_path / index, n_folds=3)
        assert judged.height == len(names) * SET.height
        reply[index] = dict(zip(judged["judgement_id"], judged["p"], strict=True))
    single = set(
        judged.join(SET.filter(group_id=group), left_on="target_id", right_on="sample_id")["judgement_id"]
    )
    assert {name: reply["a"][name] for name in single} == {name: reply["b"][name] for name in single}
    assert reply["a"] != reply["b"]


def test_without_a_labelled_text_nothing_is_fitted_and_of_one_group_alone_it_is_an_error(tmp_path):
    names, how = list(members()), {"folder": tmp_path, "n_folds": 3}
    fit_family(names, SET.clear(), CONTEXTS, 7, **how)
    assert judge_family(names, SET.clear(), CONTEXTS, **how).is_empty() and not list(tmp_path.rglob("*.json"))
    with pytest.raises(TruerateError, match="no labelled texts to learn from"):
        fit_family(names, SET.head(1), CONTEXTS, 7, **how)


def test_an_unknown_member_names_the_allowed(tmp_path):
    with pytest.raises(
        TruerateError,
        match="'lenght' is not known; allowed: always, answer-ngrams, length, lexical-lr, never",
    ):
        fit_family(["lenght"], SET, CONTEXTS, 7, folder=tmp_path, n_folds=2)


def test_a_missing_state_is_one_line(tmp_path):
    with pytest.raises(TruerateError, match="reading detector 'length'.*run `dvc repro train`"):
        judge_family(["length"], SET, CONTEXTS, folder=tmp_path, n_folds=2)


# ---- per task ----------------------------------------------------------------------------------------------
def judged(detector, of, knowledge=""):
    return detector.judge(of, contexts(of, knowledge)).select("verdict", "p", "status").rows()


def test_each_task_has_its_own_threshold():
    """In qa the long texts are hallucinated, in summarization the short ones."""
    short, long = "one two", "one two three four five six"
    qa = samples([(short, False), (long, True)] * 3)
    summaries = samples([(short, True), (long, False)] * 3, task="summarization")
    both = pl.concat([qa, summaries])
    detector = member("length").fit(both, contexts(both), 7)
    assert [verdict for verdict, *_ in judged(detector, qa)] == [False, True] * 3
    assert [verdict for verdict, *_ in judged(detector, summaries)] == [True, False] * 3


def test_a_task_that_training_did_not_hold_uses_what_all_tasks_taught():
    detector = member("length").fit(
        samples([("short", False), ("a much longer text", True)] * 3), contexts(samples([])), 7
    )
    assert [
        verdict
        for verdict, *_ in judged(
            detector, samples([("tiny", False), ("a rather long text", True)], task="general")
        )
    ] == [False, True]


def test_judgements_follow_the_order_of_samples_and_have_stable_names():
    mixed = pl.concat(
        [samples([("a b c", True)], task=task) for task in ("qa", "general")]
        + [samples([("a", False)], task="dialogue")]
    )
    mixed = mixed[[2, 0, 1]]
    detector = member("length").fit(mixed, contexts(mixed), 7)
    first = detector.judge(mixed, contexts(mixed))
    assert first["target_id"].to_list() == mixed["sample_id"].to_list()
    repeated = member("length").fit(mixed, contexts(mixed), 7).judge(mixed[[1, 0, 2]], contexts(mixed))
    assert set(first["judgement_id"]) == set(repeated["judgement_id"])
    assert first["judgement_id"].n_unique() == 3
