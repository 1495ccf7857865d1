"""A tiny full run by the real commands: nothing runs twice, nothing is paid twice, one model's change moves that model alone."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import psutil
import pytest
from house import CALLS, House, claims_no_certainty, lines_of_error, move_in
from published import loaded, publish, running, turned

from tests.warm import anew

BOARD = "halueval-closed-world"
SUBJECTS = ("aster", "birch")  # each costs processes in every build; all five stand on the committed board
KILLS = (40, 300, 700)  # replies in the store at which the build is killed
CONCURRENCY = 64  # of the endpoint in params.yaml
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("end-to-end")]


@pytest.fixture(scope="module")
def house(tmp_path_factory) -> House:
    built = move_in(tmp_path_factory.mktemp("house") / "truerate")
    built.edit(fewer_subjects)
    built.run("dvc", "repro")
    return built


def fewer_subjects(params: dict) -> None:
    """Leave some of the subjects, which write candidates beside the data set's generator."""
    track = params["tracks"]["halueval"]
    track |= {"subjects": [*SUBJECTS], "generators": [track["dataset_generator"], *SUBJECTS]}


def recognition(house: House, subject: str) -> list[dict]:
    scores = house.table(f"data/scores/{BOARD}/scores.parquet")
    return (
        scores.filter(pl.col("subject") == subject).drop("inputs").sort(pl.all().exclude("slice")).to_dicts()
    )


def test_the_page_and_every_table_are_built(house):
    assert (house.folder / "build/site/index.html").is_file()
    rows = house.table("data/leaderboard/rows.parquet")
    assert {*SUBJECTS, "always", "never", "length", "lexical-lr"} <= set(rows["subject"])
    assert (
        rows.filter(pl.col("metric") == "accuracy", pl.col("kind") == "model")["rank_low"].is_not_null().all()
    )


def test_no_interval_claims_certainty(house):
    assert claims_no_certainty(house.table("data/leaderboard/rows.parquet"))


def test_the_simulated_models_recognised_every_prompt(house):
    tasks = {"sample", "filter", "recognition", "contrast", "refine", "general", "teach"}
    assert tasks <= house.tasks_of_calls() and "unrecognised" not in house.tasks_of_calls()


def test_every_reply_has_one_outcome_and_every_rejected_row_a_reason(house):
    counts = house.table(f"data/datasets/{BOARD}/counts.parquet")
    generations = house.table(f"data/datasets/{BOARD}/generations.parquet")
    assert counts["n_in"].sum() == generations.height > 0
    rejects = house.table(f"data/datasets/{BOARD}/rejects.parquet")
    assert rejects["reason"].null_count() == 0


def test_second_repro_runs_no_stage(house):
    done = house.run("dvc", "repro")
    assert "Running stage" not in done.stdout and "up to date" in done.stdout


def test_the_board_is_published_once_and_every_config_loads(house, tmp_path):
    with running(tmp_path) as hub:
        planned = publish(house, hub, BOARD, "--to", "org/halueval", "--tag", "v1.0", "--dry-run").stdout
        assert "data/qa/train-00000-of-00001.parquet" in planned and not hub.exists("org/halueval")
        publish(house, hub, BOARD, "--to", "org/halueval", "--tag", "v1.0")
        assert hub.is_private("org/halueval") and len(hub.commits("org/halueval")) == 2
        rows = loaded(hub, "org/halueval", "v1.0")
        assert {
            "qa",
            "dialogue",
            "summarization",
            "general",
            "items",
            "documents",
            "judgements",
            "leaderboard",
        } <= set(rows)
        samples = house.table(f"data/labels/{BOARD}/samples.parquet")
        assert sum(rows["qa"].values()) == samples.filter(task="qa").height > 0
        publish(house, hub, BOARD, "--to", "org/halueval", "--tag", "v1.0")
        assert len(hub.commits("org/halueval")) == 2


BACK = """
import json, sys
from truerate.config.layout import Layout
from truerate.config import HubSource, Source
from truerate.sources.reading import read_source
from truerate.sources.hub.fetch import folder_of
source = Source(reader="truerate", hub=HubSource(repo=sys.argv[1], revision=sys.argv[2], config=sys.argv[3]))
got = read_source("back", source, folder_of("back", source, Layout.load()), "stop")
columns = ("group_id", "pair_id", "text", "is_hallucinated", "label_source", "generator", "pattern", "split")
print(json.dumps({"rows": sorted(got.samples.select(columns).rows(), key=str), "card": got.card}))
"""


