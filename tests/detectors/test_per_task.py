import polars as pl

from truerate.detectors.family import member

from .labelled_texts import contexts, samples


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
    assert (
        set(first["judgement_id"]) == set(repeated["judgement_id"]) and first["judgement_id"].n_unique() == 3
    )
