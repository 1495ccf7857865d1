"""A tiny run of WildHallucinations by the real commands: chats, entities, pages over HTTP, replies, facts, verdicts, people, a page."""

import json
import re
import shutil

import polars as pl
import pytest
from house import CALLS, House, claims_no_certainty, move_in
from published import loaded, publish, read_back, running

from tests.warm import anew
from truerate.config.layout import Layout
from truerate.core.schemas import pair
from truerate.pipeline import graph

BOARD = "wildhallucinations-closed-world"
TINY = {"chats": 40, "entities": 8, "labelled": 10, "reviewed": 10, "checked": 4}
PAGES = {
    "documents-cc0-1.0",
    "documents-cc-by-4.0",
    "documents-cc-by-sa-4.0",
}  # the first without texts: no licence is named
PARTS = ("sources", "datasets", "annotations", "labels")
FAULT = " --fault search-quota:0.5:1"
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("end-to-end-wild")]


def smaller(params: dict) -> None:
    """Two subjects and one detector; a page that never comes is not waited for long."""
    track = params["tracks"]["wildhallucinations"]
    track["subjects"] = ["aster", "elm"]
    track["fetch"]["timeout_s"] = 1
    params["detectors"] = {"baselines": params["detectors"]["baselines"] | {"members": ["support"]}}


@pytest.fixture(scope="module")
def house(tmp_path_factory) -> House:
    built = move_in(tmp_path_factory.mktemp("wild") / "truerate", TINY, board=BOARD)
    built.edit(smaller)
    built.run("dvc", "repro")
    return built


def starts(house: House) -> dict[str, int]:
    """When each endpoint was last started: its server writes its log anew."""
    logs = (house.folder.parent / "store.sqlite.d" / "run").glob("*.log")
    return {path.name: path.stat().st_mtime_ns for path in logs}


def dataset(house: House, name: str) -> pl.DataFrame:
    return house.table(f"data/datasets/{BOARD}/{name}.parquet")


def scratch(house: House, *aliases: str) -> dict[str, int]:
    """The scratch files of some models (or of the web), with their times."""
    found = (house.folder / "build" / BOARD).rglob("*.parquet")
    return {str(path): path.stat().st_mtime_ns for path in found if path.parent.name.split("@")[0] in aliases}


def test_the_page_and_every_part_of_the_data_are_built(house):
    page = (house.folder / f"build/site/boards/{BOARD}.html").read_text("utf-8")
    assert "aster" in page and "elm" in page
    generations = dataset(house, "generations")
    wanted = {
        "extract",
        "verify",
        "disambiguate",
        "domain",
        "search",
        "generate",
        "write_facts",
        "verify_facts",
    }
    assert set(generations["purpose"]) == wanted and set(generations.filter(purpose="generate")["model"]) == {
        "aster",
        "elm",
    }
    items, facts = dataset(house, "items"), dataset(house, "facts")
    assert 0 < items.height <= TINY["entities"] and items["document_ids"].list.len().min() > 0
    shown = set(items["document_ids"].explode())
    assert shown <= set(dataset(house, "documents")["document_id"]) and facts["evidence"].list.len().max() > 0
    samples = house.table(f"data/labels/{BOARD}/samples.parquet")
    assert samples.height > 0 and set(samples["sample_id"]) <= set(facts["fact_id"])
    assert house.table(f"data/judgements/{BOARD}/baselines.parquet").height > 0


def test_no_interval_claims_certainty(house):
    assert claims_no_certainty(house.table("data/leaderboard/rows.parquet"))


def test_no_prompt_was_strange_to_the_models(house):
    assert house.tasks_of_calls() == {
        "extract",
        "verify",
        "disambiguate",
        "domain",
        "generate",
        "write_facts",
        "verify_facts",
    }


def test_every_reply_has_one_outcome_and_every_rejected_row_a_reason(house):
    assert dataset(house, "counts")["n_in"].sum() == dataset(house, "generations").height > 0
    assert dataset(house, "rejects")["reason"].null_count() == 0


def test_every_fact_was_judged_once_in_a_batch(house):
    judged = dataset(house, "judgements").filter(pair("attributes", "stage").is_null())
    assert sorted(judged["target_id"]) == sorted(dataset(house, "facts")["fact_id"])


def test_scores_stand_beside_what_was_planted(house):
    scores = house.table(f"data/scores/{BOARD}/scores.parquet").filter(pl.col("metric") == "wildfactscore")
    truth = house.table(f"data/truth/{BOARD}.parquet").filter(pl.col("metric") == "wildfactscore")
    assert set(scores["subject"]) == set(truth["subject"]) == {"aster", "elm"}
    assert truth["value"].is_between(0, 1).all()
    by_labels = {"labels-alone", "ppi", "prediction-powered", "rogan-gladen-between", "chosen"}
    assert set(scores.select(pair("slice", "estimator")).to_series()) == {"raw", "corrected", *by_labels}


