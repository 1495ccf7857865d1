"""Labels behind the boards of public sets, made of tiny tables as their readers give them."""

import polars as pl
import pytest

from truerate.core.schemas import Item, Judgement, Sample, frame, judgement_row, pairs, sample_row
from truerate.flow.label_rows import OF_READER, Tables, holds_any, labels_of


def item(item_id="i1", **more):
    right = more.pop("right_answer", None)
    row = {
        "item_id": item_id,
        "source": "s",
        "task": "entity",
        "lang": "en",
        "group_id": "g",
        "document_ids": [],
    }
    return row | {"history": "", "question": "?", "right_answer": right, "attributes": pairs(**more)}


def sample(sample_id, task, *, text="a text", item_id="i1", generator="m", is_hallucinated=False, **more):
    return sample_row(
        sample_id=sample_id,
        item_id=item_id,
        group_id="g",
        task=task,
        lang="en",
        text=text,
        is_hallucinated=is_hallucinated,
        label_source="published",
        generator=generator,
        split="test",
        attributes=pairs(**more),
    )


def verdict(target_id, judge, is_hallucinated, **more):
    return judgement_row(
        judgement_id=f"{target_id} {judge}",
        judge=judge,
        judge_version="published",
        target_id=target_id,
        verdict=is_hallucinated,
        **more,
    )


def made(reader, samples, items=(), judgements=()):
    tables = Tables(
        frame(Sample, list(samples)), frame(Item, list(items)), frame(Judgement, list(judgements))
    )
    return labels_of("b", reader, tables)


def told(labels, *names):
    return labels.select(*names).rows()


def test_facts_of_factscore_give_the_score_and_a_reply_that_answers_nothing_has_none():
    labels = made(
        "factscore",
        [
            sample("r1", "entity", responds="yes", n_claims=2),
            sample("f1", "fact", label="supported", place=0),
            sample("f2", "fact", label="not supported", place=1, is_hallucinated=True),
            sample("r2", "entity", item_id="i2", responds="no", n_claims=0),
        ],
        [item("i1", rarity_group="rare", region="Asia"), item("i2", rarity_group="freq", region="Asia")],
    )
    facts = labels.filter(question="fact")
    assert told(facts, "unit_id", "part", "label", "metric", "where", "gives") == [
        ("i1", "0", "supported", "wildfactscore", "estimator=raw;set=all", 1.0),
        ("i1", "1", "not supported", "wildfactscore", "estimator=raw;set=all", 0.0),
    ]
    assert facts["slice"].to_list()[0] == pairs(rarity="rare", region="Asia")
    answers = labels.filter(question="answers")
    assert told(answers, "unit_id", "label", "metric", "gives") == [
        ("i1", "yes", "responding_rate", 1.0),
        ("i2", "no", "responding_rate", 0.0),
    ]


def test_claims_of_refchecker_keep_their_three_labels():
    labels = made(
        "refchecker",
        [
            sample("r1", "entity", n_claims=1),
            sample("c1", "fact", label="Neutral", place=0, is_hallucinated=True),
            sample("r2", "entity", item_id="i2", n_claims=0),
        ],
        [item("i1"), item("i2")],
    )
    assert told(labels, "question", "unit_id", "label", "gives") == [
        ("claim", "i1", "Neutral", 0.0),
        ("has claims", "i1", "yes", None),
        ("has claims", "i2", "no", None),
    ]


def test_each_worker_of_xsum_says_what_was_marked_and_on_which_words():
    one = sample("s1", "summarization", text="two words", generator=None, system="Gold")
    span = {"start": 0, "end": 2, "type": "extrinsic", "p": None}
    workers = [
        verdict("s1", name, bool(spans), spans=spans) for name, spans in (("wid_0", [span]), ("wid_1", []))
    ]
    labels = made("xsum", [one], [item()], workers)
    assert set(labels["subject"]) == {"Gold"}
    said = {(row[0], row[1], row[2]): row[3] for row in told(labels, "question", "part", "rater", "label")}
    assert (
        said["hallucinated", "", "wid_0"]
        == said["extrinsic", "", "wid_0"]
        == said["word", "0", "wid_0"]
        == "yes"
    )
    assert said["intrinsic", "", "wid_0"] == said["word", "1", "wid_0"] == "no"
    assert {label for key, label in said.items() if key[2] == "wid_1"} == {"no"} and len(said) == 2 * (3 + 2)


def test_answers_of_evouna_have_peoples_label_and_the_sets_own_lexical_match():
    answers = [
        sample("a1", "qa", text="It is Rome.", generator="GPT-4", unit="nq-1", part="nq"),
        sample("a2", "qa", text="Paris", generator="FiD", unit="nq-1", part="nq", is_hallucinated=True),
    ]
    labels = made("evouna", answers, [item(right_answer="rome/Roma")])
    assert told(labels, "question", "subject", "unit_id", "label", "gives") == [
        ("holds golden", "FiD", "nq-1", "no", None),
        ("holds golden", "GPT-4", "nq-1", "yes", None),
        ("right", "FiD", "nq-1", "no", 1.0),
        ("right", "GPT-4", "nq-1", "yes", 0.0),
    ]


@pytest.mark.parametrize(
    ("answer", "golden", "holds"),
    [
        ("The Beatles sang it", "beatles", True),
        ("nobody", "beatles/the", True),  # nothing is left of `the`, which therefore stands in every answer
        ("", "the", False),
        ("9-11", "9/11", True),  # it is split where it should not be, and "9" stands in "911"
        ("yes", None, True),
    ],
)
def test_a_golden_answer_stands_in_an_answer_as_the_sets_own_rule_has_it(answer, golden, holds):
    assert holds_any(answer, golden) is holds


def test_general_replies_of_halueval_alone_were_labelled_by_people():
    replies = [
        sample("s1", "general", generator=None, is_hallucinated=True),
        sample("s2", "qa", generator=None, is_hallucinated=True, side="hallucinated"),
    ]
    assert told(made("halueval", replies, [item()]), "subject", "unit_id", "label") == [
        ("ChatGPT", "s1", "yes")
    ]


def test_detectors_of_faithbench_stand_beside_peoples_worst_label():
    labels = made(
        "faithbench",
        [
            sample("s1", "summarization", unit="1-0", label="Unwanted", is_hallucinated=True),
            sample("s2", "summarization", unit="1-1", label="Benign"),
        ],
        judgements=[verdict("s1", "nli", True), verdict("s2", "nli", True), verdict("s1", "lm", False)],
    )
    assert told(labels, "question", "unit_id", "label", "gives") == [
        ("lm", "1-0", "no", None),
        ("nli", "1-0", "yes", None),
        ("nli", "1-1", "yes", None),
        ("unwanted", "1-0", "yes", 1.0),
        ("unwanted", "1-1", "no", 0.0),
        ("worst label", "1-0", "Unwanted", None),
        ("worst label", "1-1", "Benign", None),
    ]


def test_a_set_without_more_labels_than_rows_has_none():
    assert "faithjudge" not in OF_READER
    assert labels_of("b", "faithjudge", Tables(*[pl.DataFrame()] * 3)) is None