def test_the_published_board_reads_back_as_a_source(house, tmp_path):
    with running(tmp_path) as hub:
        publish(house, hub, BOARD, "--to", "org/halueval")
        command = [sys.executable, "-c", BACK, "org/halueval", hub.commits("org/halueval")[0], "qa"]
        environment = house.environment | turned(hub)
        done = subprocess.run(
            command, cwd=house.folder, env=environment, capture_output=True, text=True, check=True
        )
    told = json.loads(done.stdout)
    samples = house.table(f"data/labels/{BOARD}/samples.parquet").filter(task="qa")
    columns = (
        "group_id",
        "pair_id",
        "text",
        "is_hallucinated",
        "label_source",
        "generator",
        "pattern",
        "split",
    )
    assert told["rows"] == sorted(map(list, samples.select(columns).rows()), key=str)
    assert (told["card"]["licence"], told["card"]["redistribution"], told["card"]["repository"]) == (
        "cc0-1.0",
        "yes",
        "org/halueval",
    )


def test_what_may_not_go_out_stays_and_says_why(house, tmp_path):
    text = house.table(f"data/labels/{BOARD}/samples.parquet")["text"][0]
    audit, lock = house.folder / f"data/audits/{BOARD}.parquet", (house.folder / "params.yaml").read_bytes()
    with running(tmp_path) as hub:
        secret = publish(house, hub, BOARD, "--to", "org/halueval", check=False, ELSEWHERE_API_KEY=text)
        assert secret.returncode == 2 and "ELSEWHERE_API_KEY" in secret.stderr and text not in secret.stderr
        kept = audit.read_bytes()
        audit.unlink()
        unaudited = publish(house, hub, BOARD, "--to", "org/halueval", check=False)
        audit.write_bytes(kept)
        rows = house.folder / "data/leaderboard/rows.parquet"
        kept = rows.read_bytes()
        pl.read_parquet(rows).with_columns(value=pl.lit(0.999)).write_parquet(rows)
        tampered = publish(house, hub, BOARD, "--to", "org/halueval", check=False)
        rows.write_bytes(kept)
        house.edit(lambda p: p["statistics"].update(n_bootstrap=201))
        changed = publish(house, hub, BOARD, "--to", "org/halueval", check=False)
        (house.folder / "params.yaml").write_bytes(lock)
        assert unaudited.returncode == 2 and "not audited" in unaudited.stderr
        assert changed.returncode == 2 and "dvc.lock" in changed.stderr and "dvc repro" in changed.stderr
        assert tampered.returncode == 2 and "not as dvc.lock has it: leaderboard;" in tampered.stderr
        for done in (secret, unaudited, tampered, changed):
            assert len(lines_of_error(done)) == 1 and "Traceback" not in done.stderr
        assert not hub.exists("org/halueval")


def test_outputs_deleted_come_back_byte_for_byte_without_a_call(house):
    before, paid, lock = house.bytes_under("data"), house.calls(), (house.folder / "dvc.lock").read_bytes()
    for folder in ("data", "build", ".dvc/cache"):
        shutil.rmtree(house.folder / folder)
    anew()  # where strings are hashed otherwise
    house.run("dvc", "repro", "--no-run-cache")
    assert house.bytes_under("data") == before
    assert house.calls() == paid
    assert (house.folder / "dvc.lock").read_bytes() == lock


def test_a_dead_letter_is_asked_again_by_the_stage_that_holds_it_and_nothing_else_is(house):
    before, paid, lock = house.bytes_under("data"), house.calls(), (house.folder / "dvc.lock").read_bytes()
    lose(
        house,
        house.table(f"data/datasets/{BOARD}/generations.parquet").filter(model="birch", purpose="recognise")[
            "prompt_key"
        ][0],
    )
    (scratch,) = (house.folder / "build" / BOARD).glob("birch@*/recognise-0.parquet")
    scratch.unlink()
    made = house.run("dvc", "repro", "--single-item", "--force", f"dataset@{BOARD}")
    assert "`truerate llm dead --retry rejected`" in made.stdout + made.stderr
    changed = json.loads(house.run("dvc", "status", "--json").stdout)
    assert house.calls() == paid and house.bytes_under("data") != before
    forgotten = json.loads(house.run("truerate", "llm", "dead", "--retry", "rejected", "--json").stdout)
    assert forgotten == {"n_forgotten": 1, "boards": [BOARD]}
    assert json.loads(house.run("dvc", "status", "--json").stdout) == changed | {
        f"dataset@{BOARD}": ["changed command"]
    }
    said = house.run("dvc", "repro").stdout
    assert re.findall("Running stage '(.+)'", said) == [
        f"dataset@{BOARD}"
    ]  # whose rows are again those that the others were made from
    assert house.calls() == paid | {"sim-birch": paid["sim-birch"] + 1}
    assert house.bytes_under("data") == before and (house.folder / "dvc.lock").read_bytes() == lock
    assert house.run("truerate", "where").stderr == ""


