"""From replies to the data set: what is kept, what is rejected and why, and how making it is scored."""

import polars as pl
import pytest

from truerate.config import Statistics
from truerate.core.keys import split_of
from truerate.core.schemas import Reject, Sample, Score, frame, pairs, validate
from truerate.llm.generation import facts, generations
from truerate.metrics.score_writer import ScoreWriter
from truerate.tracks.halueval import dataset, filtering, sampling
from truerate.tracks.halueval.context import contexts
from truerate.tracks.halueval.dataset_scores import score_candidates, score_filtering, score_labels
from truerate.tracks.halueval.filtering import Pick

from .builders import dead, item, ok, prompter, sample, settings, tables

WRITER = ScoreWriter("board", "digest", Statistics(confidence=0.95, n_bootstrap=200, alpha=0.05), 7)
TABLES = tables([item(f"i{k}") for k in range(4)])
FOUND = contexts(TABLES.items, TABLES.documents)
ONE_PASS = {
    "i0": ok("Wrong 0"),
    "i1": ok("right i1."),
    "i2": ok("I cannot help with that."),
    "i3": dead("timeout"),
}
TAUGHT = {
    "i0": ok("Also wrong 0"),
    "i1": ok("a wrong answer that is quite a bit too long"),
    "i2": ok(" ... "),
    "i3": ok("Wrong 3"),
}


def candidates():
    rows_of = sampling.drafts(list(FOUND.values()), prompter())
    instructions = sampling.instruct(
        rows_of, "gen", settings(), lambda turns: [ok("Understood.")] * len(turns)
    )
    asked = sampling.requests(rows_of, instructions, "gen", settings())
    replies = [
        (ONE_PASS if draft.scheme == "one-pass" else TAUGHT)[draft.context.item_id] for draft in rows_of
    ]
    return dataset.checked(generations(sampling.collect(rows_of, asked, replies)), FOUND, slack=5)


def choices(*replies):
    contests = filtering.contests(dataset.generated_candidates(candidates(), "gen"), FOUND)
    asked = filtering.requests(contests, "judge", prompter(), origin="generated")
    return generations(filtering.collect(asked, replies))


def chosen(*replies):
    ours = dataset.generated_candidates(candidates(), "gen")
    rows = choices(*replies).sort("generation_id").to_dicts()
    return filtering.picks(rows, ours, origin="generated", seed=7)


def test_every_other_candidate_is_rejected_with_its_reason():
    rows_of = dataset.rejects(
        candidates(), chosen(ok("Answer 1"), ok("Answer 2")), candidates().clear(), generator="gen"
    )
    validate(Reject, rows_of, where="rejects")
    assert sorted(rows_of["reason"]) == ["dead", "empty", "filtered_out", "refusal", "same_as_right"]
    kept = [candidate.candidate_id for candidate in chosen(ok("Answer 1"), ok("Answer 2")).values()]
    assert not set(kept) & set(rows_of["target_id"]) and len(kept) + rows_of.height == 8


def test_samples_made_here_follow_the_split_that_the_source_brings():
    """Of a group that was published in both splits nothing is learned here; one of which nothing is said
    stays where its hash puts it.
    """
    rows = dataset.pair_samples(candidates(), chosen(ok("Answer 2"), ok("Answer 1")), FOUND)
    assert {row["group_id"] for row in rows} == {"g-i0", "g-i1", "g-i3"}
    brought = [("g-i0", "train"), ("g-i1", "test"), ("g-i1", "train"), ("g-i3", "test")]
    for other, sides in (
        (None, {"g-i0": "train", "g-i1": "test", "g-i3": "test"}),
        ("g-i3", {"g-i0": "train", "g-i1": "test"}),
    ):
        published = []
        for k, (group, split) in enumerate(brought):
            of_source = {"published_split": split if group != other else None}
            published.append(sample(f"s{k}", group[2:], True, split=split, attributes=of_source))
        rows_of = dataset.following(frame(Sample, rows), frame(Sample, published))
        assert {group: {side} for group, side in sides.items()}.items() <= {
            name: set(part["split"]) for (name,), part in rows_of.group_by("group_id")
        }.items()
    assert set(rows_of.filter(group_id="g-i3")["split"]) == {split_of("g-i3")}


def test_pairs_of_right_and_hallucinated_texts():
    picks = chosen(ok("Answer 2"), ok("Answer 1"))
    assert {name: pick.pick for name, pick in picks.items()} == {"i0": "agreed", "i1": "only", "i3": "only"}
    rows_of = frame(Sample, dataset.pair_samples(candidates(), picks, FOUND))
    validate(Sample, rows_of, where="samples")
    assert (
        rows_of.height == 6 and rows_of["pair_id"].n_unique() == 3 and rows_of["is_hallucinated"].sum() == 3
    )
    wrong, right = rows_of.filter(item_id="i0").sort("is_hallucinated", descending=True).iter_rows(named=True)
    assert (wrong["text"], right["text"]) == ("Also wrong 0", "Right i0")
    assert facts(right) == {"pick": "agreed", "candidate_scheme": "conversational"}
    assert wrong["generator"] == "gen" and right["generator"] is None and wrong["pattern"]


def test_published_samples_pass_through_and_filtering_marks_its_choice():
    rows = [
        sample(f"h{k}", "i0", True, pair_id=f"p{k}", attributes={"scheme": name})
        for k, name in enumerate(("one-pass", "conversational"))
    ]
    rows += [
        sample("probe", "g", True, task="general", attributes={"is_probe": True}),
        sample("g1", "g", False, task="general"),
    ]
    published, probes = dataset.without_probes(frame(Sample, rows), ("qa",))
    assert published["sample_id"].to_list() == ["h0", "h1"] and probes["sample_id"].to_list() == ["probe"]
    assert [candidate.scheme for candidate in dataset.published_candidates(published)["i0"]] == [
        "one-pass",
        "conversational",
    ]
    marked = dataset.with_picks(published, {"i0": Pick("h1", "seeded")})
    assert [facts(row).get("pick") for row in marked.iter_rows(named=True)] == [None, "seeded"]


