"""Labels joined with verdicts, whatever the unit is."""

import polars as pl

from truerate.core.schemas import Judgement, Sample, frame, judgement_row, pairs, sample_row
from truerate.metrics.judged import by_subject, is_unanswered, judged


def sample(name: str, **attributes) -> dict:
    fixed = {"group_id": "g", "task": "dialogue", "lang": "en", "label_source": "silver", "split": "test"}
    label = {"is_hallucinated": name.startswith("h"), "attributes": pairs(**attributes)}
    return sample_row(sample_id=name, item_id=f"i-{name}", text=name, **fixed, **label)


def answer(target: str, verdict: bool | None = True, *, judge: str = "judge", **attributes) -> dict:
    name = f"{judge}{target}{sorted(attributes.items())}"
    fixed = {"judgement_id": name, "judge_version": "1", "attributes": pairs(**attributes)}
    status = "unparsed" if verdict is None else "ok"
    return judgement_row(judge=judge, target_id=target, verdict=verdict, status=status, **fixed)


def rows(samples: list[dict], judgements: list[dict], **more) -> pl.DataFrame:
    return judged(frame(Sample, samples), frame(Judgement, judgements), variant="zero-shot", **more)


def test_a_detector_counts_as_the_variant_that_is_named():
    result = rows([sample("h1")], [answer("h1"), answer("h1", variant="three-shot")])
    assert sorted(result["variant"]) == ["three-shot", "zero-shot"]


def test_judgements_of_a_stage_and_of_other_texts_are_no_rows():
    assert rows([sample("h1")], [answer("h1", stage="annotation"), answer("elsewhere")]).is_empty()


def test_attributes_of_both_sides_are_columns():
    result = rows(
        [sample("h1", kind="factuality")],
        [answer("h1", trained="a")],
        sample_keys=("kind",),
        judgement_keys=("trained",),
    )
    assert result.select("kind", "trained").rows() == [("factuality", "a")]


def test_a_sample_may_be_judged_under_another_id():
    # people's label of reply r1 is a sample of its own; judges judged the reply
    own_values = [sample("h1", generation="r1")]
    target = pl.col("attributes").list.first().struct.field("value")
    assert rows(own_values, [answer("r1"), answer("h1")], target=target)["sample_id"].to_list() == ["h1"]


def test_one_part_per_judge_and_combination_that_occurs():
    samples = [sample("h1", kind="a"), sample("h2")]
    parts = list(
        by_subject(rows(samples, [answer("h1"), answer("h2")], sample_keys=("kind",)), ("variant", "kind"))
    )
    assert [(judge, where["kind"], part.height) for judge, where, part in parts] == [
        ("judge", None, 1),
        ("judge", "a", 1),
    ]


def test_unread_is_an_answer_and_nothing_is_no_silence():
    dead = answer("h1", None) | {"status": "dead"}
    assert is_unanswered(rows([sample("h1")], [dead]))
    assert not is_unanswered(rows([sample("h1")], [answer("h1", None)]))
    assert not is_unanswered(rows([sample("h1")], []))