def lose(house: House, key: str) -> None:
    """Make a reply of the store a dead letter, as if its endpoint had refused the request."""
    import sqlite3

    with sqlite3.connect(house.environment["TRUERATE_STORE"]) as store:
        found = bytes.fromhex(key)
        store.execute(
            "INSERT INTO dead SELECT key, 'rejected', '400', 1, identity, at, request FROM response WHERE key = ?",
            [found],
        )
        assert store.execute("DELETE FROM response WHERE key = ?", [found]).rowcount == 1


def test_a_changed_model_asks_again_alone_and_moves_no_other(house):
    paid, others = (house.calls(), {name: recognition(house, name) for name in SUBJECTS if name != "birch"})
    scratch = {path: path.stat().st_mtime_ns for path in (house.folder / "build" / BOARD).rglob("*.parquet")}
    house.edit(lambda p: p["models"]["birch"].update(params={"temperature": 0.0, "max_tokens": 200}))
    house.run("dvc", "repro", f"score@{BOARD}")
    now = house.calls()
    assert now.pop("sim-birch") > paid.pop("sim-birch")
    assert now == paid
    assert {name: recognition(house, name) for name in others} == others
    assert all(path.stat().st_mtime_ns == then for path, then in scratch.items())


def test_an_unknown_key_ends_before_anything_runs(house):
    house.edit(lambda p: p.update(modles={}))
    done = house.run("dvc", "repro", check=False)
    house.edit(lambda p: p.pop("modles"))
    assert done.returncode and "unknown key 'modles'" in done.stderr + done.stdout
    assert "Traceback" not in done.stderr


def test_killed_three_times_the_build_ends_as_if_undisturbed(tmp_path, house):
    """kill -9 of the build; what was in flight may be asked again, nothing else, and no process stays."""
    other = move_in(tmp_path / "truerate")
    shutil.copy(house.folder / "params.yaml", other.folder)
    for n_replies in KILLS:
        killed_after(other, n_replies)
        other.run("truerate", "mend")  # where the kill hit DVC while it wrote its lock file
    other.run("dvc", "repro", f"dataset@{BOARD}")  # what stands after it is made from its bytes
    assert other.bytes_under("data/datasets") == house.bytes_under("data/datasets")
    assert repeated(other) <= len(KILLS) * CONCURRENCY
    assert not left_behind(other)


def test_what_dvc_started_ends_when_dvc_alone_is_killed(tmp_path):
    other = move_in(tmp_path / "truerate")
    with socket.create_server(("127.0.0.1", 0)) as endpoint:  # that takes requests and never answers
        address = f"http://127.0.0.1:{endpoint.getsockname()[1]}/v1"
        other.edit(lambda p: p["endpoints"].update(world={"base_url": address, "is_simulated": True}))
        build = other.start("dvc", "repro")
        endpoint.settimeout(300)
        endpoint.accept()
        assert any(name.startswith("python -m truerate make") for name in alive(other))
        build.kill()
        build.wait()
        assert not left_behind(other)


def repeated(house: House) -> int:
    """Calls that the endpoint answered again, by its own log."""
    answered = [
        line.split()[0]
        for line in (house.folder / CALLS).read_text("utf-8").splitlines()
        if line.endswith(" ok")
    ]
    assert answered
    return len(answered) - len(set(answered))


def killed_after(house: House, n_replies: int) -> None:
    """Kill a build once the store holds so many replies, and everything it started that is still in its group."""
    build = house.start("dvc", "repro")
    deadline = time.monotonic() + 300
    while stored(house) < n_replies and build.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    for process in (
        [*psutil.Process(build.pid).children(recursive=True), psutil.Process(build.pid)]
        if build.poll() is None
        else []
    ):
        try:
            os.kill(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    build.wait()


def stored(house: House) -> int:
    import sqlite3

    path = Path(house.environment["TRUERATE_STORE"])
    if not path.is_file():
        return 0
    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=5) as store:
            return store.execute("select count(*) from response").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


def left_behind(house: House) -> list[str]:
    """Processes that still run in the copy, given the few seconds that a launched server may linger."""
    deadline = time.monotonic() + 15
    while (found := alive(house)) and time.monotonic() < deadline:
        time.sleep(0.2)
    return found


def alive(house: House) -> list[str]:
    """The commands of all processes that run in the copy."""
    return [
        " ".join(p.info["cmdline"] or [])
        for p in psutil.process_iter(["cmdline", "cwd"])
        if p.info["cwd"] == str(house.folder)
    ]
