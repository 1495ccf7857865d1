"""The loopback Hub, met by the real clients: commits of all or nothing, faults as they were asked for, and
refusals.
"""

import base64
import hashlib
import http.client
import json
import threading
from pathlib import Path

import pytest
import yaml
from huggingface_hub import (
    CommitOperationAdd,
    CommitOperationDelete,
    DatasetCard,
    HfApi,
    HfFileSystem,
    constants,
    hf_hub_download,
)
from huggingface_hub.errors import (
    GatedRepoError,
    HfHubHTTPError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)

from .drafts import shard

CASES = yaml.safe_load(Path(__file__).with_name("server.yaml").read_text("utf-8"))
REPO, SHARD = "org/board", "data/qa/test-00000-of-00001.parquet"
API = f"/api/datasets/{REPO}"
CARD = "---\nlicense: mit\nlanguage: [en]\nconfigs:\n- {config_name: qa, default: true, data_files: data/qa/*}\n---\n# A board\n"
FILES = {"README.md": CARD.encode(), SHARD: shard(1, 400)}
TEXT = b"large enough"
SHA = hashlib.sha256(TEXT).hexdigest()


def push(api: HfApi, files: dict[str, bytes], *, delete: tuple[str, ...] = (), **more):
    """One commit by the real client."""
    operations = [CommitOperationAdd(path, content) for path, content in files.items()]
    operations += [CommitOperationDelete(path) for path in delete]
    return api.create_commit(REPO, operations, commit_message="a release", repo_type="dataset", **more)


def ask(hub, method: str, path: str, body: bytes | dict | None = None, *, is_store=False, **headers):
    """A request as it stands, with the write token unless `Authorization` is given: status, headers, body."""
    body = json.dumps(body).encode() if isinstance(body, dict) else body
    named = {"Authorization": f"Bearer {hub.token}"} | headers
    address = (hub.site.objects_url if is_store else hub.url).removeprefix("http://")
    connection = http.client.HTTPConnection(address, timeout=10)
    try:
        kept = {name.replace("_", "-"): value for name, value in named.items() if value is not None}
        connection.request(method, path, body, kept)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


def commit(hub, *operations: tuple[str, dict], body: bytes | None = None) -> tuple[int, str]:
    """A commit of (key, value) lines, whatever they say: status and message."""
    lines = [("header", {"summary": "raw"}), *operations]
    raw = b"".join(json.dumps({"key": key, "value": value}).encode() + b"\n" for key, value in lines)
    status, _, reply = ask(hub, "POST", f"{API}/commit/main", raw if body is None else body)
    return status, reply.decode()


def regular(path: str, content: bytes = b"text") -> tuple[str, dict]:
    """The line of a regular file."""
    return "file", {"path": path, "encoding": "base64", "content": base64.b64encode(content).decode()}


def statuses(hub, part: str, method: str | None = None) -> list[int]:
    """The statuses of the requests whose path holds a part."""
    return [status for verb, path, status in hub.requests if part in path and method in (None, verb)]


@pytest.fixture
def empty(hub_here, api, brisk):
    """An empty data set, and clients that do not wait between their attempts."""
    api.create_repo(REPO, repo_type="dataset")
    hub_here.requests.clear()
    return hub_here


# ---- what is there -----------------------------------------------------------------------------------------
def test_one_commit_holds_regular_and_large_files_and_a_tag_keeps_them(empty, api):
    push(api, FILES, parent_commit=api.dataset_info(REPO).sha)
    api.create_tag(REPO, tag="v1", repo_type="dataset")
    info = api.dataset_info(REPO, files_metadata=True)
    stored = {sibling.rfilename: sibling.lfs for sibling in info.siblings}
    assert stored["README.md"] is None and stored[SHARD].sha256 == hashlib.sha256(FILES[SHARD]).hexdigest()
    assert (info.sha, info.card_data.license) == (empty.commits(REPO)[0], "mit")
    push(api, {"more.txt": b"more", SHARD: shard(2, 400)}, delete=("README.md",))
    assert set(empty.files(REPO)) == {"more.txt", SHARD} and empty.files(REPO, "v1") == FILES
    for revision, content in {"main": shard(2, 400), "v1": FILES[SHARD], info.sha: FILES[SHARD]}.items():
        path = hf_hub_download(REPO, SHARD, repo_type="dataset", revision=revision)
        assert Path(path).read_bytes() == content
    with pytest.raises(RevisionNotFoundError):
        hf_hub_download(REPO, SHARD, repo_type="dataset", revision="v2")
    with pytest.raises(HfHubHTTPError, match="Tag reference exists already"):
        api.create_tag(REPO, tag="v1", repo_type="dataset")
    assert empty.tags(REPO) == {"v1": info.sha}


