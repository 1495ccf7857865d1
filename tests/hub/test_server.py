"""The loopback Hub, met by the real clients: what they make there is what they find again."""

import hashlib
import subprocess
import sys

import pytest
from huggingface_hub import CommitOperationAdd, HfApi, HfFileSystem, hf_hub_download, snapshot_download
from huggingface_hub.errors import HfHubHTTPError, RevisionNotFoundError

from .pushing import CARD, REPO, SHARD, ask, parquet, push
from .server.hub import ROOT, Hub

FILES = {"README.md": CARD.encode(), SHARD: parquet(a=[1, 2], b=["x", None])}


@pytest.fixture
def pushed(hub_here, api):
    """A data set of one commit and one tag."""
    api.create_repo(REPO, repo_type="dataset", private=True)
    push(api, FILES, parent_commit=api.dataset_info(REPO).sha)
    api.create_tag(REPO, tag="v1", tag_message="first", repo_type="dataset")
    return hub_here


def test_one_commit_holds_regular_and_large_files(pushed, api):
    assert pushed.files(REPO) == FILES
    assert len(pushed.commits(REPO)) == 2 and pushed.messages(REPO) == ["a release", "initial commit"]
    info = api.dataset_info(REPO, files_metadata=True)
    assert (
        info.private
        and info.sha == pushed.commits(REPO)[0]
        and info.card_data.license == "mit"
        and "license:mit" in info.tags
    )
    large = {sibling.rfilename: sibling.lfs for sibling in info.siblings}
    assert large["README.md"] is None and large[SHARD].sha256 == hashlib.sha256(FILES[SHARD]).hexdigest()


def test_a_second_push_of_the_same_sends_and_commits_nothing(pushed, api):
    before = list(pushed.requests)
    assert push(api, FILES).oid == pushed.commits(REPO)[0]
    new = pushed.requests[len(before) :]
    assert (
        not [each for each in new if each[0] == "PUT" or "/commit/" in each[1]]
        and len(pushed.commits(REPO)) == 2
    )


def test_a_changed_shard_is_the_one_thing_sent_and_a_stale_file_goes_with_it(pushed, api):
    push(api, {"data/qa/old.parquet": parquet(a=[9])})
    n_before = len(pushed.requests)
    push(api, FILES | {SHARD: parquet(a=[1, 2, 3])}, delete=("data/qa/old.parquet",))
    assert [each[2] for each in pushed.requests[n_before:] if each[0] == "PUT"] == [200]
    assert set(pushed.files(REPO)) == set(FILES) and pushed.files(REPO)[SHARD] == parquet(a=[1, 2, 3])
    assert pushed.files(REPO, "v1") == FILES  # the tag still names what it named


def test_every_config_loads_at_a_tag_and_as_a_stream(pushed):
    from datasets import load_dataset

    rows = [{"a": 1, "b": "x"}, {"a": 2, "b": None}]
    assert load_dataset(REPO, "qa", split="test", revision="v1").to_list() == rows
    assert list(load_dataset(REPO, split="test", streaming=True)) == rows


def test_a_snapshot_is_byte_for_byte_what_was_pushed(pushed, api, tmp_path):
    folder = snapshot_download(REPO, repo_type="dataset", revision="v1", local_dir=tmp_path / "there")
    content = {path: (tmp_path / "there" / path).read_bytes() for path in FILES}
    assert (
        content == FILES
        and api.verify_repo_checksums(REPO, repo_type="dataset", local_dir=folder).mismatches == []
    )


def test_a_file_is_read_in_ranges(pushed):
    file = HfFileSystem().open(f"datasets/{REPO}@v1/{SHARD}", block_size=8)
    file.seek(-4, 2)
    assert file.read() == b"PAR1"
    assert [each[2] for each in pushed.requests if each[1].startswith("/objects/") and each[0] == "GET"] == [
        206
    ]


@pytest.mark.parametrize(
    ("asked", "status", "content", "content_range"),
    [
        ("bytes=2-4", 206, b"cde", "bytes 2-4/8"),
        ("bytes=5-", 206, b"fgh", "bytes 5-7/8"),
        ("bytes=-3", 206, b"fgh", "bytes 5-7/8"),
        ("bytes=6-100", 206, b"gh", "bytes 6-7/8"),
        ("bytes=8-", 416, b"", "bytes */8"),
        ("lines=1-2", 200, b"abcdefgh", None),
    ],
)
def test_a_range_of_a_file(hub, asked, status, content, content_range):
    hub.put_repo(REPO, files={"a.txt": "abcdefgh"})
    answered, headers, body = ask(hub, "GET", f"/datasets/{REPO}/resolve/main/a.txt", Range=asked)
    assert (answered, body, headers["Content-Range"]) == (status, content, content_range)


def test_files_at_a_commit_a_branch_and_a_tag(pushed, api):
    old = pushed.commits(REPO)[0]
    push(api, {"README.md": CARD.encode() + b"more"})
    api.create_branch(REPO, branch="next", revision="v1", repo_type="dataset")
    for revision, wanted in [("main", True), (old, False), ("v1", False), ("next", False)]:
        content = open(
            hf_hub_download(REPO, "README.md", repo_type="dataset", revision=revision), "rb"
        ).read()
        assert content.endswith(b"more") is wanted, revision
    with pytest.raises(RevisionNotFoundError):
        hf_hub_download(REPO, "README.md", repo_type="dataset", revision="v2")