def test_the_board_is_published_without_pages_that_nobody_may_pass_on(house, tmp_path):
    with running(tmp_path) as hub:
        publish(house, hub, BOARD, "--to", "org/wild")
        rows = loaded(hub, "org/wild")
        assert {"facts", "generations", *PAGES} <= set(rows) and not hub.tags("org/wild")
        assert {"fact-cc0-1.0", "fact-cc-by-sa-4.0"} <= set(
            rows
        )  # beside passages that may go out stands their licence
        files = hub.files("org/wild")
        pages = {
            path.split("/")[1]: pl.read_parquet(files[path])
            for path in files
            if path.startswith("data/documents")
        }
        assert set(pages) == PAGES
        assert sum(one.height for one in pages.values()) == dataset(house, "documents").height
        shut = [name for name, one in pages.items() if "text" not in one.columns]
        assert len(shut) == 1 and pages[shut[0]]["text_sha256"].null_count() == 0
        assert pages[shut[0]]["url"].null_count() == 0
        assert all(one["text"].null_count() == 0 for name, one in pages.items() if name not in shut)
        assert "rebuild/REBUILD.md" in files


@pytest.mark.proof
def test_what_is_published_gives_the_same_scores_of_replies(house, tmp_path, monkeypatch):
    """Replies, facts and the verifier's verdicts come back; what people labelled of the facts is another part, without
    which nothing is corrected.
    """
    first, again = read_back(house, BOARD, tmp_path, monkeypatch)
    of_replies = {"wildfactscore", "wildfactscore_strict", "wildfactscore_dedup", "factscore_length"}
    of_replies |= {"responding_rate", "unreadable_rate", "no_fact_rate", "n_responses", "words_per_response"}
    same = {key: value for key, value in again.items() if key[0] in of_replies}
    assert {key: first[key] for key in same} == same and {metric for metric, *_ in same} == of_replies
    missing = {key for key in first.keys() - again.keys() if key[0] in of_replies}
    assert missing and all(("estimator", "raw") not in key for key in missing)


def test_second_repro_runs_no_stage(house):
    done = house.run("dvc", "repro")
    assert "Running stage" not in done.stdout and "up to date" in done.stdout


@pytest.mark.proof
def test_outputs_deleted_come_back_byte_for_byte_without_a_call_or_a_fetch(house):
    made = [f"data/{part}" for part in PARTS]
    before, paid, started = house.bytes_under(*made), (house.folder / CALLS).read_bytes(), starts(house)
    for folder in ("data", ".dvc/cache", f"build/{BOARD}"):
        shutil.rmtree(house.folder / folder)
    anew()  # where strings are hashed otherwise
    house.run("dvc", "repro", "--no-run-cache", f"label@{BOARD}")
    assert house.bytes_under(*made) == before
    assert (
        (house.folder / CALLS).read_bytes() == paid and started and starts(house) == started
    )  # no server: no search and no page


@pytest.mark.proof
def test_a_subject_more_asks_its_questions_alone(house):
    paid, others = house.calls(), scratch(house, "quill", "web", "aster", "elm")
    before = dataset(house, "facts").filter(pl.col("subject") != "birch")
    house.edit(lambda p: p["tracks"]["wildhallucinations"]["subjects"].append("birch"))
    house.run("dvc", "repro", f"dataset@{BOARD}")
    now, rows = house.calls(), dataset(house, "generations")
    assert now.pop("sim-birch") == rows.filter(purpose="generate", model="birch").height > 0
    of_birch = rows.filter(
        pl.col("purpose").is_in(["write_facts", "verify_facts"]), pair("attributes", "subject") == "birch"
    ).height
    assert 0 < now.pop("sim-quill") - paid.pop("sim-quill") <= of_birch and now == paid
    assert others and scratch(house, "quill", "web", "aster", "elm") == others
    assert dataset(house, "facts").filter(pl.col("subject") != "birch").equals(before)
    assert not json.loads(house.run("truerate", "plan", "--json").stdout)["total"]["n_calls"]


def test_a_quota_that_runs_out_ends_in_one_line_and_the_next_run_goes_on(house, monkeypatch):
    """Half of the queries are refused the first time; the server stays between the runs, as a search does that counts."""
    house.edit(
        lambda p: p["endpoints"]["world"].update(
            launch=p["endpoints"]["world"]["launch"] + FAULT, linger_s=15
        )
    )
    monkeypatch.chdir(house.folder)
    (path,) = graph.files(Layout.load("params.yaml"), BOARD, "evidence")
    command = ("snakemake", "-s", "rules/track.smk", path)
    stopped = house.run(*command, check=False)
    said = stopped.stdout + stopped.stderr
    lines = {line.strip() for line in said.splitlines() if "the quota is used up" in line}
    assert stopped.returncode and "Traceback" not in said and len(lines) == 1
    answered, n_all = map(
        int, re.search(r"(\d+) of (\d+) new queries were answered and stay stored", lines.pop()).groups()
    )
    assert 0 < answered < n_all == TINY["entities"] and not (house.folder / path).is_file()
    n_runs = 1
    while house.run(*command, check=False).returncode:  # what was asked at once was refused at once
        n_runs += 1
        assert n_runs <= TINY["entities"]
    searched = house.table(path)
    assert searched.height == TINY["entities"] and set(searched["purpose"]) == {"search"}