def test_a_tree_comes_in_pages(empty, api):
    empty.limits.page = 2
    push(api, FILES | {f"build/{n}.txt": b"%d" % n for n in range(5)})
    names = [entry.path for entry in api.list_repo_tree(REPO, repo_type="dataset", recursive=True)]
    assert names == sorted(
        [*FILES, ".gitattributes", "build", "data", "data/qa", *(f"build/{n}.txt" for n in range(5))]
    )
    assert len(statuses(empty, "/tree/")) == 6  # 11 entries, two a page
    below = api.list_repo_tree(REPO, "build", repo_type="dataset")
    assert {entry.path for entry in below} == {f"build/{n}.txt" for n in range(5)}


@pytest.mark.parametrize(("asked", "status", "content", "content_range"), CASES["ranges"])
def test_a_range_of_a_file(hub, asked, status, content, content_range):
    hub.put_repo(REPO, files={"a.txt": "abcdefgh"})
    answered, headers, body = ask(hub, "GET", f"/datasets/{REPO}/resolve/main/a.txt", Range=asked)
    assert (answered, body.decode(), headers["Content-Range"]) == (status, content, content_range)


def test_a_stored_object_is_read_in_ranges(empty, api):
    push(api, FILES)
    file = HfFileSystem().open(f"datasets/{REPO}/{SHARD}", block_size=8)
    file.seek(-4, 2)
    assert file.read() == FILES[SHARD][-4:] and statuses(empty, "/objects/datasets", "GET") == [206]


def test_a_large_text_is_noted_in_gitattributes(empty, api):
    empty.limits.large_above = 50
    push(api, {"long [1].txt": b"x" * 51})
    empty.limits.large_above = 10**6
    push(api, {"long [1].txt": b"y" * 51, "short.txt": b"z"})  # large by its line now; no second line for it
    assert empty.files(REPO, with_attributes=True)[".gitattributes"].count(b"long") == 1


# ---- faults ------------------------------------------------------------------------------------------------
def test_an_upload_is_tried_again_after_the_pause_that_was_asked_for(empty, api, brisk):
    empty.fault(method="PUT", path="^/objects/", kind="error", status=503, times=2)
    empty.fault(path="/preupload/", kind="429", retry_after=7)
    push(api, FILES)
    assert statuses(empty, "/objects/datasets", "PUT") == [503, 503, 200]
    assert statuses(empty, "/preupload/") == [429, 200] and empty.files(REPO) == FILES
    assert brisk == [8.0, 1, 2]  # the client adds a second to what it is asked for


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


def test_a_truncated_download_is_taken_up_where_it_ended(empty, api, monkeypatch):
    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", 100)  # the client keeps whole chunks alone
    push(api, FILES)
    empty.fault(method="GET", path="^/objects/", kind="truncate")
    path = hf_hub_download(REPO, SHARD, repo_type="dataset")
    assert Path(path).read_bytes() == FILES[SHARD]
    assert statuses(empty, "/objects/datasets", "GET") == [200, 206]


def test_a_flipped_byte_is_found_by_the_checksums_alone(empty, api, tmp_path):
    push(api, FILES)
    empty.fault(method="GET", path="^/objects/", kind="corrupt")
    content = Path(hf_hub_download(REPO, SHARD, repo_type="dataset", local_dir=tmp_path)).read_bytes()
    assert sum(a != b for a, b in zip(content, FILES[SHARD], strict=True)) == 1
    assert empty.files(REPO) == FILES  # the store is whole


def test_a_fault_lasts_as_long_as_it_is_told_to(empty):
    empty.fault(method="*", path="whoami", times=None, status=500)
    assert [ask(empty, method, "/api/whoami-v2")[0] for method in ("GET", "HEAD", "GET")] == [500] * 3
    empty.faults.clear()
    empty.fault(method="GET", path="whoami", kind="slow", delay=0.01, times=1)
    assert [ask(empty, "GET", "/api/whoami-v2")[0] for _ in range(2)] == [200, 200]
    assert empty.faults.played == [("slow", "GET", "/api/whoami-v2")]


@pytest.mark.parametrize("wrong", [{"kind": "flood"}, {"kind": "slow", "delay": 3}])
def test_a_fault_that_nobody_knows_is_an_error_of_the_test(hub, wrong):
    with pytest.raises(ValueError):
        hub.fault(**wrong)


