"""Tables of boards of labelled responses."""

from truerate.core.schemas import Sample, Score, frame, pairs, sample_row
from truerate.tracks.halludial.published import detector_table, public_tables, writer_table


def sample(name: str, is_hallucinated: bool, writer: str | None, **attributes) -> dict:
    return sample_row(sample_id=name, item_id="i", group_id=name, task="dialogue", lang="en", text=name,
                      is_hallucinated=is_hallucinated, label_source="gold", generator=writer, split="test",
                      attributes=pairs(scenario="natural", corpus="cmu", **attributes))  # fmt: skip


def score(metric: str, subject: str, value: float, **where) -> dict:
    return {"board": "b", "metric": metric, "subject": subject, "slice": pairs(**where), "value": value, "low": None,
            "high": None, "method": "estimator", "n": 4, "inputs": "x"}  # fmt: skip


SAMPLES = frame(
    Sample, [sample("a", True, "doha"), sample("b", False, "doha"), sample("c", True, None, system="gold")]
)
NATURAL = {"scenario": "natural", "variant": "zero-shot"}


def test_a_line_per_corpus_and_writer_with_people_under_their_own_name():
    table = writer_table(SAMPLES)
    assert table.select("scenario", "corpus", "writer", "responses", "groups").rows() == [
        ("natural", "cmu", "doha", 2, 2),
        ("natural", "cmu", "gold", 1, 1),
    ]
    assert table["hallucinated"][0].startswith("0.500 (")


def test_detectors_best_first_without_parts():
    scores = [
        score("balanced_accuracy", "weak", 0.5, **NATURAL),
        score("balanced_accuracy", "strong", 0.9, **NATURAL),
        score("tpr", "strong", 0.8, **NATURAL),
        score("balanced_accuracy", "strong", 0.1, view="balanced", **NATURAL),
        score("balanced_accuracy", "strong", 0.2, kind="factuality", **NATURAL),
    ]
    table = detector_table(frame(Score, scores))
    assert table.rows() == [("strong", "natural", "0.900", "0.800", 4), ("weak", "natural", "0.500", None, 4)]


def test_a_model_asked_in_two_ways_has_a_line_of_each_that_names_it():
    ways = ("zero-shot", 0.9), ("three-shot", 0.8)
    scores = [score("balanced_accuracy", "m", value, scenario="natural", variant=way) for way, value in ways]
    table = detector_table(frame(Score, scores))
    assert table.select("subject", "variant", "balanced accuracy").rows() == [
        ("m", "zero-shot", "0.900"),
        ("m", "three-shot", "0.800"),
    ]


def test_a_board_without_detectors_has_its_table_of_writers():
    tables = public_tables(SAMPLES, frame(Score), {})
    assert [table.height for _, table in tables] == [2, 0]
