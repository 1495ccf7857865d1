"""Faults of the loopback Hub, as the real clients meet them."""

import json
import threading

import pytest
from huggingface_hub import constants, hf_hub_download
from huggingface_hub.errors import HfHubHTTPError

from .pushing import API, CARD, REPO, SHARD, ask, parquet, push

FILES = {"README.md": CARD.encode(), SHARD: parquet(a=[1, 2])}


@pytest.fixture
def made(hub_here, api, brisk):
    """An empty data set, and clients that do not wait between their attempts."""
    api.create_repo(REPO, repo_type="dataset")
    hub_here.requests.clear()
    return hub_here


def statuses(hub, part: str) -> list[int]:
    return [status for _, path, status in hub.requests if part in path]


def test_an_upload_is_tried_again_after_the_pause_that_was_asked_for(made, api, brisk):
    made.fault(method="PUT", path="^/objects/", kind="error", status=503, times=2)
    made.fault(path="/preupload/", kind="429", retry_after=7)
    push(api, FILES)
    assert statuses(made, "/objects/datasets") == [503, 503, 200] and statuses(made, "/preupload/") == [
        429,
        200,
    ]
    assert (
        brisk == [8.0, 1, 2] and made.files(REPO) == FILES
    )  # the client adds a second to what it is asked for


def test_a_commit_that_fails_shows_nothing_and_a_second_sends_no_object_again(made, api):
    made.fault(path="/commit/main", status=500)
    with pytest.raises(HfHubHTTPError):
        push(api, FILES)
    assert made.files(REPO) == {} and len(made.commits(REPO)) == 1
    push(api, FILES)
    assert made.files(REPO) == FILES and statuses(made, "/objects/datasets/org") == [200]


@pytest.mark.parametrize(("kind", "n_commits"), [("drop", 1), ("lost", 2)])
def test_a_dropped_commit_is_not_done_and_a_lost_one_is(made, api, kind, n_commits):
    made.fault(path="/commit/main", kind=kind)
    with pytest.raises(Exception, match="(?i)disconnect"):
        push(api, FILES)
    assert len(made.commits(REPO)) == n_commits
    push(api, FILES)
    assert len(made.commits(REPO)) == 2 and made.files(REPO) == FILES


@pytest.mark.parametrize(("kind", "n_commits"), [("crash", 1), ("crash-after", 2)])
def test_a_server_that_crashes_at_a_commit_comes_back_with_all_of_it_or_nothing(made, api, kind, n_commits):
    made.fault(path="/commit/main", kind=kind)
    with pytest.raises(Exception, match="(?i)disconnect|reset"):
        push(api, FILES)
    assert not made.is_up
    with pytest.raises(Exception, match="(?i)refused"):
        ask(made, "GET", "/api/whoami-v2")
    made.restart()
    assert len(made.commits(REPO)) == n_commits
    push(api, FILES)
    assert len(made.commits(REPO)) == 2 and made.files(REPO) == FILES


def test_a_truncated_download_is_taken_up_where_it_ended(made, api, monkeypatch):
    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", 100)  # the client keeps whole chunks alone
    push(api, FILES)
    made.fault(method="GET", path="^/objects/", kind="truncate")
    path = hf_hub_download(REPO, SHARD, repo_type="dataset")
    assert open(path, "rb").read() == FILES[SHARD]
    assert [
        status for method, path, status in made.requests if method == "GET" and path.startswith("/objects/")
    ] == [200, 206]


def test_a_flipped_byte_is_found_by_the_checksums_alone(made, api, tmp_path):
    push(api, FILES)
    made.fault(method="GET", path="^/objects/", kind="corrupt")
    path = hf_hub_download(REPO, SHARD, repo_type="dataset", local_dir=tmp_path)
    found = open(path, "rb").read()
    assert sum(a != b for a, b in zip(found, FILES[SHARD], strict=True)) == 1
    told = api.verify_repo_checksums(REPO, repo_type="dataset", local_dir=tmp_path)
    assert [each["path"] if isinstance(each, dict) else each.path for each in told.mismatches] == [SHARD]
    assert made.files(REPO) == FILES  # the store is whole


def test_a_fault_lasts_as_long_as_it_is_told_to(made):
    made.fault(method="*", path="whoami", times=None, status=500)
    assert [ask(made, method, "/api/whoami-v2")[0] for method in ("GET", "HEAD", "GET")] == [500] * 3
    made.clear()
    made.fault(method="GET", path="whoami", kind="slow", delay=0.01, times=1)
    assert [ask(made, "GET", "/api/whoami-v2")[0] for _ in range(2)] == [200, 200]
    assert made.faults.played == [("slow", "GET", "/api/whoami-v2")] and not made.exists(REPO)


@pytest.mark.parametrize("wrong", [{"kind": "flood"}, {"kind": "slow", "delay": 3}])
def test_a_fault_that_nobody_knows_is_an_error_of_the_test(hub, wrong):
    with pytest.raises(ValueError):
        hub.fault(**wrong)


def test_of_many_commits_at_once_upon_one_parent_one_lands(made, api):
    parent, found = made.commits(REPO)[0], []

    def one(n: int) -> None:
        try:
            push(api, {f"{n}.txt": b"%d" % n}, parent_commit=parent)
            found.append(200)
        except HfHubHTTPError as error:
            found.append(error.response.status_code)

    threads = [threading.Thread(target=one, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [200, *[412] * 5] and len(made.commits(REPO)) == 2


def test_no_reader_ever_sees_half_of_a_commit(made, api):
    """A reader that asks all the while sees five files of one and the same content, or none."""
    seen, is_done = [], threading.Event()

    def read() -> None:
        while not is_done.is_set():
            _, _, tree = ask(made, "GET", f"{API}/tree/main?recursive=true")
            seen.append(tuple(entry["oid"] for entry in json.loads(tree) if entry["path"].endswith(".txt")))

    reader = threading.Thread(target=read)
    reader.start()
    for n in range(10):
        push(api, {f"{name}.txt": b"%d" % n for name in "abcde"})
    is_done.set()
    reader.join()
    assert {(len(each), len(set(each))) for each in seen} <= {(0, 0), (5, 1)} and len(set(seen)) > 1