def test_of_many_commits_at_once_upon_one_parent_one_lands(empty, api):
    parent, results = empty.commits(REPO)[0], []

    def push_file(n: int) -> None:
        try:
            push(api, {f"{n}.txt": b"%d" % n}, parent_commit=parent)
            results.append(200)
        except HfHubHTTPError as error:
            results.append(error.response.status_code)

    threads = [threading.Thread(target=push_file, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [200, *[412] * 5] and len(empty.commits(REPO)) == 2


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


# ---- refusals ----------------------------------------------------------------------------------------------
def refusal_of(call, *words, **named) -> str:
    """The status and the message of a request that the Hub refuses."""
    with pytest.raises(HfHubHTTPError) as met:
        call(*words, **named)
    return f"{met.value.response.status_code} {met.value}"


def test_tokens_that_are_wrong_only_read_or_are_a_stranger_s(empty):
    assert "401" in refusal_of(HfApi(token="hf_nobody").create_repo, REPO, repo_type="dataset")
    for token, word in [(empty.read_token, "write token"), (empty.other_token, "write access")]:
        assert word in refusal_of(push, HfApi(token=token), {"a.txt": b"a"})
    stranger = HfApi(token=empty.other_token)
    assert 'under the namespace "org"' in refusal_of(stranger.create_repo, "org/new", repo_type="dataset")
    assert len(empty.commits(REPO)) == 1 and not empty.exists("org/new")


def test_a_private_repository_of_others_is_not_found_and_a_gated_one_keeps_its_files(hub_here, api):
    hub_here.put_repo("elsewhere/secret", files={"a.txt": "a"}, private=True)
    for token, status in [(hub_here.token, 404), (False, 401)]:
        with pytest.raises(RepositoryNotFoundError) as met:
            HfApi(token=token).dataset_info("elsewhere/secret")
        assert met.value.response.status_code == status
    hub_here.put_repo("elsewhere/gated", files={"a.txt": "a"}, gated=True)
    assert api.dataset_info("elsewhere/gated").gated == "auto"
    with pytest.raises(GatedRepoError, match="restricted"):
        hf_hub_download("elsewhere/gated", "a.txt", repo_type="dataset")
    hub_here.grant("elsewhere/gated", "someone")
    assert Path(hf_hub_download("elsewhere/gated", "a.txt", repo_type="dataset")).read_text() == "a"


def test_a_name_that_is_taken_is_409(empty, api):
    for name in (REPO, "org/BOARD"):
        assert refusal_of(api.create_repo, name, repo_type="dataset").startswith("409")
    assert api.create_repo(REPO, repo_type="dataset", exist_ok=True).repo_id == REPO
    assert api.create_repo(REPO).repo_type == "model"  # another kind, another repository


@pytest.mark.parametrize("name", [*CASES["names"], "x" * 97])
def test_a_name_that_the_hub_does_not_take_is_400(hub_here, name):
    asked = {"name": name, "organization": "org", "type": "dataset"}
    status, headers, _ = ask(hub_here, "POST", "/api/repos/create", asked)
    assert status == 400 and "Invalid repo name" in headers["X-Error-Message"]


def test_a_client_that_depends_on_xet_fails(empty, monkeypatch):
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", False)
    with pytest.raises(Exception, match="xet-write-token"):
        push(HfApi(), {SHARD: shard(1, 9)})
    assert len(empty.commits(REPO)) == 1


def test_a_parent_that_is_no_longer_the_head_is_412_and_a_tag_no_branch(empty, api):
    old = empty.commits(REPO)[0]
    push(api, {"a.txt": b"a"}, parent_commit=old)
    reply = refusal_of(push, api, {"b.txt": b"b"}, parent_commit=old)
    assert reply.startswith("412") and "A commit has happened since. Please refresh and try again." in reply
    api.create_tag(REPO, tag="v1", repo_type="dataset")
    assert refusal_of(push, api, {"b.txt": b"b"}, revision="v1").startswith("404")
    assert set(empty.files(REPO)) == {"a.txt"}


@pytest.mark.parametrize(("key", "value", "word"), CASES["operations"])
def test_a_commit_that_cannot_hold_changes_nothing(empty, key, value, word):
    status, reply = commit(empty, regular("first.txt"), (key, value))
    assert status in (400, 404) and word in reply
    assert empty.files(REPO) == {} and len(empty.commits(REPO)) == 1


@pytest.mark.parametrize("body", CASES["bodies"])
def test_a_body_that_is_no_commit_is_400(empty, body):
    assert commit(empty, body=body.encode())[0] == 400


def test_a_commit_that_changes_nothing_is_refused_and_one_may_delete_and_write(empty):
    assert commit(empty, regular("a.txt"))[0] == 200
    assert commit(empty, regular("a.txt")) == (400, '{"error": "Your commit is empty: it changes no file"}')
    assert commit(empty, ("deletedFile", {"path": "a.txt"}), regular("a.txt/b"))[0] == 200
    assert set(empty.files(REPO)) == {"a.txt/b"}


def batch(hub, *, size: int = len(TEXT), repo: str = REPO, transfer: str = "basic") -> dict | None:
    """What the Hub says of where it wants TEXT; None where it has it."""
    asked = {"operation": "upload", "transfers": [transfer], "objects": [{"oid": SHA, "size": size}]}
    _, _, reply = ask(hub, "POST", f"/datasets/{repo}.git/info/lfs/objects/batch", asked)
    return json.loads(reply)["objects"][0].get("actions", {}).get("upload")


def store(hub, method: str, href: str, body: bytes | None = None, **headers):
    """The answer of the store at a signed address."""
    path = href.removeprefix(hub.site.objects_url)
    return ask(hub, method, path, body, is_store=True, **({"Authorization": None} | headers))


def test_an_object_must_be_what_was_announced_and_belong_here(empty, api):
    href = batch(empty)["href"]
    for body in (TEXT[:-1] + b"X", TEXT + b"X"):  # another sha256, another size
        assert store(empty, "PUT", href, body)[0] == 400
    assert store(empty, "PUT", href, TEXT, Authorization=f"Bearer {empty.token}")[0] == 400  # to the store
    assert store(empty, "GET", href)[0] == 403
    assert store(empty, "PUT", href.replace("size=12", "size=13"), TEXT + b"X")[0] == 403
    assert store(empty, "PUT", batch(empty, size=13)["href"], TEXT)[0] == 400  # not as long as announced
    assert store(empty, "PUT", href, TEXT)[0] == 200 and batch(empty) is None
    api.create_repo("org/other", repo_type="dataset")
    assert batch(empty, repo="org/other") is not None  # what one repository has, another has not
    pointer = {"path": "a.bin", "algo": "sha256", "oid": SHA}
    assert "has 12" in commit(empty, ("lfsFile", pointer | {"size": 13}))[1]
    assert commit(empty, ("lfsFile", pointer | {"size": 12}))[0] == 200


def test_parts_need_their_order_and_their_etags(empty):
    empty.limits.parts_above = empty.limits.part_size = 6
    action, etags = batch(empty, transfer="multipart"), []
    for number, content in [("00001", TEXT[:6]), ("00002", TEXT[6:])]:
        href = action["header"][number]
        assert store(empty, "PUT", href, content[1:])[0] == 400
        etags.append(store(empty, "PUT", href, content)[1]["ETag"])
    whole = action["href"].removeprefix(empty.url)
    parts = [{"partNumber": number, "etag": etag} for number, etag in enumerate(etags, 1)]
    for wrong in (parts[:1], parts[::-1], [parts[0], parts[1] | {"etag": etags[0]}]):
        assert ask(empty, "POST", whole, {"oid": SHA, "parts": wrong})[0] == 400
    assert ask(empty, "POST", whole, {"oid": SHA, "parts": parts})[0] == 200 and batch(empty) is None


@pytest.mark.parametrize(("metadata", "word"), CASES["cards"])
def test_a_card_that_the_hub_does_not_take(empty, metadata, word):
    card = f"---\n{metadata}\n---\n".encode()
    with pytest.raises(ValueError, match=f"(?s)Invalid metadata in README.md.*{word}"):
        push(HfApi(), {"README.md": card})
    status, reply = commit(empty, regular("README.md", card))  # nor from those who did not ask first
    assert status == 400 and word in reply and empty.files(REPO) == {}


def test_a_card_that_the_hub_takes_and_one_it_remarks_on(empty, api):
    DatasetCard(CARD).validate(repo_type="dataset")
    with pytest.warns(UserWarning, match="not in the official list"):
        push(api, {"README.md": b"---\ntask_categories: [guessing]\nlanguage: ['no', code]\n---\n"})
    with pytest.warns(UserWarning, match="empty or missing yaml"):
        push(api, {"README.md": b"# nothing\n"})


def test_nothing_is_served_elsewhere(empty):
    assert ask(empty, "GET", "/api/spaces/org/board")[0] == 404 and ask(empty, "PATCH", API, {})[0] == 404
