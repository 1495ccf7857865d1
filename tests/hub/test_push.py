"""Publishing to a strict Hub with the real client: what stands there afterwards, what was sent for it, and
what is refused.
"""

import errno
from dataclasses import replace

import httpx2
import pytest
from huggingface_hub import constants, get_session
from huggingface_hub.utils import are_progress_bars_disabled

from truerate.core.errors import TruerateError
from truerate.hub.push import publish
from truerate.hub.release import CHANGELOG, MARK, README, Target

from .drafts import (
    DAY,
    LATER,
    REPO,
    A,
    B,
    DraftFromDisk,
    SmallDraft,
    asked,
    content,
    expected,
    put,
    refused,
    same_but_history,
)

READING = {"GET", "HEAD"}


# ---- the undisturbed run -----------------------------------------------------------------------------------
def test_a_release_is_one_commit_private_and_tagged(hub_here):
    words = []
    commit = put(tag="v1.0", lines=words)
    assert same_but_history(content(hub_here), A)
    assert hub_here.commits(REPO)[0] == commit and len(hub_here.commits(REPO)) == 2
    assert hub_here.tags(REPO) == {"v1.0": commit} and hub_here.is_private(REPO)
    assert content(hub_here)[CHANGELOG].decode() == (
        f"# Change log\n\n## v1.0 · {DAY}\n\n3 shards of a small board\n\nFiles besides this one: 7 added, 0 changed, 0 deleted.\n"
    )
    assert words[0] == f"{REPO} (dataset, private; new repository)" and "  tag v1.0 will be set" in words
    assert hub_here.messages(REPO)[0] == "v1.0: 3 shards of a small board"


def test_a_model_goes_the_same_way(hub_here):
    draft = replace(
        A,
        kind="model",
        more={"model.safetensors": b"\0" * 5000, "config.json": b"{}"},
        prefixes=("build/",),
        seeds=(),
    )
    commit = put(draft, kind="model", public=True)
    assert (
        same_but_history(content(hub_here, kind="model"), draft)
        and hub_here.commits(REPO, "model")[0] == commit
    )
    assert not hub_here.is_private(REPO, "model")


def test_a_second_run_sends_nothing_and_keeps_the_date(hub_here):
    commit = put(tag="v1.0")
    hub_here.requests.clear()
    words = []
    assert put(today=LATER, lines=words) == put(tag="v1.0", today=LATER) == commit
    assert not asked(hub_here, "POST", "PUT", "DELETE")
    assert "  nothing to commit: it holds this already" in words
    assert same_but_history(content(hub_here), A, dated=DAY)


def test_one_changed_shard_is_one_object_sent(hub_here):
    put()
    hub_here.requests.clear()
    put(replace(A, seeds=(1, 2, 9)), today=LATER)
    assert len(asked(hub_here, "PUT")) == 1
    assert same_but_history(content(hub_here), replace(A, seeds=(1, 2, 9)), dated=LATER)
    log = content(hub_here)[CHANGELOG].decode()
    assert (
        log.index(LATER) < log.index(DAY) and "Files besides this one: 0 added, 4 changed, 0 deleted." in log
    )  # shard, card, mark, checksums


def test_fewer_shards_delete_the_stale_ones_in_the_same_commit(hub_here):
    put()
    put(B)
    assert len(hub_here.commits(REPO)) == 3
    assert sorted(path for path in content(hub_here) if path.startswith("data/")) == [
        "data/qa/train-00000-of-00002.parquet",
        "data/qa/train-00001-of-00002.parquet",
    ]


def test_files_of_others_stay(hub_here):
    put()
    others = {"notes/ours.md": b"a note", "LICENSE": b"words", "extra.parquet": b"PAR1\0"}
    hub_here.put_repo(REPO, files=content(hub_here) | others)
    put(B)
    assert {path: data for path, data in content(hub_here).items() if path in others} == others
    assert same_but_history({path: data for path, data in content(hub_here).items() if path not in others}, B)


def test_more_files_than_one_page_of_a_listing(hub_here):
    many = replace(A, seeds=tuple(range(60)), n_bytes=20)
    put(many)
    put(replace(many, seeds=tuple(range(40))))
    assert sum(path.startswith("data/") for path in content(hub_here)) == 40


def test_large_files_from_disk_in_parts(hub_here, tmp_path):
    hub_here.limits.parts_above, hub_here.limits.part_size = 3000, 1000
    (tmp_path / "weights").write_bytes(bytes(range(256)) * 20)
    draft = DraftFromDisk(weights=tmp_path / "weights")
    put(draft)
    assert content(hub_here)["data/weights.safetensors"] == bytes(range(256)) * 20
    hub_here.requests.clear()
    put(draft, today=LATER)
    assert not asked(hub_here, "POST", "PUT")


