"""What the loopback Hub refuses, and how the real clients say it: by rights, names, cards, operations,
objects.
"""

import hashlib
import json

import pytest
from huggingface_hub import DatasetCard, HfApi, constants, hf_hub_download
from huggingface_hub.errors import GatedRepoError, HfHubHTTPError, RepositoryNotFoundError

from .pushing import API, CARD, REPO, SHARD, ask, commit, parquet, push, regular

TEXT = b"large enough"
SHA = hashlib.sha256(TEXT).hexdigest()


@pytest.fixture
def empty(hub_here, api):
    """An empty data set."""
    api.create_repo(REPO, repo_type="dataset")
    return hub_here


def status_of(call, *words, **named) -> tuple[int, str]:
    """The status and the message of a request that the Hub refuses."""
    with pytest.raises(HfHubHTTPError) as met:
        call(*words, **named)
    return met.value.response.status_code, str(met.value)


def test_a_wrong_token_is_401(hub_here):
    status, reply = status_of(HfApi(token="hf_nobody").create_repo, REPO, repo_type="dataset")
    assert status == 401 and "Invalid credentials" in reply


def test_a_token_that_only_reads_and_a_stranger_are_403(empty, api):
    for token, word in [(empty.read_token, "write token"), (empty.other_token, "write access")]:
        status, reply = status_of(push, HfApi(token=token), {"a.txt": b"a"})
        assert status == 403 and word in reply
    status, reply = status_of(HfApi(token=empty.other_token).create_repo, "org/new", repo_type="dataset")
    assert status == 403 and 'under the namespace "org"' in reply
    assert len(empty.commits(REPO)) == 1 and not empty.exists("org/new")


def test_a_private_repository_of_others_is_not_found(hub_here):
    hub_here.put_repo("elsewhere/secret", files={"a.txt": "a"}, private=True)
    for token, status in [(hub_here.token, 404), (False, 401)]:
        with pytest.raises(RepositoryNotFoundError) as met:
            HfApi(token=token).dataset_info("elsewhere/secret")
        assert met.value.response.status_code == status
    with pytest.raises(RepositoryNotFoundError):
        hf_hub_download("elsewhere/secret", "a.txt", repo_type="dataset", token=False)


def test_a_gated_repository_shows_itself_but_not_its_files(hub_here, api):
    hub_here.put_repo("elsewhere/gated", files={"a.txt": "a"}, gated=True)
    assert api.dataset_info("elsewhere/gated").gated == "auto"
    with pytest.raises(GatedRepoError, match="restricted"):
        hf_hub_download("elsewhere/gated", "a.txt", repo_type="dataset")
    hub_here.grant("elsewhere/gated", "someone")
    assert open(hf_hub_download("elsewhere/gated", "a.txt", repo_type="dataset")).read() == "a"


def test_a_name_that_is_taken_is_409(empty, api):
    assert status_of(api.create_repo, REPO, repo_type="dataset")[0] == 409
    assert status_of(api.create_repo, REPO.upper().replace("ORG", "org"), repo_type="dataset")[0] == 409
    assert api.create_repo(REPO, repo_type="dataset", exist_ok=True).repo_id == REPO
    assert api.create_repo(REPO).repo_type == "model"  # another kind, another repository


@pytest.mark.parametrize("name", ["a--b", "a..b", "-a", "a.", "a.git", "a b", "é", "", "x" * 97, None])
def test_a_name_that_the_hub_does_not_take_is_400(hub_here, name):
    status, headers, reply = ask(
        hub_here, "POST", "/api/repos/create", {"name": name, "organization": "org", "type": "dataset"}
    )
    assert (
        status == 400 and "Invalid repo name" in headers["X-Error-Message"] and b"Invalid repo name" in reply
    )


def test_a_client_that_depends_on_xet_fails(empty, monkeypatch):
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", False)
    with pytest.raises(Exception, match="xet-write-token"):
        push(HfApi(), {SHARD: parquet(a=[1])})
    assert len(empty.commits(REPO)) == 1


def test_a_parent_that_is_no_longer_the_head_is_412(empty, api):
    old = empty.commits(REPO)[0]
    push(api, {"a.txt": b"a"}, parent_commit=old)
    status, reply = status_of(push, api, {"b.txt": b"b"}, parent_commit=old)
    assert status == 412 and "A commit has happened since. Please refresh and try again." in reply
    assert set(empty.files(REPO)) == {"a.txt"}