def values(scores) -> dict:
    validate(Score, scores, where="scores")
    return {
        (row["metric"], tuple(pair["value"] for pair in row["slice"])): row["value"]
        for row in scores.iter_rows(named=True)
    }


def test_candidate_failures_are_shares_of_all_replies_and_named():
    scores_of = values(score_candidates(candidates(), TABLES.items, WRITER))
    # eight replies: same as right, refusal, dead, empty fail; four are usable
    assert scores_of["candidate_failure_rate", ("qa",)] == 4 / 8 and scores_of["n_candidates", ("qa",)] == 4
    assert scores_of["candidate_failure_rate", ("one-pass", "qa")] == 3 / 4
    for reason in ("dead", "empty", "refusal", "same_as_right"):
        assert scores_of["candidate_failure_rate", (reason, "qa")] == 1 / 8
    # of the three conversational replies that were read (one has no words) one is too long
    assert scores_of["length_rule_broken_rate", ("conversational", "qa")] == pytest.approx(1 / 3, abs=1e-6)
    assert scores_of["length_rule_broken_rate", ("one-pass", "qa")] == 0


def test_a_refusal_in_a_field_of_its_own_is_counted_as_one(monkeypatch):
    """OpenAI's `refusal`: no text comes, and yet the model declined, as others do in words."""
    monkeypatch.setitem(ONE_PASS, "i3", dead("refusal"))
    (row,) = candidates().filter(pl.col("prompt_key") == dead("refusal").key).iter_rows(named=True)
    assert (row["status"], row["reason"], row["text"]) == ("abstained", "refusal", "")
    scores_of = values(score_candidates(candidates(), TABLES.items, WRITER))
    assert scores_of["candidate_failure_rate", ("refusal", "qa")] == 2 / 8
    assert ("candidate_failure_rate", ("dead", "qa")) not in scores_of
    rows_of = dataset.rejects(candidates(), {}, generations([]), generator="gen")
    assert rows_of.filter(reason="refusal").height == 2 and "dead" not in rows_of["reason"].to_list()


def test_filtering_scores():
    scores_of = values(score_filtering(choices(ok("Answer 1"), ok("Answer 1")), TABLES.items, WRITER))
    assert scores_of == {
        ("filter_disagreement_rate", ("qa",)): 1,
        ("filter_first_position_rate", ("qa",)): 1,
        ("filter_unparsed_rate", ("qa",)): 0,
    }
    scores_of = values(score_filtering(choices(ok("Answer 1"), dead()), TABLES.items, WRITER))
    assert (scores_of["filter_disagreement_rate", ("qa",)], scores_of["filter_unparsed_rate", ("qa",)]) == (
        None,
        1 / 2,
    )


def test_label_statistics():
    picks = chosen(ok("Answer 2"), ok("Answer 1"))
    rows = dataset.pair_samples(candidates(), picks, FOUND)
    scores_of = values(score_labels(frame(Sample, rows), WRITER))
    assert scores_of["n_samples", ("qa",)] == 6 and scores_of["hallucinated_rate", ("qa",)] == 1 / 2
    assert (
        sum(
            value
            for (metric, where), value in scores_of.items()
            if metric == "n_by_pattern" and len(where) == 2
        )
        == 3
    )
    two = [row | {"attributes": pairs(scheme="one-pass")} for row in rows]
    assert ("n_samples", ("one-pass", "qa")) in values(score_labels(frame(Sample, two), WRITER))


def published_pairs(task: str, n: int, *, per_group: int = 1) -> list[dict]:
    """Both sides of `n` published pairs, `per_group` items in each group."""
    rows = []
    for k in range(n):
        name, columns = f"{task}{k}", {"task": task, "group_id": f"{task}g{k // per_group}"}
        rows += [sample(f"{name}{side}", name, side, pair_id=name, **columns) for side in (True, False)]
    return rows


SIZES = {"qa": 3, "dialogue": 5, "summarization": 5, "general": 5, "general_pool": 9}


def test_sizes_cap_published_samples_by_whole_groups():
    rows = frame(Sample, published_pairs("qa", 8, per_group=2) + published_pairs("dialogue", 4))
    taken = dataset.published_samples(rows, settings(), SIZES, 7)
    # three items are one group of two, whose neighbour would make four; the dialogues are fewer than their
    # size
    assert taken.filter(task="qa")["item_id"].n_unique() == 2 and taken.filter(task="qa").height == 4
    assert taken.filter(task="dialogue")["item_id"].n_unique() == 4
    more = dataset.published_samples(rows, settings(), SIZES | {"qa": 4}, 7)
    assert set(taken["sample_id"]) < set(more["sample_id"])  # a larger size keeps the earlier ones
    assert more.filter(task="qa")["item_id"].n_unique() == 4
    whole = dataset.published_samples(rows, settings(), dict.fromkeys(SIZES), 7)
    assert whole.equals(rows)


def test_a_task_is_published_or_written_never_both():
    rows = frame(Sample, published_pairs("qa", 2))
    taken = dataset.published_samples(rows, settings(), SIZES, 7)
    assert dataset.written_tasks(taken, settings()) == ("dialogue", "summarization", "general")
    generating = settings(texts="generated")
    left = dataset.published_samples(rows, generating, SIZES, 7)
    assert left.is_empty() and dataset.written_tasks(left, generating) == generating.tasks