def test_a_tree_comes_in_pages(pushed, api):
    pushed.limits.page = 2
    push(api, {f"build/{n}.txt": b"%d" % n for n in range(5)})
    entries = list(api.list_repo_tree(REPO, repo_type="dataset", recursive=True, expand=True))
    assert [entry.path for entry in entries] == sorted(
        [*FILES, ".gitattributes", "build", "data", "data/qa", *(f"build/{n}.txt" for n in range(5))]
    )
    last = {entry.path: entry.last_commit.oid for entry in entries}
    assert last["build/0.txt"] == pushed.commits(REPO)[0] and last[SHARD] == pushed.commits(REPO)[1]
    assert len([each for each in pushed.requests if "/tree/" in each[1]]) == 6  # 11 entries, two a page
    assert {entry.path for entry in api.list_repo_tree(REPO, "build", repo_type="dataset")} == {
        f"build/{n}.txt" for n in range(5)
    }
    assert [
        entry.path for entry in api.get_paths_info(REPO, ["build/1.txt", "none"], repo_type="dataset")
    ] == ["build/1.txt"]


def test_refs_and_history(pushed, api):
    refs = api.list_repo_refs(REPO, repo_type="dataset")
    assert [(tag.name, tag.target_commit) for tag in refs.tags] == [("v1", pushed.commits(REPO)[0])]
    assert [
        commit.commit_id for commit in api.list_repo_commits(REPO, repo_type="dataset")
    ] == pushed.commits(REPO)
    api.delete_tag(REPO, tag="v1", repo_type="dataset")
    assert pushed.tags(REPO) == {}


def test_a_tag_never_moves(pushed, api):
    old = pushed.tags(REPO)["v1"]
    push(api, {"more.txt": b"more"})
    with pytest.raises(HfHubHTTPError, match="Tag reference exists already") as met:
        api.create_tag(REPO, tag="v1", repo_type="dataset")
    api.create_tag(REPO, tag="v1", repo_type="dataset", exist_ok=True)
    assert met.value.response.status_code == 409 and pushed.tags(REPO) == {"v1": old}


def test_a_large_object_goes_up_in_parts(hub_here, api):
    hub_here.limits.parts_above, hub_here.limits.part_size = 1000, 400
    content = bytes(range(256)) * 5  # 1280 bytes: parts of 400, 400, 400, 80
    api.create_repo(REPO, repo_type="dataset")
    push(api, {"weights.bin": content})
    assert hub_here.files(REPO)["weights.bin"] == content
    assert len([each for each in hub_here.requests if each[0] == "PUT"]) == 4


def test_a_large_text_is_noted_in_gitattributes(hub_here, api):
    hub_here.limits.large_above = 50
    api.create_repo(REPO, repo_type="dataset")
    push(api, {"long [1].txt": b"x" * 51})
    assert b"filter=lfs" in hub_here.files(REPO, with_attributes=True)[".gitattributes"].splitlines()[-1]
    hub_here.limits.large_above = 10**6
    push(
        api, {"long [1].txt": b"y" * 51, "short.txt": b"z"}
    )  # large by its line now, and no second line for it
    assert hub_here.files(REPO, with_attributes=True)[".gitattributes"].count(b"long") == 1


def test_a_model_gives_the_same_weights_at_its_tag(hub_here, tmp_path):
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    settings = transformers.BertConfig(
        hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8, vocab_size=20
    )
    network = transformers.BertModel(settings)
    network.save_pretrained(tmp_path / "network")
    files = {path.name: path.read_bytes() for path in (tmp_path / "network").iterdir()}
    hub_here.put_repo("org/detector", "model", files, private=True, tag="v1")
    hub_here.put_repo("org/detector", "model", {"config.json": "{}"})
    loaded = transformers.AutoModel.from_pretrained("org/detector", revision="v1")
    assert all(torch.equal(value, loaded.state_dict()[name]) for name, value in network.state_dict().items())


def test_the_visibility_of_a_repository_changes(pushed, api):
    api.update_repo_settings(REPO, private=False, repo_type="dataset")
    assert (
        not pushed.is_private(REPO) and HfApi(token=False).dataset_info(REPO).sha == pushed.commits(REPO)[0]
    )
    api.delete_repo(REPO, repo_type="dataset")
    assert not pushed.exists(REPO)


def test_another_process_meets_the_same_hub(pushed):
    printed = pushed.run(
        f"from huggingface_hub import HfApi; print(HfApi().whoami()['name'], HfApi().dataset_info('{REPO}').sha)"
    ).stdout
    assert printed.split() == ["someone", pushed.commits(REPO)[0]]


def test_the_state_outlives_the_server(pushed, api):
    pushed.restart()
    assert api.dataset_info(REPO).sha == pushed.commits(REPO)[0] and pushed.files(REPO) == FILES


def test_the_server_runs_by_itself_and_comes_back_after_its_death(tmp_path):
    state, port = tmp_path / "state", 0
    for turn in range(2):
        command = [sys.executable, "-m", "tests.hub.server", "--port", str(port), "--state", str(state)]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
            url = server.stdout.readline().strip()
            port = int(url.rpartition(":")[2])
            api = HfApi(endpoint=url, token=Hub.token)
            if turn == 0:
                api.create_repo(REPO, repo_type="dataset", private=True)
                operations = [CommitOperationAdd("a.txt", b"a")]
                commit = api.create_commit(REPO, operations, commit_message="m", repo_type="dataset").oid
            assert api.dataset_info(REPO).sha == commit
            server.kill()