def test_a_commit_to_a_tag_or_as_a_pull_request_is_refused(empty, api):
    api.create_tag(REPO, tag="v1", repo_type="dataset")
    assert status_of(push, api, {"a.txt": b"a"}, revision="v1")[0] == 404
    assert status_of(push, api, {"a.txt": b"a"}, create_pr=True)[0] == 501


@pytest.mark.parametrize(
    ("operations", "word"),
    [
        ([], "empty"),
        ([regular("/a")], "Invalid path"),
        ([regular("a/../b")], "Invalid path"),
        ([regular(".git/config")], "Invalid path"),
        ([regular("a//b")], "Invalid path"),
        ([regular("a\\b")], "Invalid path"),
        ([("file", {"path": None})], "Invalid path"),
        ([regular("a"), regular("a")], "Duplicate"),
        ([regular("a"), regular("a/b")], "both a file and a folder"),
        ([regular(".gitattributes/b")], "both a file and a folder"),
        ([("copy", {"path": "a"})], "Unknown operation"),
        ([("file", {"path": "a", "encoding": "utf-8", "content": "a"})], "base64"),
        ([("file", {"path": "a", "encoding": "base64", "content": "???"})], "base64"),
        ([regular("a.parquet")], "git-lfs"),
        ([regular("a.txt", b"a\0b")], "git-lfs"),
        (
            [("lfsFile", {"path": "a.bin", "algo": "sha256", "oid": SHA, "size": 12})],
            "not uploaded to this repository",
        ),
        ([("header", {"summary": "again"})], "one header"),
        ([regular("README.md", b"---\nlicense: free\n---\n")], "license"),
    ],
)
def test_a_commit_that_cannot_hold_is_400_and_changes_nothing(empty, operations, word):
    status, reply = commit(empty, regular("first.txt"), *operations) if operations else commit(empty)
    assert status == 400 and word in reply
    assert empty.files(REPO) == {} and len(empty.commits(REPO)) == 1


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{}\n",
        b"not json\n",
        b"[]\n",
        b'{"key": "file", "value": {}}\n',
        b'{"key": "header", "value": {}}\n',
    ],
)
def test_a_body_that_is_no_commit_is_400(empty, body):
    assert commit(empty, body=body)[0] == 400


def test_a_commit_that_changes_nothing_and_a_deletion_of_nothing_are_refused(empty):
    assert commit(empty, regular("a.txt"))[0] == 200
    assert commit(empty, regular("a.txt")) == (400, '{"error": "Your commit is empty: it changes no file"}')
    assert (
        commit(empty, ("deletedFile", {"path": "b.txt"}))[0] == 404
        and commit(empty, ("deletedFolder", {"path": "b/"}))[0] == 404
    )
    assert commit(empty, ("deletedFile", {"path": "a.txt"}), regular("a.txt/b"))[0] == 200 and set(
        empty.files(REPO)
    ) == {"a.txt/b"}
    assert commit(empty, ("deletedFolder", {"path": "a.txt/"}))[0] == 200 and empty.files(REPO) == {}


def put_address(hub, *, size: int = len(TEXT), repo: str = REPO) -> str | None:
    """Where the Hub wants TEXT; None where it has it."""
    asked = {"operation": "upload", "transfers": ["basic"], "objects": [{"oid": SHA, "size": size}]}
    status, _, reply = ask(hub, "POST", f"/datasets/{repo}.git/info/lfs/objects/batch", asked)
    assert status == 200
    wanted = json.loads(reply)["objects"][0]
    return (
        wanted["actions"]["upload"]["href"].partition(str(hub.ports[1]))[2] if "actions" in wanted else None
    )


def store(hub, method: str, path: str, body: bytes | None = None, **headers):
    return ask(hub, method, path, body, port=hub.ports[1], **({"Authorization": None} | headers))[0]


def test_an_object_must_be_what_was_announced_and_belong_here(empty, api):
    path = put_address(empty)
    assert store(empty, "PUT", path, TEXT[:-1] + b"X") == 400  # another sha256
    assert store(empty, "PUT", path, TEXT + b"X") == 400  # another size
    assert (
        store(empty, "PUT", path, TEXT, Authorization=f"Bearer {empty.token}") == 400
    )  # a token where only signatures count
    assert (
        store(empty, "GET", path) == 403
        and store(empty, "PUT", path.replace("size=12", "size=13"), TEXT + b"X") == 403
    )
    assert (
        store(empty, "PUT", put_address(empty, size=13), TEXT) == 400
    )  # what it is, but not as long as was announced
    assert store(empty, "PUT", path, TEXT) == 200 and put_address(empty) is None
    api.create_repo("org/other", repo_type="dataset")
    assert put_address(empty, repo="org/other") is not None  # what one repository has, another has not
    wrong = {"path": "a.bin", "algo": "sha256", "oid": SHA, "size": 13}
    assert (
        "has 12" in commit(empty, ("lfsFile", wrong))[1]
        and commit(empty, ("lfsFile", wrong | {"size": 12}))[0] == 200
    )


