"""FaithJudge's layout in rows of our own: two models of two makers, one with the prefix, and what lies
beside.
"""

import json

import pytest

from truerate.core.errors import TruerateError
from truerate.core.schemas import pair

TINY, BIG = "eval_results/acme/tiny-1", "eval_results/openai/big-2"
SAID = "The number of doors is not given.\n\nFinal classification: {}"
DOORS = "The shop opens at nine, and it has two doors."
SOURCE = {"question": "When does it open?", "passages": "passage 1:The shop opens at nine."}
MARK = {
    "start": 35,
    "end": 44,
    "text": "two doors",
    "meta": "Not given.",
    "label_type": "Evident Baseless Info",
}


def verdict(task, source_id, word, *, text="", **more):
    reply = SAID.format(word) if text else ""
    row = {
        "task": task,
        "source_id": source_id,
        "candidate_text": text,
        "prompt": "",
        "evaluation_response": reply,
    }
    return json.dumps(row | {"classification": word} | more) + "\n"


def csv_of(column, *rows):
    return f"source_id,{column}\n" + "".join(f'{name},"{text}"\n' for name, text in rows)


@pytest.fixture
def judged(put):
    """Four files of verdicts, without texts."""

    def run(*extra):
        qa = [verdict("ragtruth-qa", "14300", "Inconsistent"), *extra]
        put(f"{TINY}/ragtruth-qa_hallucination_eval.txt", "".join(qa))
        put(
            f"{TINY}/faithbench-summary_hallucination_eval.txt",
            verdict("benchmarkz-summary", "14-0", "Consistent"),
        )
        put(
            f"{BIG}/o3-mini_ragtruth-qa_hallucination_eval.txt", verdict("ragtruth-qa", "14300", "Consistent")
        )
        big = verdict("faithbench-summary", "14-0", "Invalid")
        put(f"{BIG}/o3-mini_faithbench-summary_hallucination_eval.txt", big)

    return run


def columns_of(got, *keys):
    columns = [pair("attributes", key).alias(key) for key in keys]
    return sorted(got.samples.select("generator", "is_hallucinated", *columns).rows())


def test_verdicts_without_texts_are_a_whole_board(judged, read):
    judged()
    got = read("faithjudge")
    assert columns_of(got, "unit", "label", "files", "own_judge") == [
        ("big-2", False, "ragtruth-qa/14300", "Consistent", "prefix o3-mini", "True"),
        ("big-2", True, "faithbench-summary/14-0", "Invalid", "prefix o3-mini", "True"),
        ("tiny-1", False, "faithbench-summary/14-0", "Consistent", "no prefix", None),
        ("tiny-1", True, "ragtruth-qa/14300", "Inconsistent", "no prefix", None),
    ]
    assert got.samples["label_source"].unique().to_list() == ["silver"] and got.items.height == 2
    assert got.card["judges_own"] == ["big-2"]
    assert got.card["judge"] == "o3-mini" and got.card["counts"]["n_invalid"] == 1


def test_a_failed_call_and_a_missing_verdict_are_no_labels(judged, read, reasons):
    row = {"task": "ragtruth-qa", "source_id": "14302", "candidate_text": "", "evaluation_response": ""}
    judged(verdict("ragtruth-qa", "14301", "Unknown"), json.dumps(row) + "\n")
    assert reasons(read("faithjudge")) == [(2, "unlabelled"), (3, "unlabelled")]


def test_the_reply_says_the_verdict_where_the_field_is_empty(judged, read):
    several = "final classification: inconsistent\nFinal classification: Consistent"
    judged(verdict("ragtruth-qa", "14301", "", evaluation_response=several))
    assert ("tiny-1", True, "ragtruth-qa/14301", "Inconsistent") in columns_of(
        read("faithjudge"), "unit", "label"
    )


def test_two_makers_with_a_model_of_one_name_are_told_apart(judged, put, read):
    judged()
    put(
        "eval_results/other/tiny-1/ragtruth-qa_hallucination_eval.txt",
        verdict("ragtruth-qa", "14300", "Invalid"),
    )
    got = read("faithjudge").samples["generator"].unique().to_list()
    assert sorted(got) == ["acme/tiny-1", "big-2", "other/tiny-1"]


