"""The figures that were counted from the published sets by others than this code, recomputed."""

import os
from pathlib import Path

import pytest

from tests.tracks.labelled_replies.builders import cells, layout
from truerate.config import Source
from truerate.leaderboard.rows import ranks
from truerate.sources.reading import read_source
from truerate.tracks.labelled_replies.dataset import exported
from truerate.tracks.labelled_replies.scores import score
from truerate.tracks.protocol import metrics_of_track

DATA = Path(
    os.environ.get("TRUERATE_ORIGINALS") or Path(__file__).parents[3] / ".." / "shared" / "data_original"
)
FOLDERS = {
    "faithjudge": "vectara__FaithJudge",
    "ragtruth": "vectara__FaithJudge",
    "faithbench": "vectara__FaithBench",
    "evouna": "wangcunxiang__QA-Eval",
}
RATE = "hallucination_rate"


@pytest.fixture(scope="module")
def board():
    """Scores and rank ranges of a set, or a skip that says what is absent."""

    def run(reader):
        folder = DATA / FOLDERS[reader]
        if not folder.is_dir():
            pytest.skip(f"no {FOLDERS[reader]} under {DATA}; name the folder in TRUERATE_ORIGINALS")
        source = read_source("x", Source(reader=reader, path=str(folder), is_public=True), folder, "stop")
        tables, _ = exported(None, "b", source, {}, {})
        parts = {name: tables[name] for name in ("items", "samples", "judgements", "generations")}
        scores, outcomes = score(layout(few_labels=100), "b", **parts, inputs="i")
        models = set(outcomes["subject"])
        scores_of = ranks(
            outcomes,
            layout().p.statistics,
            42,
            {record.name: record for record in metrics_of_track("labelled_replies")},
            models,
        )
        return source, cells(scores.to_dicts()), scores_of

    return run


def percents(scores_of, metric, where=""):
    return {
        key[1]: round(100 * value, 2) for key, (value, _) in scores_of.items() if key[::2] == (metric, where)
    }


def test_faithjudge_has_the_published_rates_and_few_places_that_stand(board):
    source, scores_of, ranged = board("faithjudge")
    lines = (DATA / FOLDERS["faithjudge"] / "published_rates.csv").read_text("utf-8").splitlines()[1:]
    published = {line.split(",")[1]: float(line.split(",")[4].rstrip("%")) for line in lines}
    assert percents(scores_of, RATE) == published and len(published) == 46
    assert {n for key, (_, n) in scores_of.items() if key[::2] == (RATE, "")} == {511}
    assert source.card["counts"]["n_invalid"] == 3
    index = {key[2]: record[:2] for key, record in ranged.items() if key[1] == ""}
    order = sorted(published, key=published.get)
    wanted = {1: (1, 10), 2: (1, 10), 6: (1, 27), 10: (1, 29), 21: (5, 33), 31: (16, 38), 43: (43, 43)}
    wanted |= {46: (44, 46)}
    assert {number: index[order[number - 1]] for number in wanted} == wanted
    assert sum(high - low + 1 for low, high in index.values()) / 46 == pytest.approx(20.5, abs=0.05)


def test_ragtruth_by_people_and_by_evident_spans_alone(board):
    source, scores_of, _ = board("ragtruth")
    assert (source.samples.height, source.card["counts"]["n_labels"]) == (2617, 1731)
    assert percents(scores_of, RATE) == {
        "gpt-3.5-turbo-0613": 12.01,
        "gpt-4-0613": 10.96,
        "llama-2-13b-chat": 53.76,
        "llama-2-70b-chat": 44.16,
        "llama-2-7b-chat": 60.36,
        "mistral-7B-instruct": 66.13,
    }
    assert scores_of[RATE, "gpt-4-0613", "task=qa"] == (pytest.approx(5 / 138, abs=1e-6), 138)
    assert scores_of[RATE, "gpt-4-0613", "task=general"] == (pytest.approx(35 / 150, abs=1e-6), 150)
    assert scores_of[RATE, "gpt-4-0613", "rule=evident task=general"] == (
        pytest.approx(12 / 150, abs=1e-6),
        150,
    )


def test_faithbench_has_ten_summarizers_and_eight_detectors_that_correct_nothing(board):
    source, scores_of, _ = board("faithbench")
    assert source.samples["group_id"].n_unique() == 61
    assert percents(scores_of, RATE)["openai/gpt-4o"] == 42.67
    assert percents(scores_of, RATE)["Qwen/Qwen2.5-7B-Instruct"] == 72
    main = {"hhemv1": 56.1, "gpt_4o": 55.1, "hhem-2.1": 55.1, "gpt-4-turbo": 54.9, "hhem-2.1-english": 54.4}
    main |= {"trueteacher": 52.9, "true_nli": 51.3, "gpt-3.5-turbo": 44.0}
    clear = percents(scores_of, "balanced_accuracy", "rule=clear")
    assert clear == pytest.approx(main, abs=0.055)
    assert scores_of["tpr", "gpt_4o", "rule=clear"] == (pytest.approx(0.182, abs=5e-4), 439)
    assert scores_of["tnr", "gpt_4o", "rule=clear"] == (pytest.approx(0.920, abs=5e-4), 175)
    strict = percents(scores_of, "balanced_accuracy", "rule=strict")
    assert round(strict["hhemv1"], 1) == 51.4 and round(strict["gpt-3.5-turbo"], 1) == 45.4
    assert scores_of["balanced_accuracy", "true_nli", "rule=strict"][1] == 748
    corrected = [
        value for key, (value, _) in scores_of.items() if key[0] == "detector_rate" and "rogan" in key[2]
    ]
    assert corrected == [None] * 160


def test_evouna_by_people_and_by_the_match_of_words_with_its_errors_by_system(board):
    _, scores_of, _ = board("evouna")
    right = {system: 100 - rate for system, rate in percents(scores_of, RATE, "task=nq").items()}
    assert right == pytest.approx(
        {"FiD": 68.94, "GPT-3.5": 65.50, "ChatGPT-3.5": 72.98, "GPT-4": 78.84, "New Bing": 79.93}, abs=0.0051
    )
    assert scores_of[RATE, "GPT-4", "task=tq"] == (pytest.approx(1 - 0.9020, abs=5e-5), 1938)
    assert scores_of[RATE, "New Bing", "task=nq"][1] == 3019
    matched = percents(scores_of, "detector_rate", "detector=word-match estimator=raw task=nq")
    rates = {"FiD": 59.1, "GPT-3.5": 50.6, "ChatGPT-3.5": 57.8, "GPT-4": 61.7, "New Bing": 65.3}
    assert {name: 100 - rate for name, rate in matched.items()} == pytest.approx(rates, abs=0.051)
    errors = {"FiD": (85.4, 99.3), "GPT-3.5": (76.9, 99.3), "ChatGPT-3.5": (76.1, 91.5)}
    errors |= {"New Bing": (79.7, 92.1)}
    for system, (right_found, wrong_found) in errors.items():
        where = f"model={system} task=nq"
        assert 100 * scores_of["tnr", "word-match", where][0] == pytest.approx(right_found, abs=0.051)
        assert 100 * scores_of["tpr", "word-match", where][0] == pytest.approx(wrong_found, abs=0.051)