def test_the_address_of_an_object_expires(empty):
    empty.limits.url_seconds = -1
    assert store(empty, "PUT", put_address(empty), TEXT) == 403


def test_parts_need_their_order_and_their_etags(empty):
    empty.limits.parts_above = empty.limits.part_size = 6
    asked = {"operation": "upload", "transfers": ["multipart"], "objects": [{"oid": SHA, "size": 12}]}
    _, _, reply = ask(empty, "POST", f"/datasets/{REPO}.git/info/lfs/objects/batch", asked)
    action = json.loads(reply)["objects"][0]["actions"]["upload"]
    etags, whole = [], action["href"].partition(str(empty.ports[0]))[2]
    for number, content in [("00001", TEXT[:6]), ("00002", TEXT[6:])]:
        path = action["header"][number].partition(str(empty.ports[1]))[2]
        assert store(empty, "PUT", path, content[1:]) == 400
        etags.append(ask(empty, "PUT", path, content, port=empty.ports[1], Authorization=None)[1]["ETag"])
    parts = [{"partNumber": number, "etag": etag} for number, etag in enumerate(etags, 1)]
    for wrong in (parts[:1], parts[::-1], [parts[0], parts[1] | {"etag": etags[0]}]):
        assert ask(empty, "POST", whole, {"oid": SHA, "parts": wrong})[0] == 400
    assert ask(empty, "POST", whole, {"oid": SHA, "parts": parts})[0] == 200 and put_address(empty) is None


def test_a_body_of_unsaid_length_is_411(empty):
    path = put_address(empty)
    assert store(empty, "PUT", path, Transfer_Encoding="chunked") == 411


@pytest.mark.parametrize(
    ("metadata", "word"),
    [
        ("license: free", "license"),
        ("license: other", "license_name"),
        ("language: [no]", "language"),  # YAML reads it as false
        ("language: english", "language"),
        ("language: xx", "language"),
        ("size_categories: [n<2K]", "size_categories"),
        ("configs: [{config_name: a/b, data_files: x}]", "config_name"),
        (
            "configs: [{config_name: a, default: true, data_files: x}, {config_name: b, default: true, data_files: x}]",
            "at most one default",
        ),
        ("configs: [{config_name: a, data_files: x}, {config_name: a, data_files: x}]", "not unique"),
        ("configs: [{config_name: a, data_files: [{split: a-b, path: x}]}]", "split"),
        ("configs: [{config_name: a}]", "data_files"),
        ("dataset_info: [{features: []}, {features: []}]", "dataset_info"),
        ("tags: [1]", "tags"),
        ("a: b: c", "not YAML"),
    ],
)
def test_a_card_that_the_hub_does_not_take(empty, metadata, word):
    card = f"---\n{metadata}\n---\n".encode()
    with pytest.raises(ValueError, match=f"(?s)Invalid metadata in README.md.*{word}"):
        push(HfApi(), {"README.md": card})
    status, reply = commit(empty, regular("README.md", card))  # nor from those who did not ask first
    assert status == 400 and word in reply and empty.files(REPO) == {}


def test_a_card_that_the_hub_takes_and_one_it_remarks_on(empty, api):
    DatasetCard(CARD).validate(repo_type="dataset")
    with pytest.raises(ValueError, match="license"):
        DatasetCard(CARD.replace("mit", "free")).validate(repo_type="dataset")
    with pytest.warns(UserWarning, match="not in the official list"):
        push(api, {"README.md": b"---\ntask_categories: [guessing]\nlanguage: ['no', code]\n---\n"})
    with pytest.warns(UserWarning, match="empty or missing yaml"):
        push(api, {"README.md": b"# nothing\n"})


def test_nothing_is_served_elsewhere(empty):
    assert ask(empty, "GET", "/api/spaces/org/board")[0] == 404 and ask(empty, "PATCH", API, {})[0] == 404