def test_plain_transfers_and_the_client_is_left_as_it_was(hub_here):
    before = constants.HF_HUB_DISABLE_XET, are_progress_bars_disabled()
    put()
    assert asked(hub_here, "PUT") and not asked(hub_here, "GET", "POST", path="xet")
    assert (constants.HF_HUB_DISABLE_XET, are_progress_bars_disabled()) == before and before[0] is False
    assert type(get_session()) is httpx2.Client


def test_a_file_that_changes_under_way_is_met_by_the_check_afterwards(hub_here, tmp_path):
    (tmp_path / "weights").write_bytes(b"before")

    def disturb(files):
        """The listing that verifies the commit is delayed, and meanwhile the file is written again."""
        hub_here.fault(method="GET", path="/tree/")

    put()
    with pytest.raises(
        TruerateError, match=r"does not hold what was sent \(1 files, first 'data/weights.safetensors'\)"
    ):
        publish(
            DraftFromDisk(weights=tmp_path / "weights"), Target(REPO, "dataset", tag="v1.0"), dry_run=False, check=disturb, say=id,
            today=LATER, pause=lambda _: (tmp_path / "weights").write_bytes(b"behind"),
        )  # fmt: skip
    assert hub_here.tags(REPO) == {}


# ---- what is not written -----------------------------------------------------------------------------------
@pytest.mark.parametrize("is_there", [False, True])
def test_a_dry_run_only_reads(hub_here, is_there):
    head = put() if is_there else ""
    hub_here.requests.clear()
    words = []
    assert put(B, tag="v1.0", dry_run=True, lines=words) == head
    assert {method for method, _, _ in hub_here.requests} <= READING
    assert hub_here.exists(REPO) is is_there and any("added" in line for line in words)
    if is_there:
        assert "  - data/qa/train-00002-of-00003.parquet  2.0 kB" in words and hub_here.tags(REPO) == {}


@pytest.mark.parametrize("dry_run", [False, True])
def test_the_check_sees_the_very_files_before_anything_is_written(hub_here, dry_run):
    visited = {}

    def check(files):
        visited.update(files)
        raise TruerateError("a secret in README.md")

    refused("a secret", check=check, dry_run=dry_run)
    assert expected(A).items() <= visited.items() and DAY in visited[CHANGELOG].decode()
    assert not hub_here.exists(REPO) and not asked(hub_here, "POST", "PUT")


def test_other_content_is_refused_before_anything_is_written(hub_here):
    others = {"train.csv": b"a,b\n", README: b"# My data\n\nWords of mine.\n"}
    head = hub_here.put_repo(REPO, files=others, private=True)
    line = refused("holds other content")
    assert "README.md, train.csv" in line and "'small-board'" in line
    put(replace(A, name="x"), to="org/else")
    refused("holds another release", A, to="org/else")
    assert hub_here.commits(REPO)[0] == head and not [
        path for path in asked(hub_here, "POST", "PUT") if "org/small" in path
    ]


def test_an_empty_repository_with_the_hubs_own_files_is_free(hub_here):
    hub_here.put_repo(REPO, files={README: "---\nlicense: mit\n---\n", "LICENSE": "words"}, private=True)
    put()
    assert content(hub_here)["LICENSE"] == b"words" and content(hub_here)[README] == expected(A)[README]


def test_a_mark_that_cannot_be_read_is_nobodys(hub_here):
    for mark in (
        "{",
        "[]",
        '{"kind": "dataset", "name": "small-board"}',
        '{"kind": "dataset", "name": "small-board", "dated": "soon"}',
    ):
        hub_here.put_repo(REPO, files={MARK: mark}, private=True)
        refused("holds other content")


def test_a_public_repository_needs_public(hub_here):
    hub_here.put_repo(REPO, files={})
    head = hub_here.commits(REPO)
    refused("is public; say --public")
    assert hub_here.commits(REPO) == head and not asked(hub_here, "POST", "PUT")
    put(public=True)
    assert same_but_history(content(hub_here), A)


def test_a_private_repository_is_opened_after_the_commit(hub_here):
    put()
    hub_here.fault(path="/commit/", status=400)
    refused("400", B, public=True)
    assert hub_here.is_private(REPO)
    hub_here.requests.clear()
    put(B, public=True)
    assert not hub_here.is_private(REPO)
    changing = [path for path in asked(hub_here, "POST", "PUT") if "/commit/" in path or "/settings" in path]
    assert ["settings" in path for path in changing] == [False, True]
    put(public=True)


# ---- tags --------------------------------------------------------------------------------------------------
def test_a_tag_of_this_content_is_done_even_if_main_went_on(hub_here):
    first = put(tag="v1.0")
    second = put(B, tag="v2.0", today=LATER)
    hub_here.requests.clear()
    words = []
    assert put(A, tag="v1.0", today="2026-03-03", lines=words) == first
    assert words[-1] == f"v1.0 stands at commit {first[:8]}; main holds another release and is left as it is"
    assert not asked(hub_here, "POST", "PUT") and hub_here.commits(REPO)[0] == second
    assert hub_here.tags(REPO) == {"v1.0": first, "v2.0": second}


