"""Faults of the loopback Hub, as the real clients meet them."""

import json
import threading

import pytest
from huggingface_hub import constants, hf_hub_download
from huggingface_hub.errors import HfHubHTTPError

from .pushing import API, CARD, REPO, SHARD, ask, parquet, push

FILES = {"README.md": CARD.encode(), SHARD: parquet(a=[1, 2])}


@pytest.fixture
def empty(hub_here, api, brisk):
    """An empty data set, and clients that do not wait between their attempts."""
    api.create_repo(REPO, repo_type="dataset")
    hub_here.requests.clear()
    return hub_here


def statuses(hub, part: str) -> list[int]:
    return [status for _, path, status in hub.requests if part in path]


def test_an_upload_is_tried_again_after_the_pause_that_was_asked_for(empty, api, brisk):
    empty.fault(method="PUT", path="^/objects/", kind="error", status=503, times=2)
    empty.fault(path="/preupload/", kind="429", retry_after=7)
    push(api, FILES)
    assert statuses(empty, "/objects/datasets") == [503, 503, 200] and statuses(empty, "/preupload/") == [
        429,
        200,
    ]
    assert (
        brisk == [8.0, 1, 2] and empty.files(REPO) == FILES
    )  # the client adds a second to what it is asked for


def test_a_commit_that_fails_shows_nothing_and_a_second_sends_no_object_again(empty, api):
    empty.fault(path="/commit/main", status=500)
    with pytest.raises(HfHubHTTPError):
        push(api, FILES)
    assert empty.files(REPO) == {} and len(empty.commits(REPO)) == 1
    push(api, FILES)
    assert empty.files(REPO) == FILES and statuses(empty, "/objects/datasets/org") == [200]


@pytest.mark.parametrize(("kind", "n_commits"), [("drop", 1), ("lost", 2)])
def test_a_dropped_commit_is_not_done_and_a_lost_one_is(empty, api, kind, n_commits):
    empty.fault(path="/commit/main", kind=kind)
    with pytest.raises(Exception, match="(?i)disconnect"):
        push(api, FILES)
    assert len(empty.commits(REPO)) == n_commits
    push(api, FILES)
    assert len(empty.commits(REPO)) == 2 and empty.files(REPO) == FILES


@pytest.mark.parametrize(("kind", "n_commits"), [("crash", 1), ("crash-after", 2)])
def test_a_server_that_crashes_at_a_commit_comes_back_with_all_of_it_or_nothing(empty, api, kind, n_commits):
    empty.fault(path="/commit/main", kind=kind)
    with pytest.raises(Exception, match="(?i)disconnect|reset"):
        push(api, FILES)
    assert not empty.is_up
    with pytest.raises(Exception, match="(?i)refused"):
        ask(empty, "GET", "/api/whoami-v2")
    empty.restart()
    assert len(empty.commits(REPO)) == n_commits
    push(api, FILES)
    assert len(empty.commits(REPO)) == 2 and empty.files(REPO) == FILES


def test_a_truncated_download_is_taken_up_where_it_ended(empty, api, monkeypatch):
    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", 100)  # the client keeps whole chunks alone
    push(api, FILES)
    empty.fault(method="GET", path="^/objects/", kind="truncate")
    path = hf_hub_download(REPO, SHARD, repo_type="dataset")
    assert open(path, "rb").read() == FILES[SHARD]
    assert [
        status for method, path, status in empty.requests if method == "GET" and path.startswith("/objects/")
    ] == [200, 206]


def test_a_flipped_byte_is_found_by_the_checksums_alone(empty, api, tmp_path):
    push(api, FILES)
    empty.fault(method="GET", path="^/objects/", kind="corrupt")
    path = hf_hub_download(REPO, SHARD, repo_type="dataset", local_dir=tmp_path)
    content = open(path, "rb").read()
    assert sum(a != b for a, b in zip(content, FILES[SHARD], strict=True)) == 1
    verified = api.verify_repo_checksums(REPO, repo_type="dataset", local_dir=tmp_path)
    assert [each["path"] if isinstance(each, dict) else each.path for each in verified.mismatches] == [SHARD]
    assert empty.files(REPO) == FILES  # the store is whole


def test_a_fault_lasts_as_long_as_it_is_told_to(empty):
    empty.fault(method="*", path="whoami", times=None, status=500)
    assert [ask(empty, method, "/api/whoami-v2")[0] for method in ("GET", "HEAD", "GET")] == [500] * 3
    empty.clear()
    empty.fault(method="GET", path="whoami", kind="slow", delay=0.01, times=1)
    assert [ask(empty, "GET", "/api/whoami-v2")[0] for _ in range(2)] == [200, 200]
    assert empty.faults.played == [("slow", "GET", "/api/whoami-v2")] and not empty.exists(REPO)


@pytest.mark.parametrize("wrong", [{"kind": "flood"}, {"kind": "slow", "delay": 3}])
def test_a_fault_that_nobody_knows_is_an_error_of_the_test(hub, wrong):
    with pytest.raises(ValueError):
        hub.fault(**wrong)


def test_of_many_commits_at_once_upon_one_parent_one_lands(empty, api):
    parent, statuses_met = empty.commits(REPO)[0], []

    def push_file(n: int) -> None:
        try:
            push(api, {f"{n}.txt": b"%d" % n}, parent_commit=parent)
            statuses_met.append(200)
        except HfHubHTTPError as error:
            statuses_met.append(error.response.status_code)

    threads = [threading.Thread(target=push_file, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses_met) == [200, *[412] * 5] and len(empty.commits(REPO)) == 2


def test_no_reader_ever_sees_half_of_a_commit(empty, api):
    """A reader that asks all the while sees five files of one and the same content, or none."""
    oids, is_done = [], threading.Event()

    def read() -> None:
        while not is_done.is_set():
            _, _, tree = ask(empty, "GET", f"{API}/tree/main?recursive=true")
            oids.append(tuple(entry["oid"] for entry in json.loads(tree) if entry["path"].endswith(".txt")))

    reader = threading.Thread(target=read)
    reader.start()
    for n in range(10):
        push(api, {f"{name}.txt": b"%d" % n for name in "abcde"})
    is_done.set()
    reader.join()
    assert {(len(each), len(set(each))) for each in oids} <= {(0, 0), (5, 1)} and len(set(oids)) > 1