@pytest.fixture
def clone(judged, put):
    """A whole clone: replies with reasoning before them, an empty file, a model without verdicts, sources."""
    judged()
    spoken = "First I look at passage 1.\n</think>\n" + DOORS.replace("two", '""two""')
    put(
        "generated_outputs/acme/tiny-1/ragtruth_qa_20250101_000000.csv",
        csv_of("qa_response", ("14300", spoken)),
    )
    put("generated_outputs/acme/tiny-1/ragtruth_summary_20250101_000000.csv", csv_of("summary"))
    put(
        "generated_outputs/openai/big-2/ragtruth_qa_20250101_000000.csv",
        csv_of("qa_response", ("14300", "At ten.")),
    )
    put(
        "generated_outputs/beta/mute-3/ragtruth_qa_20250101_000000.csv",
        csv_of("qa_response", ("14300", "At nine.")),
    )
    text = DOORS.replace("two", '"two"')
    put(
        f"{TINY}/ragtruth-qa_hallucination_eval.txt",
        verdict("ragtruth-qa", "14300", "Inconsistent", text=text),
    )
    put(
        f"{BIG}/o3-mini_ragtruth-qa_hallucination_eval.txt",
        verdict("ragtruth-qa", "14300", "Consistent", text="At 9."),
    )
    answer = {"response": DOORS, "model": "gpt-4-0613", "labels": [MARK]}
    put("eval_data/ragtruth_qa.jsonl", [{"source_id": 14300, "source": SOURCE, "responses": [answer]}])
    summaries = [
        {"sample_id": 3, "summary": "Two doors.", "meta_model": "m", "annotations": [[{"label": ["Unwanted.Instrinsic"]}], []]},
        {"sample_id": 4, "summary": "A shop.", "meta_model": "n", "annotations": [[{"label": []}], [{"label": ["Benign"]}]]},
    ]  # fmt: skip
    put(
        "eval_data/faithbench_summary.jsonl",
        [{"source_id": "14-0", "source": "A shop opens.", "summaries": summaries}],
    )


def test_a_clone_has_what_was_judged_and_what_it_rests_on(clone, read):
    got = read("faithjudge")
    texts = dict(got.samples.filter(label_source="silver").select("generator", "text").sort("text").rows())
    assert texts == {"tiny-1": DOORS.replace("two", '"two"'), "big-2": "At 9."}
    assert sorted(got.documents["text"]) == ["A shop opens.", "passage 1:The shop opens at nine."]
    assert got.items.filter(task="qa")["question"].to_list() == ["When does it open?"]


def test_what_differs_or_was_never_judged_is_booked(clone, read):
    got = read("faithjudge")
    rows = got.rejects.select("reason", "target_id", "text").sort("reason").rows()
    assert rows == [
        ("altered", "openai/big-2/ragtruth-qa/14300", "At ten."),
        ("unlabelled", "beta/mute-3/ragtruth-qa/14300", "At nine."),
    ]
    counts = got.card["counts"]
    assert (counts["n_empty_files"], counts["n_models_without_verdicts"], counts["n_texts_that_differ"]) == (
        1,
        1,
        1,
    )


def test_labelled_answers_on_the_same_sources_calibrate(clone, read):
    got = read("faithjudge")
    gold = got.samples.filter(label_source="gold").sort("generator")
    assert gold.select("generator", "is_hallucinated").rows() == [
        ("gpt-4-0613", True),
        ("m", True),
        ("n", False),
    ]
    assert gold.select(pair("attributes", "purpose")).to_series().unique().to_list() == ["calibration"]
    silver = got.samples.filter(label_source="silver")
    assert set(gold["item_id"]) == set(silver["item_id"])  # one cluster per source


def test_a_reply_without_a_text_in_its_verdict_is_that_of_the_table(judged, put, read):
    judged()
    put(
        "generated_outputs/acme/tiny-1/ragtruth_qa_20250101_000000.csv",
        csv_of("qa_response", ("14300", DOORS)),
    )
    got = read("faithjudge")
    assert (
        got.samples.filter(generator="tiny-1", task="qa")["text"].item() == DOORS and not got.rejects.height
    )


def test_a_folder_without_verdicts_is_one_line(put, read, tmp_path):
    put("eval_results/acme/tiny-1/README.md", "x")
    with pytest.raises(TruerateError) as error:
        read("faithjudge")
    missing = f"source 'x': no verdicts of FaithJudge in {str(tmp_path)!r}"
    assert str(error.value) == f"{missing}; looked for: eval_results/<org>/<model>/*_hallucination_eval.txt"


def test_a_model_without_a_verdict_in_a_task_of_the_others_is_told(judged, put, read):
    judged()
    assert not any("Without a verdict" in entry for entry in read("faithjudge").card["caveats"])
    failed = verdict("ragtruth-summary", "7", "Unknown")
    put(f"{TINY}/ragtruth-summary_hallucination_eval.txt", failed)
    put(
        f"{BIG}/o3-mini_ragtruth-summary_hallucination_eval.txt",
        verdict("ragtruth-summary", "7", "Consistent"),
    )
    (columns_of,) = [entry for entry in read("faithjudge").card["caveats"] if "Without a verdict" in entry]
    assert columns_of.endswith(": tiny-1 (ragtruth-summary).")