def test_a_tag_of_other_content_is_never_moved(hub_here):
    first = put(tag="v1.0")
    hub_here.requests.clear()
    line = refused("tag 'v1.0' holds other content", B, tag="v1.0")
    assert first[:8] in line and "choose another --tag" in line
    assert not asked(hub_here, "POST", "PUT") and hub_here.tags(REPO) == {"v1.0": first}


def test_a_tag_on_what_stands_there_makes_no_commit(hub_here):
    commit = put()
    hub_here.requests.clear()
    assert put(tag="v1.0", today=LATER) == commit
    assert [path.rpartition("/")[0].rpartition("/")[2] for path in asked(hub_here, "POST", "PUT")] == ["tag"]
    assert hub_here.tags(REPO) == {"v1.0": commit}


def test_a_tag_of_somebody_else_is_other_content(hub_here):
    hub_here.put_repo(REPO, files={}, tag="v1.0", private=True)
    refused("holds other content", tag="v1.0")
    assert len(hub_here.commits(REPO)) == 2


# ---- names, tokens, rights ---------------------------------------------------------------------------------
def test_bad_names_meet_no_server(hub_here):
    refused("org/name", to="small")
    refused("vX.Y", tag="latest")
    assert not hub_here.requests


def test_no_token(anonymous):
    refused("no token of the Hub; set HF_TOKEN")
    assert not anonymous.requests


def test_a_token_that_no_header_carries(hub_here, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_ключ")
    refused("HF_TOKEN holds a character that no token has")
    assert not hub_here.requests


def test_an_address_that_is_none(hub_here, monkeypatch):
    monkeypatch.setattr(constants, "ENDPOINT", "nonsense")
    refused("HF_ENDPOINT is 'nonsense'; it must begin with https://")


@pytest.mark.parametrize("status", [507, 520, 409])
def test_trouble_of_other_numbers_passes_too(hub_here, status):
    hub_here.fault(path="/commit/", kind="error", status=status)
    commit = put()
    assert hub_here.commits(REPO)[0] == commit and same_but_history(content(hub_here), A)


@pytest.mark.parametrize("is_there", [False, True])
def test_wrong_token(hub_here, monkeypatch, is_there):
    if is_there:
        put()
    monkeypatch.setenv("HF_TOKEN", "hf_" + "x" * 30)
    refused("does not know this token.*HF_TOKEN", B)


@pytest.mark.parametrize("is_there", [False, True])
def test_a_token_that_only_reads(hub_here, monkeypatch, is_there):
    head = put() if is_there else None
    monkeypatch.setenv("HF_TOKEN", hub_here.read_token)
    refused("may not write there.*403", B)
    assert hub_here.commits(REPO)[0] == head if is_there else not hub_here.exists(REPO)


def test_an_organisation_of_others(hub_here, monkeypatch):
    refused("may not write there.*403", to="strangers/small")
    put(public=True)
    monkeypatch.setenv("HF_TOKEN", hub_here.other_token)
    refused("may not write there.*403", B, public=True)


def test_a_private_repository_of_others_looks_like_none(hub_here):
    hub_here.put_repo("stranger/small", files={"a.txt": "a"}, private=True)
    refused("may not write there|hidden from this token", to="stranger/small")


def test_a_repository_that_exists_but_stays_hidden(hub_here):
    hub_here.put_repo(REPO, files={}, private=True)
    hub_here.fault(method="GET", path=f"/api/datasets/{REPO}$", kind="error", status=404, times=None)
    refused("refuses it|hidden from this token|no such repository")
    assert len(hub_here.commits(REPO)) == 2


def test_a_gated_repository_of_others(hub_here):
    hub_here.put_repo("stranger/small", files={README: "# x\n\nwords\n"}, gated=True)
    refused("gated", to="stranger/small", public=True)


def test_a_name_that_the_hub_does_not_take(hub_here):
    refused("Invalid repo name", to="org/notebook.ipynb")
    assert not hub_here.exists("org/notebook.ipynb")


def test_a_card_that_the_hub_refuses_is_met_before_anything_is_made(hub_here):
    refused("card.*license", replace(A, card="---\nlicense: no-such-licence\n---\n# x {name} {dated}\n"))
    assert not hub_here.exists(REPO) and not asked(hub_here, "PUT")


def test_offline(hub_here, monkeypatch):
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    refused("HF_HUB_OFFLINE is set")


def test_a_full_disk_while_files_are_made(hub_here):
    class Full(SmallDraft):
        def files(self, **options):
            raise OSError(errno.ENOSPC, "No space left on device", "scratch")

    line = refused("make room", Full())
    assert "No space left on device" in line and not hub_here.exists(REPO)
