"""The labels that a reader makes of its tables, in tiny tables as readers give them."""

import pytest

from truerate.core.schemas import Item, Judgement, Sample, frame, judgement_row, pairs, sample_row
from truerate.results.labels import labels_of
from truerate.sources.public.evouna import holds_any
from truerate.sources.public.unit_labels import Tables
from truerate.sources.registry import labels_by


def tiny_item(item_id="i1", **more):
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


def tiny_sample(
    sample_id, task, *, text="a text", item_id="i1", generator="m", is_hallucinated=False, **more
):
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


def tiny_verdict(target_id, judge, is_hallucinated, **more):
    return judgement_row(
        judgement_id=f"{target_id} {judge}",
        judge=judge,
        judge_version="published",
        target_id=target_id,
        verdict=is_hallucinated,
        **more,
    )


def labels_made(reader, samples, items=(), judgements=()):
    """The labels that a reader makes of these rows, as a board has them."""
    tables = Tables(
        frame(Sample, list(samples)), frame(Item, list(items)), frame(Judgement, list(judgements))
    )
    return labels_of("b", labels_by(reader)(tables))


def cells(labels, *names):
    """Some columns of labels, row by row."""
    return labels.select(*names).rows()


def test_answers_of_evouna_have_peoples_label_and_the_sets_own_lexical_match():
    answers = [
        tiny_sample("a1", "qa", text="It is Rome.", generator="GPT-4", unit="nq-1", part="nq"),
        tiny_sample("a2", "qa", text="Paris", generator="FiD", unit="nq-1", part="nq", is_hallucinated=True),
    ]
    labels = labels_made("evouna", answers, [tiny_item(right_answer="rome/Roma")])
    assert cells(labels, "question", "subject", "unit_id", "label", "gives") == [
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


def test_facts_of_factscore_give_the_score_and_a_reply_that_answers_nothing_has_none():
    labels = labels_made(
        "factscore",
        [
            tiny_sample("r1", "entity", responds="yes", n_claims=2),
            tiny_sample("f1", "fact", label="supported", place=0),
            tiny_sample("f2", "fact", label="not supported", place=1, is_hallucinated=True),
            tiny_sample("r2", "entity", item_id="i2", responds="no", n_claims=0),
        ],
        [
            tiny_item("i1", rarity_group="rare", region="Asia"),
            tiny_item("i2", rarity_group="freq", region="Asia"),
        ],
    )
    facts = labels.filter(question="fact")
    assert cells(facts, "unit_id", "part", "label", "metric", "where", "gives") == [
        ("i1", "0", "supported", "wildfactscore", "estimator=raw;set=all", 1.0),
        ("i1", "1", "not supported", "wildfactscore", "estimator=raw;set=all", 0.0),
    ]
    assert facts["slice"].to_list()[0] == pairs(rarity="rare", region="Asia")
    answers = labels.filter(question="answers")
    assert cells(answers, "unit_id", "label", "metric", "gives") == [
        ("i1", "yes", "responding_rate", 1.0),
        ("i2", "no", "responding_rate", 0.0),
    ]


def test_detectors_of_faithbench_stand_beside_peoples_worst_label():
    labels = labels_made(
        "faithbench",
        [
            tiny_sample("s1", "summarization", unit="1-0", label="Unwanted", is_hallucinated=True),
            tiny_sample("s2", "summarization", unit="1-1", label="Benign"),
        ],
        judgements=[
            tiny_verdict("s1", "nli", True),
            tiny_verdict("s2", "nli", True),
            tiny_verdict("s1", "lm", False),
        ],
    )
    assert cells(labels, "question", "unit_id", "label", "gives") == [
        ("lm", "1-0", "no", None),
        ("nli", "1-0", "yes", None),
        ("nli", "1-1", "yes", None),
        ("unwanted", "1-0", "yes", 1.0),
        ("unwanted", "1-1", "no", 0.0),
        ("worst label", "1-0", "Unwanted", None),
        ("worst label", "1-1", "Benign", None),
    ]


def test_general_replies_of_halueval_alone_were_labelled_by_people():
    replies = [
        tiny_sample("s1", "general", generator=None, is_hallucinated=True),
        tiny_sample("s2", "qa", generator=None, is_hallucinated=True, side="hallucinated"),
    ]
    assert cells(labels_made("halueval", replies, [tiny_item()]), "subject", "unit_id", "label") == [
        ("ChatGPT", "s1", "yes")
    ]


def test_claims_of_refchecker_keep_their_three_labels():
    labels = labels_made(
        "refchecker",
        [
            tiny_sample("r1", "entity", n_claims=1),
            tiny_sample("c1", "fact", label="Neutral", place=0, is_hallucinated=True),
            tiny_sample("r2", "entity", item_id="i2", n_claims=0),
        ],
        [tiny_item("i1"), tiny_item("i2")],
    )
    assert cells(labels, "question", "unit_id", "label", "gives") == [
        ("claim", "i1", "Neutral", 0.0),
        ("has claims", "i1", "yes", None),
        ("has claims", "i2", "no", None),
    ]


def test_each_worker_of_xsum_says_what_was_marked_and_on_which_words():
    entry = tiny_sample("s1", "summarization", text="two words", generator=None, system="Gold")
    span = {"start": 0, "end": 2, "type": "extrinsic", "p": None}
    workers = [
        tiny_verdict("s1", name, bool(spans), spans=spans)
        for name, spans in (("wid_0", [span]), ("wid_1", []))
    ]
    labels = labels_made("xsum", [entry], [tiny_item()], workers)
    assert set(labels["subject"]) == {"Gold"}
    words = {(row[0], row[1], row[2]): row[3] for row in cells(labels, "question", "part", "rater", "label")}
    assert (
        words["hallucinated", "", "wid_0"]
        == words["extrinsic", "", "wid_0"]
        == words["word", "0", "wid_0"]
        == "yes"
    )
    assert words["intrinsic", "", "wid_0"] == words["word", "1", "wid_0"] == "no"
    assert {label for key, label in words.items() if key[2] == "wid_1"} == {"no"} and len(words) == 2 * (
        3 + 2
    )
